/* Arenas: alignment, zeroes, marks, growth, limits. */
#include "base/arena.h"
#include "tests/support/alloc.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

START_TEST(blocks_are_aligned_zeroed_and_apart) {
    weft_test_alloc t;
    weft_arena a;
    weft_rng rng = { weft_test_seed(7) };
    struct { unsigned char *p; size_t n; unsigned char fill; } block[500];
    weft_test_alloc_init(&t, -1);
    weft_arena_init(&a, &t.alloc);
    for (int i = 0; i < 500; i++) {
        size_t align = (size_t)1 << weft_rng_below(&rng, 8);
        block[i].n = weft_rng_below(&rng, i % 50 ? 200 : 20000);
        block[i].fill = (unsigned char)(i + 1);
        block[i].p = weft_arena_alloc(&a, block[i].n, align);
        ck_assert_ptr_nonnull(block[i].p);
        ck_assert_uint_eq((uintptr_t)block[i].p % align, 0);
        for (size_t k = 0; k < block[i].n; k++) ck_assert_uint_eq(block[i].p[k], 0);
        memset(block[i].p, block[i].fill, block[i].n);
    }
    for (int i = 0; i < 500; i++)
        for (size_t k = 0; k < block[i].n; k++) ck_assert_uint_eq(block[i].p[k], block[i].fill);
    weft_arena_free(&a);
    ck_assert_int_eq(t.live_blocks, 0);
}
END_TEST

START_TEST(reset_gives_back_what_is_above_the_mark) {
    weft_test_alloc t;
    weft_arena a;
    weft_test_alloc_init(&t, -1);
    weft_arena_init(&a, &t.alloc);
    weft_mark empty = weft_arena_mark(&a);
    char *kept = weft_arena_strdup(&a, "kept", 4);
    weft_mark mark = weft_arena_mark(&a);
    size_t before = a.total_bytes;
    char *first = weft_arena_alloc(&a, 100, 1);
    for (int i = 0; i < 100; i++) ck_assert_ptr_nonnull(weft_arena_alloc(&a, 10000, 16));
    ck_assert_uint_gt(a.total_bytes, before);
    weft_arena_reset(&a, mark);
    ck_assert_uint_eq(a.total_bytes, before);
    ck_assert_str_eq(kept, "kept");
    ck_assert_ptr_eq(weft_arena_alloc(&a, 100, 1), first);
    weft_arena_reset(&a, empty);
    ck_assert_int_eq(t.live_blocks, 0);
    weft_arena_free(&a);
}
END_TEST

/* The number of requests grows with the logarithm of the bytes. */
START_TEST(draws_rarely) {
    weft_test_alloc t;
    weft_arena a;
    weft_test_alloc_init(&t, -1);
    weft_arena_init(&a, &t.alloc);
    for (int i = 0; i < 100000; i++) ck_assert_ptr_nonnull(weft_arena_alloc(&a, 16, 8));
    ck_assert_int_lt(t.requests, 20);
    weft_arena_free(&a);
}
END_TEST

START_TEST(refuses_what_cannot_be) {
    weft_test_alloc t;
    weft_arena a;
    weft_test_alloc_init(&t, -1);
    weft_arena_init(&a, &t.alloc);
    ck_assert_ptr_null(weft_arena_calloc(&a, SIZE_MAX / 2, 3, 8));
    ck_assert_ptr_null(weft_arena_alloc(&a, SIZE_MAX, 16));
    ck_assert_ptr_null(weft_arena_alloc(&a, SIZE_MAX - 16, 16));
    ck_assert_ptr_null(weft_arena_strdup(&a, "", SIZE_MAX));
    ck_assert_ptr_nonnull(weft_arena_alloc(&a, 0, 1));
    weft_arena_free(&a);
    weft_test_alloc_init(&t, 0);
    weft_arena_init(&a, &t.alloc);
    ck_assert_ptr_null(weft_arena_alloc(&a, 1, 1));
    ck_assert_ptr_nonnull(weft_arena_alloc(&a, 1, 1)); /* only the first request failed */
    weft_arena_free(&a);
    ck_assert_int_eq(t.live_blocks, 0);
}
END_TEST

START_TEST(grow_keeps_what_is_there) {
    weft_test_alloc t;
    weft_arena a;
    int *v = NULL;
    size_t cap = 0;
    weft_test_alloc_init(&t, -1);
    weft_arena_init(&a, &t.alloc);
    for (int n = 0; n < 1000; n++) {
        ck_assert(weft_arena_grow(&a, (void **)&v, &cap, (size_t)n + 1, sizeof *v));
        ck_assert_uint_gt(cap, (size_t)n);
        v[n] = n;
    }
    for (int n = 0; n < 1000; n++) ck_assert_int_eq(v[n], n);
    weft_arena_free(&a);
}
END_TEST

int main(void) {
    Suite *s = suite_create("base/arena");
    TCase *tc = tcase_create("arena");
    tcase_add_test(tc, blocks_are_aligned_zeroed_and_apart);
    tcase_add_test(tc, reset_gives_back_what_is_above_the_mark);
    tcase_add_test(tc, draws_rarely);
    tcase_add_test(tc, refuses_what_cannot_be);
    tcase_add_test(tc, grow_keeps_what_is_there);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
