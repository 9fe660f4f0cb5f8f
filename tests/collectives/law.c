/* law.c: see law.h. The reference follows the index formulas of weft/coll.h, one element at a time. */
#include "tests/collectives/law.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "collectives/comm.h"
#include "collectives/reduce.h"

static int has_name(const char *name, weft_coll_kind kind) {
    for (weft_alg_id a = 0; a < WEFT_ALG_COUNT; a++)
        if (weft_alg_table[a].kind == kind && !strcmp(weft_alg_table[a].name, name)) return 1;
    return 0;
}

int law_names(unsigned needs, const char *names[WEFT_ALG_COUNT]) {
    int n = 0, i;
    for (weft_alg_id a = 0; a < WEFT_ALG_COUNT; a++) {
        if (!(weft_alg_table[a].needs & needs)) continue;
        for (i = 0; i < n && strcmp(names[i], weft_alg_table[a].name); i++) {}
        if (i == n) names[n++] = weft_alg_table[a].name;
    }
    return n;
}

int law_ways(unsigned needs, char texts[WEFT_ALG_COUNT][LAW_TEXT]) {
    const char *names[WEFT_ALG_COUNT];
    unsigned kinds[WEFT_ALG_COUNT] = { 0 }; /* that a text forces something for */
    int n = law_names(needs, names), ways = 0, i;
    for (int k = 0; k < n; k++) {
        unsigned mine = 0;
        for (int kind = 0; kind < WEFT_PLAN_COLL_COUNT; kind++)
            mine |= (unsigned)has_name(names[k], (weft_coll_kind)kind) << kind;
        for (i = 0; i < ways && kinds[i] & mine; i++) {}
        if (i == ways) texts[ways++][0] = 0;
        kinds[i] |= mine;
        const size_t used = strlen(texts[i]);
        snprintf(texts[i] + used, LAW_TEXT - used, "%s*=%s", used ? "," : "", names[k]);
    }
    return ways;
}

uint64_t law_seed(uint64_t otherwise) {
    const char *text = getenv("WEFT_SEED");
    return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* SplitMix64: Steele, Lea and Flood, OOPSLA 2014. */
uint64_t law_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int below(uint64_t *state, int n) { return (int)(law_random(state) % (uint64_t)n); }

/* --- data --------------------------------------------------------------------------------------------------------- */

/* A small number, whose sums and products are exact in every order. */
static double exact_value(weft_dtype t, weft_op_reduce op, uint64_t r) {
    static const double factors[] = { 1, -1, 2, 0.5 };
    if (op != WEFT_PRODUCT) return (double)(int)(r % 9) - 4;
    return weft_dtype_is_complex(t) ? (double)(int)(r % 3) - 1 : factors[r % 4];
}

/* Values whose float sums depend on the order, or if exact must be, do not. */
static void fill(const law_case *k, int rank, int operand, void *p, int64_t count) {
    weft_dtype t = k->dtype;
    uint64_t seed = k->seed;
    uint64_t state = seed * 31 + (uint64_t)rank * 1000003 + (uint64_t)operand * 7919;
    size_t bytes = weft_dtype_bytes(t);
    for (int64_t j = 0; j < count; j++) {
        char *e = (char *)p + (size_t)j * bytes;
        uint64_t r = law_random(&state);
        double v = k->exact ? exact_value(t, k->reduce, r >> 32)
                            : (double)(int32_t)(r >> 32) * (double)(1 << (r & 7)) * 0x1p-32;
        double w = k->exact ? exact_value(t, k->reduce, r >> 8) : v * 0.7;
        if (weft_dtype_is_complex(t)) {
            float f[2] = { (float)v, (float)w };
            double d[2] = { v, w };
            memcpy(e, t == WEFT_C64 ? (void *)f : (void *)d, bytes);
        } else if (weft_dtype_is_float(t)) {
            weft_dtype_store(t, e, v);
        } else if (t == WEFT_I1) {
            *e = (char)(r >> 60 & 1);
        } else {
            uint64_t bits = law_integer(t, r);
            memcpy(e, &bits, bytes);
        }
    }
}

/* What a rank gives, or the sum that all ranks of a group get: made once for all threads of the process that have to
 * know it. Made by each thread for itself, they took most of the time. */
typedef struct given {
    struct given *next;
    law_case k;              /* of these seed, dtype, reduce and exact count */
    int rank, operand, users;
    int64_t count;
    pthread_mutex_t making;  /* by the first thread that asks */
    int made;
    _Alignas(16) char bytes[];
} given;

static struct {
    pthread_mutex_t lock;    /* guards the lists and users */
    given *of[256];
} givens = { .lock = PTHREAD_MUTEX_INITIALIZER };

static given **find_given(const law_case *k, int rank, int operand, int64_t count) {
    given **at = &givens.of[(k->seed * 31 + (uint64_t)rank * 7 + (uint64_t)operand) % 256];
    for (; *at; at = &(*at)->next) {
        const given *g = *at;
        if (g->k.seed == k->seed && g->k.dtype == k->dtype && g->k.reduce == k->reduce && g->k.exact == k->exact &&
            g->rank == rank && g->operand == operand && g->count == count)
            break;
    }
    return at;
}

/* The given whose lock `making` the caller now has. */
static given *open_given(const law_case *k, int rank, int operand, int64_t count) {
    pthread_mutex_lock(&givens.lock);
    given **at = find_given(k, rank, operand, count);
    if (!*at && (*at = calloc(1, sizeof **at + (size_t)count * weft_dtype_bytes(k->dtype) + 1))) {
        (*at)->k = *k, (*at)->rank = rank, (*at)->operand = operand, (*at)->count = count;
        pthread_mutex_init(&(*at)->making, NULL);
    }
    given *g = *at;
    if (g) g->users++;
    pthread_mutex_unlock(&givens.lock);
    if (g) pthread_mutex_lock(&g->making);
    return g;
}

static char *close_given(given *g) {
    g->made = 1;
    pthread_mutex_unlock(&g->making);
    return g->bytes;
}

static char *take_given(const law_case *k, int rank, int operand, int64_t count) {
    given *g = open_given(k, rank, operand, count);
    if (!g) return NULL;
    if (!g->made) fill(k, rank, operand, g->bytes, count);
    return close_given(g);
}

static void drop_given(char *bytes) {
    if (!bytes) return;
    given *g = (given *)(void *)(bytes - offsetof(given, bytes));
    pthread_mutex_lock(&givens.lock);
    if (--g->users == 0) {
        *find_given(&g->k, g->rank, g->operand, g->count) = g->next;
        pthread_mutex_destroy(&g->making);
        free(g);
    }
    pthread_mutex_unlock(&givens.lock);
}

/* --- cases -------------------------------------------------------------------------------------------------------- */

/* Collectives by their reductions. */
typedef struct row { weft_coll_kind kind; weft_op_reduce reduce; } row;

static int is_adding(weft_coll_kind kind) { return weft_coll_table[kind].adding == WEFT_COLL_ADDS; }

static long row_count(void) {
    long n = 0;
    for (int kind = 0; kind < WEFT_PLAN_COLL_COUNT; kind++) n += is_adding(kind) ? WEFT_REDUCE_COUNT : 1;
    return n;
}

static row row_at(long i) {
    int kind = 0;
    for (; i >= (is_adding(kind) ? WEFT_REDUCE_COUNT : 1); kind++) i -= is_adding(kind) ? WEFT_REDUCE_COUNT : 1;
    return (row){ kind, (weft_op_reduce)i };
}

#define DTYPES (WEFT_DTYPE_COUNT - 1)
enum { NOTHING, ONE, ODD, SIZES };

long law_matrix_count(void) { return row_count() * DTYPES * LAW_LAYOUTS * SIZES; }
long law_large_count(void) { return row_count(); }

static int64_t size_at(uint64_t *s) {
    static const int64_t sizes[] = { 0, 1, 2, 3, 5, 7, 16, 33, 64, 257, 1000, 4099, 20011 };
    return sizes[below(s, WEFT_COUNT(sizes))];
}

/* Longer than any algorithm's window; of narrow types as long as the reference does not take seconds. */
static int64_t large_size(weft_dtype t) { return weft_min_i64((5 << 20) / (int64_t)weft_dtype_bytes(t), 1300001) | 1; }

static int has(weft_coll_kind kind, weft_dtype t, weft_op_reduce op) {
    return !is_adding(kind) || weft_reduce_find(t, op);
}

static int is_cut(weft_coll_kind kind) {
    return weft_coll_table[kind].in == WEFT_BLOCKS_EACH || weft_coll_table[kind].out == WEFT_BLOCKS_EACH;
}

law_case law_case_at(uint64_t seed, long i) {
    law_case k = { .seed = seed + (uint64_t)i * 0x2545f4914f6cdd1du, .outer = 1, .middle = 1, .inner = 1, .n = 1 };
    uint64_t s = k.seed;
    (void)law_random(&s);
    k.layout = below(&s, LAW_LAYOUTS);
    k.memory = (law_memory)below(&s, 3);
    k.n = below(&s, 4) ? 1 : 1 + below(&s, 5);
    if (i < law_matrix_count()) {
        row r = row_at(i / SIZES / LAW_LAYOUTS % row_count());
        k.kind = r.kind, k.reduce = r.reduce;
        k.dtype = (weft_dtype)(1 + i / SIZES / LAW_LAYOUTS / row_count());
        k.layout = (int)(i / SIZES % LAW_LAYOUTS);
        k.inner = i % SIZES == ODD ? 3 + 2 * below(&s, 150) : i % SIZES;
        if (is_cut(k.kind)) k.outer = 1 + below(&s, 4);
        k.in_place = below(&s, 3) == 0;
        return k;
    }
    i -= law_matrix_count();
    if (i < law_large_count()) {
        row r = row_at(i);
        k.kind = r.kind, k.reduce = r.reduce, k.n = 1;
        k.dtype = (weft_dtype)(1 + (uint64_t)below(&s, DTYPES));
        while (!has(k.kind, k.dtype, k.reduce)) k.dtype = (weft_dtype)(1 + k.dtype % DTYPES);
        k.inner = large_size(k.dtype) / (is_cut(k.kind) ? 4 : 1);
        return k;
    }
    k.kind = below(&s, WEFT_PLAN_COLL_COUNT);
    k.dtype = (weft_dtype)(1 + below(&s, WEFT_DTYPE_COUNT - 1));
    if (below(&s, 2)) k.dtype = WEFT_F32;
    k.reduce = (weft_op_reduce)below(&s, WEFT_REDUCE_COUNT);
    if (!has(k.kind, k.dtype, k.reduce)) k.dtype = WEFT_UI16; /* has all */
    k.inner = size_at(&s);
    if (is_cut(k.kind)) {
        k.uneven = below(&s, 3) == 0;
        k.outer = below(&s, 3) ? 1 + below(&s, 9) : 1;
        if (k.inner > 5000) k.inner = 5000 - below(&s, 7);
    }
    if (k.kind == WEFT_PLAN_ALL_TO_ALL) {
        k.middle = 1 + below(&s, 5);
        k.split_first = below(&s, 2);
        if (k.inner > 1000) k.inner = 1000 - below(&s, 7);
    }
    if (k.uneven) k.outer = k.middle = 1, k.split_first = 0;
    k.in_place = below(&s, 3) == 0;
    if (below(&s, 40) == 0 && (k.kind == WEFT_PLAN_ALL_REDUCE || k.uneven)) k.inner = 300007; /* several windows */
    return k;
}

int law_members(int layout, int size, int rank, int *members) {
    int n = 0;
    for (int i = 0; i < size; i++) {
        int in = layout == 1   ? (i < size / 2) == (rank < size / 2)
                 : layout == 2 ? i % 2 == rank % 2
                 : layout == 3 ? i == rank
                               : 1;
        if (in) members[n++] = layout == 4 ? size - 1 - i : layout == 5 ? (i + 1) % size : i;
    }
    return n;
}

static void print_case(const law_case *k, int rank, const char *what) {
    fprintf(stderr,
            "rank %d: %s%s of %d x [%lld][%lld][%lld] %s, reduction %d, layout %d, memory %d%s%s%s, seed %llu: %s\n",
            rank, k->exact ? "exact " : "", weft_coll_kind_name(k->kind), k->n, (long long)k->outer,
            (long long)k->middle, (long long)k->inner, weft_dtype_of(k->dtype)->name, (int)k->reduce, k->layout,
            (int)k->memory, k->in_place ? ", in place" : "", k->split_first ? ", split first" : "",
            k->uneven ? ", uneven" : "", (unsigned long long)k->seed, what);
}

/* Source of group rank r in the permutation of this case; -1: none. */
static int source_of(const law_case *k, int size, int r) {
    uint64_t s = k->seed ^ 77;
    int shift = below(&s, size), from = (r + shift) % size;
    uint64_t hole = s + (uint64_t)from;
    return below(&hole, 5) == 0 ? -1 : from;
}

static int target_of(const law_case *k, int size, int r) {
    for (int i = 0; i < size; i++)
        if (source_of(k, size, i) == r) return i;
    return -1;
}

static int root_of(const law_case *k, int size) { return (int)(k->seed % (uint64_t)size); }

/* --- blocks of different sizes ------------------------------------------------------------------------------------ */

/* The blocks of one buffer: of `rank`'s input or output. */
typedef struct blocks {
    int64_t count[64], at[64], total;
    int n;
} blocks;

typedef enum side { INPUT, OUTPUT } side;

/* Elements of the block that `from` has for `to`; where only one of them matters, of that one's. */
static int64_t block_count(const law_case *k, int number, int from, int to) {
    weft_blocks in = weft_coll_table[k->kind].in, out = weft_coll_table[k->kind].out;
    uint64_t s = k->seed * 17 + (uint64_t)number * 131 + (in == WEFT_BLOCKS_EACH ? (uint64_t)to * 1009 : 0) +
                 (out == WEFT_BLOCKS_EACH ? (uint64_t)from * 9176 : 0);
    (void)law_random(&s);
    /* in and out alike but for the last ranks */
    if (k->seed % 2 && (in != WEFT_BLOCKS_EACH || to < 2) && (out != WEFT_BLOCKS_EACH || from < 2)) return k->inner;
    return below(&s, 4) == 0 ? 0 : below(&s, 4) == 0 ? k->inner : (int64_t)(law_random(&s) % (uint64_t)(k->inner + 1));
}

/* One after the other, or backwards with gaps. */
static void find_blocks(const law_case *k, int number, int p, int rank, side which, blocks *b) {
    int each = (which == INPUT ? weft_coll_table[k->kind].in : weft_coll_table[k->kind].out) == WEFT_BLOCKS_EACH,
        gaps = each && k->seed % 3 == 0;
    uint64_t s = k->seed + (uint64_t)rank * 7 + (uint64_t)which;
    b->n = each ? p : 1;
    b->total = 0;
    for (int i = 0; i < b->n; i++) {
        int at = gaps ? b->n - 1 - i : i, other = each ? at : rank;
        b->count[at] = which == INPUT ? block_count(k, number, rank, other) : block_count(k, number, other, rank);
        if (gaps) b->total += below(&s, 4);
        b->at[at] = b->total;
        b->total += b->count[at];
    }
}

/* --- one operand -------------------------------------------------------------------------------------------------- */

typedef struct operand {
    weft_coll_buf buf;
    blocks in, out;  /* of an uneven form */
    int64_t in_count, out_count;
    void *in_memory, *out_memory; /* drawn; NULL: part of the other, or none */
    char *want;
    char **all;      /* every member's input */
    char *sums;      /* what every member of an all-reduce wants; NULL for other collectives */
    int alloc;       /* memory came from weft_comm_alloc */
    int node[64];    /* of each member */
} operand;

static void *get(weft_comm *c, const operand *o, int64_t count) {
    size_t bytes = (size_t)count * weft_dtype_bytes((weft_dtype)o->buf.dtype) + 1;
    return o->alloc ? weft_comm_alloc(c, bytes) : malloc(bytes);
}

static void put(weft_comm *c, const operand *o, void *p) {
    if (o->alloc) weft_comm_dealloc(c, p);
    else free(p);
}

static int gives(const law_case *k, int p, int me) {
    return weft_coll_table[k->kind].givers != WEFT_ENDS_ROOT || me == root_of(k, p);
}
static int takes(const law_case *k, int p, int me) {
    return weft_coll_table[k->kind].takers != WEFT_ENDS_ROOT || me == root_of(k, p);
}

/* Element `at` of every member's input, or of one's, to `to`. */
static void combine(const law_case *k, const operand *o, int p, int from, const int64_t *at, void *to) {
    size_t e = weft_dtype_bytes(k->dtype);
    const void *elem[64];
    if (weft_coll_table[k->kind].adding == WEFT_COLL_MOVES) {
        if (from < 0) memset(to, 0, e);
        else memcpy(to, o->all[from] + (size_t)at[from] * e, e);
        return;
    }
    for (int s = 0; s < p; s++) elem[s] = o->all[s] + (size_t)at[s] * e;
    if (p == 1) memcpy(to, elem[0], e); /* nothing is added */
    else law_reduce(k->dtype, k->reduce, elem, o->node, p, to);
}

/* Whose element is at place j of an even output, and where it is in the input: the formulas of weft/coll.h. */
static int64_t place_of(const law_case *k, const operand *o, int p, int me, int64_t j, int *from) {
    int64_t M = o->buf.middle, I = o->buf.inner, i = j % I, rest = j / I;
    *from = root_of(k, p);
    switch (k->kind) {
    case WEFT_PLAN_ALL_GATHER:
    case WEFT_PLAN_GATHER: *from = (int)(rest % p); return rest / p * I + i;
    case WEFT_PLAN_REDUCE_SCATTER:
    case WEFT_PLAN_SCATTER: return (rest * p + me) * I + i;
    case WEFT_PLAN_COLLECTIVE_PERMUTE: *from = source_of(k, p, me); return j;
    case WEFT_PLAN_ALL_TO_ALL:
        if (k->split_first) { /* out [outer][middle][size][inner], in [outer][size][middle][inner] */
            *from = (int)(rest % p);
            return ((rest / p / M * p + me) * M + rest / p % M) * I + i;
        }
        *from = (int)(rest / M % p); /* out [outer][size][middle][inner], in [outer][middle][size][inner] */
        return ((rest / M / p * M + rest % M) * p + me) * I + i;
    default: return j;
    }
}

static void expect_even(const law_case *k, const operand *o, int p, int me, char *want) {
    size_t e = weft_dtype_bytes(k->dtype);
    int64_t at[64];
    for (int64_t j = 0; j < o->out_count; j++) {
        int from;
        int64_t place = place_of(k, o, p, me, j, &from);
        for (int s = 0; s < p; s++) at[s] = place;
        combine(k, o, p, from, at, want + (size_t)j * e);
    }
}

/* An all-reduce gives every member of a group the same. A group of a layout is known by its first member. */
static int expect_sums(weft_comm *c, const law_case *k, operand *o, int number) {
    given *g = open_given(k, -1 - c->members[0], number, o->out_count);
    if (!g) return 1;
    if (!g->made) expect_even(k, o, weft_comm_size(c), weft_comm_rank(c), g->bytes);
    o->sums = close_given(g);
    memcpy(o->want, o->sums, (size_t)o->out_count * weft_dtype_bytes(k->dtype));
    return 0;
}

static void expect_uneven(const law_case *k, operand *o, int number, int p, int me) {
    size_t e = weft_dtype_bytes(k->dtype);
    int64_t start[64], at[64];
    for (int s = 0; s < p; s++) {
        blocks in;
        find_blocks(k, number, p, s, INPUT, &in);
        start[s] = in.at[in.n > 1 ? me : 0];
    }
    for (int b = 0; b < o->out.n; b++)
        for (int64_t i = 0; i < o->out.count[b]; i++) {
            for (int s = 0; s < p; s++) at[s] = start[s] + i;
            combine(k, o, p, weft_coll_table[k->kind].out == WEFT_BLOCKS_EACH ? b : root_of(k, p), at,
                    o->want + (size_t)(o->out.at[b] + i) * e);
        }
}

/* The buffers: apart, one, or one a part of the other. */
static int place_buffers(weft_comm *c, const law_case *k, operand *o, int me) {
    size_t e = weft_dtype_bytes(k->dtype);
    weft_blocks in = weft_coll_table[k->kind].in, out = weft_coll_table[k->kind].out;
    int p = weft_comm_size(c), both = gives(k, p, me) && takes(k, p, me);
    int together = both && k->in_place && in == out, within = both && k->in_place && in != out && k->outer == 1;
    int64_t one = k->uneven ? o->in.count[me % o->in.n] : o->buf.inner;
    int64_t at = !k->uneven                ? me * one
                 : in == WEFT_BLOCKS_EACH  ? o->in.at[me]
                 : out == WEFT_BLOCKS_EACH ? o->out.at[me]
                                           : 0;
    if (together) {
        o->in_memory = get(c, o, o->in_count > o->out_count ? o->in_count : o->out_count);
        o->buf.in = o->buf.out = o->in_memory;
    } else if (within && out == WEFT_BLOCKS_EACH) {
        o->out_memory = o->buf.out = get(c, o, o->out_count);
        o->buf.in = (char *)o->buf.out + (size_t)at * e;
    } else if (within) {
        o->in_memory = get(c, o, o->in_count);
        o->buf.in = o->in_memory;
        o->buf.out = (char *)o->in_memory + (size_t)at * e;
    } else {
        o->in_memory = get(c, o, o->in_count);
        o->out_memory = get(c, o, o->out_count);
        o->buf.in = o->in_memory;
        o->buf.out = o->out_memory;
        if (!o->in_memory || !o->out_memory) return 1;
    }
    return !o->buf.in || !o->buf.out;
}

static int node_of(const weft_comm *c, int member) {
    const weft_world *w = c->world;
    int p = 0;
    while (w->first_of[p + 1] <= c->members[member]) p++;
    return w->node_of[p];
}

/* Whether this rank has to know what rank i gives. */
static int wants(const law_case *k, int p, int me, int i) {
    if (i == me || !takes(k, p, me)) return i == me;
    if (weft_coll_table[k->kind].givers == WEFT_ENDS_ROOT) return i == root_of(k, p);
    return weft_coll_table[k->kind].givers != WEFT_ENDS_PAIR || i == source_of(k, p, me);
}

static int make(weft_comm *c, const law_case *k, operand *o, int number) {
    int p = weft_comm_size(c), me = weft_comm_rank(c);
    size_t e = weft_dtype_bytes(k->dtype);
    int64_t inner = number ? (k->inner + number) / (number + 1) : k->inner, block = k->outer * k->middle * inner;
    *o = (operand){ .buf = { NULL, NULL, k->dtype, k->outer, k->middle, inner } };
    o->in_count = weft_coll_table[k->kind].in == WEFT_BLOCKS_EACH ? block * p : block;
    o->out_count = weft_coll_table[k->kind].out == WEFT_BLOCKS_EACH ? block * p : block;
    if (k->uneven) {
        find_blocks(k, number, p, me, INPUT, &o->in);
        find_blocks(k, number, p, me, OUTPUT, &o->out);
        o->in_count = o->in.total, o->out_count = o->out.total;
    }
    for (int i = 0; i < p; i++) o->node[i] = node_of(c, i);
    o->alloc = k->memory == LAW_ALLOC || (k->memory == LAW_MIXED && (me + number) % 2);
    o->want = malloc((size_t)o->out_count * e + 1);
    o->all = calloc((size_t)p, sizeof *o->all);
    for (int i = 0; i < p; i++) {
        int64_t count = o->in_count;
        o->all[i] = NULL;
        if (!wants(k, p, me, i)) continue;
        if (k->uneven) {
            blocks in;
            find_blocks(k, number, p, i, INPUT, &in);
            count = in.total;
        }
        if (!(o->all[i] = take_given(k, i, number, count))) return 1;
    }
    if (place_buffers(c, k, o, me)) return 1;
    memset(o->buf.out, 0xAB, (size_t)o->out_count * e);
    memcpy((void *)(uintptr_t)o->buf.in, o->all[me], (size_t)o->in_count * e);
    memcpy(o->want, o->buf.out, (size_t)o->out_count * e); /* what is not written stays */
    if (!takes(k, p, me)) return 0;
    if (k->uneven) expect_uneven(k, o, number, p, me);
    else if (k->kind == WEFT_PLAN_ALL_REDUCE) return expect_sums(c, k, o, number);
    else expect_even(k, o, p, me, o->want);
    return 0;
}

/* But for the sign of zeros, which in products of complex numbers depends on the order. */
static int equal_numbers(weft_dtype t, const operand *o) {
    const float *f = o->buf.out, *want_f = (const float *)(const void *)o->want;
    const double *d = o->buf.out, *want_d = (const double *)(const void *)o->want;
    for (int64_t i = 0; i < 2 * o->out_count; i++)
        if (t == WEFT_C64 ? !(f[i] == want_f[i]) : !(d[i] == want_d[i])) return 0;
    return 1;
}

static const char *compare(weft_comm *c, const law_case *k, const operand *o) {
    int me = weft_comm_rank(c);
    size_t e = weft_dtype_bytes(k->dtype);
    int zeros = k->exact && weft_dtype_is_complex(k->dtype) && k->reduce == WEFT_PRODUCT &&
                weft_coll_table[k->kind].adding == WEFT_COLL_ADDS;
    if (zeros && takes(k, weft_comm_size(c), weft_comm_rank(c))
            ? !equal_numbers(k->dtype, o)
            : memcmp(o->buf.out, o->want, (size_t)o->out_count * e) != 0)
        return "the result differs";
    int apart = o->in_memory && o->out_memory;
    if (apart && memcmp(o->buf.in, o->all[me], (size_t)o->in_count * e)) return "the input has changed";
    return NULL;
}

static void drop(weft_comm *c, operand *o) {
    if (o->in_memory) put(c, o, o->in_memory);
    if (o->out_memory) put(c, o, o->out_memory);
    for (int j = 0; j < weft_comm_size(c); j++) drop_given(o->all[j]);
    drop_given(o->sums);
    free(o->all);
    free(o->want);
}

/* --- one call ----------------------------------------------------------------------------------------------------- */

typedef struct live {
    law_case k;
    weft_comm *c;
    operand o[8];
    int made;
    weft_coll_request *request;
    const char *bad;
} live;

static weft_status call_uneven(weft_comm *c, const law_case *k, const weft_coll_uneven *b, const weft_call_site *site,
                               weft_coll_request **r) {
    int root = root_of(k, weft_comm_size(c));
    switch (k->kind) {
    case WEFT_PLAN_ALL_GATHER:
        return r ? weft_coll_start_all_gather_uneven(c, b, k->n, site, r)
                 : weft_coll_all_gather_uneven(c, b, k->n, site);
    case WEFT_PLAN_GATHER:
        return r ? weft_coll_start_gather_uneven(c, root, b, k->n, site, r)
                 : weft_coll_gather_uneven(c, root, b, k->n, site);
    case WEFT_PLAN_SCATTER:
        return r ? weft_coll_start_scatter_uneven(c, root, b, k->n, site, r)
                 : weft_coll_scatter_uneven(c, root, b, k->n, site);
    case WEFT_PLAN_REDUCE_SCATTER:
        return r ? weft_coll_start_reduce_scatter_uneven(c, k->reduce, b, k->n, site, r)
                 : weft_coll_reduce_scatter_uneven(c, k->reduce, b, k->n, site);
    default:
        return r ? weft_coll_start_all_to_all_uneven(c, b, k->n, site, r)
                 : weft_coll_all_to_all_uneven(c, b, k->n, site);
    }
}

static weft_status call(weft_comm *c, const law_case *k, const weft_coll_buf *b, const weft_call_site *site,
                        weft_coll_request **r) {
    int p = weft_comm_size(c), me = weft_comm_rank(c), root = root_of(k, p), n = k->n, from = source_of(k, p, me),
        to = target_of(k, p, me);
    weft_op_reduce op = k->reduce;
    switch (k->kind) {
    case WEFT_PLAN_ALL_REDUCE:
        return r ? weft_coll_start_all_reduce(c, op, b, n, site, r) : weft_coll_all_reduce(c, op, b, n, site);
    case WEFT_PLAN_REDUCE:
        return r ? weft_coll_start_reduce(c, op, root, b, n, site, r) : weft_coll_reduce(c, op, root, b, n, site);
    case WEFT_PLAN_ALL_GATHER:
        return r ? weft_coll_start_all_gather(c, b, n, site, r) : weft_coll_all_gather(c, b, n, site);
    case WEFT_PLAN_GATHER:
        return r ? weft_coll_start_gather(c, root, b, n, site, r) : weft_coll_gather(c, root, b, n, site);
    case WEFT_PLAN_REDUCE_SCATTER:
        return r ? weft_coll_start_reduce_scatter(c, op, b, n, site, r) : weft_coll_reduce_scatter(c, op, b, n, site);
    case WEFT_PLAN_SCATTER:
        return r ? weft_coll_start_scatter(c, root, b, n, site, r) : weft_coll_scatter(c, root, b, n, site);
    case WEFT_PLAN_ALL_TO_ALL:
        return r ? weft_coll_start_all_to_all(c, k->split_first, b, n, site, r)
                 : weft_coll_all_to_all(c, k->split_first, b, n, site);
    case WEFT_PLAN_COLLECTIVE_PERMUTE:
        return r ? weft_coll_start_permute(c, from, to, b, n, site, r) : weft_coll_permute(c, from, to, b, n, site);
    case WEFT_PLAN_COLLECTIVE_BROADCAST:
        return r ? weft_coll_start_broadcast(c, root, b, n, site, r) : weft_coll_broadcast(c, root, b, n, site);
    default: return r ? weft_coll_start_barrier(c, site, r) : weft_coll_barrier(c, site);
    }
}

typedef enum form { BLOCKING, STARTED } form;

static void begin(live *l, form form) {
    const law_case *k = &l->k;
    int p = weft_comm_size(l->c), me = weft_comm_rank(l->c);
    weft_coll_buf b[8];
    weft_coll_uneven u[8];
    char place[] = "law.mlir:1:1";
    weft_call_site site = { weft_coll_kind_name(k->kind), "x", place, k->seed };
    for (; l->made < k->n && !l->bad; l->made++) {
        operand *o = &l->o[l->made];
        if (make(l->c, k, o, l->made)) l->bad = "no memory";
        b[l->made] = o->buf;
        if (k->seed % 5 == 0 && !gives(k, p, me)) b[l->made].in = NULL; /* what does not count need not be there */
        if (k->seed % 5 == 0 && !takes(k, p, me)) b[l->made].out = NULL;
        weft_coll_buf x = b[l->made];
        int offsets = k->seed % 3 == 0;
        u[l->made] = (weft_coll_uneven){
            x.in, x.out, x.dtype, o->in.count, offsets ? o->in.at : NULL, o->out.count, offsets ? o->out.at : NULL
        };
    }
    if (l->bad) return;
    weft_coll_request **r = form == STARTED ? &l->request : NULL;
    weft_status st = k->uneven ? call_uneven(l->c, k, u, &site, r) : call(l->c, k, b, &site, r);
    if (st != WEFT_OK) l->bad = weft_status_name(st);
    memset(b, 0xCD, sizeof b); /* what was started has its own */
    memset(u, 0xCD, sizeof u);
    memset(place, 'x', sizeof place - 1);
}

static int finish(live *l, int rank) {
    weft_status st = weft_coll_wait(l->request);
    if (!l->bad && st != WEFT_OK) l->bad = weft_status_name(st);
    for (int i = 0; i < l->made; i++) {
        if (!l->bad && l->k.kind != WEFT_PLAN_BARRIER) l->bad = compare(l->c, &l->k, &l->o[i]);
        drop(l->c, &l->o[i]);
    }
    if (l->bad) print_case(&l->k, rank, l->bad);
    return l->bad != NULL;
}

#define AT_ONCE 6

/* Several calls under way, a barrier in between, and an end in an order of this rank's own. */
static int run_at_once(weft_comm *const *groups, weft_comm *all, const law_case *cases, int n, int rank) {
    live *l = calloc((size_t)n, sizeof *l);
    int order[AT_ONCE], failed = 0, done;
    uint64_t own = cases[0].seed + (uint64_t)rank * 31;
    for (int i = 0; i < n; i++) {
        l[i] = (live){ .k = cases[i], .c = groups[cases[i].layout] };
        begin(&l[i], STARTED);
        order[i] = i;
    }
    for (int i = n - 1; i > 0; i--) {
        int j = below(&own, i + 1), t = order[i];
        order[i] = order[j], order[j] = t;
    }
    if (cases[0].seed % 2 && weft_coll_barrier(all, NULL) != WEFT_OK) l[0].bad = "the barrier failed";
    for (int i = 0; i < n; i++) {
        for (int tries = below(&own, 4); tries > 0 && l[order[i]].request && !l[order[i]].bad; tries--)
            if (weft_coll_test(l[order[i]].request, &done) != WEFT_OK) l[order[i]].bad = "the test failed";
        failed += finish(&l[order[i]], rank);
    }
    free(l);
    return failed;
}

/* What the world forces for a collective. */
typedef enum force { FORCE_NONE, FORCE_ANOTHER, FORCE_THIS } force;

static force force_of(const weft_world *w, weft_coll_kind kind) {
    force f = FORCE_NONE;
    for (size_t i = 0; i < w->rules.count; i++) {
        weft_alg_id a = w->rules.v[i].alg;
        if (a < WEFT_ALG_COUNT && weft_alg_table[a].kind == kind) return FORCE_THIS;
        if (a < WEFT_ALG_COUNT) f = FORCE_ANOTHER;
    }
    return f;
}

/* Whether sums may be taken in an order that only the algorithm knows. */
static int any_order(const weft_world *w, weft_coll_kind kind) {
    int any = w->sums == WEFT_SUMS_FAST;
    for (size_t i = 0; i < w->rules.count; i++) {
        weft_alg_id a = w->rules.v[i].alg;
        any |= a < WEFT_ALG_COUNT && weft_alg_table[a].kind == kind && weft_alg_table[a].order > WEFT_SUM_NODES;
    }
    return any;
}

/* By which algorithm the last call went; WEFT_ALG_COUNT: by none. */
static weft_alg_id last_of(weft_comm *c, weft_coll_kind kind) {
    weft_coll_record last;
    weft_alg_id a = weft_comm_size(c) > 1 && weft_comm_last(c, &last) ? 0 : WEFT_ALG_COUNT;
    while (a < WEFT_ALG_COUNT &&
           (weft_alg_table[a].kind != kind || strcmp(weft_alg_table[a].name, last.algorithm) != 0))
        a++;
    return a;
}

/* Peers may not read a buffer in place while what comes from others is written into it. (Where request.c copies inputs
 * they read the copies.) */
static int moves(const law_case *k) {
    return (k->kind == WEFT_PLAN_ALL_TO_ALL || k->kind == WEFT_PLAN_COLLECTIVE_PERMUTE) && !k->uneven && k->middle == 1;
}

static int may_go_by(const live *l, weft_alg_id a) {
    int moves_within = 0;
    for (int i = 0; i < l->made; i++) moves_within |= moves(&l->k) && l->o[i].buf.in == l->o[i].buf.out;
    return a == WEFT_ALG_COUNT || !moves_within ||
           weft_alg_table[a].needs & ~(unsigned)(WEFT_NEEDS_PLACE | WEFT_NEEDS_REACH);
}

/* One after the other, or several at once. */
typedef struct sitting {
    weft_comm *all, *groups[LAW_LAYOUTS];
    int rank, failed;
    law_case waiting[AT_ONCE];
    int at_once;
} sitting;

static void run_waiting(sitting *b) {
    if (b->at_once) b->failed += run_at_once(b->groups, b->all, b->waiting, b->at_once, b->rank);
    b->at_once = 0;
}

static void run_blocking(sitting *b, law_case k, law_ran *ran) {
    live l = { .k = k, .c = b->groups[k.layout] };
    begin(&l, BLOCKING);
    const weft_alg_id a = l.bad ? WEFT_ALG_COUNT : last_of(l.c, k.kind);
    if (ran && a < WEFT_ALG_COUNT) ran->alg[a] = 1;
    if (!may_go_by(&l, a)) l.bad = "the algorithm lets peers read what is written";
    b->failed += finish(&l, b->rank);
}

static void run_case(sitting *b, const weft_world *w, law_case k, law_ran *ran) {
    uint64_t s = k.seed ^ 0x51;
    if (!has(k.kind, k.dtype, k.reduce) || force_of(w, k.kind) == FORCE_ANOTHER) return;
    k.exact = any_order(w, k.kind);
    if (below(&s, 2)) {
        b->waiting[b->at_once++] = k;
        if (b->at_once == 1 + below(&s, AT_ONCE) || b->at_once == AT_ONCE) run_waiting(b);
        return;
    }
    run_blocking(b, k, ran);
    if (below(&s, 4) && !(moves(&k) && k.inner > 10000)) return;
    /* As many bytes once more, out of and into this process's own memory, and then in place: one call may not go as the
     * other did. */
    k.memory = LAW_MALLOC;
    for (k.in_place = 0; k.in_place < 2; k.in_place++) run_blocking(b, k, ran);
}

bool law_forces(const char *algorithms, weft_alg_id alg) {
    const char *name = weft_alg_table[alg].name, *p = strstr(algorithms, name);
    return p && p > algorithms && p[-1] == '=' && (p[strlen(name)] == 0 || p[strlen(name)] == ',');
}

#define ORDER_STEP 7919 /* no factor of the matrix */

static void run_matrix(sitting *b, const weft_world *w, uint64_t seed, law_amount amount, law_ran *ran) {
    long count = (law_matrix_count() - amount.first + amount.step - 1) / amount.step;
    while (count % ORDER_STEP == 0) count--;
    const long most = amount.most ? weft_min_i64(amount.most, count) : count;
    for (long done = 0; done < most && b->failed < 5; done++)
        run_case(b, w, law_case_at(seed, amount.first + done * ORDER_STEP % count * amount.step), ran);
    run_waiting(b);
}

int law_run(weft_context *cx, weft_world *w, int rank, uint64_t seed, law_amount amount, law_ran *ran) {
    sitting b = { .rank = rank };
    int size = weft_world_size(w), *members = malloc((size_t)size * sizeof *members);
    long first = law_matrix_count(), large = first + law_large_count();
    if (weft_comm_world(cx, w, rank, &b.all) != WEFT_OK) return 1;
    for (int l = 0; l < LAW_LAYOUTS; l++) {
        int n = law_members(l, size, rank, members);
        if (weft_comm_group(cx, b.all, members, n, &b.groups[l]) != WEFT_OK) return 1;
    }
    for (long i = first; i < large && amount.large && b.failed < 5; i += amount.large)
        run_case(&b, w, law_case_at(seed, i), ran);
    for (long i = large; i < large + amount.random && b.failed < 5; i++) run_case(&b, w, law_case_at(seed, i), ran);
    run_matrix(&b, w, seed, amount, ran);
    for (size_t i = 0; i < weft_context_diag_count(cx); i++)
        fprintf(stderr, "rank %d: %s\n", rank, weft_context_diag(cx, i)->message);
    for (int l = 0; l < LAW_LAYOUTS; l++) weft_comm_free(b.groups[l]);
    weft_comm_free(b.all);
    free(members);
    return b.failed;
}

typedef struct seat {
    weft_world *world;
    uint64_t seed;
    law_amount amount;
    law_ran *ran;
    int rank, failed;
} seat;

static void *sit(void *p) {
    seat *s = p;
    weft_context *cx = weft_context_new(NULL);
    s->failed = cx ? law_run(cx, s->world, s->rank, s->seed, s->amount, s->ran) : 1;
    if (s->failed) weft_world_abort(s->world, "a case failed");
    weft_context_free(cx);
    return NULL;
}

int law_run_threads(weft_world *const *world, int ranks, uint64_t seed, law_amount amount, law_ran *ran) {
    seat *seats = calloc((size_t)ranks, sizeof *seats);
    pthread_t *threads = calloc((size_t)ranks, sizeof *threads);
    int failed = !seats || !threads, begun = 0;
    for (; !failed && begun < ranks; begun++) {
        seats[begun] = (seat){ world[begun], seed, amount, begun ? NULL : ran, begun, 0 };
        if (pthread_create(&threads[begun], NULL, sit, &seats[begun])) break;
    }
    if (!failed && begun < ranks) weft_world_abort(world[0], "no thread"), failed = 1;
    for (int i = 0; i < begun; i++) {
        pthread_join(threads[i], NULL);
        failed += seats[i].failed;
    }
    free(seats);
    free(threads);
    return failed;
}
