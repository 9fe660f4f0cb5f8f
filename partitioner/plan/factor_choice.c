/* factor_choice.c: propose, price, choose; see factor_choice.h.
 *
 * Proposals: every atom that shards an operand or the declared result goes to one of the factors where it is found
 * there, or to none; where it can only stay by sending (windows) or not at all (a sort along the dimension that it
 * cuts, a reshape that cannot keep it), also to any other factor: to carry parts to a dimension that may be split costs
 * less than to gather them, and the work stays shared. With the few atoms of a mesh that is a handful of combinations;
 * when it would be more than MAX_PROPOSALS the choices of the last atoms are cut to the declared one and none.
 */
#include "partitioner/plan/choice_memory.h"

#define MAX_PROPOSALS 1024
#define NO_FACTOR 0xffu

typedef enum order { ORDER_FOUND, ORDER_FOUND_THERE } order;

/* Atoms given to factors; within a factor in the order of `rank`, or of `rank_at`. */
typedef struct proposal {
    order order;
    uint8_t factor[WEFT_MAX_ATOMS];
    weft_atoms kept;                   /* atoms over which operands stay partial */
} proposal;

/* What a proposal gives each factor, once for all tensors of the op. */
typedef struct given {
    weft_bits taken;                   /* factors that have atoms; the lists of the others are not set */
    struct { uint8_t n, atoms[WEFT_MAX_ATOMS]; } to[WEFT_MAX_FACTORS]; /* in the proposal's order */
} given;

struct weft_chooser {
    weft_placements *t;
    weft_planner *planner;
    const weft_costs *costs;
    weft_choice_memory *memory;
    weft_choice_mode mode;
};

typedef struct work {
    weft_chooser *c;
    const weft_choice_request *r;
    const weft_choice_class *of;
    weft_linearity linear;
    bool declares_terms;               /* the program, of a result */
    weft_bits options[WEFT_MAX_ATOMS]; /* factors where an atom was found, or may go */
    weft_bits found_at[WEFT_MAX_ATOMS]; /* of strays: where they were found */
    weft_atoms strays;
    /* order of atoms within a factor: as first found anywhere, results before operands */
    uint8_t rank[WEFT_MAX_ATOMS];
    uint32_t ranked;
    uint8_t (*rank_at)[WEFT_MAX_ATOMS]; /* [WEFT_MAX_FACTORS], or as first found there; set where options say so */
    uint8_t ranked_at[WEFT_MAX_FACTORS];
    weft_choice trial;                 /* what a proposal comes to; results are after operands */
    weft_choice *best;
    bool found;
} work;

weft_status weft_chooser_open(weft_placements *placements, weft_planner *planner, const weft_module *m,
                              weft_arena *arena, weft_chooser **out) {
    weft_chooser *c = weft_arena_new(arena, weft_chooser);
    if (!c) return weft_oom();
    *c = (weft_chooser){ .t = placements, .planner = planner, .costs = weft_planner_costs(planner),
                         .mode = { .trust = 1 } };
    *out = c;
    return weft_choice_memory_open(m, arena, &c->memory);
}

void weft_chooser_set_trust(weft_chooser *c, double trust) { c->mode.trust = trust; }
void weft_chooser_set_wide(weft_chooser *c, bool wide) { c->mode.wide = wide; }

/* --- from placements to factors and back ------------------------------------------------------------------------ */

static void add_option(work *w, uint32_t atom, uint32_t factor) {
    if (!w->options[atom]) w->rank[atom] = (uint8_t)w->ranked++;
    if (!weft_bits_has(w->options[atom], factor)) w->rank_at[factor][atom] = w->ranked_at[factor]++;
    w->options[atom] |= weft_bit(factor);
}

/* Notes where the atoms of a placement of tensor lie. A dimension's atoms fill its factors from the major one on. */
static void note(work *w, uint32_t tensor, const weft_placement *l) {
    const weft_rule_tensor *rt = &w->r->rule->tensors[tensor];
    const weft_bits still = w->of->allowed & ~(w->r->rule->permutation | w->r->rule->replicated);
    for (uint32_t d = 0; d < rt->rank; d++) {
        weft_placement_range p = weft_placement_dim(l, d);
        uint32_t k = 0, placed = 0;
        int64_t left = rt->dims[d].n ? w->r->rule->sizes[w->r->rule->factors[rt->dims[d].first]] : 0;
        for (uint32_t i = 0; i < p.n && k < rt->dims[d].n; i++) {
            uint32_t a = l->at[p.first + i].atom;
            int64_t size = weft_atom_size(w->c->t, a);
            while (left == 1 && ++k < rt->dims[d].n)
                left = w->r->rule->sizes[w->r->rule->factors[rt->dims[d].first + k]];
            if (k == rt->dims[d].n || left <= 0) break;
            uint32_t f = w->r->rule->factors[rt->dims[d].first + k];
            if (left % size != 0 && !weft_bits_has(w->of->uneven, f)) break;
            left = weft_ceil_div(left, size);
            placed = i + 1;
            if (!weft_bits_has(still, f)) w->strays |= (weft_atoms)weft_bit(a);
            if (!weft_bits_has(w->of->allowed, f)) continue;
            add_option(w, a, f);
        }
        for (uint32_t i = placed; i < p.n; i++) w->strays |= (weft_atoms)weft_bit(l->at[p.first + i].atom);
    }
}

/* Strays are offered to all else that can be split without sending: an all_to_all leads there, and one back. Atoms that
 * nothing has may go anywhere. */
static void offer_elsewhere(work *w) {
    const weft_rule *rule = w->r->rule;
    WEFT_EACH_BIT(a, w->strays | w->r->spare) {
        const int64_t size = weft_atom_size(w->c->t, a);
        const weft_bits others =
            w->of->allowed &
            ~(rule->replicated | (weft_bits_has(w->r->spare, a) ? 0 : rule->reduction | rule->permutation));
        w->found_at[a] = w->options[a];
        WEFT_EACH_BIT(f, others) {
            if (rule->sizes[f] < size || (rule->sizes[f] % size && !weft_bits_has(w->of->uneven, f))) continue;
            add_option(w, a, f);
        }
    }
}

/* Atoms found anywhere are offered to every factor that they divide. */
static void offer_everywhere(work *w) {
    const weft_rule *rule = w->r->rule;
    for (uint32_t a = 0; a < weft_placements_atom_count(w->c->t); a++) {
        if (!w->options[a]) continue;
        WEFT_EACH_BIT(f, w->of->allowed & ~(rule->replicated | rule->permutation))
            if (rule->sizes[f] % weft_atom_size(w->c->t, a) == 0) add_option(w, a, f);
    }
}

static bool is_before(const work *w, order o, uint32_t f, uint32_t a, uint32_t b) {
    return o == ORDER_FOUND ? w->rank[a] < w->rank[b] : w->rank_at[f][a] < w->rank_at[f][b];
}

static void give(const work *w, const proposal *p, given *g) {
    const uint32_t count = weft_placements_atom_count(w->c->t);
    g->taken = 0;
    for (uint32_t a = 0; a < count; a++) {
        const uint32_t f = p->factor[a];
        if (f == NO_FACTOR) continue;
        if (!weft_bits_has(g->taken, f)) g->to[f].n = 0;
        g->taken |= weft_bit(f);
        uint8_t *atoms = g->to[f].atoms;
        uint32_t i = g->to[f].n++;
        for (; i > 0 && is_before(w, p->order, f, a, atoms[i - 1]); i--) atoms[i] = atoms[i - 1];
        atoms[i] = (uint8_t)a;
    }
}

/* The placement of a tensor under a proposal; false when a dimension of several factors cannot be split that way. */
static bool placement_under(const work *w, const given *g, uint32_t tensor, weft_placement *l) {
    const weft_rule *rule = w->r->rule;
    const weft_rule_tensor *rt = &rule->tensors[tensor];
    const weft_op *op = w->r->op;
    const weft_type *type = weft_op_value(op, tensor)->type;
    memset(l, 0, sizeof *l);
    for (uint32_t d = 0; d < rt->rank && rt->factors & g->taken; d++) {
        const uint8_t *factors = rule->factors + rt->dims[d].first;
        if (rt->dims[d].n == 1 && !weft_bits_has(g->taken, factors[0])) continue;
        bool whole = false; /* a major factor is not split into single steps: minor ones must stay whole */
        int64_t shards = 1;
        for (uint32_t k = 0; k < rt->dims[d].n; k++) {
            const uint32_t f = factors[k], n = weft_bits_has(g->taken, f) ? g->to[f].n : 0;
            int64_t left = rule->sizes[f];
            if (n && whole) return false;
            for (uint32_t i = 0; i < n; i++) {
                const int64_t size = weft_atom_size(w->c->t, g->to[f].atoms[i]);
                if (left % size != 0 && !weft_bits_has(w->of->uneven, f)) return false;
                left = weft_ceil_div(left, size);
                shards *= size;
                weft_placement_append(l, d, g->to[f].atoms[i]);
            }
            if (left > 1) whole = true;
        }
        /* a dimension that the op makes longer or shorter than its factor; only the major factor is ever split unevenly
         */
        if (shards > 1 && type->dims[d] % shards != 0 && !weft_bits_has(w->of->uneven, factors[0])) return false;
    }
    return true;
}

/* The trial has tensor where the proposal leads it, unless that cannot be; tensors before it are there already. */
static weft_status place_tensor(work *w, const given *g, uint32_t tensor, weft_atoms unreduced, bool *fits) {
    weft_placement_id *ids = w->trial.operands;
    const uint32_t k = w->of->alike[tensor];
    weft_placement l;
    *fits = k < tensor && weft_placement_of(w->c->t, ids[k])->unreduced == unreduced;
    if (*fits) return ids[tensor] = ids[k], WEFT_OK;
    *fits = placement_under(w, g, tensor, &l);
    l.unreduced = unreduced;
    return *fits ? weft_placement_intern(w->c->t, &l, &ids[tensor]) : WEFT_OK;
}

/* --- prices ---------------------------------------------------------------------------------------------------- */

static bool takes_partial(const work *w, const proposal *p, uint32_t operand) {
    if (!p->kept || w->linear == WEFT_LINEAR_NOT) return false;
    if (w->linear == WEFT_LINEAR_JOINT) return true;
    if (w->linear == WEFT_LINEAR_PAIR) return operand < 2;
    if (w->linear == WEFT_LINEAR_CHOSEN) return operand > 0;
    const weft_choice_operand *o = &w->r->operands[operand];
    for (uint32_t i = 0; i < o->have_count; i++)
        if (weft_placement_of(w->c->t, o->have[i])->unreduced == p->kept)
            return w->linear == WEFT_LINEAR_EACH || operand == 0;
    return false;
}

double weft_choice_turns(const weft_placements *t, const weft_choice_operand *o, weft_placement_id from,
                         weft_placement_id to) {
    const weft_type *type = o->value->type;
    if (o->turns <= 1) return 1;
    const int64_t bytes = weft_placement_local_bytes(t, weft_placement_of(t, to), type);
    return bytes > weft_placement_local_bytes(t, weft_placement_of(t, from), type) && bytes > o->room ? 1 : o->turns;
}

const weft_op *weft_choice_spread(const weft_value *v) {
    const weft_op *op = v->def;
    if (!op || op->kind != WEFT_OP_broadcast_in_dim || !op->operands[0]->type->rank) return NULL;
    return weft_type_elems(v->type) > weft_type_elems(op->operands[0]->type) ? op : NULL;
}

bool weft_choice_source_at(const weft_op *spread, const weft_placement *want, weft_placement *out) {
    const weft_attr *dims = weft_op_attr(spread, WEFT_A_broadcast_dimensions);
    const weft_type *from = spread->operands[0]->type, *to = spread->results[0].type;
    *out = (weft_placement){ .order = want->order };
    if (want->unreduced) return false;
    for (uint32_t d = 0; d < from->rank; d++) {
        const uint32_t there = (uint32_t)dims->ints.v[d];
        const weft_placement_range cut = weft_placement_dim(want, there);
        for (uint32_t i = 0; i < cut.n && from->dims[d] == to->dims[there]; i++)
            weft_placement_append(out, d, want->at[cut.first + i].atom);
    }
    return true;
}

/* The nearest place that o already is in; negative: none leads there. */
static weft_status nearest(work *w, const weft_choice_operand *o, weft_placement_id want, weft_atoms kept,
                           double *cost) {
    for (uint32_t i = 0; i < o->have_count && *cost != 0; i++) {
        if (kept && weft_placement_of(w->c->t, o->have[i])->unreduced != kept) continue;
        const weft_reshard_plan *plan = NULL;
        weft_status st = weft_reshard_plan_find(w->c->planner, o->have[i], want, o->value->type, &plan);
        if (st != WEFT_OK) return st;
        if (!plan) continue;
        double here = plan->price / weft_choice_turns(w->c->t, o, o->have[i], want) + (o->making ? o->making[i] : 0);
        if (*cost < 0 || here < *cost) *cost = here;
    }
    return WEFT_OK;
}

static weft_status reach_cost(work *w, const weft_choice_operand *o, weft_placement_id want, weft_atoms kept,
                              double *cost) {
    weft_placement at;
    weft_placement_id id;
    *cost = o->free && !kept ? 0 : -1;
    weft_status st = nearest(w, o, want, kept, cost);
    if (st != WEFT_OK || *cost == 0 || !o->source || kept ||
        !weft_choice_source_at(o->value->def, weft_placement_of(w->c->t, want), &at))
        return st;
    st = weft_placement_intern(w->c->t, &at, &id);
    return st == WEFT_OK ? nearest(w, o->source, id, 0, cost) : st;
}

/* Of result i in a placement: to the nearest one that is wished for. */
static weft_status result_cost(const work *w, uint32_t i, weft_placement_id at, double *cost) {
    const weft_choice_request *r = w->r;
    weft_wish declared = { .at = r->declared[i] };
    const weft_wishes only = { &declared, 1 }, *wishes = r->wishes && r->wishes[i] ? r->wishes[i] : &only;
    const bool sum = w->c->mode.wide && weft_placement_of(w->c->t, at)->unreduced; /* has to be finished by somebody */
    const double trust = wishes == &only && !sum ? w->c->mode.trust : 1;
    *cost = -1;
    for (uint32_t k = 0; k < wishes->n; k++) {
        const weft_reshard_plan *plan = NULL;
        weft_status st = weft_reshard_plan_find(w->c->planner, at, wishes->v[k].at, r->op->results[i].type, &plan);
        if (st != WEFT_OK) return st;
        const double here = plan ? wishes->v[k].cost + trust * plan->price : -1;
        if (plan && (*cost < 0 || here < *cost)) *cost = here;
    }
    return WEFT_OK;
}

static double steps_under(const work *w, const given *g) {
    const weft_rule *rule = w->r->rule;
    double steps = 1;
    for (uint32_t f = 0; f < rule->factor_count; f++) {
        if (weft_bits_has(w->of->places, f)) continue;
        int64_t size = rule->sizes[f];
        for (uint32_t i = 0; weft_bits_has(g->taken, f) && i < g->to[f].n; i++)
            size = weft_ceil_div(size, weft_atom_size(w->c->t, g->to[f].atoms[i]));
        steps *= (double)size;
    }
    return steps;
}

/* Whether what a proposal costs so far is already no better than the best one; no part of the price is negative. */
static bool is_beaten(const work *w, double cost) {
    return w->found && cost >= w->best->cost - weft_price_tie(w->c->costs);
}

/* Whether writing op so takes little memory, or no more than a gather of its operands. */
static bool has_room(const work *w, const weft_op *op, const weft_placement_id *placed) {
    return !w->of->local->room || w->of->local->room(w->c->t, op, placed) <= w->c->costs->sort_room_bytes;
}

/* Fills w's trial for p and prices it; *ok is false when p cannot be, or is beaten. */
static weft_status settle(work *w, const proposal *p, bool *ok) {
    const weft_op *op = w->r->op;
    const uint32_t count = weft_placements_atom_count(w->c->t);
    weft_choice *out = &w->trial;
    given g;
    weft_status st = WEFT_OK;
    weft_atoms reduced = 0;
    *ok = false;
    out->idle = 0;
    give(w, p, &g);
    for (uint32_t a = 0; a < count; a++)
        if (p->factor[a] != NO_FACTOR) {
            if (weft_bits_has(w->r->rule->reduction, p->factor[a])) reduced |= (weft_atoms)weft_bit(a);
        } else if (!weft_bits_has(p->kept, a)) out->idle |= (weft_atoms)weft_bit(a);
    out->partial = reduced ? w->of->partial : WEFT_PARTIAL_NONE;
    out->reduce_over = out->partial == WEFT_PARTIAL_MAX || out->partial == WEFT_PARTIAL_MIN ? reduced : 0;
    out->cost = out->steps_cost = weft_price_steps(w->c->costs, steps_under(w, &g));
    bool partial_in = false;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        double cost;
        bool fits;
        if (is_beaten(w, out->cost)) return WEFT_OK;
        weft_atoms kept = takes_partial(w, p, i) ? p->kept : 0;
        if (kept && w->linear == WEFT_LINEAR_EACH && partial_in && !w->declares_terms) return WEFT_OK;
        if (w->linear == WEFT_LINEAR_EACH && partial_in) kept = 0; /* a factor of terms is complete */
        if (kept && !w->r->operands[i].may_stay_partial) return WEFT_OK;
        partial_in = partial_in || kept;
        st = place_tensor(w, &g, i, kept, &fits);
        if (st == WEFT_OK && fits) st = reach_cost(w, &w->r->operands[i], out->operands[i], kept, &cost);
        if (st != WEFT_OK || !fits) return st;
        if (cost < 0) return WEFT_OK;
        bool again = false;
        for (uint32_t k = 0; k < i && !again; k++)
            again = op->operands[k] == op->operands[i] && out->operands[k] == out->operands[i];
        if (!again) out->cost += cost;
    }
    if (p->kept && !partial_in) return WEFT_OK;
    out->own = out->cost;
    for (uint32_t i = 0; i < op->result_count; i++) {
        double cost, finishing = 0;
        bool fits;
        if (is_beaten(w, out->cost)) return WEFT_OK;
        st = place_tensor(w, &g, op->operand_count + i, p->kept | (out->partial == WEFT_PARTIAL_SUM ? reduced : 0),
                          &fits);
        if (st == WEFT_OK && fits) st = result_cost(w, i, out->results[i], &cost);
        if (st != WEFT_OK || !fits) return st;
        if (cost < 0) return WEFT_OK;
        out->cost += cost;
        if (out->reduce_over)
            finishing = weft_move_price_sent(w->c->costs, WEFT_MOVE_REDUCE,
                                             weft_placement_local_bytes(
                                                 w->c->t, weft_placement_of(w->c->t, out->results[i]),
                                                 op->results[i].type),
                                             weft_atoms_size(w->c->t, out->reduce_over));
        out->cost += finishing;
        out->own += finishing;
    }
    const double sent = w->of->local->talk ? w->of->local->talk(w->c->t, op, out->operands) : 0;
    if (sent < 0 || !has_room(w, op, out->operands)) return WEFT_OK;
    out->talk = weft_price_sent(w->c->costs, sent);
    out->cost += out->talk;
    out->own += out->talk;
    out->steps_cost += out->talk;
    *ok = true;
    return WEFT_OK;
}

static void take_trial(work *w) {
    weft_placement_id *operands = w->best->operands, *results = w->best->results;
    *w->best = w->trial;
    w->best->operands = operands;
    w->best->results = results;
    memcpy(operands, w->trial.operands, w->r->op->operand_count * sizeof *operands);
    memcpy(results, w->trial.results, w->r->op->result_count * sizeof *results);
    w->found = true;
}

/* Whether the trial has operands and results where c has them. */
static bool is_like(const work *w, const weft_choice *c) {
    const weft_op *op = w->r->op;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (w->trial.operands[i] != c->operands[i]) return false;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (w->trial.results[i] != c->results[i]) return false;
    return true;
}

static weft_status weigh(work *w, const proposal *p) {
    bool ok;
    weft_status st = settle(w, p, &ok);
    if (st != WEFT_OK || !ok || (w->r->only && !is_like(w, w->r->only)) || (w->r->but && is_like(w, w->r->but)))
        return st;
    if (!is_beaten(w, w->trial.cost)) take_trial(w);
    return st;
}

/* Whether some factor has atoms whose orders differ. */
static bool orders_differ(const work *w, const proposal *p) {
    uint32_t count = weft_placements_atom_count(w->c->t);
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < a && p->factor[a] != NO_FACTOR; b++)
            if (p->factor[b] == p->factor[a] &&
                is_before(w, ORDER_FOUND, p->factor[a], a, b) != is_before(w, ORDER_FOUND_THERE, p->factor[a], a, b))
                return true;
    return false;
}

static weft_status consider(work *w, const proposal *p) {
    proposal other = *p;
    other.order = ORDER_FOUND_THERE;
    weft_status st = weigh(w, p);
    return st == WEFT_OK && orders_differ(w, p) ? weigh(w, &other) : st;
}

/* --- proposals ------------------------------------------------------------------------------------------------- */

static void first_option(const work *w, proposal *p, uint32_t atom, weft_bits *left) {
    p->factor[atom] = (uint8_t)weft_bits_lowest(w->options[atom]);
    *left = w->options[atom] & (w->options[atom] - 1);
}

static weft_status propose(work *w, weft_atoms kept) {
    uint32_t count = weft_placements_atom_count(w->c->t);
    uint8_t moving[WEFT_MAX_ATOMS];
    weft_bits left[WEFT_MAX_ATOMS];
    uint32_t n = 0;
    uint64_t total = 1;
    proposal p = { .kept = kept };
    memset(p.factor, NO_FACTOR, sizeof p.factor);
    for (uint32_t a = 0; a < count; a++) {
        if (!w->options[a] || weft_bits_has(kept, a)) continue;
        weft_bits options = w->options[a];
        if (total * (weft_bits_count(options) + 1) > MAX_PROPOSALS)
            options =
                weft_bit(weft_bits_lowest(weft_bits_has(w->strays, a) && w->found_at[a] ? w->found_at[a] : options));
        total *= weft_bits_count(options) + 1;
        w->options[a] = options;
        first_option(w, &p, a, &left[n]);
        moving[n++] = (uint8_t)a;
    }
    /* Counts through the combinations like an odometer; an atom's last turn is "no factor". */
    for (;;) {
        weft_status st = consider(w, &p);
        if (st != WEFT_OK) return st;
        uint32_t i = 0;
        for (; i < n; i++) {
            if (p.factor[moving[i]] == NO_FACTOR) { /* wraps: back to its first option */
                first_option(w, &p, moving[i], &left[i]);
                continue;
            }
            if (left[i]) {
                p.factor[moving[i]] = (uint8_t)weft_bits_lowest(left[i]);
                left[i] &= left[i] - 1;
            } else p.factor[moving[i]] = NO_FACTOR;
            break;
        }
        if (i == n) return WEFT_OK;
    }
}

static bool is_wished(const weft_choice_request *r, uint32_t i, weft_placement_id at) {
    const weft_wishes *wishes = r->wishes ? r->wishes[i] : NULL;
    for (uint32_t k = 0; wishes && k < wishes->n; k++)
        if (wishes->v[k].at == at) return wishes->v[k].cost == 0;
    return !wishes && at == r->declared[i];
}

static bool already_everywhere(const weft_choice_request *r, const weft_choice *c) {
    for (uint32_t i = 0; i < r->op->operand_count; i++) {
        const weft_choice_operand *o = &r->operands[i];
        bool here = o->free;
        for (uint32_t k = 0; k < o->have_count && !here; k++)
            here = o->have[k] == c->operands[i] && !(o->making && o->making[k] > 0);
        if (!here) return false;
    }
    for (uint32_t i = 0; i < r->op->result_count; i++)
        if (!is_wished(r, i, c->results[i])) return false;
    return true;
}

/* The common case: every operand is already where the declared result wants it. */
static weft_status try_declared(work *w, bool *done) {
    proposal p = { .kept = 0 };
    bool ok;
    memset(p.factor, NO_FACTOR, sizeof p.factor);
    for (uint32_t a = 0; a < weft_placements_atom_count(w->c->t); a++) {
        if (weft_bits_count(w->options[a]) > 1) return WEFT_OK;
        if (w->options[a]) p.factor[a] = (uint8_t)weft_bits_lowest(w->options[a]);
    }
    weft_status st = settle(w, &p, &ok);
    *done = st == WEFT_OK && ok && already_everywhere(w->r, &w->trial);
    if (*done) take_trial(w);
    return st;
}

/* There is always "whole", unless a result is declared a partial sum that the op cannot leave. */
static weft_status report_none(const weft_chooser *c, const weft_choice_request *r) {
    weft_context *cx = weft_placements_context(c->t);
    const weft_op *op = r->op;
    for (uint32_t i = 0; i < op->result_count; i++) {
        if (!weft_placement_of(c->t, r->declared[i])->unreduced) continue;
        weft_buf b;
        weft_buf_init(&b, &cx->alloc);
        weft_status st = weft_placement_print(c->t, &b, r->declared[i], op->results[i].type->rank);
        if (st == WEFT_OK)
            st =
                weft_report(cx, WEFT_D_partition, op->loc, "'%s' cannot leave a partial sum, but result %u is to be %s",
                            op->name->text, i, b.p ? b.p : "?");
        b.n = 0;
        for (uint32_t k = 0;
             k < op->operand_count &&
             weft_placement_print(c->t, &b, r->operands[k].have_count ? r->operands[k].have[0] : WEFT_REPLICATED,
                                  r->operands[k].value->type->rank) == WEFT_OK;
             k++, b.n = 0)
            weft_note(cx, weft_value_loc(r->operands[k].value), "operand %u is %s", k, b.p ? b.p : "?");
        weft_help(
            cx, op->loc,
            "only what is linear in its operands may be done to the parts of a sum: take unreduced={...} from the sharding of this op, so that the "
            "sum is made before it");
        weft_buf_free(&b);
        return st;
    }
    return weft_report(cx, WEFT_D_internal, op->loc, "no way to split %s was found", op->name->text);
}

/* Atoms over which operands may stay partial sums. */
typedef struct sums { weft_atoms over[8]; uint32_t n; } sums;

static void add_sum(sums *s, weft_atoms over) {
    uint32_t j = 0;
    while (j < s->n && s->over[j] != over) j++;
    if (j == s->n && j < WEFT_COUNT(s->over)) s->over[s->n++] = over;
}

/* Placements that were noted, of tensors that are alike: noting one again changes nothing. */
typedef struct noted { struct { uint32_t like; weft_placement_id at; } v[8]; uint32_t n; } noted;

static void note_once(work *w, uint32_t tensor, weft_placement_id at, noted *done) {
    const uint32_t like = w->of->alike[tensor];
    for (uint32_t i = 0; i < done->n; i++)
        if (done->v[i].like == like && done->v[i].at == at) return;
    note(w, tensor, weft_placement_of(w->c->t, at));
    if (done->n == WEFT_COUNT(done->v)) return;
    done->v[done->n].like = like;
    done->v[done->n++].at = at;
}

/* Where results are wanted and operands are. */
static void note_request(work *w, sums *kept) {
    const weft_choice_request *r = w->r;
    noted done;
    done.n = 0;
    for (uint32_t i = 0; i < r->op->result_count; i++) {
        const weft_wishes *wishes = r->wishes ? r->wishes[i] : NULL;
        note_once(w, r->op->operand_count + i, r->declared[i], &done);
        for (uint32_t k = 0; wishes && k < wishes->n; k++)
            if (wishes->v[k].offered) note_once(w, r->op->operand_count + i, wishes->v[k].at, &done);
    }
    for (uint32_t i = 0; i < r->op->operand_count; i++)
        for (uint32_t k = 0; k < r->operands[i].have_count; k++) {
            const weft_placement *l = weft_placement_of(w->c->t, r->operands[i].have[k]);
            note_once(w, i, r->operands[i].have[k], &done);
            if (!l->unreduced || (l->unreduced & r->barred) || w->linear == WEFT_LINEAR_NOT ||
                !r->operands[i].may_stay_partial)
                continue;
            add_sum(kept, l->unreduced);
        }
}

/* Where the only choice that counts has them. */
static void note_only(work *w, sums *kept) {
    const weft_op *op = w->r->op;
    for (uint32_t i = 0; i < op->result_count; i++)
        note(w, op->operand_count + i, weft_placement_of(w->c->t, w->r->only->results[i]));
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const weft_placement *l = weft_placement_of(w->c->t, w->r->only->operands[i]);
        note(w, i, l);
        if (l->unreduced && !(l->unreduced & w->r->barred)) add_sum(kept, l->unreduced);
    }
}

/* The cheapest by the rule of r; basis: whether others were compared with it; *found: whether there is any. */
static weft_status choose(weft_chooser *c, const weft_choice_class *of, const weft_choice_request *r, weft_choice *out,
                          weft_choice_basis *basis, bool *found) {
    weft_context *cx = weft_placements_context(c->t);
    uint8_t rank_at[WEFT_MAX_FACTORS][WEFT_MAX_ATOMS];
    work w = { .c = c, .r = r, .of = of, .linear = of->linear, .best = out, .rank_at = rank_at };
    sums kept_sums = { .n = 0 };
    for (uint32_t i = 0; i < r->op->result_count; i++)
        if (weft_placement_of(c->t, r->declared[i])->unreduced) w.linear = of->terms, w.declares_terms = true;
    if (!(w.trial.operands = weft_scratch_array(cx, weft_placement_id, r->op->operand_count + r->op->result_count)))
        return weft_oom();
    w.trial.results = w.trial.operands + r->op->operand_count;
    if (r->only) note_only(&w, &kept_sums);
    else note_request(&w, &kept_sums);
    offer_elsewhere(&w);
    if (!r->only && c->mode.wide && of->product) offer_everywhere(&w);
    WEFT_EACH_BIT(a, r->barred) w.options[a] = 0;
    bool done = false;
    weft_status st = kept_sums.n || r->spare || r->only || r->but ? WEFT_OK : try_declared(&w, &done);
    *basis = done ? WEFT_CHOICE_FREE : WEFT_CHOICE_COMPARED;
    *found = done;
    if (st != WEFT_OK || done) return st;
    /* Kept sums first: between equals, finish late, so that sums can still meet and be finished once. */
    for (uint32_t j = 0; j < kept_sums.n && st == WEFT_OK; j++) st = propose(&w, kept_sums.over[j]);
    if (st == WEFT_OK) st = propose(&w, 0);
    *found = w.found;
    return st;
}

static weft_status choose_by_rule(weft_chooser *c, const weft_choice_request *r, weft_choice *out, bool *found) {
    const weft_choice_class *of = NULL;
    weft_choice_key key = { .n = 0 };
    weft_choice_basis basis;
    weft_status st = weft_choice_class_of(c->memory, r->op, r->rule, &of);
    *found = false;
    if (st == WEFT_OK && (r->only || r->but)) return choose(c, of, r, out, &basis, found);
    if (st == WEFT_OK) st = weft_choice_key_of(c->memory, of, r, &key);
    *found = st == WEFT_OK && weft_choice_recall(c->memory, &key, c->mode, out);
    if (st != WEFT_OK || *found) return st;
    st = choose(c, of, r, out, &basis, found);
    return st == WEFT_OK && *found ? weft_choice_remember(c->memory, &key, c->mode, basis, out) : st;
}

/* *out, if *found, or what the other rule of r's op has that costs less. */
static weft_status compare_other(weft_chooser *c, const weft_choice_request *r, weft_choice *out, bool *found) {
    weft_context *cx = weft_placements_context(c->t);
    const weft_op *op = r->op;
    weft_choice_request way = *r;
    way.rule = r->rule->other;
    weft_choice other = { .operands = weft_scratch_array(cx, weft_placement_id, op->operand_count),
                          .results = weft_scratch_array(cx, weft_placement_id, op->result_count) };
    bool too;
    if (!other.operands || !other.results) return weft_oom();
    weft_status st = choose_by_rule(c, &way, &other, &too);
    if (st != WEFT_OK || !too || (*found && other.cost >= out->cost - weft_price_tie(c->costs))) return st;
    const weft_choice own = *out;
    *found = true;
    *out = other;
    out->operands = memcpy(own.operands, other.operands, op->operand_count * sizeof *own.operands);
    out->results = memcpy(own.results, other.results, op->result_count * sizeof *own.results);
    return WEFT_OK;
}

weft_status weft_choose_if_any(weft_chooser *c, const weft_choice_request *r, weft_choice *out, bool *found) {
    weft_status st = choose_by_rule(c, r, out, found);
    return st == WEFT_OK && r->rule->other ? compare_other(c, r, out, found) : st;
}

weft_status weft_choose_factors(weft_chooser *c, const weft_choice_request *r, weft_choice *out) {
    bool found;
    weft_status st = weft_choose_if_any(c, r, out, &found);
    return st == WEFT_OK && !found ? report_none(c, r) : st;
}

/* --- what passes through ---------------------------------------------------------------------------------------- */

/* Compares one more place for result i with *out. */
static weft_status weigh_passing(work *w, uint32_t i, weft_placement_id at, int64_t room, weft_placement_id *out,
                                 double *cost) {
    const weft_placement *l = weft_placement_of(w->c->t, at);
    double reach, onward;
    if (w->found && (l->unreduced || weft_placement_local_bytes(w->c->t, l, w->r->op->results[i].type) > room))
        return WEFT_OK;
    weft_status st = reach_cost(w, &w->r->operands[i], at, l->unreduced, &reach);
    if (st == WEFT_OK && reach >= 0) st = result_cost(w, i, at, &onward);
    if (st != WEFT_OK || reach < 0 || onward < 0) return st;
    if (w->found && reach + onward >= *cost - weft_price_tie(w->c->costs)) return st;
    w->found = true;
    *out = at;
    *cost = reach + onward;
    return WEFT_OK;
}

weft_status weft_choose_passing(weft_chooser *c, const weft_choice_request *r, uint32_t i, weft_placement_id *out,
                                double *cost) {
    work w = { .c = c, .r = r };
    const weft_wishes *wishes = r->wishes ? r->wishes[i] : NULL;
    const weft_choice_operand *o = &r->operands[i];
    const weft_type *type = r->op->results[i].type;
    int64_t room = weft_placement_local_bytes(c->t, weft_placement_of(c->t, r->declared[i]), type);
    if (o->have_count)
        room = weft_max_i64(room, weft_placement_local_bytes(c->t, weft_placement_of(c->t, o->have[0]), type));
    *out = r->declared[i]; /* between equals, and where there is no way at all, which who brings it there reports */
    *cost = 0;
    weft_status st = weigh_passing(&w, i, r->declared[i], room, out, cost);
    if (st == WEFT_OK && w.found && o->have_count) st = weigh_passing(&w, i, o->have[0], room, out, cost);
    for (uint32_t k = 0; w.found && wishes && k < wishes->n && st == WEFT_OK; k++)
        st = weigh_passing(&w, i, wishes->v[k].at, room, out, cost);
    return st;
}
