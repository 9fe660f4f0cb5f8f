/* infer_quant.c: the rules for quantised elements in ops that move or multiply them, and the ops that make them.
 *
 * Source: StableHLO docs/spec.md, the constraints on quantised tensors of each op.
 */
#include "ir/infer.h"

/* uniform_quantize (C1), (C2): from numbers, or from another quantisation of the same expressed type. */
weft_status weft_infer_quantize(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_FLOAT | WEFT_IS_QUANT | WEFT_IS_QUANT_AXIS);
    if (st == WEFT_OK) st = weft_check_result(c, op, 0, WEFT_IS_QUANT | WEFT_IS_QUANT_AXIS);
    if (st != WEFT_OK) return st;
    const weft_type *from = op->operands[0]->type, *to = op->results[0].type;
    weft_dtype expressed = from->quant ? from->quant->expressed : from->dtype;
    if (to->quant->expressed != expressed)
        return weft_bad(c, op, "result 0 has type '%s', expected one that expresses %s", weft_text_of(c, to),
                        weft_dtype_of(expressed)->name);
    return weft_set_like(c, &types[0], to, from->rank, from->dims);
}

/* uniform_dequantize (C1), (C2) */
weft_status weft_infer_dequantize(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_QUANT | WEFT_IS_QUANT_AXIS);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->operands[0]->type;
    return weft_set_type(c, &types[0], t->quant->expressed, t->rank, t->dims);
}

static bool same_parameters(const weft_quant *a, const weft_quant *b) {
    if (a->count != b->count) return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->scales[i] != b->scales[i] || a->zero_points[i] != b->zero_points[i]) return false;
    return true;
}

weft_status weft_check_quant_moved(weft_checker *c, const weft_op *op, int64_t axis) {
    const weft_type *from = op->operands[0]->type, *to = op->results[0].type;
    if (!weft_elements_agree(from, to))
        return weft_bad(c, op, "result 0 has type '%s', expected elements of %s", weft_text_of(c, to),
                        weft_text_of_element(c, from));
    if (!from->quant) return WEFT_OK;
    if (weft_quant_per_axis(from->quant) && to->quant->axis != axis && axis >= 0)
        return weft_bad(c, op, "result 0 of type '%s' is quantised along dimension %d, expected %lld",
                        weft_text_of(c, to), to->quant->axis, (long long)axis);
    if (same_parameters(from->quant, to->quant)) return WEFT_OK;
    return weft_bad(c, op, "result 0 has type '%s', expected the scales and zero points of operand 0 of type '%s'",
                    weft_text_of(c, to), weft_text_of(c, from));
}

/* Product of the dimensions before the quantised one; -1 if not known. */
static int64_t slices_in_front(const weft_type *t) {
    int64_t n = 1;
    for (int32_t i = 0; i < t->quant->axis; i++)
        if (t->dims[i] == WEFT_DYNAMIC || !weft_mul_i64(n, t->dims[i], &n)) return -1;
    return n;
}

weft_status weft_check_quant_reshaped(weft_checker *c, const weft_op *op) {
    weft_status st = weft_check_quant_moved(c, op, -1);
    const weft_type *from = op->operands[0]->type, *to = op->results[0].type;
    if (st != WEFT_OK || !from->quant || !weft_quant_per_axis(from->quant)) return st;
    int64_t a = slices_in_front(from), b = slices_in_front(to);
    if (a < 0 || b < 0 || a == b) return WEFT_OK;
    return weft_bad(
        c, op,
        "result 0 of type '%s' has %lld elements in front of the dimension that it is quantised along, but operand 0 of type '%s' has %lld",
        weft_text_of(c, to), (long long)b, weft_text_of(c, from), (long long)a);
}

weft_status weft_check_quant_broadcast(weft_checker *c, const weft_op *op, weft_ints map) {
    const weft_type *from = op->operands[0]->type, *to = op->results[0].type;
    if (!from->quant || !weft_quant_per_axis(from->quant) || !weft_elements_agree(from, to))
        return weft_check_quant_moved(c, op, -1);
    int64_t axis = map.v[from->quant->axis];
    if (from->dims[from->quant->axis] != 1 || to->quant->axis != axis) return weft_check_quant_moved(c, op, axis);
    for (uint32_t i = 0; i < to->quant->count; i++) /* one slice becomes many */
        if (to->quant->scales[i] != from->quant->scales[0] || to->quant->zero_points[i] != from->quant->zero_points[0])
            return weft_bad(
                c, op,
                "result 0 has type '%s', expected the scale and zero point of operand 0 of type '%s' in each slice",
                weft_text_of(c, to), weft_text_of(c, from));
    return WEFT_OK;
}

weft_status weft_check_quant_product(weft_checker *c, const weft_op *op) {
    const weft_type *l = op->operands[0]->type, *r = op->operands[1]->type, *out = op->results[0].type;
    if (!l->quant && !r->quant && !out->quant) return WEFT_OK;
    if (!r->quant || !l->quant != !out->quant)
        return weft_bad(c, op,
                        "has types '%s', '%s' and '%s': operand 1 must be quantised, and result 0 where operand 0 is",
                        weft_text_of(c, l), weft_text_of(c, r), weft_text_of(c, out));
    if (!l->quant) {
        if (l->dtype == r->quant->expressed && l->dtype == out->dtype) return WEFT_OK;
        return weft_bad(
            c, op,
            "operand 1 expresses %s, expected the elements of operand 0 of type '%s' and of result 0 of type '%s'",
            weft_dtype_of(r->quant->expressed)->name, weft_text_of(c, l), weft_text_of(c, out));
    }
    if (l->quant->storage != r->quant->storage)
        return weft_bad(c, op, "operands of type '%s' and '%s' have different storage types", weft_text_of(c, l),
                        weft_text_of(c, r));
    if (l->quant->expressed != r->quant->expressed || l->quant->expressed != out->quant->expressed)
        return weft_bad(c, op,
                        "operands of type '%s' and '%s' and result 0 of type '%s' have different expressed types",
                        weft_text_of(c, l), weft_text_of(c, r), weft_text_of(c, out));
    if (!weft_quant_per_axis(r->quant) && weft_quant_per_axis(out->quant))
        return weft_bad(c, op, "result 0 of type '%s' is quantised per axis, but operand 1 of type '%s' is not",
                        weft_text_of(c, out), weft_text_of(c, r));
    return WEFT_OK;
}
