/* plan_search: the cheapest of a few plans; part of pass weft-insert-reshards (layout_planner.h).
 *
 * Choices are made op by op, so how far propagation's wishes should count cannot be known: a few answers are tried,
 * with loops that carry what they write where propagation has it, and where each answer leaves it. What they leave
 * where is then weighed (worth.h), and planned by. The last guess is for that: it leaves results where operands are,
 * wherever products may have them.
 */
#include "partitioner/plan/layout_planner.h"

static const weft_plan_input guesses[] = {
    { .trust = 1 }, { .trust = 0.25 }, { .trust = 0.01 }, { .trust = WEFT_LEAST_TRUST, .wide = true }
};
#define ROUNDS 2 /* the second knows where the first has put things; a third finds nothing more */

typedef struct plan_cost { double total, sent, calls; } plan_cost;

typedef struct candidate {
    weft_layout_plan *plan;
    weft_plan_input how;
    plan_cost cost;
} candidate;

typedef struct search {
    weft_layout_planner *s;
    weft_worth *worth;
    const weft_placement_id *carried;
    const weft_forced_plan *forced;
    candidate best;
    plan_cost trusting;            /* of the best of those that trust propagation */
} search;

static double count_calls(const weft_layout_plan *p) {
    double calls = 0;
    for (size_t i = 0; i < p->moved_count; i++)
        if (p->moved[i].used && p->moved[i].wire_bytes > 0) calls += p->moved[i].turns;
    return calls;
}

/* One more plan; kept when it costs less than the best, and by enough where it departs from the best of those that do
 * not: a plan that departs from what propagation laid down and makes more calls for it is not what its reader expects,
 * so it has to save a good share of the traffic (depart_gain), and tensor parallel layers stay four sums each where
 * that is about as cheap. With no more calls, any saving will do. The first wins ties. */
static weft_status try_plan(search *z, const weft_plan_input *how) {
    weft_layout_plan *p = NULL;
    candidate *best = &z->best;
    weft_status st = weft_plan_make(z->s, how, &p);
    if (st != WEFT_OK) return st;
    const plan_cost cost = { p->total, p->total - p->work, count_calls(p) };
    if (!how->wide && (!best->plan || cost.total < z->trusting.total)) z->trusting = cost;
    bool better = !best->plan || cost.total < best->cost.total;
    if (how->wide && cost.calls > z->trusting.calls)
        better = better && cost.sent <= (1 - z->s->machine->costs.depart_gain) * z->trusting.sent;
    if (how->spreading && !how->forced) better = better && cost.sent < best->cost.sent;
    weft_plan_give_back(z->s, better ? best->plan : p);
    if (better) *best = (candidate){ p, *how, cost };
    return WEFT_OK;
}

/* Where loops leave what they write, if that is elsewhere than where they are declared to carry it; or NULL. */
static weft_status take_left(weft_layout_planner *s, const weft_placement_id **out) {
    weft_placement_id *copy = NULL;
    for (uint32_t i = 0; !copy && i < s->in->value_count; i++)
        if (s->left[i] && !(copy = weft_arena_array(&s->arena, weft_placement_id, s->in->value_count)))
            return weft_oom();
    if (copy) memcpy(copy, s->left, s->in->value_count * sizeof *copy);
    *out = copy;
    return WEFT_OK;
}

/* By a guess: with loops that carry what they write where they are declared to, and where the turns leave it. */
static weft_status try_guess(search *z, const weft_plan_input *guess, bool first) {
    weft_plan_input how = *guess;
    how.told = z->worth;
    how.forced = z->forced;
    how.spreading = z->forced && z->forced->spreading;
    how.telling_ops = first;
    weft_status st = try_plan(z, &how);
    if (st == WEFT_OK && first) z->s->trusting = z->best.plan->total;
    if (st == WEFT_OK) st = take_left(z->s, &how.carried);
    how.telling_ops = false;
    return st == WEFT_OK && how.carried ? try_plan(z, &how) : st;
}

/* What loops pass on is wanted elsewhere than it was when the first plan told what is asked for. */
static weft_status tell_again(search *z, weft_plan_input how) {
    weft_layout_plan *p = NULL;
    weft_worth_ask_again(z->worth);
    how.wishes = NULL;
    how.telling_ops = true;
    weft_status st = weft_plan_make(z->s, &how, &p);
    weft_plan_give_back(z->s, p);
    return st;
}

/* By what readers want, as far as it is known now. */
static weft_status try_readers(search *z, bool spreading) {
    weft_plan_input how = { .trust = WEFT_LEAST_TRUST, .wide = true, .spreading = spreading, .carried = z->carried,
                            .told = z->worth, .forced = z->forced };
    weft_status st = weft_worth_weigh(z->worth, z->s->chooser, &how.wishes);
    return st == WEFT_OK ? try_plan(z, &how) : st;
}

/* A plan that departs from propagation as it is may do so further: what is spread (broadcast_in_dim) may be spread anew
 * where it is wanted, and the smaller value move instead. Two more plans find that out, one for new places and one by
 * what these are worth. */
#define MOST_SPREADING 30000 /* ops; in larger modules plans take long */

static weft_status try_spreading(search *z) {
    weft_plan_input how = z->best.how;
    how.spreading = true;
    weft_status st = tell_again(z, how);
    return st == WEFT_OK ? try_readers(z, true) : st;
}

/* The best plan again, with runners-up: by the same input it is the same. */
static weft_status add_rivals(search *z) {
    weft_plan_input how = z->best.how;
    how.rivals = true;
    how.told = NULL;
    how.telling_ops = false;
    weft_plan_give_back(z->s, z->best.plan);
    return weft_plan_make(z->s, &how, &z->best.plan);
}

weft_status weft_plan_search(weft_layout_planner *s, const weft_forced_plan *forced, bool rivals,
                             weft_layout_plan **out) {
    search z = { .s = s, .forced = forced };
    const bool anew = forced && forced->spreading;
    weft_status st = weft_worth_open(s->t, s->planner, s->in, &s->arena, &z.worth);
    for (size_t i = 0; i < WEFT_COUNT(guesses) && st == WEFT_OK; i++) st = try_guess(&z, &guesses[i], i == 0);
    z.carried = z.best.how.carried;
    if (st == WEFT_OK && z.carried) st = tell_again(&z, z.best.how);
    for (uint32_t round = 0; round < ROUNDS && st == WEFT_OK && weft_layout_plan_moves(z.best.plan); round++)
        st = try_readers(&z, anew);
    if (st == WEFT_OK && !forced && z.best.how.wide && weft_layout_plan_moves(z.best.plan) &&
        s->in->op_count <= MOST_SPREADING)
        st = try_spreading(&z);
    if (st == WEFT_OK && rivals) st = add_rivals(&z);
    weft_chooser_set_wide(s->chooser, false);
    *out = z.best.plan;
    return st;
}

weft_status weft_plan_trusting(weft_layout_planner *s, weft_layout_plan **out) {
    return weft_plan_make(s, &guesses[0], out);
}
