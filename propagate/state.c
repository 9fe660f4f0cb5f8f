/* state.c: reads a module into a propagation; see state.h. */
#include "ir/tidy.h"
#include "propagate/data_flow.h"
#include "propagate/op_traits.h"
#include "propagate/presence.h"
#include "propagate/readers.h"
#include "propagate/state.h"

static const struct { weft_op_kind op; weft_op_class class; } classes[] = {
    { WEFT_OP_reshape, WEFT_CLASS_PASS },
    { WEFT_OP_transpose, WEFT_CLASS_PASS },
    { WEFT_OP_sdy_data_flow_edge, WEFT_CLASS_PASS },
    { WEFT_OP_sdy_func_data_flow_edge, WEFT_CLASS_PASS },
    { WEFT_OP_dynamic_slice, WEFT_CLASS_PASS_FORWARD },
    { WEFT_OP_dynamic_update_slice, WEFT_CLASS_PASS_FORWARD },
    { WEFT_OP_broadcast_in_dim, WEFT_CLASS_BROADCAST },
};

static const char *const passing_targets[] = { "MoveToDevice", "MoveToHost" };

static weft_op_class class_of(const weft_op *op, bool elementwise) {
    if (elementwise) return WEFT_CLASS_PASS;
    for (size_t i = 0; i < WEFT_COUNT(classes); i++)
        if (classes[i].op == op->kind) return classes[i].class;
    const weft_attr *target = op->kind == WEFT_OP_custom_call ? weft_op_attr(op, WEFT_A_call_target_name) : NULL;
    for (size_t i = 0; target && i < WEFT_COUNT(passing_targets); i++)
        if (weft_str_is(target->s, passing_targets[i])) return WEFT_CLASS_PASS;
    return WEFT_CLASS_ANY;
}

/* Slots. */

static void find_edges(weft_propagation *p, const weft_op *op) {
    if (op->kind != WEFT_OP_sdy_data_flow_edge) return;
    const weft_value *owner = op->operands[0];
    if (weft_flow_op(owner) && weft_use_count(&p->uses, owner) == 1) p->edge[owner->id] = op;
}

static uint32_t slot_of(const weft_propagation *p, const weft_value *v) {
    const weft_value *owner = weft_flow_owner(v);
    if (owner) return p->edge[owner->id] ? p->edge[owner->id]->results[0].id : owner->id;
    if (v->def || v->block->parent->parent->kind == WEFT_OP_func) return v->id;
    return WEFT_NO_SLOT;
}

/* The module's sharding of v, without manual axes if v is an argument of a manual computation. */
static weft_status read_slot(weft_propagation *p, const weft_value *v) {
    const weft_sharding *s;
    weft_bits manual = 0;
    weft_status st = weft_value_sharding(p->shardings, v, &s);
    if (st != WEFT_OK || !s) return st;
    if ((st = weft_sharding_check(p->cx, s, v->type, weft_value_loc(v))) != WEFT_OK) return st;
    if (!v->def && v->block->parent->parent->kind != WEFT_OP_func) {
        if ((st = weft_manual_axes(p->cx, v->block->parent->parent, s->mesh, &manual)) != WEFT_OK) return st;
        if (!(s = weft_sharding_drop_manual(p->shardings, s, manual))) return weft_oom();
    }
    p->of[v->id] = s;
    return WEFT_OK;
}

static weft_status open_value(weft_propagation *p, const weft_value *v) {
    uint32_t slot = p->slot[v->id] = slot_of(p, v);
    p->live_uses[v->id] = weft_use_count(&p->uses, v);
    if (slot != v->id) return WEFT_OK;
    p->owner[slot] = v;
    return read_slot(p, v);
}

static weft_status open_func_results(weft_propagation *p) {
    if (!p->main) return WEFT_OK;
    const weft_type *type = weft_func_type(p->main);
    for (uint32_t i = 0; i < type->part_count - type->input_count; i++) {
        const weft_sharding *s;
        weft_status st = weft_func_result_sharding(p->shardings, p->main, i, &s);
        if (st == WEFT_OK && s) st = weft_sharding_check(p->cx, s, type->parts[type->input_count + i], p->main->loc);
        if (st != WEFT_OK) return st;
        p->of[weft_result_slot(p, i)] = s;
    }
    return WEFT_OK;
}

/* Ops. */

static bool is_static_tensor(const weft_type *t) { return weft_type_is_tensor(t) && weft_type_is_static(t); }

static weft_status check_type(weft_propagation *p, const weft_op *op) {
    for (uint32_t i = 0; i < op->result_count; i++) {
        const weft_type *t = op->results[i].type;
        if (t->kind == WEFT_TYPE_TUPLE)
            return weft_report(p->cx, WEFT_D_unsupported, op->loc, "shardings do not propagate through tuples");
        if (weft_type_is_tensor(t) && !weft_type_is_static(t))
            return weft_report(p->cx, WEFT_D_unsupported, op->loc,
                               "shardings propagate only through tensors of static shape");
    }
    return WEFT_OK;
}

static bool add_tensor(weft_propagation *p, const weft_value *v) {
    if (!weft_arena_grow(&p->arena, (void **)&p->tensors, &p->tensor_cap, p->tensor_count + 1, sizeof *p->tensors))
        return false;
    p->tensors[p->tensor_count++] = v ? p->slot[v->id] : WEFT_NO_SLOT;
    return true;
}

static weft_status open_edge(weft_propagation *p, const weft_op *op, weft_op_state *state) {
    const weft_value *owner = op->operands[0];
    const weft_type *type = op->results[0].type;
    uint32_t sources = weft_flow_source_count(owner);
    if (!weft_flow_op(owner))
        return weft_report(p->cx, WEFT_D_sharding, op->loc, "sdy.data_flow_edge of a value that owns no edge");
    if (!is_static_tensor(type)) return WEFT_OK;
    state->visit = WEFT_VISIT_EDGE;
    for (uint32_t i = 0; i < sources; i++)
        if (!add_tensor(p, weft_flow_source(owner, i))) return weft_oom();
    if (!add_tensor(p, &op->results[0])) return weft_oom();
    return weft_rule_identity(p->rules, type, sources, 1, &state->rule);
}

/* After an argument: the callers' operands; after a call's result: the callee's returned value. A function without
 * callers has no sources. */
static weft_status open_func_edge(weft_propagation *p, const weft_op *op, weft_op_state *state) {
    const weft_value *of = op->operands[0];
    const weft_call_graph *g = p->calls;
    uint32_t sources = 0;
    if (!is_static_tensor(op->results[0].type)) return WEFT_OK;
    if (of->def && of->def->kind == WEFT_OP_func_call) {
        const weft_block *body = weft_op_body(g->funcs[g->callee[g->of_op[of->def->id]]], 0);
        if (!body) return WEFT_OK;
        if (!add_tensor(p, body->last->operands[of->index])) return weft_oom();
        sources = 1;
    }
    uint32_t f = of->def ? 0 : g->of_op[of->block->parent->parent->id];
    for (uint32_t i = g->first_caller[f]; !of->def && i < g->first_caller[f + 1]; i++, sources++)
        if (!add_tensor(p, g->calls[g->callers[i]]->operands[of->index])) return weft_oom();
    if (!sources) return WEFT_OK;
    if (!add_tensor(p, &op->results[0])) return weft_oom();
    state->visit = WEFT_VISIT_FUNC_EDGE;
    return weft_rule_identity(p->rules, op->results[0].type, sources, 1, &state->rule);
}

static weft_status open_barrier(weft_propagation *p, const weft_op *op, weft_op_state *state) {
    state->visit = WEFT_VISIT_BARRIER;
    if (!add_tensor(p, op->operands[0]) || !add_tensor(p, &op->results[0])) return weft_oom();
    return weft_rule_identity(p->rules, op->results[0].type, 1, 1, &state->rule);
}

static weft_status open_op(weft_propagation *p, const weft_op *op) {
    weft_op_state *state = &p->ops[op->id];
    weft_status st = check_type(p, op);
    state->first_tensor = (uint32_t)p->tensor_count;
    state->elementwise = weft_op_is_elementwise(op);
    state->class = (uint8_t)class_of(op, state->elementwise);
    if (st != WEFT_OK) return st;
    if (op->kind == WEFT_OP_sdy_data_flow_edge) return open_edge(p, op, state);
    if (op->kind == WEFT_OP_sdy_func_data_flow_edge) return open_func_edge(p, op, state);
    if (op->kind == WEFT_OP_sdy_propagation_barrier) return open_barrier(p, op, state);
    st = weft_rule_of(p->rules, op, p->mode, &p->uses, &state->rule);
    if (st != WEFT_OK || !state->rule) return st;
    if (state->rule->tensor_count != op->operand_count + op->result_count ||
        state->rule->operand_count != op->operand_count)
        return weft_report(p->cx, WEFT_D_sharding, op->loc,
                           "the sharding rule of '%s' has not as many tensors as the op", op->name->text);
    state->visit = WEFT_VISIT_RULE;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!add_tensor(p, op->operands[i])) return weft_oom();
    for (uint32_t i = 0; i < op->result_count; i++)
        if (!add_tensor(p, &op->results[i])) return weft_oom();
    return WEFT_OK;
}

typedef weft_status (*op_step)(weft_propagation *p, const weft_op *op);

static weft_status values_of_op(weft_propagation *p, const weft_op *op) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) st = open_value(p, &op->results[i]);
    for (uint32_t r = 0; st == WEFT_OK && r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            for (uint32_t i = 0; st == WEFT_OK && i < b->arg_count; i++) st = open_value(p, b->args[i]);
    return st;
}

static weft_status edges_of_op(weft_propagation *p, const weft_op *op) {
    find_edges(p, op);
    return WEFT_OK;
}

/* step for every op, each before the ops of its regions. */
static weft_status each_op(weft_propagation *p, const weft_op *op, op_step step) {
    weft_status st = step(p, op);
    for (uint32_t r = 0; st == WEFT_OK && r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            WEFT_EACH_OP(inner, b)
                if (st == WEFT_OK) st = each_op(p, inner, step);
    return st;
}

/* A rule over scalars alone propagates nothing. */
static bool worth_a_visit(const weft_propagation *p, const weft_op *op) {
    const weft_rule *rule = p->ops[op->id].rule;
    for (uint32_t t = 0; rule && t < rule->tensor_count; t++)
        if (rule->tensors[t].rank && p->tensors[p->ops[op->id].first_tensor + t] != WEFT_NO_SLOT) return true;
    return false;
}

static weft_status open_and_order(weft_propagation *p, const weft_op *op) {
    weft_status st = open_op(p, op);
    weft_op_state *state = &p->ops[op->id];
    state->op = op;
    state->unread = true;
    for (uint32_t i = 0; i < op->result_count; i++) state->unread &= p->live_uses[op->results[i].id] == 0;
    p->work.place[op->id] = WEFT_NO_PLACE;
    if (st == WEFT_OK && (worth_a_visit(p, op) || (state->unread && weft_op_is_removable(op)))) {
        p->work.place[op->id] = p->work.order_count;
        p->work.order[p->work.order_count++] = op->id;
    }
    return st;
}

static weft_status open_arrays(weft_propagation *p) {
    weft_arena *a = &p->arena;
    uint32_t values = p->in->value_count, ops = p->in->op_count, results = 0;
    if (p->main) results = weft_func_type(p->main)->part_count - weft_func_type(p->main)->input_count;
    p->slot_count = values + results;
    p->of = weft_arena_array(a, const weft_sharding *, p->slot_count);
    p->before = weft_arena_array(a, const weft_sharding *, p->slot_count);
    p->slot = weft_arena_array(a, uint32_t, values);
    p->owner = weft_arena_array(a, const weft_value *, p->slot_count);
    p->edge = weft_arena_array(a, const weft_op *, values);
    p->live_uses = weft_arena_array(a, uint32_t, values);
    p->group = weft_arena_array(a, uint32_t, p->slot_count);
    p->ops = weft_arena_array(a, weft_op_state, ops);
    p->work.order = weft_arena_array(a, uint32_t, ops);
    p->work.place = weft_arena_array(a, uint32_t, ops);
    p->work.stack = weft_arena_array(a, uint32_t, ops);
    if (!p->of || !p->before || !p->slot || !p->owner || !p->edge || !p->live_uses || !p->group || !p->ops)
        return weft_oom();
    if (!p->work.order || !p->work.place || !p->work.stack) return weft_oom();
    for (uint32_t i = 0; i < p->slot_count; i++) p->group[i] = WEFT_NO_GROUP;
    return weft_readers_build(p->in, a, &p->uses);
}

static weft_status open_calls(weft_propagation *p) {
    if (!weft_module_has_kind(p->in, WEFT_OP_sdy_func_data_flow_edge)) return WEFT_OK;
    weft_call_graph *g = weft_arena_new(&p->arena, weft_call_graph);
    p->calls = g;
    p->sources = weft_arena_array(&p->arena, weft_call_sources *, p->in->op_count);
    return g && p->sources ? weft_call_graph_build(p->in, &p->arena, g) : weft_oom();
}

weft_status weft_propagation_groups(weft_propagation *p); /* groups.c */

weft_status weft_propagation_open(weft_context *cx, const weft_module *in, weft_rule_mode mode, weft_propagation *p) {
    weft_status st;
    *p = (weft_propagation){ .cx = cx, .in = in, .mode = mode };
    weft_arena_init(&p->arena, &cx->chunks);
    p->main = weft_module_main(in);
    if ((st = open_arrays(p)) != WEFT_OK) return st;
    if ((st = weft_shardings_open(cx, in, &p->arena, &p->shardings)) != WEFT_OK) return st;
    if ((st = weft_rules_open(cx, &p->arena, &p->rules)) != WEFT_OK) return st;
    if ((st = weft_memo_open(p)) != WEFT_OK) return st;
    if ((st = open_calls(p)) != WEFT_OK) return st;
    if ((st = each_op(p, in->root, edges_of_op)) != WEFT_OK) return st;
    if ((st = each_op(p, in->root, values_of_op)) != WEFT_OK) return st;
    if ((st = open_func_results(p)) != WEFT_OK) return st;
    memcpy(p->before, p->of, p->slot_count * sizeof *p->of);
    if ((st = each_op(p, in->root, open_and_order)) != WEFT_OK) return st;
    if ((st = weft_worklist_open(p)) != WEFT_OK) return st;
    return weft_propagation_groups(p);
}

void weft_propagation_close(weft_propagation *p) { weft_arena_free(&p->arena); }

weft_status weft_slot_set(weft_propagation *p, uint32_t slot, const weft_sharding *s) {
    const weft_value *v = p->owner[slot];
    const weft_op *op = v ? v->def : NULL;
    p->of[slot] = s;
    weft_worklist_forget_around(p, slot);
    if (!op || op->result_count < 2) return WEFT_OK;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (p->slot[op->results[i].id] == op->results[i].id && op->results[i].id != slot && p->of[op->results[i].id])
            return WEFT_OK;
    for (uint32_t i = 0; i < op->result_count; i++) {
        uint32_t other = op->results[i].id;
        const weft_type *type = op->results[i].type;
        if (other == slot || p->slot[other] != other) continue;
        if (!(p->of[other] =
                  weft_sharding_empty(p->shardings, s->mesh, weft_type_is_tensor(type) ? type->rank : 0, WEFT_OPEN)))
            return weft_oom();
        weft_worklist_forget_around(p, other);
    }
    return WEFT_OK;
}
