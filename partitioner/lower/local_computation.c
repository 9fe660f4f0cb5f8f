/* local_computation.c: a manual computation on local shapes is the ops of its body, which were written for one part
 * along the manual axes. Along the free axes they get local shapes as everywhere. Source: Shardy, docs/sdy_dialect.md.
 */
#include "partitioner/lower/local_ops.h"

static weft_status check_same(weft_localizer *z, const weft_op *op, const char *what, uint32_t i, weft_placement_id is,
                              weft_placement_id want) {
    if (is == want) return WEFT_OK;
    return weft_report(z->cx, WEFT_D_partition, op->loc,
                       "%s %u of %s does not have the layout of its sharding: run weft-insert-reshards before", what, i,
                       op->name->text);
}

weft_status weft_lower_manual_computation(weft_localizer *z, const weft_op *op) {
    const weft_block *body = weft_op_body(op, 0);
    const weft_op *end = weft_block_terminator(body);
    weft_placement_id want;
    weft_atoms manual;
    weft_status st = weft_manual_atoms(z->t, op, &manual);
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++) {
        st = weft_placement_of_operand(z->t, op, i, &want);
        if (st == WEFT_OK) st = check_same(z, op, "operand", i, z->of[op->operands[i]->id], want);
        weft_local_map(z, body->args[i], weft_local_value(z, op->operands[i]));
    }
    if (st == WEFT_OK) st = weft_rewrite_inline(z->rewrite, z->b, body);
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) {
        st = weft_placement_inside(z->t, z->of[op->results[i].id], manual, &want);
        if (st == WEFT_OK) st = check_same(z, op, "result", i, z->of[end->operands[i]->id], want);
        weft_local_map(z, &op->results[i], weft_local_value(z, end->operands[i]));
    }
    return st;
}
