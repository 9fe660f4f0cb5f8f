/* sdy-add-data-flow-edges: inserts after each value that owns a data-flow edge (data_flow.h) an sdy.data_flow_edge that
 * all other ops read instead. A value that has one gets no second. Leaves: edges on which propagation keeps the
 * shardings of loops and the like. Source: Shardy, docs/sdy_import_passes.md. */
#include "propagate/copy.h"
#include "propagate/data_flow.h"
#include "propagate/propagate.h"
#include "propagate/readers.h"

typedef struct edge_adder { weft_shardings *t; weft_op_test at; weft_readers readers; } edge_adder;

/* The sharding of the new edge: the owner's; an argument of a manual computation's body has no manual axes. */
static weft_status edge_sharding(weft_context *cx, weft_shardings *t, const weft_value *owner, const weft_attr **out) {
    const weft_sharding *s;
    weft_bits manual = 0;
    weft_status st = weft_value_sharding(t, owner, &s);
    *out = NULL;
    if (st != WEFT_OK || !s) return st;
    if (!owner->def && (st = weft_manual_axes(cx, weft_flow_op(owner), s->mesh, &manual)) != WEFT_OK) return st;
    s = weft_sharding_drop_manual(t, s, manual);
    *out = s ? weft_sharding_to_attr(t, s) : NULL;
    return *out ? WEFT_OK : weft_oom();
}

static weft_status add_edge(weft_copy *c, const weft_value *owner) {
    const weft_attr *sharding;
    edge_adder *x = c->user;
    const weft_uses *uses = &x->readers.uses;
    weft_value *input = weft_copy_of(c, owner);
    for (uint32_t i = 0; i < weft_use_count(uses, owner); i++)
        if (uses->use[uses->start[owner->id] + i].op->kind == WEFT_OP_sdy_data_flow_edge)
            return WEFT_OK; /* it has one */
    if (weft_flow_op(owner) == NULL || !weft_type_is_tensor(owner->type) || !weft_type_is_static(owner->type))
        return WEFT_OK;
    weft_status st = edge_sharding(c->b.m->cx, x->t, owner, &sharding);
    if (st != WEFT_OK) return st;
    c->b.loc = weft_value_loc(owner);
    weft_value *edge = weft_build_1(&c->b, WEFT_OP_sdy_data_flow_edge, owner->type, &input, 1,
                                    &(weft_attr_pair){ WEFT_A_sharding, sharding }, sharding != NULL);
    if (edge) edge->hint = owner->hint;
    weft_copy_map(c, owner, edge);
    st = weft_readers_hand_over(&x->readers, owner, NULL);
    return st == WEFT_OK ? c->b.status : st;
}

static weft_status edges_of_args(weft_copy *c, const weft_op *op, const weft_block *blk, weft_block *copy) {
    const edge_adder *x = c->user;
    weft_status st = WEFT_OK;
    (void)copy;
    for (uint32_t i = 0; x->at(op) && st == WEFT_OK && i < blk->arg_count; i++) st = add_edge(c, blk->args[i]);
    return st;
}

static weft_status edges_of_results(weft_copy *c, const weft_op *op, weft_op *copy) {
    const edge_adder *x = c->user;
    weft_status st = weft_readers_write(&x->readers, op, c->out, copy);
    for (uint32_t i = 0; x->at(op) && st == WEFT_OK && i < op->result_count; i++) st = add_edge(c, &op->results[i]);
    return st;
}

static bool has_edges(const weft_op *op) { return weft_flow_of(op) != WEFT_FLOWS_NOT; }

weft_status weft_add_data_flow_edges(const weft_pass *p, const weft_module *in, weft_op_test at, weft_module **out) {
    weft_arena arena;
    edge_adder x = { .at = at };
    if (!weft_flow_may_be_in(in) || !weft_module_has(in, at)) return WEFT_OK;
    weft_arena_init(&arena, &in->cx->chunks);
    weft_status st = weft_shardings_open(in->cx, in, &arena, &x.t);
    if (st == WEFT_OK) st = weft_readers_open(in, weft_edited(p, in), &arena, &x.readers);
    if (st == WEFT_OK)
        st =
            weft_edit_module(p, in, &(weft_copy_hooks){ .after = edges_of_results, .entered = edges_of_args }, &x, out);
    weft_arena_free(&arena);
    return st;
}

weft_status weft_pass_add_data_flow_edges(weft_pass *p, const weft_module *in, weft_module **out) {
    return weft_add_data_flow_edges(p, in, has_edges, out);
}
