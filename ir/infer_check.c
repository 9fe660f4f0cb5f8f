/* infer_check.c: the check dialect of StableHLO's tests: two tensors of one type, or a tensor and a constant.
 *
 * Source: StableHLO, stablehlo/tests/CheckOps.td.
 */
#include "ir/infer.h"

static weft_status check_limit(weft_checker *c, const weft_op *op, weft_attr_name name, weft_attr_kind kind,
                               weft_dtype dtype) {
    const weft_attr *a = weft_op_attr(op, name);
    if (!a || (a->kind == kind && a->type && a->type->dtype == dtype)) return WEFT_OK;
    return weft_bad(c, op, "%s is not a number of type %s", weft_attr_names[name], weft_dtype_of(dtype)->name);
}

weft_status weft_infer_check(weft_checker *c, const weft_op *op, const weft_type **types) {
    const bool exact = op->kind == WEFT_OP_check_expect_eq || op->kind == WEFT_OP_check_expect_eq_const;
    const weft_attr *value = weft_op_attr(op, WEFT_A_value);
    (void)types;
    weft_status st = weft_check_operands(c, op, exact ? WEFT_IS_ANY : WEFT_IS_MATH);
    if (st == WEFT_OK && op->operand_count == 2) st = weft_check_same_type(c, op, 1, 0);
    if (st == WEFT_OK) st = check_limit(c, op, WEFT_A_tolerance, WEFT_ATTR_FLOAT, WEFT_F64);
    if (st == WEFT_OK) st = check_limit(c, op, WEFT_A_max_ulp_difference, WEFT_ATTR_INT, WEFT_UI64);
    if (st == WEFT_OK) st = check_limit(c, op, WEFT_A_min_ulp_difference, WEFT_ATTR_INT, WEFT_UI64);
    if (st != WEFT_OK || op->operand_count == 2) return st;
    if (value->kind == WEFT_ATTR_DENSE && value->type == op->operands[0]->type) return WEFT_OK;
    return weft_bad(c, op, "value is not a constant of type '%s'", weft_text_of(c, op->operands[0]->type));
}
