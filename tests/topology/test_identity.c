/* test_identity.c: names for machines, and the places of processes on them. */
#include "base/context.h"
#include "tests/support/suite.h"
#include "topology/topology.h"

static weft_context *cx;
static void begin(void) { cx = weft_context_new(NULL); }
static void end(void) { weft_context_free(cx); }

/* Machines of different make have different names, the same one always the same. */
START_TEST(test_hash) {
    static const char *const machines[] = { "package:2 core:4 pu:1", "package:1 core:8 pu:1", "package:2 core:4 pu:2",
                                            "package:2 l3:1 core:4 pu:1", "package:2 numa:2 core:4 pu:1" };
    uint64_t hashes[WEFT_COUNT(machines)];
    for (size_t i = 0; i < WEFT_COUNT(machines); i++) {
        weft_topology *one, *two;
        char words[100];
        ck_assert_int_eq(weft_topology_from_synthetic(cx, machines[i], &one), WEFT_OK);
        ck_assert_int_eq(weft_topology_from_synthetic(cx, machines[i], &two), WEFT_OK);
        hashes[i] = weft_topology_hash(one);
        ck_assert_uint_eq(weft_topology_hash(two), hashes[i]);
        for (size_t k = 0; k < i; k++) ck_assert_uint_ne(hashes[k], hashes[i]);
        weft_topology_words(one, words, sizeof words);
        ck_assert_ptr_nonnull(strstr(words, "core"));
        weft_topology_free(one);
        weft_topology_free(two);
    }
}
END_TEST

/* --- seats -------------------------------------------------------------------------------------------------------- */

static const struct { weft_locality a, b; weft_link_level level; } seats[] = {
    { { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, WEFT_LINK_CORE },    { { 0, 0, 0, 0 }, { 1, 0, 0, 0 }, WEFT_LINK_CACHE },   { { 0, 0, 0, 0 }, { 4, 1, 0, 0 }, WEFT_LINK_NUMA },
    { { 0, 0, 0, 0 }, { 8, 2, 1, 0 }, WEFT_LINK_PACKAGE }, { { 0, 0, 0, 0 }, { 16, 4, 2, 1 }, WEFT_LINK_MACHINE }, { { -1, 0, 0, 0 }, { -1, 0, 0, 0 }, WEFT_LINK_CACHE },
    { { -1, -1, 0, 0 }, { -1, -1, 0, 0 }, WEFT_LINK_NUMA }, { { -1, -1, -1, -1 }, { 3, 0, 0, 0 }, WEFT_LINK_MACHINE },
};

START_TEST(test_seat) {
    ck_assert_int_eq(weft_locality_level(&seats[_i].a, &seats[_i].b), seats[_i].level);
    ck_assert_int_eq(weft_locality_level(&seats[_i].b, &seats[_i].a), seats[_i].level);
    weft_locality unknown = weft_locality_unknown;
    ck_assert(weft_locality_is_unknown(&unknown));
    ck_assert(!weft_locality_is_unknown(&seats[_i].a));
}
END_TEST

/* This process, which the system has put somewhere. */
START_TEST(test_here) {
    weft_topology *here;
    ck_assert_int_eq(weft_topology_discover_with(cx, WEFT_TOPOLOGY_UNBOUND, &here), WEFT_OK);
    weft_locality s = weft_topology_locality(here);
    if (!weft_locality_is_unknown(&s)) ck_assert_int_le(weft_locality_level(&s, &s), WEFT_LINK_MACHINE);
    int core = weft_topology_core_here(here);
    ck_assert_int_ge(core, 0);
    ck_assert_int_lt(core, weft_topology_cores(here));
    weft_topology_free(here);
}
END_TEST

int main(void) {
    Suite *s = suite_create("topology/identity");
    TCase *tc = tcase_create("identity");
    tcase_add_checked_fixture(tc, begin, end);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, test_hash);
    tcase_add_loop_test(tc, test_seat, 0, (int)WEFT_COUNT(seats));
    tcase_add_test(tc, test_here);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
