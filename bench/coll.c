/* coll: Weft's collectives beside MPI's own, alternating, in one run. mpirun -n P bench/coll [--sizes FROM:TO:TIMES]
 * [--op NAME,...] [--private] [--alone] [--cold]
 *
 * Both make the same calls on the same data; Weft's results are first compared with MPI's. A line has Weft's time per
 * call (defined in coll_mpi.h) and bus bandwidth as nccl-tests defines it, then MPI's time, and how many times faster
 * Weft is; then the bound: the time in which the ranks, all at once, copy with memcpy, each within its own memory, as
 * many bytes as the call makes them read and write at least; and the share of it that Weft reaches. With --private
 * Weft's buffers come from malloc, as MPI's always do; with --alone only Weft is timed, and has the caches to itself,
 * as a library with a run of its own; with --cold each call has other buffers, which no cache holds any more. The
 * script bench/collectives puts the times of other libraries beside those.
 */
#include <weft/coll.h>
#include "coll_mpi.h"

typedef struct bench {
    weft_context *cx;
    weft_coll_dtype type;     /* found once, as MPI_FLOAT is */
    weft_comm *comm;
    float *in, *out;          /* Weft's */
    trail walk;
    yard mpi;
} bench;

static weft_status call_weft(bench *b, int kind, long count) {
    int ranks = b->mpi.ranks, rank = b->mpi.rank;
    weft_coll_buf whole = { b->in, b->out, b->type, 1, 1, count }, part = whole, sent = whole;
    part.inner = count / ranks;
    if (rank == 0) sent.out = b->in; /* MPI's root too keeps what it sends where it is */
    switch (kind) {
    case ALL_REDUCE: return weft_coll_all_reduce(b->comm, WEFT_SUM, &whole, 1, NULL);
    case REDUCE_SCATTER: return weft_coll_reduce_scatter(b->comm, WEFT_SUM, &part, 1, NULL);
    case ALL_GATHER: return weft_coll_all_gather(b->comm, &part, 1, NULL);
    case ALL_TO_ALL: return weft_coll_all_to_all(b->comm, 1, &part, 1, NULL);
    case BROADCAST: return weft_coll_broadcast(b->comm, 0, &sent, 1, NULL);
    case REDUCE: return weft_coll_reduce(b->comm, WEFT_SUM, 0, &whole, 1, NULL);
    case GATHER: return weft_coll_gather(b->comm, 0, &part, 1, NULL);
    case SCATTER: return weft_coll_scatter(b->comm, 0, &part, 1, NULL);
    case PERMUTE: return weft_coll_permute(b->comm, (rank + ranks - 1) % ranks, (rank + 1) % ranks, &whole, 1, NULL);
    default: return weft_coll_barrier(b->comm, NULL);
    }
}

/* Elements of this rank's result. */
static long elements(const bench *b, int kind, long count) {
    long share = count / b->mpi.ranks;
    switch (kind) {
    case ALL_REDUCE: case PERMUTE: return count;
    case REDUCE_SCATTER: case SCATTER: return share;
    case BROADCAST: return b->mpi.rank ? count : 0;
    case REDUCE: return b->mpi.rank ? 0 : count;
    case GATHER: return b->mpi.rank ? 0 : share * b->mpi.ranks;
    default: return share * b->mpi.ranks;
    }
}

/* Whole numbers, so that every order of summing gives the same. Returns whether all ranks agree that the results do. */
static int check(bench *b, int kind, long count, weft_status *st) {
    for (long i = 0; i < count; i++) b->in[i] = b->mpi.in[i] = (float)((i * 7 + b->mpi.rank * 13) % 1000);
    int ok = (*st = call_weft(b, kind, count)) == WEFT_OK, all;
    call_mpi(&b->mpi, kind, count);
    ok = ok && !memcmp(b->out, b->mpi.out, (size_t)elements(b, kind, count) * sizeof(float));
    MPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

/* Bytes that a rank copies to cause as much traffic as the call has to. */
static size_t work(const bench *b, int kind, long bytes) {
    double p = b->mpi.ranks;
#define AS_WORK(id, name, work) work,
    const double of_full[] = { EACH_KIND(AS_WORK) };
#undef AS_WORK
    return (size_t)((double)bytes * of_full[kind]);
}

enum { WEFT, MPI, COPY, SIDES };

/* Of both libraries alike, and not within their time. */
static void step(bench *b, int side, long bytes) {
    if (side == MPI) walk_on(&b->mpi.walk, bytes, &b->mpi.in, &b->mpi.out);
    else walk_on(&b->walk, bytes, &b->in, &b->out);
}

static weft_status turn(bench *b, int side, int kind, long bytes) {
    if (side == WEFT) return call_weft(b, kind, bytes / (long)sizeof(float));
    if (side == MPI) call_mpi(&b->mpi, kind, bytes / (long)sizeof(float));
    else memcpy(b->out, b->in, work(b, kind, bytes));
    return WEFT_OK;
}

/* Each library's turn begins after its own barrier: after another's, ranks begin as far apart as that one's messages
 * and memory take to be looked at. */
static weft_status line_up(bench *b, int side) {
    if (side == WEFT) return weft_coll_barrier(b->comm, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    return WEFT_OK;
}

static int measure(bench *b, int kind, long bytes, int sides) {
    double least[SIDES] = { 1e9, 1e9, 1e9 }, spent = 0;
    weft_status st;
    for (int side = WEFT; side <= MPI && b->walk.in; side++) step(b, side, bytes); /* into room for this size */
    if (!check(b, kind, bytes / (long)sizeof(float), &st)) {
        if (st != WEFT_OK) fprintf(stderr, "coll: %s\n", weft_context_diag(b->cx, 0)->message);
        else if (b->mpi.rank == 0) printf("%s of %ld B: wrong result\n", kind_names[kind], bytes);
        return 1;
    }
    for (int i = -3; i < TURNS_MOST && (i < TURNS_LEAST || spent < 2 * SECONDS_MOST); i++)
        for (int side = 0; side < sides; side++) {
            if (b->walk.in) step(b, side, bytes);
            if (line_up(b, side) != WEFT_OK) return 1;
            double start = now();
            if (turn(b, side, kind, bytes) != WEFT_OK) return 1;
            double t = time_of_all(b->mpi.one_clock, start, now());
            spent += t;
            if (i >= 0 && t < least[side]) least[side] = t;
        }
    int ranks = b->mpi.ranks;
    if (sides == 1 && b->mpi.rank == 0)
        printf("%-15s P=%d %10ld B %10.2f us\n", kind_names[kind], ranks, bytes, least[WEFT] * 1e6);
    double f = (kind == ALL_REDUCE ? 2.0 : 1.0) *
               (kind == BROADCAST || kind == REDUCE || kind == PERMUTE ? 1.0 : (ranks - 1.0) / ranks);
    if (b->mpi.rank == 0 && sides > 1)
        printf(
            "%-15s P=%d %10ld B %10.2f us  busbw %7.2f GB/s   MPI %10.2f us  ratio %5.2f   copy %10.2f us  share %4.0f%%\n",
            kind_names[kind], ranks, bytes, least[WEFT] * 1e6, (double)bytes * f / least[WEFT] / 1e9, least[MPI] * 1e6,
            least[MPI] / least[WEFT], least[COPY] * 1e6, 100 * least[COPY] / least[WEFT]);
    fflush(stdout);
    return 0;
}

static void *buffer(bench *b, const plan *p) {
    size_t bytes = (size_t)room_of(p);
    void *q = p->private_memory ? malloc(bytes) : weft_comm_alloc(b->comm, bytes);
    if (q) memset(q, 1, bytes); /* not zeros: malloc and zeros are calloc, whose pages are all the system's one */
    return q;
}

static void unbuffer(bench *b, const plan *p, void *q) {
    if (p->private_memory) free(q);
    else weft_comm_dealloc(b->comm, q);
}

static int give_up(const char *why) {
    fprintf(stderr, "coll: %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
}

int main(int argc, char **argv) {
    plan p;
    int bad = 0, level, n;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    if (!read_plan(argc, argv, &p))
        return give_up("usage: coll [--sizes FROM:TO:TIMES] [--op NAME,...] [--private] [--alone] [--cold]");
    weft_context *cx = weft_context_new(NULL);
    weft_world_options opt = { .local_ranks = 1 };
    weft_world *w;
    bench b = { 0 };
    if (!cx || weft_world_create_mpi(cx, &opt, &w) != WEFT_OK ||
        weft_comm_world(cx, w, weft_world_first(w), &b.comm) != WEFT_OK) {
        const weft_diag *d = cx ? weft_context_diag(cx, 0) : NULL;
        return give_up(d ? d->message : "out of memory");
    }
    b.cx = cx;
    b.type = weft_coll_type("f32");
    size_t room = (size_t)room_of(&p);
    char *in = buffer(&b, &p), *out = buffer(&b, &p), *mpi_in = malloc(room), *mpi_out = malloc(room);
    if (!in || !out || !mpi_in || !mpi_out) return give_up("out of memory");
    memset(mpi_in, 1, room);
    memset(mpi_out, 1, room);
    b.in = (float *)(void *)in, b.out = (float *)(void *)out;
    b.mpi = (yard){ weft_comm_rank(b.comm), weft_comm_size(b.comm), has_one_clock(), (float *)(void *)mpi_in,
                    (float *)(void *)mpi_out, { 0 } };
    if (p.cold) {
        b.walk = (trail){ in, out, (long)room, 0 };
        b.mpi.walk = (trail){ mpi_in, mpi_out, (long)room, 0 };
    }
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Get_library_version(version, &n);
    version[strcspn(version, ",\n")] = 0;
    if (b.mpi.rank == 0) printf("%d ranks beside %s\n", b.mpi.ranks, version);
    for (int kind = 0; kind < KINDS && !bad; kind++)
        for (long bytes = first_size(&p, kind); is_wanted(&p, kind) && bytes <= p.to && !bad;
             bytes = next_size(&p, kind, bytes))
            bad = measure(&b, kind, bytes, p.alone ? 1 : SIDES);
    unbuffer(&b, &p, in);
    unbuffer(&b, &p, out);
    free(mpi_in);
    free(mpi_out);
    weft_comm_free(b.comm);
    weft_world_free(w);
    weft_context_free(cx);
    MPI_Finalize();
    return bad;
}
