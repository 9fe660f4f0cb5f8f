/* plan_search: the cheapest of a few plans; part of pass weft-insert-reshards (inserter.h).
 *
 * Choices are made op by op, so how far propagation's wishes should count cannot be known: a few answers are tried,
 * with loops that carry what they write where propagation has it, and where each answer leaves it. What they leave
 * where is then weighed (worth.h), and planned by. The last guess is for that: it leaves results where operands are,
 * wherever products may have them.
 */
#include "partitioner/plan/inserter.h"

typedef struct guess { double trust; bool wide; } guess;
static const guess guesses[] = {
    { .trust = 1 }, { .trust = 0.25 }, { .trust = 0.01 }, { .trust = WEFT_LEAST_TRUST, .wide = true }
};
#define ROUNDS 2 /* the second knows where the first has put things; a third finds nothing more */
static const guess by_readers = { .trust = WEFT_LEAST_TRUST, .wide = true };

static weft_status plan_by(weft_inserter *s, const guess *g, const weft_wishes *wishes) {
    weft_chooser_set_trust(s->chooser, s->trust = g->trust);
    weft_chooser_set_wide(s->chooser, g->wide);
    s->wishes = wishes;
    return weft_inserter_insert(s);
}

typedef struct plan_cost { double total, sent, calls; } plan_cost;

typedef struct best_plan {
    const guess *by;
    const weft_wishes *wishes;
    const weft_placement_id *carried;
    bool spreading;
    weft_plan_notes notes;
    plan_cost cost;
    plan_cost trusting;            /* of the best of those that trust propagation */
} best_plan;

/* A plan that departs from what propagation laid down and makes more calls for it is not what its reader expects; it
 * has to save this much of the traffic, so that tensor parallel layers stay four sums each where that is about as
 * cheap. With no more calls, any saving will do. */
#define WORTH_DEPARTING 0.25

static double count_calls(const weft_plan_notes *n) {
    double calls = 0;
    for (size_t i = 0; i < n->moved_count; i++)
        if (n->moved[i].used && n->moved[i].wire_bytes > 0) calls += n->moved[i].turns;
    return calls;
}

/* One more plan; kept when it costs less than the best, and by enough where it departs from the best of those that do
 * not. The first wins ties. */
static weft_status judge_guess(weft_inserter *s, const guess *g, const weft_wishes *wishes, best_plan *best) {
    weft_status st = plan_by(s, g, wishes);
    const plan_cost cost = { s->total, s->total - s->work, count_calls(&s->notes) };
    if (st != WEFT_OK) return st;
    if (!g->wide && (!best->by || cost.total < best->trusting.total)) best->trusting = cost;
    const bool enough =
        !g->wide || cost.calls <= best->trusting.calls || cost.sent <= (1 - WORTH_DEPARTING) * best->trusting.sent;
    if (!best->by || (cost.total < best->cost.total && enough))
        *best = (best_plan){ g, wishes, s->carried, s->spreading, s->notes, cost, best->trusting };
    return st;
}

static weft_status write_plan(weft_inserter *s, const best_plan *best, weft_module **out) {
    s->out = weft_module_new(s->cx);
    s->carried = best->carried;
    s->spreading = best->spreading;
    weft_status st = s->out ? plan_by(s, best->by, best->wishes) : weft_oom();
    if (st == WEFT_OK) *out = s->out;
    else weft_module_free(s->out);
    s->out = NULL;
    return st;
}

/* Where loops leave what they write, if that is elsewhere than where they are declared to carry it; or NULL. */
static weft_status take_left(weft_inserter *s, const weft_placement_id **out) {
    weft_placement_id *copy = NULL;
    for (uint32_t i = 0; !copy && i < s->in->value_count; i++)
        if (s->left[i] && !(copy = weft_arena_array(&s->arena, weft_placement_id, s->in->value_count)))
            return weft_oom();
    if (copy) memcpy(copy, s->left, s->in->value_count * sizeof *copy);
    *out = copy;
    return WEFT_OK;
}

/* What loops pass on is wanted elsewhere than it was when the first plan told what is asked for. */
static weft_status ask_again(weft_inserter *s, const guess *by) {
    weft_worth_ask_again(s->worth);
    s->asking = true;
    weft_status st = plan_by(s, by, NULL);
    s->asking = false;
    return st;
}

/* A plan that departs from propagation as it is may do so further: what is spread (broadcast_in_dim) may be spread anew
 * where it is wanted, and the smaller value move instead. Two more plans find that out, one for new places and one by
 * what these are worth. */
#define MOST_SPREADING 30000 /* ops; in larger modules plans take long */

static weft_status judge_spreading(weft_inserter *s, best_plan *best) {
    const weft_wishes *wishes = NULL;
    best_plan further = *best;
    s->spreading = true;
    weft_status st = ask_again(s, best->by);
    if (st == WEFT_OK) st = weft_worth_weigh(s->worth, s->chooser, &wishes);
    if (st == WEFT_OK) st = judge_guess(s, &by_readers, wishes, &further);
    if (st == WEFT_OK && further.cost.sent < best->cost.sent) *best = further;
    return st;
}

weft_status weft_inserter_plan(weft_inserter *s, weft_module **out, weft_plan_notes *notes, double *total) {
    best_plan best = { .by = NULL };
    s->asking = out != NULL;
    s->worth = NULL;
    weft_status st = out ? weft_worth_open(s->t, s->planner, s->in, &s->arena, &s->worth) : WEFT_OK;
    for (size_t i = 0; i < WEFT_COUNT(guesses) && st == WEFT_OK && (out || i == 0); i++) {
        s->carried = NULL;
        st = judge_guess(s, &guesses[i], NULL, &best);
        if (out && i == 0) s->trusting = s->total;
        s->asking = false;
        if (st == WEFT_OK) st = take_left(s, &s->carried);
        if (st != WEFT_OK || !s->carried || !out) continue;
        st = judge_guess(s, &guesses[i], NULL, &best);
    }
    s->carried = best.carried;
    if (st == WEFT_OK && out && best.carried) st = ask_again(s, best.by);
    for (uint32_t round = 0; round < ROUNDS && st == WEFT_OK && out && best.notes.moved_count; round++) {
        const weft_wishes *wishes = NULL;
        st = weft_worth_weigh(s->worth, s->chooser, &wishes);
        if (st == WEFT_OK) st = judge_guess(s, &by_readers, wishes, &best);
    }
    if (st == WEFT_OK && out && best.by->wide && best.notes.moved_count && s->in->op_count <= MOST_SPREADING)
        st = judge_spreading(s, &best);
    if (st == WEFT_OK && out) st = write_plan(s, &best, out);
    s->spreading = false;
    weft_chooser_set_wide(s->chooser, false);
    *notes = best.notes;
    *total = best.cost.total;
    return st;
}
