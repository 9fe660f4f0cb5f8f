/* test_nodes.c: every collective, type, reduction, size, layout and algorithm between nodes of one rank and of several,
 * as threads of one process (loopback.h). WEFT_ONLY=TEXT: only algorithms whose names contain it.
 */
#include <check.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/collectives/latecomer.h"
#include "tests/collectives/law.h"
#include "tests/collectives/loopback.h"
#include "tests/support/suite.h"

#define RANKS 12
/* Cells of the matrix for each algorithm at each place (0: all), which of the large cases, and at which places. The
 * build without sanitizers runs each algorithm at all places and through the whole matrix. With sanitizers a part of
 * the cells is enough to reach all code of an algorithm, and all places only in ./check long. */
#ifdef WEFT_SANITIZERS
#define MOST 300
#define LARGE 9
#define EVERY (weft_test_long(1) > 1 ? 1 : 2)
#else
#define MOST 0
#define LARGE 3
#define EVERY 1
#endif

static int run_nodes(const int *ranks, int nodes, const weft_world_options *opt, uint64_t seed, law_amount amount,
                     law_ran *ran) {
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

/* Ranks of each node, and the packages that these are in: as many on each or not, and following the ranks or not. */
static const struct { int nodes, ranks[LOOPBACK_NODES]; const char *package; } places[] = {
    { 2, { 1, 1 }, "" },           { 3, { 1, 1, 1 }, "" },          { 2, { 2, 2 }, "" },                         { 3, { 3, 1, 2 }, "a,b,b" },
    { 5, { 1, 1, 1, 1, 1 }, "" },  { 2, { 3, 4 }, "left,right" },   { 8, { 1, 1, 1, 1, 1, 1, 1, 1 }, "" },       { 2, { 6, 5 }, "a,a,b,b,c,c" },
    { 2, { 4, 4 }, "a,a,b,b" },
};
/* "by cost": in order; "fast": by cost, in any; then every algorithm there is between nodes. */
static int names_of(const char *names[2 + WEFT_ALG_COUNT]) {
    names[0] = "by cost", names[1] = "fast";
    return 2 + law_names(WEFT_NEEDS_MESSAGES, names + 2);
}

/* Each algorithm goes through the whole matrix, a part of it at each place, and at one of them through operands of
 * several windows. */
START_TEST(test_law) {
    const char *names[2 + WEFT_ALG_COUNT];
    int count = names_of(names), which = _i % count;
    const char *name = names[which];
    size_t place = (size_t)(_i / count);
    uint64_t seed = law_seed(20261122) + place;
    char text[64] = "";
    int fast = which == 1;
    if (!weft_test_wanted(name) || (place + (size_t)which) % EVERY) return;
    if (which > 1) snprintf(text, sizeof text, "*=%s", name);
    weft_world_options opt = { .fast = fast, .algorithms = text, .timeout_s = 60, .package = places[place].package };
    law_amount amount = { (long)place, WEFT_COUNT(places), place == 3 ? LARGE : 0, 100, weft_test_long(MOST) };
    law_ran ran = { 0 };
    fprintf(stderr, "%d nodes from %d and %d ranks on, packages '%s', %s, WEFT_SEED=%llu\n", places[place].nodes,
            places[place].ranks[0], places[place].ranks[1], places[place].package, name, (unsigned long long)seed);
    ck_assert_int_eq(run_nodes(places[place].ranks, places[place].nodes, &opt, seed, amount, &ran), 0);
    for (weft_alg_id a = 0; *text && a < WEFT_ALG_COUNT; a++)
        ck_assert_msg(ran.alg[a] || !law_forces(text, a) || !(weft_alg_table[a].needs & WEFT_NEEDS_MESSAGES),
                      "no %s has gone by %s", weft_coll_kind_name(weft_alg_table[a].kind), weft_alg_table[a].name);
}
END_TEST

/* One rank makes another call, or does not arrive: a rank that waits for its messages learns of it. */
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

/* --- calls made again --------------------------------------------------------------------------------------------- */

/* Three nodes of one rank; so often that some calls are compared again. */
START_TEST(test_who_waits_for_whom) {
    static const latecomer cases[] = {
        { WEFT_PLAN_COLLECTIVE_BROADCAST, 0, 1, -1 }, { WEFT_PLAN_COLLECTIVE_BROADCAST, 2, 0, -1 }, { WEFT_PLAN_SCATTER, 1, 2, -1 },
        { WEFT_PLAN_GATHER, 0, 0, -1 }, { WEFT_PLAN_GATHER, 2, 2, -1 }, { WEFT_PLAN_REDUCE, 0, 0, -1 }, { WEFT_PLAN_COLLECTIVE_BROADCAST, 0, 1, 1 },
    };
    weft_context *cx = weft_context_new(NULL);
    weft_world_options opt = { .algorithms = "reduce=flat,*=messages", .check = cases[_i].check, .timeout_s = 30 };
    loopback l;
    ck_assert_int_eq(loopback_open(cx, &opt, (int[]){ 1, 1, 1 }, LATECOMERS, &l), WEFT_OK);
    latecomer_run(l.world, cases[_i], 70);
    loopback_close(&l);
    weft_context_free(cx);
}
END_TEST

/* One rank comes to a known call with another size: what was sent is not taken for what it expects. */
static void *shrink(void *p) {
    culprit *a = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *c;
    float x[8] = { 1, 1, 1, 1, 1, 1, 1, 1 }, y[8] = { 0 };
    weft_coll_buf b = { x, y, WEFT_F32, 1, 1, 8 }, small = { x, y, WEFT_F32, 1, 1, 4 };
    ck_assert_int_eq(weft_comm_world(cx, a->world, a->rank, &c), WEFT_OK);
    for (int i = 0; i < 10; i++) ck_assert_int_eq(weft_coll_broadcast(c, i % 2, i & 4 ? &small : &b, 1, NULL), WEFT_OK);
    memset(y, 0, sizeof y);
    weft_status st = weft_coll_broadcast(c, 0, a->wrong ? &small : &b, 1, NULL);
    if (a->rank == 0 && st == WEFT_OK) st = weft_coll_barrier(c, NULL);
    ck_assert_int_eq(st, WEFT_ERR_PEER);
    if (a->rank)
        ck_assert_msg(strstr(weft_context_diag(cx, 0)->message, a->told) != NULL, "%s",
                      weft_context_diag(cx, 0)->message);
    if (a->rank) ck_assert_float_eq(y[0], 0);
    weft_comm_free(c);
    weft_context_free(cx);
    return NULL;
}

START_TEST(test_known_calls_that_differ) {
    weft_context *cx = weft_context_new(NULL);
    weft_world_options opt = { .timeout_s = 1 };
    loopback l;
    pthread_t threads[2];
    culprit seats[2];
    ck_assert_int_eq(loopback_open(cx, &opt, (int[]){ 1, 1 }, 2, &l), WEFT_OK);
    for (int i = 0; i < 2; i++) {
        seats[i] = (culprit){ l.world[i], i, i == 1, "collective_broadcast, call 11 of 16 B: waited 1 s for rank " };
        pthread_create(&threads[i], NULL, shrink, &seats[i]);
    }
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    loopback_close(&l);
    weft_context_free(cx);
}
END_TEST

/* --- memory for messages ------------------------------------------------------------------------------------------ */

/* Counts what a world draws; from some request on it has nothing more. */
typedef struct counter {
    _Atomic long drawn, live, left;
    long later;         /* what is left for a test's second call */
} counter;

static void *count_and_resize(void *user, void *p, size_t old_bytes, size_t new_bytes) {
    counter *n = user;
    if (new_bytes > old_bytes && atomic_fetch_sub(&n->left, 1) <= 0) return NULL;
    if (new_bytes > old_bytes) atomic_fetch_add(&n->drawn, 1);
    atomic_fetch_add(&n->live, (new_bytes != 0) - (p != NULL));
    void *q = new_bytes ? realloc(p, new_bytes) : NULL;
    if (!new_bytes) free(p);
    ck_assert(q || !new_bytes);
    return q;
}

enum { SEATS = 4, ELEMS = 100000 };

typedef struct guest guest;
struct guest {
    weft_world *world;
    counter *memory;
    pthread_barrier_t *together;
    int rank;
    void (*calls)(const guest *g, weft_context *cx, weft_comm *c);
};

static void *be_guest(void *p) {
    const guest *g = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *c;
    ck_assert_int_eq(weft_comm_world(cx, g->world, g->rank, &c), WEFT_OK);
    g->calls(g, cx, c);
    weft_comm_free(c);
    weft_context_free(cx);
    return NULL;
}

/* Two nodes of two ranks, whose memory is counted; afterwards nothing of it is left. */
static void run_guests(void (*calls)(const guest *g, weft_context *cx, weft_comm *c), const char *algorithms,
                       counter *memory) {
    weft_context *cx = weft_context_new(&(weft_allocator){ count_and_resize, memory });
    weft_world_options opt = { .algorithms = algorithms, .timeout_s = 30, .progress = -1 };
    loopback l;
    guest guests[SEATS];
    pthread_t threads[SEATS];
    pthread_barrier_t together;
    pthread_barrier_init(&together, NULL, SEATS);
    ck_assert_int_eq(loopback_open(cx, &opt, (int[]){ 2, 2 }, 2, &l), WEFT_OK);
    for (int i = 0; i < SEATS; i++) {
        guests[i] = (guest){ l.world[i / 2], memory, &together, i, calls };
        ck_assert_int_eq(pthread_create(&threads[i], NULL, be_guest, &guests[i]), 0);
    }
    for (int i = 0; i < SEATS; i++) pthread_join(threads[i], NULL);
    loopback_close(&l);
    weft_context_free(cx);
    pthread_barrier_destroy(&together);
    ck_assert_int_eq(atomic_load(&memory->live), 0);
}

static weft_coll_buf buf_of(const guest *g, int64_t n) {
    weft_coll_buf b = { malloc(ELEMS * sizeof(float)), malloc(ELEMS * sizeof(float)), WEFT_F32, 1, 1, n };
    for (int i = 0; i < ELEMS; i++) ((float *)(uintptr_t)b.in)[i] = (float)(g->rank + 1);
    return b;
}

static void free_buf(weft_coll_buf b) { free((void *)(uintptr_t)b.in), free(b.out); }

static void check_sum(const weft_coll_buf *b, int ranks_sum) {
    int64_t i = 0;
    while (i < b->inner && ((const float *)b->out)[i] == (float)ranks_sum) i++;
    ck_assert_int_eq(i, b->inner);
}

/* What the longest call drew does for all that follow. */
static void call_again(const guest *g, weft_context *cx, weft_comm *c) {
    static const int64_t sizes[] = { ELEMS, 1, 4000, ELEMS, 17 };
    weft_coll_buf b = buf_of(g, 0);
    long before = 0;
    (void)cx;
    for (size_t i = 0; i < WEFT_COUNT(sizes); i++) {
        b.inner = sizes[i];
        ck_assert_int_eq(weft_coll_all_reduce(c, WEFT_SUM, &b, 1, NULL), WEFT_OK);
        check_sum(&b, 10);
        ck_assert_int_eq(weft_coll_barrier(c, NULL), WEFT_OK);
        pthread_barrier_wait(g->together);
        if (i == 0) before = atomic_load(&g->memory->drawn);
        ck_assert_int_eq(atomic_load(&g->memory->drawn), before);
        pthread_barrier_wait(g->together);
    }
    free_buf(b);
}

START_TEST(test_memory_is_kept_for_the_next_call) {
    static const char *const by[] = { "messages", "hierarchical", "ring", "doubling", "bruck" };
    counter memory = { .left = 1 << 30 };
    char text[64];
    snprintf(text, sizeof text, "all_reduce=%s", by[_i]);
    run_guests(call_again, text, &memory);
}
END_TEST

/* Calls that are under way at once have memory of their own, on groups that overlap and on one. */
static void call_at_once(const guest *g, weft_context *cx, weft_comm *c) {
    weft_coll_buf b[3] = { buf_of(g, ELEMS), buf_of(g, 1000), buf_of(g, ELEMS) };
    weft_comm *pair;
    ck_assert_int_eq(weft_comm_group(cx, c, (int[]){ g->rank & 1, g->rank | 2 }, 2, &pair), WEFT_OK);
    for (int round = 0; round < 4; round++) {
        weft_coll_request *r[3];
        pthread_barrier_wait(g->together);
        long before = atomic_load(&g->memory->drawn);
        pthread_barrier_wait(g->together);
        for (int i = 0; i < 3; i++) {
            memset(b[i].out, 0, ELEMS * sizeof(float));
            ck_assert_int_eq(weft_coll_start_all_reduce(i == 2 ? pair : c, WEFT_SUM, &b[i], 1, NULL, &r[i]), WEFT_OK);
        }
        for (int i = 0; i < 3; i++) ck_assert_int_eq(weft_coll_wait(r[(i + g->rank) % 3]), WEFT_OK);
        check_sum(&b[0], 10);
        check_sum(&b[1], 10);
        check_sum(&b[2], 2 * (g->rank & 1) + 4);
        pthread_barrier_wait(g->together);
        if (round) ck_assert_int_eq(atomic_load(&g->memory->drawn) - before, 3 * SEATS); /* the requests */
    }
    weft_comm_free(pair);
    for (int i = 0; i < 3; i++) free_buf(b[i]);
}

START_TEST(test_calls_at_once_have_their_own) {
    counter memory = { .left = 1 << 30 };
    run_guests(call_at_once, _i ? "all_reduce=ring" : "all_reduce=messages", &memory);
}
END_TEST

/* The first call has drawn little, the second one has to draw more. A rank that cannot says so, and the others hear of
 * it. */
#define DRAWN_AGAIN (2 * SEATS) /* what comes and what goes, of each rank */

static void call_with_less(const guest *g, weft_context *cx, weft_comm *c) {
    weft_coll_buf b = buf_of(g, 1);
    ck_assert_int_eq(weft_coll_all_reduce(c, WEFT_SUM, &b, 1, NULL), WEFT_OK);
    pthread_barrier_wait(g->together);
    atomic_store(&g->memory->left, g->memory->later);
    pthread_barrier_wait(g->together);
    b.inner = ELEMS;
    weft_status st = weft_coll_all_reduce(c, WEFT_SUM, &b, 1, NULL);
    ck_assert_int_eq(st, g->memory->later < DRAWN_AGAIN ? WEFT_ERR_PEER : WEFT_OK);
    if (st == WEFT_OK) check_sum(&b, 10);
    else
        ck_assert_msg(strstr(weft_context_diag(cx, 0)->message, "no memory left for messages") != NULL, "%s",
                      weft_context_diag(cx, 0)->message);
    free_buf(b);
}

START_TEST(test_memory_that_is_out_is_told) {
    counter memory = { .left = 1 << 30, .later = _i };
    run_guests(call_with_less, "all_reduce=ring", &memory);
}
END_TEST

/* All orders but the nodes' are left out unless they are let in; then they may win. */
START_TEST(test_fast_is_asked_for) {
    weft_coll_call call = { .kind = WEFT_PLAN_ALL_REDUCE, .p = 16, .full_bytes = 4096, .level = WEFT_LINK_NETWORK,
                            .can = WEFT_NEEDS_MESSAGES };
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
    const char *names[2 + WEFT_ALG_COUNT];
    tcase_add_loop_test(laws, test_law, 0, (int)WEFT_COUNT(places) * names_of(names));
    tcase_add_loop_test(tc, test_who_differs_is_named, 0, 4);
    tcase_add_test(tc, test_fast_is_asked_for);
    tcase_add_loop_test(tc, test_who_waits_for_whom, 0, 7);
    tcase_add_test(tc, test_known_calls_that_differ);
    tcase_add_loop_test(tc, test_memory_is_kept_for_the_next_call, 0, 5);
    tcase_add_loop_test(tc, test_calls_at_once_have_their_own, 0, 2);
    tcase_add_loop_test(tc, test_memory_that_is_out_is_told, 0, DRAWN_AGAIN + 1);
    suite_add_tcase(s, laws);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
