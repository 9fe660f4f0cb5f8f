/* emit.c: the module with the shardings of a propagation; see state.h. */
#include "propagate/copy.h"
#include "propagate/data_flow.h"
#include "propagate/debug_info.h"
#include "propagate/state.h"

typedef struct emission {
    weft_propagation *p;
    weft_emit_rules rules;
    bool warned;
} emission;

static weft_status skip_dead(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    const emission *e = c->user;
    if (e->p->ops[op->id].dead) *answer = WEFT_COPY_DONE;
    return WEFT_OK;
}

static bool changed(const weft_propagation *p, uint32_t slot) { return p->of[slot] != p->before[slot]; }

static weft_status emit_rule(const emission *e, const weft_op *op, weft_op *copy, weft_module *m) {
    const weft_rule *rule = e->p->ops[op->id].rule;
    if (e->rules != WEFT_EMIT_NO_RULES && e->p->ops[op->id].visit == WEFT_VISIT_RULE) {
        const weft_attr *a = weft_rule_to_attr(e->p->rules, rule);
        return a ? weft_op_set(m, copy, WEFT_A_sdy_sharding_rule, a) : weft_oom();
    }
    if (e->rules == WEFT_EMIT_NO_RULES && rule && !rule->custom)
        return weft_op_set(m, copy, WEFT_A_sdy_sharding_rule, NULL);
    return WEFT_OK;
}

static bool is_sharded(const weft_propagation *p, const weft_value *v) {
    uint32_t slot = p->slot[v->id];
    return slot != WEFT_NO_SLOT && p->of[slot] && p->of[slot]->used;
}

/* The first call at which propagation stopped, since it has no sharding rule. */
static weft_status warn_unknown(emission *e, const weft_op *op) {
    bool sharded = false;
    if (op->kind != WEFT_OP_custom_call || e->warned || !weft_rule_is_unknown(e->p->cx, op)) return WEFT_OK;
    for (uint32_t i = 0; i < op->operand_count; i++) sharded |= is_sharded(e->p, op->operands[i]);
    for (uint32_t i = 0; i < op->result_count; i++) sharded |= is_sharded(e->p, &op->results[i]);
    e->warned = sharded;
    return sharded ? weft_rule_warn_unknown(e->p->cx, op) : WEFT_OK;
}

static weft_status emit_results(const emission *e, const weft_op *op, weft_op *copy, weft_module *m) {
    const weft_propagation *p = e->p;
    weft_arena *scratch = &p->cx->scratch;
    bool any = false;
    for (uint32_t i = 0; i < op->result_count; i++)
        any |= p->slot[op->results[i].id] == op->results[i].id && changed(p, op->results[i].id);
    if (!any) return WEFT_OK;
    weft_mark mark = weft_arena_mark(scratch);
    const weft_sharding **of = weft_arena_array(scratch, const weft_sharding *, op->result_count);
    weft_status st = of ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; of && i < op->result_count; i++) of[i] = p->of[op->results[i].id];
    if (st == WEFT_OK) st = weft_op_set_shardings(p->shardings, m, copy, of);
    weft_arena_reset(scratch, mark);
    return st;
}

/* Arguments of a computation without data-flow edges: their shardings are in in_shardings, with the manual axes.
 */
static weft_status emit_body_args(const emission *e, const weft_op *op, weft_op *copy, weft_module *m) {
    const weft_propagation *p = e->p;
    const weft_block *body = weft_op_body(op, 0);
    bool any = false;
    for (uint32_t i = 0; i < body->arg_count; i++)
        any |= p->slot[body->args[i]->id] == body->args[i]->id && changed(p, body->args[i]->id);
    if (!any) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&p->cx->scratch);
    const weft_sharding **of = weft_scratch_array(p->cx, const weft_sharding *, body->arg_count), *outer;
    weft_status st = of ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < body->arg_count; i++) {
        weft_bits manual = 0;
        const weft_sharding *inner = p->of[body->args[i]->id];
        st = weft_value_sharding(p->shardings, body->args[i], &outer);
        if (st == WEFT_OK && inner) st = weft_manual_axes(p->cx, op, inner->mesh, &manual);
        if (st != WEFT_OK) break;
        of[i] = outer && inner ? weft_sharding_add_free(p->shardings, outer, inner, manual) : inner ? inner : outer;
        if (!of[i])
            st = weft_report(p->cx, WEFT_D_internal, op->loc,
                             "an argument without a sharding beside one that has got one");
    }
    if (st == WEFT_OK) st = weft_op_set_shardings_attr(p->shardings, m, copy, WEFT_A_in_shardings, of, body->arg_count);
    weft_arena_reset(&p->cx->scratch, mark);
    return st;
}

/* The current shardings of a function's results. Those of @main have slots; of the others only priorities can change.
 */
static weft_status func_results(const weft_propagation *p, const weft_op *op, uint32_t n, const weft_sharding **of,
                                bool *any) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; op == p->main && i < n; i++) {
        of[i] = p->of[weft_result_slot(p, i)];
        *any |= changed(p, weft_result_slot(p, i));
    }
    if (op == p->main || !p->priorities_spent) return WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < n; i++) {
        const weft_sharding *was;
        st = weft_func_result_sharding(p->shardings, op, i, &was);
        if (st == WEFT_OK && was && !(of[i] = weft_sharding_without_priorities(p->shardings, was))) st = weft_oom();
        *any |= of[i] != was;
    }
    return st;
}

static weft_status emit_func(const emission *e, const weft_op *op, weft_op *copy, weft_module *m) {
    weft_propagation *p = e->p;
    const weft_type *type = weft_func_type(op);
    const weft_block *body = weft_op_body(op, 0);
    uint32_t n_args = body ? body->arg_count : 0, n_results = type->part_count - type->input_count;
    bool any_arg = false, any_result = false;
    weft_mark mark = weft_arena_mark(&p->cx->scratch);
    const weft_sharding **args = weft_scratch_array(p->cx, const weft_sharding *, n_args);
    const weft_sharding **results = weft_scratch_array(p->cx, const weft_sharding *, n_results);
    weft_status st = args && results ? func_results(p, op, n_results, results, &any_result) : weft_oom();
    for (uint32_t i = 0; args && i < n_args; i++) {
        args[i] = p->of[body->args[i]->id];
        any_arg |= changed(p, body->args[i]->id);
    }
    if (st == WEFT_OK)
        st = weft_func_set_shardings(p->shardings, m, copy, any_arg ? args : NULL, any_result ? results : NULL);
    weft_arena_reset(&p->cx->scratch, mark);
    return st;
}

static weft_status emit_op(weft_copy *c, const weft_op *op, weft_op *copy) {
    emission *e = c->user;
    weft_status st = warn_unknown(e, op); /* before it is written: a call with a rule on it is known */
    if (st == WEFT_OK) st = emit_rule(e, op, copy, c->out);
    if (st == WEFT_OK) st = emit_results(e, op, copy, c->out);
    if (st == WEFT_OK && op->kind == WEFT_OP_func) st = emit_func(e, op, copy, c->out);
    else if (st == WEFT_OK && weft_flow_of(op) == WEFT_FLOWS_COMPUTATION) st = emit_body_args(e, op, copy, c->out);
    return st == WEFT_OK && e->p->debug && e->rules != WEFT_EMIT_BETWEEN
               ? weft_debug_emit(e->p->debug, c->out, op, copy)
               : st;
}

weft_status weft_propagation_emit(const weft_pass *pass, weft_propagation *p, weft_emit_rules rules,
                                  weft_module **out) {
    emission e = { .p = p, .rules = rules, .warned = rules == WEFT_EMIT_BETWEEN };
    return weft_edit_module(pass, p->in, &(weft_copy_hooks){ .visit = skip_dead, .after = emit_op }, &e, out);
}
