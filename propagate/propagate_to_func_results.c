/* sdy-propagate-to-func-results: gives results of functions other than @main the shardings of the returned values, or
 * none if these have none. Needs: @main, or one function. Source: Shardy,
 * docs/sdy_export_passes.md. */
#include "propagate/calls.h"
#include "propagate/copy.h"
#include "propagate/propagate.h"

typedef struct spreader {
    weft_shardings *t;
    const weft_op *main;
} spreader;

static weft_status take_returned(weft_copy *c, const weft_op *op, weft_op *copy) {
    const spreader *x = c->user;
    const weft_block *body = op->kind == WEFT_OP_func && op != x->main ? weft_op_body(op, 0) : NULL;
    const weft_op *ret = body ? weft_block_terminator(body) : NULL;
    if (!ret || ret->kind != WEFT_OP_func_return) return WEFT_OK;
    weft_context *cx = c->b.m->cx;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    const weft_sharding **of = weft_scratch_array(cx, const weft_sharding *, ret->operand_count);
    weft_status st = of ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < ret->operand_count; i++)
        st = weft_value_sharding(x->t, ret->operands[i], &of[i]);
    if (st == WEFT_OK) st = weft_func_set_shardings(x->t, c->out, copy, NULL, of);
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

weft_status weft_pass_propagate_to_func_results(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_arena arena;
    spreader x;
    uint32_t funcs = 0;
    WEFT_EACH_OP(op, weft_module_body(in)) funcs += op->kind == WEFT_OP_func;
    if (funcs < 2) return WEFT_OK;
    weft_arena_init(&arena, &p->cx->chunks);
    weft_status st = weft_main_or_only_func(in, &x.main);
    if (st == WEFT_OK) st = weft_shardings_open(p->cx, in, &arena, &x.t);
    if (st == WEFT_OK)
        st = weft_edit_module(p, in, &(weft_copy_hooks){ .after = take_returned, .outermost = true }, &x, out);
    weft_arena_free(&arena);
    return st;
}
