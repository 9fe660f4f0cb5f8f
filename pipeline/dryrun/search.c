/* search.c: see search.h. */
#include "pipeline/dryrun/search.h"

#include <string.h>

enum { MOST_TOGETHER = 12 }; /* moves that helped alone and are tried together */

typedef struct searching {
    const weft_search *x;
    weft_arena *arena;
    weft_move_set *sets;       /* of this round; room for one per move and the joint ones */
    weft_sweep_cost *costs;
    uint32_t *order;           /* moves that helped, the best first */
    size_t tried;
} searching;

bool weft_cost_is_less(const weft_sweep_cost *x, const weft_sweep_cost *y) {
    const double least = 1 - 1e-3;
    if (!x->known || !y->known) return x->known;
    if (x->fits != y->fits) return x->fits;
    return x->fits ? x->step_s < least * y->step_s : x->bytes < least * y->bytes;
}

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

static weft_status price(searching *s, size_t n) {
    s->tried += n;
    return n ? s->x->price(s->x->user, s->sets, n, s->costs) : WEFT_OK;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static size_t room(const searching *s, size_t wanted) { return least(wanted, s->x->most - s->tried); }

/* Every move alone; s->order gets those that help. */
static weft_status try_each(searching *s, const weft_move_set *best, const weft_sweep_cost *cost, uint32_t *helpful) {
    const size_t n = room(s, s->x->moves);
    weft_status st = WEFT_OK;
    *helpful = 0;
    for (size_t i = 0; i < n && st == WEFT_OK; i++) st = toggled(s, best, (uint32_t)i, &s->sets[i]);
    if (st == WEFT_OK) st = price(s, n);
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
    if (st == WEFT_OK) st = price(s, n);
    for (size_t i = 0; i < n && st == WEFT_OK; i++)
        if (weft_cost_is_less(&s->costs[i], cost)) *best = s->sets[i], *cost = s->costs[i];
    return st;
}

weft_status weft_search_run(const weft_search *x, weft_arena *arena, weft_move_set *best, weft_sweep_cost *cost,
                            size_t *tried) {
    searching s = { .x = x, .arena = arena };
    const size_t most = x->moves + MOST_TOGETHER;
    s.sets = weft_arena_array(arena, weft_move_set, most);
    s.costs = weft_arena_array(arena, weft_sweep_cost, most);
    s.order = weft_arena_array(arena, uint32_t, most);
    if (!s.sets || !s.costs || !s.order) return weft_oom();
    weft_status st = WEFT_OK;
    *best = (weft_move_set){ NULL, 0 };
    for (uint32_t helpful = 1; helpful && st == WEFT_OK && s.tried < x->most;) {
        st = try_each(&s, best, cost, &helpful);
        if (st != WEFT_OK || !helpful) break;
        *cost = s.costs[s.order[0]];
        *best = s.sets[s.order[0]];
        st = try_together(&s, helpful, best, cost);
    }
    *tried = s.tried;
    return st;
}
