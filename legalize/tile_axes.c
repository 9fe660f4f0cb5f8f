/* tile_axes.c: the axes of a group: dimensions that its ops walk through together. */
#include "legalize/tile.h"

static uint32_t find(const lt_group *g, uint32_t a) {
    while (g->axes[a].parent != a) a = g->axes[a].parent = g->axes[g->axes[a].parent].parent;
    return a;
}

uint32_t lt_result_axis(const lt_tiler *t, const lt_group *g, const weft_value *v, uint32_t d) {
    return find(g, t->first_axis[v->id] + d);
}

uint32_t lt_operand_axis(const lt_tiler *t, const lt_group *g, const weft_op *op, uint32_t i, uint32_t d) {
    return find(g, g->first[t->at[op->id]][i] + d);
}

/* ---- ops ---- */

typedef struct walk { lt_tiler *t; lt_group *g; const weft_op *op; bool agree; } walk;

static void same(walk *w, uint32_t a, uint32_t b) {
    w->agree = w->agree && w->g->axes[a].size == w->g->axes[b].size;
    w->g->axes[a].parent = b;
}

static uint32_t in(const walk *w, uint32_t i, uint32_t d) { return lt_operand_axis(w->t, w->g, w->op, i, d); }
static uint32_t out(const walk *w, uint32_t d) { return lt_result_axis(w->t, w->g, &w->op->results[0], d); }

static void dot(walk *w) {
    const weft_dot_dims *d = &weft_op_attr(w->op, WEFT_A_dot_dimension_numbers)->dot;
    const weft_ints batch[2] = { d->lhs_batch, d->rhs_batch }, contract[2] = { d->lhs_contract, d->rhs_contract };
    uint32_t at = 0;
    for (uint32_t i = 0; i < d->lhs_batch.n; i++, at++)
        for (uint32_t k = 0; k < 2; k++) same(w, in(w, k, (uint32_t)batch[k].v[i]), out(w, at));
    for (uint32_t i = 0; i < d->lhs_contract.n; i++)
        same(w, in(w, 0, (uint32_t)contract[0].v[i]), in(w, 1, (uint32_t)contract[1].v[i]));
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t i = 0; i < w->op->operands[k]->type->rank; i++)
            if (!weft_ints_has(batch[k], i) && !weft_ints_has(contract[k], i)) same(w, in(w, k, i), out(w, at++));
}

static void reduce(walk *w) {
    const weft_ints dims = weft_op_ints(w->op, WEFT_A_dimensions);
    for (uint32_t d = 0, at = 0; d < w->op->operands[0]->type->rank; d++)
        if (!weft_ints_has(dims, d)) same(w, in(w, 0, d), out(w, at++));
}

/* Dimensions of one element come and go; the others are the same ones (lt_fits). */
static void reshape(walk *w) {
    const weft_type *from = w->op->operands[0]->type, *to = w->op->results[0].type;
    for (uint32_t d = 0, at = 0; d < from->rank; d++) {
        if (from->dims[d] == 1) continue;
        while (to->dims[at] == 1) at++;
        same(w, in(w, 0, d), out(w, at++));
    }
}

static void broadcast(walk *w) {
    const weft_ints to = weft_op_ints(w->op, WEFT_A_broadcast_dimensions);
    for (uint32_t d = 0; d < to.n; d++)
        if (w->op->operands[0]->type->dims[d] == w->op->results[0].type->dims[to.v[d]])
            same(w, in(w, 0, d), out(w, (uint32_t)to.v[d]));
}

static void follow(walk *w) {
    const weft_op *op = w->op;
    switch ((weft_op_kind)op->kind) {
    case WEFT_OP_constant:
    case WEFT_OP_iota: break;
    case WEFT_OP_dot_general: dot(w); break;
    case WEFT_OP_reduce: reduce(w); break;
    case WEFT_OP_reshape: reshape(w); break;
    case WEFT_OP_broadcast_in_dim: broadcast(w); break;
    case WEFT_OP_transpose: {
        const weft_ints from = weft_op_ints(op, WEFT_A_permutation);
        for (uint32_t d = 0; d < from.n; d++) same(w, in(w, 0, (uint32_t)from.v[d]), out(w, d));
        break;
    }
    default:
        for (uint32_t i = 0; i < op->operand_count; i++)
            for (uint32_t d = 0; d < op->operands[i]->type->rank; d++) same(w, in(w, i, d), out(w, d));
    }
}

void lt_each_reduced(const lt_tiler *t, const lt_group *g, const weft_op *op, lt_axis_fn f, void *user) {
    const bool is_dot = op->kind == WEFT_OP_dot_general;
    if (!is_dot && op->kind != WEFT_OP_reduce) return;
    const weft_ints dims = is_dot ? weft_op_attr(op, WEFT_A_dot_dimension_numbers)->dot.lhs_contract
                                  : weft_op_ints(op, WEFT_A_dimensions);
    for (uint32_t i = 0; i < dims.n; i++) f(user, lt_operand_axis(t, g, op, 0, (uint32_t)dims.v[i]));
}

/* ---- all of them ---- */

static uint32_t number(lt_group *g, const weft_value *v) {
    const uint32_t first = g->axis_count;
    for (uint32_t d = 0; d < v->type->rank; d++, g->axis_count++)
        g->axes[g->axis_count] = (lt_axis){ .parent = g->axis_count, .size = v->type->dims[d] };
    return first;
}

static weft_status number_all(lt_tiler *t, lt_group *g) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->op_count; i++) n += g->ops[i]->results[0].type->rank;
    for (uint32_t i = 0; i < g->in_count; i++) n += g->in[i].op->operands[g->in[i].operand]->type->rank;
    g->axes = weft_arena_array(t->arena, lt_axis, n);
    g->first = weft_arena_array(t->arena, uint32_t *, g->op_count);
    if (!g->axes || !g->first) return weft_oom();
    for (uint32_t i = 0; i < g->op_count; i++) {
        const weft_op *op = g->ops[i];
        g->first[i] = weft_arena_array(t->arena, uint32_t, op->operand_count + 1);
        if (!g->first[i]) return weft_oom();
        for (uint32_t k = 0; k < op->operand_count; k++)
            g->first[i][k] = lt_makes(t, g, op->operands[k]) ? t->first_axis[op->operands[k]->id]
                                                             : number(g, op->operands[k]);
        t->first_axis[op->results[0].id] = g->first[i][op->operand_count] = number(g, &op->results[0]);
    }
    return WEFT_OK;
}

void lt_enter(lt_tiler *t, const lt_group *g) {
    for (uint32_t i = 0; i < g->op_count; i++) {
        const weft_op *op = g->ops[i];
        t->holder[op->id] = g->id;
        t->at[op->id] = i;
        t->first_axis[op->results[0].id] = g->first[i][op->operand_count];
    }
}

typedef struct reducer { lt_group *g; bool last; } reducer;

static void note_reduced(void *user, uint32_t axis) {
    const reducer *r = user;
    if (r->last) r->g->axes[axis].summed = true;
    else r->g->axes[axis].folded = true;
}

/* A sum is the last op that has its terms if no op of the group reads it. */
static void note_reductions(lt_tiler *t, lt_group *g) {
    for (uint32_t i = 0; i < g->op_count; i++) {
        const weft_value *to = &g->ops[i]->results[0];
        reducer r = { g, g->ops[i]->kind == WEFT_OP_dot_general || lt_adds_up(g->ops[i]) };
        for (uint32_t u = t->uses.start[to->id]; u < t->uses.start[to->id + 1] && r.last; u++)
            r.last = t->holder[t->uses.use[u].op->id] != g->id;
        lt_each_reduced(t, g, g->ops[i], note_reduced, &r);
    }
}

weft_status lt_axes_find(lt_tiler *t, lt_group *g, bool *agree) {
    walk w = { .t = t, .g = g, .agree = true };
    const weft_status st = number_all(t, g);
    if (st != WEFT_OK) return st;
    for (uint32_t i = 0; i < g->op_count && w.agree; i++) w.op = g->ops[i], follow(&w);
    if (w.agree) note_reductions(t, g);
    *agree = w.agree;
    return WEFT_OK;
}
