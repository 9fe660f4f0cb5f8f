/* network.c: networks of costs: making them, and what choices cost; see network.h. */
#include "cost/network_impl.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

weft_network *weft_network_new(weft_arena *arena, uint32_t nodes, uint32_t edges) {
    weft_network *x = weft_arena_new(arena, weft_network);
    if (!x) return NULL;
    *x = (weft_network){ .arena = arena, .node_count = nodes, .edge_cap = edges,
                         .never = WEFT_NETWORK_NEVER, .most = WEFT_NETWORK_NEVER };
    x->node = weft_arena_array(arena, network_node, nodes + 1u);
    x->edge = weft_arena_array(arena, network_edge, edges + 1u);
    return x->node && x->edge ? x : NULL;
}

static bool grow(weft_network *x, uint32_t n) {
    if (x->choice_count + n <= x->choice_cap) return true;
    const size_t cap = 2 * x->choice_cap + n + 64;
    double *cost = weft_arena_array(x->arena, double, cap), *usage = weft_arena_array(x->arena, double, cap);
    if (!cost || !usage) return false;
    if (x->choice_count) memcpy(cost, x->cost, x->choice_count * sizeof *cost);
    if (x->choice_count) memcpy(usage, x->usage, x->choice_count * sizeof *usage);
    x->cost = cost;
    x->usage = usage;
    x->choice_cap = cap;
    return true;
}

static double clip(double cost) { return cost < WEFT_NETWORK_NEVER ? cost : WEFT_NETWORK_NEVER; }

weft_status weft_network_set_node(weft_network *x, uint32_t node, uint32_t n, const double *cost, const double *usage,
                                  int64_t begin, int64_t end) {
    if (!grow(x, n)) return weft_oom();
    x->node[node] = (network_node){ .first = (uint32_t)x->choice_count, .n = n, .begin = begin, .end = end };
    for (uint32_t i = 0; i < n; i++) {
        x->cost[x->choice_count] = clip(cost[i]);
        x->usage[x->choice_count++] = usage ? usage[i] : 0;
    }
    if (n > x->most_choices) x->most_choices = n;
    return WEFT_OK;
}

weft_status weft_network_add_edge(weft_network *x, uint32_t a, uint32_t b, const double *costs) {
    const uint32_t low = a < b ? a : b, high = a < b ? b : a, n = x->node[low].n, m = x->node[high].n;
    double *cost = weft_arena_array(x->arena, double, (size_t)n * m);
    if (!cost) return weft_oom();
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < m; k++)
            cost[(size_t)i * m + k] = clip(a < b ? costs[(size_t)i * m + k] : costs[(size_t)k * n + i]);
    assert(x->edge_count < x->edge_cap && !x->is_settled);
    x->edge[x->edge_count++] = (network_edge){ low, high, cost, 0 };
    return WEFT_OK;
}

/* ---- settling ---- */

static int by_nodes(const void *p, const void *q) {
    const network_edge *x = p, *y = q;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

static size_t pairs_of(const weft_network *x, const network_edge *e) {
    return (size_t)x->node[e->a].n * x->node[e->b].n;
}

static void merge_edges(weft_network *x) {
    uint32_t n = 0;
    if (x->edge_count) qsort(x->edge, x->edge_count, sizeof *x->edge, by_nodes);
    for (uint32_t i = 0; i < x->edge_count; i++) {
        network_edge *e = &x->edge[i], *last = n ? &x->edge[n - 1] : NULL;
        if (last && last->a == e->a && last->b == e->b) {
            for (size_t k = 0; k < pairs_of(x, e); k++) last->cost[k] = clip(last->cost[k] + e->cost[k]);
        } else x->edge[n++] = *e;
    }
    x->edge_count = n;
}

static double largest(const double *cost, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; i++)
        if (cost[i] < WEFT_NETWORK_NEVER) most = fmax(most, fabs(cost[i]));
    return most;
}

static void replace_never(double *cost, size_t n, double by) {
    for (size_t i = 0; i < n; i++)
        if (cost[i] >= WEFT_NETWORK_NEVER) cost[i] = by;
}

/* Beside WEFT_NETWORK_NEVER costs of 1 are lost in a sum, and bounds become wrong. What is forbidden need cost no more
 * than three times what all else can, S: a sum with it is 2 S at least, one without it S at most. It costs 4,096 times
 * as much, so that prices of memory seldom make up for it; 40 bits are left for the sums. */
static void lower_never(weft_network *x) {
    double all = 0;
    for (uint32_t i = 0; i < x->node_count; i++) all += largest(x->cost + x->node[i].first, x->node[i].n);
    for (uint32_t i = 0; i < x->edge_count; i++) all += largest(x->edge[i].cost, pairs_of(x, &x->edge[i]));
    if (3 * all + 1 >= WEFT_NETWORK_NEVER) return;
    x->never = fmin(4096 * all + 1, WEFT_NETWORK_NEVER);
    x->most = x->never / 2;
    replace_never(x->cost, x->choice_count, x->never);
    for (uint32_t i = 0; i < x->edge_count; i++)
        replace_never(x->edge[i].cost, pairs_of(x, &x->edge[i]), x->never);
}

static weft_status list_edges(weft_network *x) {
    uint32_t at = 0;
    x->near = weft_arena_array(x->arena, uint32_t, 2u * x->edge_count + 1u);
    if (!x->near) return weft_oom();
    for (uint32_t i = 0; i < x->edge_count; i++) {
        network_node *a = &x->node[x->edge[i].a], *b = &x->node[x->edge[i].b];
        a->near_count++;
        b->near_count++;
        x->edge[i].at = x->ends;
        x->ends += a->n > b->n ? a->n : b->n;
    }
    for (uint32_t i = 0; i < x->node_count; i++) {
        x->node[i].near = at;
        at += x->node[i].near_count;
        x->node[i].near_count = 0;
    }
    for (uint32_t i = 0; i < x->edge_count; i++) {
        network_node *a = &x->node[x->edge[i].a], *b = &x->node[x->edge[i].b];
        x->near[a->near + a->near_count++] = i;
        x->near[b->near + b->near_count++] = i;
    }
    return WEFT_OK;
}

static int by_number(const void *p, const void *q) {
    const int64_t *x = p, *y = q;
    return *x < *y ? -1 : *x > *y;
}

static uint32_t first_from(const int64_t *v, uint32_t n, int64_t at) {
    uint32_t low = 0, high = n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (v[middle] < at) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The most memory is taken at a moment at which some life begins. */
static weft_status count_periods(weft_network *x) {
    int64_t *begins = weft_arena_array(x->arena, int64_t, x->node_count + 1u);
    uint32_t n = 0, k = 0;
    if (!begins) return weft_oom();
    for (uint32_t i = 0; i < x->node_count; i++)
        if (x->node[i].begin < x->node[i].end) begins[n++] = x->node[i].begin;
    if (n) qsort(begins, n, sizeof *begins, by_number);
    for (uint32_t i = 0; i < n; i++)
        if (!k || begins[k - 1] != begins[i]) begins[k++] = begins[i];
    x->periods = k;
    for (uint32_t i = 0; i < x->node_count; i++) {
        network_node *o = &x->node[i];
        o->from = first_from(begins, k, o->begin);
        o->to = o->begin < o->end ? first_from(begins, k, o->end) : o->from;
    }
    x->price = weft_arena_array(x->arena, double, k + 1u);
    x->use = weft_arena_array(x->arena, double, k + 1u);
    x->paid = weft_arena_array(x->arena, double, x->choice_count + 1u);
    return x->price && x->use && x->paid ? WEFT_OK : weft_oom();
}

weft_status network_settle(weft_network *x) {
    if (x->is_settled) return WEFT_OK;
    merge_edges(x);
    lower_never(x);
    weft_status st = list_edges(x);
    if (st == WEFT_OK) st = count_periods(x);
    x->is_settled = st == WEFT_OK;
    return st;
}

/* ---- what choices cost ---- */

void network_pay(weft_network *x) {
    double sum = 0;
    for (uint32_t i = 0; i <= x->periods; i++) { /* use[i]: of all prices before period i */
        const double price = x->price[i];
        x->use[i] = sum;
        sum += price;
    }
    for (uint32_t i = 0; i < x->node_count; i++) {
        const network_node *o = &x->node[i];
        const double price = x->use[o->to] - x->use[o->from];
        for (uint32_t k = o->first; k < o->first + o->n; k++) x->paid[k] = x->cost[k] + price * x->usage[k];
    }
}

void network_use(const weft_network *x, const uint32_t *choice) {
    double sum = 0;
    for (uint32_t i = 0; i <= x->periods; i++) x->use[i] = 0;
    for (uint32_t i = 0; i < x->node_count; i++) {
        const network_node *o = &x->node[i];
        x->use[o->from] += x->usage[o->first + choice[i]];
        x->use[o->to] -= x->usage[o->first + choice[i]];
    }
    for (uint32_t i = 0; i < x->periods; i++) x->use[i] = sum += x->use[i];
}

double weft_network_cost(const weft_network *x, const uint32_t *choice) {
    double sum = 0;
    for (uint32_t i = 0; i < x->node_count; i++) sum += x->cost[x->node[i].first + choice[i]];
    for (uint32_t i = 0; i < x->edge_count; i++) sum += network_pair(x, &x->edge[i], choice);
    return sum < x->most ? sum : WEFT_NETWORK_NEVER * (1 + sum / x->never);
}

double weft_network_peak(const weft_network *x, const uint32_t *choice) {
    double most = 0;
    network_use(x, choice);
    for (uint32_t i = 0; i < x->periods; i++)
        if (x->use[i] > most) most = x->use[i];
    return most;
}
