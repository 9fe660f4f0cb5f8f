/* network_branch.c: networks of few nodes, solved exactly: depth first, the nodes in order, choices by their cost. What
 * the nodes that are left cost is bounded by the least of each with the least of its edges to nodes before it; memory
 * by the least that each of them takes. */
#include <math.h>
#include <string.h>
#include "cost/network_impl.h"

enum { MOST_NODES = 64, MOST_VISITS = 4000000 };

typedef struct brancher {
    weft_network *x;
    double limit;                  /* of memory; 0: none */
    double least[MOST_NODES + 1];  /* of the nodes from i on */
    double *least_use;             /* by node and period: what the nodes from i on take at least */
    double *use;                   /* by depth and period */
    uint32_t *now, *best;
    double cost;
    uint64_t visits;
    bool found;
} brancher;

static double own_cost(const brancher *b, uint32_t i, uint32_t k) {
    const weft_network *x = b->x;
    const network_node *o = &x->node[i];
    double sum = x->cost[o->first + k];
    for (uint32_t e = 0; e < o->near_count; e++) {
        const network_edge *edge = &x->edge[x->near[o->near + e]];
        if (edge->b == i) sum += edge->cost[(size_t)b->now[edge->a] * o->n + k];
    }
    return sum;
}

static bool has_room(const brancher *b, uint32_t depth) {
    const uint32_t n = b->x->periods;
    for (uint32_t p = 0; b->limit > 0 && p < n; p++)
        if (b->use[(size_t)depth * n + p] + b->least_use[(size_t)depth * n + p] > b->limit) return false;
    return true;
}

static void descend(brancher *b, uint32_t i, double sum) {
    const weft_network *x = b->x;
    const network_node *o = &x->node[i];
    const uint32_t n = x->periods;
    if (b->visits++ > MOST_VISITS || sum + b->least[i] >= b->cost) return;
    if (i == x->node_count) {
        b->cost = sum;
        b->found = true;
        memcpy(b->best, b->now, x->node_count * sizeof *b->now);
        return;
    }
    for (uint32_t k = 0; k < o->n; k++) {
        double *use = b->use + (size_t)(i + 1) * n;
        if (n) memcpy(use, use - n, n * sizeof *use);
        for (uint32_t p = o->from; p < o->to; p++) use[p] += x->usage[o->first + k];
        b->now[i] = k;
        if (has_room(b, i + 1)) descend(b, i + 1, sum + own_cost(b, i, k));
    }
}

static void find_least(brancher *b) {
    const weft_network *x = b->x;
    const uint32_t n = x->periods;
    b->least[x->node_count] = 0;
    for (uint32_t i = x->node_count; i-- > 0;) {
        const network_node *o = &x->node[i];
        double least = INFINITY, use = INFINITY;
        for (uint32_t k = 0; k < o->n; k++) {
            double sum = x->cost[o->first + k];
            for (uint32_t e = 0; e < o->near_count; e++) {
                const network_edge *edge = &x->edge[x->near[o->near + e]];
                double low = INFINITY;
                for (uint32_t a = 0; edge->b == i && a < x->node[edge->a].n; a++)
                    low = fmin(low, edge->cost[(size_t)a * o->n + k]);
                if (edge->b == i) sum += low;
            }
            least = fmin(least, sum);
            use = fmin(use, x->usage[o->first + k]);
        }
        b->least[i] = b->least[i + 1] + least;
        double *at = b->least_use + (size_t)i * n;
        if (n) memcpy(at, at + n, n * sizeof *at);
        for (uint32_t p = o->from; p < o->to; p++) at[p] += use;
    }
}

weft_status network_branch(weft_network *x, double limit, uint32_t *choice, bool *whole, bool *found) {
    brancher b = { .x = x, .limit = limit, .cost = x->most, .best = choice };
    const size_t room = (size_t)(x->node_count + 1u) * (x->periods + 1u);
    *whole = *found = false;
    if (x->node_count > MOST_NODES) return WEFT_OK;
    b.now = weft_arena_array(x->arena, uint32_t, x->node_count + 1u);
    b.use = weft_arena_array(x->arena, double, room);
    b.least_use = weft_arena_array(x->arena, double, room);
    if (!b.now || !b.use || !b.least_use) return weft_oom();
    find_least(&b);
    descend(&b, 0, 0);
    *whole = b.visits <= MOST_VISITS;
    *found = b.found;
    return WEFT_OK;
}
