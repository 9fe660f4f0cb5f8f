/* levels.c: see levels.h. */
#include "collectives/levels.h"

/* Numbers the packages of a node whose ranks are by_node[from, to), in the order of first occurrence, and counts their
 * ranks in package_at. */
static void number_packages(weft_levels *l, const int *package, int from, int to) {
    int first = l->packages;
    for (int i = from; i < to; i++) {
        int rank = l->by_node[i], earlier = from;
        l->turn[rank] = i - from;
        while (package[l->by_node[earlier]] != package[rank]) earlier++;
        if (earlier == i) l->package_at[l->packages++] = 0;
        l->package[rank] = earlier == i ? l->packages - 1 : l->package[l->by_node[earlier]];
        l->index[rank] = l->package_at[l->package[rank]]++;
    }
    for (int p = first, at = from; p < l->packages; p++) { /* from counts to offsets */
        int n = l->package_at[p];
        l->rails = !l->rails || n < l->rails ? n : l->rails;
        l->most_in_package = n > l->most_in_package ? n : l->most_in_package;
        l->package_at[p] = at;
        at += n;
    }
    for (int i = from; i < to; i++) {
        int rank = l->by_node[i];
        l->sorted[l->package_at[l->package[rank]] + l->index[rank]] = rank;
    }
    int sides = l->packages - first;
    l->sides = !l->sides || sides < l->sides ? sides : l->sides;
    l->most_packages = sides > l->most_packages ? sides : l->most_packages;
    l->most_on_node = to - from > l->most_on_node ? to - from : l->most_on_node;
}

void weft_levels_make(weft_levels *l, int ranks, const int *node, const int *package, int *memory) {
    *l = (weft_levels){ .ranks = ranks };
    int **arrays[] = {
        &l->node, &l->package, &l->index, &l->turn, &l->sorted, &l->by_node, &l->package_at, &l->node_at
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = memory;
        memory += ranks + (arrays[i] == &l->package_at);
    }
    int at = 0;
    for (int r = 0; r < ranks; r++) {
        l->node[r] = node[r];
        l->nodes = node[r] >= l->nodes ? node[r] + 1 : l->nodes;
    }
    for (int k = 0; k < l->nodes; k++) {
        int from = at;
        for (int r = 0; r < ranks; r++)
            if (node[r] == k) l->by_node[at++] = r;
        l->node_at[k] = l->packages;
        number_packages(l, package, from, at);
    }
    l->node_at[l->nodes] = l->packages;
    l->package_at[l->packages] = at;
}
