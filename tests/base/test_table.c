/* Hash tables against a list: entries of equal hashes are found in insertion order, also after growth. */
#include "base/table.h"
#include "tests/support/alloc.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { ENTRIES = 3000 };

/* Few hashes, many, all at the end of the table so that runs go round, and all the same. */
static uint64_t hash_of(int kind, uint64_t i) {
    return kind == 0 ? i % 7 : kind == 1 ? weft_hash_end(weft_hash_mix(1, i)) : kind == 2 ? 0xfffffff0u | i % 16 : 3;
}

static void ck_found(const weft_table *t, int kind, const int *v, int n, uint64_t hash) {
    size_t probe = 0;
    for (int i = 0; i < n; i++)
        if (hash_of(kind, (uint64_t)v[i]) == hash) ck_assert_ptr_eq(weft_table_next(t, hash, &probe), &v[i]);
    ck_assert_ptr_null(weft_table_next(t, hash, &probe));
}

START_TEST(entries_are_found_in_order) {
    weft_test_alloc alloc;
    weft_arena arena;
    weft_table t = { 0 };
    int v[ENTRIES];
    const int n = _i == 3 ? 200 : ENTRIES;
    weft_test_alloc_init(&alloc, -1);
    weft_arena_init(&arena, &alloc.alloc);
    ck_found(&t, _i, v, 0, 5);
    for (int i = 0; i < n; i++) {
        v[i] = i;
        ck_assert(weft_table_add(&t, &arena, hash_of(_i, (uint64_t)i), &v[i]));
        if (i % 100 == 0) ck_found(&t, _i, v, i + 1, hash_of(_i, (uint64_t)i));
    }
    ck_assert_uint_eq(t.count, (size_t)n);
    for (int i = 0; i < 50; i++) ck_found(&t, _i, v, n, hash_of(_i, (uint64_t)(i * 59)));
    weft_arena_free(&arena);
    ck_assert_int_eq(alloc.live_blocks, 0);
}
END_TEST

START_TEST(without_memory_it_stays_as_it_was) {
    weft_test_alloc alloc;
    weft_arena arena;
    weft_table t = { 0 };
    int v[ENTRIES], n = 0;
    weft_test_alloc_init(&alloc, 3);
    weft_arena_init(&arena, &alloc.alloc);
    for (; n < ENTRIES; n++) {
        v[n] = n;
        if (!weft_table_add(&t, &arena, hash_of(1, (uint64_t)n), &v[n])) break;
    }
    ck_assert_int_gt(n, 0);
    ck_assert_int_lt(n, ENTRIES);
    ck_assert_uint_eq(t.count, (size_t)n);
    for (int i = 0; i < n; i++) ck_found(&t, 1, v, n, hash_of(1, (uint64_t)i));
    weft_arena_free(&arena);
}
END_TEST

int main(void) {
    Suite *s = suite_create("base/table");
    TCase *tc = tcase_create("table");
    tcase_add_loop_test(tc, entries_are_found_in_order, 0, 4);
    tcase_add_test(tc, without_memory_it_stays_as_it_was);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
