/* sdy-sharding-constraint-to-reshard: turns constraints, which have steered propagation, into reshards.
 * Source: Shardy, docs/sdy_export_passes.md. */
#include "propagate/copy.h"
#include "propagate/presence.h"
#include "propagate/propagate.h"

static weft_status to_reshard(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    if (op->kind != WEFT_OP_sdy_sharding_constraint) return WEFT_OK;
    weft_value *input = weft_copy_of(c, op->operands[0]);
    c->b.loc = op->loc;
    weft_op *reshard = weft_build_op(&c->b, &(weft_op_spec){ .kind = WEFT_OP_sdy_reshard, .operands = &input,
                                                             .operand_count = 1, .types = &op->results[0].type,
                                                             .result_count = 1, .attrs = op->attrs,
                                                             .attr_count = op->attr_count });
    if (!reshard) return c->b.status;
    reshard->results[0].hint = op->results[0].hint;
    weft_copy_map(c, &op->results[0], &reshard->results[0]);
    *answer = WEFT_COPY_DONE;
    return WEFT_OK;
}

weft_status weft_pass_sharding_constraint_to_reshard(weft_pass *p, const weft_module *in, weft_module **out) {
    if (!weft_module_has_kind(in, WEFT_OP_sdy_sharding_constraint)) return WEFT_OK;
    return weft_edit_module(p, in, &(weft_copy_hooks){ .visit = to_reshard }, NULL, out);
}
