/* reshard_plan.h: the cheapest chain of moves from one placement of a tensor to another.
 *
 * A move is what one collective does. Its price (cost/price.h) is that of the bytes that a device sends (cost/link.h:
 * the same figures that the dry run and the run count), and of the call. Slicing sends nothing. A plan is found by
 * Dijkstra's search over placements and is kept per (from, to, type). The search splits axes only where the module
 * does. Shardy's steps cut them anywhere, and are then cheaper at times: lower_reshards.c takes these, so they count in
 * a plan's price.
 */
#ifndef WEFT_PARTITIONER_RESHARD_PLAN_H
#define WEFT_PARTITIONER_RESHARD_PLAN_H

#include "cost/price.h"
#include "partitioner/layout/placement.h"

typedef enum weft_move_kind {
    WEFT_MOVE_SLICE,
    WEFT_MOVE_GATHER,
    WEFT_MOVE_ALL_TO_ALL,
    WEFT_MOVE_PERMUTE,
    WEFT_MOVE_REDUCE,
    WEFT_MOVE_REDUCE_SCATTER
} weft_move_kind;

typedef struct weft_move {
    weft_move_kind kind;
    uint8_t dim;              /* gathered; source of all_to_all */
    uint8_t to_dim;           /* all_to_all, reduce_scatter, slice */
    weft_placement_id after;
} weft_move;

typedef struct weft_reshard_plan {
    double wire_bytes;        /* sent by one device */
    double price;             /* of the moves, or of the steps of collective_steps.h, where that is less */
    uint32_t n;
    const weft_move *moves;
} weft_reshard_plan;

typedef struct weft_planner weft_planner;

/* Prices are by costs, which must live as long as the planner. */
weft_status weft_planner_open(weft_placements *placements, const weft_costs *costs, weft_arena *arena,
                              weft_planner **out);
const weft_costs *weft_planner_costs(const weft_planner *p);

/* *out is NULL when there is no way (to a partial sum from something whole). Lives as long as the planner. */
weft_status weft_reshard_plan_find(weft_planner *p, weft_placement_id from, weft_placement_id to, const weft_type *type,
                                   const weft_reshard_plan **out);

/* Bytes that one device sends in one move. local_bytes: of the device's part before it, of all_gather after it. */
double weft_move_wire_bytes(weft_move_kind kind, int64_t local_bytes, int64_t group);
/* The price of that; of the call; and of both. */
double weft_move_price_sent(const weft_costs *c, weft_move_kind kind, int64_t local_bytes, int64_t group);
double weft_move_price_call(const weft_costs *c, weft_move_kind kind);
double weft_move_price(const weft_costs *c, weft_move_kind kind, int64_t local_bytes, int64_t group);

#endif
