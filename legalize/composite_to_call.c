/* composite_to_call: each stablehlo.composite becomes a call of its decomposition.
 *
 * Pass stablehlo-legalize-composite-to-call, as in StableHLO's own tool: all are replaced. Those of CHLO's names have
 * become ops before (recompose.c). Source: StableHLO docs/spec.md, composite: "the semantics of the op are those of the
 * decomposition".
 */
#include "legalize/chlo.h"
#include "legalize/legalize.h"

static bool is_composite(const weft_op *op) { return op->kind == WEFT_OP_composite; }

static weft_status to_call(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    if (!is_composite(op)) return WEFT_OK;
    weft_context *cx = b->m->cx;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_value **operands = weft_scratch_array(cx, weft_value *, op->operand_count);
    const weft_type **types = weft_scratch_array(cx, const weft_type *, op->result_count);
    weft_op *call = NULL;
    if (operands && types) {
        const weft_named_attr callee = { weft_name_at(cx, WEFT_A_callee), weft_op_attr(op, WEFT_A_decomposition) };
        for (uint32_t i = 0; i < op->operand_count; i++) operands[i] = r->map.to[op->operands[i]->id];
        for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
        call = weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_func_call, .operands = operands,
                                                 .operand_count = op->operand_count, .types = types,
                                                 .result_count = op->result_count, .attrs = &callee, .attr_count = 1 });
    } else b->status = weft_oom();
    weft_arena_reset(&cx->scratch, mark);
    for (uint32_t i = 0; call && i < op->result_count; i++) {
        call->results[i].hint = op->results[i].hint;
        r->map.to[op->results[i].id] = &call->results[i];
    }
    *did = WEFT_DONE;
    return b->status;
}

weft_status weft_pass_composite_to_call(weft_pass *p, const weft_module *in, weft_module **out) {
    (void)p;
    return lg_run(in, to_call, is_composite, out);
}
