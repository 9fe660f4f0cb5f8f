/* test_coll.c: every collective, type, reduction, size, layout and algorithm among threads of one process. */
#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "collectives/comm.h"
#include "tests/collectives/latecomer.h"
#include "tests/collectives/law.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

#define MOST_RANKS 8

static int run_threads(int ranks, const char *algorithms, uint64_t seed, law_amount amount, law_ran *ran) {
    weft_context *cx = weft_context_new(NULL);
    weft_world *w, *each[MOST_RANKS];
    weft_world_options opt = { .local_ranks = ranks, .algorithms = algorithms };
    ck_assert_int_eq(weft_world_create_threads(cx, &opt, &w), WEFT_OK);
    /* so that large cases go past the caches, however large this machine's are */
    if (algorithms) w->cached_bytes = 1 << 20;
    for (int i = 0; i < ranks; i++) each[i] = w;
    int failed = law_run_threads(each, ranks, seed, amount, ran);
    weft_world_free(w);
    weft_context_free(cx);
    return failed;
}

static const struct { int ranks; const char *algorithms; law_amount amount; } worlds[] = {
    { 1, NULL, { 0, 5, 0, 200, 0 } },
    /* Together the whole matrix. */
    { 2, NULL, { 0, 4, 1, 200, 0 } }, { 3, NULL, { 1, 4, 0, 200, 0 } }, { 4, NULL, { 2, 4, 3, 200, 0 } }, { 8, NULL, { 3, 4, 0, 200, 0 } },
    /* The whole matrix of each algorithm. */
    { 2, "*=small,*=one_shot", { 0, 2, 0, 200, 0 } }, { 5, "*=small,*=one_shot", { 1, 2, 0, 200, 0 } },
    { 2, "*=place,*=two_shot", { 0, 2, 1, 200, 0 } }, { 5, "*=place,*=two_shot", { 1, 2, 0, 200, 0 } },
    { 3, "*=place,*=two_shot,stream=1", { 0, 4, 0, 200, 0 } }, /* stores that bypass the caches, of any size */
    { 2, "*=windows", { 0, 2, 1, 200, 0 } },          { 5, "*=windows", { 1, 2, 2, 200, 0 } },
};

START_TEST(test_law) {
    uint64_t seed = law_seed(20261121);
    law_ran ran = { 0 };
    const char *algorithms = worlds[_i].algorithms;
    fprintf(stderr, "%d ranks, algorithms %s, WEFT_SEED=%llu\n", worlds[_i].ranks, algorithms ? algorithms : "by cost",
            (unsigned long long)seed);
    ck_assert_int_eq(run_threads(worlds[_i].ranks, algorithms, seed, worlds[_i].amount, &ran), 0);
    for (weft_alg_id a = 0; algorithms && a < WEFT_ALG_COUNT; a++)
        ck_assert_msg(ran.alg[a] || !law_forces(algorithms, a), "no %s has gone by %s",
                      weft_coll_kind_name(weft_alg_table[a].kind), weft_alg_table[a].name);
}
END_TEST

/* The sum of one input has the same bits whatever the algorithm, the size of the call and the place. */
typedef struct sums { weft_world *world; int rank; float *out; } sums;

static void *sum_ways(void *p) {
    sums *s = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *c;
    enum { N = 5000 };
    float *in = malloc(N * sizeof *in), *one = malloc(N * sizeof *one);
    uint64_t state = 99 + (uint64_t)s->rank;
    ck_assert_int_eq(weft_comm_world(cx, s->world, s->rank, &c), WEFT_OK);
    for (int i = 0; i < N; i++) in[i] = (float)(int32_t)law_random(&state) * (float)(1 << (law_random(&state) % 20));
    weft_coll_buf whole = { in, s->out, WEFT_F32, 1, 1, N };
    ck_assert_int_eq(weft_coll_all_reduce(c, WEFT_SUM, &whole, 1, NULL), WEFT_OK);
    for (int at = 0, n = 1; at < N; at += n, n = n * 3 + 1) { /* in pieces of growing size, in place */
        if (n > N - at) n = N - at;
        memcpy(one + at, in + at, (size_t)n * sizeof *one);
        weft_coll_buf part = { one + at, one + at, WEFT_F32, 1, 1, n };
        ck_assert_int_eq(weft_coll_all_reduce(c, WEFT_SUM, &part, 1, NULL), WEFT_OK);
    }
    ck_assert_mem_eq(one, s->out, N * sizeof *one);
    free(in);
    free(one);
    weft_comm_free(c);
    weft_context_free(cx);
    return NULL;
}

START_TEST(test_bits_do_not_depend_on_the_algorithm) {
    static const char *const ways[] = { NULL, "all_reduce=two_shot", "all_reduce=windows" };
    enum { P = 4, N = 5000 };
    float *first = malloc(N * sizeof *first);
    for (size_t k = 0; k < WEFT_COUNT(ways); k++) {
        weft_context *cx = weft_context_new(NULL);
        weft_world *w;
        weft_world_options opt = { .local_ranks = P, .algorithms = ways[k] };
        pthread_t threads[P];
        sums s[P];
        ck_assert_int_eq(weft_world_create_threads(cx, &opt, &w), WEFT_OK);
        for (int i = 0; i < P; i++) {
            s[i] = (sums){ w, i, malloc(N * sizeof(float)) };
            pthread_create(&threads[i], NULL, sum_ways, &s[i]);
        }
        for (int i = 0; i < P; i++) {
            pthread_join(threads[i], NULL);
            if (k == 0 && i == 0) memcpy(first, s[i].out, N * sizeof *first);
            ck_assert_mem_eq(first, s[i].out, N * sizeof *first);
            free(s[i].out);
        }
        weft_world_free(w);
        weft_context_free(cx);
    }
    free(first);
}
END_TEST

START_TEST(test_counts_follow_the_formulas) {
    weft_context *cx = weft_context_new(NULL);
    weft_world *w;
    weft_comm *c;
    weft_world_options opt = { .local_ranks = 1 };
    ck_assert_int_eq(weft_world_create_threads(cx, &opt, &w), WEFT_OK);
    ck_assert_int_eq(weft_comm_world(cx, w, 0, &c), WEFT_OK);
    float x[8] = { 1 }, y[8];
    weft_coll_buf b = { x, y, weft_coll_type("f32"), 1, 1, 8 };
    ck_assert_int_eq(weft_coll_all_reduce(c, WEFT_SUM, &b, 1, NULL), WEFT_OK);
    ck_assert_int_eq(weft_coll_barrier(c, NULL), WEFT_OK);
    ck_assert_uint_eq(weft_comm_counts(c).calls, 1);
    ck_assert_uint_eq(weft_comm_counts(c).wire_bytes, 0); /* alone */
    ck_assert_mem_eq(x, y, sizeof x);
    weft_comm_free(c);
    weft_world_free(w);
    weft_context_free(cx);
}
END_TEST

START_TEST(test_senseless_calls_are_refused) {
    weft_context *cx = weft_context_new(NULL);
    weft_world *w;
    weft_comm *c, *g;
    weft_world_options opt = { .local_ranks = 2 }, bad = { .local_ranks = 0 },
                       odd = { .local_ranks = 1, .algorithms = "all_reduce=magic" };
    ck_assert_int_eq(weft_world_create_threads(cx, &bad, &w), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_world_create_threads(cx, &odd, &w), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_world_create_threads(cx, &(weft_world_options){ .local_ranks = 2, .transport = "pigeon" },
                                               &w),
                     WEFT_ERR_USAGE);
    ck_assert_ptr_null(w);
    ck_assert_int_eq(weft_world_create_threads(cx, &opt, &w), WEFT_OK);
    ck_assert_int_eq(weft_comm_world(cx, w, 2, &c), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_comm_world(cx, w, 0, &c), WEFT_OK);
    ck_assert_int_eq(weft_comm_group(cx, c, (int[]){ 1 }, 1, &g), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_comm_group(cx, c, (int[]){ 0, 0 }, 2, &g), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_comm_group(cx, c, (int[]){ 0, 7 }, 2, &g), WEFT_ERR_USAGE);
    float x[2] = { 0 };
    weft_coll_buf none = { x, x, 0, 1, 1, 2 }, huge = { x, x, WEFT_F32, 1, 1, INT64_MAX / 2 },
                  f = { x, x, WEFT_F32, 1, 1, 2 };
    ck_assert_int_eq(weft_coll_all_reduce(c, WEFT_SUM, &none, 1, NULL), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_coll_all_reduce(c, WEFT_SUM, &huge, 1, NULL), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_coll_all_reduce(c, WEFT_XOR, &f, 1, NULL), WEFT_ERR_UNSUPPORTED);
    ck_assert_int_eq(weft_coll_permute(c, 2, 0, &f, 1, NULL), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_coll_broadcast(c, -1, &f, 1, NULL), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_coll_gather(c, 2, &f, 1, NULL), WEFT_ERR_USAGE);
    /* Overlaps that are not in place. */
    float y[8] = { 0 };
    weft_coll_buf shifted = { y, y + 1, WEFT_F32, 1, 1, 2 }, strided = { y + 2, y, WEFT_F32, 2, 1, 2 };
    ck_assert_int_eq(weft_coll_all_reduce(c, WEFT_SUM, &shifted, 1, NULL), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_coll_all_gather(c, &shifted, 1, NULL), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_coll_reduce_scatter(c, WEFT_SUM, &strided, 1, NULL), WEFT_ERR_USAGE);
    weft_coll_request *r = (weft_coll_request *)&f;
    ck_assert_int_eq(weft_coll_start_all_gather(c, &(weft_coll_buf){ y + 2, y, WEFT_F32, 1, 1, 2 }, 1, NULL, &r),
                     WEFT_ERR_USAGE);
    ck_assert_ptr_null(r);
    /* Counts that are missing, negative, or too large. */
    static const int64_t minus[] = { 1, -1 }, wide[] = { INT64_MAX / 2, INT64_MAX / 2 };
    weft_coll_uneven u = { x, y, WEFT_F32, NULL, NULL, NULL, NULL };
    ck_assert_int_eq(weft_coll_all_gather_uneven(c, &u, 1, NULL), WEFT_ERR_USAGE);
    /* An input that shares memory with a block of the output. */
    static const int64_t pair[] = { 2, 2 }, apart[] = { 1, 5 };
    weft_coll_uneven among = { y + 2, y, WEFT_F32, NULL, NULL, pair, apart };
    ck_assert_int_eq(weft_coll_all_gather_uneven(c, &among, 1, NULL), WEFT_ERR_USAGE);
    u.out_counts = minus;
    ck_assert_int_eq(weft_coll_all_gather_uneven(c, &u, 1, NULL), WEFT_ERR_USAGE);
    u.out_counts = wide;
    ck_assert_int_eq(weft_coll_start_gather_uneven(c, 0, &u, 1, NULL, &r), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_coll_all_to_all_uneven(c, &u, 1, NULL), WEFT_ERR_USAGE);
    ck_assert_uint_eq(weft_context_diag_count(cx), 22);
    weft_comm_free(c);
    weft_world_free(w);
    weft_context_free(cx);
}
END_TEST

/* A permute whose ends do not agree is an error on both, in words. */
typedef struct half { weft_world *world; int rank, source, target; const char *told; } half;

static void *permute_half(void *p) {
    half *h = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *c;
    float x = 1, y;
    weft_coll_buf b = { &x, &y, WEFT_F32, 1, 1, 1 };
    ck_assert_int_eq(weft_comm_world(cx, h->world, h->rank, &c), WEFT_OK);
    ck_assert_int_eq(weft_coll_permute(c, h->source, h->target, &b, 1, NULL), WEFT_ERR_PEER);
    ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 0)->message, h->told));
    weft_comm_free(c);
    weft_context_free(cx);
    return NULL;
}

/* In place, one block leaves from elsewhere than it arrives, by less than its length. */
START_TEST(test_alone_a_block_shifts) {
    weft_context *cx = weft_context_new(NULL);
    weft_world *w;
    weft_comm *c;
    weft_world_options opt = { .local_ranks = 1 };
    float x[1000];
    for (int i = 0; i < 1000; i++) x[i] = (float)i;
    ck_assert_int_eq(weft_world_create_threads(cx, &opt, &w), WEFT_OK);
    ck_assert_int_eq(weft_comm_world(cx, w, 0, &c), WEFT_OK);
    const int64_t count = 990, from = 3, to = 4;
    weft_coll_uneven u = { x, x, WEFT_F32, &count, &from, &count, &to };
    ck_assert_int_eq(weft_coll_all_to_all_uneven(c, &u, 1, NULL), WEFT_OK);
    for (int i = 0; i < 1000; i++) ck_assert_float_eq(x[i], (float)(i >= 4 && i < 994 ? i - 1 : i));
    weft_comm_free(c);
    weft_world_free(w);
    weft_context_free(cx);
}
END_TEST

/* In place, the last blocks leave from elsewhere than they arrive: the call is as fast as into another buffer, by the
 * same algorithm. */
enum { SHIFTING = 4, SHIFT = 100 };
typedef struct shifter { weft_world *world; int rank; pthread_t thread; char in_place[32], apart[32]; } shifter;

static int64_t shifted_count(int from, int to) { return from < 2 && to < 2 ? SHIFT : SHIFT / 2 + 10 * from + to; }

static void exchange_shifted(weft_comm *c, int rank, float *in, float *out) {
    int64_t gives[SHIFTING], takes[SHIFTING];
    float *at = in;
    for (int r = 0; r < SHIFTING; r++) {
        gives[r] = shifted_count(rank, r), takes[r] = shifted_count(r, rank);
        for (int64_t i = 0; i < gives[r]; i++) *at++ = (float)(1000 * (10 * rank + r) + i);
    }
    weft_coll_uneven u = { in, out, WEFT_F32, gives, NULL, takes, NULL };
    ck_assert_int_eq(weft_coll_all_to_all_uneven(c, &u, 1, NULL), WEFT_OK);
    at = out;
    for (int r = 0; r < SHIFTING; r++)
        for (int64_t i = 0; i < takes[r]; i++) ASSERT_EACH(*at++ == (float)(1000 * (10 * r + rank) + i), "%d", r);
}

static void *shift(void *p) {
    shifter *s = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *c;
    weft_coll_record last;
    ck_assert_int_eq(weft_comm_world(cx, s->world, s->rank, &c), WEFT_OK);
    float *x = weft_comm_alloc(c, SHIFTING * SHIFT * sizeof *x), *y = weft_comm_alloc(c, SHIFTING * SHIFT * sizeof *y);
    ck_assert(x && y);
    exchange_shifted(c, s->rank, x, y);
    ck_assert_int_eq(weft_comm_last(c, &last), 1);
    snprintf(s->apart, sizeof s->apart, "%s", last.algorithm);
    exchange_shifted(c, s->rank, x, x);
    ck_assert_int_eq(weft_comm_last(c, &last), 1);
    snprintf(s->in_place, sizeof s->in_place, "%s", last.algorithm);
    weft_comm_dealloc(c, x);
    weft_comm_dealloc(c, y);
    weft_comm_free(c);
    weft_context_free(cx);
    return NULL;
}

START_TEST(test_blocks_shift_in_place) {
    weft_context *cx = weft_context_new(NULL);
    shifter s[SHIFTING];
    weft_world *w;
    weft_world_options opt = { .local_ranks = SHIFTING, .algorithms = "" };
    ck_assert_int_eq(weft_world_create_threads(cx, &opt, &w), WEFT_OK);
    for (int i = 0; i < SHIFTING; i++) {
        s[i] = (shifter){ .world = w, .rank = i };
        ck_assert_int_eq(pthread_create(&s[i].thread, NULL, shift, &s[i]), 0);
    }
    for (int i = 0; i < SHIFTING; i++) pthread_join(s[i].thread, NULL);
    for (int i = 0; i < SHIFTING; i++) ck_assert_str_eq(s[i].in_place, s[i].apart);
    weft_world_free(w);
    weft_context_free(cx);
}
END_TEST

START_TEST(test_permute_ends_agree) {
    static const struct { int target0, source1; const char *told; } cases[] = {
        { 1, -1, "rank 0 sends to rank 1, which does not expect it" },
        { -1, 0, "rank 0 does not send to rank 1, which expects it" },
    };
    weft_context *cx = weft_context_new(NULL);
    weft_world *w;
    weft_world_options opt = { .local_ranks = 2 };
    ck_assert_int_eq(weft_world_create_threads(cx, &opt, &w), WEFT_OK);
    half a = { w, 0, -1, cases[_i].target0, cases[_i].told }, b = { w, 1, cases[_i].source1, -1, cases[_i].told };
    pthread_t other;
    pthread_create(&other, NULL, permute_half, &b);
    permute_half(&a);
    pthread_join(other, NULL);
    weft_world_free(w);
    weft_context_free(cx);
}
END_TEST

/* Two ranks that each do something of their own; what both are told ends with `told`, or both fare well when it is
 * NULL. */
typedef weft_status (*part)(weft_comm *c, weft_comm *other, int rank);
typedef struct actor { weft_world *world; int rank; part does; const char *told; } actor;

static void *act(void *p) {
    actor *a = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *c, *other;
    ck_assert_int_eq(weft_comm_world(cx, a->world, a->rank, &c), WEFT_OK);
    ck_assert_int_eq(weft_comm_group(cx, c, (int[]){ 1, 0 }, 2, &other), WEFT_OK);
    weft_status st = a->does(c, other, a->rank);
    ck_assert_int_eq(st, a->told ? WEFT_ERR_PEER : WEFT_OK);
    if (a->told)
        ck_assert_msg(strstr(weft_context_diag(cx, 0)->message, a->told) != NULL, "%s",
                      weft_context_diag(cx, 0)->message);
    weft_comm_free(other);
    weft_comm_free(c);
    weft_context_free(cx);
    return NULL;
}

static void act_both(part does, const char *told) {
    weft_context *cx = weft_context_new(NULL);
    weft_world *w;
    weft_world_options opt = { .local_ranks = 2 };
    ck_assert_int_eq(weft_world_create_threads(cx, &opt, &w), WEFT_OK);
    actor a = { w, 0, does, told }, b = { w, 1, does, told };
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, act, &b), 0);
    act(&a);
    pthread_join(thread, NULL);
    weft_world_free(w);
    weft_context_free(cx);
}

static weft_status unequal_pair(weft_comm *c, weft_comm *other, int rank) {
    (void)other;
    float in[8] = { 0 }, out[8];
    const int64_t sends[] = { 1, 5 }, fine[] = { 1, 1 };
    weft_coll_uneven u = { in, out, WEFT_F32, rank ? fine : sends, NULL, fine, NULL };
    return weft_coll_all_to_all_uneven(c, &u, 1, NULL);
}

static weft_status unequal_counts(weft_comm *c, weft_comm *other, int rank) {
    (void)other;
    float in[8] = { 0 }, out[16];
    const int64_t counts[] = { 4, rank ? 5 : 4 };
    weft_coll_uneven u = { in, out, WEFT_F32, NULL, NULL, counts, NULL };
    return weft_coll_all_gather_uneven(c, &u, 1, NULL);
}

static weft_status unequal_roots(weft_comm *c, weft_comm *other, int rank) {
    (void)other;
    float x[4] = { 0 }, y[4];
    weft_coll_buf b = { x, y, WEFT_F32, 1, 1, 4 };
    return weft_coll_reduce(c, WEFT_SUM, rank, &b, 1, NULL);
}

START_TEST(test_what_pairs_must_agree_on) {
    static const struct { part does; const char *told; } cases[] = {
        { unequal_pair, "rank 0 sends rank 1 5 x f32 of operand 0 where it expects 1" },
        { unequal_counts, "rank 1 calls all_gather of blocks up to" },
        { unequal_roots, "by sum to 1 where rank 0 calls reduce of 4 x f32 by sum to 0" },
    };
    act_both(cases[_i].does, cases[_i].told);
}
END_TEST

/* The first time that ranks make a call all of them wait for all. Later roots wait for none, and learn of a mismatch at
 * their next call, whatever that is; unless the world checks all calls. */
typedef struct giver { weft_world *world; int rank, before; weft_status at_once; } giver;

static void *give_alone(void *p) {
    giver *a = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *c;
    float x[4] = { 0 }, y[4];
    weft_coll_buf b = { x, y, WEFT_F32, 1, 1, 4 };
    ck_assert_int_eq(weft_comm_world(cx, a->world, a->rank, &c), WEFT_OK);
    for (int root = 0; root < 3 * a->before; root++)
        ck_assert_int_eq(weft_coll_broadcast(c, root % 3, &b, 1, NULL), WEFT_OK);
    ck_assert_int_eq(weft_coll_broadcast(c, a->rank, &b, 1, NULL), a->at_once);
    ck_assert_int_eq(weft_coll_barrier(c, NULL), WEFT_ERR_PEER);
    const char *told = weft_context_diag(cx, 0)->message;
    ck_assert_msg(strstr(told, "where rank 0 calls collective_broadcast of 4 x f32 from 0") != NULL, "%s", told);
    weft_comm_free(c);
    weft_context_free(cx);
    return NULL;
}

START_TEST(test_when_givers_hear) {
    enum { GIVERS = 3 };
    static const struct {
        int check, before;
        weft_status at_once;
    } cases[] = { { -1, 0, WEFT_ERR_PEER }, { -1, 2, WEFT_OK }, { 1, 2, WEFT_ERR_PEER } };
    weft_context *cx = weft_context_new(NULL);
    weft_world *w;
    weft_world_options opt = { .local_ranks = GIVERS, .check = cases[_i].check };
    pthread_t thread[GIVERS];
    giver each[GIVERS];
    ck_assert_int_eq(weft_world_create_threads(cx, &opt, &w), WEFT_OK);
    for (int i = 0; i < GIVERS; i++) {
        each[i] = (giver){ w, i, cases[_i].before, cases[_i].at_once };
        ck_assert_int_eq(pthread_create(&thread[i], NULL, give_alone, &each[i]), 0);
    }
    for (int i = 0; i < GIVERS; i++) pthread_join(thread[i], NULL);
    weft_world_free(w);
    weft_context_free(cx);
}
END_TEST

START_TEST(test_who_waits_for_whom) {
    static const latecomer cases[] = {
        { WEFT_PLAN_COLLECTIVE_BROADCAST, 0, 1, -1 }, { WEFT_PLAN_COLLECTIVE_BROADCAST, 2, 0, -1 }, { WEFT_PLAN_SCATTER, 1, 2, -1 }, { WEFT_PLAN_GATHER, 0, 0, -1 },
        { WEFT_PLAN_GATHER, 2, 2, -1 }, { WEFT_PLAN_REDUCE, 0, 0, -1 }, { WEFT_PLAN_COLLECTIVE_PERMUTE, 0, 2, -1 },
    };
    weft_context *cx = weft_context_new(NULL);
    weft_world *w;
    weft_world_options opt = { .local_ranks = LATECOMERS, .check = cases[_i].check, .timeout_s = 20 };
    ck_assert_int_eq(weft_world_create_threads(cx, &opt, &w), WEFT_OK);
    latecomer_run((weft_world *[LATECOMERS]){ w, w, w }, cases[_i], 2);
    weft_world_free(w);
    weft_context_free(cx);
}
END_TEST

/* Calls of two groups, started in the other order by the other rank, and waited for in that order. */
static weft_status cross(weft_comm *c, weft_comm *other, int rank) {
    float x = (float)(rank + 1), sum[2] = { 0 };
    weft_coll_buf b[] = { { &x, &sum[0], WEFT_F32, 1, 1, 1 }, { &x, &sum[1], WEFT_F32, 1, 1, 1 } };
    weft_comm *group[] = { c, other };
    weft_coll_request *r[2];
    weft_status st = WEFT_OK;
    for (int i = 0; i < 2 && st == WEFT_OK; i++) {
        int k = i ^ rank;
        st = weft_coll_start_all_reduce(group[k], WEFT_SUM, &b[k], 1, NULL, &r[i]);
    }
    if (st == WEFT_OK) st = weft_coll_wait_all(r, 2);
    ck_assert(sum[0] == 3 && sum[1] == 3);
    return st;
}

/* One rank waits for what it has started before the other's blocking call on another group ends. */
static weft_status crossed_by_a_blocking_call(weft_comm *c, weft_comm *other, int rank) {
    float x = (float)(rank + 1), sum[2] = { 0 };
    weft_coll_buf a = { &x, &sum[0], WEFT_F32, 1, 1, 1 }, b = { &x, &sum[1], WEFT_F32, 1, 1, 1 };
    weft_coll_request *r;
    weft_status st = weft_coll_start_all_reduce(c, WEFT_SUM, &a, 1, NULL, &r);
    if (st != WEFT_OK) return st;
    if (rank) st = weft_coll_wait(r);
    if (st == WEFT_OK) st = weft_coll_all_reduce(other, WEFT_SUM, &b, 1, NULL);
    if (!rank) st = weft_coll_wait(r);
    ck_assert(sum[0] == 3 && sum[1] == 3);
    return st;
}

/* The next call on a group queues after those in progress there, blocking or not, and none is lost. */
static weft_status long_queue(weft_comm *c, weft_comm *other, int rank) {
    enum { N = 300 };
    static float x[2][N], y[2][N];
    weft_coll_request *r[N];
    weft_status st = WEFT_OK;
    (void)other;
    for (int i = 0; i < N && st == WEFT_OK; i++) {
        x[rank][i] = (float)(i + rank);
        st = weft_coll_start_all_reduce(c, WEFT_SUM, &(weft_coll_buf){ &x[rank][i], &y[rank][i], WEFT_F32, 1, 1, 1 }, 1,
                                        NULL, &r[i]);
    }
    if (st == WEFT_OK) st = weft_coll_barrier(c, NULL); /* after them all: they are done */
    for (int i = 0; i < N; i++) ck_assert(y[rank][i] == (float)(2 * i + 1));
    for (int i = N - 1, done; i >= 0 && st == WEFT_OK; i--) {
        st = weft_coll_test(r[i], &done);
        ck_assert_int_eq(done, 1);
        if (st == WEFT_OK) st = weft_coll_wait(r[i]);
    }
    return st;
}

/* What is under way when a peer fails ends with an error, all of it, and its memory is given back. */
static weft_status failure_under_way(weft_comm *c, weft_comm *other, int rank) {
    float x = 1, y[4];
    weft_coll_request *r[4];
    weft_coll_buf b[4];
    weft_status st = WEFT_OK;
    if (rank) return weft_coll_all_gather(c, &(weft_coll_buf){ &x, y, WEFT_F32, 1, 1, 1 }, 1, NULL);
    for (int i = 0; i < 4 && st == WEFT_OK; i++) {
        b[i] = (weft_coll_buf){ &x, &y[i], WEFT_F32, 1, 1, 1 };
        st = weft_coll_start_all_reduce(i % 2 ? other : c, WEFT_SUM, &b[i], 1, NULL, &r[i]);
    }
    ck_assert_int_eq(st, WEFT_OK);
    for (int i = 0; i < 4; i++) ck_assert_int_eq(weft_coll_wait(r[i]), WEFT_ERR_PEER);
    return WEFT_ERR_PEER;
}

START_TEST(test_under_way) {
    static const struct { part does; const char *told; } cases[] = {
        { cross, NULL }, { crossed_by_a_blocking_call, NULL }, { long_queue, NULL },
        { failure_under_way, "rank 1 calls all_gather of 1 x f32 where rank 0 calls all_reduce" },
    };
    act_both(cases[_i].does, cases[_i].told);
}
END_TEST

/* A process that receives SIGUSR1 while a rank waits writes each rank's calls, and goes on. */
static char flight_path[64];

static void *wait_in_barrier(void *p) {
    actor *a = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *c;
    char path[80];
    weft_coll_record last;
    ck_assert_int_eq(weft_comm_world(cx, a->world, a->rank, &c), WEFT_OK);
    ck_assert_int_eq(weft_comm_last(c, &last), 0);
    snprintf(path, sizeof path, "%s.0", flight_path);
    /* rank 1 comes when it is written */
    for (int i = 0; a->rank && i < 2000 && access(path, R_OK) != 0; i++) usleep(5000);
    /* the last character is cut */
    ck_assert_int_eq(weft_coll_barrier(c, &(weft_call_site){ "barrier", "", "a \"b\" \xc3\xa9 \xe2\x82:1:2", 3 }),
                     WEFT_OK);
    ck_assert_int_eq(weft_comm_last(c, &last), 1);
    ck_assert(last.number == 1 && last.ended && last.ranks == 2 && !strcmp(last.op, "barrier") &&
              !strcmp(last.algorithm, "flags"));
    weft_comm_free(c);
    weft_context_free(cx);
    return NULL;
}

START_TEST(test_flight_on_signal) {
    weft_context *cx = weft_context_new(NULL);
    weft_world *w;
    char path[80], text[4096];
    snprintf(flight_path, sizeof flight_path, "/tmp/weft-flight-%ld", (long)getpid());
    snprintf(path, sizeof path, "%s.0", flight_path);
    weft_world_options opt = { .local_ranks = 2, .flight = flight_path };
    ck_assert_int_eq(weft_world_create_threads(cx, &opt, &w), WEFT_OK);
    actor a = { w, 0, NULL, NULL }, b = { w, 1, NULL, NULL };
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, wait_in_barrier, &a);
    pthread_create(&threads[1], NULL, wait_in_barrier, &b);
    kill(getpid(), SIGUSR1);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    unlink(path);
    ck_assert_ptr_nonnull(strstr(text, "\"members\": [0, 1]"));
    ck_assert_ptr_nonnull(strstr(text, "{\"rank\": 0, \"call\": 1, \"op\": \"barrier\", \"algorithm\": \"\""));
    ck_assert_ptr_nonnull(strstr(text, "\"state\": \"under way\""));
    ck_assert_ptr_nonnull(strstr(text, "\"place\": \"a \\\"b\\\" \xc3\xa9 \\ufffd\\ufffd:1:2\""));
    weft_world_free(w);
    weft_context_free(cx);
}
END_TEST

/* A world of one rank from start to end, under an allocator that fails at each of its requests. */
static weft_status whole_life(weft_context *cx, void *unused) {
    (void)unused;
    weft_world *w;
    weft_comm *c = NULL, *g = NULL;
    weft_world_options opt = { .local_ranks = 1, .bind = WEFT_BIND_CORES,
                               .algorithms = "all_to_all=place,gather:1K-=windows", .flight = "/tmp/none" };
    weft_status st = weft_world_create_threads(cx, &opt, &w);
    if (st != WEFT_OK) return st;
    float x[4] = { 1, 2, 3, 4 }, y[4] = { 0 };
    weft_coll_buf b = { x, x, WEFT_F32, 1, 4, 1 };
    const int64_t counts[] = { 3 }, offsets[] = { 1 };
    weft_coll_uneven u = { x, y, WEFT_F32, NULL, NULL, counts, offsets };
    weft_coll_request *r = NULL, *v = NULL;
    weft_call_site site = { "all_to_all", "x", "a.mlir:1:2", 3 };
    st = weft_comm_world(cx, w, 0, &c);
    if (st == WEFT_OK) st = weft_comm_group(cx, c, (int[]){ 0 }, 1, &g);
    if (st == WEFT_OK) st = weft_comm_force(g, "all_to_all=place");
    if (st == WEFT_OK) st = weft_comm_force(g, "gather:1K-=windows,all_to_all=place");
    if (st == WEFT_OK) st = weft_coll_all_to_all(g, 1, &b, 1, &site);
    if (st == WEFT_OK) st = weft_coll_all_gather_uneven(g, &u, 1, &site);
    if (st == WEFT_OK) ck_assert(y[0] == 0 && y[1] == 1 && y[3] == 3);
    if (st == WEFT_OK) st = weft_coll_start_all_gather_uneven(g, &u, 1, &site, &r);
    if (st == WEFT_OK) st = weft_coll_start_all_to_all(g, 0, &b, 1, NULL, &v);
    weft_status ended = weft_coll_wait_all((weft_coll_request *[]){ v, r }, 2);
    if (st == WEFT_OK) st = ended;
    if (st == WEFT_OK) st = weft_world_bind(w, 0);
    weft_comm_free(g);
    weft_comm_free(c);
    weft_world_free(w);
    return st;
}

START_TEST(test_no_memory) { weft_test_each_failure(whole_life, NULL); }
END_TEST

int main(void) {
    Suite *s = suite_create("coll");
    TCase *laws = tcase_create("laws"), *tc = tcase_create("threads");
    tcase_set_timeout(laws, 240);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(laws, test_law, 0, WEFT_COUNT(worlds));
    tcase_add_test(tc, test_bits_do_not_depend_on_the_algorithm);
    tcase_add_test(tc, test_counts_follow_the_formulas);
    tcase_add_test(tc, test_senseless_calls_are_refused);
    tcase_add_test(tc, test_alone_a_block_shifts);
    tcase_add_test(tc, test_blocks_shift_in_place);
    tcase_add_loop_test(tc, test_permute_ends_agree, 0, 2);
    tcase_add_loop_test(tc, test_what_pairs_must_agree_on, 0, 3);
    tcase_add_loop_test(tc, test_when_givers_hear, 0, 3);
    tcase_add_loop_test(tc, test_who_waits_for_whom, 0, 7);
    tcase_add_loop_test(tc, test_under_way, 0, 4);
    tcase_add_test(tc, test_flight_on_signal);
    tcase_add_test(tc, test_no_memory);
    suite_add_tcase(s, laws);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
