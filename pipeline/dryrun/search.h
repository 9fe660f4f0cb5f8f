/* search.h: from one set of decisions to the cheapest that moves lead to.
 *
 * A descent. In each round every move is tried alone, from the best set so far; then the moves that helped are tried
 * together, the best two, three, and so on; the cheapest of all becomes the best. It ends when no move helps, or when
 * as many sets have been tried as the caller allows. Which moves there are and what a set costs is the caller's: the
 * search knows neither programs nor machines.
 */
#ifndef WEFT_PIPELINE_DRYRUN_SEARCH_H
#define WEFT_PIPELINE_DRYRUN_SEARCH_H

#include "pipeline/dryrun/sweep.h"

/* Moves that are made, by number, in this order. */
typedef struct weft_move_set { const uint32_t *v; uint32_t n; } weft_move_set;

typedef struct weft_search {
    size_t moves;              /* how many there are */
    size_t most;               /* sets to try at most */
    void *user;
    /* The cost of each of n sets; what cannot be planned is not known. */
    weft_status (*price)(void *user, const weft_move_set *v, size_t n, weft_sweep_cost *out);
} weft_search;

/* Whether x is cheaper: it fits and y does not, or it takes less time (of those that do not fit: less memory). A
 * difference below a thousandth is none. */
bool weft_cost_is_less(const weft_sweep_cost *x, const weft_sweep_cost *y);

/* From *cost, that of the empty set; to the best set, in arena, its cost, and how many were tried. */
weft_status weft_search_run(const weft_search *x, weft_arena *arena, weft_move_set *best, weft_sweep_cost *cost,
                            size_t *tried);

#endif
