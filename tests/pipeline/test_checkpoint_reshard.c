/* Checkpoints written anew: an array that is larger than what may be held, with its data; and memory that is out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "pipeline/checkpoint_reshard.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

static char dir[64], path[96], to[96], command[160];

static void setup(void) {
    strcpy(dir, "/tmp/weft-reshard-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/old.safetensors", dir);
    snprintf(to, sizeof to, "%s/new", dir);
}

static void teardown(void) {
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    ck_assert_int_eq(system(command), 0);
}

/* Array "w" of f32, rows x columns, of zeros but for `rows` marks. */
static void write_array(int64_t rows, int64_t columns) {
    char header[128];
    const int n = snprintf(header, sizeof header,
                           "{\"w\":{\"dtype\":\"F32\",\"shape\":[%lld,%lld],\"data_offsets\":[0,%lld]}}", (long long)rows, (long long)columns, (long long)(4 * rows * columns));
    const unsigned char length[8] = { (unsigned char)n };
    FILE *f = fopen(path, "wb");
    ck_assert(f && fwrite(length, 1, 8, f) == 8 && fwrite(header, 1, (size_t)n, f) == (size_t)n);
    for (int64_t i = 0; i < rows; i += rows / 8) {
        const float mark = (float)(i + 1);
        ck_assert(!fseek(f, 8 + n + 4 * (i * columns + i % columns), SEEK_SET) && fwrite(&mark, 4, 1, f) == 1);
    }
    ck_assert(!fflush(f) && !ftruncate(fileno(f), 8 + n + 4 * rows * columns) && !fclose(f));
}

static weft_status reshard(weft_context *cx, void *options) {
    weft_saved s;
    weft_status st = weft_saved_open(cx, path, &s);
    if (st != WEFT_OK) return st;
    st = weft_checkpoint_reshard(cx, &s, to, options);
    weft_saved_close(&s);
    return st;
}

static weft_reshard_options by_columns(void) {
    static const char *const shard = "w=-, x";
    return (weft_reshard_options){ .mesh = "x=3", .shards = &shard, .shard_count = 1, .file_bytes = INT64_MAX };
}

START_TEST(no_array_is_held_whole) {
    enum { ROWS = 8192, COLUMNS = 5120 }; /* 160 MiB; a part of 53 MiB, and of one device 160 */
    weft_reshard_options o = by_columns();
    weft_test_alloc t;
    write_array(ROWS, COLUMNS);
    for (int whole = 0; whole < 2; whole++) {
        weft_test_alloc_init(&t, -1);
        weft_context *cx = weft_context_new(&t.alloc);
        if (whole) o = (weft_reshard_options){ .mesh = "x=1", .file_bytes = INT64_MAX };
        o.step = whole;
        ck_assert_int_eq(reshard(cx, &o), WEFT_OK);
        ck_assert_uint_lt(t.most_bytes, (size_t)WEFT_RESHARD_BYTES + (1 << 21));
        weft_saved s;
        ck_assert_int_eq(weft_saved_open(cx, to, &s), WEFT_OK);
        ck_assert_uint_eq(s.piece_count, 3);
        ck_assert_int_eq(weft_saved_verify(&s, 0, 1), WEFT_OK);
        for (int64_t i = 0; i < ROWS; i += ROWS / 8) {
            const int64_t dims[] = { ROWS, COLUMNS }, start[] = { i, i % COLUMNS }, count[] = { 1, 1 };
            const weft_box box = { 2, 4, dims, start, count, count };
            float got = 0;
            ck_assert_int_eq(weft_saved_read(&s, &s.arrays[0], &box, &got), WEFT_OK);
            ck_assert(got == (float)(i + 1));
        }
        weft_saved_close(&s);
        weft_context_free(cx);
    }
}
END_TEST

static weft_status reshard_anew(weft_context *cx, void *options) {
    snprintf(command, sizeof command, "rm -rf '%s'", to);
    ck_assert_int_eq(system(command), 0);
    return reshard(cx, options);
}

START_TEST(memory_that_is_out_is_said) {
    weft_reshard_options o = by_columns();
    write_array(16, 10);
    weft_test_each_failure(reshard_anew, &o);
}
END_TEST

int main(void) {
    Suite *s = suite_create("checkpoint_reshard");
    TCase *tc = tcase_create("reshard");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, no_array_is_held_whole);
    tcase_add_test(tc, memory_that_is_out_is_said);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
