/* ranks.c: a process of tests that start several, by mpirun or, with WEFT_RENDEZVOUS, by themselves:
 *   ranks LOCAL law FIRST STEP LARGE RANDOM MOST   cases of law.h, as in law_amount
 *   ranks LOCAL elsewhere         ranks 0 and 1 differ, rank 2 waits for rank 1 in another group; they print their
 *                                 diagnostics
 *   ranks LOCAL TROUBLE           the last rank makes an error; the others print their diagnostics
 *   ranks LOCAL early|overdue     the world fails; the last rank leaves before that, or when the others have waited for
 *                                 it; each prints a line when it has left
 *   ranks LOCAL until SECONDS     works until another rank fails; prints a line once all work, and its diagnostic
 *   ranks LOCAL long              ranks 0 and 1 move more than 2 GiB at once
 *   ranks LOCAL meet SECONDS      makes the world, or prints the error
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "tests/collectives/law.h"
#include "tests/collectives/long_moves.h"

typedef struct seat {
    weft_world *world;
    const char *what;
    law_amount amount;
    int rank, result;
} seat;

/* One rank does what it should not; the others must hear of it: they print what they were told and return 0. */
static int trouble(seat *s, weft_context *cx) {
    weft_comm *c;
    int last = weft_world_size(s->world) - 1;
    float x = 1, y[64];
    weft_coll_buf b = { &x, &y, WEFT_F32, 1, 1, 1 };
    weft_call_site site = { "all_reduce", "model", "step.mlir:41:10", 7 },
                   other = { "all_gather", "data", "step.mlir:50:2", 8 };
    if (weft_comm_world(cx, s->world, s->rank, &c) != WEFT_OK) return 1;
    /* before anybody has had to do with it, and it does not even leave */
    if (!strcmp(s->what, "gives_up") && s->rank == last) {
        weft_world_abort(s->world, "the input of rank 3 is bad");
        for (;;) pause();
    }
    if (strcmp(s->what, "gives_up") && weft_coll_barrier(c, NULL) != WEFT_OK) return 1;
    if (s->rank == last) {
        if (!strcmp(s->what, "killed")) raise(SIGKILL);
        if (!strcmp(s->what, "exits")) _exit(0);
        if (!strcmp(s->what, "differs")) return weft_coll_all_gather(c, &b, 1, &other) != WEFT_ERR_PEER;
        if (!strcmp(s->what, "aborts")) {
            weft_world_abort(s->world, "the input of rank 3 is bad");
            return weft_coll_all_reduce(c, WEFT_SUM, &b, 1, &site) != WEFT_ERR_PEER;
        }
        sleep(3); /* "late": the others' time-out, and before they have said farewell for 2 s */
        return weft_coll_all_reduce(c, WEFT_SUM, &b, 1, &site) != WEFT_ERR_PEER;
    }
    weft_status st = weft_coll_all_reduce(c, WEFT_SUM, &b, 1, &site);
    const weft_diag *d = weft_context_diag(cx, 0);
    printf("rank %d heard: %s:%d:%d: %s\n", s->rank, d && d->file ? d->file : "", d ? (int)d->line : 0,
           d ? (int)d->column : 0, d ? d->message : "nothing");
    fflush(stdout);
    return st != WEFT_ERR_PEER;
}

/* What has failed is not the call that this rank waits in, nor its group. */
static int elsewhere(seat *s, weft_context *cx) {
    static const int near[] = { 0, 1 }, far[] = { 1, 2 };
    weft_comm *all, *here = NULL, *there = NULL;
    float x = 1, y[2];
    weft_coll_buf b = { &x, y, WEFT_F32, 1, 1, 1 };
    if (weft_comm_world(cx, s->world, s->rank, &all) != WEFT_OK) return 1;
    if (s->rank < 2 && weft_comm_group(cx, all, near, 2, &here) != WEFT_OK) return 1;
    if (s->rank > 0 && weft_comm_group(cx, all, far, 2, &there) != WEFT_OK) return 1;
    if (there && weft_coll_all_reduce(there, WEFT_SUM, &b, 1, NULL) != WEFT_OK) return 1;
    weft_status st = s->rank == 1 ? weft_coll_all_gather(here, &b, 1, NULL)
                                  : weft_coll_all_reduce(s->rank ? there : here, WEFT_SUM, &b, 1, NULL);
    printf("rank %d heard: %s\n", s->rank, weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "nothing");
    fflush(stdout);
    weft_comm_free(here);
    weft_comm_free(there);
    weft_comm_free(all);
    return st != WEFT_ERR_PEER;
}

/* MPI ends with all of the processes or with none. */
static int part(seat *s, weft_context *cx) {
    weft_comm *c;
    bool is_last = s->rank == weft_world_size(s->world) - 1, early = !strcmp(s->what, "early");
    if (weft_comm_world(cx, s->world, s->rank, &c) != WEFT_OK) return 1;
    weft_status st = weft_coll_barrier(c, NULL);
    weft_comm_free(c);
    if (is_last && !early) sleep(4); /* twice as long as they wait */
    if (!is_last && early) sleep(1);
    if (!is_last) weft_world_abort(s->world, "the input is bad");
    return st != WEFT_OK;
}

/* Calls of all sizes and kinds of memory, until one fails: others have been killed or stopped. */
static int until(seat *s, weft_context *cx) {
    enum { N = 1 << 18 }; /* so that malloc maps and unmaps what messages are made of */
    weft_comm *c;
    if (weft_comm_world(cx, s->world, s->rank, &c) != WEFT_OK) return 1;
    int size = weft_comm_size(c);
    float *x = weft_comm_alloc(c, N * sizeof *x), *y = malloc((size_t)size * N * sizeof *y), *z = calloc(N, sizeof *z);
    weft_coll_buf place = { x, x, WEFT_F32, 1, 1, N }, stage = { x, y, WEFT_F32, 1, 1, N },
                  small = { z, y, WEFT_F32, 1, 1, 5 }, own = { z, y, WEFT_F32, 1, 1, N };
    weft_status st = x && y && z ? weft_coll_barrier(c, NULL) : WEFT_ERR_MEMORY;
    if (st == WEFT_OK) printf("rank %d works\n", s->rank);
    fflush(stdout);
    while (st == WEFT_OK) {
        st = weft_coll_all_reduce(c, WEFT_SUM, &place, 1, NULL);
        if (st == WEFT_OK) st = weft_coll_all_reduce(c, WEFT_SUM, &stage, 1, NULL);
        if (st == WEFT_OK) st = weft_coll_all_gather(c, &small, 1, NULL);
        if (st == WEFT_OK) st = weft_coll_all_gather(c, &own, 1, NULL);
        if (st == WEFT_OK) st = weft_coll_broadcast(c, size - 1, &own, 1, NULL);
        if (st == WEFT_OK) st = weft_coll_barrier(c, NULL);
    }
    printf("rank %d heard: %s\n", s->rank, weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "nothing");
    fflush(stdout);
    free(y);
    free(z);
    weft_comm_free(c);
    return st != WEFT_ERR_PEER;
}

static int move_much(seat *s, weft_context *cx) {
    weft_comm *c;
    char *in = long_buffer(), *out = long_buffer();
    int how = in && out ? FAILED : NO_MEMORY;
    if (how == FAILED && weft_comm_world(cx, s->world, s->rank, &c) == WEFT_OK) {
        long_fill(in, s->rank);
        how = long_move(c, s->rank, in, out);
        weft_comm_free(c);
    }
    printf("rank %d: %s %s\n", s->rank, how == GOOD ? "moved" : how == NO_MEMORY ? "has too few addresses" : "fails",
           weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "");
    fflush(stdout);
    return how != GOOD && how != NO_MEMORY;
}

static void *sit(void *p) {
    seat *s = p;
    weft_context *cx = weft_context_new(NULL);
    if (!strcmp(s->what, "meet")) {
        s->result = 0;
    } else if (!strcmp(s->what, "elsewhere")) {
        s->result = elsewhere(s, cx);
    } else if (!strcmp(s->what, "long")) {
        s->result = move_much(s, cx);
    } else if (!strcmp(s->what, "until")) {
        s->result = until(s, cx);
    } else if (!strcmp(s->what, "early") || !strcmp(s->what, "overdue")) {
        s->result = part(s, cx);
    } else if (!strcmp(s->what, "law")) {
        s->result = law_run(cx, s->world, s->rank, law_seed(20261121), s->amount, NULL);
        if (s->result) weft_world_abort(s->world, "a case failed");
    } else {
        s->result = trouble(s, cx);
    }
    weft_context_free(cx);
    return NULL;
}

static long number(int argc, char **argv, int i, long otherwise) { return i < argc ? atol(argv[i]) : otherwise; }

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    weft_context *cx = weft_context_new(NULL);
    weft_world *w;
    int local = atoi(argv[1]), failed = 0, limited = !strcmp(argv[2], "until") || !strcmp(argv[2], "meet");
    weft_world_options opt = { .local_ranks = local,
                               .timeout_s = limited && argc > 3       ? atof(argv[3])
                                            : strcmp(argv[2], "late") ? 60
                                                                      : 2,
                               .join_timeout_s = strcmp(argv[2], "until") ? 0 : 60,
                               .rendezvous_key = getenv("WEFT_TEST_KEY") };
    weft_status st = getenv("WEFT_RENDEZVOUS") ? weft_world_create_rendezvous(cx, &opt, &(weft_rendezvous){ 0 }, &w)
                                               : weft_world_create_mpi(cx, &opt, &w);
    for (size_t i = 0; i < weft_context_diag_count(cx); i++) fprintf(stderr, "%s\n", weft_context_diag(cx, i)->message);
    if (st != WEFT_OK) {
        weft_context_free(cx);
        return 1;
    }
    law_amount amount = { number(argc, argv, 3, 0), number(argc, argv, 4, 1), number(argc, argv, 5, 0),
                          number(argc, argv, 6, 0), number(argc, argv, 7, 0) };
    seat seats[16];
    pthread_t threads[16];
    for (int i = 0; i < local; i++) {
        seats[i] = (seat){ w, argv[2], amount, weft_world_first(w) + i, 0 };
        if (i) pthread_create(&threads[i], NULL, sit, &seats[i]);
    }
    sit(&seats[0]);
    for (int i = 0; i < local; i++) {
        if (i) pthread_join(threads[i], NULL);
        failed += seats[i].result;
    }
    bool is_last = weft_world_process(w) == weft_world_processes(w) - 1;
    weft_world_free(w);
    weft_context_free(cx);
    if (!strcmp(argv[2], "early") || !strcmp(argv[2], "overdue")) {
        printf("%s is out\n", is_last ? "the last" : "one");
        fflush(stdout);
        /* the launcher ends the others with the first that MPI has not let go */
        if (!is_last && !strcmp(argv[2], "overdue")) sleep(10);
    }
    return failed != 0;
}
