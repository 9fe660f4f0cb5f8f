/* import_gspmd_batch: see import_gspmd.h. Makes the batch dimensions of a call a sharding rule.
 *
 * GSPMD splits a custom call along the leading "num_batch_dims" dimensions (in its mhlo.frontend_attributes) of all its
 * operands and results: JAX writes that on its calls of LAPACK, and beside it, for Shardy, the rule. Without a rule
 * each device would compute the whole batch.
 */
#include "propagate/import_gspmd.h"
#include "sharding/rule.h"

uint32_t gspmd_batch_dims(const weft_op *op) {
    const bool has_rule = weft_op_attr(op, WEFT_A_sdy_sharding_rule) != NULL;
    return op->kind == WEFT_OP_custom_call && !has_rule ? weft_rule_batch_dims(op) : 0;
}

/* Factor d is dimension d of the batch; each other dimension has one of its own. */
weft_status gspmd_set_batch_rule(gspmd_importer *im, const weft_op *op, weft_op *made) {
    const uint32_t n = gspmd_batch_dims(op), tensors = op->operand_count + op->result_count;
    uint32_t factor = n, dims = 0;
    if (!n) return WEFT_OK;
    for (uint32_t t = 0; t < tensors; t++) dims += weft_op_value(op, t)->type->rank;
    uint32_t *ranks = weft_scratch_array(im->cx, uint32_t, tensors);
    int64_t *sizes = weft_scratch_array(im->cx, int64_t, n + dims),
            *number = weft_scratch_array(im->cx, int64_t, n + dims);
    weft_ints *lists = weft_scratch_array(im->cx, weft_ints, dims);
    const weft_ints **of_tensor = weft_scratch_array(im->cx, const weft_ints *, tensors);
    if (!ranks || !sizes || !number || !lists || !of_tensor) return weft_oom();
    for (uint32_t i = 0; i < n + dims; i++) number[i] = i;
    for (uint32_t d = 0; d < n; d++) sizes[d] = weft_op_value(op, 0)->type->dims[d];
    for (uint32_t t = 0; t < tensors; t++) {
        const weft_type *type = weft_op_value(op, t)->type;
        ranks[t] = type->rank;
        of_tensor[t] = lists;
        for (uint32_t d = 0; d < type->rank; d++) {
            if (d >= n) sizes[factor] = type->dims[d];
            *lists++ = (weft_ints){ &number[d < n ? d : factor++], 1 };
        }
    }
    const weft_attr rule = { .kind = WEFT_ATTR_RULE,
                             .rule = { .factor_sizes = { sizes, factor }, .operand_count = op->operand_count,
                                       .result_count = op->result_count, .ranks = ranks, .dims = of_tensor,
                                       .custom = true } };
    const weft_attr *own = weft_attr_copy(im->cx, &rule);
    return own ? weft_op_set(im->rewrite.out, made, WEFT_A_sdy_sharding_rule, own) : weft_oom();
}
