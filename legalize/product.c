/* product.c: dot_general and the ops around it. */
#include "legalize/product.h"

static const weft_type *type_of(lg *g, weft_dtype t, uint32_t rank, const int64_t *dims) {
    const weft_type *type = weft_type_tensor(g->m->cx, t, rank, dims);
    if (!type) g->status = weft_oom();
    return type;
}

static lg_value with_ints(lg *g, weft_op_kind kind, const weft_type *type, lg_value x, weft_attr_name name,
                          const int64_t *v, uint32_t n) {
    const weft_attr_pair a = { name, weft_attr_ints(g->m->cx, WEFT_I64, v, n) };
    if (!a.value) g->status = weft_oom();
    return x && type && a.value ? weft_build_1(g, kind, type, &x, 1, &a, 1) : NULL;
}

lg_value lg_transpose(lg *g, lg_value x, const int64_t *order) {
    int64_t dims[WEFT_MAX_RANK];
    bool same = true;
    if (!x) return NULL;
    for (uint32_t i = 0; i < x->type->rank; i++) {
        dims[i] = x->type->dims[order[i]];
        same = same && order[i] == i;
    }
    return same ? x
                : with_ints(g, WEFT_OP_transpose, type_of(g, x->type->dtype, x->type->rank, dims), x,
                            WEFT_A_permutation, order, x->type->rank);
}

lg_value lg_reshape(lg *g, lg_value x, uint32_t rank, const int64_t *dims) {
    const weft_type *type = x ? type_of(g, x->type->dtype, rank, dims) : NULL;
    if (!type || type == x->type) return x;
    return weft_build_1(g, WEFT_OP_reshape, type, &x, 1, NULL, 0);
}

lg_value lg_broadcast(lg *g, lg_value x, uint32_t rank, const int64_t *dims, const int64_t *where) {
    return x ? with_ints(g, WEFT_OP_broadcast_in_dim, type_of(g, x->type->dtype, rank, dims), x,
                         WEFT_A_broadcast_dimensions, where, x->type->rank)
             : NULL;
}

lg_value lg_iota(lg *g, weft_dtype t, uint32_t rank, const int64_t *dims, int64_t dim) {
    const weft_type *type = type_of(g, t, rank, dims);
    return type ? weft_build_iota(g, type, dim) : NULL;
}

static weft_status sum_body(lg *g, weft_op *op, const weft_type *scalar) {
    weft_builder body;
    weft_block *blk = weft_build_block(g, &op->regions[0]);
    if (!blk) return weft_oom();
    weft_builder_init(&body, g->m, blk);
    body.loc = g->loc;
    weft_value *left = weft_build_block_arg(&body, blk, scalar, g->loc),
               *right = weft_build_block_arg(&body, blk, scalar, g->loc);
    weft_value *total = weft_build_binary(&body, WEFT_OP_add, left, right);
    if (total) weft_build_op(&body, &(weft_op_spec){ .kind = WEFT_OP_return, .operands = &total, .operand_count = 1 });
    return body.status;
}

lg_value lg_sum_over(lg *g, lg_value x, weft_ints dims) {
    int64_t left[WEFT_MAX_RANK];
    uint32_t n = 0;
    if (!x || !dims.n) return x;
    for (uint32_t d = 0; d < x->type->rank; d++) {
        bool reduced = false;
        for (uint32_t i = 0; i < dims.n; i++) reduced = reduced || dims.v[i] == d;
        if (!reduced) left[n++] = x->type->dims[d];
    }
    const weft_type *scalar = type_of(g, x->type->dtype, 0, NULL), *type = type_of(g, x->type->dtype, n, left);
    const weft_named_attr attr = { weft_name_at(g->m->cx, WEFT_A_dimensions),
                                   weft_attr_ints(g->m->cx, WEFT_I64, dims.v, dims.n) };
    weft_value *in[2] = { x, scalar ? weft_build_splat(g, scalar, 0) : NULL };
    if (!type || !in[1] || !attr.value) return NULL;
    weft_op *op = weft_build_op(g, &(weft_op_spec){ .kind = WEFT_OP_reduce, .operands = in, .operand_count = 2,
                                                    .types = &type, .result_count = 1, .attrs = &attr, .attr_count = 1,
                                                    .region_count = 1 });
    if (op) g->status = sum_body(g, op, scalar);
    return op && g->status == WEFT_OK ? &op->results[0] : NULL;
}

lg_value lg_dot(lg *g, lg_value a, lg_value b, const weft_dot_dims *d, weft_dtype t, const weft_attr *precision) {
    int64_t dims[2 * WEFT_MAX_RANK];
    uint32_t n = 0;
    if (!a || !b) return NULL;
    for (uint32_t i = 0; i < d->lhs_batch.n; i++) dims[n++] = a->type->dims[d->lhs_batch.v[i]];
    for (uint32_t i = 0; i < a->type->rank; i++)
        if (!weft_ints_has(d->lhs_batch, i) && !weft_ints_has(d->lhs_contract, i)) dims[n++] = a->type->dims[i];
    for (uint32_t i = 0; i < b->type->rank; i++)
        if (!weft_ints_has(d->rhs_batch, i) && !weft_ints_has(d->rhs_contract, i)) dims[n++] = b->type->dims[i];
    if (n > WEFT_MAX_RANK) {
        g->status =
            weft_report(g->m->cx, WEFT_D_unsupported, g->loc, "a product of more than %d dimensions", WEFT_MAX_RANK);
        return NULL;
    }
    const weft_type *type = type_of(g, t, n, dims);
    const weft_attr made = { .kind = WEFT_ATTR_DOT, .dot = *d };
    const weft_attr_pair attrs[2] = { { WEFT_A_dot_dimension_numbers, weft_attr_copy(g->m->cx, &made) },
                                      { WEFT_A_precision_config, precision } };
    if (!attrs[0].value) g->status = weft_oom();
    return type && attrs[0].value
               ? weft_build_1(g, WEFT_OP_dot_general, type, (weft_value *[]){ a, b }, 2, attrs, precision ? 2 : 1)
               : NULL;
}
