/* Sets of integers against an array of booleans, with bounds around the borders of words and levels. */
#include <stdlib.h>

#include "base/context.h"
#include "base/index_set.h"
#include "tests/support/suite.h"

static const uint32_t bounds[] = { 0, 1, 63, 64, 65, 4095, 4096, 4097, 262143, 262145 };

static uint32_t next_naive(const bool *has, uint32_t bound, uint32_t from) {
    while (from < bound && !has[from]) from++;
    return from;
}

static void ck_same(const weft_index_set *s, const bool *has, uint32_t bound, uint32_t from) {
    for (uint32_t i = from, n = 0; n < 200; n++) {
        uint32_t want = next_naive(has, bound, i);
        ck_assert_uint_eq(weft_index_set_next(s, i), want);
        if (want == bound) break;
        i = want + 1;
    }
}

START_TEST(is_an_array_of_booleans) {
    const uint32_t bound = bounds[_i];
    weft_context *cx = weft_context_new(NULL);
    weft_index_set s;
    bool *has = calloc(bound + 1, 1);
    uint64_t seed = 88172645463325252u + bound;
    ck_assert_int_eq(weft_index_set_open(&cx->arena, bound, _i % 2 ? WEFT_INDEX_ALL : WEFT_INDEX_NONE, &s), WEFT_OK);
    for (uint32_t i = 0; i < bound; i++) has[i] = _i % 2;
    ck_same(&s, has, bound, 0);
    for (int round = 0; round < 2000 && bound; round++) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17; /* xorshift: Marsaglia, JSS 2003 */
        uint32_t i = (uint32_t)(seed >> 20) % bound;
        bool add = round < 400 ? (seed & 1) != 0 : (round / 400) % 2 != 0; /* mixed, then many, then hardly any */
        if (add) weft_index_set_add(&s, i);
        else weft_index_set_remove(&s, i);
        has[i] = add;
        if (round % 50 == 0) ck_same(&s, has, bound, i);
    }
    for (uint32_t i = 0; i < bound; i++) {
        weft_index_set_remove(&s, i);
        has[i] = false;
    }
    ck_assert_uint_eq(weft_index_set_next(&s, 0), bound);
    if (bound) weft_index_set_add(&s, bound - 1);
    if (bound) ck_assert_uint_eq(weft_index_set_next(&s, 0), bound - 1);
    ck_assert_uint_eq(weft_index_set_next(&s, bound), bound);
    free(has);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("base/index_set");
    TCase *tc = tcase_create("index_set");
    tcase_add_loop_test(tc, is_an_array_of_booleans, 0, WEFT_COUNT(bounds));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
