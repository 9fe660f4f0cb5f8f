/* sdy-propagate-sharding-from-func-to-call: a call whose results have no sharding takes those of its function's
 * results, if there are any. Source: Shardy, docs/sdy_import_passes.md. */
#include "propagate/calls.h"
#include "propagate/copy.h"
#include "propagate/presence.h"
#include "propagate/propagate.h"

typedef struct taker {
    weft_shardings *t;
    weft_call_graph graph;
} taker;

static weft_status take_from_func(weft_copy *c, const weft_op *op, weft_op *copy) {
    const taker *x = c->user;
    if (op->kind != WEFT_OP_func_call || weft_op_attr(op, WEFT_A_sdy_sharding)) return WEFT_OK;
    weft_context *cx = c->b.m->cx;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    const weft_sharding **of = weft_scratch_array(cx, const weft_sharding *, op->result_count);
    bool any = false;
    weft_status st = of ? weft_func_shardings(x->t, x->graph.funcs[x->graph.callee[x->graph.of_op[op->id]]],
                                              WEFT_FUNC_RESULTS, of, &any)
                        : weft_oom();
    if (st == WEFT_OK && any) st = weft_op_set_shardings(x->t, c->out, copy, of);
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

weft_status weft_pass_propagate_sharding_from_func_to_call(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_arena arena;
    taker x;
    if (!weft_module_has_kind(in, WEFT_OP_func_call)) return WEFT_OK;
    weft_arena_init(&arena, &p->cx->chunks);
    weft_status st = weft_call_graph_build(in, &arena, &x.graph);
    if (st == WEFT_OK) st = weft_shardings_open(p->cx, in, &arena, &x.t);
    if (st == WEFT_OK) st = weft_edit_module(p, in, &(weft_copy_hooks){ .after = take_from_func }, &x, out);
    weft_arena_free(&arena);
    return st;
}
