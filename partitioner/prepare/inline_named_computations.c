/* inline_named_computations: a named computation is its body, between reshards to where its shardings say.
 *
 * Pass weft-inline-named-computations. Needs: a propagated module. Leaves: no sdy.named_computation. Operands and
 * results that have a sharding are held there by an sdy.reshard each, so that what a name was given for is partitioned
 * as it says. Ops keep their locations. Source: Shardy, docs/sdy_dialect.md.
 */
#include "ir/rewrite.h"
#include "partitioner/partition.h"

/* x where item i of the shardings says; x itself when nothing is said. */
static weft_value *placed(weft_builder *b, const weft_op *op, weft_attr_name name, uint32_t i, weft_value *x) {
    const weft_attr *all = weft_op_attr(op, name);
    const weft_attr *sharding = all && all->kind == WEFT_ATTR_SHARDINGS && i < all->items.n ? all->items.v[i] : NULL;
    if (!x || !sharding || sharding->kind != WEFT_ATTR_SHARDING || !weft_type_is_tensor(x->type)) return x;
    weft_attr_pair attrs[] = { { WEFT_A_sharding, sharding } };
    return weft_build_1(b, WEFT_OP_sdy_reshard, x->type, &x, 1, attrs, WEFT_COUNT(attrs));
}

static weft_status inline_op(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    if (op->kind != WEFT_OP_sdy_named_computation) return WEFT_OK;
    const weft_block *body = weft_op_body(op, 0);
    const weft_op *end = weft_block_terminator(body);
    *did = WEFT_DONE;
    for (uint32_t i = 0; i < op->operand_count; i++)
        r->map.to[body->args[i]->id] = placed(b, op, WEFT_A_in_shardings, i, r->map.to[op->operands[i]->id]);
    weft_status st = b->status == WEFT_OK ? weft_rewrite_inline(r, b, body) : b->status;
    if (st != WEFT_OK) return st;
    b->loc = op->loc;
    for (uint32_t i = 0; i < op->result_count; i++)
        r->map.to[op->results[i].id] = placed(b, op, WEFT_A_out_shardings, i, r->map.to[end->operands[i]->id]);
    return b->status;
}

static weft_status find(void *user, weft_op *op) {
    *(bool *)user |= op->kind == WEFT_OP_sdy_named_computation;
    return WEFT_OK;
}

weft_status weft_pass_inline_named_computations(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_rewrite r = { .op = inline_op };
    bool any = false;
    weft_status st = weft_module_walk(in, find, &any);
    if (st != WEFT_OK || !any) return st;
    weft_mark mark = weft_arena_mark(&p->cx->scratch);
    st = weft_rewrite_module(&r, in, &p->cx->scratch, out);
    weft_arena_reset(&p->cx->scratch, mark);
    return st;
}
