/* search.c: see search.h. */
#include "pipeline/dryrun/search.h"

#include <float.h>
#include <stdint.h>
#include <string.h>
#include "cost/network.h"

enum { MOST_TOGETHER = 12,  /* moves that helped alone and are tried together */
       MOST_PAIRED = 10 };  /* moves that are tried in pairs */

typedef struct searching {
    const weft_search *x;
    weft_arena *arena;
    weft_move_set *sets;       /* of this round; room for one per move and the joint ones */
    weft_sweep_cost *costs;
    uint32_t *order;           /* moves that helped, the best first */
    size_t tried;
} searching;

static const double least_gain = 1 - 1e-3;
static const double any_time_s = DBL_MIN; /* no step is shorter */

bool weft_cost_is_less(const weft_sweep_cost *x, const weft_sweep_cost *y) {
    if (!x->known || !y->known) return x->known;
    if (x->fits != y->fits) return x->fits;
    return x->fits ? x->step_s < least_gain * y->step_s : x->bytes < least_gain * y->bytes;
}

/* The time from which on a cost is not less than x, whatever its memory; 0: its memory counts at any time. */
static double enough_for(const weft_sweep_cost *x) { return x->known && x->fits ? least_gain * x->step_s : 0; }

/* The set with the move, or without it if it was there. */
static weft_status toggled(searching *s, const weft_move_set *from, uint32_t move, weft_move_set *out) {
    uint32_t *v = weft_arena_array(s->arena, uint32_t, from->n + 1u), n = 0;
    if (!v) return weft_oom();
    for (uint32_t i = 0; i < from->n; i++)
        if (from->v[i] != move) v[n++] = from->v[i];
    if (n == from->n) v[n++] = move;
    *out = (weft_move_set){ v, n };
    return WEFT_OK;
}

static weft_status price(searching *s, size_t n, double enough_s) {
    s->tried += n;
    return n ? s->x->price(s->x->user, s->sets, n, enough_s, s->costs) : WEFT_OK;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static size_t room(const searching *s, size_t wanted) { return least(wanted, s->x->most - s->tried); }

/* Every move alone; s->order gets those that help. */
static weft_status try_each(searching *s, const weft_move_set *best, const weft_sweep_cost *cost, uint32_t *helpful) {
    const size_t n = room(s, s->x->moves);
    weft_status st = WEFT_OK;
    *helpful = 0;
    for (size_t i = 0; i < n && st == WEFT_OK; i++) st = toggled(s, best, (uint32_t)i, &s->sets[i]);
    if (st == WEFT_OK) st = price(s, n, enough_for(cost));
    for (size_t i = 0; i < n && st == WEFT_OK; i++) {
        uint32_t at = *helpful;
        if (!weft_cost_is_less(&s->costs[i], cost)) continue;
        for (; at && weft_cost_is_less(&s->costs[i], &s->costs[s->order[at - 1]]); at--)
            s->order[at] = s->order[at - 1];
        s->order[at] = (uint32_t)i;
        ++*helpful;
    }
    return st;
}

/* The best two that helped, three, and so on; to *best the cheapest. */
static weft_status try_together(searching *s, uint32_t helpful, weft_move_set *best, weft_sweep_cost *cost) {
    const size_t n = room(s, least(helpful, MOST_TOGETHER) - 1);
    weft_move_set last = *best;
    weft_status st = WEFT_OK;
    for (size_t i = 0; i < n && st == WEFT_OK; i++) {
        st = toggled(s, &last, s->order[i + 1], &s->sets[i]);
        last = s->sets[i];
    }
    if (st == WEFT_OK) st = price(s, n, enough_for(cost));
    for (size_t i = 0; i < n && st == WEFT_OK; i++)
        if (weft_cost_is_less(&s->costs[i], cost)) *best = s->sets[i], *cost = s->costs[i];
    return st;
}

/* ---- pairs ---- */

/* Moves that are tried in pairs: the cheapest ones alone. */
typedef struct pairs {
    uint32_t n, v[MOST_PAIRED];                   /* by number of the move */
    weft_sweep_cost alone[MOST_PAIRED];
    double step_s[MOST_PAIRED][MOST_PAIRED];      /* of both; below 0: not known */
} pairs;

static uint32_t pairs_within(size_t room) {
    uint32_t n = 0;
    while (n < MOST_PAIRED && (size_t)(n + 1) * n / 2 <= room) n++;
    return n;
}

/* The cheapest of this round's moves, at most so many. */
static void list_cheapest(const searching *s, size_t moves, uint32_t most, pairs *p) {
    p->n = 0;
    for (size_t i = 0; i < moves && most > 1; i++) {
        const weft_sweep_cost *c = &s->costs[i];
        if (!c->known) continue;
        uint32_t at = p->n < most ? p->n++ : most;
        for (; at && weft_cost_is_less(c, &p->alone[at - 1]); at--)
            if (at < p->n) p->v[at] = p->v[at - 1], p->alone[at] = p->alone[at - 1];
        if (at < p->n) p->v[at] = (uint32_t)i, p->alone[at] = *c;
    }
}

/* The whole costs of those in the list of which only the time is known; *any: there were some. They have been tried. */
static weft_status complete(searching *s, const pairs *p, bool *any) {
    weft_move_set sets[MOST_PAIRED];
    weft_sweep_cost costs[MOST_PAIRED];
    uint32_t of[MOST_PAIRED], n = 0;
    *any = false;
    for (uint32_t i = 0; i < p->n; i++) {
        if (!p->alone[i].is_slow) continue;
        of[n] = p->v[i];
        sets[n++] = s->sets[p->v[i]];
    }
    if (!n) return WEFT_OK;
    *any = true;
    const weft_status st = s->x->price(s->x->user, sets, n, 0, costs);
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++) s->costs[of[i]] = costs[i];
    return st;
}

/* As many of this round's moves as there is room for; those that do not fit come last. */
static weft_status choose_pairs(searching *s, size_t moves, pairs *p) {
    const uint32_t most = pairs_within(room(s, SIZE_MAX) ? room(s, SIZE_MAX) - 1 : 0);
    weft_status st = WEFT_OK;
    for (bool any = true; any && st == WEFT_OK;) {
        list_cheapest(s, moves, most, p);
        st = complete(s, p, &any);
    }
    return st;
}

/* What pairs take: their memory is the sum of what their moves change. */
static weft_status price_pairs(searching *s, const weft_move_set *best, pairs *p) {
    weft_move_set one;
    size_t n = 0;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < p->n && st == WEFT_OK; i++) {
        st = toggled(s, best, p->v[i], &one);
        for (uint32_t k = 0; k < i && st == WEFT_OK; k++) st = toggled(s, &one, p->v[k], &s->sets[n++]);
    }
    if (st == WEFT_OK) st = price(s, n, any_time_s);
    n = 0;
    for (uint32_t i = 0; i < p->n && st == WEFT_OK; i++)
        for (uint32_t k = 0; k < i; k++, n++) p->step_s[i][k] = s->costs[n].known ? s->costs[n].step_s : -1;
    return st;
}

/* A node for each move, which is made or not, and one for what is there already; an edge for each pair: how much the
 * two differ from their sum. Memory adds up; a move may take less than nothing, since all nodes live as long. */
static weft_status make_network(const pairs *p, const weft_sweep_cost *base, weft_arena *arena, weft_network **out) {
    const double nothing = 0;
    weft_network *x = *out = weft_network_new(arena, p->n + 1, p->n * p->n / 2);
    weft_status st = x ? weft_network_set_node(x, p->n, 1, &nothing, &base->bytes, 0, 1) : weft_oom();
    for (uint32_t i = 0; i < p->n && st == WEFT_OK; i++) {
        const double cost[2] = { 0, p->alone[i].step_s - base->step_s };
        const double use[2] = { 0, p->alone[i].bytes - base->bytes };
        st = weft_network_set_node(x, i, 2, cost, use, 0, 1);
    }
    for (uint32_t i = 0; i < p->n && st == WEFT_OK; i++)
        for (uint32_t k = 0; k < i && st == WEFT_OK; k++) {
            const double both = p->step_s[i][k];
            const double more = both < 0 ? WEFT_NETWORK_NEVER
                                         : both - p->alone[i].step_s - p->alone[k].step_s + base->step_s;
            st = weft_network_add_edge(x, i, k, (const double[4]){ 0, 0, 0, more });
        }
    return st;
}

/* Tries the set that is the cheapest if moves matter in pairs only; the bound is what it then takes. from, base: what
 * the moves are made from. */
static weft_status try_pairs(searching *s, pairs *p, const weft_move_set *from, const weft_sweep_cost *base,
                             weft_search_result *out) {
    weft_network *x;
    weft_network_result r;
    weft_move_set set = *from;
    weft_arena arena;
    if (p->n < 2 || !base->known) return WEFT_OK;
    weft_status st = price_pairs(s, from, p);
    weft_arena_init(&arena, &s->arena->alloc);
    if (st == WEFT_OK) st = make_network(p, base, &arena, &x);
    if (st == WEFT_OK) st = weft_network_solve(x, &(weft_network_options){ .limit = s->x->memory_bytes }, &r);
    uint32_t made = 0;
    for (uint32_t i = 0; i < p->n && st == WEFT_OK; i++) {
        if (!r.choice[i]) continue;
        st = toggled(s, &set, p->v[i], &set);
        made++;
    }
    if (st == WEFT_OK && r.fits) out->bound_s = base->step_s + r.bound;
    if (st == WEFT_OK && made && room(s, 1)) {
        s->sets[0] = set;
        st = price(s, 1, 0);
        if (st == WEFT_OK && weft_cost_is_less(&s->costs[0], &out->cost)) out->set = set, out->cost = s->costs[0];
    }
    weft_arena_free(&arena);
    return st;
}

weft_status weft_search_run(const weft_search *x, weft_arena *arena, weft_search_result *out) {
    searching s = { .x = x, .arena = arena };
    const size_t most = x->moves + MOST_TOGETHER + MOST_PAIRED * MOST_PAIRED / 2;
    s.sets = weft_arena_array(arena, weft_move_set, most);
    s.costs = weft_arena_array(arena, weft_sweep_cost, most);
    s.order = weft_arena_array(arena, uint32_t, most);
    if (!s.sets || !s.costs || !s.order) return weft_oom();
    weft_status st = WEFT_OK;
    out->set = (weft_move_set){ NULL, 0 };
    out->bound_s = 0;
    for (bool better = true; better && st == WEFT_OK && s.tried < x->most;) {
        const weft_sweep_cost before = out->cost;
        const weft_move_set from = out->set;
        const size_t n = room(&s, x->moves);
        uint32_t helpful;
        pairs p;
        st = try_each(&s, &from, &before, &helpful);
        if (st != WEFT_OK) break;
        if (helpful) {
            out->cost = s.costs[s.order[0]];
            out->set = s.sets[s.order[0]];
            out->bound_s = 0; /* it was of moves from another set */
            st = try_together(&s, helpful, &out->set, &out->cost);
        } else {
            st = choose_pairs(&s, n, &p);
            if (st == WEFT_OK) st = try_pairs(&s, &p, &from, &before, out);
        }
        better = weft_cost_is_less(&out->cost, &before);
    }
    out->tried = s.tried;
    return st;
}
