/* test_progress.c: a world with a thread that advances started calls. */
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "collectives/comm.h"
#include "tests/collectives/law.h"
#include "tests/support/suite.h"

enum { P = 4, N = 1 << 19 };
#define PATIENCE_S 60 /* before a test gives up on something that should happen by itself */

typedef struct seat {
    weft_world *world;
    pthread_barrier_t *together;
    int rank, failed;
} seat;

static weft_world *open_world(weft_context *cx, const char *algorithms) {
    weft_world *w;
    weft_world_options opt = { .local_ranks = P, .algorithms = algorithms, .progress = 1 };
    ck_assert_int_eq(weft_world_create_threads(cx, &opt, &w), WEFT_OK);
    return w;
}

static int run_ranks(weft_world *w, void *(*f)(void *)) {
    seat seats[P];
    pthread_t threads[P];
    pthread_barrier_t together;
    int failed = 0;
    pthread_barrier_init(&together, NULL, P);
    for (int i = 0; i < P; i++) {
        seats[i] = (seat){ w, &together, i, 0 };
        ck_assert_int_eq(pthread_create(&threads[i], NULL, f, &seats[i]), 0);
    }
    for (int i = 0; i < P; i++) {
        pthread_join(threads[i], NULL);
        failed += seats[i].failed;
    }
    pthread_barrier_destroy(&together);
    return failed;
}

START_TEST(test_law) {
    uint64_t seed = law_seed(20261122);
    weft_context *cx = weft_context_new(NULL);
    weft_world *w = open_world(cx, NULL);
    fprintf(stderr, "%d ranks, WEFT_SEED=%llu\n", P, (unsigned long long)seed);
    weft_world *each[P] = { w, w, w, w };
    ck_assert_int_eq(law_run_threads(each, P, seed, (law_amount){ 0, 5, 0, 200, 0 }, NULL), 0);
    weft_world_free(w);
    weft_context_free(cx);
}
END_TEST

/* Until no started call is in progress in this process; without polling any. */
static int all_end(const weft_world *w) {
    for (int ms = 0; ms < PATIENCE_S * 1000; ms++) {
        if (atomic_load(&w->progress.open) == 0) return 1;
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
    return 0;
}

/* Two calls that follow each other on one group, in several turns each, and one on another. */
static void *compute(void *p) {
    seat *s = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *c, *pair = NULL;
    weft_coll_request *r[3];
    int pair_of[] = { s->rank & ~1, s->rank | 1 };
    float *in = malloc(N * sizeof *in), *sum = malloc(N * sizeof *sum), *again = malloc(N * sizeof *again),
          *two = malloc(N * sizeof *two);
    for (int i = 0; i < N; i++) in[i] = (float)(s->rank + i % 7);
    s->failed =
        weft_comm_world(cx, s->world, s->rank, &c) != WEFT_OK || weft_comm_group(cx, c, pair_of, 2, &pair) != WEFT_OK;
    weft_coll_buf all = { in, sum, WEFT_F32, 1, 1, N }, more = { in, again, WEFT_F32, 1, 1, N },
                  half = { in, two, WEFT_F32, 1, 1, N };
    s->failed |= weft_coll_start_all_reduce(c, WEFT_SUM, &all, 1, NULL, &r[0]) != WEFT_OK;
    s->failed |= weft_coll_start_all_reduce(c, WEFT_MAX, &more, 1, NULL, &r[1]) != WEFT_OK;
    s->failed |= weft_coll_start_all_reduce(pair, WEFT_SUM, &half, 1, NULL, &r[2]) != WEFT_OK;
    pthread_barrier_wait(s->together); /* all are started */
    s->failed |= !all_end(s->world);
    for (int i = 0, done; i < 3 && !s->failed; i++) s->failed |= weft_coll_test(r[i], &done) != WEFT_OK;
    s->failed |= weft_coll_wait_all(r, 3) != WEFT_OK;
    for (int i = 0; i < N && !s->failed; i++)
        s->failed = sum[i] != (float)(6 + 4 * (i % 7)) || again[i] != (float)(3 + i % 7) ||
                    two[i] != (float)(2 * (s->rank & ~1) + 1 + 2 * (i % 7));
    free(in), free(sum), free(again), free(two);
    weft_comm_free(pair);
    weft_comm_free(c);
    weft_context_free(cx);
    return NULL;
}

START_TEST(test_moves_while_ranks_compute) {
    weft_context *cx = weft_context_new(NULL);
    weft_world *w = open_world(cx, "all_reduce=windows");
    ck_assert_int_eq(run_ranks(w, compute), 0);
    ck_assert_int_eq(w->progress.runs, 1);
    weft_world_free(w);
    weft_context_free(cx);
}
END_TEST

/* Rank 2 comes last, with another call than the others. They hear of it when they ask, by name, and not before: they
 * may be using their contexts. */
static void *differ(void *p) {
    seat *s = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *c;
    weft_coll_request *r;
    float in[8] = { 0 }, out[8];
    weft_call_site site = { .op = "all_reduce", .place = "prog.mlir:4:2" };
    weft_coll_buf b = { in, out, WEFT_F32, 1, 1, s->rank == 2 ? 4 : 8 };
    s->failed = weft_comm_world(cx, s->world, s->rank, &c) != WEFT_OK;
    for (int last = 0; last < 2; last++) {
        if (last == (s->rank == 2)) s->failed |= weft_coll_start_all_reduce(c, WEFT_SUM, &b, 1, &site, &r) != WEFT_OK;
        pthread_barrier_wait(s->together);
    }
    s->failed |= !all_end(s->world) || (s->rank != 2 && weft_context_diag_count(cx) != 0);
    pthread_barrier_wait(s->together);
    s->failed |= weft_coll_wait(r) != WEFT_ERR_PEER || weft_context_diag_count(cx) != 1 ||
                 !strstr(weft_context_diag(cx, 0)->message, "all_reduce") ||
                 !strstr(weft_context_diag(cx, 0)->message, "rank 2");
    if (s->failed && weft_context_diag_count(cx))
        fprintf(stderr, "rank %d: %s\n", s->rank, weft_context_diag(cx, 0)->message);
    weft_comm_free(c);
    weft_context_free(cx);
    return NULL;
}

START_TEST(test_what_fails_is_told_when_its_rank_asks) {
    weft_context *cx = weft_context_new(NULL);
    weft_world *w = open_world(cx, NULL);
    ck_assert_int_eq(run_ranks(w, differ), 0);
    weft_world_free(w);
    weft_context_free(cx);
}
END_TEST

START_TEST(test_is_wanted_by_word_or_by_cores) {
    static const struct {
        int option;
        const char *text;
        int wanted;
    } rows[] = { { 1, "0", 1 }, { -1, "1", 0 }, { 0, "1", 1 }, { 0, "0", 0 } };
    weft_context *cx = weft_context_new(NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        weft_world *w;
        setenv("WEFT_PROGRESS", rows[i].text, 1);
        ck_assert_int_eq(weft_world_create_threads(cx,
                                                   &(weft_world_options){ .local_ranks = 2,
                                                                          .progress = rows[i].option },
                                                   &w),
                         WEFT_OK);
        ck_assert_int_eq(w->progress.wanted, rows[i].wanted);
        ck_assert_int_eq(w->progress.runs, 0);
        weft_world_free(w);
    }
    unsetenv("WEFT_PROGRESS");
    weft_world *w;
    ck_assert_int_eq(weft_world_create_threads(cx, &(weft_world_options){ .local_ranks = 1024 }, &w), WEFT_OK);
    ck_assert_int_eq(w->progress.wanted, w->spare_core);
    weft_world_free(w);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("progress");
    TCase *tc = tcase_create("thread");
    tcase_set_timeout(tc, 240);
    tcase_add_test(tc, test_law);
    tcase_add_test(tc, test_moves_while_ranks_compute);
    tcase_add_test(tc, test_what_fails_is_told_when_its_rank_asks);
    tcase_add_test(tc, test_is_wanted_by_word_or_by_cores);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
