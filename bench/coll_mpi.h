/* coll_mpi.h: MPI's collectives in the benchmarks, and the timing of a call. Shared by bench/coll, which also has
 * Weft's, and bench/coll_mpi, which any MPI library's compiler builds.
 *
 * A measurement is a barrier, the call, and the time from the first rank's beginning to the last one's end. Each rank's
 * own time alone would be too short for a rank that leaves the barrier late, when its data has already arrived, and for
 * ranks that share a core. Between machines, whose clocks differ, it is the slowest rank's own time. Of many
 * measurements the least counts, since other programs of the machine only add to it. Their number follows from their
 * duration.
 */
#ifndef WEFT_BENCH_COLL_MPI_H
#define WEFT_BENCH_COLL_MPI_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAY_BE_IDLE __attribute__((unused)) /* a program need not call all of these */

/*   name            bytes of memory that each rank reads and writes, at least, over those that copying the full tensor
 * does */
#define EACH_KIND(X)                            \
    X(ALL_REDUCE,     "all_reduce",     1.0)    \
    X(REDUCE_SCATTER, "reduce_scatter", (1 + 1 / p) / 2) \
    X(ALL_GATHER,     "all_gather",     1.0)    \
    X(ALL_TO_ALL,     "all_to_all",     1.0)    \
    X(BROADCAST,      "broadcast",      (p - 1) / p) \
    X(REDUCE,         "reduce",         (1 + 1 / p) / 2) \
    X(GATHER,         "gather",         1 / p)  \
    X(SCATTER,        "scatter",        1 / p)  \
    X(PERMUTE,        "permute",        1.0)    \
    X(BARRIER,        "barrier",        0.0)

#define AS_ENUM(id, name, work) id,
#define AS_NAME(id, name, work) name,
enum { EACH_KIND(AS_ENUM) KINDS };
static const char *const kind_names[] = { EACH_KIND(AS_NAME) };
#undef AS_ENUM
#undef AS_NAME

enum { TURNS_MOST = 3000, TURNS_LEAST = 12 };
#define SECONDS_MOST 0.5 /* for the calls of one line */

typedef struct trail {
    char *in, *out;           /* NULL: every call has the same buffers */
    long bytes, at;
} trail;

typedef struct yard {
    int rank, ranks, one_clock;
    float *in, *out;          /* of as many bytes as the largest full tensor, */
    trail walk;               /* or the part of more memory that a call uses */
} yard;

typedef struct plan {
    long from, to, times;     /* bytes of the full tensor */
    const char *ops;          /* a list of names, NULL: all */
    int private_memory;       /* Weft's buffers come from malloc too */
    int alone;                /* only Weft's calls */
    int cold;                 /* each call has buffers that were not used for a while */
} plan;

/* --sizes FROM:TO:TIMES in bytes, --op NAME,..., --private, --alone, --cold. Whether the arguments are valid. */
MAY_BE_IDLE static int read_plan(int argc, char **argv, plan *p) {
    *p = (plan){ 1024, 1l << 25, 8, NULL, 0, 0, 0 };
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--private")) p->private_memory = 1;
        else if (!strcmp(argv[i], "--alone")) p->alone = 1;
        else if (!strcmp(argv[i], "--cold")) p->cold = 1;
        else if (i + 1 < argc && !strcmp(argv[i], "--op")) p->ops = argv[++i];
        else if (i + 1 >= argc || strcmp(argv[i], "--sizes") != 0 ||
                 sscanf(argv[++i], "%ld:%ld:%ld", &p->from, &p->to, &p->times) != 3)
            return 0;
    }
    return p->from >= 1024 && p->to >= p->from && p->times >= 2;
}

#define WALK (1l << 28) /* more than the caches of known machines hold for a core */

/* Bytes of a buffer. */
MAY_BE_IDLE static long room_of(const plan *p) { return p->cold && p->to < WALK ? WALK : p->to; }

/* The next buffers of so many bytes, after one another in memory that no cache holds. */
MAY_BE_IDLE static void walk_on(trail *w, long bytes, float **in, float **out) {
    w->at += (bytes + 4095) / 4096 * 4096;
    if (w->at + bytes > w->bytes) w->at = 0;
    *in = (float *)(void *)(w->in + w->at);
    *out = (float *)(void *)(w->out + w->at);
}

MAY_BE_IDLE static int is_wanted(const plan *p, int kind) {
    const char *name = kind_names[kind];
    size_t n = strlen(name);
    for (const char *at = p->ops; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (!strncmp(at, name, n) && (at[n] == ',' || !at[n])) return 1;
    return !p->ops;
}

/* A barrier has no sizes. */
MAY_BE_IDLE static long first_size(const plan *p, int kind) { return kind == BARRIER ? 0 : p->from; }
MAY_BE_IDLE static long next_size(const plan *p, int kind, long bytes) {
    return kind == BARRIER ? p->to + 1 : bytes * p->times;
}

MAY_BE_IDLE static void call_mpi(const yard *y, int kind, long count) {
    int share = (int)(count / y->ranks), all = (int)count, right = (y->rank + 1) % y->ranks,
        left = (y->rank + y->ranks - 1) % y->ranks;
    MPI_Comm w = MPI_COMM_WORLD;
    switch (kind) {
    case ALL_REDUCE: MPI_Allreduce(y->in, y->out, all, MPI_FLOAT, MPI_SUM, w); break;
    case REDUCE_SCATTER: MPI_Reduce_scatter_block(y->in, y->out, share, MPI_FLOAT, MPI_SUM, w); break;
    case ALL_GATHER: MPI_Allgather(y->in, share, MPI_FLOAT, y->out, share, MPI_FLOAT, w); break;
    case ALL_TO_ALL: MPI_Alltoall(y->in, share, MPI_FLOAT, y->out, share, MPI_FLOAT, w); break;
    case BROADCAST: MPI_Bcast(y->rank ? y->out : y->in, all, MPI_FLOAT, 0, w); break;
    case REDUCE: MPI_Reduce(y->in, y->out, all, MPI_FLOAT, MPI_SUM, 0, w); break;
    case GATHER: MPI_Gather(y->in, share, MPI_FLOAT, y->out, share, MPI_FLOAT, 0, w); break;
    case SCATTER: MPI_Scatter(y->in, share, MPI_FLOAT, y->out, share, MPI_FLOAT, 0, w); break;
    case PERMUTE:
        MPI_Sendrecv(y->in, all, MPI_FLOAT, right, 0, y->out, all, MPI_FLOAT, left, 0, w, MPI_STATUS_IGNORE);
        break;
    default: MPI_Barrier(w);
    }
}

static double now(void) {
    struct timespec t;
    /* since the machine was started: equal in all its processes, which MPI_Wtime need not be */
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Whether all ranks are on one machine, also in containers or namespaces of their own, except for time namespaces. */
MAY_BE_IDLE static int has_one_clock(void) {
    char mine[80] = "", least[80], most[80];
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
    size_t n = f ? fread(mine, 1, 40, f) : 0;
    if (f) fclose(f);
    if (readlink("/proc/self/ns/time", mine + 40, 39) < 0) mine[40] = 0;
    MPI_Allreduce(mine, least, sizeof mine, MPI_SIGNED_CHAR, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(mine, most, sizeof mine, MPI_SIGNED_CHAR, MPI_MAX, MPI_COMM_WORLD);
    return n > 0 && !memcmp(least, most, sizeof mine);
}

/* The time of a measurement. */
MAY_BE_IDLE static double time_of_all(int one_clock, double start, double end) {
    double mine[] = { -start, end }, all[2], own = end - start;
    MPI_Allreduce(one_clock ? mine : &own, all, one_clock ? 2 : 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return one_clock ? all[0] + all[1] : all[0];
}

#endif
