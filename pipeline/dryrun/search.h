/* search.h: from one set of decisions to the cheapest that moves lead to.
 *
 * In each round moves are tried alone, from the best set so far; then those that helped are tried together, the best
 * two, three, and so on; the cheapest of all becomes the best. A round ends with the first group of moves of which some
 * help: those that helped in the last round already, those that others depend on much, those that did little harm when
 * they were tried last, the others. So a round that finds something is short, and what is known to harm is tried again
 * only where nothing else helps.
 *
 * Where no move helps alone, the cheapest are tried in pairs: what two take together says how they interact, and a
 * network of these costs (cost/network.h) within the memory is solved for the set that is the cheapest if nothing but
 * pairs matters, which is tried too. Memory is asked for only where it may change what is chosen: most sets are slower
 * than the best, which fits.
 *
 * The search ends when a round finds none that is cheaper, or when as many sets have been tried as the caller allows.
 * Which moves there are and what a set costs is the caller's: the search knows neither programs nor machines.
 */
#ifndef WEFT_PIPELINE_DRYRUN_SEARCH_H
#define WEFT_PIPELINE_DRYRUN_SEARCH_H

#include "pipeline/dryrun/sweep.h"

/* Moves that are made, by number, in this order. */
typedef struct weft_move_set { const uint32_t *v; uint32_t n; } weft_move_set;

typedef struct weft_search {
    size_t moves;              /* how many there are */
    size_t most;               /* sets to try at most */
    const bool *great;         /* by move: others depend on it much; NULL: none */
    double memory_bytes;       /* of a device; 0: not known */
    void *user;
    /* The cost of each of n sets; what cannot be planned is not known. The memory of sets that are not less than
     * `beat` need only be bounded (at_least); NULL: of none. */
    weft_status (*price)(void *user, const weft_move_set *v, size_t n, const weft_sweep_cost *beat,
                         weft_sweep_cost *out);
} weft_search;

typedef struct weft_search_result {
    weft_move_set set;
    weft_sweep_cost cost;
    double bound_s;            /* of the last network: no set of its moves takes less if only pairs matter; 0: none */
    size_t tried;
} weft_search_result;

/* From out->cost, that of the empty set, to the best set, in arena. */
weft_status weft_search_run(const weft_search *x, weft_arena *arena, weft_search_result *out);

#endif
