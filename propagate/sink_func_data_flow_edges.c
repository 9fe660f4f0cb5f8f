/* sdy-sink-func-data-flow-edges: moves the sharding of each sdy.func_data_flow_edge to its argument or call result, and
 * removes the edge. Source: Shardy, docs/sdy_export_passes.md. */
#include "propagate/copy.h"
#include "propagate/presence.h"
#include "propagate/propagate.h"
#include "sharding/values.h"

typedef struct func_sink {
    weft_shardings *t;
    const weft_op **edge;      /* by value: the edge that reads it */
} func_sink;

static weft_status find_edge(void *user, weft_op *op) {
    func_sink *x = user;
    if (op->kind == WEFT_OP_sdy_func_data_flow_edge) x->edge[op->operands[0]->id] = op;
    return WEFT_OK;
}

/* The edge's sharding; if it has none, an open one if the value has any. */
static weft_status sunk(const func_sink *x, const weft_value *v, const weft_sharding **out, bool *any) {
    weft_status st = weft_value_sharding(x->t, v, out);
    if (st != WEFT_OK || !x->edge[v->id]) return st;
    const weft_sharding *own = *out;
    *any = true;
    st = weft_value_sharding(x->t, &x->edge[v->id]->results[0], out);
    if (st == WEFT_OK && !*out && own && !(*out = weft_sharding_empty(x->t, own->mesh, own->rank, WEFT_OPEN)))
        st = weft_oom();
    return st;
}

static weft_status sink_op(weft_copy *c, const weft_op *op, weft_op *copy) {
    const func_sink *x = c->user;
    weft_context *cx = c->b.m->cx;
    const weft_block *body = op->kind == WEFT_OP_func ? weft_op_body(op, 0) : NULL;
    uint32_t n = body ? body->arg_count : op->result_count;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    const weft_sharding **of = weft_scratch_array(cx, const weft_sharding *, n);
    weft_status st = of ? WEFT_OK : weft_oom();
    bool any = false;
    for (uint32_t i = 0; st == WEFT_OK && i < n; i++)
        st = sunk(x, body ? body->args[i] : &op->results[i], &of[i], &any);
    if (st == WEFT_OK && any)
        st = body ? weft_func_set_shardings(x->t, c->out, copy, of, NULL)
                  : weft_op_set_shardings(x->t, c->out, copy, of);
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

static weft_status skip_edge(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    if (op->kind != WEFT_OP_sdy_func_data_flow_edge) return WEFT_OK;
    weft_copy_map(c, &op->results[0], weft_copy_of(c, op->operands[0]));
    *answer = WEFT_COPY_DONE;
    return WEFT_OK;
}

weft_status weft_pass_sink_func_data_flow_edges(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_arena arena;
    func_sink x;
    if (!weft_module_has_kind(in, WEFT_OP_sdy_func_data_flow_edge)) return WEFT_OK;
    weft_arena_init(&arena, &p->cx->chunks);
    x.edge = weft_arena_array(&arena, const weft_op *, in->value_count);
    weft_status st = x.edge ? weft_module_walk(in, find_edge, &x) : weft_oom();
    if (st == WEFT_OK) st = weft_shardings_open(p->cx, in, &arena, &x.t);
    if (st == WEFT_OK) st = weft_copy_module(in, &(weft_copy_hooks){ .visit = skip_edge, .after = sink_op }, &x, out);
    weft_arena_free(&arena);
    return st;
}
