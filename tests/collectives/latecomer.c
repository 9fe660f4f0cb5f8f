/* latecomer.c: see latecomer.h. */
#include "tests/collectives/latecomer.h"

#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

typedef struct guest {
    weft_world *world;
    int rank, rounds;
    latecomer late;
    atomic_int *returned; /* from the last call */
} guest;

static weft_status call_of(weft_comm *c, latecomer l, const weft_coll_buf *b) {
    int me = weft_comm_rank(c), p = weft_comm_size(c);
    switch (l.kind) {
    case WEFT_PLAN_COLLECTIVE_BROADCAST: return weft_coll_broadcast(c, l.root, b, 1, NULL);
    case WEFT_PLAN_SCATTER: return weft_coll_scatter(c, l.root, b, 1, NULL);
    case WEFT_PLAN_GATHER: return weft_coll_gather(c, l.root, b, 1, NULL);
    case WEFT_PLAN_REDUCE: return weft_coll_reduce(c, WEFT_SUM, l.root, b, 1, NULL);
    default: return weft_coll_permute(c, me > 0 ? me - 1 : -1, me < p - 1 ? me + 1 : -1, b, 1, NULL); /* up the line */
    }
}

/* Element i of rank r's input, and the first one of this rank's output. */
static float input_of(int r, int round, int i) { return (float)(100 * r + 12 * round + i); }

static float first_of(const guest *g, int round) {
    switch (g->late.kind) {
    case WEFT_PLAN_COLLECTIVE_BROADCAST: return input_of(g->late.root, round, 0);
    case WEFT_PLAN_SCATTER: return input_of(g->late.root, round, 4 * g->rank);
    case WEFT_PLAN_GATHER: return g->rank == g->late.root ? input_of(0, round, 0) : 0;
    case WEFT_PLAN_REDUCE: return g->rank == g->late.root ? (float)(300 + 36 * round) : 0;
    default: return g->rank ? input_of(g->rank - 1, round, 0) : 0;
    }
}

static void wait_for_the_others(const guest *g) {
    for (int i = 0; i < 100 && g->late.check == 1; i++) {
        ck_assert_int_eq(atomic_load(g->returned), 0);
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
    while (g->late.check < 1 && atomic_load(g->returned) < LATECOMERS - 1) sched_yield();
}

static void *come_late(void *p) {
    const guest *g = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *c;
    float x[12], y[12] = { 0 };
    weft_coll_buf b = { x, y, WEFT_F32, 1, 1, 4 };
    ck_assert_int_eq(weft_comm_world(cx, g->world, g->rank, &c), WEFT_OK);
    for (int round = 0; round < g->rounds; round++) {
        bool is_last = round == g->rounds - 1;
        for (int i = 0; i < 12; i++) x[i] = input_of(g->rank, round, i);
        if (is_last && g->rank == g->late.last) wait_for_the_others(g);
        ck_assert_int_eq(call_of(c, g->late, &b), WEFT_OK);
        if (is_last) atomic_fetch_add(g->returned, 1);
        ck_assert_float_eq(y[0], first_of(g, round));
    }
    ck_assert_int_eq(weft_coll_barrier(c, NULL), WEFT_OK);
    weft_comm_free(c);
    weft_context_free(cx);
    return NULL;
}

void latecomer_run(weft_world *const world[LATECOMERS], latecomer late, int rounds) {
    pthread_t thread[LATECOMERS];
    guest each[LATECOMERS];
    atomic_int returned = 0;
    for (int i = 0; i < LATECOMERS; i++) {
        each[i] = (guest){ world[i], i, rounds, late, &returned };
        ck_assert_int_eq(pthread_create(&thread[i], NULL, come_late, &each[i]), 0);
    }
    for (int i = 0; i < LATECOMERS; i++) pthread_join(thread[i], NULL);
}
