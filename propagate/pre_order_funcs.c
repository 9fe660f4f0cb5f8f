/* sdy-pre-order-funcs: moves functions to the end of the module, each before its callees (calls.h), so that a walk from
 * top to bottom meets callers first. Declarations stay. Source: Shardy,
 * docs/sdy_import_passes.md. */
#include "propagate/calls.h"
#include "propagate/copy.h"
#include "propagate/propagate.h"

static weft_status hold_back(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    (void)c;
    if (op->kind == WEFT_OP_func && weft_op_body(op, 0)) *answer = WEFT_COPY_DONE;
    return WEFT_OK;
}

static weft_status append_funcs(weft_copy *c, const weft_op *op, weft_op *copy) {
    const weft_call_graph *g = c->user;
    (void)copy;
    for (uint32_t i = 0; op == c->in->root && i < g->order_count; i++)
        if (!weft_copy_op(c, g->funcs[g->order[i]])) return c->b.status;
    return WEFT_OK;
}

/* Functions with bodies are the last ops of the module, in the order of the graph. */
static bool in_order(const weft_module *in, const weft_call_graph *g) {
    const weft_op *op = weft_module_body(in)->last;
    for (uint32_t i = g->order_count; i-- > 0; op = op->prev)
        if (op != g->funcs[g->order[i]]) return false;
    return true;
}

weft_status weft_pass_pre_order_funcs(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_arena arena;
    weft_call_graph graph;
    weft_arena_init(&arena, &p->cx->chunks);
    weft_status st = weft_call_graph_build(in, &arena, &graph);
    if (st == WEFT_OK && !in_order(in, &graph))
        st = weft_copy_module(in, &(weft_copy_hooks){ .visit = hold_back, .after = append_funcs }, &graph, out);
    weft_arena_free(&arena);
    return st;
}
