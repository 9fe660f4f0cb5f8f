/* sdy-sink-data-flow-edges: moves the shardings of data-flow edges to the ops that own them, and removes the edges.
 * Needs: a finished propagation. Leaves: no sdy.data_flow_edge. Source: Shardy, docs/sdy_export_passes.md. */
#include "propagate/copy.h"
#include "propagate/data_flow.h"
#include "propagate/presence.h"
#include "propagate/propagate.h"

typedef struct sink {
    weft_shardings *t;
    weft_uses uses;
    bool origins, edges;           /* notes of debug_info.h are sunk too */
} sink;

static weft_status skip_edge(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    if (op->kind != WEFT_OP_sdy_data_flow_edge) return WEFT_OK;
    weft_copy_map(c, &op->results[0], weft_copy_of(c, op->operands[0]));
    *answer = WEFT_COPY_DONE;
    return WEFT_OK;
}

static weft_status sink_results(const sink *s, weft_module *m, const weft_op *op, weft_op *copy) {
    weft_context *cx = m->cx;
    const weft_value **owners = weft_scratch_array(cx, const weft_value *, op->result_count);
    const weft_sharding **of = weft_scratch_array(cx, const weft_sharding *, op->result_count);
    bool any;
    if (!owners || !of) return weft_oom();
    for (uint32_t i = 0; i < op->result_count; i++) owners[i] = &op->results[i];
    weft_status st = weft_edge_shardings(s->t, &s->uses, owners, op->result_count, of, &any);
    return st == WEFT_OK && any ? weft_op_set_shardings(s->t, m, copy, of) : st;
}

static weft_status sink_args(const sink *s, weft_module *m, const weft_op *op, weft_op *copy) {
    weft_context *cx = m->cx;
    const weft_block *body = weft_op_body(op, 0);
    const weft_sharding **of = weft_scratch_array(cx, const weft_sharding *, body->arg_count), *outer;
    bool any;
    if (!of) return weft_oom();
    weft_status st =
        weft_edge_shardings(s->t, &s->uses, (const weft_value *const *)body->args, body->arg_count, of, &any);
    for (uint32_t i = 0; st == WEFT_OK && any && i < body->arg_count; i++) {
        weft_bits manual;
        if ((st = weft_value_sharding(s->t, body->args[i], &outer)) != WEFT_OK || !outer ||
            op->kind != WEFT_OP_sdy_manual_computation)
            continue;
        if ((st = weft_manual_axes(cx, op, of[i]->mesh, &manual)) != WEFT_OK) break;
        if (!(of[i] = weft_sharding_add_free(s->t, outer, of[i], manual))) st = weft_oom();
    }
    return st == WEFT_OK && any ? weft_op_set_shardings_attr(s->t, m, copy, WEFT_A_in_shardings, of, body->arg_count)
                                : st;
}

/* The notes of this name on the edges of these owners, in an array at op. */
static weft_status sink_notes(const sink *s, weft_module *m, weft_op *copy, const weft_value *const *owners, uint32_t n,
                              weft_attr_name from, weft_attr_name to) {
    const weft_attr **v = weft_scratch_array(m->cx, const weft_attr *, n), *all;
    uint32_t count = 0;
    if (!v) return weft_oom();
    for (uint32_t i = 0; i < n; i++) {
        uint32_t first = s->uses.start[owners[i]->id];
        const weft_op *edge = s->uses.start[owners[i]->id + 1] > first ? s->uses.use[first].op : NULL;
        const weft_attr *note = edge && edge->kind == WEFT_OP_sdy_data_flow_edge ? weft_op_attr(edge, from) : NULL;
        if (note) v[count++] = note;
    }
    return (all = weft_attr_array(m->cx, v, count)) ? weft_op_set(m, copy, to, all) : weft_oom();
}

static weft_status sink_all_notes(const sink *s, weft_module *m, const weft_op *op, weft_op *copy, bool computes) {
    const weft_block *body = computes ? weft_op_body(op, 0) : NULL;
    const weft_value *const *args = body ? (const weft_value *const *)body->args : NULL;
    const weft_value **results = weft_scratch_array(m->cx, const weft_value *, op->result_count);
    uint32_t arg_count = body ? body->arg_count : 0;
    weft_status st = results ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; results && i < op->result_count; i++) results[i] = &op->results[i];
    if (st == WEFT_OK && s->origins)
        st =
            sink_notes(s, m, copy, args, arg_count, WEFT_A_sdy_sharding_origins, WEFT_A_sdy_block_arg_sharding_origins);
    if (st == WEFT_OK && s->edges)
        st = sink_notes(s, m, copy, args, arg_count, WEFT_A_sdy_propagation_edges,
                        WEFT_A_sdy_block_arg_propagation_edges);
    if (st == WEFT_OK && s->origins)
        st = sink_notes(s, m, copy, results, op->result_count, WEFT_A_sdy_sharding_origins,
                        WEFT_A_sdy_result_sharding_origins);
    if (st == WEFT_OK && s->edges)
        st = sink_notes(s, m, copy, results, op->result_count, WEFT_A_sdy_propagation_edges,
                        WEFT_A_sdy_result_propagation_edges);
    return st;
}

static weft_status sink_op(weft_copy *c, const weft_op *op, weft_op *copy) {
    const sink *s = c->user;
    weft_flow_kind flow = weft_flow_of(op);
    if (flow == WEFT_FLOWS_NOT) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&c->b.m->cx->scratch);
    weft_status st = flow == WEFT_FLOWS_COMPUTATION ? sink_args(s, c->out, op, copy) : WEFT_OK;
    if (st == WEFT_OK) st = sink_results(s, c->out, op, copy);
    if (st == WEFT_OK) st = sink_all_notes(s, c->out, op, copy, flow == WEFT_FLOWS_COMPUTATION);
    weft_arena_reset(&c->b.m->cx->scratch, mark);
    return st;
}

/* By the pass's name of the option, or the pipeline's. */
static bool is_noted(const weft_pass *p, const char *option) {
    return weft_pass_flag(p, option, false) || weft_pass_flag(p, option + strlen("sink-"), false);
}

weft_status weft_pass_sink_data_flow_edges(weft_pass *p, const weft_module *in, weft_module **out) {
    sink s = { .origins = is_noted(p, "sink-debug-sharding-origins"),
               .edges = is_noted(p, "sink-debug-propagation-edge-sharding") };
    weft_arena arena;
    if (!weft_module_has_kind(in, WEFT_OP_sdy_data_flow_edge)) return WEFT_OK;
    weft_arena_init(&arena, &p->cx->chunks);
    weft_status st = weft_shardings_open(p->cx, in, &arena, &s.t);
    if (st == WEFT_OK) st = weft_uses_build(in, &arena, &s.uses);
    if (st == WEFT_OK) st = weft_copy_module(in, &(weft_copy_hooks){ .visit = skip_edge, .after = sink_op }, &s, out);
    weft_arena_free(&arena);
    return st;
}
