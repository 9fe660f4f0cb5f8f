/* test_split.c: groups by colour, and the fields of an operand that a caller may omit. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <weft/coll.h>

#include "tests/support/suite.h"

#define P 6

typedef struct seat {
    weft_world *world;
    int rank, case_number;
    char why[256]; /* what went wrong; "" */
} seat;

/* Colours and keys by rank, and the group that a rank has to be in: its members in order. */
static const struct { int colour[P], key[P]; int members[P][P + 1]; } splits[] = {
    { { 0, 0, 0, 0, 0, 0 }, { 0 }, { { 0, 1, 2, 3, 4, 5, -1 }, { 0, 1, 2, 3, 4, 5, -1 }, { 0, 1, 2, 3, 4, 5, -1 }, { 0, 1, 2, 3, 4, 5, -1 },
                                     { 0, 1, 2, 3, 4, 5, -1 }, { 0, 1, 2, 3, 4, 5, -1 } } },
    { { 0, 1, 0, 1, 0, 1 }, { 0 }, { { 0, 2, 4, -1 }, { 1, 3, 5, -1 }, { 0, 2, 4, -1 }, { 1, 3, 5, -1 }, { 0, 2, 4, -1 }, { 1, 3, 5, -1 } } },
    { { 7, 7, 7, 9, 9, -3 }, { 2, -5, 2, 1, 0, 0 }, { { 1, 0, 2, -1 }, { 1, 0, 2, -1 }, { 1, 0, 2, -1 }, { 4, 3, -1 }, { 4, 3, -1 }, { -1 } } },
    { { 5, 4, 3, 2, 1, 0 }, { 0 }, { { 0, -1 }, { 1, -1 }, { 2, -1 }, { 3, -1 }, { 4, -1 }, { 5, -1 } } },
};

#define MUST(ok, ...)                                        \
    do {                                                     \
        if (!(ok)) {                                         \
            snprintf(s->why, sizeof s->why, __VA_ARGS__);    \
            weft_world_abort(s->world, s->why);              \
            goto out;                                        \
        }                                                    \
    } while (0)

static void *split(void *p) {
    seat *s = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *all = NULL, *mine = NULL, *half = NULL;
    const int *want = splits[s->case_number].members[s->rank];
    int n = 0, got[P];
    while (want[n] >= 0) n++;
    MUST(weft_comm_world(cx, s->world, s->rank, &all) == WEFT_OK, "rank %d has no handle", s->rank);
    weft_status st =
        weft_comm_split(cx, all, splits[s->case_number].colour[s->rank], splits[s->case_number].key[s->rank], &mine);
    MUST(st == WEFT_OK, "rank %d: %s", s->rank, weft_status_name(st));
    MUST((mine != NULL) == (n > 0) && weft_comm_size(mine) == n, "rank %d has a group of %d, not %d", s->rank, weft_comm_size(mine), n);
    if (mine) {
        /* outer and middle left out: 1 */
        weft_coll_buf b = { .in = &s->rank, .out = got, .dtype = weft_coll_type("i32"), .inner = 1 };
        MUST(weft_coll_all_gather(mine, &b, 1, NULL) == WEFT_OK, "rank %d cannot gather", s->rank);
        for (int i = 0; i < n; i++)
            MUST(got[i] == want[i], "rank %d: member %d is %d, not %d", s->rank, i, got[i], want[i]);
        /* Groups of groups. */
        MUST(weft_comm_split(cx, mine, weft_comm_rank(mine) / 2, 0, &half) == WEFT_OK, "rank %d cannot split again", s->rank);
        int left = n - weft_comm_rank(mine) / 2 * 2;
        MUST(weft_comm_size(half) == (left < 2 ? left : 2) && weft_comm_rank(half) == weft_comm_rank(mine) % 2, "rank %d is in a wrong part", s->rank);
    }
out:
    weft_comm_free(half);
    weft_comm_free(mine);
    weft_comm_free(all);
    weft_context_free(cx);
    return NULL;
}

/* Two groups of the same members: rank 0 begins a call on one and waits for the other's, rank 1 the other way round. */
static void *keyed(void *p) {
    seat *s = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *all = NULL, *apart[2] = { NULL, NULL };
    weft_coll_request *q = NULL;
    MUST(weft_comm_world(cx, s->world, s->rank, &all) == WEFT_OK, "rank %d has no handle", s->rank);
    for (uint32_t k = 0; k < 2; k++)
        MUST(weft_comm_group_apart(cx, all, (int[]){ 0, 1 }, 2, k, &apart[k]) == WEFT_OK, "rank %d has no group %u",
             s->rank, k);
    for (int i = 0; i < 50; i++) {
        int32_t mine = s->rank + 1, early = 0, late = 0;
        weft_coll_buf a = { .in = &mine, .out = &early, .dtype = weft_coll_type("i32"), .inner = 1 }, b = a;
        b.out = &late;
        weft_op_reduce of[] = { WEFT_SUM, WEFT_MAX };
        MUST(weft_coll_start_all_reduce(apart[s->rank], of[s->rank], &a, 1, NULL, &q) == WEFT_OK, "rank %d cannot start", s->rank);
        weft_status st = weft_coll_all_reduce(apart[!s->rank], of[!s->rank], &b, 1, NULL), then = weft_coll_wait(q);
        MUST(st == WEFT_OK && then == WEFT_OK, "rank %d: a call of one group waits for the other's", s->rank);
        MUST((s->rank ? late : early) == 3 && (s->rank ? early : late) == 2, "rank %d: %d and %d", s->rank, early, late);
    }
out:
    for (int k = 0; k < 2; k++) weft_comm_free(apart[k]);
    weft_comm_free(all);
    weft_context_free(cx);
    return NULL;
}

static _Atomic int idled;
static void count_idle(void *user) { ++*(_Atomic int *)user; }

/* Rank 0 comes only when rank 1, which waits for it, has been idle several times. */
static void *idle(void *p) {
    seat *s = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *all = NULL;
    MUST(weft_comm_world(cx, s->world, s->rank, &all) == WEFT_OK, "rank %d has no handle", s->rank);
    for (int i = 0; i < 3; i++) {
        for (int seen = idled; !s->rank && !weft_world_failed(s->world) && idled - seen < 5;) sched_yield();
        MUST(weft_coll_barrier(all, NULL) == WEFT_OK, "rank %d: nobody is idle", s->rank);
    }
out:
    weft_comm_free(all);
    weft_context_free(cx);
    return NULL;
}

static void two_ranks(void *(*body)(void *)) {
    weft_context *cx = weft_context_new(NULL);
    weft_world_options o = { .size = sizeof o, .local_ranks = 2, .timeout_s = 20, .idle = count_idle,
                             .idle_user = &idled };
    weft_world *w;
    seat seats[2];
    pthread_t threads[2];
    ck_assert_int_eq(weft_world_create_threads(cx, &o, &w), WEFT_OK);
    for (int r = 0; r < 2; r++) {
        seats[r] = (seat){ w, r, 0, "" };
        ck_assert_int_eq(pthread_create(&threads[r], NULL, body, &seats[r]), 0);
    }
    for (int r = 0; r < 2; r++) pthread_join(threads[r], NULL);
    for (int r = 0; r < 2; r++) ck_assert_msg(!seats[r].why[0], "%s", seats[r].why);
    weft_world_free(w);
    weft_context_free(cx);
}

START_TEST(groups_apart) { two_ranks(keyed); }
END_TEST

START_TEST(idle_while_waiting) { two_ranks(idle); }
END_TEST

START_TEST(test_split) {
    weft_context *cx = weft_context_new(NULL);
    weft_world_options o = { .size = sizeof o, .local_ranks = P, .timeout_s = 20 };
    weft_world *w;
    seat seats[P];
    pthread_t threads[P];
    ck_assert_int_eq(weft_world_create_threads(cx, &o, &w), WEFT_OK);
    for (int r = 0; r < P; r++) {
        seats[r] = (seat){ w, r, _i, "" };
        ck_assert_int_eq(pthread_create(&threads[r], NULL, split, &seats[r]), 0);
    }
    for (int r = 0; r < P; r++) pthread_join(threads[r], NULL);
    for (int r = 0; r < P; r++) ck_assert_msg(!seats[r].why[0], "%s", seats[r].why);
    weft_world_free(w);
    weft_context_free(cx);
}
END_TEST

/* Sizes that a caller leaves out are 1: in every call, with one rank. Only inner 0 is an operand without elements. */
START_TEST(test_left_out) {
    weft_context *cx = weft_context_new(NULL);
    weft_world_options o = { .local_ranks = 1 };
    weft_world *w;
    weft_comm *c;
    ck_assert_int_eq(weft_world_create_threads(cx, &o, &w), WEFT_OK);
    ck_assert_int_eq(weft_comm_world(cx, w, 0, &c), WEFT_OK);
    for (int call = 0; call < 9; call++) {
        float in[4] = { 1, 2, 3, 4 }, out[4] = { 9, 9, 9, 9 };
        weft_coll_buf b = { .in = in, .out = out, .dtype = weft_coll_type("f32"), .inner = 4 };
        weft_status st = call == 0 ? weft_coll_all_reduce(c, WEFT_SUM, &b, 1, NULL)
                       : call == 1 ? weft_coll_reduce(c, WEFT_MAX, 0, &b, 1, NULL)
                       : call == 2 ? weft_coll_all_gather(c, &b, 1, NULL)
                       : call == 3 ? weft_coll_gather(c, 0, &b, 1, NULL)
                       : call == 4 ? weft_coll_reduce_scatter(c, WEFT_SUM, &b, 1, NULL)
                       : call == 5 ? weft_coll_scatter(c, 0, &b, 1, NULL)
                       : call == 6 ? weft_coll_all_to_all(c, 1, &b, 1, NULL)
                       : call == 7 ? weft_coll_permute(c, 0, 0, &b, 1, NULL)
                                   : weft_coll_broadcast(c, 0, &b, 1, NULL);
        ck_assert_msg(st == WEFT_OK, "call %d: %s", call, weft_status_name(st));
        for (int i = 0; i < 4; i++) ck_assert_msg(out[i] == in[i], "call %d left %g", call, (double)out[i]);
    }
    float in = 1, out = 9;
    weft_coll_buf none = { .in = &in, .out = &out, .dtype = weft_coll_type("f32") };
    ck_assert_int_eq(weft_coll_all_gather(c, &none, 1, NULL), WEFT_OK);
    ck_assert(out == 9);
    weft_comm *part = c;
    ck_assert_int_eq(weft_comm_split(cx, NULL, 0, 0, &part), WEFT_ERR_USAGE);
    ck_assert_ptr_null(part);
    ck_assert_int_eq(weft_comm_split(cx, c, 0, 0, NULL), WEFT_ERR_USAGE);
    weft_comm_free(c);
    weft_world_free(w);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("split");
    TCase *tc = tcase_create("split");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_split, 0, (int)(sizeof splits / sizeof *splits));
    tcase_add_test(tc, test_left_out);
    tcase_add_test(tc, groups_apart);
    tcase_add_test(tc, idle_while_waiting);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
