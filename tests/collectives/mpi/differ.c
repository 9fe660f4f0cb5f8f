/* differ: each collective as the program calls it, and by MPI's second name beside it, on the same data: the results
 * are the same bytes, what lies between and around the elements included; sums of floats that are no whole numbers
 * are equal to rounding. Datatypes, layouts (each rank has its own for one signature), operations, counts, roots,
 * communicators and in-place-ness are random; so is the form: blocking, nonblocking, or persistent where MPI has that,
 * and the call that waits for it. mpirun -n P differ [ROUNDS [SEED [threads]]]; prints what differs.
 */
#include <complex.h>
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

enum { BCAST, ALLREDUCE, REDUCE, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK, ALLGATHER, ALLGATHERV, GATHER, GATHERV, SCATTER,
       SCATTERV, ALLTOALL, ALLTOALLV, BARRIER, KINDS };
static const char *const names[] = { "Bcast", "Allreduce", "Reduce", "Reduce_scatter", "Reduce_scatter_block",
                                     "Allgather", "Allgatherv", "Gather", "Gatherv", "Scatter", "Scatterv", "Alltoall",
                                     "Alltoallv", "Barrier" };

static uint64_t next(uint64_t *s) { /* xorshift64*, Vigna 2016 */
    *s ^= *s >> 12, *s ^= *s << 25, *s ^= *s >> 27;
    return *s * 2685821657736338717u;
}
static int below(uint64_t *s, int n) { return (int)(next(s) >> 33) % n; }

/* --- data --------------------------------------------------------------------------------------------------------- */

typedef struct base { MPI_Datatype t; const char *name; int bytes, is_float; } base;
static base bases[] = {
    { MPI_INT, "int", 4, 0 }, { MPI_LONG, "long", 8, 0 }, { MPI_SHORT, "short", 2, 0 }, { MPI_SIGNED_CHAR, "schar", 1, 0 },
    { MPI_UNSIGNED, "unsigned", 4, 0 }, { MPI_UINT64_T, "u64", 8, 0 }, { MPI_UNSIGNED_SHORT, "ushort", 2, 0 },
    { MPI_FLOAT, "float", 4, 1 }, { MPI_DOUBLE, "double", 8, 2 }, { MPI_C_FLOAT_COMPLEX, "cfloat", 8, 3 },
    { MPI_C_DOUBLE_COMPLEX, "cdouble", 16, 4 }, { MPI_BYTE, "byte", 1, -1 }, { MPI_CHAR, "char", 1, -2 },
    { MPI_DOUBLE_INT, "double_int", 12, -3 }, { MPI_WCHAR, "wchar", 4, -2 },
};
#define BASES (int)(sizeof bases / sizeof *bases)

typedef struct pair { double d; int i; } pair; /* MPI_DOUBLE_INT */

static int takes(const base *b, MPI_Op op) {
    int sums = op == MPI_SUM || op == MPI_PROD, orders = op == MPI_MIN || op == MPI_MAX,
        bits = op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR, logic = op == MPI_LAND || op == MPI_LOR;
    if (b->is_float == 0) return sums || orders || bits || logic;
    if (b->is_float == -1) return bits;
    if (b->is_float == -3) return op == MPI_MINLOC;
    if (b->is_float < 0) return 0;
    return sums || (orders && b->is_float < 3);
}

/* Elements of a reduction: whole numbers in floats, or any with `fractions`; integers whose sums do not overflow, which
 * MPI leaves open (Open MPI 4's AVX code saturates those of 16 bits). */
static void fill(void *p, const base *b, int64_t n, uint64_t *s, int fractions, int is_small) {
    int64_t f = b->is_float == 3 || b->is_float == 4 ? 2 * n : n;
    int is_single = b->is_float == 1 || b->is_float == 3, is_pair = b->is_float == -3;
    for (int64_t i = 0; i < f && (b->is_float > 0 || is_pair); i++) {
        double v = fractions ? (double)(next(s) >> 11) * 0x1p-53 - 0.5 : below(s, 3) - 1;
        if (is_pair) ((pair *)p)[i] = (pair){ v, below(s, 9) };
        else if (is_single) ((float *)p)[i] = (float)v;
        else ((double *)p)[i] = v;
    }
    if (b->is_float > 0 || is_pair) return;
    for (int64_t i = 0; i < n && is_small; i++) {
        int64_t v = below(s, 2);
        memcpy((char *)p + i * b->bytes, &v, (size_t)b->bytes); /* low bytes first */
    }
    /* MPICH 4.0.2 compares unsigned numbers as signed ones: the highest bit stays 0 */
    for (int64_t i = 0; i < n * b->bytes && !is_small; i++)
        ((unsigned char *)p)[i] = (unsigned char)(next(s) & (i % b->bytes == b->bytes - 1 ? 0x7f : 0xff));
}

/* How n elements lie: as they are; as one row; with gaps; in the reverse order; in rows of two. */
typedef struct layout { MPI_Datatype t; int count; int64_t span; int mine; } layout;

static layout lay(const base *b, int n, uint64_t *s) {
    MPI_Aint lb, extent;
    MPI_Type_get_extent(b->t, &lb, &extent);
    layout l = { b->t, n, n * extent, 0 };
    switch (n ? below(s, 6) : 0) { /* Open MPI hangs where one rank gives no elements and another one empty element */
    case 1:
        MPI_Type_contiguous(n, b->t, &l.t);
        l.count = 1;
        break;
    case 2: {
        MPI_Datatype one;
        MPI_Type_dup(b->t, &one);
        MPI_Type_create_resized(one, 0, 3 * extent, &l.t);
        MPI_Type_free(&one);
        l.span = 3 * extent * n;
        break;
    }
    case 3: {
        if (n > 4000) return l;
        int *at = malloc((size_t)(n + 1) * sizeof *at);
        for (int i = 0; i < n; i++) at[i] = n - 1 - i;
        MPI_Type_create_indexed_block(n, 1, at, b->t, &l.t);
        free(at);
        l.count = 1;
        break;
    }
    case 4: {
        MPI_Datatype two;
        if (n % 2) return l;
        MPI_Type_contiguous(2, b->t, &two);
        MPI_Type_contiguous(1, two, &l.t);
        MPI_Type_free(&two);
        l.count = n / 2;
        break;
    }
    default: return l;
    }
    l.mine = 1;
    MPI_Type_commit(&l.t);
    return l;
}
static void unlay(layout *l) { if (l->mine) MPI_Type_free(&l->t); }

/* --- one round ---------------------------------------------------------------------------------------------------- */

typedef struct trial {
    int kind, root, in_place, fractions, n, form;
    const base *b;
    MPI_Op op;
    MPI_Comm comm;
    int rank, size;
} trial;

#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
#define EACH(name, ...) MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &q)
#elif defined OMPI_HAVE_MPI_EXT_PCOLLREQ
#define EACH(name, ...) MPIX_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &q)
#else
#define EACH(name, ...) MPI_##name(__VA_ARGS__)
#endif
enum { NOW, LATER, REPEATED, FORMS };
#define CALL(name, rest, ...)                                   \
    (second ? PMPI_##name(__VA_ARGS__)                          \
     : t->form == NOW ? MPI_##name(__VA_ARGS__)                 \
     : t->form == LATER ? MPI_I##rest(__VA_ARGS__, &q)          \
                        : EACH(name, __VA_ARGS__))

/* By any of the calls that complete a request. */
static int wait_for(MPI_Request *q, uint64_t *s) {
    MPI_Status status;
    int rc = MPI_SUCCESS, done = 0, n = 0, index = -1;
    switch (below(s, 9)) {
    case 0: return MPI_Wait(q, &status);
    case 1: return MPI_Waitall(1, q, &status);
    case 2: rc = MPI_Waitany(1, q, &index, &status); return rc ? rc : index;
    case 3: rc = MPI_Waitsome(1, q, &n, &index, &status); return rc ? rc : n != 1 || index;
    case 4: while (!done && !rc) rc = MPI_Test(q, &done, &status); return rc;
    case 5: while (!done && !rc) rc = MPI_Testall(1, q, &done, &status); return rc;
    case 6: while (!done && !rc) rc = MPI_Testany(1, q, &index, &done, &status); return rc ? rc : index;
    case 7: while (n != 1 && !rc) rc = MPI_Testsome(1, q, &n, &index, &status); return rc ? rc : index;
    default:
        while (!done && !rc) rc = MPI_Request_get_status(*q, &done, &status);
        return rc ? rc : MPI_Wait(q, MPI_STATUS_IGNORE);
    }
}

/* The end of a call that was begun; of a persistent one all of it, twice where that changes nothing. */
static int complete(const trial *t, MPI_Request *q, uint64_t *s) {
    int rc = MPI_SUCCESS;
    if (*q == MPI_REQUEST_NULL) return rc;
    if (t->form == LATER) {
        rc = wait_for(q, s);
        return rc ? rc : *q != MPI_REQUEST_NULL;
    }
    for (int i = 0; i < (t->in_place ? 1 : 2) && !rc; i++) {
        rc = below(s, 2) ? MPI_Start(q) : MPI_Startall(1, q);
        if (!rc) rc = wait_for(q, s);
    }
    return rc ? rc : MPI_Request_free(q);
}

static int reduces(int kind) { return kind >= ALLREDUCE && kind <= REDUCE_SCATTER_BLOCK; }

static int agrees(const trial *t, const void *a, const void *b, size_t bytes) {
    if (!memcmp(a, b, bytes)) return 1;
    if (!reduces(t->kind) || t->b->is_float < 1) return 0;
    int is_single = t->b->is_float == 1 || t->b->is_float == 3;
    for (size_t i = 0; i < bytes / (is_single ? 4 : 8); i++) {
        double x = is_single ? ((const float *)a)[i] : ((const double *)a)[i],
               y = is_single ? ((const float *)b)[i] : ((const double *)b)[i];
        /* the sum of at most `size` numbers below 1, in any order; else -0 is 0 */
        double most = t->fractions ? t->size * t->size * (is_single ? 0x1p-23 : 0x1p-52) : 0;
        if (x != y && !(fabs(x - y) <= most)) return 0;
    }
    return 1;
}

/* Counts and places of blocks, drawn of *shared alike on all ranks; for one rank's own sides of *own. */
static int64_t blocks_of(int *n, int *at, int size, uint64_t *s, int most) {
    int64_t sum = 0;
    for (int k = 0; k < size; k++) n[k] = below(s, 4) ? below(s, most + 1) : 0;
    for (int k = 0; k < size; k++) at[k] = (int)sum, sum += n[k];
    return sum;
}

static int run(const trial *t, uint64_t *shared, uint64_t *own) {
    int p = t->size, me = t->rank, n = t->n, bad = 0;
    MPI_Aint lb, extent;
    MPI_Type_get_extent(t->b->t, &lb, &extent);
    int *counts = calloc(6 * (size_t)p, sizeof *counts), *at = counts + p, *out_n = at + p, *out_at = out_n + p;
    int64_t whole = blocks_of(counts, at, p, shared, n), in_span = 0, out_span = 0, shift = 0;
    uint64_t pairs = next(shared);
    layout in = { t->b->t, n, n * extent, 0 }, out = in;
    int rows = t->kind == REDUCE_SCATTER_BLOCK || t->kind == ALLTOALL || t->kind == SCATTER ? p : 1;
    int out_rows = t->kind == ALLGATHER || t->kind == GATHER || t->kind == ALLTOALL ||
                   (t->kind == REDUCE_SCATTER_BLOCK && t->in_place) ? p : 1;
    if (t->kind == BCAST || t->kind == ALLGATHER || t->kind == GATHER || t->kind == SCATTER || t->kind == ALLTOALL) {
        in = lay(t->b, n, own);
        out = lay(t->b, n, own);
    }
    in_span = in.span * rows, out_span = out.span * out_rows;
    switch (t->kind) {
    case ALLGATHERV: {
        /* Each rank has its own places: with gaps, before the buffer, and for a block without elements anywhere. */
        int64_t a = 0;
        for (int k = p - 1; k >= 0; k--) out_at[k] = (int)a, a += counts[k] + below(own, 3);
#if !defined MPICH_VERSION && !defined MPI_ABI_VERSION /* MPICH 4.0.2 by itself writes elsewhere */
        shift = below(own, (int)a + 1);
#endif
        for (int k = 0; k < p; k++) out_at[k] = counts[k] ? out_at[k] - (int)shift : below(own, 2) ? INT_MIN : INT_MAX;
        in_span = whole * extent, out_span = a * extent;
        break;
    }
    case REDUCE_SCATTER: case GATHERV: case SCATTERV:
        in_span = out_span = whole * extent;
        break;
    case ALLTOALLV: {
        int64_t a = 0, b = 0;
        /* what i sends to j is a hash of both; in place it is the same there and back */
        for (int k = 0; k < p; k++) {
            int turned = t->in_place && me > k;
            uint64_t lo = (uint64_t)(turned ? k : me), hi = (uint64_t)(turned ? me : k),
                     x = pairs ^ (lo * 1000 + hi + 1), y = pairs ^ (hi * 1000 + lo + 1);
            next(&x), next(&x), next(&y), next(&y);
            counts[k] = below(&x, n + 1);
            out_n[k] = t->in_place ? counts[k] : below(&y, n + 1);
        }
        for (int k = p - 1; k >= 0; k--) {
            at[k] = (int)a, a += counts[k] + below(own, 3);
            out_at[k] = (int)b, b += out_n[k] + below(own, 3);
        }
        in_span = a * extent, out_span = b * extent;
        break;
    }
    default: break;
    }
    if (!n && !reduces(t->kind) && t->kind != ALLTOALLV) in_span = out_span = 0;
    size_t room[2] = { (size_t)in_span + 64, (size_t)out_span + 64 };
    char *mem[2][2], *kept = NULL;
    uint64_t data = next(own);
    for (int second = 0; second < 2; second++)
        for (int side = 0; side < 2; side++) {
            uint64_t s = data + (uint64_t)side * 77 + 1;
            mem[second][side] = malloc(room[side] + 64);
            memset(mem[second][side], 0xa5, room[side] + 64);
            int is_small = t->op == MPI_SUM || t->op == MPI_PROD;
            int64_t elements = (int64_t)(room[side] - 64) / extent;
            if (reduces(t->kind)) fill(mem[second][side], t->b, elements, &s, t->fractions, is_small);
            else for (size_t i = 0; i + 64 < room[side]; i++) mem[second][side][i] = (char)next(&s);
        }
    char *before = malloc(room[1] + 64);
    memcpy(before, mem[0][1], room[1] + 64);
    kept = malloc(room[0]);
    memcpy(kept, mem[0][0], room[0]);
    for (int second = 0; second < 2; second++) {
        char *a = mem[second][0], *b = mem[second][1];
        const void *i = t->in_place ? MPI_IN_PLACE : a;
        MPI_Comm c = t->comm;
        MPI_Datatype y = t->b->t;
        int rc = MPI_SUCCESS, root = t->root, is_root = me == root;
        void *to = is_root && t->in_place ? MPI_IN_PLACE : b;
        MPI_Request q = MPI_REQUEST_NULL;
        switch (t->kind) {
        case BCAST: rc = CALL(Bcast, bcast, b, out.count, out.t, root, c); break;
        case ALLREDUCE: rc = CALL(Allreduce, allreduce, i, b, n, y, t->op, c); break;
        case REDUCE: rc = CALL(Reduce, reduce, is_root ? i : a, is_root ? b : NULL, n, y, t->op, root, c); break;
        case REDUCE_SCATTER: rc = CALL(Reduce_scatter, reduce_scatter, i, b, counts, y, t->op, c); break;
        case REDUCE_SCATTER_BLOCK: rc = CALL(Reduce_scatter_block, reduce_scatter_block, i, b, n, y, t->op, c); break;
        case ALLGATHER: rc = CALL(Allgather, allgather, i, in.count, in.t, b, out.count, out.t, c); break;
        case ALLGATHERV:
            b += shift * extent;
            rc = CALL(Allgatherv, allgatherv, i, counts[me], y, b, counts, out_at, y, c);
            break;
        case GATHER: rc = CALL(Gather, gather, is_root ? i : a, in.count, in.t, b, out.count, out.t, root, c); break;
        case GATHERV: rc = CALL(Gatherv, gatherv, is_root ? i : a, counts[me], y, b, counts, at, y, root, c); break;
        case SCATTER: rc = CALL(Scatter, scatter, a, in.count, in.t, to, out.count, out.t, root, c); break;
        case SCATTERV: rc = CALL(Scatterv, scatterv, a, counts, at, y, to, counts[me], y, root, c); break;
        case ALLTOALL: rc = CALL(Alltoall, alltoall, i, in.count, in.t, b, out.count, out.t, c); break;
        case ALLTOALLV: rc = CALL(Alltoallv, alltoallv, i, counts, at, y, b, out_n, out_at, y, c); break;
        default: rc = CALL(Barrier, barrier, c);
        }
        if (!rc) rc = complete(t, &q, own);
        bad |= rc != MPI_SUCCESS;
    }
    /* A reduce-scatter in place leaves what is after the result as it was, or as MPI does: Open MPI's rank 0 has other
     * results there where a rank gets none. */
    size_t seen = room[1] + 64, result = seen;
    if (t->in_place && t->kind == REDUCE_SCATTER) result = (size_t)(counts[me] * extent);
    if (t->in_place && t->kind == REDUCE_SCATTER_BLOCK) result = (size_t)(n * extent);
    if (memcmp(before + result, mem[0][1] + result, seen - result) &&
        memcmp(mem[1][1] + result, mem[0][1] + result, seen - result))
        bad |= 2;
    seen = result;
    if (t->kind == REDUCE && me != t->root) seen = 0;
    if (!agrees(t, mem[0][1], mem[1][1], seen)) bad |= 2;
    if (memcmp(kept, mem[0][0], room[0])) bad |= 4;
    for (int k = 0; k < 4; k++) free(mem[k / 2][k % 2]);
    unlay(&in);
    unlay(&out);
    free(kept);
    free(before);
    free(counts);
    return bad;
}

static const int sizes[] = { 0, 1, 2, 3, 17, 256, 1000, 4096, 20000 };
static MPI_Op ops[10];

static int rounds(MPI_Comm all, int count, uint64_t seed, int width) {
    uint64_t shared = seed * 2 + 1, own;
    int rank, size, bad = 0;
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    own = seed * 2 + 1 + 1000003 * (uint64_t)(rank + 1);
    for (int k = 0; k < 9; k++) next(&shared), next(&own);
    for (int r = 0; r < count && !bad; r++) {
        trial t = { .kind = below(&shared, KINDS), .n = sizes[below(&shared, width)] };
        t.in_place = below(&shared, 3) == 0;
        t.form = below(&shared, FORMS);
        int part = below(&shared, 5), who = (int)(next(&shared) >> 40), key = part == 3 ? -rank : rank;
        t.b = &bases[below(&shared, BASES)];
        t.op = ops[below(&shared, 10)];
        t.fractions = t.b->is_float > 0 && t.op == MPI_SUM && below(&shared, 2);
        while (reduces(t.kind) && !takes(t.b, t.op))
            t.b = &bases[below(&shared, BASES)], t.op = ops[below(&shared, 10)], t.fractions = 0;
        t.comm = all;
        if (part == 1) MPI_Comm_dup(all, &t.comm);
        if (part > 1) MPI_Comm_split(all, part == 4 ? (rank + who) % 3 == 0 : part == 2 ? rank % 2 : 0, key, &t.comm);
        MPI_Comm_rank(t.comm, &t.rank);
        MPI_Comm_size(t.comm, &t.size);
        t.root = who % t.size;
#if defined MPICH_VERSION || defined MPI_ABI_VERSION
        /* MPICH 4.0.2 by itself crashes, from some 100 KiB on at a root but 0; truncates pairs that it moves; and fails
         * or aborts in persistent calls: in MPI_Testall, as 5.0.2 does, and with derived datatypes */
        if (t.form == REPEATED) t.form = LATER;
        if (t.kind == REDUCE) t.in_place = 0;
        if (t.b->is_float == -3 && !reduces(t.kind)) t.b = &bases[0];
#endif
        uint64_t group = shared; /* parts of different sizes draw more or less of it */
        int got = run(&t, &group, &own);
        next(&shared), next(&shared);
        PMPI_Allreduce(MPI_IN_PLACE, &got, 1, MPI_INT, MPI_BOR, all);
        if (got && rank == 0)
            printf("round %d of seed %llu: MPI_%s%s of %d %s on %d of %d ranks, root %d%s: %s%s%s\n", r,
                   (unsigned long long)seed, names[t.kind],
                   t.form == LATER ? ", nonblocking," : t.form == REPEATED ? ", persistent," : "", t.n,
                   t.b->name, t.size, size, t.root,
                   t.in_place ? ", in place" : "", got & 1 ? "fails " : "", got & 2 ? "differs " : "",
                   got & 4 ? "changes its input" : "");
        bad = got;
        if (part) MPI_Comm_free(&t.comm);
    }
    return bad;
}

typedef struct strand { MPI_Comm comm; int count; uint64_t seed; int bad; } strand;
static void *side_by_side(void *p) {
    strand *s = p;
    s->bad = rounds(s->comm, s->count, s->seed, 6);
    return NULL;
}

/* A message that is under way while a rank is in a collective has to arrive: its receiver comes to the collective only
 * then. */
static int messages_go_on(void) {
    int rank, size, n = 1 << 20, bad = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *big = calloc((size_t)n, sizeof *big), sum = 0, right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int turn = 0; turn < 10; turn++) {
        MPI_Request q;
        big[n - 1] = rank % 2 ? 0 : turn;
        if (rank % 2 == 0 && right % 2) MPI_Isend(big, n, MPI_INT, right, 7, MPI_COMM_WORLD, &q);
        if (rank % 2 && left % 2 == 0) MPI_Recv(big, n, MPI_INT, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(&big[n - 1], &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (rank % 2 == 0 && right % 2) MPI_Wait(&q, MPI_STATUS_IGNORE);
        bad |= sum != turn;
    }
    free(big);
    return bad;
}

/* Mistakes that MPI reports by the communicator's error handler. */
static int errors_are_mpis(void) {
    int one = 1, two = 0, bad = 0;
    MPI_Comm c;
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    bad |= MPI_Bcast(&one, 1, MPI_INT, 99, c) == MPI_SUCCESS;
    bad |= MPI_Bcast(&one, -1, MPI_INT, 0, c) == MPI_SUCCESS;
    bad |= MPI_Allreduce(&one, &two, 1, MPI_DATATYPE_NULL, MPI_SUM, c) == MPI_SUCCESS;
    bad |= MPI_Allreduce(&one, &two, 1, MPI_FLOAT, MPI_BAND, c) == MPI_SUCCESS;
    MPI_Comm_free(&c);
    return bad;
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 300, with_threads = argc > 3, level, rank, bad;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    MPI_Init_thread(&argc, &argv, with_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const MPI_Op all[10] = { MPI_SUM, MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_LAND,
                             MPI_MINLOC };
    memcpy(ops, all, sizeof ops);
    bad = rounds(MPI_COMM_WORLD, count, seed, (int)(sizeof sizes / sizeof *sizes));
    if (!bad) bad = (!getenv("MISTAKES") && errors_are_mpis()) ? 8 : 0;
    if (!bad) bad = messages_go_on() ? 16 : 0;
    if (!bad && with_threads && level == MPI_THREAD_MULTIPLE) {
        enum { STRANDS = 3 };
        strand s[STRANDS];
        pthread_t threads[STRANDS];
        for (int k = 0; k < STRANDS; k++) {
            s[k] = (strand){ .count = count / 4, .seed = seed + 100 + (uint64_t)k };
            MPI_Comm_dup(MPI_COMM_WORLD, &s[k].comm);
        }
        for (int k = 0; k < STRANDS; k++) pthread_create(&threads[k], NULL, side_by_side, &s[k]);
        for (int k = 0; k < STRANDS; k++) pthread_join(threads[k], NULL), bad |= s[k].bad;
        for (int k = 0; k < STRANDS; k++) MPI_Comm_free(&s[k].comm);
    }
    int worst = bad;
    PMPI_Allreduce(&bad, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) printf(worst ? "differs (%d)\n" : "all the same\n", worst);
    MPI_Finalize();
    return worst != 0;
}
