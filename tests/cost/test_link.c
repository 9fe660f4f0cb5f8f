/* test_link.c: wire bytes by hand, the table of algorithms line by line, the choice between them. */
#include <check.h>
#include "cost/algorithm_id.h"
#include "cost/link.h"
#include "tests/support/suite.h"

static const struct { weft_coll_kind kind; int64_t p, full, want; } wires[] = {
    { WEFT_PLAN_ALL_REDUCE, 2, 1000, 1000 },      { WEFT_PLAN_ALL_REDUCE, 8, 800, 1400 },
    { WEFT_PLAN_ALL_REDUCE, 3, 100, 133 },        { WEFT_PLAN_ALL_GATHER, 4, 400, 300 },
    { WEFT_PLAN_REDUCE_SCATTER, 4, 400, 300 },    { WEFT_PLAN_ALL_TO_ALL, 8, 80, 70 },
    { WEFT_PLAN_COLLECTIVE_PERMUTE, 8, 80, 80 },  { WEFT_PLAN_COLLECTIVE_BROADCAST, 8, 80, 80 },
    { WEFT_PLAN_BARRIER, 8, 0, 0 },               { WEFT_PLAN_ALL_REDUCE, 1, 1000, 0 },
    { WEFT_PLAN_REDUCE, 8, 80, 80 },              { WEFT_PLAN_GATHER, 4, 400, 300 },
    { WEFT_PLAN_SCATTER, 4, 400, 300 },           { WEFT_PLAN_SCATTER, 1, 400, 0 },
    { WEFT_PLAN_ALL_REDUCE, 2, 0, 0 },            { WEFT_PLAN_ALL_REDUCE, 2, INT64_MAX / 4, INT64_MAX / 4 },
};

START_TEST(test_wire) {
    ck_assert_int_eq(weft_wire_bytes(wires[_i].kind, wires[_i].p, wires[_i].full), wires[_i].want);
}
END_TEST

/* No algorithm beats the lower bound, and every one has sensible factors and a name of its own. */
START_TEST(test_algorithm) {
    weft_alg_id a = (weft_alg_id)_i;
    weft_links free_latency = weft_links_default;
    for (int l = 0; l < WEFT_LINK_COUNT; l++) free_latency.at[l] = (weft_link){ 0, 1 };
    free_latency.reduce_bytes_per_s = free_latency.copy_bytes_per_s = 1e300;
    for (int64_t p = 2; p <= 64; p *= 2) {
        weft_coll_call call = { .kind = weft_alg_table[a].kind, .p = p, .full_bytes = 1 << 20, .level = WEFT_LINK_NUMA,
                                .can = weft_alg_table[a].needs };
        double sent = weft_alg_time_s(&free_latency, a, &call);
        ck_assert_double_ge(sent * (1 + 1e-9), (double)weft_wire_bytes(call.kind, p, call.full_bytes));
        double t = weft_alg_time_s(&weft_links_default, a, &call);
        ck_assert_double_gt(t, 0);
        call.full_bytes *= 2;
        ck_assert_double_ge(weft_alg_time_s(&weft_links_default, a, &call), t);
    }
    for (weft_alg_id b = 0; b < a; b++)
        ck_assert(weft_alg_table[a].kind != weft_alg_table[b].kind ||
                  strcmp(weft_alg_table[a].name, weft_alg_table[b].name));
}
END_TEST

/* Every kind has an algorithm wherever it may run: common memory of any kind, and messages. */
START_TEST(test_every_kind_has_one) {
    static const unsigned places[] = { WEFT_NEEDS_SMALL | WEFT_NEEDS_STAGED | WEFT_NEEDS_PLACE, WEFT_NEEDS_STAGED,
                                       WEFT_NEEDS_MESSAGES };
    for (size_t i = 0; i < WEFT_COUNT(places); i++) {
        if (_i == WEFT_PLAN_BARRIER && places[i] == WEFT_NEEDS_STAGED) continue; /* nothing to stage: always small */
        weft_coll_call call = { .kind = _i, .p = 4, .full_bytes = 4096, .level = WEFT_LINK_CACHE, .can = places[i] };
        weft_coll_choice c = weft_coll_choose(&weft_links_default, &call);
        ck_assert_int_ne(c.best, WEFT_ALG_COUNT);
        ck_assert_int_eq(weft_alg_table[c.best].kind, _i);
        if (c.second != WEFT_ALG_COUNT) ck_assert_double_le(c.best_s, c.second_s);
    }
}
END_TEST

/* By hand, on 2 nodes of 4 packages of 4 ranks: what crosses packages is dear, so that it should cross once. */
START_TEST(test_packages) {
    weft_coll_call call = { .kind = WEFT_PLAN_ALL_GATHER, .p = 32, .full_bytes = 1 << 24, .level = WEFT_LINK_NETWORK,
                            .can = WEFT_NEEDS_MESSAGES, .nodes = 2, .packages = 8 };
    weft_links links = weft_links_default;
    ck_assert_int_eq(weft_coll_choose(&links, &call).best, WEFT_ALG_ALL_GATHER_split_rail);
    call.packages = 0; /* one on each node */
    ck_assert_int_eq(weft_coll_choose(&links, &call).best, WEFT_ALG_ALL_GATHER_hierarchical);
    call.packages = 8, call.kind = WEFT_PLAN_COLLECTIVE_BROADCAST, call.full_bytes = 1024;
    ck_assert_int_eq(weft_coll_choose(&links, &call).best, WEFT_ALG_COLLECTIVE_BROADCAST_level_tree);
    call.kind = WEFT_PLAN_ALL_TO_ALL;
    /* few messages between nodes */
    ck_assert_int_eq(weft_coll_choose(&links, &call).best, WEFT_ALG_ALL_TO_ALL_level_exchange);
    call.kind = WEFT_PLAN_ALL_REDUCE, call.full_bytes = 1 << 28, call.p = 128, call.nodes = 4, call.packages = 64;
    links.at[WEFT_LINK_MACHINE] = links.at[WEFT_LINK_NETWORK] = (weft_link){ 1e-6, 1e9 };
    ck_assert_int_eq(weft_coll_choose(&links, &call).best, WEFT_ALG_ALL_REDUCE_level_chain); /* in order */
    call.sums = WEFT_SUMS_FAST, call.p = 32, call.nodes = 2, call.packages = 8;
    ck_assert_int_eq(weft_coll_choose(&links, &call).best, WEFT_ALG_ALL_REDUCE_split_rail);
    for (int i = 0; i < WEFT_LINK_COUNT; i++) links.at[i] = (weft_link){ 0, 1e300 };
    links.at[WEFT_LINK_MACHINE] = (weft_link){ 1e-6, 1e9 };
    links.reduce_bytes_per_s = links.copy_bytes_per_s = 1e300;
    /* 2 (4 - 1) + 2 (4 - 1) rounds within the nodes; 2 (4 - 1) / 16 of the tensor between packages. */
    ck_assert_double_eq_tol(weft_alg_time_s(&links, WEFT_ALG_ALL_REDUCE_split_rail, &call),
                            12 * 1.1e-6 + 0.375 * (1 << 28) / 1e9, 1e-9);
}
END_TEST

START_TEST(test_small_and_large) {
    weft_coll_call call = { .kind = WEFT_PLAN_ALL_REDUCE, .p = 8, .full_bytes = 256, .level = WEFT_LINK_CACHE,
                            .can = WEFT_NEEDS_SMALL | WEFT_NEEDS_PLACE | WEFT_NEEDS_STAGED };
    ck_assert_int_eq(weft_coll_choose(&weft_links_default, &call).best, WEFT_ALG_ALL_REDUCE_one_shot);
    call.full_bytes = 1 << 24;
    ck_assert_int_eq(weft_coll_choose(&weft_links_default, &call).best, WEFT_ALG_ALL_REDUCE_two_shot);
    call.can = WEFT_NEEDS_STAGED;
    ck_assert_int_eq(weft_coll_choose(&weft_links_default, &call).best, WEFT_ALG_ALL_REDUCE_windows);
}
END_TEST

int main(void) {
    Suite *s = suite_create("link");
    TCase *tc = tcase_create("link");
    tcase_add_loop_test(tc, test_wire, 0, WEFT_COUNT(wires));
    tcase_add_loop_test(tc, test_algorithm, 0, WEFT_ALG_COUNT);
    tcase_add_test(tc, test_packages);
    tcase_add_loop_test(tc, test_every_kind_has_one, 0, WEFT_PLAN_COLL_COUNT);
    tcase_add_test(tc, test_small_and_large);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
