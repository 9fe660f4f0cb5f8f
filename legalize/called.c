/* called: see called.h. */
#include "legalize/called.h"

static const weft_op *called(const weft_op *op) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_called_computations);
    if (!a || a->kind != WEFT_ATTR_ARRAY || a->items.n != 1 || a->items.v[0]->kind != WEFT_ATTR_SYMBOL) return NULL;
    const weft_name name = a->items.v[0]->names.v[0];
    const weft_op *root = op;
    while (weft_op_parent(root)) root = weft_op_parent(root);
    WEFT_EACH_OP(f, weft_op_body(root, 0))
        if (f->kind == WEFT_OP_func && weft_str_equal(weft_op_symbol(f, WEFT_A_sym_name), weft_name_str(name)))
            return f;
    return NULL;
}

const weft_block *lg_called_body(const weft_op *op) {
    const weft_op *f = called(op);
    return f && f->region_count ? weft_op_body(f, 0) : NULL;
}

void lg_copy_body(weft_rewrite *r, weft_builder *at, weft_op *made, const weft_block *body) {
    weft_builder b = *at;
    b.before = NULL;
    b.block = weft_build_block(at, &made->regions[0]);
    for (uint32_t i = 0; b.block && b.status == WEFT_OK && i < body->arg_count; i++)
        r->map.to[body->args[i]->id] = weft_build_block_arg(&b, b.block, body->args[i]->type, body->args[i]->loc);
    for (const weft_op *op = body->first; b.block && b.status == WEFT_OK && op != body->last; op = op->next) {
        b.loc = op->loc;
        weft_clone_op(&b, op, &r->map);
    }
    weft_context *cx = at->m->cx;
    const weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_value **results = weft_scratch_array(cx, weft_value *, body->last->operand_count + 1);
    for (uint32_t i = 0; results && i < body->last->operand_count; i++)
        results[i] = r->map.to[body->last->operands[i]->id];
    if (results && b.block && b.status == WEFT_OK)
        weft_build_op(&b, &(weft_op_spec){ .kind = WEFT_OP_return, .operands = results,
                                           .operand_count = body->last->operand_count });
    weft_arena_reset(&cx->scratch, mark);
    at->status = results && b.block ? b.status : weft_oom();
}
