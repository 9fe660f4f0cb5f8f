/* build.c: ops that several rules make; see grad.h. */
#include "differentiate/grad.h"

const weft_type *gd_scalar(gd *g, const weft_type *t) {
    return t ? weft_type_tensor(g->cx, t->dtype, 0, NULL) : NULL;
}

void gd_build_reducer(gd *g, weft_op *op, uint32_t r, const weft_type *t, weft_op_kind kind) {
    weft_builder in;
    if (!op) return;
    weft_builder_init(&in, g->m, NULL);
    in.loc = gd_b(g)->loc;
    in.block = weft_build_block(&in, &op->regions[r]);
    weft_value *x = weft_build_block_arg(&in, in.block, t, in.loc);
    weft_value *y = weft_build_block_arg(&in, in.block, t, in.loc);
    weft_value *v = weft_build_binary(&in, kind, x, y);
    gd_build_return(g, &in, WEFT_OP_return, &v, 1);
    if (in.status != WEFT_OK) gd_fail(g, in.status);
}

static weft_value *reduced(gd *g, weft_value *x, const int64_t *dims, uint32_t n, weft_op_kind kind, double initial) {
    weft_builder *b = gd_b(g);
    int64_t left[WEFT_MAX_RANK];
    uint32_t k = 0, i = 0;
    if (!x || !n) return x;
    bool ones = true;
    for (uint32_t j = 0; j < n; j++) ones &= x->type->dims[dims[j]] == 1;
    for (uint32_t d = 0; d < x->type->rank; d++) {
        if (i < n && dims[i] == (int64_t)d) i++;
        else left[k++] = x->type->dims[d];
    }
    const weft_type *t = weft_type_tensor(g->cx, x->type->dtype, k, left), *scalar = gd_scalar(g, x->type);
    if (ones) return gd_reshape(g, x, t);
    weft_value *in[] = { x, weft_build_splat(b, scalar, initial) };
    weft_named_attr over = { weft_name_at(g->cx, WEFT_A_dimensions), weft_attr_ints(g->cx, WEFT_I64, dims, n) };
    weft_op *op = weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_reduce, .operands = in, .operand_count = 2,
                                                    .types = &t, .result_count = 1, .attrs = &over, .attr_count = 1,
                                                    .region_count = 1 });
    gd_build_reducer(g, op, 0, scalar, kind);
    return op ? &op->results[0] : NULL;
}

weft_value *gd_sum(gd *g, weft_value *x, const int64_t *dims, uint32_t n) {
    return reduced(g, x, dims, n, WEFT_OP_add, 0);
}

weft_value *gd_reduced(gd *g, weft_value *x, int64_t d, weft_op_kind kind, double initial) {
    return reduced(g, x, &d, 1, kind, initial);
}

weft_value *gd_sum_all(gd *g, weft_value *x) {
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t d = 0; x && d < x->type->rank; d++) dims[d] = d;
    return gd_sum(g, x, dims, x ? x->type->rank : 0);
}

weft_value *gd_spread(gd *g, weft_value *x, const weft_value *like) {
    if (!x || !like || x->type->rank == like->type->rank) return x;
    const weft_type *t = weft_type_with_dtype(g->cx, like->type, x->type->dtype);
    return weft_build_broadcast(gd_b(g), x, t, NULL);
}

weft_value *gd_expand(gd *g, weft_value *x, const weft_type *t, const int64_t *dims, uint32_t n) {
    int64_t at[WEFT_MAX_RANK];
    uint32_t k = 0, i = 0;
    if (!x) return NULL;
    for (uint32_t d = 0; d < t->rank; d++) {
        if (i < n && dims[i] == (int64_t)d) i++;
        else at[k++] = d;
    }
    return weft_build_broadcast(gd_b(g), x, weft_type_with_dtype(g->cx, t, x->type->dtype), at);
}

weft_value *gd_reshape(gd *g, weft_value *x, const weft_type *t) {
    if (!x || x->type == t) return x;
    return weft_build_1(gd_b(g), WEFT_OP_reshape, weft_type_with_dtype(g->cx, t, x->type->dtype), &x, 1, NULL, 0);
}

weft_value *gd_transpose(gd *g, weft_value *x, const int64_t *permutation) {
    int64_t dims[WEFT_MAX_RANK];
    bool same = true;
    if (!x) return NULL;
    for (uint32_t d = 0; d < x->type->rank; d++) {
        dims[d] = x->type->dims[permutation[d]];
        same &= permutation[d] == (int64_t)d;
    }
    if (same) return x;
    weft_attr_pair by = { WEFT_A_permutation, weft_attr_ints(g->cx, WEFT_I64, permutation, x->type->rank) };
    return weft_build_1(gd_b(g), WEFT_OP_transpose, weft_type_with_dims(g->cx, x->type, x->type->rank, dims), &x, 1,
                        &by, 1);
}

weft_value *gd_like(gd *g, const weft_op *op, const weft_type *t, weft_value *const *operands, uint32_t n) {
    weft_op *made = weft_build_op(gd_b(g), &(weft_op_spec){ .kind = (weft_op_kind)op->kind, .operands = operands,
                                                            .operand_count = n, .types = &t, .result_count = 1,
                                                            .attrs = op->attrs, .attr_count = op->attr_count });
    return made ? &made->results[0] : NULL;
}
