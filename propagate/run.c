/* run.c: one round of propagation: visits every op in program order, and again each op around a changed slot, until
 * nothing changes. An op that changed is visited before those that still wait. Dead ops are removed when they are met.
 * The order matters for conflicts and follows the greedy rewriter under Shardy's propagation. */
#include "ir/tidy.h"
#include "propagate/data_flow.h"
#include "propagate/history.h"
#include "propagate/state.h"

/* Marking ops for another visit. */

static void push_users(weft_propagation *p, const weft_op *from, const weft_value *v);

/* If op passes its operand across a function's border, marks the readers on the other side. False if it does not. */
static bool push_across(weft_propagation *p, const weft_op *from, const weft_op *op, uint32_t operand) {
    const weft_call_graph *g = p->calls;
    if (op->kind == WEFT_OP_func_call) {
        const weft_block *body = weft_op_body(g->funcs[g->callee[g->of_op[op->id]]], 0);
        if (body) push_users(p, from, body->args[operand]);
        return true;
    }
    if (op->kind != WEFT_OP_func_return) return false;
    uint32_t f = g->of_op[weft_op_parent(op)->id];
    for (uint32_t i = g->first_caller[f]; i < g->first_caller[f + 1]; i++)
        push_users(p, from, &g->calls[g->callers[i]]->results[operand]);
    return g->first_caller[f] < g->first_caller[f + 1];
}

static void push_users(weft_propagation *p, const weft_op *from, const weft_value *v) {
    uint32_t first = p->uses.start[v->id], n = p->uses.start[v->id + 1] - first;
    p->work.steps += n;
    for (uint32_t i = n; i-- > 0;) { /* MLIR keeps the newest use first */
        const weft_use *use = &p->uses.use[first + i];
        if (p->ops[use->op->id].dead || (p->calls && push_across(p, from, use->op, use->operand))) continue;
        const weft_value *owner = weft_flow_owner_of_source(use->op, use->operand);
        const weft_op *edge = owner ? p->edge[owner->id] : NULL;
        if (!edge && weft_op_kind_has((weft_op_kind)use->op->kind, WEFT_TRAIT_TERMINATOR)) continue;
        const weft_op *user = edge ? edge : use->op;
        if (user != from) weft_worklist_push(p, user);
    }
}

static void push_around(weft_propagation *p, const weft_op *from, uint32_t slot) {
    const weft_value *v = p->owner[slot];
    if (!v) return;
    if (v->def && v->def->kind == WEFT_OP_sdy_data_flow_edge) {
        const weft_value *owner = v->def->operands[0];
        const weft_op *flow = weft_flow_op(owner);
        if (flow && weft_flow_of(flow) == WEFT_FLOWS_LOOP)
            for (uint32_t r = 0; r < flow->region_count; r++)
                push_users(p, from, weft_op_body(flow, r)->args[owner->index]);
    }
    if (v->def && v->def != from) weft_worklist_push(p, v->def);
    push_users(p, from, v);
}

/* Sets a slot, with a cause for the history, if there is one. */
static weft_status set(weft_propagation *p, uint32_t slot, const weft_sharding *s, weft_cause cause,
                       const weft_op *from) {
    weft_status st = p->history ? weft_history_add(p, slot, cause, from) : WEFT_OK;
    return st == WEFT_OK ? weft_slot_set(p, slot, s) : st;
}

/* The slot becomes s, the others of its sharding group become `shared`. */
static weft_status update(weft_propagation *p, const weft_op *from, uint32_t slot, const weft_sharding *s,
                          const weft_sharding *shared) {
    weft_status st = set(p, slot, s, from ? WEFT_CAUSE_OP : WEFT_CAUSE_RETURN, from);
    if (st != WEFT_OK) return st;
    if (from) push_around(p, from, slot);
    if (p->group[slot] == WEFT_NO_GROUP) return WEFT_OK;
    const weft_slot_group *g = &p->groups[p->group[slot]];
    for (uint32_t i = 0; i < g->n; i++) {
        if (g->slots[i] == slot) continue;
        if ((st = set(p, g->slots[i], shared, WEFT_CAUSE_GROUP, from)) != WEFT_OK) return st;
        if (from) push_around(p, from, g->slots[i]);
    }
    return WEFT_OK;
}

/* One visit. */

const weft_mesh *weft_common_mesh(const weft_sharding *const *shardings, uint32_t n) {
    const weft_mesh *mesh = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (!shardings[i] || shardings[i]->mesh == mesh) continue;
        if (!mesh || weft_mesh_is_empty(mesh)) mesh = shardings[i]->mesh;
        else if (!weft_mesh_is_empty(shardings[i]->mesh) && !weft_mesh_same_devices(mesh, shardings[i]->mesh))
            return NULL;
    }
    return mesh;
}

/* How a rule is propagated; the low bits of a memo's key. */
typedef struct how {
    weft_direction pass, rest;
    bool elementwise;
    weft_strategy strategy;
    weft_rule_mode mode;    /* edges, barriers and results of @main are the same value twice: liberal always */
} how;

static uint32_t how_bits(const how *h) {
    return (uint32_t)h->pass | (uint32_t)h->rest << 2 | (uint32_t)h->elementwise << 4 | (uint32_t)h->strategy << 5 |
           (uint32_t)h->mode << 6;
}

static how how_from_bits(uint32_t bits) {
    return (how){ bits & 3, bits >> 2 & 3, bits >> 4 & 1, bits >> 5 & 1, bits >> 6 & 1 };
}

weft_status weft_visit_spread(weft_propagation *p, const weft_memo_key *key, const weft_mesh *mesh,
                              weft_projection *out, bool *changed) {
    weft_arena *scratch = &p->cx->scratch;
    const how h = how_from_bits(key->how);
    weft_status st = weft_project(p->cx, scratch, key->rule, mesh, key->before, WEFT_OPEN, out);
    weft_spread s = { .p = out, .pass = h.pass, .rest = h.rest, .elementwise = h.elementwise, .mode = h.mode };
    return st == WEFT_OK
               ? (h.strategy == WEFT_STRATEGY_BASIC ? weft_spread_basic : weft_spread_aggressive)(&s, scratch, changed)
               : st;
}

static weft_status spread(weft_propagation *p, const weft_memo_key *key, const weft_mesh *mesh,
                          const weft_sharding **after) {
    weft_arena *scratch = &p->cx->scratch;
    weft_mark mark = weft_arena_mark(scratch);
    weft_projection projection;
    bool *changed = weft_arena_array(scratch, bool, key->n + 1);
    weft_status st = changed ? weft_visit_spread(p, key, mesh, &projection, changed) : weft_oom();
    for (uint32_t t = 0; st == WEFT_OK && t < key->n; t++) {
        after[t] = key->before[t];
        if (!changed[t]) continue;
        const weft_sharding *made = weft_unproject(p->shardings, &projection, t);
        if (!made) st = weft_oom();
        else if (key->before[t] || made->used) after[t] = made;
    }
    weft_arena_reset(scratch, mark);
    return st;
}

/* The new shardings of the tensors, from memory if known; NULL in *after if they cannot change. */
static weft_status outcome(weft_propagation *p, const weft_memo_key *key, const weft_sharding *const **after) {
    const weft_mesh *mesh = weft_common_mesh(key->before, key->n);
    *after = NULL;
    if (!mesh || weft_mesh_is_maximal(mesh)) return WEFT_OK;
    if ((*after = weft_memo_find(p->memo, key))) return WEFT_OK;
    const weft_sharding **fresh = weft_arena_array(&p->arena, const weft_sharding *, key->n + 1), **stored;
    if (!fresh) return weft_oom();
    weft_status st = spread(p, key, mesh, fresh);
    if (st != WEFT_OK) return st;
    if (!(stored = weft_memo_add(p->memo, key))) return weft_oom();
    memcpy(stored, fresh, key->n * sizeof *stored);
    *after = stored;
    return WEFT_OK;
}

weft_status weft_edge_view(weft_propagation *p, const weft_op *edge, const weft_sharding *s, bool to_sources,
                           const weft_sharding **out) {
    const weft_value *owner = edge->operands[0];
    const weft_op *flow = weft_flow_op(owner);
    const weft_sharding *written;
    weft_bits manual;
    weft_status st;
    *out = s;
    if (!s || flow->kind != WEFT_OP_sdy_manual_computation) return WEFT_OK;
    if ((st = weft_manual_axes(p->cx, flow, s->mesh, &manual)) != WEFT_OK) return st;
    if ((owner->def != NULL) == to_sources) { /* from outside in */
        *out = weft_sharding_drop_manual(p->shardings, s, manual);
    } else {
        if ((st = weft_value_sharding(p->shardings, owner, &written)) != WEFT_OK) return st;
        *out = weft_sharding_add_free(p->shardings, written, s, manual);
    }
    return *out ? WEFT_OK : weft_oom();
}

static weft_direction barrier_direction(const weft_op *op) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_allowed_direction);
    static const struct { weft_enum_value e; weft_direction d; } of[] = {
        { WEFT_propagation_direction_NONE, WEFT_FLOW_NONE }, { WEFT_propagation_direction_FORWARD, WEFT_FLOW_FORWARD },
        { WEFT_propagation_direction_BACKWARD, WEFT_FLOW_BACKWARD }, { WEFT_propagation_direction_BOTH, WEFT_FLOW_BOTH },
    };
    for (size_t i = 0; a && i < WEFT_COUNT(of); i++)
        if (of[i].e == a->e) return of[i].d;
    return WEFT_FLOW_NONE;
}

/* What `settled` is after a visit of this kind; never 0. */
static uint8_t settled_mark(const how *h) { return (uint8_t)(how_bits(h) | 0x80); }

#define MOST_ON_STACK 32

static weft_status visit_with(weft_propagation *p, const weft_op *op, const how *h, const weft_sharding **before) {
    weft_op_state *state = &p->ops[op->id];
    const uint32_t *slots = p->tensors + state->first_tensor;
    uint32_t n = state->rule->tensor_count;
    weft_status st = WEFT_OK;
    bool any = false;
    for (uint32_t t = 0; t < n; t++) {
        before[t] = slots[t] == WEFT_NO_SLOT ? NULL : p->of[slots[t]];
        any |= before[t] != NULL;
    }
    state->settled = settled_mark(h);
    if (!any) return WEFT_OK;
    if (state->visit == WEFT_VISIT_EDGE) st = weft_edge_view(p, op, before[n - 1], true, &before[n - 1]);
    if (st != WEFT_OK) return st;
    weft_memo_key key = { state->rule, how_bits(h), n, before };
    const weft_sharding *const *after;
    if (p->history) p->history->how = key.how;
    if ((st = outcome(p, &key, &after)) != WEFT_OK || !after) return st;
    for (uint32_t t = 0; st == WEFT_OK && t < n; t++) {
        const weft_sharding *now = after[t];
        if (now == before[t] || slots[t] == WEFT_NO_SLOT) continue;
        weft_worklist_forget(p, op->id);
        if (state->visit == WEFT_VISIT_EDGE && t + 1 == n) st = weft_edge_view(p, op, now, false, &now);
        /* for an edge, group members get the sharding that its sources see, as in Shardy */
        if (st == WEFT_OK) st = update(p, op, slots[t], now, after[t]);
    }
    return st;
}

/* The same at the edge of a function with several calls: by the different shardings of its sources. */
static weft_status visit_calls(weft_propagation *p, const weft_op *op, const how *h) {
    weft_op_state *state = &p->ops[op->id];
    const uint32_t *slots = p->tensors + state->first_tensor, sources = state->rule->operand_count;
    weft_call_sources **c = &p->sources[op->id];
    const weft_sharding *const *few, *const *after;
    const weft_source_change *becoming;
    uint32_t count, n;
    bool any = false;
    if (!*c && !(*c = weft_call_sources_open(&p->arena, slots, sources, p->of))) return weft_oom();
    weft_status st = weft_call_sources_now(*c, &few, &count);
    const weft_sharding **before = weft_scratch_array(p->cx, const weft_sharding *, (size_t)count + 1);
    if (st != WEFT_OK || !before) return st != WEFT_OK ? st : weft_oom();
    for (uint32_t i = 0; i <= count; i++) {
        before[i] = i < count ? few[i] : p->of[slots[sources]];
        any |= before[i] != NULL;
    }
    p->work.steps += count;
    state->settled = settled_mark(h);
    weft_memo_key key = { .how = how_bits(h), .n = count + 1, .before = before };
    if (!any || (st = weft_rule_identity(p->rules, op->results[0].type, count, 1, &key.rule)) != WEFT_OK) return st;
    if (p->history) p->history->how = key.how;
    if ((st = outcome(p, &key, &after)) != WEFT_OK || !after) return st;
    if ((st = weft_call_sources_becoming(*c, after, &becoming, &n)) != WEFT_OK) return st;
    if (n || after[count] != before[count]) weft_worklist_forget(p, op->id);
    p->work.steps += n;
    for (uint32_t i = 0; st == WEFT_OK && i < n; i++) {
        const uint32_t slot = slots[becoming[i].source];
        const weft_sharding *now = after[becoming[i].which];
        if (slot != WEFT_NO_SLOT) st = update(p, op, slot, now, now);
    }
    return st == WEFT_OK && after[count] != before[count] ? update(p, op, slots[sources], after[count], after[count])
                                                          : st;
}

static weft_status visit(weft_propagation *p, const weft_op_state *state, weft_strategy strategy, int ladder) {
    const weft_op *op = state->op;
    how h = { .elementwise = state->elementwise, .strategy = strategy,
              .mode = state->visit == WEFT_VISIT_RULE ? p->mode : WEFT_RULE_LIBERAL };
    if (!state->rule) return WEFT_OK;
    if (p->history) p->history->began = p->history->n;
    if (state->visit == WEFT_VISIT_BARRIER) h.pass = h.rest = barrier_direction(op);
    else weft_schedule(p, state, ladder, &h.pass, &h.rest);
    if ((!h.pass && !h.rest) || state->settled == settled_mark(&h)) return WEFT_OK;
    const weft_sharding *few[MOST_ON_STACK];
    if (state->rule->tensor_count <= MOST_ON_STACK) return visit_with(p, op, &h, few);
    weft_mark mark = weft_arena_mark(&p->cx->scratch);
    const weft_sharding **many = state->visit == WEFT_VISIT_FUNC_EDGE
                                     ? NULL
                                     : weft_scratch_array(p->cx, const weft_sharding *, state->rule->tensor_count);
    weft_status st = state->visit == WEFT_VISIT_FUNC_EDGE ? visit_calls(p, op, &h)
                     : many                               ? visit_with(p, op, &h, many)
                                                          : weft_oom();
    weft_arena_reset(&p->cx->scratch, mark);
    return st;
}

/* By value, the most operands of one op that read it. */
static weft_status count_most_uses(weft_propagation *p) {
    weft_mark mark = weft_arena_mark(&p->cx->scratch);
    uint32_t *count = weft_scratch_array(p->cx, uint32_t, p->in->value_count),
             *most = weft_arena_array(&p->arena, uint32_t, p->in->value_count);
    for (uint32_t k = 0; count && most && k < p->in->op_count; k++) {
        const weft_op *op = p->ops[k].op;
        for (uint32_t i = 0; op && i < op->operand_count; i++) {
            uint32_t v = op->operands[i]->id;
            if (++count[v] > most[v]) most[v] = count[v];
        }
        for (uint32_t i = 0; op && i < op->operand_count; i++) count[op->operands[i]->id] = 0;
    }
    weft_arena_reset(&p->cx->scratch, mark);
    p->most_uses = most;
    return count && most ? WEFT_OK : weft_oom();
}

/* Whether at most one op besides op reads v: then v's maker may be dead now, or have other directions. */
static bool nearly_unread(weft_propagation *p, const weft_op *op, const weft_value *v) {
    const weft_op *other = NULL;
    /* more readers than one op can be: the list need not be walked */
    if (p->live_uses[v->id] > p->most_uses[v->id]) return false;
    for (uint32_t i = p->uses.start[v->id]; i < p->uses.start[v->id + 1]; i++, p->work.steps++) {
        const weft_op *user = p->uses.use[i].op;
        if (user == op || user == other || p->ops[user->id].dead) continue;
        if (other) return false;
        other = user;
    }
    return true;
}

/* A single operand reads v now: its op may have other directions, in later rounds. */
static void forget_last_reader(weft_propagation *p, const weft_value *v) {
    for (uint32_t i = p->uses.start[v->id]; i < p->uses.start[v->id + 1]; i++)
        if (!p->ops[p->uses.use[i].op->id].dead) weft_worklist_forget(p, p->uses.use[i].op->id);
}

static bool is_read(const weft_propagation *p, const weft_op *op) {
    for (uint32_t i = 0; i < op->result_count; i++)
        if (p->live_uses[op->results[i].id]) return true;
    return false;
}

/* Removes op and its remaining inner ops, last first; ops whose results have hardly any reader left are visited
 * again. */
static void bury(weft_propagation *p, const weft_op *op) {
    if (p->ops[op->id].dead) return;
    for (uint32_t r = op->region_count; r-- > 0;)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            for (const weft_op *inner = b->last; inner; inner = inner->prev) bury(p, inner);
    p->ops[op->id].dead = true;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const weft_op *def = op->operands[i]->def;
        if (--p->live_uses[op->operands[i]->id] == 1) forget_last_reader(p, op->operands[i]);
        if (def && (p->ops[def->id].unread = !is_read(p, def))) weft_worklist_forget(p, def->id);
    }
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (op->operands[i]->def && nearly_unread(p, op, op->operands[i])) weft_worklist_push(p, op->operands[i]->def);
}

/* @main's returned values and its results: equal both ways, along every factor. */
static weft_status visit_results(weft_propagation *p, weft_strategy strategy) {
    const weft_block *body = p->main ? weft_op_body(p->main, 0) : NULL;
    how h = { .pass = WEFT_FLOW_BOTH, .rest = WEFT_FLOW_BOTH, .strategy = strategy };
    weft_status st = WEFT_OK;
    if (!body || !body->last || body->last->kind != WEFT_OP_func_return) return WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && (i = weft_worklist_next_result(p, strategy, i)) < body->last->operand_count;
         i++) {
        const weft_value *v = body->last->operands[i];
        uint32_t slots[2] = { p->slot[v->id], weft_result_slot(p, i) };
        if (!weft_type_is_tensor(v->type) || !weft_type_is_static(v->type) || slots[0] == WEFT_NO_SLOT) continue;
        const weft_sharding *before[2] = { p->of[slots[0]], p->of[slots[1]] }, *const *after;
        weft_memo_key key = { NULL, how_bits(&h), 2, before };
        if ((!before[0] && !before[1]) || before[0] == before[1]) continue;
        if ((st = weft_rule_identity(p->rules, v->type, 1, 1, &key.rule)) != WEFT_OK) break;
        if ((st = outcome(p, &key, &after)) != WEFT_OK || !after) continue;
        if (p->history) {
            p->history->began = p->history->n;
            p->history->how = key.how;
            p->history->result = i;
        }
        for (int t = 0; st == WEFT_OK && t < 2; t++) {
            if (after[t] == before[t]) continue;
            if (t == 0) st = update(p, NULL, slots[0], after[0], after[0]);
            else st = set(p, slots[1], after[1], WEFT_CAUSE_RETURN, NULL);
        }
    }
    return st;
}

weft_status weft_propagation_run(weft_propagation *p, weft_strategy strategy, int ladder) {
    weft_op_state *state;
    if (p->history) p->history->ladder = ladder;
    weft_status st = visit_results(p, strategy);
    weft_worklist_begin(p, strategy, ladder);
    while (st == WEFT_OK && (state = weft_worklist_next(p))) {
        if (!state->unread || !weft_op_is_removable(state->op)) st = visit(p, state, strategy, ladder);
        else if (p->most_uses || (st = count_most_uses(p)) == WEFT_OK) bury(p, state->op);
    }
    return st == WEFT_OK ? visit_results(p, strategy) : st;
}
