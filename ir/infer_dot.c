/* infer_dot.c: sums of products over whole dimensions.
 *
 * Source: StableHLO docs/spec.md, dot_general (C1) to (C24).
 */
#include "ir/infer.h"

static weft_status check_side(weft_checker *c, const weft_op *op, const char *what, const char *both, weft_ints batch, weft_ints contract, uint32_t rank) {
    weft_status st = weft_check_dims(c, op, what, batch, rank);
    if (st == WEFT_OK) st = weft_check_dims(c, op, both, contract, rank);
    for (uint32_t i = 0; i < batch.n && st == WEFT_OK; i++)
        if (weft_ints_has(contract, batch.v[i]))
            st = weft_bad(c, op, "%s and %s share dimension %lld", what, both, (long long)batch.v[i]);
    return st;
}

static weft_status check_pairs(weft_checker *c, const weft_op *op, const char *what, weft_ints l, weft_ints r) {
    const weft_type *lhs = op->operands[0]->type, *rhs = op->operands[1]->type;
    if (l.n != r.n) return weft_bad(c, op, "%s dimensions %s and %s differ in number", what, weft_text_of_ints(c, l), weft_text_of_ints(c, r));
    for (uint32_t i = 0; i < l.n; i++)
        if (!weft_dims_agree(lhs->dims[l.v[i]], rhs->dims[r.v[i]]))
            return weft_bad(c, op, "%s dimensions %lld of '%s' and %lld of '%s' differ in size", what, (long long)l.v[i], weft_text_of(c, lhs),
                            (long long)r.v[i], weft_text_of(c, rhs));
    return WEFT_OK;
}

/* One per operand; MLIR takes fewer as well. */
weft_status weft_check_precision(weft_checker *c, const weft_op *op) {
    const weft_attr *p = weft_op_attr(op, WEFT_A_precision_config);
    if (!p) return WEFT_OK;
    if (p->items.n > 2) return weft_bad(c, op, "precision_config has %u entries, expected at most 2", p->items.n);
    for (uint32_t i = 0; i < p->items.n; i++)
        if (p->items.v[i]->kind != WEFT_ATTR_ENUM || weft_enum_table[p->items.v[i]->e].set != WEFT_ENUM_precision)
            return weft_bad(c, op, "precision_config entry %u is not a precision", i);
    return WEFT_OK;
}

/* The element type is the result's own choice among those that hold a product (f32 from bf16 operands). */
static weft_status set_result(weft_checker *c, const weft_op *op, const weft_type **types, uint32_t rank, const int64_t *dims) {
    const weft_type *t = op->results[0].type;
    weft_status st = weft_check_result(c, op, 0, WEFT_IS_ANY_AXIS);
    if (st == WEFT_OK) st = weft_check_quant_product(c, op);
    if (st != WEFT_OK) return st;
    if (weft_dtype_is_complex(t->dtype) != weft_dtype_is_complex(op->operands[0]->type->dtype))
        return weft_bad(c, op, "result 0 has type '%s' for operands of %s", weft_text_of(c, t), weft_dtype_of(op->operands[0]->type->dtype)->name);
    return weft_set_like(c, &types[0], t, rank, dims);
}

static weft_status check_operands(weft_checker *c, const weft_op *op) {
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_ANY);
    return st == WEFT_OK ? weft_check_operand(c, op, 1, WEFT_IS_ANY_AXIS) : st;
}

/* (C15), (C16): zero points would add a term per element of lhs, and a sum over slices has no single scale. */
static weft_status check_quant(weft_checker *c, const weft_op *op, weft_ints rhs_contract) {
    const weft_quant *q = op->operands[1]->type->quant;
    for (uint32_t i = 0; q && i < q->count; i++)
        if (q->zero_points[i]) return weft_bad(c, op, "operand 1 has type '%s', expected zero points of 0", weft_text_of(c, op->operands[1]->type));
    if (q && weft_quant_per_axis(q) && weft_ints_has(rhs_contract, q->axis))
        return weft_bad(c, op, "operand 1 of type '%s' is quantised along dimension %d, which is contracted", weft_text_of(c, op->operands[1]->type), q->axis);
    return WEFT_OK;
}

weft_status weft_infer_dot_general(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_dot_dims *d = &weft_op_attr(op, WEFT_A_dot_dimension_numbers)->dot;
    weft_status st = check_operands(c, op);
    if (st != WEFT_OK) return st;
    const weft_type *lhs = op->operands[0]->type, *rhs = op->operands[1]->type;
    st = check_side(c, op, "lhs batching dimensions", "lhs contracting dimensions", d->lhs_batch, d->lhs_contract, lhs->rank);
    if (st == WEFT_OK) st = check_side(c, op, "rhs batching dimensions", "rhs contracting dimensions", d->rhs_batch, d->rhs_contract, rhs->rank);
    if (st == WEFT_OK) st = check_pairs(c, op, "batching", d->lhs_batch, d->rhs_batch);
    if (st == WEFT_OK) st = check_pairs(c, op, "contracting", d->lhs_contract, d->rhs_contract);
    if (st == WEFT_OK) st = weft_check_precision(c, op);
    if (st != WEFT_OK) return st;
    int64_t dims[2 * WEFT_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->lhs_batch.n; i++) dims[n++] = lhs->dims[d->lhs_batch.v[i]];
    for (uint32_t i = 0; i < lhs->rank; i++)
        if (!weft_ints_has(d->lhs_batch, i) && !weft_ints_has(d->lhs_contract, i)) dims[n++] = lhs->dims[i];
    for (uint32_t i = 0; i < rhs->rank; i++)
        if (!weft_ints_has(d->rhs_batch, i) && !weft_ints_has(d->rhs_contract, i)) dims[n++] = rhs->dims[i];
    if (n > WEFT_MAX_RANK) return weft_bad(c, op, "the result has more than %d dimensions", WEFT_MAX_RANK);
    st = check_quant(c, op, d->rhs_contract);
    return st == WEFT_OK ? set_result(c, op, types, n, dims) : st;
}

/* Vectors and matrices: the last dimension of lhs with the first of rhs. */
weft_status weft_infer_dot(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = check_operands(c, op);
    if (st == WEFT_OK) st = weft_check_precision(c, op);
    if (st != WEFT_OK) return st;
    const weft_type *lhs = op->operands[0]->type, *rhs = op->operands[1]->type;
    if (lhs->rank < 1 || lhs->rank > 2 || rhs->rank < 1 || rhs->rank > 2 || !weft_dims_agree(lhs->dims[lhs->rank - 1], rhs->dims[0]))
        return weft_bad(c, op, "operands of type '%s' and '%s' are not vectors or matrices that fit", weft_text_of(c, lhs), weft_text_of(c, rhs));
    int64_t dims[2];
    uint32_t n = 0;
    if (lhs->rank == 2) dims[n++] = lhs->dims[0];
    if (rhs->rank == 2) dims[n++] = rhs->dims[1];
    return set_result(c, op, types, n, dims);
}
