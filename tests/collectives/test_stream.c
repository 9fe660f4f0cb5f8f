/* test_stream.c: copies that bypass the caches and that go backwards: all ends and alignments, without writes beside
 * the target; and how much of a call the caches hold.
 */
#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "collectives/stream.h"

enum { ROOM = 3 << 20, MARGIN = 128 };

static const struct { size_t from, to, bytes; } cases[] = {
    { 0, 0, 0 },      { 0, 0, 1 },        { 3, 5, 1000 },    { 0, 0, 1024 },     { 1, 0, 1024 },    { 0, 1, 1024 },       { 63, 63, 1087 },
    { 7, 64, 4096 },  { 64, 7, 4097 },    { 16, 48, 65535 }, { 33, 31, 100003 }, { 1, 2, 1 << 21 }, { 5, 60, ROOM - 77 },
    /* Spans of eight pages: one, a byte less or more, several. */
    { 0, 0, 1 << 15 }, { 9, 64, (1 << 15) - 1 }, { 8, 1, (1 << 15) + 64 }, { 2, 3, 3 << 15 },
    /* Chunks of what goes backwards: the same. */
    { 0, 0, 1 << 16 }, { 64, 9, (1 << 16) - 1 }, { 1, 8, (1 << 16) + 1 }, { 3, 2, 5 << 16 },
};

/* The bytes are there, and nothing beside them was written. */
static void check_copied(const unsigned char *out, const unsigned char *from, size_t to, size_t bytes) {
    const size_t all = ROOM + 2 * MARGIN;
    ck_assert_int_eq(memcmp(out + MARGIN + to, from, bytes), 0);
    for (size_t i = 0; i < MARGIN + to; i++) ck_assert_uint_eq(out[i], 0xA5);
    for (size_t i = MARGIN + to + bytes; i < all && i < MARGIN + to + bytes + MARGIN; i++)
        ck_assert_uint_eq(out[i], 0xA5);
}

START_TEST(test_copies) {
    size_t from = cases[_i].from, to = cases[_i].to, bytes = cases[_i].bytes, all = ROOM + 2 * MARGIN;
    unsigned char *in = malloc(all), *out = malloc(all);
    ck_assert(in && out);
    for (size_t i = 0; i < all; i++) in[i] = (unsigned char)(i * 31 + i / 251);
    for (int way = WEFT_COPY_CACHED; way <= WEFT_COPY_STREAMED_BACKWARD; way++) {
        memset(out, 0xA5, all);
        weft_copy_piece(out + MARGIN + to, in + from, bytes, (weft_copy_way)way);
        weft_copy_end((weft_copy_way)way);
        check_copied(out, in + from, to, bytes);
    }
    free(in);
    free(out);
}
END_TEST

START_TEST(test_fetching) { /* what is fetched is only looked at: also where there is nothing */
    size_t from = cases[_i].from, to = cases[_i].to, bytes = cases[_i].bytes, all = ROOM + 2 * MARGIN;
    unsigned char *in = malloc(all), *out = malloc(all);
    ck_assert(in && out);
    for (size_t i = 0; i < all; i++) in[i] = (unsigned char)(i * 29 + i / 253);
    memset(out, 0xA5, all);
    weft_copy_fetching(out + MARGIN + to, in + from, bytes, (const void *[]){ in, in + all, NULL }, 3);
    weft_copy_end(WEFT_COPY_STREAMED);
    check_copied(out, in + from, to, bytes);
    free(in);
    free(out);
}
END_TEST

/* One index of a processor's caches, as Linux writes it. */
typedef struct { const char *level, *type, *size, *shared; } index_of;

#define MIB ((size_t)1 << 20)
static const struct {
    index_of index[5];
    size_t bytes;
    int cpus;
} machines[] = {
    { { { NULL, NULL, NULL, NULL } }, 0, 0 },
    { { { "1\n", "Data\n", "32K\n", "1\n" }, { "1\n", "Instruction\n", "32K\n", "1\n" }, { "2\n", "Unified\n", "512K\n", "1\n" },
        { "3\n", "Unified\n", "32768K\n", "3\n" } }, 32 * MIB, 2 },
    { { { "3\n", "Unified\n", "105M\n", "00000000,ffffffff,00000000,ffff0000\n" }, { "2\n", "Unified\n", "2048K\n", "1,00000001\n" } }, 105 * MIB, 48 },
    { { { "1\n", "Data\n", "64K\n", "1\n" }, { "2\n", "Unified\n", "1024K\n", "f\n" } }, MIB, 4 },
    { { { "2\n", "Unified\n", "1024K\n", "f\n" }, { "3\n", "Unified\n", "0K\n", "f\n" }, { "4\n", "Unified\n", "64M\n", "" } }, MIB, 4 },
    { { { "9\n", "Instruction\n", "64K\n", "1\n" } }, 0, 0 },
};

static void write_text(const char *folder, int i, const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/index%d/%s", folder, i, name);
    FILE *f = fopen(path, "w");
    ck_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

START_TEST(test_last_cache) {
    char folder[] = "/tmp/weft_caches_XXXXXX", path[256];
    static const char *const names[] = { "level", "type", "size", "shared_cpu_map" };
    ck_assert(mkdtemp(folder));
    for (int i = 0; i < 5 && machines[_i].index[i].level; i++) {
        const index_of *x = &machines[_i].index[i];
        snprintf(path, sizeof path, "%s/index%d", folder, i);
        ck_assert_int_eq(mkdir(path, 0700), 0);
        for (int k = 0; k < 4; k++)
            write_text(folder, i, names[k], (const char *[]){ x->level, x->type, x->size, x->shared }[k]);
    }
    weft_last_cache last = weft_last_cache_in(folder);
    ck_assert_uint_eq(last.bytes, machines[_i].bytes);
    ck_assert_int_eq(last.cpus, machines[_i].cpus);
    for (int i = 0; i < 5 && machines[_i].index[i].level; i++) {
        for (int k = 0; k < 4; k++) {
            snprintf(path, sizeof path, "%s/index%d/%s", folder, i, names[k]);
            ck_assert_int_eq(unlink(path), 0);
        }
        snprintf(path, sizeof path, "%s/index%d", folder, i);
        ck_assert_int_eq(rmdir(path), 0);
    }
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

START_TEST(test_share) {
    weft_last_cache epyc = { 32 * MIB, 16 }, alone = { 32 * MIB, 2 };
    ck_assert_uint_eq(weft_cached_bytes(alone, 2, 1), 8 * MIB);
    ck_assert_uint_eq(weft_cached_bytes(alone, 2, 2), 4 * MIB);
    ck_assert_uint_eq(weft_cached_bytes(alone, 2, 4), 2 * MIB);
    ck_assert_uint_eq(weft_cached_bytes(epyc, 128, 8), MIB);                  /* all of them could sit on one */
    ck_assert_uint_eq(weft_cached_bytes(epyc, 128, 128), WEFT_TURN_BYTES);    /* sixteen on each: 512 KiB */
    ck_assert_uint_eq(weft_cached_bytes(epyc, 128, 4096), WEFT_TURN_BYTES);   /* no less than a core's own */
    ck_assert_uint_eq(weft_cached_bytes(epyc, 4, 2), 4 * MIB);
    ck_assert_uint_gt(weft_cached_bytes((weft_last_cache){ 0 }, 2, 2), WEFT_TURN_BYTES); /* unknown caches */
    ck_assert_int_eq(weft_copy_way_of(MIB, MIB, 1), WEFT_COPY_BACKWARD);
    ck_assert_int_eq(weft_copy_way_of(MIB, MIB, 2), WEFT_COPY_CACHED);
    ck_assert_int_eq(weft_copy_way_of(MIB + 1, MIB, 1), WEFT_COPY_STREAMED_BACKWARD);
    ck_assert_int_eq(weft_copy_way_of(MIB + 1, MIB, 2), WEFT_COPY_STREAMED);
    ck_assert_int_eq(weft_copy_way_of(WEFT_TURN_BYTES - 1, MIB, 1), WEFT_COPY_CACHED);
}
END_TEST

int main(void) {
    Suite *s = suite_create("stream");
    TCase *tc = tcase_create("copies");
    tcase_add_loop_test(tc, test_copies, 0, (int)(sizeof cases / sizeof *cases));
    tcase_add_loop_test(tc, test_fetching, 0, (int)(sizeof cases / sizeof *cases));
    suite_add_tcase(s, tc);
    tc = tcase_create("caches");
    tcase_add_loop_test(tc, test_last_cache, 0, (int)(sizeof machines / sizeof *machines));
    tcase_add_test(tc, test_share);
    suite_add_tcase(s, tc);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
