/* levels.h: the levels of distance between the ranks of a group: packages in nodes.
 *
 * A package is a part of a node whose ranks share more with each other than with the node's other ranks: a socket, a
 * NUMA domain. Nodes are numbered in the order of their first ranks, a node's packages too, and a package's ranks in
 * their own order. Packages may have different numbers of ranks, nodes different numbers of packages, and numbers of
 * ranks need not follow packages.
 */
#ifndef WEFT_COLLECTIVES_LEVELS_H
#define WEFT_COLLECTIVES_LEVELS_H

#include <stddef.h>

typedef struct weft_levels {
    int ranks, packages, nodes;
    /* ranks of the smallest package: this many ranks of each exchange with the same index in other packages */
    int rails;
    int sides;                 /* packages of the node with the fewest: this many of each node exchange with others */
    int most_in_package, most_packages, most_on_node; /* ranks, packages, ranks of the largest */
    int *node, *package;       /* [ranks]: a rank's node; its package, numbered over all nodes */
    int *index;                /* [ranks]: its number in its package */
    int *turn;                 /* [ranks]: its number on its node, whatever the packages */
    int *sorted;               /* [ranks]: ranks by node, by package */
    int *by_node;              /* [ranks]: ranks by node */
    int *package_at;           /* [packages + 1]: where each package begins in `sorted` */
    int *node_at;              /* [nodes + 1]: each node's first package */
} weft_levels;

/* How many ints the arrays need for so many ranks. */
#define WEFT_LEVELS_INTS(ranks) (8 * (size_t)(ranks) + 2)

/* node: [ranks] of each rank, numbered in the order of first ranks; package: [ranks] any numbers that tell a node's
 * packages apart. memory: WEFT_LEVELS_INTS(ranks), which the result keeps. */
void weft_levels_make(weft_levels *l, int ranks, const int *node, const int *package, int *memory);

/* The position of a rank: its node, its package's number on the node, its number in the package. */
typedef struct weft_spot {
    int node, package, index;
} weft_spot;

static inline weft_spot weft_spot_of(const weft_levels *l, int rank) {
    return (weft_spot){ l->node[rank], l->package[rank] - l->node_at[l->node[rank]], l->index[rank] };
}
static inline int weft_rank_at(const weft_levels *l, int node, int package, int index) {
    return l->sorted[l->package_at[l->node_at[node] + package] + index];
}
/* The packages of a node; the ranks of one of them; the ranks of a node. */
static inline int weft_packages_on(const weft_levels *l, int node) { return l->node_at[node + 1] - l->node_at[node]; }
static inline int weft_ranks_in(const weft_levels *l, int node, int package) {
    int p = l->node_at[node] + package;
    return l->package_at[p + 1] - l->package_at[p];
}
/* in by_node and in sorted */
static inline int weft_node_begin(const weft_levels *l, int node) { return l->package_at[l->node_at[node]]; }
static inline int weft_ranks_on(const weft_levels *l, int node) {
    return weft_node_begin(l, node + 1) - weft_node_begin(l, node);
}

#endif
