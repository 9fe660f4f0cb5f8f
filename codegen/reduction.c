/* reduction.c: reductions as nodes.
 *
 * Every reduction becomes one whose dimensions alternate: neighbours that are both kept or both reduced are one
 * dimension, those of size 1 are gone. A reduced last dimension after kept ones is reduced first, so that a reduction
 * is either over the last dimension alone (its sum stands in a register) or keeps it (sums stand in the result's
 * memory).
 */
#include "codegen/body.h"
#include "codegen/reduction.h"

enum { MOST_PARTS = 1 << 16 };

typedef struct shape { uint32_t rank; int64_t dims[WEFT_MAX_RANK]; bool reduced[WEFT_MAX_RANK]; } shape;

static shape alternate(uint32_t rank, const int64_t *dims, weft_bits reduced) {
    shape s = { 0 };
    for (uint32_t i = 0; i < rank; i++) {
        bool r = weft_bits_has(reduced, i);
        if (dims[i] == 1) continue;
        if (s.rank && s.reduced[s.rank - 1] == r) {
            s.dims[s.rank - 1] *= dims[i];
            continue;
        }
        s.dims[s.rank] = dims[i];
        s.reduced[s.rank++] = r;
    }
    return s;
}

weft_status cg_reduction_read(cg_import *im, const weft_op *op, cg_reduction *r) {
    cg_graph *g = im->g;
    weft_status st = cg_import_body(im, &op->regions[0], &r->body);
    if (st != WEFT_OK) return st;
    r->n = op->result_count;
    r->op = cg_body_op(r->body);
    r->order = cg_body_order(g, r->body);
    r->x = weft_arena_array(&g->arena, cg_node *, r->n);
    r->init = weft_arena_array(&g->arena, cg_node *, r->n);
    if (!r->x || !r->init) return weft_oom();
    for (uint32_t i = 0; i < r->n; i++) {
        const weft_dtype t = (weft_dtype)r->body->args[i]->dtype;
        r->x[i] = cg_convert(g, cg_of(im, op, i), t);
        r->init[i] = cg_convert(g, cg_of(im, op, r->n + i), t);
        if (!r->x[i] || !r->init[i]) return weft_oom();
    }
    return WEFT_OK;
}

weft_status cg_reduction_widen(cg_import *im, cg_reduction *r) {
    cg_graph *g = im->g;
    const weft_dtype t = (weft_dtype)r->x[0]->dtype;
    if (r->op == CG_OP_COUNT || !weft_dtype_is_narrow_float(t)) return WEFT_OK;
    cg_block *outer = g->block, *body = cg_block_new(g, outer);
    const weft_type *scalar = weft_type_tensor(g->cx, WEFT_F32, 0, NULL);
    if (!body || !scalar || !(body->args = weft_arena_array(&g->arena, cg_node *, 2)) ||
        !(body->results = weft_arena_array(&g->arena, cg_node *, 1)))
        return weft_oom();
    g->block = body;
    body->arg_count = 2;
    body->result_count = 1;
    for (uint32_t i = 0; i < 2; i++) body->args[i] = cg_argument(g, body, i, scalar);
    body->results[0] = cg_binary(g, r->op, body->args[0], body->args[1]);
    g->block = outer;
    r->body = body;
    r->x[0] = cg_convert(g, r->x[0], WEFT_F32);
    if (r->init[0]->cls == CG_SPLAT)
        r->init[0] = cg_splat_value(g, WEFT_F32, 0, NULL, weft_dtype_load(t, r->init[0]->splat));
    else r->init[0] = cg_convert(g, r->init[0], WEFT_F32);
    return g->status;
}

static bool neutral_of(const cg_reduction *r, uint32_t i, uint8_t *element) {
    const cg_op op = cg_body_op_of(r->body, i);
    return op != CG_OP_COUNT && cg_neutral(op, (weft_dtype)r->init[i]->dtype, element);
}

bool cg_reduction_neutral(cg_import *im, const cg_reduction *r, cg_node **out) {
    for (uint32_t i = 0; i < r->n; i++) {
        uint8_t element[16] = { 0 };
        if (!neutral_of(r, i, element)) return false;
        out[i] = cg_splat(im->g, (weft_dtype)r->init[i]->dtype, 0, NULL, element);
    }
    return true;
}

bool cg_reduction_starts_neutral(const cg_reduction *r) {
    for (uint32_t i = 0; i < r->n; i++) {
        uint8_t element[16] = { 0 };
        if (!neutral_of(r, i, element) || r->init[i]->cls != CG_SPLAT ||
            memcmp(r->init[i]->splat, element, sizeof element))
            return false;
    }
    return true;
}

weft_status cg_reduction_node(cg_import *im, cg_reduction *r, cg_class cls, int64_t which, uint32_t rank,
                              const int64_t *dims) {
    cg_graph *g = im->g;
    cg_node **in = weft_arena_array(&g->arena, cg_node *, 2 * r->n);
    if (!in) return weft_oom();
    for (uint32_t i = 0; i < r->n; i++) {
        in[i] = r->x[i];
        in[r->n + i] = r->init[i];
    }
    cg_node *n = cg_begin(g, cls, in[0] ? (weft_dtype)in[0]->dtype : WEFT_F32, rank, dims, in, 2 * r->n);
    if (!n) return weft_oom();
    n->result_count = r->n;
    n->reduce.body = r->body;
    if (cls == CG_REDUCE) n->reduce.dims = (weft_bits)which;
    n->aux = cls == CG_REDUCE ? r->order : which;
    n = cg_finish(g, n);
    if (!n) return weft_oom();
    for (uint32_t i = 0; i < r->n; i++) {
        const weft_type *t = weft_type_tensor(g->cx, (weft_dtype)in[i]->dtype, rank, dims);
        if (!t) return weft_oom();
        r->x[i] = r->n == 1 ? n : cg_part(g, n, i, t);
        if (!r->x[i]) return weft_oom();
    }
    return WEFT_OK;
}

static weft_status reduce_shape(cg_import *im, cg_reduction *r, const shape *s, weft_bits reduced) {
    int64_t dims[WEFT_MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < s->rank; i++)
        if (!weft_bits_has(reduced, i)) dims[rank++] = s->dims[i];
    for (uint32_t i = 0; i < r->n; i++) r->x[i] = cg_reshape(im->g, r->x[i], s->rank, s->dims);
    return cg_reduction_node(im, r, CG_REDUCE, (int64_t)reduced, rank, dims);
}

/* The reduced dimensions after the others, in order. */
static void reduced_last(cg_import *im, cg_reduction *r, shape *s) {
    shape to = { .rank = s->rank };
    int64_t from[WEFT_MAX_RANK];
    uint32_t n = 0;
    for (int reduced = 0; reduced < 2; reduced++)
        for (uint32_t i = 0; i < s->rank; i++)
            if (s->reduced[i] == (bool)reduced) from[n++] = i;
    for (uint32_t i = 0; i < n; i++) to.dims[i] = s->dims[from[i]], to.reduced[i] = s->reduced[from[i]];
    for (uint32_t i = 0; i < r->n; i++)
        r->x[i] = cg_transpose(im->g, cg_reshape(im->g, r->x[i], s->rank, s->dims), (weft_ints){ from, n });
    weft_bits reduced = 0;
    for (uint32_t i = 0; i < n; i++) reduced |= to.reduced[i] ? weft_bit(i) : 0;
    *s = alternate(to.rank, to.dims, reduced);
}

/* The reduction of `reduced` of s alone, which begins with neutral elements. */
static weft_status reduce_first(cg_import *im, cg_reduction *r, cg_node **neutral, const shape *s, weft_bits reduced) {
    cg_node **init = r->init;
    r->init = neutral;
    const weft_status st = reduce_shape(im, r, s, reduced);
    r->init = init;
    return st;
}

/* From so many terms on a sum along dimension d of s is a sum of sums. Vectors add up a last dimension, many terms at a
 * time, and what follows from a row's sum shares its kernel. */
static int64_t long_sum(const shape *s, uint32_t d) {
    return d + 1 < s->rank ? 1024 : s->rank == 1 ? 65536 : 1 << 20;
}

/* The divisor of n next to its root, or to MOST_PARTS, which bounds the search; 1: there is none near it. */
static int64_t divisor_near_root(int64_t n) {
    int64_t root = 1;
    while (root < MOST_PARTS && (root + 1) * (root + 1) <= n) root++;
    for (int64_t m = root; m > root / 8; m--)
        if (n % m == 0) return m;
    return 1;
}

/* Sums of floats gain exactness, and what is exact in any order threads. */
static bool has_parts(cg_op op, weft_dtype t) {
    if (weft_dtype_is_float(t)) return op == CG_OP_add || op == CG_OP_maximum || op == CG_OP_minimum;
    return !weft_dtype_is_complex(t) && op != CG_OP_COUNT;
}

/* Sums of many floats as sums of sums: one term after another, each addition rounds to the size of all that came
 * before. Threads can share the parts, too, and the order does not depend on how many there are. */
static weft_status add_up_parts(cg_import *im, cg_reduction *r, shape *s) {
    cg_node *neutral;
    weft_status st = WEFT_OK;
    if (r->n != 1 || !has_parts(r->op, (weft_dtype)r->x[0]->dtype) || !cg_reduction_neutral(im, r, &neutral))
        return WEFT_OK;
    for (uint32_t d = 0; d < s->rank && st == WEFT_OK; d++) {
        const int64_t n = s->dims[d], m = s->reduced[d] && n >= long_sum(s, d) ? divisor_near_root(n) : 1;
        if (m == 1 || s->rank == WEFT_MAX_RANK) continue;
        shape parts = *s;
        memmove(parts.dims + d + 1, s->dims + d, (s->rank - d) * sizeof *s->dims);
        parts.rank++;
        parts.dims[d] = s->dims[d] = n / m, parts.dims[d + 1] = m;
        st = reduce_first(im, r, &neutral, &parts, weft_bit(d + 1));
    }
    return st;
}

/* In two steps where a neutral element can start the first one, so that initial values count once. */
weft_status cg_reduction_along(cg_import *im, cg_reduction *r, uint32_t rank, const int64_t *dims, weft_bits reduced) {
    shape s = alternate(rank, dims, reduced);
    weft_status st = add_up_parts(im, r, &s);
    if (st == WEFT_OK && s.rank > 2 && s.reduced[s.rank - 1]) {
        cg_node **neutral = weft_arena_array(&im->g->arena, cg_node *, r->n);
        if (!neutral) return weft_oom();
        if (cg_reduction_neutral(im, r, neutral)) { /* the last dimension first */
            st = reduce_first(im, r, neutral, &s, weft_bit(s.rank - 1));
            s.rank--;
        } else reduced_last(im, r, &s);
    }
    weft_bits rest = 0;
    for (uint32_t i = 0; i < s.rank; i++)
        if (s.reduced[i]) rest |= weft_bit(i);
    return st == WEFT_OK ? reduce_shape(im, r, &s, rest) : st;
}

weft_status cg_reduction_once(cg_import *im, cg_reduction *r) {
    cg_graph *g = im->g;
    if (cg_reduction_starts_neutral(r)) return WEFT_OK;
    cg_node **args = weft_arena_array(&g->arena, cg_node *, 2 * r->n),
            **out = weft_arena_array(&g->arena, cg_node *, r->n);
    if (!args || !out) return weft_oom();
    for (uint32_t i = 0; i < r->n; i++) {
        args[i] = cg_broadcast(g, r->init[i], r->x[i]->rank, r->x[i]->dims, (weft_ints){ 0 });
        args[r->n + i] = r->x[i];
    }
    for (uint32_t i = 0; i < r->n; i++)
        if (!(out[i] = cg_inline_body(g, r->body, args, i))) return weft_oom();
    r->x = out;
    return WEFT_OK;
}

weft_status cg_reduction_set(cg_import *im, const weft_op *op, const cg_reduction *r) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < r->n && st == WEFT_OK; i++) {
        const weft_type *t = op->results[i].type;
        st = cg_set(im, op, i, cg_convert(im->g, cg_reshape(im->g, r->x[i], t->rank, t->dims), t->dtype));
    }
    return st;
}
