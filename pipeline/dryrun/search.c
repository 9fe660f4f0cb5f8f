/* search.c: see search.h. */
#include "pipeline/dryrun/search.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "cost/network.h"

enum { MOST_TOGETHER = 12,  /* moves that helped alone and are tried together */
       MOST_PAIRED = 10 };  /* moves that are tried in pairs */

/* A move, and the step with it over that without when it was last tried alone; 1: not known. */
typedef enum group { HELPED, GREAT, SMALL, HARMED, GROUPS } group;
typedef struct candidate { uint32_t move; group group; double ratio; } candidate;

typedef struct searching {
    const weft_search *x;
    weft_arena *arena;
    weft_move_set *sets;       /* of this round; room for one per move and the joint ones */
    weft_sweep_cost *costs;
    candidate *moves;          /* in the order in which they are tried: by place in sets and costs */
    size_t n;                  /* of them were tried alone in this round */
    uint32_t *order;           /* places of moves that helped, the best first */
    size_t tried;
} searching;

#define MOST_HARM 0.03 /* of a step: a move that did more is tried again last */
static const weft_sweep_cost nothing = { .known = true, .fits = true }; /* no set is less */

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

/* Those from `first` on. */
static weft_status price(searching *s, size_t first, size_t n, const weft_sweep_cost *beat) {
    s->tried += n;
    return n ? s->x->price(s->x->user, s->sets + first, n, beat, s->costs + first) : WEFT_OK;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static size_t room(const searching *s, size_t wanted) { return least(wanted, s->x->most - s->tried); }

static int in_order(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    return x->move < y->move ? -1 : x->move > y->move;
}

/* So many more moves alone; s->order gets those that help. */
static weft_status try_each(searching *s, size_t n, const weft_move_set *best, const weft_sweep_cost *cost,
                            uint32_t *helpful) {
    const size_t first = s->n;
    weft_status st = WEFT_OK;
    n = room(s, n);
    s->n += n;
    for (size_t i = first; i < s->n && st == WEFT_OK; i++) st = toggled(s, best, s->moves[i].move, &s->sets[i]);
    if (st == WEFT_OK) st = price(s, first, n, cost);
    for (size_t i = first; i < s->n && st == WEFT_OK; i++) {
        const weft_sweep_cost *c = &s->costs[i];
        uint32_t at = *helpful;
        if (cost->fits) s->moves[i].ratio = c->known && c->fits ? c->step_s / cost->step_s : INFINITY;
        if (!weft_cost_is_less(c, cost)) continue;
        for (; at && weft_cost_is_less(c, &s->costs[s->order[at - 1]]); at--) s->order[at] = s->order[at - 1];
        s->order[at] = (uint32_t)i;
        ++*helpful;
    }
    return st;
}

static group group_of(const searching *s, const candidate *c) {
    if (c->ratio < 1 - WEFT_LEAST_GAIN) return HELPED;
    if (s->x->great && s->x->great[c->move]) return GREAT;
    return c->ratio <= 1 + MOST_HARM ? SMALL : HARMED;
}

/* Moves alone, one group after the other until some help. */
static weft_status try_alone(searching *s, const weft_move_set *best, const weft_sweep_cost *cost, uint32_t *helpful) {
    const size_t all = s->x->moves;
    weft_status st = WEFT_OK;
    for (size_t i = 0; i < all; i++) s->moves[i].group = group_of(s, &s->moves[i]);
    if (all) qsort(s->moves, all, sizeof *s->moves, in_order);
    s->n = 0;
    *helpful = 0;
    for (group g = HELPED; g < GROUPS && !*helpful && st == WEFT_OK; g++) {
        size_t n = 0;
        while (s->n + n < all && s->moves[s->n + n].group == g) n++;
        st = try_each(s, n, best, cost, helpful);
    }
    return st;
}

/* What its moves do when they are taken back is not known. */
static void forget(searching *s, const weft_move_set *set) {
    for (size_t i = 0; i < s->x->moves; i++)
        for (uint32_t k = 0; k < set->n; k++)
            if (set->v[k] == s->moves[i].move) s->moves[i].ratio = 1;
}

/* The best two that helped, three, and so on; to *best the cheapest. */
static weft_status try_together(searching *s, uint32_t helpful, weft_move_set *best, weft_sweep_cost *cost) {
    const size_t n = room(s, least(helpful, MOST_TOGETHER) - 1);
    weft_move_set last = *best;
    weft_status st = WEFT_OK;
    for (size_t i = 0; i < n && st == WEFT_OK; i++) {
        st = toggled(s, &last, s->moves[s->order[i + 1]].move, &s->sets[i]);
        last = s->sets[i];
    }
    if (st == WEFT_OK) st = price(s, 0, n, cost);
    for (size_t i = 0; i < n && st == WEFT_OK; i++)
        if (weft_cost_is_less(&s->costs[i], cost)) *best = s->sets[i], *cost = s->costs[i];
    return st;
}

/* ---- pairs ---- */

/* Moves that are tried in pairs: the cheapest ones alone. */
typedef struct pairs {
    uint32_t n, v[MOST_PAIRED];                   /* moves; while they are chosen: their places */
    weft_sweep_cost alone[MOST_PAIRED];
    double step_s[MOST_PAIRED][MOST_PAIRED];      /* of both; below 0: not known */
} pairs;

static uint32_t pairs_within(size_t room) {
    uint32_t n = 0;
    while (n < MOST_PAIRED && (size_t)(n + 1) * n / 2 <= room) n++;
    return n;
}

/* The cheapest of this round's moves, at most so many. */
static void list_cheapest(const searching *s, uint32_t most, pairs *p) {
    p->n = 0;
    for (size_t i = 0; i < s->n && most > 1; i++) {
        const weft_sweep_cost *c = &s->costs[i];
        if (!c->known) continue;
        uint32_t at = p->n < most ? p->n++ : most;
        for (; at && weft_cost_is_lower(c, &p->alone[at - 1]); at--)
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
        if (!p->alone[i].at_least) continue;
        of[n] = p->v[i];
        sets[n++] = s->sets[p->v[i]];
    }
    if (!n) return WEFT_OK;
    *any = true;
    const weft_status st = s->x->price(s->x->user, sets, n, NULL, costs);
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++) s->costs[of[i]] = costs[i];
    return st;
}

/* By moves in place of places, in the order of moves: one may change what another does. */
static void put_in_order(const searching *s, pairs *p) {
    for (uint32_t i = 0; i < p->n; i++) {
        const uint32_t move = s->moves[p->v[i]].move;
        const weft_sweep_cost alone = p->alone[i];
        uint32_t at = i;
        for (; at && p->v[at - 1] > move; at--) p->v[at] = p->v[at - 1], p->alone[at] = p->alone[at - 1];
        p->v[at] = move, p->alone[at] = alone;
    }
}

/* As many of this round's moves as there is room for; those that do not fit come last. */
static weft_status choose_pairs(searching *s, pairs *p) {
    const uint32_t most = pairs_within(room(s, SIZE_MAX) ? room(s, SIZE_MAX) - 1 : 0);
    weft_status st = WEFT_OK;
    for (bool any = true; any && st == WEFT_OK;) {
        list_cheapest(s, most, p);
        st = complete(s, p, &any);
    }
    put_in_order(s, p);
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
    if (st == WEFT_OK) st = price(s, 0, n, &nothing);
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
        st = price(s, 0, 1, NULL);
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
    s.moves = weft_arena_array(arena, candidate, x->moves);
    if (!s.sets || !s.costs || !s.order || !s.moves) return weft_oom();
    for (size_t i = 0; i < x->moves; i++) s.moves[i] = (candidate){ (uint32_t)i, SMALL, 1 };
    weft_status st = WEFT_OK;
    out->set = (weft_move_set){ NULL, 0 };
    out->bound_s = 0;
    for (bool better = true; better && st == WEFT_OK && s.tried < x->most;) {
        const weft_sweep_cost before = out->cost;
        const weft_move_set from = out->set;
        uint32_t helpful;
        pairs p;
        st = try_alone(&s, &from, &before, &helpful);
        if (st != WEFT_OK) break;
        if (helpful) {
            out->cost = s.costs[s.order[0]];
            out->set = s.sets[s.order[0]];
            out->bound_s = 0; /* it was of moves from another set */
            st = try_together(&s, helpful, &out->set, &out->cost);
        } else {
            st = choose_pairs(&s, &p);
            if (st == WEFT_OK) st = try_pairs(&s, &p, &from, &before, out);
        }
        better = weft_cost_is_less(&out->cost, &before);
        forget(&s, &out->set);
    }
    out->tried = s.tried;
    return st;
}
