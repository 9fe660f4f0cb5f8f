/* sdy-add-func-data-flow-edges: inserts after each argument of a function other than @main, and after each result of a
 * call, an sdy.func_data_flow_edge with its sharding that all other ops read instead. Needs: @main, or one function; no
 * such edges yet. Source: Shardy, docs/sdy_import_passes.md. */
#include "propagate/calls.h"
#include "propagate/copy.h"
#include "propagate/propagate.h"
#include "propagate/readers.h"

typedef struct edge_adder { const weft_op *main; weft_readers readers; } edge_adder;

static weft_status add_edge(weft_copy *c, const weft_value *old, const weft_loc *loc) {
    if (!weft_type_is_static(old->type)) return WEFT_OK;
    weft_context *cx = c->b.m->cx;
    const weft_attr *sharding = weft_value_sharding_attr(old), *all = NULL;
    weft_value *value = weft_copy_of(c, old);
    if (sharding && !(all = weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_SHARDINGS, .items = { &sharding, 1 } })))
        return weft_oom();
    c->b.loc = loc;
    weft_value *edge = weft_build_1(&c->b, WEFT_OP_sdy_func_data_flow_edge, old->type, &value, 1,
                                    &(weft_attr_pair){ WEFT_A_sdy_sharding, all }, all != NULL);
    weft_copy_map(c, old, edge);
    weft_status st = weft_readers_hand_over(&((edge_adder *)c->user)->readers, old, NULL);
    return st == WEFT_OK ? c->b.status : st;
}

static weft_status edges_of_args(weft_copy *c, const weft_op *op, const weft_block *blk, weft_block *copy) {
    const weft_op *main = ((const edge_adder *)c->user)->main;
    weft_status st = WEFT_OK;
    (void)copy;
    for (uint32_t i = 0; op->kind == WEFT_OP_func && op != main && st == WEFT_OK && i < blk->arg_count; i++)
        st = add_edge(c, blk->args[i], op->loc);
    return st;
}

static weft_status edges_of_results(weft_copy *c, const weft_op *op, weft_op *copy) {
    weft_status st = weft_readers_write(&((const edge_adder *)c->user)->readers, op, c->out, copy);
    for (uint32_t i = 0; op->kind == WEFT_OP_func_call && st == WEFT_OK && i < op->result_count; i++)
        st = add_edge(c, &op->results[i], op->loc);
    return st;
}

weft_status weft_pass_add_func_data_flow_edges(weft_pass *p, const weft_module *in, weft_module **out) {
    edge_adder x;
    weft_arena arena;
    weft_arena_init(&arena, &p->cx->chunks);
    weft_status st = weft_main_or_only_func(in, &x.main);
    if (st == WEFT_OK) st = weft_readers_open(in, weft_edited(p, in), &arena, &x.readers);
    if (st == WEFT_OK)
        st =
            weft_edit_module(p, in, &(weft_copy_hooks){ .after = edges_of_results, .entered = edges_of_args }, &x, out);
    weft_arena_free(&arena);
    return st;
}
