/* gen_reduce.c: column `gen` of reductions.
 *
 * Every reduction becomes one whose dimensions alternate: neighbours that are both kept or both reduced are one
 * dimension, those of size 1 are gone. A reduced last dimension behind kept ones is reduced first, so that a reduction is
 * either over the last dimension alone (its sum stands in a register) or keeps it (sums stand in the result's memory).
 */
#include "codegen/body.h"
#include "codegen/import.h"

typedef struct shape { uint32_t rank; int64_t dims[WEFT_MAX_RANK]; bool reduced[WEFT_MAX_RANK]; } shape;

static shape alternate(const cg_node *x, weft_bits reduced) {
    shape s = { 0 };
    for (uint32_t i = 0; i < x->rank; i++) {
        bool r = weft_bits_has(reduced, i);
        if (x->dims[i] == 1) continue;
        if (s.rank && s.reduced[s.rank - 1] == r) {
            s.dims[s.rank - 1] *= x->dims[i];
            continue;
        }
        s.dims[s.rank] = x->dims[i];
        s.reduced[s.rank++] = r;
    }
    return s;
}

typedef struct reduction {
    cg_block *body;
    cg_node **x, **init;
    uint32_t n;
    cg_op op;               /* CG_OP_COUNT: any body */
} reduction;

/* One node that reduces the given dimensions of r->x; results into r->x. */
static weft_status reduce_once(cg_import *im, reduction *r, const shape *s, weft_bits reduced) {
    cg_graph *g = im->g;
    int64_t dims[WEFT_MAX_RANK];
    uint32_t rank = 0;
    cg_node **in = weft_arena_array(&g->arena, cg_node *, 2 * r->n);
    if (!in) return weft_oom();
    for (uint32_t i = 0; i < s->rank; i++)
        if (!weft_bits_has(reduced, i)) dims[rank++] = s->dims[i];
    for (uint32_t i = 0; i < r->n; i++) {
        in[i] = cg_reshape(g, r->x[i], s->rank, s->dims);
        in[r->n + i] = r->init[i];
    }
    cg_node *n = cg_begin(g, CG_REDUCE, in[0] ? (weft_dtype)in[0]->dtype : WEFT_F32, rank, dims, in, 2 * r->n);
    if (!n) return weft_oom();
    n->result_count = r->n;
    n->reduce.dims = reduced;
    n->reduce.body = r->body;
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

/* Nothing is reduced but dimensions of size 1: the body applied once. */
static weft_status reduce_nothing(cg_import *im, const weft_op *op, reduction *r) {
    cg_node *args[64], *out[64];
    if (2 * r->n > WEFT_COUNT(args)) return weft_gen_unsupported(im, op);
    for (uint32_t i = 0; i < r->n; i++) {
        const weft_type *t = op->results[i].type;
        args[i] = cg_broadcast(im->g, r->init[i], t->rank, t->dims, (weft_ints){ 0 });
        args[r->n + i] = cg_reshape(im->g, r->x[i], t->rank, t->dims);
    }
    for (uint32_t i = 0; i < r->n; i++) {
        uint8_t neutral[16] = { 0 };
        const cg_node *init = r->init[i];
        if (r->op != CG_OP_COUNT && cg_neutral(r->op, (weft_dtype)init->dtype, neutral) && init->cls == CG_SPLAT && !memcmp(init->splat, neutral, 16))
            out[i] = args[r->n + i];
        else out[i] = cg_inline_body(im->g, r->body, args, i);
    }
    for (uint32_t i = 0; i < r->n; i++) {
        weft_status st = out[i] ? cg_set(im, op, i, out[i]) : weft_gen_unsupported(im, op);
        if (st != WEFT_OK) return st;
    }
    return WEFT_OK;
}

static weft_status read_reduction(cg_import *im, const weft_op *op, reduction *r) {
    cg_graph *g = im->g;
    weft_status st = cg_import_region(im, &op->regions[0], &r->body);
    if (st != WEFT_OK) return st;
    if ((st = cg_body_check(g, r->body)) != WEFT_OK) return st;
    r->n = op->result_count;
    r->op = cg_body_op(r->body);
    r->x = weft_arena_array(&g->arena, cg_node *, r->n);
    r->init = weft_arena_array(&g->arena, cg_node *, r->n);
    if (!r->x || !r->init) return weft_oom();
    for (uint32_t i = 0; i < r->n; i++) {
        r->x[i] = cg_of(im, op, i);
        r->init[i] = cg_of(im, op, r->n + i);
    }
    return WEFT_OK;
}

/* Sums of 16-bit floats are taken in f32. */
static weft_status widen(cg_import *im, reduction *r) {
    cg_graph *g = im->g;
    cg_block *outer = g->block, *body = cg_block_new(g, outer);
    const weft_type *scalar = weft_type_tensor(g->cx, WEFT_F32, 0, NULL);
    if (!body || !scalar || !(body->args = weft_arena_array(&g->arena, cg_node *, 2)) || !(body->results = weft_arena_array(&g->arena, cg_node *, 1))) return weft_oom();
    g->block = body;
    body->arg_count = 2;
    body->result_count = 1;
    for (uint32_t i = 0; i < 2; i++) body->args[i] = cg_argument(g, body, i, scalar);
    body->results[0] = cg_binary(g, r->op, body->args[0], body->args[1]);
    g->block = outer;
    r->body = body;
    r->x[0] = cg_convert(g, r->x[0], WEFT_F32);
    if (r->init[0]->cls == CG_SPLAT) r->init[0] = cg_splat_value(g, WEFT_F32, 0, NULL, weft_dtype_load((weft_dtype)r->init[0]->dtype, r->init[0]->splat));
    else r->init[0] = cg_convert(g, r->init[0], WEFT_F32);
    return g->status;
}

weft_status weft_gen_reduce(cg_import *im, const weft_op *op) {
    cg_graph *g = im->g;
    reduction r = { 0 };
    weft_status st = read_reduction(im, op, &r);
    if (st != WEFT_OK) return st;
    weft_bits reduced = 0;
    weft_ints dims = weft_op_ints(op, WEFT_A_dimensions);
    int64_t factor = 1;
    for (uint32_t i = 0; i < dims.n; i++) {
        reduced |= weft_bit((unsigned)dims.v[i]);
        factor *= r.x[0]->dims[dims.v[i]];
    }
    if (factor == 1) return reduce_nothing(im, op, &r);
    const weft_dtype t = (weft_dtype)r.x[0]->dtype;
    if (factor == 0) {
        for (uint32_t i = 0; i < r.n && st == WEFT_OK; i++)
            st = cg_set(im, op, i, cg_broadcast(g, r.init[i], op->results[i].type->rank, op->results[i].type->dims, (weft_ints){ 0 }));
        return st;
    }
    if (r.op != CG_OP_COUNT && (t == WEFT_BF16 || t == WEFT_F16)) st = widen(im, &r);
    shape s = alternate(r.x[0], reduced);
    if (st == WEFT_OK && s.rank > 2 && s.reduced[s.rank - 1]) { /* the last dimension first */
        cg_node **init = r.init;
        uint8_t neutral[16] = { 0 };
        cg_node *first = r.op != CG_OP_COUNT && cg_neutral(r.op, (weft_dtype)r.x[0]->dtype, neutral) ? cg_splat(g, (weft_dtype)r.x[0]->dtype, 0, NULL, neutral) : NULL;
        if (first) r.init = &first;
        st = reduce_once(im, &r, &s, weft_bit(s.rank - 1));
        r.init = init;
        s.rank--;
    }
    weft_bits rest = 0;
    for (uint32_t i = 0; i < s.rank; i++)
        if (s.reduced[i]) rest |= weft_bit(i);
    if (st == WEFT_OK) st = reduce_once(im, &r, &s, rest);
    for (uint32_t i = 0; i < r.n && st == WEFT_OK; i++) {
        const weft_type *rt = op->results[i].type;
        st = cg_set(im, op, i, cg_convert(g, cg_reshape(g, r.x[i], rt->rank, rt->dims), rt->dtype));
    }
    return st;
}
