/* conflicts.c: axes that a neighbour had and a value did not get; see history.h. Looks at every op once, by factor, at
 * the final shardings. */
#include <stdlib.h>

#include "propagate/history.h"
#include "sharding/data_flow.h"

typedef struct finding {
    weft_propagation *p;
    weft_arena *arena;
    weft_conflict *v;
    size_t n, cap;
} finding;

/* The dimension of a tensor that contains a factor. */
static uint32_t dim_of(const weft_rule *r, uint32_t tensor, uint32_t factor) {
    for (uint32_t d = 0; d < r->tensors[tensor].rank; d++)
        for (uint32_t i = 0; i < r->tensors[tensor].dims[d].n; i++)
            if (r->factors[r->tensors[tensor].dims[d].first + i] == factor) return d;
    return 0;
}

/* The first of theirs that mine lacks. */
static bool first_missing(weft_axes mine, weft_axes theirs, uint32_t *at, weft_axis *out) {
    for (uint32_t i = 0; i < theirs.n; i++) {
        *at = i;
        *out = theirs.v[i];
        if (i >= mine.n) return true;
        if (weft_axis_equal(mine.v[i], theirs.v[i])) continue;
        if (!weft_axis_prefix_of(mine.v[i], theirs.v[i]))
            return !weft_axis_prefix_of(theirs.v[i], mine.v[i]) || i + 1 < theirs.n;
        *at = i + 1;
        return weft_axis_suffix_without(theirs.v[i], mine.v[i], out);
    }
    return false;
}

static bool among(weft_axes list, weft_axis a) {
    for (uint32_t i = 0; i < list.n; i++)
        if (weft_axis_overlaps(list.v[i], a)) return true;
    return false;
}

/* Finds the axis in another dimension of s. */
static bool elsewhere(const weft_sharding *s, weft_conflict *c) {
    for (uint32_t d = 0; s && d < s->rank; d++)
        for (uint32_t i = 0; d != c->wanted.dim && i < s->dims[d].axes.n; i++)
            if (weft_axis_overlap(s->dims[d].axes.v[i], c->wanted.axis, &c->winner.axis)) {
                c->winner.slot = c->wanted.slot;
                c->winner.dim = d;
                return true;
            }
    return false;
}

/* The moment at which the visit that brought an axis began; 0: it was written. */
static uint32_t arrival(const weft_propagation *p, weft_slot_axis of) {
    const weft_origin o = weft_history_origin(p, of, WEFT_NOW);
    return o.cause == WEFT_CAUSE_WRITTEN ? 0 : o.moment + 1;
}

/* Of several reasons one that always held, else the first. */
static weft_refusal refusal_of(const finding *f, const weft_projection *pr, uint32_t tensor, uint32_t factor,
                               uint32_t at, weft_conflict *c) {
    const weft_cells *cells = &pr->tensors[tensor];
    const weft_cell *cell = weft_cell_of(pr, tensor, factor);
    weft_axis kept;
    int64_t before = weft_axes_size(weft_axes_of(&cell->axes));
    if (weft_bits_has(pr->rule->blocked, factor)) return WEFT_REFUSED_BLOCKED;
    if (among(cells->replicated, c->wanted.axis)) return WEFT_REFUSED_REPLICATED;
    if (among(cells->unreduced, c->wanted.axis)) return WEFT_REFUSED_UNREDUCED;
    const bool is_elsewhere = elsewhere(f->p->of[c->wanted.slot], c);
    if (cell->closed) return is_elsewhere && !arrival(f->p, c->winner) ? WEFT_REFUSED_ELSEWHERE : WEFT_REFUSED_CLOSED;
    if (at < cell->axes.n) {
        const weft_slot_axis there = { c->wanted.slot, c->wanted.dim, cell->axes.v[at] };
        if (is_elsewhere && arrival(f->p, c->winner) <= arrival(f->p, there)) return WEFT_REFUSED_ELSEWHERE;
        c->winner = there;
        return WEFT_REFUSED_OTHER_AXES;
    }
    if (is_elsewhere) return WEFT_REFUSED_ELSEWHERE;
    if (!weft_spread_fits_cell(cells, cell, pr->rule->sizes[factor], before, c->wanted.axis, &kept))
        return WEFT_REFUSED_UNEVEN;
    return WEFT_REFUSED_NEIGHBOURS;
}

/* Another tensor of the op with other axes along the factor than `from`. */
static weft_slot_axis rival(const finding *f, const uint32_t *slots, const weft_projection *pr, uint32_t to,
                            uint32_t from, uint32_t factor) {
    weft_axes theirs = weft_axes_of(&weft_cell_of(pr, from, factor)->axes);
    for (uint32_t t = 0; t < pr->rule->tensor_count; t++) {
        const weft_cell *cell = weft_cell_of(pr, t, factor);
        uint32_t at;
        weft_axis axis;
        if (t == to || t == from || !cell || slots[t] == WEFT_NO_SLOT || slots[t] == slots[to] || !f->p->of[slots[t]])
            continue;
        weft_axes own = weft_axes_of(&cell->axes);
        if (first_missing(theirs, own, &at, &axis) && first_missing(own, theirs, &at, &axis) && at < own.n)
            return (weft_slot_axis){ slots[t], dim_of(pr->rule, t, factor), own.v[at] };
    }
    return (weft_slot_axis){ .slot = WEFT_NO_SLOT };
}

/* The first step of the ladder at which op propagates the factor from one tensor to another. */
static int first_rung(const weft_propagation *p, const weft_op_state *state, uint32_t from, uint32_t to,
                      uint32_t factor) {
    uint32_t operands = state->rule->operand_count;
    weft_direction way = from < operands && to >= operands   ? WEFT_FLOW_FORWARD
                         : from >= operands && to < operands ? WEFT_FLOW_BACKWARD
                                                             : WEFT_FLOW_BOTH;
    for (int ladder = 0; ladder < WEFT_LADDER_TOP; ladder++) {
        weft_direction pass, rest;
        weft_schedule(p, state, ladder, &pass, &rest);
        if ((weft_rule_is_pass(state->rule, factor) ? pass : rest) & way) return ladder;
    }
    return WEFT_LADDER_TOP;
}

static weft_status note(finding *f, const weft_op_state *state, const weft_projection *pr, uint32_t to, uint32_t from,
                        uint32_t factor) {
    const uint32_t *slots = f->p->tensors + state->first_tensor;
    const weft_cell *mine = weft_cell_of(pr, to, factor), *theirs = weft_cell_of(pr, from, factor);
    weft_conflict c = { .op = state->op, .wanted = { slots[to], dim_of(pr->rule, to, factor), { 0 } },
                        .by = { slots[from], dim_of(pr->rule, from, factor), { 0 } } };
    uint32_t at;
    if (!mine || !theirs || slots[to] == slots[from] ||
        !first_missing(weft_axes_of(&mine->axes), weft_axes_of(&theirs->axes), &at, &c.wanted.axis))
        return WEFT_OK;
    c.by.axis = c.wanted.axis;
    c.refusal = refusal_of(f, pr, to, factor, at, &c);
    if (c.refusal == WEFT_REFUSED_NEIGHBOURS) c.winner = rival(f, slots, pr, to, from, factor);
    c.ladder = first_rung(f->p, state, from, to, factor);
    if (!weft_arena_grow(f->arena, (void **)&f->v, &f->cap, f->n + 1, sizeof *f->v)) return weft_oom();
    f->v[f->n++] = c;
    return WEFT_OK;
}

/* Tensors over meshes of different devices: the axes that those without a sharding would get, one for each
 * dimension. */
static weft_status note_meshes(finding *f, const weft_op_state *state, const weft_sharding *const *now, uint32_t to,
                               uint32_t from) {
    const uint32_t *slots = f->p->tensors + state->first_tensor;
    const weft_rule *r = state->rule;
    uint32_t other = 0;
    while (other < r->tensor_count && (!now[other] || weft_mesh_is_empty(now[other]->mesh) ||
                                       weft_mesh_same_devices(now[other]->mesh, now[from]->mesh)))
        other++;
    for (uint32_t d = 0; other < r->tensor_count && d < now[from]->rank; d++) {
        const weft_rule_dim dim = r->tensors[from].dims[d];
        if (!now[from]->dims[d].axes.n || !dim.n || !weft_bits_has(r->tensors[to].factors, r->factors[dim.first]))
            continue;
        const weft_axis axis = now[from]->dims[d].axes.v[0];
        if (!weft_arena_grow(f->arena, (void **)&f->v, &f->cap, f->n + 1, sizeof *f->v)) return weft_oom();
        f->v[f->n++] = (weft_conflict){ .op = state->op,
                                        .wanted = { slots[to], dim_of(r, to, r->factors[dim.first]), axis },
                                        .by = { slots[from], d, axis }, .refusal = WEFT_REFUSED_MESHES,
                                        .winner = { .slot = slots[other] } };
    }
    return WEFT_OK;
}

static weft_status look_at(finding *f, const weft_op_state *state) {
    weft_arena *scratch = &f->p->cx->scratch;
    const weft_rule *r = state->rule;
    const uint32_t *slots = f->p->tensors + state->first_tensor;
    weft_mark mark = weft_arena_mark(scratch);
    const weft_sharding **now = weft_arena_array(scratch, const weft_sharding *, r->tensor_count + 1);
    weft_projection pr;
    weft_status st = now ? WEFT_OK : weft_oom();
    for (uint32_t t = 0; now && t < r->tensor_count; t++) now[t] = slots[t] == WEFT_NO_SLOT ? NULL : f->p->of[slots[t]];
    const weft_mesh *mesh = now ? weft_common_mesh(now, r->tensor_count) : NULL;
    for (uint32_t to = 0; now && !mesh && to < r->tensor_count; to++)
        for (uint32_t from = 0; slots[to] != WEFT_NO_SLOT && !now[to] && st == WEFT_OK && from < r->tensor_count;
             from++)
            if (now[from]) st = note_meshes(f, state, now, to, from);
    if (mesh && !weft_mesh_is_maximal(mesh) && !weft_mesh_is_empty(mesh)) {
        st = weft_project(f->p->cx, scratch, r, mesh, now, WEFT_OPEN, &pr);
        for (uint32_t to = 0; to < r->tensor_count; to++)
            for (uint32_t from = 0; slots[to] != WEFT_NO_SLOT && from < r->tensor_count; from++)
                for (uint32_t factor = 0; st == WEFT_OK && slots[from] != WEFT_NO_SLOT && factor < r->factor_count;
                     factor++)
                    st = note(f, state, &pr, to, from, factor);
    }
    weft_arena_reset(scratch, mark);
    return st;
}

/* Edges of manual computations have other axes inside than outside. */
static bool is_looked_at(const weft_op_state *state) {
    if (state->visit != WEFT_VISIT_EDGE) return state->visit != WEFT_VISIT_FUNC_EDGE;
    const weft_op *flow = weft_flow_op(state->op->operands[0]);
    return flow && flow->kind != WEFT_OP_sdy_manual_computation;
}

static int compare_places(const weft_slot_axis *a, const weft_slot_axis *b) {
    if (a->slot != b->slot) return a->slot < b->slot ? -1 : 1;
    if (a->dim != b->dim) return a->dim < b->dim ? -1 : 1;
    return weft_axis_compare(a->axis, b->axis);
}

static int compare(const void *pa, const void *pb) {
    const weft_conflict *a = pa, *b = pb;
    int c = compare_places(&a->wanted, &b->wanted);
    if (!c && a->op->id != b->op->id) c = a->op->id < b->op->id ? -1 : 1;
    return c ? c : compare_places(&a->by, &b->by);
}

weft_status weft_history_conflicts(weft_propagation *p, weft_arena *arena, weft_conflict **out, size_t *count) {
    finding f = { .p = p, .arena = arena };
    weft_status st = WEFT_OK;
    size_t kept = 0;
    for (uint32_t i = 0; st == WEFT_OK && i < p->work.order_count; i++) {
        const weft_op_state *state = &p->ops[p->work.order[i]];
        if (!state->dead && state->rule && is_looked_at(state)) st = look_at(&f, state);
    }
    if (f.n) qsort(f.v, f.n, sizeof *f.v, compare);
    for (size_t i = 0; i < f.n; i++)
        if (!kept || compare_places(&f.v[kept - 1].wanted, &f.v[i].wanted)) f.v[kept++] = f.v[i];
    *out = f.v;
    *count = kept;
    return st;
}
