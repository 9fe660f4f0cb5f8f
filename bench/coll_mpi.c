/* coll_mpi: an MPI library's own collectives, as bench/coll times them: mpicc.mpich bench/coll_mpi.c, mpirun.mpich -n P
 * coll_mpi. coll_ccl.cpp has oneCCL's in their place. */
#include "coll_mpi.h"

#ifndef CALL
#define CALL call_mpi
#define HAS(kind) 1
#define BEGIN(y)
#define END()
#endif

static double measure(yard *y, int kind, long bytes) {
    double least = 1e9, spent = 0;
    for (int i = -3; i < TURNS_MOST && (i < TURNS_LEAST || spent < SECONDS_MOST); i++) {
        if (y->walk.in) walk_on(&y->walk, bytes, &y->in, &y->out);
        MPI_Barrier(MPI_COMM_WORLD);
        double start = now();
        CALL(y, kind, bytes / (long)sizeof(float));
        double t = time_of_all(y->one_clock, start, now());
        spent += t;
        if (i >= 0 && t < least) least = t;
    }
    return least;
}

int main(int argc, char **argv) {
    plan p;
    yard y = { 0, 0, 0, NULL, NULL, { NULL, NULL, 0, 0 } };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &y.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &y.ranks);
    y.one_clock = has_one_clock();
    int fine = read_plan(argc, argv, &p);
    long room = fine ? room_of(&p) : 0;
    char *in = fine ? (char *)malloc((size_t)room) : NULL, *out = fine ? (char *)malloc((size_t)room) : NULL;
    if (!in || !out) {
        fprintf(stderr, "usage: coll_mpi [--sizes FROM:TO:TIMES] [--op NAME,...] [--cold]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
        return 2;
    }
    /* not zeros, for which the compiler has calloc: then all that is read would be the system's one page of them */
    memset(in, 1, (size_t)room);
    memset(out, 1, (size_t)room);
    y.in = (float *)(void *)in;
    y.out = (float *)(void *)out;
    if (p.cold) {
        y.walk.in = in;
        y.walk.out = out;
        y.walk.bytes = room;
    }
    BEGIN(&y);
    for (int kind = 0; kind < KINDS; kind++)
        for (long bytes = first_size(&p, kind); is_wanted(&p, kind) && HAS(kind) && bytes <= p.to;
             bytes = next_size(&p, kind, bytes)) {
            double t = measure(&y, kind, bytes);
            if (y.rank == 0)
                printf("%-15s P=%d %10ld B %10.2f us\n", kind_names[kind], y.ranks, bytes, t * 1e6), fflush(stdout);
        }
    END();
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
