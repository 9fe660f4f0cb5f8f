/* network_impl.h: the inside of a network (network.h), for its files. */
#ifndef WEFT_COST_NETWORK_IMPL_H
#define WEFT_COST_NETWORK_IMPL_H

#include "cost/network.h"

typedef struct network_node {
    uint32_t first, n;           /* its choices are first .. first + n */
    uint32_t near, near_count;   /* its edges, in weft_network.near */
    uint32_t from, to;           /* its life, in periods; equal: it takes no memory */
    int64_t begin, end;          /* as given */
} network_node;

typedef struct network_edge {
    uint32_t a, b;               /* a < b */
    double *cost;                /* row-major; the network's own */
    size_t at;                   /* its begin in a list of numbers by edge and choice of either node */
} network_edge;

struct weft_network {
    weft_arena *arena;
    network_node *node; uint32_t node_count;
    network_edge *edge; uint32_t edge_count, edge_cap;
    double never;                /* the cost of a forbidden choice or pair */
    double most;                 /* above the sum of any allowed choices, below that of others */
    size_t ends;                 /* the length of a list of numbers by edge and choice of either node */
    uint32_t *near;              /* edges by node */
    double *cost, *usage; size_t choice_count, choice_cap; /* by choice */
    uint32_t most_choices;
    uint32_t periods;            /* between the moments at which lives begin */
    double *price;               /* by period: what a unit of memory costs then */
    double *paid;                /* by choice: its cost and its memory's price */
    double *use;                 /* scratch, by period */
    bool is_settled;
};

/* Merges edges of a pair, lists them by node, makes what is forbidden cost no more than it must, and counts time in
 * periods. Once, before anything below. */
weft_status network_settle(weft_network *x);
/* paid, from the prices. */
void network_pay(weft_network *x);
/* x->use: the memory of these choices by period. */
void network_use(const weft_network *x, const uint32_t *choice);

static inline uint32_t network_other(const network_edge *e, uint32_t node) { return e->a == node ? e->b : e->a; }
static inline double network_pair(const weft_network *x, const network_edge *e, const uint32_t *choice) {
    return e->cost[(size_t)choice[e->a] * x->node[e->b].n + choice[e->b]];
}

/* Messages along edges (network_bound.c), for the paid costs. least: by node, the choice that costs least with them. */
typedef struct network_messages {
    double *up, *down, *sum, *has;
    uint32_t *least;
} network_messages;
weft_status network_messages_new(weft_network *x, network_messages *out);
/* One pass forth and back: a bound of the sum of paid costs; to choice what they suggest. */
double network_pass(weft_network *x, network_messages *m, uint32_t *choice);

/* A forest of the graph, solved exactly for what the others chose (network_forest.c). */
typedef struct network_forest network_forest;
network_forest *network_forest_new(weft_network *x, uint64_t seed);
/* Draws a forest, and chooses anew at its nodes; the sum of paid costs does not rise. */
void network_forest_turn(network_forest *f, uint32_t *choice);

/* Branch and bound, of few nodes. *whole: all branches were tried; *found: some choices are within the limit (0: none),
 * the best of those that were tried in choice. */
weft_status network_branch(weft_network *x, double limit, uint32_t *choice, bool *whole, bool *found);

#endif
