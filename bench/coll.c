/* coll: Weft's collectives beside MPI's own, in turns, in one run. mpirun -n P bench/coll [MAXBYTES [private]]
 *
 * Both do the same calls on the same data; Weft's results are checked against MPI's first. A line is Weft's time per call (the
 * median of the slowest rank's) and bus bandwidth as nccl-tests defines it, then MPI's, then how many times faster Weft is.
 * The bound is what P ranks copy at once with memcpy, each its share: an all-gather cannot be faster.
 * With "private" Weft's buffers come from malloc and are staged, as MPI's always are.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/coll.h>

enum { ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, KINDS };
static const char *const names[] = { "all_reduce", "all_gather", "reduce_scatter", "all_to_all" };

typedef struct bench {
    weft_comm *comm;
    int rank, ranks;
    float *in, *out, *mpi_in, *mpi_out;
} bench;

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static weft_status call_weft(bench *b, int kind, long count) {
    long share = count / b->ranks;
    weft_coll_buf whole = { b->in, b->out, weft_coll_type("f32"), 1, 1, count }, part = whole;
    part.inner = share;
    switch (kind) {
    case ALL_REDUCE: return weft_coll_all_reduce(b->comm, WEFT_SUM, &whole, 1, NULL);
    case ALL_GATHER: return weft_coll_all_gather(b->comm, &part, 1, NULL);
    case REDUCE_SCATTER: return weft_coll_reduce_scatter(b->comm, WEFT_SUM, &part, 1, NULL);
    default: return weft_coll_all_to_all(b->comm, 1, &part, 1, NULL);
    }
}

static void call_mpi(bench *b, int kind, long count) {
    int share = (int)(count / b->ranks);
    switch (kind) {
    case ALL_REDUCE: MPI_Allreduce(b->mpi_in, b->mpi_out, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); break;
    case ALL_GATHER: MPI_Allgather(b->mpi_in, share, MPI_FLOAT, b->mpi_out, share, MPI_FLOAT, MPI_COMM_WORLD); break;
    case REDUCE_SCATTER: MPI_Reduce_scatter_block(b->mpi_in, b->mpi_out, share, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); break;
    default: MPI_Alltoall(b->mpi_in, share, MPI_FLOAT, b->mpi_out, share, MPI_FLOAT, MPI_COMM_WORLD);
    }
}

static void slowest(double *t) {
    double mine = *t;
    MPI_Allreduce(&mine, t, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

/* Whole numbers, so that every order of summing gives the same. Returns whether all ranks agree that the results do. */
static int check(bench *b, int kind, long count) {
    for (long i = 0; i < count; i++) b->in[i] = b->mpi_in[i] = (float)((i * 7 + b->rank * 13) % 1000);
    int ok = call_weft(b, kind, count) == WEFT_OK, all;
    call_mpi(b, kind, count);
    long n = kind == REDUCE_SCATTER ? count / b->ranks : count / b->ranks * b->ranks;
    ok = ok && !memcmp(b->out, b->mpi_out, (size_t)n * sizeof(float));
    MPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

static int measure(bench *b, int kind, long bytes) {
    long count = bytes / (long)sizeof(float);
    int turns = bytes < 1 << 16 ? 400 : bytes < 1 << 22 ? 60 : 12;
    double *ours = malloc(2 * (size_t)turns * sizeof *ours), *theirs = ours + turns;
    if (!ours || !check(b, kind, count)) {
        if (b->rank == 0) printf("%s of %ld B: wrong result\n", names[kind], bytes);
        free(ours);
        return 1;
    }
    for (int i = -3; i < turns; i++) {
        double t[2];
        for (int side = 0; side < 2; side++) {
            MPI_Barrier(MPI_COMM_WORLD);
            double start = MPI_Wtime();
            if (side == 0) {
                if (call_weft(b, kind, count) != WEFT_OK) return 1;
            } else {
                call_mpi(b, kind, count);
            }
            t[side] = MPI_Wtime() - start;
            slowest(&t[side]);
        }
        if (i >= 0) ours[i] = t[0], theirs[i] = t[1];
    }
    qsort(ours, (size_t)turns, sizeof *ours, by_value);
    qsort(theirs, (size_t)turns, sizeof *theirs, by_value);
    double f = (kind == ALL_REDUCE ? 2.0 : 1.0) * (b->ranks - 1) / b->ranks, w = ours[turns / 2], m = theirs[turns / 2];
    if (b->rank == 0)
        printf("%-15s P=%d %10ld B %10.1f us  busbw %7.2f GB/s   MPI %10.1f us  busbw %7.2f GB/s   ratio %5.2f\n", names[kind], b->ranks, bytes,
               w * 1e6, (double)bytes * f / w / 1e9, m * 1e6, (double)bytes * f / m / 1e9, m / w);
    free(ours);
    return 0;
}

/* What all ranks together copy per second, each its own memory. */
static void print_bound(bench *b, long bytes) {
    double best = 0;
    for (int i = 0; i < 5; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        memcpy(b->mpi_out, b->mpi_in, (size_t)bytes);
        double t = MPI_Wtime() - start;
        slowest(&t);
        if ((double)bytes / t > best) best = (double)bytes / t;
    }
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int n;
    MPI_Get_library_version(version, &n);
    version[strcspn(version, ",\n")] = 0;
    if (b->rank == 0) printf("%d ranks beside %s; memcpy of %ld B by all at once: %.2f GB/s each\n", b->ranks, version, bytes, best / 1e9);
}

int main(int argc, char **argv) {
    long most = argc > 1 ? atol(argv[1]) : 1l << 25;
    int staged = argc > 2 && !strcmp(argv[2], "private"), bad = 0, level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    weft_context *cx = weft_context_new(NULL);
    weft_world_options opt = { .local_ranks = 1 };
    weft_world *w;
    bench b = { 0 };
    if (!cx || weft_world_create_mpi(cx, &opt, &w) != WEFT_OK || weft_comm_world(cx, w, weft_world_first(w), &b.comm) != WEFT_OK) {
        const weft_diag *d = cx ? weft_context_diag(cx, 0) : NULL;
        fprintf(stderr, "coll: %s\n", d ? d->message : "out of memory");
        MPI_Abort(MPI_COMM_WORLD, 1);
        return 1;
    }
    b.rank = weft_comm_rank(b.comm);
    b.ranks = weft_comm_size(b.comm);
    b.in = staged ? malloc((size_t)most) : weft_comm_alloc(b.comm, (size_t)most);
    b.out = staged ? malloc((size_t)most) : weft_comm_alloc(b.comm, (size_t)most);
    b.mpi_in = malloc((size_t)most);
    b.mpi_out = malloc((size_t)most);
    if (!b.in || !b.out || !b.mpi_in || !b.mpi_out) {
        fprintf(stderr, "coll: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
        return 1;
    }
    memset(b.mpi_in, 0, (size_t)most);
    memset(b.mpi_out, 0, (size_t)most);
    print_bound(&b, most);
    for (int kind = 0; kind < KINDS && !bad; kind++)
        for (long bytes = 1024; bytes <= most && !bad; bytes *= 8) bad = measure(&b, kind, bytes);
    if (!staged) weft_comm_dealloc(b.comm, b.in), weft_comm_dealloc(b.comm, b.out);
    else free(b.in), free(b.out);
    free(b.mpi_in);
    free(b.mpi_out);
    weft_comm_free(b.comm);
    weft_world_free(w);
    weft_context_free(cx);
    MPI_Finalize();
    return bad;
}
