/* ranks.c: what mpirun starts for test_mpi: ranks LOCAL law STEP COUNT, or ranks LOCAL and the name of a kind of trouble. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "tests/collectives/law.h"

typedef struct seat {
    weft_world *world;
    const char *what;
    long step, count;
    int rank, result;
} seat;

/* One rank does what it should not; the others must hear of it: they print what they were told and return 0. */
static int trouble(seat *s, weft_context *cx) {
    weft_comm *c;
    int last = weft_world_size(s->world) - 1;
    float x = 1, y[64];
    weft_coll_buf b = { &x, &y, WEFT_F32, 1, 1, 1 };
    weft_call_site site = { "all_reduce", "model", "step.mlir:41:10", 7 }, other = { "all_gather", "data", "step.mlir:50:2", 8 };
    if (weft_comm_world(cx, s->world, s->rank, &c) != WEFT_OK) return 1;
    if (weft_coll_barrier(c, NULL) != WEFT_OK) return 1;
    if (s->rank == last) {
        if (!strcmp(s->what, "killed")) raise(SIGKILL);
        if (!strcmp(s->what, "exits")) _exit(0);
        if (!strcmp(s->what, "differs")) return weft_coll_all_gather(c, &b, 1, &other) != WEFT_ERR_PEER;
        if (!strcmp(s->what, "aborts")) {
            weft_world_abort(s->world, "the input of rank 3 is bad");
            return weft_coll_all_reduce(c, WEFT_SUM, &b, 1, &site) != WEFT_ERR_PEER;
        }
        sleep(4); /* "late" */
        return weft_coll_all_reduce(c, WEFT_SUM, &b, 1, &site) != WEFT_ERR_PEER;
    }
    weft_status st = weft_coll_all_reduce(c, WEFT_SUM, &b, 1, &site);
    const weft_diag *d = weft_context_diag(cx, 0);
    printf("rank %d heard: %s:%d:%d: %s\n", s->rank, d && d->file ? d->file : "", d ? (int)d->line : 0, d ? (int)d->column : 0,
           d ? d->message : "nothing");
    fflush(stdout);
    return st != WEFT_ERR_PEER;
}

static void *sit(void *p) {
    seat *s = p;
    weft_context *cx = weft_context_new(NULL);
    if (!strcmp(s->what, "law")) {
        s->result = law_run(cx, s->world, s->rank, law_seed(20261121), s->step, s->count);
        if (s->result) weft_world_abort(s->world, "a case failed");
    } else {
        s->result = trouble(s, cx);
    }
    weft_context_free(cx);
    return NULL;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    weft_context *cx = weft_context_new(NULL);
    weft_world *w;
    int local = atoi(argv[1]), failed = 0;
    weft_world_options opt = { .local_ranks = local, .timeout_s = strcmp(argv[2], "late") ? 60 : 2 };
    weft_status st = weft_world_create_mpi(cx, &opt, &w);
    for (size_t i = 0; i < weft_context_diag_count(cx); i++) fprintf(stderr, "%s\n", weft_context_diag(cx, i)->message);
    if (st != WEFT_OK) return 1;
    seat seats[16];
    pthread_t threads[16];
    for (int i = 0; i < local; i++) {
        seats[i] = (seat){ w, argv[2], argc > 3 ? atol(argv[3]) : 1, argc > 4 ? atol(argv[4]) : 0, weft_world_first(w) + i, 0 };
        if (i) pthread_create(&threads[i], NULL, sit, &seats[i]);
    }
    sit(&seats[0]);
    for (int i = 0; i < local; i++) {
        if (i) pthread_join(threads[i], NULL);
        failed += seats[i].result;
    }
    weft_world_free(w);
    weft_context_free(cx);
    return failed != 0;
}
