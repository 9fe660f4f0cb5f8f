/* test_stream.c: copies past the caches: all ends, whatever their alignment, and nothing beside them is written. */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "collectives/stream.h"

enum { ROOM = 3 << 20, MARGIN = 128 };

static const struct { size_t from, to, bytes; } cases[] = {
    { 0, 0, 0 },      { 0, 0, 1 },        { 3, 5, 1000 },    { 0, 0, 1024 },     { 1, 0, 1024 },    { 0, 1, 1024 },       { 63, 63, 1087 },
    { 7, 64, 4096 },  { 64, 7, 4097 },    { 16, 48, 65535 }, { 33, 31, 100003 }, { 1, 2, 1 << 21 }, { 5, 60, ROOM - 77 },
    /* Spans of eight pages: one, a byte less or more, several. */
    { 0, 0, 1 << 15 }, { 9, 64, (1 << 15) - 1 }, { 8, 1, (1 << 15) + 64 }, { 2, 3, 3 << 15 },
};

START_TEST(test_copies) {
    size_t from = cases[_i].from, to = cases[_i].to, bytes = cases[_i].bytes, all = ROOM + 2 * MARGIN;
    unsigned char *in = malloc(all), *out = malloc(all);
    ck_assert(in && out);
    for (size_t i = 0; i < all; i++) in[i] = (unsigned char)(i * 31 + i / 251);
    for (int way = WEFT_COPY_CACHED; way <= WEFT_COPY_BACKWARD; way++) {
        memset(out, 0xA5, all);
        weft_copy(out + MARGIN + to, in + from, bytes, (weft_copy_way)way);
        ck_assert_int_eq(memcmp(out + MARGIN + to, in + from, bytes), 0);
        for (size_t i = 0; i < MARGIN + to; i++) ck_assert_uint_eq(out[i], 0xA5);
        for (size_t i = MARGIN + to + bytes; i < all && i < MARGIN + to + bytes + MARGIN; i++) ck_assert_uint_eq(out[i], 0xA5);
    }
    free(in);
    free(out);
}
END_TEST

int main(void) {
    Suite *s = suite_create("stream");
    TCase *tc = tcase_create("copies");
    tcase_add_loop_test(tc, test_copies, 0, (int)(sizeof cases / sizeof *cases));
    suite_add_tcase(s, tc);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
