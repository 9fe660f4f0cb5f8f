/* reshard_plan.c: Dijkstra's search over placements; see reshard_plan.h.
 *
 * The moves offered from a placement are only those that lead towards the target: slice by an atom that the target
 * wants and whose turn it is, gather what stands in the way, carry atoms to the dimension that wants them, bring
 * dimensions whose size is right into the right order, reduce what the target has reduced, scattering where it is
 * sharded by the same atoms. So the search sees tens of placements, and the chain "slices first, gathers last" comes
 * out by itself: slicing is free and makes every later move cheaper.
 */
#include "base/table.h"
#include "partitioner/layout/reshard_plan.h"
#include "cost/link.h"
#include "partitioner/layout/collective_steps.h"

#define MAX_STATES 768

typedef struct state {
    weft_placement l;
    double cost;               /* price of the moves to here */
    double wire;
    uint32_t from;             /* state before */
    weft_move move;
    bool done;
} state;

typedef struct entry {
    weft_placement_id from, to;
    uint32_t type;
    const weft_reshard_plan *plan;
} entry;

struct weft_planner {
    weft_placements *placements;
    const weft_costs *costs;
    weft_arena *arena;
    weft_table known; /* of entry */
    state *states;
    uint32_t n;
};

typedef struct search {
    weft_planner *p;
    const weft_placements *t;
    const weft_placement *target;
    const weft_type *type;
    bool full;
} search;

double weft_move_wire_bytes(weft_move_kind kind, int64_t local_bytes, int64_t group) {
    static const weft_coll_kind_plan collective[] = {
        [WEFT_MOVE_GATHER] = WEFT_PLAN_ALL_GATHER, [WEFT_MOVE_ALL_TO_ALL] = WEFT_PLAN_ALL_TO_ALL,
        [WEFT_MOVE_PERMUTE] = WEFT_PLAN_COLLECTIVE_PERMUTE, [WEFT_MOVE_REDUCE] = WEFT_PLAN_ALL_REDUCE,
        [WEFT_MOVE_REDUCE_SCATTER] = WEFT_PLAN_REDUCE_SCATTER,
    };
    return kind == WEFT_MOVE_SLICE ? 0 : (double)weft_wire_bytes(collective[kind], group, local_bytes);
}

double weft_move_price_sent(const weft_costs *c, weft_move_kind kind, int64_t local_bytes, int64_t group) {
    return weft_price_sent(c, weft_move_wire_bytes(kind, local_bytes, group));
}

double weft_move_price_call(const weft_costs *c, weft_move_kind kind) {
    return kind == WEFT_MOVE_SLICE ? c->slice_s : c->call_s;
}

double weft_move_price(const weft_costs *c, weft_move_kind kind, int64_t local_bytes, int64_t group) {
    return weft_move_price_sent(c, kind, local_bytes, group) + weft_move_price_call(c, kind);
}

weft_status weft_planner_open(weft_placements *placements, const weft_costs *costs, weft_arena *arena,
                              weft_planner **out) {
    weft_planner *p = weft_arena_new(arena, weft_planner);
    if (!p) return weft_oom();
    p->placements = placements;
    p->costs = costs;
    p->arena = arena;
    p->states = weft_arena_array(arena, state, MAX_STATES);
    if (!p->states) return weft_oom();
    *out = p;
    return WEFT_OK;
}

const weft_costs *weft_planner_costs(const weft_planner *p) { return p->costs; }

/* --- the search ------------------------------------------------------------------------------------------------ */

static bool same(const weft_placement *a, const weft_placement *b) {
    return a->n == b->n && a->unreduced == b->unreduced && !memcmp(a->at, b->at, a->n * sizeof a->at[0]);
}

/* What a device has before a move, or after it for a gather. What is split unevenly, there or then, has the padding of
 * all parts. */
static int64_t moved_bytes(const search *s, weft_move_kind kind, const weft_placement *from, const weft_placement *to,
                           uint32_t to_dim, int64_t group) {
    const int64_t before = weft_placement_local_bytes(s->t, from, s->type);
    if (kind == WEFT_MOVE_GATHER) return before * group;
    if (kind == WEFT_MOVE_REDUCE_SCATTER) return weft_placement_local_bytes(s->t, to, s->type) * group;
    if (kind != WEFT_MOVE_ALL_TO_ALL || !before) return before;
    const int64_t n = s->type->dims[to_dim];
    return before / weft_placement_dim_part(s->t, from, to_dim, n) * weft_placement_dim_part(s->t, to, to_dim, n) *
           group;
}

static void offer(search *s, uint32_t from, const weft_placement *l, weft_move_kind kind, uint32_t dim, uint32_t to_dim,
                  int64_t group) {
    const state *f = &s->p->states[from];
    if (!weft_placement_fits_step(s->t, &f->l, l, s->type)) return;
    const weft_costs *costs = s->p->costs;
    const double wire = weft_move_wire_bytes(kind, moved_bytes(s, kind, &f->l, l, to_dim, group), group);
    const double cost = f->cost + (weft_price_sent(costs, wire) + weft_move_price_call(costs, kind));
    uint32_t i = 0;
    while (i < s->p->n && !same(&s->p->states[i].l, l)) i++;
    if (i == MAX_STATES) {
        s->full = true;
        return;
    }
    state *to = &s->p->states[i];
    if (i == s->p->n) {
        s->p->n++;
        to->l = *l;
        to->done = false;
    } else if (to->done || to->cost <= cost) return;
    to->cost = cost;
    to->wire = f->wire + wire;
    to->from = from;
    to->move = (weft_move){ kind, (uint8_t)dim, (uint8_t)to_dim, 0 };
}

/* Whether dimension d of l holds a prefix of what the target has there; *n is its length. */
static bool on_the_way(const search *s, const weft_placement *l, uint32_t d, uint32_t *n) {
    weft_placement_range a = weft_placement_dim(l, d), b = weft_placement_dim(s->target, d);
    *n = a.n;
    if (a.n > b.n) return false;
    for (uint32_t i = 0; i < a.n; i++)
        if (l->at[a.first + i].atom != s->target->at[b.first + i].atom) return false;
    return true;
}

static bool wanted(const search *s, uint32_t d, uint32_t atom) {
    for (uint32_t i = 0; i < s->target->n; i++)
        if (s->target->at[i].dim == d && s->target->at[i].atom == atom) return true;
    return false;
}

static bool is_even(const search *s, uint32_t d) {
    return s->type->dims[d] % weft_placement_dim_shards(s->t, s->target, d) == 0;
}

/* An uneven dimension that is not split is split as the target wants it at once: its parts need not be parts of larger
 * ones. */
static void offer_whole_slices(search *s, uint32_t from) {
    const weft_placement *l = &s->p->states[from].l;
    for (uint32_t d = 0; d < s->type->rank; d++) {
        weft_placement_range want = weft_placement_dim(s->target, d);
        weft_placement next = s->p->states[from].l;
        bool free = want.n > 1 && weft_placement_dim(l, d).n == 0 && !is_even(s, d);
        for (uint32_t i = 0; free && i < want.n; i++) {
            uint32_t a = s->target->at[want.first + i].atom;
            free = !weft_bits_has(l->used | l->unreduced, a);
            weft_placement_append(&next, d, a);
        }
        if (free) offer(s, from, &next, WEFT_MOVE_SLICE, d, d, weft_placement_dim_shards(s->t, &next, d));
    }
}

/* Free atoms that the target has next in a dimension, every atom before them being there already in any order. */
static void offer_slices(search *s, uint32_t from) {
    const weft_placement *l = &s->p->states[from].l;
    weft_atoms before = 0;
    for (uint32_t i = 0; i < s->target->n; i++) {
        uint32_t d = s->target->at[i].dim, a = s->target->at[i].atom;
        if (i > 0 && s->target->at[i - 1].dim != d) before = 0;
        weft_atoms here = 0;
        weft_placement_range r = weft_placement_dim(l, d);
        for (uint32_t k = 0; k < r.n; k++) here |= (weft_atoms)weft_bit(l->at[r.first + k].atom);
        if (!weft_bits_has(l->used | l->unreduced, a) && (before & ~here) == 0) {
            weft_placement next = *l;
            weft_placement_append(&next, d, a);
            offer(s, from, &next, WEFT_MOVE_SLICE, d, d, weft_atom_size(s->t, a));
        }
        before |= (weft_atoms)weft_bit(a);
    }
}

static void offer_gathers(search *s, uint32_t from, uint32_t d) {
    weft_placement l = s->p->states[from].l;
    weft_placement_range r = weft_placement_dim(&l, d);
    int64_t group = 1;
    for (uint32_t k = 1; k <= r.n; k++) {
        group *= weft_atom_size(s->t, l.at[r.first + r.n - k].atom);
        weft_placement next = l;
        weft_placement_remove(&next, r.first + r.n - k, k);
        offer(s, from, &next, WEFT_MOVE_GATHER, d, d, group);
    }
}

static void offer_all_to_alls(search *s, uint32_t from, uint32_t d) {
    weft_placement l = s->p->states[from].l;
    weft_placement_range r = weft_placement_dim(&l, d);
    for (uint32_t j = 0; j < s->type->rank; j++) {
        int64_t group = 1;
        if (j == d) continue;
        for (uint32_t k = 1; k <= r.n; k++) {
            uint32_t first = r.first + r.n - k;
            if (!wanted(s, j, l.at[first].atom)) break;
            group *= weft_atom_size(s->t, l.at[first].atom);
            weft_placement next = l;
            weft_placement_remove(&next, first, k);
            for (uint32_t i = 0; i < k; i++) weft_placement_append(&next, j, l.at[first + i].atom);
            offer(s, from, &next, WEFT_MOVE_ALL_TO_ALL, d, j, group);
        }
    }
}

/* Every dimension whose number of shards is the target's takes the target's atoms; the others put what the target wants
 * first in its order. One permute does it all. */
static void offer_permute(search *s, uint32_t from) {
    const weft_placement *l = &s->p->states[from].l;
    weft_placement next = { .unreduced = l->unreduced };
    for (uint32_t d = 0; d < s->type->rank; d++) {
        weft_placement_range r = weft_placement_dim(l, d), w = weft_placement_dim(s->target, d);
        if (weft_placement_dim_shards(s->t, l, d) == weft_placement_dim_shards(s->t, s->target, d)) {
            for (uint32_t i = 0; i < w.n; i++) {
                uint32_t a = s->target->at[w.first + i].atom;
                if (weft_bits_has(next.used | next.unreduced, a)) return;
                weft_placement_append(&next, d, a);
            }
            continue;
        }
        for (uint32_t pass = 0; pass < 2; pass++)
            for (uint32_t i = 0; i < (pass ? r.n : w.n); i++) {
                uint32_t a = pass ? l->at[r.first + i].atom : s->target->at[w.first + i].atom;
                bool here = false;
                for (uint32_t k = 0; k < r.n; k++) here = here || l->at[r.first + k].atom == a;
                if (!here || (pass && wanted(s, d, a))) continue;
                if (weft_bits_has(next.used | next.unreduced, a)) return;
                weft_placement_append(&next, d, a);
            }
    }
    if (next.n == 0 || same(&next, l)) return;
    offer(s, from, &next, WEFT_MOVE_PERMUTE, 0, 0, 2);
}

static void offer_reductions(search *s, uint32_t from) {
    const weft_placement l = s->p->states[from].l;
    weft_atoms todo = l.unreduced & ~s->target->unreduced;
    if (!todo) return;
    weft_placement next = l;
    next.unreduced &= ~todo;
    offer(s, from, &next, WEFT_MOVE_REDUCE, 0, 0, weft_atoms_size(s->t, todo));
    weft_atoms apart = todo & s->target->used; /* those that may be scattered, and the rest alone */
    if (apart && apart != todo) {
        next = l;
        next.unreduced &= ~(todo & ~apart);
        offer(s, from, &next, WEFT_MOVE_REDUCE, 0, 0, weft_atoms_size(s->t, todo & ~apart));
    }
    for (uint32_t i = 0; i < s->target->n; i++) {
        uint32_t d = s->target->at[i].dim;
        if (weft_bits_has(l.used, s->target->at[i].atom)) continue;
        int64_t group = 1;
        next = l;
        for (uint32_t k = i; k < s->target->n && s->target->at[k].dim == d; k++) {
            uint32_t a = s->target->at[k].atom;
            if (!weft_bits_has(todo, a)) break;
            next.unreduced &= ~(weft_atoms)weft_bit(a);
            weft_placement_append(&next, d, a);
            group *= weft_atom_size(s->t, a);
            offer(s, from, &next, WEFT_MOVE_REDUCE_SCATTER, 0, d, group);
        }
    }
}

static void expand(search *s, uint32_t at) {
    uint32_t n;
    offer_slices(s, at);
    offer_whole_slices(s, at);
    offer_reductions(s, at);
    offer_permute(s, at);
    for (uint32_t d = 0; d < s->type->rank; d++) {
        bool there = on_the_way(s, &s->p->states[at].l, d, &n);
        if (there && (is_even(s, d) || n == weft_placement_dim(s->target, d).n)) continue;
        offer_gathers(s, at, d);
        offer_all_to_alls(s, at, d);
    }
}

/* One call that talks is as good as can be, unless what it brings is thrown away by a slice after it. */
static weft_status price_plan(search *s, const weft_placement *from, weft_placement_id to, weft_reshard_plan *plan) {
    weft_steps_price steps;
    weft_placement_id begin;
    uint32_t talks = 0;
    bool wasteful = false;
    plan->price = weft_price_sent(s->p->costs, plan->wire_bytes) + s->p->costs->call_s * plan->n;
    for (uint32_t i = 0; i < plan->n; i++) {
        if (plan->moves[i].kind != WEFT_MOVE_SLICE) talks++;
        else wasteful = wasteful || talks;
    }
    if ((talks < 2 && !wasteful) || from->unreduced || s->target->unreduced || from->order != s->target->order)
        return WEFT_OK;
    weft_placements *t = s->p->placements;
    weft_status st = weft_placement_intern(t, from, &begin);
    if (st != WEFT_OK) return st;
    const weft_sharding *a = weft_placement_sharding(t, begin, s->type->rank),
                        *b = weft_placement_sharding(t, to, s->type->rank);
    if (!a || !b) return weft_oom();
    st = weft_price_collectives(weft_placements_context(t), weft_placements_shardings(t), a, b, s->type, s->p->costs,
                                &steps);
    if (st == WEFT_OK && steps.even && steps.price < plan->price && weft_placements_may_cut(t, &steps.along))
        plan->price = steps.price;
    return st;
}

static weft_status take_plan(search *s, uint32_t end, weft_placement_id target, const weft_reshard_plan **out) {
    weft_planner *p = s->p;
    weft_reshard_plan *plan = weft_arena_new(p->arena, weft_reshard_plan);
    if (!plan) return weft_oom();
    uint32_t n = 0;
    for (uint32_t i = end; i != 0; i = p->states[i].from) n++;
    weft_move *moves = weft_arena_array(p->arena, weft_move, n);
    if (!moves) return weft_oom();
    plan->n = n;
    plan->wire_bytes = p->states[end].wire;
    plan->moves = moves;
    for (uint32_t i = end; i != 0; i = p->states[i].from) {
        moves[--n] = p->states[i].move;
        weft_status st = weft_placement_intern(p->placements, &p->states[i].l, &moves[n].after);
        if (st != WEFT_OK) return st;
    }
    *out = plan;
    const weft_placement from = p->states[0].l;
    return price_plan(s, &from, target, plan);
}

/* Whether l holds in dimension d what the target does. */
static bool there(const search *s, const weft_placement *l, uint32_t d) {
    uint32_t n;
    return on_the_way(s, l, d, &n) && n == weft_placement_dim(s->target, d).n;
}

/* A way that there always is, for a search over more placements than there is room for: reduce, gather the dimensions
 * that differ, slice them. It gathers much, so that price_plan finds Shardy's steps cheaper wherever these can be
 * taken. */
static void gather_and_slice(search *s) {
    weft_planner *p = s->p;
    weft_placement next = p->states[0].l;
    const weft_atoms todo = next.unreduced & ~s->target->unreduced;
    p->n = 1;
    next.unreduced &= ~todo;
    if (todo) offer(s, 0, &next, WEFT_MOVE_REDUCE, 0, 0, weft_atoms_size(s->t, todo));
    for (uint32_t d = 0; d < s->type->rank; d++) {
        const weft_placement_range r = weft_placement_dim(&next, d);
        const int64_t shards = weft_placement_dim_shards(s->t, &next, d);
        if (!r.n || there(s, &next, d)) continue;
        weft_placement_remove(&next, r.first, r.n);
        offer(s, p->n - 1, &next, WEFT_MOVE_GATHER, d, d, shards);
    }
    for (uint32_t d = 0; d < s->type->rank; d++) {
        const weft_placement_range want = weft_placement_dim(s->target, d);
        if (there(s, &next, d)) continue;
        for (uint32_t i = 0; i < want.n; i++) weft_placement_append(&next, d, s->target->at[want.first + i].atom);
        offer(s, p->n - 1, &next, WEFT_MOVE_SLICE, d, d, weft_placement_dim_shards(s->t, &next, d));
    }
}

static weft_status run_search(weft_planner *p, weft_placement_id from, weft_placement_id to, const weft_type *type,
                              const weft_reshard_plan **out) {
    weft_placement target = *weft_placement_of(p->placements, to);
    search s = { p, p->placements, &target, type, false };
    p->n = 1;
    p->states[0] = (state){ .l = *weft_placement_of(p->placements, from) };
    *out = NULL;
    for (;;) {
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < p->n; i++)
            if (!p->states[i].done && (best == UINT32_MAX || p->states[i].cost < p->states[best].cost)) best = i;
        if (best == UINT32_MAX) break;
        if (same(&p->states[best].l, &target)) return take_plan(&s, best, to, out);
        p->states[best].done = true;
        expand(&s, best);
    }
    if (s.full) gather_and_slice(&s);
    return s.full && same(&p->states[p->n - 1].l, &target) ? take_plan(&s, p->n - 1, to, out) : WEFT_OK;
}

/* --- the memory ------------------------------------------------------------------------------------------------ */

static const weft_reshard_plan nothing_to_do;

weft_status weft_reshard_plan_find(weft_planner *p, weft_placement_id from, weft_placement_id to, const weft_type *type,
                                   const weft_reshard_plan **out) {
    if (from == to) {
        *out = &nothing_to_do;
        return WEFT_OK;
    }
    const uint64_t hash = weft_hash_end(weft_hash_mix(weft_hash_mix(from, to), type->id));
    size_t probe = 0;
    for (const entry *e; (e = weft_table_next(&p->known, hash, &probe));)
        if (e->from == from && e->to == to && e->type == type->id) return *out = e->plan, WEFT_OK;
    const weft_reshard_plan *plan = NULL;
    weft_status st = run_search(p, from, to, type, &plan);
    if (st != WEFT_OK) return st;
    entry *e = weft_arena_new(p->arena, entry);
    if (!e) return weft_oom();
    *e = (entry){ from, to, type->id, plan };
    *out = plan;
    return weft_table_add(&p->known, p->arena, hash, e) ? WEFT_OK : weft_oom();
}
