/* worth.c: see worth.h. */
#include "partitioner/plan/worth.h"

#include <math.h>

#define MOST_PLACEMENTS 8 /* of one value; more are not told apart */

/* An op as the first plan met it. */
typedef struct asked {
    const weft_op *op;
    const weft_rule *rule;
    weft_choice_operand *operands;
    const weft_placement_id *declared;
    weft_atoms barred;
    const weft_value *const *values;         /* not NULL: operands are in wants */
    const weft_placement_id *wants;
    uint32_t n;
} asked;

struct weft_worth {
    weft_context *cx;
    weft_placements *t;
    weft_planner *planner;
    weft_arena *arena;
    asked *ops;
    size_t count, cap;
    weft_wishes *of;                         /* by the id of the value */
    uint32_t value_count;
};

weft_status weft_worth_open(weft_placements *t, weft_planner *planner, const weft_module *m, weft_arena *arena,
                            weft_worth **out) {
    weft_worth *w = weft_arena_new(arena, weft_worth);
    if (!w) return weft_oom();
    *w = (weft_worth){ .cx = m->cx, .t = t, .planner = planner, .arena = arena,
                       .of = weft_arena_array(arena, weft_wishes, m->value_count), .value_count = m->value_count };
    *out = w;
    return w->of ? WEFT_OK : weft_oom();
}

static const weft_wishes *wishes_of(const weft_worth *w, const weft_value *v) {
    return w->of[v->id].n ? &w->of[v->id] : NULL;
}

/* --- what plans tell ---------------------------------------------------------------------------------------------- */

static weft_status add_place(weft_worth *w, const weft_value *v, weft_placement_id at, bool born) {
    weft_wishes *x = &w->of[v->id];
    for (uint32_t i = 0; i < x->n; i++)
        if (x->v[i].at == at) return WEFT_OK;
    if (x->n == MOST_PLACEMENTS) return WEFT_OK;
    if (!(x->n & (x->n - 1))) {
        weft_wish *longer = weft_arena_array(w->arena, weft_wish, x->n ? 2 * x->n : 1);
        if (!longer) return weft_oom();
        if (x->n) memcpy(longer, x->v, x->n * sizeof *longer);
        x->v = longer;
    }
    x->v[x->n++] = (weft_wish){ .at = at, .born = born, .making = born ? 0 : -1 };
    return WEFT_OK;
}

weft_status weft_worth_note(weft_worth *w, const weft_value *v, weft_placement_id at) {
    return add_place(w, v, at, true);
}

void weft_worth_ask_again(weft_worth *w) { w->count = 0; }

static asked *add_asked(weft_worth *w, const weft_op *op, uint32_t n) {
    if (w->count == w->cap && !weft_arena_grow(w->arena, (void **)&w->ops, &w->cap, w->count + 1, sizeof *w->ops))
        return NULL;
    asked *a = &w->ops[w->count++];
    *a = (asked){ .op = op, .n = n };
    return a;
}

weft_status weft_worth_note_shared(weft_worth *w, const weft_choice_request *r) {
    const uint32_t n = r->op->operand_count;
    asked *a = add_asked(w, r->op, n);
    weft_choice_operand *operands = a ? weft_arena_array(w->arena, weft_choice_operand, n) : NULL;
    weft_placement_id *declared = a ? weft_arena_array(w->arena, weft_placement_id, r->op->result_count) : NULL;
    if (!operands || !declared) return weft_oom();
    memcpy(operands, r->operands, n * sizeof *operands);
    for (uint32_t i = 0; i < n; i++)
        if (r->operands[i].source &&
            !(operands[i].source =
                  weft_arena_dup(w->arena, r->operands[i].source, sizeof *operands, _Alignof(weft_choice_operand))))
            return weft_oom();
    memcpy(declared, r->declared, r->op->result_count * sizeof *declared);
    a->rule = r->rule;
    a->operands = operands;
    a->declared = declared;
    a->barred = r->barred;
    return WEFT_OK;
}

weft_status weft_worth_note_fixed(weft_worth *w, const weft_op *op, const weft_value *const *values,
                                  const weft_placement_id *wants, uint32_t n) {
    asked *a = add_asked(w, op, n);
    const weft_value **copy = a ? weft_arena_array(w->arena, const weft_value *, n) : NULL;
    weft_placement_id *ids = a ? weft_arena_array(w->arena, weft_placement_id, n) : NULL;
    if (!copy || !ids) return weft_oom();
    memcpy(copy, values, n * sizeof *copy);
    memcpy(ids, wants, n * sizeof *ids);
    a->values = copy;
    a->wants = ids;
    return WEFT_OK;
}

/* --- forwards ----------------------------------------------------------------------------------------------------- */

/* Where o is made, and what that costs. */
static weft_status describe_places(weft_worth *w, weft_choice_operand *o) {
    const weft_wishes *x = &w->of[o->value->id];
    weft_placement_id *have = weft_arena_take(&w->cx->scratch, x->n * sizeof *have, _Alignof(weft_placement_id));
    double *making = weft_arena_take(&w->cx->scratch, x->n * sizeof *making, _Alignof(double));
    uint32_t n = 0;
    bool costs = false;
    if (!have || !making) return weft_oom();
    for (uint32_t k = 0; k < x->n; k++) {
        if (x->v[k].making < 0) continue;
        costs = costs || x->v[k].making > 0;
        making[n] = x->v[k].making;
        have[n++] = x->v[k].at;
    }
    o->have = have;
    o->making = costs ? making : NULL;
    o->have_count = n;
    return WEFT_OK;
}

static weft_status describe_made(weft_worth *w, const asked *a) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < a->n; i++) {
        st = describe_places(w, &a->operands[i]);
        if (st == WEFT_OK && a->operands[i].source) st = describe_places(w, a->operands[i].source);
    }
    return st;
}

/* What it costs an op of one result to have it in each of its places, from operands of which that is known. */
static weft_status price_making(weft_worth *w, weft_chooser *c, const asked *a) {
    weft_wishes *x = a->rule && a->op->result_count == 1 ? &w->of[a->op->results[0].id] : NULL;
    double least = INFINITY;
    weft_choice choice = { .operands = weft_scratch_array(w->cx, weft_placement_id, a->n),
                           .results = weft_scratch_array(w->cx, weft_placement_id, 1) };
    if (!x || x->n < 2 || weft_placement_of(w->t, a->declared[0])->unreduced) return WEFT_OK;
    weft_status st = choice.operands && choice.results ? describe_made(w, a) : weft_oom();
    for (uint32_t p = 0; st == WEFT_OK && p < x->n; p++) {
        weft_wish only = { .at = x->v[p].at, .offered = true };
        const weft_wishes there = { &only, 1 }, *wishes = &there;
        weft_choice_request r = { .op = a->op, .rule = a->rule, .operands = a->operands, .declared = a->declared,
                                  .barred = a->barred, .wishes = &wishes };
        if (weft_placement_of(w->t, only.at)->unreduced) continue; /* not every operand can lead there */
        st = weft_choose_factors(c, &r, &choice);
        x->v[p].making = choice.cost;
        if (choice.cost < least) least = choice.cost;
    }
    for (uint32_t p = 0; st == WEFT_OK && p < x->n; p++)
        if (!weft_placement_of(w->t, x->v[p].at)->unreduced) x->v[p].making -= least;
    return st;
}

/* --- backwards ---------------------------------------------------------------------------------------------------- */

/* What readers want most, and what costs least with the making: where readers want the whole value, making that may
 * cost more than they save. */
static void offer(weft_wishes *x) {
    uint32_t best = 0;
    double least = INFINITY;
    for (uint32_t i = 0; i < x->n; i++) {
        x->v[i].offered = x->v[i].cost == 0;
        if (x->v[i].making < 0 || x->v[i].cost + x->v[i].making >= least) continue;
        least = x->v[i].cost + x->v[i].making;
        best = i;
    }
    if (x->n) x->v[best].offered = true;
}

/* Costs relative to the best placement's, and none more than to move to a better one. All readers have been seen. */
static weft_status settle(weft_worth *w, const weft_value *v) {
    weft_wishes *x = &w->of[v->id];
    double cost[MOST_PLACEMENTS], least = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        cost[i] = x->v[i].cost;
        for (uint32_t k = 0; k < x->n && x->n > 1; k++) {
            const weft_reshard_plan *plan = NULL;
            weft_status st =
                k == i ? WEFT_OK : weft_reshard_plan_find(w->planner, x->v[i].at, x->v[k].at, v->type, &plan);
            if (st != WEFT_OK) return st;
            if (plan && x->v[k].cost + plan->price < cost[i]) cost[i] = x->v[k].cost + plan->price;
        }
        if (i == 0 || cost[i] < least) least = cost[i];
    }
    for (uint32_t i = 0; i < x->n; i++) x->v[i].cost = cost[i] - least;
    offer(x);
    return WEFT_OK;
}

/* Adds what op costs with value in each of its placements; all operands that are this value are `have`, one placement
 * at a time. */
static weft_status weigh_operand(weft_worth *w, weft_chooser *c, const asked *a, const weft_value *value,
                                 const weft_choice_request *r, weft_choice *choice) {
    weft_wishes *x = &w->of[value->id];
    double cost[MOST_PLACEMENTS], least = 0;
    weft_choice_operand *operands = a->operands;
    weft_status st = WEFT_OK;
    for (uint32_t p = 0; st == WEFT_OK && p < x->n; p++) {
        for (uint32_t i = 0; i < a->n; i++)
            if (operands[i].value == value)
                operands[i].have = &x->v[p].at, operands[i].have_count = 1, operands[i].making = NULL;
        st = weft_choose_factors(c, r, choice);
        cost[p] = choice->cost;
        if (p == 0 || cost[p] < least) least = cost[p];
    }
    for (uint32_t p = 0; st == WEFT_OK && p < x->n; p++) x->v[p].cost += cost[p] - least;
    return st;
}

/* Adds what it costs operand i of an op that passes it on to be in each of its placements. */
static weft_status weigh_passed(weft_worth *w, weft_chooser *c, const asked *a, const weft_choice_request *r,
                                uint32_t i) {
    weft_wishes *x = &w->of[a->operands[i].value->id];
    weft_status st = WEFT_OK;
    for (uint32_t p = 0; st == WEFT_OK && p < x->n; p++) {
        weft_placement_id at;
        double cost = 0;
        a->operands[i].have = &x->v[p].at, a->operands[i].have_count = 1, a->operands[i].making = NULL;
        st = weft_choose_passing(c, r, i, &at, &cost);
        x->v[p].cost += cost;
    }
    return st;
}

/* Not every operand can lead to a partial sum. */
static bool is_open(const weft_worth *w, const asked *a) {
    for (uint32_t i = 0; i < a->op->result_count; i++)
        if (weft_placement_of(w->t, a->declared[i])->unreduced) return false;
    return true;
}

/* The op's operands may as well be born where its choice has them. */
static weft_status note_chosen(weft_worth *w, weft_chooser *c, const asked *a, const weft_choice_request *r,
                               weft_choice *choice) {
    weft_status st = a->rule ? weft_choose_factors(c, r, choice) : WEFT_OK;
    for (uint32_t i = 0; i < a->n && st == WEFT_OK; i++) {
        double cost;
        const weft_value *v = a->operands[i].value;
        if (!a->rule) st = weft_choose_passing(c, r, i, &choice->operands[i], &cost);
        if (st == WEFT_OK && v->def && !weft_placement_of(w->t, choice->operands[i])->unreduced)
            st = add_place(w, v, choice->operands[i], false);
    }
    return st;
}

/* Where the op would have its operands, now that it is known where its results are wanted: brought there from where
 * they are made, and if they cost nothing anywhere. */
static weft_status note_wanted(weft_worth *w, weft_chooser *c, const asked *a, const weft_choice_request *r,
                               weft_choice *choice) {
    weft_status st = describe_made(w, a);
    bool *was = weft_scratch_array(w->cx, bool, a->n);
    if (!was) return weft_oom();
    if (st == WEFT_OK && a->rule) st = note_chosen(w, c, a, r, choice);
    for (uint32_t i = 0; i < a->n; i++) {
        was[i] = a->operands[i].free;
        a->operands[i].free = was[i] || a->operands[i].value->def;
    }
    if (st == WEFT_OK) st = note_chosen(w, c, a, r, choice);
    for (uint32_t i = 0; i < a->n; i++) a->operands[i].free = was[i];
    return st;
}

static weft_status weigh_shared(weft_worth *w, weft_chooser *c, const asked *a) {
    weft_status st = WEFT_OK;
    const weft_wishes **wishes = weft_scratch_array(w->cx, const weft_wishes *, a->op->result_count);
    weft_choice choice = { .operands = weft_scratch_array(w->cx, weft_placement_id, a->n),
                           .results = weft_scratch_array(w->cx, weft_placement_id, a->op->result_count) };
    if (!wishes || !choice.operands || !choice.results) return weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < a->op->result_count; i++) {
        st = settle(w, &a->op->results[i]);
        wishes[i] = wishes_of(w, &a->op->results[i]);
    }
    if (st != WEFT_OK || !is_open(w, a)) return st;
    weft_choice_request r = { .op = a->op, .rule = a->rule, .operands = a->operands, .declared = a->declared,
                              .barred = a->barred, .wishes = wishes };
    st = note_wanted(w, c, a, &r, &choice);
    for (uint32_t i = 0; st == WEFT_OK && !a->rule && i < a->n; i++) st = weigh_passed(w, c, a, &r, i);
    for (uint32_t i = 0; st == WEFT_OK && a->rule && i < a->n; i++) {
        bool seen = w->of[a->operands[i].value->id].n < 2;
        for (uint32_t k = 0; k < i && !seen; k++) seen = a->operands[k].value == a->operands[i].value;
        if (seen) continue;
        st = describe_made(w, a);
        if (st == WEFT_OK) st = weigh_operand(w, c, a, a->operands[i].value, &r, &choice);
    }
    return st;
}

/* Values may as well be born where the op wants them. */
static weft_status weigh_fixed(weft_worth *w, const asked *a) {
    for (uint32_t i = 0; i < a->n; i++) {
        weft_wishes *x = &w->of[a->values[i]->id];
        if (a->values[i]->def && !weft_placement_of(w->t, a->wants[i])->unreduced) {
            weft_status st = add_place(w, a->values[i], a->wants[i], false);
            if (st != WEFT_OK) return st;
        }
        for (uint32_t p = 0; p < x->n && x->n > 1; p++) {
            const weft_reshard_plan *plan = NULL;
            weft_status st = weft_reshard_plan_find(w->planner, x->v[p].at, a->wants[i], a->values[i]->type, &plan);
            if (st != WEFT_OK) return st;
            if (plan) x->v[p].cost += plan->price;
        }
    }
    return WEFT_OK;
}

static weft_status copy_wishes(const weft_worth *w, const weft_wishes **out) {
    weft_wishes *all = weft_arena_array(w->arena, weft_wishes, w->value_count);
    if (!all) return weft_oom();
    for (uint32_t i = 0; i < w->value_count; i++) {
        const weft_wishes *x = &w->of[i];
        if (x->n && !(all[i].v = weft_arena_array(w->arena, weft_wish, x->n))) return weft_oom();
        if (x->n) memcpy(all[i].v, x->v, x->n * sizeof *x->v);
        all[i].n = x->n;
    }
    *out = all;
    return WEFT_OK;
}

weft_status weft_worth_weigh(weft_worth *w, weft_chooser *c, const weft_wishes **out) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < w->value_count; i++)
        for (uint32_t p = 0; p < w->of[i].n; p++) w->of[i].v[p].cost = 0;
    for (size_t k = 0; st == WEFT_OK && k < w->count; k++) {
        weft_mark mark = weft_arena_mark(&w->cx->scratch);
        st = price_making(w, c, &w->ops[k]);
        weft_arena_reset(&w->cx->scratch, mark);
    }
    for (size_t k = w->count; st == WEFT_OK && k-- > 0;) {
        weft_mark mark = weft_arena_mark(&w->cx->scratch);
        st = w->ops[k].values ? weigh_fixed(w, &w->ops[k]) : weigh_shared(w, c, &w->ops[k]);
        weft_arena_reset(&w->cx->scratch, mark);
    }
    return st == WEFT_OK ? copy_wishes(w, out) : st;
}
