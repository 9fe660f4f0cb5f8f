/* test_nodes.c: every collective, type, reduction, size, layout and algorithm between nodes of one rank and of several, as threads of one
 * process (loopback.h).
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/collectives/law.h"
#include "tests/collectives/loopback.h"
#include "tests/support/suite.h"

#define RANKS 12

static int run_nodes(const int *ranks, int nodes, const weft_world_options *opt, uint64_t seed, law_amount amount, law_ran *ran) {
    weft_context *cx = weft_context_new(NULL);
    loopback l;
    int n = 0;
    ck_assert_int_eq(loopback_open(cx, opt, ranks, nodes, &l), WEFT_OK);
    weft_world *each[RANKS];
    for (int i = 0; i < nodes; i++)
        for (int k = 0; k < ranks[i]; k++) each[n++] = l.world[i];
    int failed = law_run_threads(each, n, seed, amount, ran);
    loopback_close(&l);
    weft_context_free(cx);
    return failed;
}

static const struct { int nodes, ranks[LOOPBACK_NODES]; } places[] = {
    { 2, { 1, 1 } }, { 3, { 1, 1, 1 } }, { 2, { 2, 2 } }, { 3, { 3, 1, 2 } }, { 5, { 1, 1, 1, 1, 1 } }, { 2, { 3, 4 } }, { 8, { 1, 1, 1, 1, 1, 1, 1, 1 } },
};
/* NULL: by cost, in order; "fast": by cost, in any. */
static const char *const names[] = {
    NULL, "fast", "messages", "bruck", "ring", "segmented_ring", "doubling", "halving", "rabenseifner", "double_tree", "neighbour", "pairwise", "binomial",
    "dissemination", "hierarchical",
};

/* Each algorithm goes through the whole matrix, a part of it at each place, and at one of them through operands of several windows. */
START_TEST(test_law) {
    const char *name = names[(size_t)_i % WEFT_COUNT(names)];
    size_t place = (size_t)_i / WEFT_COUNT(names);
    uint64_t seed = law_seed(20261122) + place;
    char text[64] = "";
    int fast = name && !strcmp(name, "fast");
    if (name && !fast) snprintf(text, sizeof text, "*=%s", name);
    weft_world_options opt = { .fast = fast, .algorithms = text, .timeout_s = 60 };
    law_amount amount = { (long)place, WEFT_COUNT(places), place == 3 ? 3 : 0, 100, 4 };
    law_ran ran = { 0 };
    fprintf(stderr, "%d nodes from %d and %d ranks on, %s, WEFT_SEED=%llu\n", places[place].nodes, places[place].ranks[0], places[place].ranks[1],
            name ? name : "by cost", (unsigned long long)seed);
    ck_assert_int_eq(run_nodes(places[place].ranks, places[place].nodes, &opt, seed, amount, &ran), 0);
    for (weft_alg_id a = 0; *text && a < WEFT_ALG_COUNT; a++)
        ck_assert_msg(ran.alg[a] || !law_forces(text, a) || !(weft_alg_table[a].needs & WEFT_NEEDS_MESSAGES), "no %s has gone by %s",
                      weft_coll_kind_name(weft_alg_table[a].kind), weft_alg_table[a].name);
}
END_TEST

/* One rank calls something else, or one does not come: whoever waits for its messages hears of it. */
typedef struct culprit { weft_world *world; int rank, wrong; const char *told; } culprit;

static void *differ(void *p) {
    culprit *a = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *c;
    float x[8] = { 0 }, y[64];
    weft_coll_buf b = { x, y, WEFT_F32, 1, 1, 8 }, small = { x, y, WEFT_F32, 1, 1, 4 };
    ck_assert_int_eq(weft_comm_world(cx, a->world, a->rank, &c), WEFT_OK);
    weft_status st = weft_coll_all_gather(c, a->wrong ? &small : &b, 1, NULL);
    ck_assert_int_eq(st, WEFT_ERR_PEER);
    ck_assert_msg(strstr(weft_context_diag(cx, 0)->message, a->told) != NULL, "%s", weft_context_diag(cx, 0)->message);
    weft_comm_free(c);
    weft_context_free(cx);
    return NULL;
}

START_TEST(test_who_differs_is_named) {
    static const char *const by[] = { "ring", "bruck", "doubling", "neighbour" };
    weft_context *cx = weft_context_new(NULL);
    loopback l;
    char text[64];
    pthread_t threads[5];
    culprit seats[5];
    snprintf(text, sizeof text, "*=%s", by[_i]);
    weft_world_options opt = { .algorithms = text, .timeout_s = 20 };
    ck_assert_int_eq(loopback_open(cx, &opt, (int[]){ 1, 1, 1, 1, 1 }, 5, &l), WEFT_OK);
    for (int i = 0; i < 5; i++) {
        seats[i] = (culprit){ l.world[i], i, i == 3, "of 4 x f32" };
        pthread_create(&threads[i], NULL, differ, &seats[i]);
    }
    for (int i = 0; i < 5; i++) pthread_join(threads[i], NULL);
    loopback_close(&l);
    weft_context_free(cx);
}
END_TEST

/* All orders but the nodes' are left out unless they are let in; then they may win. */
START_TEST(test_fast_is_asked_for) {
    weft_coll_call call = { .kind = WEFT_PLAN_ALL_REDUCE, .p = 16, .full_bytes = 4096, .level = WEFT_LINK_NETWORK, .can = WEFT_NEEDS_MESSAGES };
    weft_links links = weft_links_default;
    links.at[WEFT_LINK_NETWORK] = (weft_link){ 1e-6, 1e9 };
    for (int64_t n = 1; n < 1 << 28; n *= 4) {
        call.full_bytes = n;
        call.sums = WEFT_SUMS_IN_ORDER;
        weft_coll_choice c = weft_coll_choose(&links, &call);
        ck_assert(weft_alg_table[c.best].order <= WEFT_SUM_NODES && weft_alg_table[c.second].order <= WEFT_SUM_NODES);
        call.sums = WEFT_SUMS_FAST;
        weft_coll_choice fast = weft_coll_choose(&links, &call);
        ck_assert_double_le(fast.best_s, c.best_s);
    }
    call.full_bytes = 256;
    ck_assert_int_gt(weft_alg_table[weft_coll_choose(&links, &call).best].order, WEFT_SUM_NODES);
}
END_TEST

int main(void) {
    Suite *s = suite_create("nodes");
    TCase *laws = tcase_create("laws"), *tc = tcase_create("nodes");
    tcase_set_timeout(laws, 240);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(laws, test_law, 0, (int)(WEFT_COUNT(places) * WEFT_COUNT(names)));
    tcase_add_loop_test(tc, test_who_differs_is_named, 0, 4);
    tcase_add_test(tc, test_fast_is_asked_for);
    suite_add_tcase(s, laws);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
