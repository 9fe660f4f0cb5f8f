/* debug_info.c: the first origin of each axis, and the steps that took it elsewhere; see debug_info.h. */
#include "propagate/debug_info.h"
#include "propagate/data_flow.h"
#include "propagate/history.h"

/* Origins. */

static const weft_asked *asked(const weft_debug_info *d, uint32_t slot, weft_axis axis) {
    for (uint32_t i = d->first_asked[slot]; i != WEFT_NO_NOTE; i = d->asked[i].next)
        if (weft_axis_equal(d->asked[i].axis, axis)) return &d->asked[i];
    return NULL;
}

/* The same for an axis that a reshape has merged or split: the origin of the part closest to the
 * front. */
static const weft_asked *asked_in_part(const weft_debug_info *d, uint32_t slot, weft_axis axis) {
    const weft_asked *exact = asked(d, slot, axis);
    for (uint32_t i = d->first_asked[slot]; !exact && i != WEFT_NO_NOTE; i = d->asked[i].next)
        if (weft_axis_contains(d->asked[i].axis, axis) || weft_axis_contains(axis, d->asked[i].axis))
            return &d->asked[i];
    return exact;
}

/* The first origin is kept. */
static weft_status note_asked(weft_debug_info *d, uint32_t slot, weft_asked a) {
    if (slot == WEFT_NO_SLOT || asked(d, slot, a.axis)) return WEFT_OK;
    if (!weft_arena_grow(d->arena, (void **)&d->asked, &d->asked_cap, (size_t)d->asked_count + 1, sizeof *d->asked))
        return weft_oom();
    uint32_t *end = &d->first_asked[slot];
    while (*end != WEFT_NO_NOTE) end = &d->asked[*end].next;
    *end = d->asked_count;
    a.next = WEFT_NO_NOTE;
    d->asked[d->asked_count++] = a;
    return WEFT_OK;
}

static weft_status note_all(weft_debug_info *d, uint32_t slot, const weft_sharding *s, weft_asker by, uint32_t number,
                            uint32_t index) {
    weft_status st = WEFT_OK;
    for (uint32_t k = 0; s && k < s->rank; k++)
        for (uint32_t i = 0; st == WEFT_OK && i < s->dims[k].axes.n; i++)
            st = note_asked(d, slot,
                            (weft_asked){ .mesh = s->mesh, .axis = s->dims[k].axes.v[i], .by = by, .number = number,
                                          .index = index });
    return st;
}

/* Origins in the module. */

typedef struct opening {
    weft_debug_info *d;
    weft_shardings *t;
    const weft_debug_slots *slots;
    uint32_t constraints, computations;
} opening;

static const weft_sharding *written(const opening *o, uint32_t slot) {
    return slot == WEFT_NO_SLOT ? NULL : o->slots->written[slot];
}

static weft_status open_constraint(opening *o, const weft_op *op) {
    uint32_t n = o->d->number[op->id] = o->constraints++, from = o->d->slot[op->operands[0]->id],
             to = o->d->slot[op->results[0].id];
    weft_status st = note_all(o->d, to, written(o, to), WEFT_ASKED_CONSTRAINT, n, 0);
    return st == WEFT_OK ? note_all(o->d, from, written(o, from), WEFT_ASKED_CONSTRAINT, n, 0) : st;
}

static weft_status entry(const opening *o, const weft_op *op, weft_attr_name name, uint32_t i,
                         const weft_sharding **out) {
    const weft_attr *all = weft_op_attr(op, name);
    *out = NULL;
    return all && i < all->items.n ? weft_sharding_from_attr(o->t, all->items.v[i], op->loc, out) : WEFT_OK;
}

static weft_status open_computation(opening *o, const weft_op *op) {
    const weft_block *body = weft_op_body(op, 0);
    const weft_sharding *s;
    uint32_t n = o->d->number[op->id] = o->computations++;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < body->arg_count; i++) {
        uint32_t from = o->d->slot[op->operands[i]->id];
        if ((st = entry(o, op, WEFT_A_in_shardings, i, &s)) != WEFT_OK) break;
        st = note_all(o->d, o->d->slot[body->args[i]->id], s, WEFT_ASKED_MC_INPUT, n, i);
        if (st == WEFT_OK) st = note_all(o->d, from, written(o, from), WEFT_ASKED_MC_INPUT, n, i);
    }
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) {
        if ((st = entry(o, op, WEFT_A_out_shardings, i, &s)) != WEFT_OK) break;
        st = note_all(o->d, o->d->slot[op->results[i].id], s, WEFT_ASKED_MC_OUTPUT, n, i);
    }
    return st;
}

static weft_status open_func(opening *o, const weft_op *f) {
    const weft_block *body = weft_op_body(f, 0);
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; body && st == WEFT_OK && i < body->arg_count; i++) {
        uint32_t slot = o->d->slot[body->args[i]->id];
        st = note_all(o->d, slot, written(o, slot), WEFT_ASKED_INPUT, 0, i);
    }
    for (uint32_t i = 0; body && body->last && st == WEFT_OK && i < body->last->operand_count; i++) {
        const weft_sharding *s;
        st = weft_func_result_sharding(o->t, f, i, &s);
        if (st == WEFT_OK) st = note_all(o->d, o->d->slot[body->last->operands[i]->id], s, WEFT_ASKED_OUTPUT, 0, i);
    }
    return st;
}

static void open_step(weft_debug_info *d, const weft_op *op) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_sdy_propagation_edges);
    for (uint32_t i = 0; a && a->kind == WEFT_ATTR_EDGES && i < a->edges.n; i++)
        if (a->edges.v[i].step >= d->step) d->step = a->edges.v[i].step + 1;
}

/* Ops of one kind, inner ones before outer ones. */
static weft_status open_kind(opening *o, const weft_op *op, weft_op_kind kind) {
    weft_status st = WEFT_OK;
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            WEFT_EACH_OP(inner, b)
                if (st == WEFT_OK) st = open_kind(o, inner, kind);
    if (kind == WEFT_OP_func) open_step(o->d, op); /* once for every op */
    if (st != WEFT_OK || (weft_op_kind)op->kind != kind || !o->d->origins) return st;
    if (kind == WEFT_OP_sdy_sharding_constraint) return open_constraint(o, op);
    return kind == WEFT_OP_func ? open_func(o, op) : open_computation(o, op);
}

weft_status weft_debug_open(const weft_pass *pass, weft_arena *arena, weft_shardings *t, const weft_module *in,
                            const weft_debug_slots *slots, weft_debug_info **out) {
    static const weft_op_kind kinds[] = { WEFT_OP_sdy_sharding_constraint, WEFT_OP_sdy_manual_computation,
                                          WEFT_OP_func };
    *out = NULL;
    if (!weft_debug_origins(pass) && !weft_debug_edges(pass)) return WEFT_OK;
    weft_debug_info *d = *out = weft_arena_new(arena, weft_debug_info);
    if (!d) return weft_oom();
    *d = (weft_debug_info){ .cx = pass->cx, .arena = arena, .slot = slots->of_value };
    d->origins = weft_debug_origins(pass);
    d->edges = weft_debug_edges(pass);
    d->first_asked = weft_arena_array(arena, uint32_t, slots->count);
    d->first_passed = weft_arena_array(arena, uint32_t, in->op_count);
    d->number = weft_arena_array(arena, uint32_t, in->op_count);
    if (!d->first_asked || !d->first_passed || !d->number) return weft_oom();
    for (uint32_t i = 0; i < slots->count; i++) d->first_asked[i] = WEFT_NO_NOTE;
    for (uint32_t i = 0; i < in->op_count; i++) d->first_passed[i] = WEFT_NO_NOTE;
    opening o = { .d = d, .t = t, .slots = slots };
    weft_status st = WEFT_OK;
    for (size_t i = 0; st == WEFT_OK && i < WEFT_COUNT(kinds); i++) st = open_kind(&o, in->root, kinds[i]);
    return st;
}

/* One axis through one op. */

weft_status weft_debug_pass(weft_debug_info *d, const weft_op *op, weft_passed what, uint32_t from_slot,
                            uint32_t to_slot) {
    if (d->edges) {
        if (!weft_arena_grow(d->arena, (void **)&d->passed, &d->passed_cap, (size_t)d->passed_count + 1,
                             sizeof *d->passed))
            return weft_oom();
        what.next = d->first_passed[op->id];
        d->first_passed[op->id] = d->passed_count;
        d->passed[d->passed_count++] = what;
    }
    const weft_asked *a = d->origins && from_slot != WEFT_NO_SLOT ? asked_in_part(d, from_slot, what.axis) : NULL;
    if (!a) return WEFT_OK; /* an op's own sharding, without a named origin */
    weft_asked mine = *a;
    mine.mesh = what.mesh;
    mine.axis = what.axis;
    return note_asked(d, to_slot, mine);
}

/* One step: the tensors around an op before a visit and after it, by factor. An axis that came to a factor is noted
 * even if the resulting sharding could not express it (a reshape whose major factor is not fully sharded), as
 * Shardy does. */

typedef struct step {
    const weft_op *op;                      /* the op of its edges */
    const weft_rule *rule;
    const uint32_t *slots, *named;          /* by tensor: its slot, and the one whose axes have names */
    weft_projection before, after;
} step;

/* The first tensor that had these axes along the factor, operands before results; tensor_count: none had. */
static uint32_t find_source(const step *s, weft_axes axes, uint32_t factor) {
    uint32_t u = 0;
    for (; u < s->rule->tensor_count; u++) {
        const weft_cell *c = weft_cell_of(&s->before, u, factor);
        if (c && weft_axes_prefix(axes, weft_axes_of(&c->axes)) != WEFT_PREFIX_NOT) break;
    }
    return u;
}

typedef struct arrival { weft_axis axis; uint32_t source; } arrival;
typedef struct arrivals { arrival v[WEFT_MAX_MESH_AXES]; uint32_t n; } arrivals;

static void arrive(arrivals *a, weft_axis axis, uint32_t source) {
    for (uint32_t i = 0; i < a->n; i++)
        if (weft_axis_equal(a->v[i].axis, axis)) return;
    if (a->n < WEFT_COUNT(a->v)) a->v[a->n++] = (arrival){ axis, source };
}

static void forget(arrivals *a, weft_axis axis) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < a->n; i++)
        if (!weft_axis_equal(a->v[i].axis, axis)) a->v[kept++] = a->v[i];
    a->n = kept;
}

/* The new axes of one dimension of tensor t. Neighbouring parts of one axis are merged. */
static void find_arrivals(const step *s, uint32_t t, weft_rule_dim dim, arrivals *out) {
    weft_axis previous = { 0 };
    bool follows = false;
    for (uint32_t i = 0; i < dim.n; i++) {
        uint32_t factor = s->rule->factors[dim.first + i];
        const weft_cell *old = weft_cell_of(&s->before, t, factor), *new = weft_cell_of(&s->after, t, factor);
        if (!old || !new || !new->axes.n || weft_axes_equal(weft_axes_of(&old->axes), weft_axes_of(&new->axes)))
            continue;
        weft_axis_list axes = new->axes;
        weft_axis *last = &axes.v[axes.n - 1], end = *last;
        if (follows && weft_axis_can_merge(previous, end)) {
            forget(out, previous);
            *last = weft_axis_merge(previous, end);
        }
        previous = end;
        follows = true;
        uint32_t source = find_source(s, weft_axes_of(&new->axes), factor), first = old->axes.n;
        if (source == s->rule->tensor_count) continue;
        /* The last old axis may have become longer. */
        if (first && first <= axes.n && !weft_axis_equal(old->axes.v[first - 1], axes.v[first - 1])) first--;
        for (uint32_t k = first; k < axes.n; k++) arrive(out, axes.v[k], source);
    }
}

static weft_edge_ref tensor_ref(const step *s, uint32_t t) {
    uint32_t operands = s->rule->operand_count;
    return t < operands ? (weft_edge_ref){ WEFT_EDGE_OPERAND, t } : (weft_edge_ref){ WEFT_EDGE_RESULT, t - operands };
}

static weft_status note_tensor(weft_debug_info *d, const step *s, uint32_t t) {
    weft_status st = WEFT_OK;
    arrivals all = { .n = 0 };
    for (uint32_t k = 0; k < s->rule->tensors[t].rank; k++) find_arrivals(s, t, s->rule->tensors[t].dims[k], &all);
    for (uint32_t i = 0; st == WEFT_OK && i < all.n; i++) {
        weft_passed what = { .mesh = s->after.mesh, .axis = all.v[i].axis, .step = d->step };
        what.source = tensor_ref(s, all.v[i].source);
        what.target = tensor_ref(s, t);
        st = weft_debug_pass(d, s->op, what, s->named[all.v[i].source], s->named[t]);
    }
    return st;
}

/* The tensors of a visit at a moment. */
static weft_status tensors_at(weft_propagation *p, const step *s, bool edge, uint32_t moment,
                              const weft_sharding **of) {
    uint32_t n = s->rule->tensor_count;
    for (uint32_t t = 0; t < n; t++)
        of[t] = s->slots[t] == WEFT_NO_SLOT ? NULL : weft_history_at(p, s->slots[t], moment);
    return edge ? weft_edge_view(p, s->op, of[n - 1], true, &of[n - 1]) : WEFT_OK;
}

static weft_status note_visit(weft_debug_info *d, weft_propagation *p, step *s, bool edge, const weft_change *c) {
    weft_arena *scratch = &p->cx->scratch;
    weft_mark mark = weft_arena_mark(scratch);
    uint32_t n = s->rule->tensor_count;
    const weft_sharding **before = weft_arena_array(scratch, const weft_sharding *, n);
    bool *changed = weft_arena_array(scratch, bool, n);
    weft_status st = before && changed ? tensors_at(p, s, edge, c->began, before) : weft_oom();
    const weft_mesh *mesh = st == WEFT_OK ? weft_common_mesh(before, n) : NULL;
    const weft_memo_key key = { s->rule, c->how, n, before };
    if (mesh) st = weft_project(p->cx, scratch, s->rule, mesh, before, WEFT_OPEN, &s->before);
    if (mesh && st == WEFT_OK) st = weft_visit_spread(p, &key, mesh, &s->after, changed);
    for (uint32_t t = 0; mesh && st == WEFT_OK && t < n; t++) st = note_tensor(d, s, t);
    d->step++;
    weft_arena_reset(scratch, mark);
    return st;
}

/* Between a result of @main and its returned value. Axes of both have the returned value's names, and all edges are at
 * the first result, as in Shardy. */
static weft_status note_return(weft_debug_info *d, weft_propagation *p, const weft_change *c) {
    const weft_value *v = weft_op_body(p->main, 0)->last->operands[c->result];
    const uint32_t slots[2] = { p->slot[v->id], weft_result_slot(p, c->result) }, named[2] = { slots[0], slots[0] };
    step s = { .op = p->main, .slots = slots, .named = named };
    weft_status st = weft_rule_identity(p->rules, v->type, 1, 1, &s.rule);
    return st == WEFT_OK ? note_visit(d, p, &s, false, c) : st;
}

weft_status weft_debug_replay(weft_debug_info *d, weft_propagation *p) {
    const weft_history *h = p->history;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < h->n; i++) {
        const weft_change *c = &h->v[i];
        /* the first change of a visit represents all */
        if (c->began != i || (c->cause != WEFT_CAUSE_OP && c->cause != WEFT_CAUSE_RETURN)) continue;
        if (c->cause == WEFT_CAUSE_RETURN) {
            st = note_return(d, p, c);
            continue;
        }
        const weft_op_state *state = &p->ops[c->op->id];
        const uint32_t *slots = p->tensors + state->first_tensor;
        step s = { .op = c->op, .rule = state->rule, .slots = slots, .named = slots };
        st = note_visit(d, p, &s, state->visit == WEFT_VISIT_EDGE, c);
    }
    return st;
}
