/* mpi: libweft_mpi's calls beside MPI's own, in turns in one run: mpirun -n 2 -x LD_PRELOAD=libweft_mpi.so
 * -x WEFT_MPI=all bench/mpi [--sizes FROM:TO:TIMES] [--op NAME,...]. Buffers are malloc's. A line is a call as the
 * program makes it and by MPI's second name, which passes the library by (coll_mpi.h says how a call is timed), and how
 * many times faster it is. Without the library both are MPI's: what the ratios then differ from 1 by is the noise.
 * Scan, Gatherv and Scatterv, which the library leaves to MPI, stand beside what they would be by calls that it takes:
 * a gather of all operands that each rank sums, in the order of ranks; and a gather or a scatter after a broadcast of
 * its size, which the root alone knows.
 */
#include "coll_mpi.h"

#define EACH_CALL(X) X(Allreduce) X(Reduce) X(Reduce_scatter) X(Reduce_scatter_block) X(Allgather) X(Allgatherv) \
    X(Alltoall) X(Alltoallv) X(Bcast) X(Gather) X(Scatter) X(Barrier) \
    X(Iallreduce) X(Ireduce) X(Ireduce_scatter) X(Ireduce_scatter_block) X(Iallgather) X(Iallgatherv) \
    X(Ialltoall) X(Ialltoallv) X(Ibcast) X(Igather) X(Iscatter) X(Ibarrier) X(Scan) X(Gatherv) X(Scatterv)
#define AS_ID(name) CALL_##name,
#define AS_TEXT(name) #name,
enum { EACH_CALL(AS_ID) CALLS };
static const char *const call_names[] = { EACH_CALL(AS_TEXT) };

typedef struct lists { int *n, *at; } lists; /* equal blocks */

#define GO(name, ...) (second ? PMPI_##name(__VA_ARGS__) : MPI_##name(__VA_ARGS__))

static void scan_by_gather(const yard *y, int share) {
    MPI_Allgather(y->in, share, MPI_FLOAT, y->out, share, MPI_FLOAT, MPI_COMM_WORLD);
    for (int k = 1; k <= y->rank; k++)
        for (int i = 0; i < share; i++) y->out[i] += y->out[(long)k * share + i];
}

static void call(const yard *y, const lists *l, int which, int count, int second) {
    int share = count / y->ranks;
    MPI_Comm w = MPI_COMM_WORLD;
    MPI_Datatype f = MPI_FLOAT;
    MPI_Request q = MPI_REQUEST_NULL;
    switch (which) {
    case CALL_Allreduce: GO(Allreduce, y->in, y->out, count, f, MPI_SUM, w); break;
    case CALL_Reduce: GO(Reduce, y->in, y->out, count, f, MPI_SUM, 0, w); break;
    case CALL_Reduce_scatter: GO(Reduce_scatter, y->in, y->out, l->n, f, MPI_SUM, w); break;
    case CALL_Reduce_scatter_block: GO(Reduce_scatter_block, y->in, y->out, share, f, MPI_SUM, w); break;
    case CALL_Allgather: GO(Allgather, y->in, share, f, y->out, share, f, w); break;
    case CALL_Allgatherv: GO(Allgatherv, y->in, share, f, y->out, l->n, l->at, f, w); break;
    case CALL_Alltoall: GO(Alltoall, y->in, share, f, y->out, share, f, w); break;
    case CALL_Alltoallv: GO(Alltoallv, y->in, l->n, l->at, f, y->out, l->n, l->at, f, w); break;
    case CALL_Bcast: GO(Bcast, y->rank ? y->out : y->in, count, f, 0, w); break;
    case CALL_Gather: GO(Gather, y->in, share, f, y->out, share, f, 0, w); break;
    case CALL_Scatter: GO(Scatter, y->in, share, f, y->out, share, f, 0, w); break;
    case CALL_Scan:
        if (second) PMPI_Scan(y->in, y->out, share, f, MPI_SUM, w);
        else scan_by_gather(y, share);
        break;
    case CALL_Gatherv:
        if (second) PMPI_Gatherv(y->in, share, f, y->out, l->n, l->at, f, 0, w);
        else MPI_Bcast(&count, 1, MPI_INT, 0, w), MPI_Gather(y->in, share, f, y->out, share, f, 0, w);
        break;
    case CALL_Scatterv:
        if (second) PMPI_Scatterv(y->in, l->n, l->at, f, y->out, share, f, 0, w);
        else MPI_Bcast(&count, 1, MPI_INT, 0, w), MPI_Scatter(y->in, share, f, y->out, share, f, 0, w);
        break;
    case CALL_Iallreduce: GO(Iallreduce, y->in, y->out, count, f, MPI_SUM, w, &q); break;
    case CALL_Ireduce: GO(Ireduce, y->in, y->out, count, f, MPI_SUM, 0, w, &q); break;
    case CALL_Ireduce_scatter: GO(Ireduce_scatter, y->in, y->out, l->n, f, MPI_SUM, w, &q); break;
    case CALL_Ireduce_scatter_block: GO(Ireduce_scatter_block, y->in, y->out, share, f, MPI_SUM, w, &q); break;
    case CALL_Iallgather: GO(Iallgather, y->in, share, f, y->out, share, f, w, &q); break;
    case CALL_Iallgatherv: GO(Iallgatherv, y->in, share, f, y->out, l->n, l->at, f, w, &q); break;
    case CALL_Ialltoall: GO(Ialltoall, y->in, share, f, y->out, share, f, w, &q); break;
    case CALL_Ialltoallv: GO(Ialltoallv, y->in, l->n, l->at, f, y->out, l->n, l->at, f, w, &q); break;
    case CALL_Ibcast: GO(Ibcast, y->rank ? y->out : y->in, count, f, 0, w, &q); break;
    case CALL_Igather: GO(Igather, y->in, share, f, y->out, share, f, 0, w, &q); break;
    case CALL_Iscatter: GO(Iscatter, y->in, share, f, y->out, share, f, 0, w, &q); break;
    case CALL_Ibarrier: GO(Ibarrier, w, &q); break;
    default: GO(Barrier, w);
    }
    PMPI_Wait(&q, MPI_STATUS_IGNORE); /* at once, where there is none */
}

/* Until MPI's own time_of_all and barrier, which go past the library, say that all are there. */
static double turn(const yard *y, const lists *l, int which, int count, int second) {
    double mine[2], all[2];
    PMPI_Barrier(MPI_COMM_WORLD);
    mine[0] = -now();
    call(y, l, which, count, second);
    mine[1] = now();
    PMPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all[0] + all[1];
}

static void measure(const yard *y, const lists *l, int which, long bytes) {
    double least[2] = { 1e9, 1e9 }, spent = 0;
    int count = (int)(bytes / (long)sizeof(float));
    for (int k = 0; k < y->ranks; k++) l->n[k] = count / y->ranks, l->at[k] = k * (count / y->ranks);
    for (int i = -3; i < TURNS_MOST && (i < TURNS_LEAST || spent < 2 * SECONDS_MOST); i++)
        for (int side = 0; side < 2; side++) {
            double t = turn(y, l, which, count, side);
            spent += t;
            if (i >= 0 && t < least[side]) least[side] = t;
        }
    if (y->rank) return;
    printf("MPI_%-21s P=%d %10ld B %10.2f us   MPI %10.2f us  ratio %5.2f\n", call_names[which], y->ranks, bytes,
           least[0] * 1e6, least[1] * 1e6, least[1] / least[0]);
    fflush(stdout);
}

int main(int argc, char **argv) {
    plan p = { 8, 1l << 25, 8, NULL, 0, 0, 0 };
    MPI_Init(&argc, &argv);
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--op")) p.ops = argv[i + 1];
        else if (sscanf(argv[i + 1], "%ld:%ld:%ld", &p.from, &p.to, &p.times) != 3 || p.times < 2) return 2;
    }
    yard y = { .in = malloc((size_t)p.to), .out = malloc((size_t)p.to) };
    MPI_Comm_rank(MPI_COMM_WORLD, &y.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &y.ranks);
    lists l = { malloc((size_t)y.ranks * sizeof(int)), malloc((size_t)y.ranks * sizeof(int)) };
    if (!y.in || !y.out || !l.n || !l.at) MPI_Abort(MPI_COMM_WORLD, 2);
    memset(y.in, 0, (size_t)p.to);
    memset(y.out, 0, (size_t)p.to);
    for (int which = 0; which < CALLS; which++) {
        size_t n = strlen(call_names[which]);
        const char *at = p.ops ? strstr(p.ops, call_names[which]) : "";
        while (p.ops && at && ((at > p.ops && at[-1] != ',') || (at[n] && at[n] != ',')))
            at = strstr(at + 1, call_names[which]);
        int is_barrier = which == CALL_Barrier || which == CALL_Ibarrier;
        for (long bytes = is_barrier ? p.to : p.from; at && bytes <= p.to; bytes *= p.times)
            measure(&y, &l, which, bytes);
    }
    free(y.in), free(y.out), free(l.n), free(l.at);
    MPI_Finalize();
    return 0;
}
