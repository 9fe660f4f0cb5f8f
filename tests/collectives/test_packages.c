/* test_packages.c: the package of each rank, from the cores of machines given as synthetic strings; and the caches that
 * ranks use. */
#include <check.h>
#include <stdlib.h>
#include "collectives/world.h"
#include "tests/support/suite.h"

enum { PROCESSES = 4, RANKS = 16 };

/* Processes with their ranks, the node that each is on, and whether it has all of the machine; -1 for all: not told
 * apart. */
static const struct {
    const char *machine;
    int processes, local[PROCESSES], node[PROCESSES], part, package[RANKS];
} cases[] = {
    { "package:2 core:4 pu:2", 1, { 8 }, { 0 }, 0, { 0, 0, 0, 0, 1, 1, 1, 1 } },
    { "package:2 core:4 pu:2", 1, { 3 }, { 0 }, 0, { 0, 0, 1 } },
    { "package:2 core:2 pu:1", 1, { 6 }, { 0 }, 0, { 0, 0, 0, 1, 1, 1 } },
    { "package:2 core:4 pu:1", 2, { 2, 6 }, { 0, 0 }, 0, { 0, 0, 0, 0, 1, 1, 1, 1 } },
    /* 4 and 5 ranks on nodes */
    { "package:2 core:4 pu:1", 4, { 2, 4, 2, 1 }, { 0, 1, 0, 1 }, 0, { 0, 0, 0, 0, 0, 1, 1, 1, 1 } },
    { "package:2 core:4 pu:1", 2, { 2, 2 }, { 0, 0 }, 1, { 0, 1, 0, 1 } }, /* each has such a part of its own */
    { "package:4 core:1 pu:1", 2, { 4, 2 }, { 0, 1 }, 0, { 0, 1, 2, 3, 0, 2 } },
    { "core:4 pu:1", 1, { 4 }, { 0 }, 0, { -1, -1, -1, -1 } },
    { "package:20 core:1 pu:1", 1, { 2 }, { 0 }, 0, { -1, -1 } },
};

START_TEST(test_by_cores) {
    weft_context *cx = weft_context_new(NULL);
    weft_topology *t;
    weft_world *w;
    weft_world_options opt = { .local_ranks = 1, .package = "" };
    weft_process_card cards[PROCESSES];
    int first[PROCESSES] = { 0 };
    ck_assert_int_eq(weft_topology_from_synthetic(cx, cases[_i].machine, &t), WEFT_OK);
    for (int p = 0; p < cases[_i].processes; p++) {
        cards[p] = weft_world_card(&opt);
        cards[p].local = cases[_i].local[p];
        while (cases[_i].node[first[p]] != cases[_i].node[p]) first[p]++;
        cards[p].node = first[p];
        weft_packages_by_cores(t, &cards[p]);
        if (cases[_i].part) cards[p].shares_cores = 0;
    }
    for (int p = 0; p < cases[_i].processes; p++) { /* all find the same */
        ck_assert_int_eq(weft_world_lay_out(cx, &opt, cards, p, cases[_i].processes, &w), WEFT_OK);
        for (int r = 0; r < w->size; r++) ck_assert_int_eq(w->package_of[r], cases[_i].package[r]);
        weft_world_free(w);
    }
    weft_topology_free(t);
    weft_context_free(cx);
}
END_TEST

/* Names come before what the machine says, and one rank that runs anywhere is not looked for. */
START_TEST(test_names) {
    weft_process_card card = { .local = 4 };
    unsetenv("WEFT_PACKAGE");
    weft_packages_tell(&(weft_world_options){ .local_ranks = 4, .package = "left,right" }, &card);
    ck_assert(card.packages == 2 && !card.cores && card.package[0] != card.package[1]);
    card = (weft_process_card){ .local = 1 };
    weft_packages_tell(&(weft_world_options){ .local_ranks = 1 }, &card); /* of no processor that anybody knows of */
    ck_assert(card.packages == 1 && !card.cores && (int)card.package[0] == -1);
    card = (weft_process_card){ .local = 4 };
    weft_packages_tell(&(weft_world_options){ .local_ranks = 4 }, &card); /* then hwloc says */
    ck_assert_int_ge(card.packages, 1);
    ck_assert(card.cores > 0 ? card.core_end[card.packages - 1] == card.cores : (int)card.package[0] == -1);
}
END_TEST

/* The threshold for bypassing the caches decides which rank copies what: ranks of one machine decide alike, whichever
 * caches their own processors have. */
START_TEST(test_caches) {
    weft_context *cx = weft_context_new(NULL);
    weft_world_options opt = { .local_ranks = 1 };
    weft_process_card cards[3];
    size_t bytes[3];
    for (int p = 0; p < 3; p++) {
        weft_world *w;
        for (int q = 0; q < 3; q++) {
            cards[q] = weft_world_card(&opt);
            cards[q].node = 0;
            cards[q].cache_cpus = 1;
            cards[q].cache_bytes = (uint64_t)(q == 1 ? 16 : 96) << 20;
        }
        ck_assert_int_eq(weft_world_lay_out(cx, &opt, cards, p, 3, &w), WEFT_OK);
        bytes[p] = w->cached_bytes;
        weft_world_free(w);
    }
    ck_assert_uint_eq(bytes[0], bytes[1]);
    ck_assert_uint_eq(bytes[0], bytes[2]);
    ck_assert_uint_le(bytes[0], 4 << 20);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("packages");
    TCase *tc = tcase_create("packages");
    tcase_add_loop_test(tc, test_by_cores, 0, (int)WEFT_COUNT(cases));
    tcase_add_test(tc, test_names);
    tcase_add_test(tc, test_caches);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
