/* sdy-flatten-call-graph: copies functions so that each is called once. From its second call on a function is copied
 * with all its callees; copies are at the end of the module and keep the name of their original as
 * sdy.original_func_name. Needs: nothing. Leaves: one call per function. Source: Shardy, docs/sdy_import_passes.md. */
#include "propagate/func_copies.h"
#include "propagate/propagate.h"

/* Callees first, so that a copied function is flat already. */
static weft_status flatten(weft_func_copies *x) {
    const weft_call_graph *g = &x->graph;
    bool *called = weft_arena_array(x->arena, bool, g->func_count);
    weft_status st = called ? WEFT_OK : weft_oom();
    for (uint32_t k = g->order_count; st == WEFT_OK && k-- > 0;) {
        uint32_t f = g->order[k];
        for (uint32_t i = 0; st == WEFT_OK && i < x->instances[f].call_count; i++) {
            uint32_t callee = x->instances[f].callee[i], copy = callee;
            if (called[callee]) st = weft_func_copies_add(x, callee, &copy);
            called[callee] = true;
            x->instances[f].callee[i] = copy;
        }
    }
    return st;
}

static weft_status enter_func(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    (void)answer;
    if (op->kind == WEFT_OP_func) weft_func_copies_enter(c->user, op);
    return WEFT_OK;
}

static weft_status after_op(weft_copy *c, const weft_op *op, weft_op *copy) {
    if (op->kind == WEFT_OP_func_call) return weft_func_copies_retarget(c->user, c->out, copy);
    return op == c->in->root ? weft_func_copies_append(c->user, c) : WEFT_OK;
}

weft_status weft_pass_flatten_call_graph(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_func_copies x;
    weft_arena arena;
    weft_arena_init(&arena, &p->cx->chunks);
    weft_status st = weft_func_copies_open(in, &arena, &x);
    if (st == WEFT_OK) st = flatten(&x);
    if (st == WEFT_OK && x.appended_count)
        st = weft_edit_module(p, in, &(weft_copy_hooks){ .visit = enter_func, .after = after_op }, &x, out);
    weft_arena_free(&arena);
    return st;
}
