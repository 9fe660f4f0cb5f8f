/* sdy-insert-func-call-reshards: gives a call's results the shardings of its function's results. If readers were
 * promised another sharding, an sdy.reshard of the result provides it; a result without a sharding on the call becomes
 * replicated. If only the call is sharded, the function counts as replicated. The reshard of a later result comes
 * first.
 * Needs: results of functions have their shardings. Leaves: calls sharded like their functions. Source: Shardy,
 * docs/sdy_export_passes.md. */
#include "propagate/calls.h"
#include "propagate/copy.h"
#include "propagate/presence.h"
#include "propagate/propagate.h"

typedef struct resharder {
    weft_shardings *t;
    weft_call_graph graph;
} resharder;

/* The shardings of the results; *any false: neither the function nor the call has any. */
static weft_status results_of_func(const resharder *x, const weft_op *call, const weft_sharding **of, bool *any) {
    const weft_op *f = x->graph.funcs[x->graph.callee[x->graph.of_op[call->id]]];
    weft_status st = weft_func_shardings(x->t, f, WEFT_FUNC_RESULTS, of, any);
    if (st != WEFT_OK || *any) return st;
    for (uint32_t i = 0; i < call->result_count; i++) {
        if ((st = weft_value_sharding(x->t, &call->results[i], &of[i])) != WEFT_OK) return st;
        if (of[i] && !(of[i] = weft_sharding_empty(x->t, of[i]->mesh, of[i]->rank, WEFT_CLOSED))) return weft_oom();
        *any |= of[i] != NULL;
    }
    return WEFT_OK;
}

static weft_status reshard_result(const resharder *x, weft_copy *c, const weft_value *old, const weft_sharding *from) {
    const weft_sharding *to;
    weft_status st = weft_value_sharding(x->t, old, &to);
    if (st != WEFT_OK || weft_sharding_equivalent(from, to)) return st;
    if (!to && !(to = weft_sharding_empty(x->t, from->mesh, from->rank, WEFT_CLOSED))) return weft_oom();
    const weft_attr *a = weft_sharding_to_attr(x->t, to);
    if (!a) return weft_oom();
    weft_value *value = weft_copy_of(c, old);
    c->b.loc = weft_value_loc(old);
    weft_value *made =
        weft_build_1(&c->b, WEFT_OP_sdy_reshard, old->type, &value, 1, &(weft_attr_pair){ WEFT_A_sharding, a }, 1);
    weft_copy_map(c, old, made);
    return c->b.status;
}

static weft_status reshard_call(weft_copy *c, const weft_op *op, weft_op *copy) {
    const resharder *x = c->user;
    if (op->kind != WEFT_OP_func_call) return WEFT_OK;
    weft_context *cx = c->b.m->cx;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    const weft_sharding **of = weft_scratch_array(cx, const weft_sharding *, op->result_count);
    bool any = false;
    weft_status st = of ? results_of_func(x, op, of, &any) : weft_oom();
    for (uint32_t i = op->result_count; st == WEFT_OK && any && i-- > 0;)
        st = reshard_result(x, c, &op->results[i], of[i]);
    if (st == WEFT_OK && any) st = weft_op_set_shardings(x->t, c->out, copy, of);
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

weft_status weft_pass_insert_func_call_reshards(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_arena arena;
    resharder x;
    if (!weft_module_has_kind(in, WEFT_OP_func_call)) return WEFT_OK;
    weft_arena_init(&arena, &p->cx->chunks);
    weft_status st = weft_call_graph_build(in, &arena, &x.graph);
    if (st == WEFT_OK) st = weft_shardings_open(p->cx, in, &arena, &x.t);
    if (st == WEFT_OK) st = weft_edit_module(p, in, &(weft_copy_hooks){ .after = reshard_call }, &x, out);
    weft_arena_free(&arena);
    return st;
}
