/* tile_axes.c: the axes of a nest: dimensions that its ops walk through together. */
#include "legalize/tile.h"

static uint32_t find(const lt_nest *nest, uint32_t a) {
    while (nest->axes[a].parent != a) a = nest->axes[a].parent = nest->axes[nest->axes[a].parent].parent;
    return a;
}

uint32_t lt_result_axis(const lt_tiler *t, const lt_nest *nest, const weft_value *v, uint32_t d) {
    return find(nest, t->first_axis[v->id] + d);
}

uint32_t lt_operand_axis(const lt_tiler *t, const lt_nest *nest, const weft_op *op, uint32_t i, uint32_t d) {
    return find(nest, nest->first[t->at[op->id]][i] + d);
}

/* ---- ops ---- */

typedef struct walk { lt_tiler *t; lt_nest *nest; const weft_op *op; bool agree; } walk;

static void same(walk *w, uint32_t a, uint32_t b) {
    w->agree = w->agree && w->nest->axes[a].size == w->nest->axes[b].size;
    w->nest->axes[a].parent = b;
}

static uint32_t in(const walk *w, uint32_t i, uint32_t d) { return lt_operand_axis(w->t, w->nest, w->op, i, d); }
static uint32_t out(const walk *w, uint32_t d) { return lt_result_axis(w->t, w->nest, &w->op->results[0], d); }

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

void lt_each_reduced(const lt_tiler *t, const lt_nest *nest, const weft_op *op, lt_axis_fn f, void *user) {
    const bool is_dot = op->kind == WEFT_OP_dot_general;
    if (!is_dot && op->kind != WEFT_OP_reduce) return;
    const weft_ints dims = is_dot ? weft_op_attr(op, WEFT_A_dot_dimension_numbers)->dot.lhs_contract
                                  : weft_op_ints(op, WEFT_A_dimensions);
    for (uint32_t i = 0; i < dims.n; i++) f(user, lt_operand_axis(t, nest, op, 0, (uint32_t)dims.v[i]));
}

/* ---- all of them ---- */

static uint32_t number(lt_nest *nest, const weft_value *v) {
    const uint32_t first = nest->axis_count;
    for (uint32_t d = 0; d < v->type->rank; d++, nest->axis_count++)
        nest->axes[nest->axis_count] = (lt_axis){ .parent = nest->axis_count, .size = v->type->dims[d] };
    return first;
}

static weft_status number_all(lt_tiler *t, lt_nest *nest) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < nest->op_count; i++) n += nest->ops[i]->results[0].type->rank;
    for (uint32_t i = 0; i < nest->in_count; i++) n += nest->in[i].op->operands[nest->in[i].operand]->type->rank;
    nest->axes = weft_arena_array(t->arena, lt_axis, n);
    nest->first = weft_arena_array(t->arena, uint32_t *, nest->op_count);
    if (!nest->axes || !nest->first) return weft_oom();
    for (uint32_t i = 0; i < nest->op_count; i++) {
        const weft_op *op = nest->ops[i];
        nest->first[i] = weft_arena_array(t->arena, uint32_t, op->operand_count + 1);
        if (!nest->first[i]) return weft_oom();
        for (uint32_t k = 0; k < op->operand_count; k++)
            nest->first[i][k] = lt_makes(t, nest, op->operands[k]) ? t->first_axis[op->operands[k]->id]
                                                             : number(nest, op->operands[k]);
        t->first_axis[op->results[0].id] = nest->first[i][op->operand_count] = number(nest, &op->results[0]);
    }
    return WEFT_OK;
}

void lt_enter(lt_tiler *t, const lt_nest *nest) {
    for (uint32_t i = 0; i < nest->op_count; i++) {
        const weft_op *op = nest->ops[i];
        t->holder[op->id] = nest->id;
        t->at[op->id] = i;
        t->first_axis[op->results[0].id] = nest->first[i][op->operand_count];
    }
}

typedef struct reducer { lt_nest *nest; bool last; } reducer;

static void note_reduced(void *user, uint32_t axis) {
    const reducer *r = user;
    if (r->last) r->nest->axes[axis].summed = true;
    else r->nest->axes[axis].folded = true;
}

/* A sum is the last op that has its terms if no op of the nest reads it. */
static void note_reductions(lt_tiler *t, lt_nest *nest) {
    for (uint32_t i = 0; i < nest->op_count; i++) {
        const weft_value *to = &nest->ops[i]->results[0];
        reducer r = { nest, nest->ops[i]->kind == WEFT_OP_dot_general || lt_adds_up(nest->ops[i]) };
        for (uint32_t u = t->uses.start[to->id]; u < t->uses.start[to->id + 1] && r.last; u++)
            r.last = t->holder[t->uses.use[u].op->id] != nest->id;
        lt_each_reduced(t, nest, nest->ops[i], note_reduced, &r);
    }
}

weft_status lt_axes_find(lt_tiler *t, lt_nest *nest, bool *agree) {
    walk w = { .t = t, .nest = nest, .agree = true };
    const weft_status st = number_all(t, nest);
    if (st != WEFT_OK) return st;
    for (uint32_t i = 0; i < nest->op_count && w.agree; i++) w.op = nest->ops[i], follow(&w);
    if (w.agree) note_reductions(t, nest);
    *agree = w.agree;
    return WEFT_OK;
}
