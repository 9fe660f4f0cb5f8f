/* local_families.c: functions of column `local` that serve whole families of ops, and need nothing of one op alone. */
#include "partitioner/lower/local_ops.h"

/* --- linear in which operands ----------------------------------------------------------------------------------- */

weft_linearity weft_linear_joint(const weft_op *op) {
    (void)op;
    return WEFT_LINEAR_JOINT;
}
weft_linearity weft_linear_each(const weft_op *op) {
    (void)op;
    return WEFT_LINEAR_EACH;
}
weft_linearity weft_linear_first(const weft_op *op) {
    /* integers round down */
    return weft_dtype_is_integer(op->results[0].type->dtype) ? WEFT_LINEAR_NOT : WEFT_LINEAR_FIRST;
}

weft_linearity weft_linear_piece(const weft_op *op) {
    (void)op;
    return WEFT_LINEAR_FIRST;
}

/* What moves values, or adds them, does so with partial sums too. */
weft_linearity weft_linear_collective(const weft_op *op) {
    return op->region_count && weft_partial_of_reducer(op, 0, op->results[0].type->dtype) != WEFT_PARTIAL_SUM
               ? WEFT_LINEAR_NOT
               : WEFT_LINEAR_JOINT;
}

/* Numbers; the truth of a sum is not the sum of truths. */
weft_linearity weft_terms_convert(const weft_op *op) {
    const weft_dtype from = op->operands[0]->type->dtype, to = op->results[0].type->dtype;
    return from == WEFT_I1 || to == WEFT_I1 ? WEFT_LINEAR_NOT : WEFT_LINEAR_JOINT;
}
weft_linearity weft_terms_select(const weft_op *op) {
    (void)op;
    return WEFT_LINEAR_CHOSEN;
}
/* Zeros around each term are zeros around the sum; other numbers would be added up. */
weft_linearity weft_terms_pad(const weft_op *op) {
    return weft_value_is_zero(op->operands[1]) ? WEFT_LINEAR_FIRST : WEFT_LINEAR_NOT;
}
weft_linearity weft_terms_update(const weft_op *op) {
    (void)op;
    return WEFT_LINEAR_PAIR;
}

/* --- which factors may be split ---------------------------------------------------------------------------------- */

weft_bits weft_factors_none(const weft_op *op, const weft_rule *rule) {
    (void)op, (void)rule;
    return 0;
}

/* Pass-through factors and the loops that sum. */
weft_bits weft_factors_sum(const weft_op *op, const weft_rule *rule) {
    return weft_pass_factors(op, rule) | rule->reduction;
}

/* Less the factors of dimension d of the first operand and of the results. */
static weft_bits without_dim(weft_bits set, const weft_rule *rule, uint32_t d) {
    for (uint32_t t = 0; t < rule->tensor_count; t++) {
        if ((t > 0 && t < rule->operand_count) || d >= rule->tensors[t].rank) continue;
        weft_rule_dim dim = rule->tensors[t].dims[d];
        for (uint32_t k = 0; k < dim.n; k++) set &= ~weft_bit(rule->factors[dim.first + k]);
    }
    return set;
}

/* Where both shapes share no divisor (2x3 to 3x2) a dimension has a factor to itself, whose elements come from all over
 * the operand. */
weft_bits weft_factors_reshape(const weft_op *op, const weft_rule *rule) {
    return weft_pass_factors(op, rule) & rule->tensors[0].factors;
}

/* What a call computes is known from its rule of work, which its writer gave or the table of targets has, and only of
 * loops that operands have. That results over parts of a loop add up is what weft_rule_register promises; a rule on the
 * op does not say how they combine. */
weft_bits weft_factors_custom_call(const weft_op *op, const weft_rule *rule) {
    weft_bits in_operands = 0;
    if (weft_op_int(op, WEFT_A_has_side_effect, 0)) return 0;
    for (uint32_t i = 0; i < rule->operand_count; i++) in_operands |= rule->tensors[i].factors;
    return (weft_pass_factors(op, rule) | (rule->registered ? rule->reduction : 0)) & in_operands;
}

weft_bits weft_uneven_call(const weft_op *op, const weft_rule *rule) {
    return rule->padding ? weft_factors_custom_call(op, rule) : 0;
}

/* Dimensions along which a window sees more than its own element, or is shifted by padding. */
weft_bits weft_factors_window(const weft_op *op, const weft_rule *rule) {
    static const weft_attr_name sizes[] = { WEFT_A_window_dimensions, WEFT_A_window_strides, WEFT_A_base_dilations,
                                            WEFT_A_window_dilations };
    weft_bits set = weft_pass_factors(op, rule);
    const weft_attr *padding = weft_op_attr(op, WEFT_A_padding);
    for (size_t i = 0; i < WEFT_COUNT(sizes); i++) {
        weft_ints v = weft_op_ints(op, sizes[i]);
        for (uint32_t d = 0; d < v.n; d++)
            if (v.v[d] != 1) set = without_dim(set, rule, d);
    }
    for (uint32_t d = 0; padding && d < rule->tensors[0].rank; d++)
        if (padding->kind != WEFT_ATTR_DENSE || weft_dense_int(padding, 2 * d) || weft_dense_int(padding, 2 * d + 1))
            set = without_dim(set, rule, d);
    return set;
}

/* --- sums over parts ------------------------------------------------------------------------------------ */

/* Of truth values the sum is whether any product is true. */
weft_partial weft_partial_product(const weft_op *op) {
    return op->results[0].type->dtype == WEFT_I1 ? WEFT_PARTIAL_MAX : WEFT_PARTIAL_SUM;
}

weft_partial weft_partial_call(const weft_op *op) {
    const weft_type *type = op->result_count == 1 ? op->results[0].type : NULL;
    return type && weft_type_is_tensor(type) && type->dtype != WEFT_I1 ? WEFT_PARTIAL_SUM : WEFT_PARTIAL_NONE;
}

weft_linearity weft_linear_reduce(const weft_op *op) {
    return weft_partial_reduce(op) == WEFT_PARTIAL_SUM ? WEFT_LINEAR_FIRST : WEFT_LINEAR_NOT;
}

bool weft_talks_by_rule(const weft_op *op) {
    (void)op;
    return true;
}
