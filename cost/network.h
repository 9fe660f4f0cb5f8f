/* network.h: the cheapest choice at each of many nodes, whose costs depend on pairs of them, within a limit of memory.
 *
 * A node has choices, each with a cost and with memory that it takes while the node lives, [begin, end). An edge has a
 * cost for every pair of choices of its two nodes. Wanted is a choice at each node with the least sum, such that at no
 * time the memory of the nodes that live is above the limit. It is the problem of automatic sharding (a node is an op,
 * a choice its sharding, an edge what resharding costs), and that of the contest of ASPLOS 2025, google/iopddl.
 *
 * Method (cost/network_solve.c): memory gets prices by time (multipliers), which are raised where it is too much. For
 * given prices, messages along the edges bound the sum from below (TRW-S: Kolmogorov, IEEE PAMI 28, 2006) and suggest
 * choices; then forests of the graph are solved exactly, in turns, for what the other nodes have chosen. Small
 * networks are solved by branch and bound alone. The result is the same in every run, unless the caller's clock ends
 * it.
 */
#ifndef WEFT_COST_NETWORK_H
#define WEFT_COST_NETWORK_H

#include "base/context.h"

/* A cost from here on forbids the choice or pair. */
#define WEFT_NETWORK_NEVER 1e16

typedef struct weft_network weft_network;

/* In arena, for `nodes` nodes and at most so many edges. NULL: memory is out. */
weft_network *weft_network_new(weft_arena *arena, uint32_t nodes, uint32_t edges);

/* Each node once: n choices, at least one; usage may be NULL: none. begin <= end; a node with an empty life takes no
 * memory. Usage may be negative only where all nodes live equally long: the most memory is looked for where lives
 * begin, not where they end. The lists are copied. */
weft_status weft_network_set_node(weft_network *x, uint32_t node, uint32_t n, const double *cost, const double *usage,
                                  int64_t begin, int64_t end);
/* costs[i * n_b + j]: of choice i of a and j of b, two nodes that are set. Further edges of a pair are added up. */
weft_status weft_network_add_edge(weft_network *x, uint32_t a, uint32_t b, const double *costs);

typedef struct weft_network_options {
    double limit;                    /* of memory; 0: none */
    uint32_t rounds;                 /* of improvement at most; 0: 200 */
    bool (*stop)(void *user, int phase); /* asked between passes (phase 1) and rounds (2): ends it; NULL: never */
    void *user;
} weft_network_options;

typedef struct weft_network_result {
    uint32_t *choice;                /* by node, in the network's arena */
    double cost, bound;              /* no choice within the limit costs less than the bound; cost is
                                      * WEFT_NETWORK_NEVER or more where something chosen is forbidden */
    double peak;                     /* of memory */
    bool fits, is_best;              /* within the limit; proved to be the cheapest */
    uint32_t rounds;
} weft_network_result;

/* The best that is found; if none within the limit is found, the one of least excess. Memory out is the only error. A
 * network may be solved again with other options; no node or edge is added after a solve. */
weft_status weft_network_solve(weft_network *x, const weft_network_options *opt, weft_network_result *out);

/* The cost of these choices, and the most memory that they take. */
double weft_network_cost(const weft_network *x, const uint32_t *choice);
double weft_network_peak(const weft_network *x, const uint32_t *choice);

#endif
