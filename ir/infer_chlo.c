/* infer_chlo.c: CHLO's ops that are not one of StableHLO's by another name: broadcasts, top_k, scan ...
 *
 * Source: the documentation of the CHLO dialect.
 */
#include "ir/infer.h"

/* The shape that operands a and b broadcast to. broadcast_dimensions, when given, place the operand of lower rank; else
 * shapes are aligned at their last dimensions as NumPy does. */
static weft_status broadcast(weft_checker *c, const weft_op *op, const weft_type *a, const weft_type *b, int64_t *dims, uint32_t *rank) {
    const weft_type *big = a->rank >= b->rank ? a : b, *small = big == a ? b : a;
    const weft_attr *attr = a->rank == b->rank ? NULL : weft_op_attr(op, WEFT_A_broadcast_dimensions);
    weft_ints map = weft_op_ints(op, WEFT_A_broadcast_dimensions);
    weft_status st = WEFT_OK;
    if (attr) st = weft_check_count(c, op, WEFT_A_broadcast_dimensions, map, small->rank);
    if (st == WEFT_OK && attr) st = weft_check_dims(c, op, "broadcast_dimensions", map, big->rank);
    if (st != WEFT_OK) return st;
    *rank = big->rank;
    for (uint32_t i = 0; i < big->rank; i++) dims[i] = big->dims[i];
    for (uint32_t i = 0; i < small->rank; i++) {
        int64_t *d = &dims[attr ? map.v[i] : big->rank - small->rank + i], s = small->dims[i];
        if (s == 1) continue;
        if (*d == 1 || *d == WEFT_DYNAMIC) *d = s;
        else if (!weft_dims_agree(*d, s)) return weft_bad(c, op, "operands of type '%s' and '%s' do not broadcast", weft_text_of(c, a), weft_text_of(c, b));
    }
    return WEFT_OK;
}

static weft_status infer_binary(weft_checker *c, const weft_op *op, unsigned classes, weft_dtype dtype, const weft_type **types) {
    int64_t dims[WEFT_MAX_RANK];
    uint32_t rank;
    weft_status st = weft_check_operands(c, op, classes);
    if (st == WEFT_OK) st = weft_check_same_dtype(c, op, 1, 0);
    if (st == WEFT_OK) st = broadcast(c, op, op->operands[0]->type, op->operands[1]->type, dims, &rank);
    if (st != WEFT_OK) return st;
    return dtype ? weft_set_type(c, &types[0], dtype, rank, dims) : weft_set_like(c, &types[0], op->operands[0]->type, rank, dims);
}

/* CHLO leaves the element kinds to what the op is lowered to. */
weft_status weft_infer_broadcast_any(weft_checker *c, const weft_op *op, const weft_type **types) { return infer_binary(c, op, WEFT_IS_ANY, WEFT_DTYPE_NONE, types); }
weft_status weft_infer_broadcast_complex(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_type *t = op->operands[0]->type;
    return infer_binary(c, op, WEFT_IS_FLOAT, t->dtype == WEFT_F64 ? WEFT_C128 : WEFT_C64, types);
}

weft_status weft_infer_broadcast_compare(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = weft_check_enum(c, op, WEFT_A_comparison_direction, WEFT_ENUM_chlo_comparison_direction);
    if (st == WEFT_OK) st = weft_check_enum(c, op, WEFT_A_compare_type, WEFT_ENUM_chlo_comparison_type);
    return st == WEFT_OK ? infer_binary(c, op, WEFT_IS_ANY, WEFT_I1, types) : st;
}

weft_status weft_infer_broadcast_select(weft_checker *c, const weft_op *op, const weft_type **types) {
    int64_t dims[WEFT_MAX_RANK];
    uint32_t rank;
    const weft_type *choice;
    weft_status st = weft_check_operands(c, op, WEFT_IS_ANY);
    if (st == WEFT_OK) st = weft_check_operand(c, op, 0, WEFT_IS_BOOL);
    if (st == WEFT_OK) st = weft_check_same_dtype(c, op, 2, 1);
    if (st == WEFT_OK) st = broadcast(c, op, op->operands[1]->type, op->operands[2]->type, dims, &rank);
    if (st == WEFT_OK) st = weft_set_like(c, &choice, op->operands[1]->type, rank, dims);
    if (st == WEFT_OK) st = broadcast(c, op, op->operands[0]->type, choice, dims, &rank);
    return st == WEFT_OK ? weft_set_like(c, &types[0], choice, rank, dims) : st;
}

/* value everywhere, in the operand's shape. */
weft_status weft_infer_constant_like(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_attr *v = weft_op_attr(op, WEFT_A_value);
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_ANY);
    if (st == WEFT_OK) st = weft_check_result(c, op, 0, WEFT_IS_ANY);
    if (st != WEFT_OK) return st;
    bool typed = v->type && (v->type->kind == WEFT_TYPE_SCALAR || v->type->kind == WEFT_TYPE_TENSOR);
    return weft_set_type(c, &types[0], typed ? v->type->dtype : op->results[0].type->dtype, op->operands[0]->type->rank, op->operands[0]->type->dims);
}

weft_status weft_infer_top_k(weft_checker *c, const weft_op *op, const weft_type **types) {
    int64_t k = weft_op_int(op, WEFT_A_k, 0), dims[WEFT_MAX_RANK];
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_ANY);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->operands[0]->type;
    if (!t->rank) return weft_bad(c, op, "operand 0 has type '%s', expected at least 1 dimension", weft_text_of(c, t));
    if (k < 0 || (t->dims[t->rank - 1] != WEFT_DYNAMIC && k > t->dims[t->rank - 1]))
        return weft_bad(c, op, "k is %lld, but operand 0 has type '%s'", (long long)k, weft_text_of(c, t));
    for (uint32_t i = 0; i < t->rank; i++) dims[i] = t->dims[i];
    dims[t->rank - 1] = k;
    st = weft_set_like(c, &types[0], t, t->rank, dims);
    return st == WEFT_OK ? weft_set_type(c, &types[1], WEFT_I32, t->rank, dims) : st;
}

/* Its dimension numbers are kept as text: only that the operands are tensors of one element type is checked. */
weft_status weft_infer_ragged_dot(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    weft_status st = weft_check_operands(c, op, WEFT_IS_ANY);
    if (st == WEFT_OK) st = weft_check_operand(c, op, 2, WEFT_IS_INTEGER);
    return st;
}

/* Which operands are inputs and which carries is told by attributes of the generic form; the body ends in a return. */
weft_status weft_infer_scan(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    const weft_block *b = weft_op_body(op, 0);
    return weft_check_body(c, op, 0, NULL, b ? b->arg_count : 0, WEFT_OP_return, NULL);
}
