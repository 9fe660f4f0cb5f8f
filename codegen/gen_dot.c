/* gen_dot.c: column `gen` of sums of products.
 *
 * What oneDNN multiplies becomes a CG_DOT of f32; 16-bit floats are converted around it. Other types become a product
 * of broadcast operands reduced over the last dimension, which fusion turns into one loop nest.
 */
#include "codegen/dot.h"
#include "codegen/import.h"

static bool listed(weft_ints v, int64_t x) {
    for (uint32_t i = 0; i < v.n; i++)
        if (v.v[i] == x) return true;
    return false;
}

/* lhs or rhs spread over [batch, lhs free, rhs free, contracted]. first: where its free dimensions go. */
static cg_node *spread(cg_graph *g, cg_node *x, weft_ints batch, weft_ints contract, uint32_t first, uint32_t rank, const int64_t *dims, uint32_t contract_at) {
    cg_view_dim view[WEFT_MAX_RANK];
    uint32_t free_at = first;
    for (uint32_t i = 0; i < x->rank; i++) view[i] = cg_along(-1, 0, 1);
    for (uint32_t i = 0; i < batch.n; i++) view[batch.v[i]].dim = (int32_t)i;
    for (uint32_t i = 0; i < contract.n; i++) view[contract.v[i]].dim = (int32_t)(contract_at + i);
    for (uint32_t i = 0; i < x->rank; i++)
        if (!listed(batch, i) && !listed(contract, i)) view[i].dim = (int32_t)free_at++;
    return cg_view(g, x, rank, dims, view);
}

static cg_block *sum_body(cg_graph *g, weft_dtype t) {
    cg_block *outer = g->block, *body = cg_block_new(g, outer);
    const weft_type *scalar = weft_type_tensor(g->cx, t, 0, NULL);
    if (!body || !scalar) return NULL;
    body->args = weft_arena_array(&g->arena, cg_node *, 2);
    body->results = weft_arena_array(&g->arena, cg_node *, 1);
    if (!body->args || !body->results) return NULL;
    g->block = body;
    body->arg_count = 2;
    body->result_count = 1;
    for (uint32_t i = 0; i < 2; i++) body->args[i] = cg_argument(g, body, i, scalar);
    body->results[0] = cg_binary(g, t == WEFT_I1 ? CG_OP_or : CG_OP_add, body->args[0], body->args[1]);
    g->block = outer;
    return body->results[0] ? body : NULL;
}

static cg_node *as_loops(cg_graph *g, cg_node *a, cg_node *b, const weft_dot_dims *d, const weft_type *t) {
    int64_t dims[WEFT_MAX_RANK], flat[2] = { 1, 1 };
    uint32_t rank = t->rank, lhs_free = a->rank - d->lhs_batch.n - d->lhs_contract.n;
    if (rank + d->lhs_contract.n > WEFT_MAX_RANK) return NULL;
    for (uint32_t i = 0; i < rank; i++) dims[i] = t->dims[i];
    for (uint32_t i = 0; i < d->lhs_contract.n; i++) {
        dims[rank + i] = a->dims[d->lhs_contract.v[i]];
        flat[1] *= dims[rank + i];
    }
    for (uint32_t i = 0; i < rank; i++) flat[0] *= dims[i];
    const uint32_t all = rank + d->lhs_contract.n;
    a = spread(g, cg_convert(g, a, t->dtype), d->lhs_batch, d->lhs_contract, d->lhs_batch.n, all, dims, rank);
    b = spread(g, cg_convert(g, b, t->dtype), d->rhs_batch, d->rhs_contract, d->lhs_batch.n + lhs_free, all, dims, rank);
    cg_node *p = cg_binary(g, t->dtype == WEFT_I1 ? CG_OP_and : CG_OP_multiply, a, b);
    if (flat[1] == 1) return cg_reshape(g, p, t->rank, t->dims);
    cg_node *zero = cg_splat_value(g, t->dtype, 0, NULL, 0);
    if (flat[1] == 0 || flat[0] == 0) return cg_broadcast(g, zero, t->rank, t->dims, (weft_ints){ 0 });
    const int64_t *shape = flat[0] == 1 ? flat + 1 : flat;
    const uint32_t shape_rank = flat[0] == 1 ? 1 : 2;
    cg_node *in[2] = { cg_reshape(g, p, shape_rank, shape), zero };
    cg_node *r = cg_begin(g, CG_REDUCE, t->dtype, shape_rank - 1, flat, in, 2);
    cg_block *body = sum_body(g, t->dtype);
    if (!r || !body) return NULL;
    r->reduce.dims = weft_bit(shape_rank - 1);
    r->reduce.body = body;
    return cg_reshape(g, cg_finish(g, r), t->rank, t->dims);
}

static bool multiplied(weft_dtype t) { return t == WEFT_F32 || t == WEFT_BF16 || t == WEFT_F16; }

/* x, or x transposed to [batch, free, contracted] when a matrix product could not read it written out as it is. */
static cg_node *readable(cg_graph *g, cg_node *x, weft_ints *batch, weft_ints *contract) {
    if (!x || cg_dot_reads(x, *batch, *contract)) return x;
    int64_t order[WEFT_MAX_RANK], *where = weft_arena_array(&g->arena, int64_t, x->rank);
    uint32_t n = 0;
    if (!where) return NULL;
    for (uint32_t i = 0; i < batch->n; i++) order[n++] = batch->v[i];
    for (uint32_t i = 0; i < x->rank; i++)
        if (!listed(*batch, i) && !listed(*contract, i)) order[n++] = i;
    for (uint32_t i = 0; i < contract->n; i++) order[n++] = contract->v[i];
    for (uint32_t i = 0; i < x->rank; i++) where[i] = i;
    x = cg_transpose(g, x, (weft_ints){ order, n });
    *contract = (weft_ints){ where + n - contract->n, contract->n };
    *batch = (weft_ints){ where, batch->n };
    return x;
}

static weft_status product(cg_import *im, const weft_op *op, const weft_dot_dims *d) {
    cg_graph *g = im->g;
    const weft_type *t = op->results[0].type;
    cg_node *in[2] = { cg_of(im, op, 0), cg_of(im, op, 1) };
    int64_t k = 1;
    for (uint32_t i = 0; i < d->lhs_contract.n; i++) k *= in[0]->dims[d->lhs_contract.v[i]];
    bool library = multiplied((weft_dtype)in[0]->dtype) && multiplied((weft_dtype)in[1]->dtype) && multiplied(t->dtype);
    if (!library || k <= 1 || weft_type_elems(t) == 0) return cg_set(im, op, 0, as_loops(g, in[0], in[1], d, t));
    weft_dot_dims dims = *d;
    for (int i = 0; i < 2; i++) in[i] = cg_convert(g, in[i], WEFT_F32);
    in[0] = readable(g, in[0], &dims.lhs_batch, &dims.lhs_contract);
    in[1] = readable(g, in[1], &dims.rhs_batch, &dims.rhs_contract);
    cg_node *n = cg_begin(g, CG_DOT, WEFT_F32, t->rank, t->dims, in, 2);
    if (!n) return weft_oom();
    n->dot = dims;
    return cg_set(im, op, 0, cg_convert(g, cg_finish(g, n), t->dtype));
}

weft_status weft_gen_dot_general(cg_import *im, const weft_op *op) { return product(im, op, &weft_op_attr(op, WEFT_A_dot_dimension_numbers)->dot); }

weft_status weft_gen_dot(cg_import *im, const weft_op *op) {
    int64_t *v = weft_arena_array(&im->g->arena, int64_t, 2);
    if (!v) return weft_oom();
    v[0] = op->operands[0]->type->rank - 1;
    return product(im, op, &(weft_dot_dims){ .lhs_contract = { v, 1 }, .rhs_contract = { v + 1, 1 } });
}
