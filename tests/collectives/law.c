/* law.c: see law.h. The reference follows the index formulas of weft/coll.h, one element at a time. */
#include "tests/collectives/law.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "collectives/reduce.h"

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

/* --- reference sums ---------------------------------------------------------------------------------------------------- */

static uint64_t load_bits(weft_dtype t, const void *p) {
    uint64_t v = 0;
    memcpy(&v, p, weft_dtype_bytes(t));
    return v;
}

static int64_t as_signed(weft_dtype t, uint64_t v) {
    unsigned bits = weft_dtype_of(t)->bits;
    return bits == 64 ? (int64_t)v : (int64_t)(v << (64 - bits)) >> (64 - bits);
}

static uint64_t as_unsigned(weft_dtype t, uint64_t v) {
    unsigned bits = weft_dtype_of(t)->bits;
    return bits == 64 ? v : v & (((uint64_t)1 << bits) - 1);
}

static uint64_t int_op(weft_dtype t, weft_op_reduce op, uint64_t a, uint64_t b) {
    int is_signed = weft_dtype_of(t)->kind == WEFT_KIND_INT;
    int less = is_signed ? as_signed(t, a) < as_signed(t, b) : as_unsigned(t, a) < as_unsigned(t, b);
    switch (op) {
    case WEFT_SUM: return a + b;
    case WEFT_PRODUCT: return a * b;
    case WEFT_MIN: return less ? a : b;
    case WEFT_MAX: return less ? b : a;
    case WEFT_AND: return a & b;
    case WEFT_OR: return a | b;
    case WEFT_XOR: return a ^ b;
    }
    return 0;
}

static double extreme(weft_op_reduce op, double a, double b) {
    if (isnan(a)) return a;
    if (isnan(b)) return b;
    if (a == b && a == 0) return (op == WEFT_MIN) == (signbit(a) != 0) ? a : b;
    return (op == WEFT_MIN) == (a < b) ? a : b;
}

static float float_op(weft_op_reduce op, float a, float b) {
    return op == WEFT_SUM ? a + b : op == WEFT_PRODUCT ? a * b : (float)extreme(op, a, b);
}

static double double_op(weft_op_reduce op, double a, double b) {
    return op == WEFT_SUM ? a + b : op == WEFT_PRODUCT ? a * b : extreme(op, a, b);
}

static void reduce_complex(weft_dtype t, weft_op_reduce op, const void *const *elem, int k, void *out) {
    float f[2];
    double d[2];
    for (int s = 0; s < k; s++) {
        if (t == WEFT_C64) {
            float x[2];
            memcpy(x, elem[s], sizeof x);
            float re = op == WEFT_SUM ? f[0] + x[0] : f[0] * x[0] - f[1] * x[1], im = op == WEFT_SUM ? f[1] + x[1] : f[0] * x[1] + f[1] * x[0];
            f[0] = s ? re : x[0], f[1] = s ? im : x[1];
        } else {
            double x[2];
            memcpy(x, elem[s], sizeof x);
            double re = op == WEFT_SUM ? d[0] + x[0] : d[0] * x[0] - d[1] * x[1], im = op == WEFT_SUM ? d[1] + x[1] : d[0] * x[1] + d[1] * x[0];
            d[0] = s ? re : x[0], d[1] = s ? im : x[1];
        }
    }
    if (t == WEFT_C64) memcpy(out, f, sizeof f);
    else memcpy(out, d, sizeof d);
}

void law_reduce(weft_dtype t, weft_op_reduce op, const void *const *elem, int k, void *out) {
    if (weft_dtype_is_complex(t)) {
        reduce_complex(t, op, elem, k, out);
    } else if (t == WEFT_F64) {
        double acc = weft_dtype_load(t, elem[0]);
        for (int s = 1; s < k; s++) acc = double_op(op, acc, weft_dtype_load(t, elem[s]));
        memcpy(out, &acc, sizeof acc);
    } else if (weft_dtype_is_float(t)) {
        float acc = (float)weft_dtype_load(t, elem[0]);
        for (int s = 1; s < k; s++) acc = float_op(op, acc, (float)weft_dtype_load(t, elem[s]));
        if (t == WEFT_F32) memcpy(out, &acc, sizeof acc);
        else weft_dtype_store(t, out, acc);
    } else if (t == WEFT_I1) {
        static const weft_op_reduce same[] = { WEFT_OR, WEFT_AND, WEFT_AND, WEFT_OR, WEFT_AND, WEFT_OR, WEFT_XOR };
        uint64_t acc = load_bits(t, elem[0]);
        for (int s = 1; s < k; s++) acc = int_op(WEFT_UI8, same[op], acc, load_bits(t, elem[s]));
        memcpy(out, &acc, 1);
    } else {
        uint64_t acc = load_bits(t, elem[0]); /* bits above the type's width mean nothing */
        for (int s = 1; s < k; s++) acc = int_op(t, op, acc, load_bits(t, elem[s]));
        acc = weft_dtype_of(t)->kind == WEFT_KIND_INT ? (uint64_t)as_signed(t, acc) : as_unsigned(t, acc);
        memcpy(out, &acc, weft_dtype_bytes(t));
    }
}

/* --- data -------------------------------------------------------------------------------------------------------------- */

/* Values whose float sums depend on the order. */
static void fill(weft_dtype t, uint64_t seed, int rank, int operand, void *p, int64_t count) {
    uint64_t state = seed * 31 + (uint64_t)rank * 1000003 + (uint64_t)operand * 7919;
    size_t bytes = weft_dtype_bytes(t);
    for (int64_t j = 0; j < count; j++) {
        char *e = (char *)p + (size_t)j * bytes;
        uint64_t r = law_random(&state);
        double v = ldexp((double)(int32_t)(r >> 32), (int)(r & 7) - 32);
        if (weft_dtype_is_complex(t)) {
            float f[2] = { (float)v, (float)(v * 0.7) };
            double d[2] = { v, v * 0.7 };
            memcpy(e, t == WEFT_C64 ? (void *)f : (void *)d, bytes);
        } else if (weft_dtype_is_float(t)) {
            weft_dtype_store(t, e, v);
        } else if (t == WEFT_I1) {
            *e = (char)(r >> 60 & 1);
        } else {
            uint64_t bits = weft_dtype_of(t)->kind == WEFT_KIND_INT ? (uint64_t)as_signed(t, r) : as_unsigned(t, r);
            memcpy(e, &bits, bytes);
        }
    }
}

/* --- cases --------------------------------------------------------------------------------------------------------------- */

#define REDUCTIONS (WEFT_XOR + 1)

long law_table_count(void) { return (long)(WEFT_DTYPE_COUNT - 1) * REDUCTIONS * 2; }

static int64_t size_at(uint64_t *s) {
    static const int64_t sizes[] = { 0, 1, 2, 3, 5, 7, 16, 33, 64, 257, 1000, 4099, 20011 };
    return sizes[below(s, WEFT_COUNT(sizes))];
}

law_case law_case_at(uint64_t seed, long i) {
    law_case k = { .seed = seed + (uint64_t)i * 0x2545f4914f6cdd1du, .outer = 1, .middle = 1, .inner = 1, .n = 1 };
    uint64_t s = k.seed;
    (void)law_random(&s);
    k.layout = below(&s, LAW_LAYOUTS);
    k.memory = (law_memory)below(&s, 3);
    k.n = below(&s, 4) ? 1 : 1 + below(&s, 5);
    if (i < law_table_count()) {
        k.kind = i % 2 ? WEFT_PLAN_REDUCE_SCATTER : WEFT_PLAN_ALL_REDUCE;
        k.reduce = (weft_op_reduce)(i / 2 % REDUCTIONS);
        k.dtype = (weft_dtype)(1 + i / 2 / REDUCTIONS);
        k.inner = 1 + below(&s, 300);
        if (i % 2) k.outer = 1 + below(&s, 4);
        return k;
    }
    k.kind = below(&s, WEFT_PLAN_COLL_COUNT);
    k.dtype = (weft_dtype)(1 + below(&s, WEFT_DTYPE_COUNT - 1));
    if (below(&s, 2)) k.dtype = WEFT_F32;
    k.reduce = (weft_op_reduce)below(&s, 4);
    k.inner = size_at(&s);
    if (k.kind == WEFT_PLAN_ALL_GATHER || k.kind == WEFT_PLAN_REDUCE_SCATTER || k.kind == WEFT_PLAN_ALL_TO_ALL) {
        k.outer = 1 + below(&s, 9);
        if (k.inner > 5000) k.inner = 5000 - below(&s, 7);
    }
    if (k.kind == WEFT_PLAN_ALL_TO_ALL) {
        k.middle = 1 + below(&s, 5);
        k.split_first = below(&s, 2);
        if (k.inner > 1000) k.inner = 1000 - below(&s, 7);
    }
    k.in_place = below(&s, 3) == 0;
    if (below(&s, 40) == 0 && k.kind == WEFT_PLAN_ALL_REDUCE) k.inner = 300007; /* several windows */
    return k;
}

int law_members(int layout, int size, int rank, int *members) {
    int n = 0;
    for (int i = 0; i < size; i++) {
        int in = layout == 1 ? (i < size / 2) == (rank < size / 2) : layout == 2 ? i % 2 == rank % 2 : layout == 3 ? i == rank : 1;
        if (in) members[n++] = layout == 4 ? size - 1 - i : layout == 5 ? (i + 1) % size : i;
    }
    return n;
}

static void print_case(const law_case *k, int rank, const char *what) {
    fprintf(stderr, "rank %d: %s of %d x [%lld][%lld][%lld] %s, reduction %d, layout %d, memory %d%s%s, seed %llu: %s\n", rank,
            weft_coll_kind_name(k->kind), k->n, (long long)k->outer, (long long)k->middle, (long long)k->inner, weft_dtype_of(k->dtype)->name,
            (int)k->reduce, k->layout, (int)k->memory, k->in_place ? ", in place" : "", k->split_first ? ", split first" : "",
            (unsigned long long)k->seed, what);
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

typedef struct operand {
    weft_coll_buf buf;
    int64_t in_count, out_count;
    char *want;
    char **all;      /* every member's input */
    int alloc;       /* in and out came from weft_comm_alloc */
} operand;

static void *get(weft_comm *c, const operand *o, int64_t count) {
    size_t bytes = (size_t)count * weft_dtype_bytes((weft_dtype)o->buf.dtype) + 1;
    return o->alloc ? weft_comm_alloc(c, bytes) : malloc(bytes);
}

static void put(weft_comm *c, const operand *o, void *p) {
    if (o->alloc) weft_comm_dealloc(c, p);
    else free(p);
}

static void expect(const law_case *k, operand *o, int p, int me) {
    size_t e = weft_dtype_bytes(k->dtype);
    int64_t M = o->buf.middle, I = o->buf.inner;
    const void **elem = malloc((size_t)p * sizeof *elem);
    for (int64_t j = 0; j < o->out_count; j++) {
        char *to = o->want + (size_t)j * e;
        int64_t i = j % I, rest = j / I, at;
        int from;
        switch (k->kind) {
        case WEFT_PLAN_ALL_GATHER:
            memcpy(to, o->all[rest % p] + (size_t)(rest / p * I + i) * e, e);
            break;
        case WEFT_PLAN_ALL_TO_ALL:
            if (k->split_first) { /* out [outer][middle][size][inner], in [outer][size][middle][inner] */
                from = (int)(rest % p);
                at = ((rest / p / M * p + me) * M + rest / p % M) * I + i;
            } else {              /* out [outer][size][middle][inner], in [outer][middle][size][inner] */
                from = (int)(rest / M % p);
                at = ((rest / M / p * M + rest % M) * p + me) * I + i;
            }
            memcpy(to, o->all[from] + (size_t)at * e, e);
            break;
        case WEFT_PLAN_COLLECTIVE_PERMUTE:
            from = source_of(k, p, me);
            if (from < 0) memset(to, 0, e);
            else memcpy(to, o->all[from] + (size_t)j * e, e);
            break;
        case WEFT_PLAN_COLLECTIVE_BROADCAST:
            memcpy(to, o->all[(int)(k->seed % (uint64_t)p)] + (size_t)j * e, e);
            break;
        default:
            at = k->kind == WEFT_PLAN_REDUCE_SCATTER ? (rest * p + me) * I + i : j;
            for (int s = 0; s < p; s++) elem[s] = o->all[s] + (size_t)at * e;
            law_reduce(k->dtype, k->reduce, elem, p, to);
        }
    }
    free(elem);
}

static int make(weft_comm *c, const law_case *k, operand *o, int number) {
    int p = weft_comm_size(c), me = weft_comm_rank(c);
    size_t e = weft_dtype_bytes(k->dtype);
    int64_t inner = number ? (k->inner + number) / (number + 1) : k->inner, block = k->outer * k->middle * inner;
    int in_blocks = k->kind == WEFT_PLAN_REDUCE_SCATTER || k->kind == WEFT_PLAN_ALL_TO_ALL ? p : 1;
    int out_blocks = k->kind == WEFT_PLAN_ALL_GATHER || k->kind == WEFT_PLAN_ALL_TO_ALL ? p : 1;
    *o = (operand){ .buf = { NULL, NULL, k->dtype, k->outer, k->middle, inner }, .in_count = block * in_blocks, .out_count = block * out_blocks };
    o->alloc = k->memory == LAW_ALLOC || (k->memory == LAW_MIXED && (me + number) % 2);
    o->want = malloc((size_t)o->out_count * e + 1);
    o->all = malloc((size_t)p * sizeof *o->all);
    for (int i = 0; i < p; i++) {
        o->all[i] = malloc((size_t)o->in_count * e + 1);
        fill(k->dtype, k->seed, i, number, o->all[i], o->in_count);
    }
    void *in = get(c, o, o->in_count);
    int together = k->in_place && o->in_count == o->out_count;
    o->buf.in = in;
    o->buf.out = together || k->kind == WEFT_PLAN_COLLECTIVE_BROADCAST ? in : get(c, o, o->out_count);
    if (!in || !o->buf.out) return 1;
    if (o->buf.out != in) memset(o->buf.out, 0xAB, (size_t)o->out_count * e);
    memcpy(in, o->all[me], (size_t)o->in_count * e);
    expect(k, o, p, me);
    return 0;
}

static const char *compare(const law_case *k, const operand *o, int me) {
    size_t e = weft_dtype_bytes(k->dtype);
    if (memcmp(o->buf.out, o->want, (size_t)o->out_count * e)) return "the result differs";
    if (o->buf.in != o->buf.out && memcmp(o->buf.in, o->all[me], (size_t)o->in_count * e)) return "the input has changed";
    return NULL;
}

static weft_status call(weft_comm *c, const law_case *k, const weft_coll_buf *b) {
    int p = weft_comm_size(c), me = weft_comm_rank(c);
    weft_call_site site = { weft_coll_kind_name(k->kind), "x", "law.mlir:1:1", k->seed };
    switch (k->kind) {
    case WEFT_PLAN_ALL_REDUCE: return weft_coll_all_reduce(c, k->reduce, b, k->n, &site);
    case WEFT_PLAN_ALL_GATHER: return weft_coll_all_gather(c, b, k->n, &site);
    case WEFT_PLAN_REDUCE_SCATTER: return weft_coll_reduce_scatter(c, k->reduce, b, k->n, &site);
    case WEFT_PLAN_ALL_TO_ALL: return weft_coll_all_to_all(c, k->split_first, b, k->n, &site);
    case WEFT_PLAN_COLLECTIVE_PERMUTE: return weft_coll_permute(c, source_of(k, p, me), target_of(k, p, me), b, k->n, &site);
    case WEFT_PLAN_COLLECTIVE_BROADCAST:
        for (int i = 0; i < k->n; i++) {
            weft_status st = weft_coll_broadcast(c, (int)(k->seed % (uint64_t)p), b[i].out,
                                                 (size_t)b[i].inner * weft_dtype_bytes(k->dtype), &site);
            if (st != WEFT_OK) return st;
        }
        return WEFT_OK;
    default: return weft_coll_barrier(c, &site);
    }
}

static int run_one(weft_comm *c, const law_case *k, int rank) {
    operand o[8];
    weft_coll_buf b[8];
    const char *bad = NULL;
    int me = weft_comm_rank(c), p = weft_comm_size(c), made = 0;
    for (; made < k->n && !bad; made++) {
        if (make(c, k, &o[made], made)) bad = "no memory";
        b[made] = o[made].buf;
    }
    weft_status st = bad ? WEFT_ERR_MEMORY : call(c, k, b);
    if (!bad && st != WEFT_OK) bad = weft_status_name(st);
    for (int i = 0; i < made; i++) {
        if (!bad && k->kind != WEFT_PLAN_BARRIER) bad = compare(k, &o[i], me);
        if (o[i].buf.out != o[i].buf.in) put(c, &o[i], o[i].buf.out);
        put(c, &o[i], (void *)(uintptr_t)o[i].buf.in);
        for (int j = 0; j < p; j++) free(o[i].all[j]);
        free(o[i].all);
        free(o[i].want);
    }
    if (bad) print_case(k, rank, bad);
    return bad != NULL;
}

int law_run(weft_context *cx, weft_world *w, int rank, uint64_t seed, long count) {
    weft_comm *all, *groups[LAW_LAYOUTS] = { 0 };
    int size = weft_world_size(w), failed = 0, *members = malloc((size_t)size * sizeof *members);
    if (weft_comm_world(cx, w, rank, &all) != WEFT_OK) return 1;
    for (int l = 0; l < LAW_LAYOUTS; l++) {
        int n = law_members(l, size, rank, members);
        if (weft_comm_group(cx, all, members, n, &groups[l]) != WEFT_OK) return 1;
    }
    for (long i = 0; i < count && failed < 5; i++) {
        law_case k = law_case_at(seed, i);
        int sums = k.kind == WEFT_PLAN_ALL_REDUCE || k.kind == WEFT_PLAN_REDUCE_SCATTER;
        if (sums && !weft_reduce_find(k.dtype, k.reduce)) continue;
        failed += run_one(groups[k.layout], &k, rank);
    }
    for (size_t i = 0; i < weft_context_diag_count(cx); i++) fprintf(stderr, "rank %d: %s\n", rank, weft_context_diag(cx, i)->message);
    for (int l = 0; l < LAW_LAYOUTS; l++) weft_comm_free(groups[l]);
    weft_comm_free(all);
    free(members);
    return failed;
}
