/* search.h: from one set of decisions to the cheapest that moves lead to.
 *
 * In each round every move is tried alone, from the best set so far; then the moves that helped are tried together,
 * the best two, three, and so on; the cheapest of all becomes the best. Where none helps alone, the cheapest moves
 * are tried in pairs: what two take together says how they interact, and a network of these costs (cost/network.h)
 * within the memory is solved for the set that is the cheapest if nothing but pairs matters, which is tried too. Memory
 * is asked for only where it may change what is chosen: most sets are slower than the best, which fits.
 * The search ends when a round finds none that is cheaper, or when as many sets have been tried as the caller
 * allows. Which moves there are and what a set costs is the caller's: the search knows neither programs nor
 * machines.
 */
#ifndef WEFT_PIPELINE_DRYRUN_SEARCH_H
#define WEFT_PIPELINE_DRYRUN_SEARCH_H

#include "pipeline/dryrun/sweep.h"

/* Moves that are made, by number, in this order. */
typedef struct weft_move_set { const uint32_t *v; uint32_t n; } weft_move_set;

typedef struct weft_search {
    size_t moves;              /* how many there are */
    size_t most;               /* sets to try at most */
    double memory_bytes;       /* of a device; 0: not known */
    void *user;
    /* The cost of each of n sets; what cannot be planned is not known. enough_s > 0: of a set that takes so long or
     * longer only the time is wanted; it may come back is_slow. */
    weft_status (*price)(void *user, const weft_move_set *v, size_t n, double enough_s, weft_sweep_cost *out);
} weft_search;

/* Whether x is cheaper: it fits and y does not, or it takes less time (of those that do not fit: less memory). A
 * difference below a thousandth is none. */
bool weft_cost_is_less(const weft_sweep_cost *x, const weft_sweep_cost *y);

typedef struct weft_search_result {
    weft_move_set set;
    weft_sweep_cost cost;
    double bound_s;            /* of the last network: no set of its moves takes less if only pairs matter; 0: none */
    size_t tried;
} weft_search_result;

/* From out->cost, that of the empty set, to the best set, in arena. */
weft_status weft_search_run(const weft_search *x, weft_arena *arena, weft_search_result *out);

#endif
