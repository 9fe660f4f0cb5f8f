/* plan_moves.h: how a plan that is being made brings values to where ops want them; used by make_plan.c.
 *
 * A value may exist in several placements at once; each is made once and found again by later readers, which is what
 * keeps a weight gathered in the forward pass from being gathered again. Constants and broadcast scalars are made anew
 * wherever they are wanted; and in a plan that departs from propagation, what is spread over more dimensions, where it
 * costs less to bring what it is spread from. Where terms of a sum are wanted of a complete value, one device keeps it.
 */
#ifndef WEFT_PARTITIONER_PLAN_MOVES_H
#define WEFT_PARTITIONER_PLAN_MOVES_H

#include "partitioner/plan/versions.h"

/* A loop that is being planned. */
struct weft_loop_frame {
    const weft_op *op;
    double turns;
    /* bytes that moves of unchanging values have made larger than they were, together and at most */
    int64_t held, largest;
    weft_loop_frame *outer;
};

/* How often a move of v is made in the loops around, and what room there is; for a choice. */
void weft_plan_describe_turns(const weft_layout_planner *s, const weft_value *v, weft_choice_operand *o);
/* What op computes from values that no turn changes is one. */
void weft_plan_note_fixed(weft_layout_planner *s, const weft_op *op);

/* Whether v can be made in any placement without moving data. */
bool weft_plan_is_free(const weft_layout_planner *s, const weft_value *v);
/* The same placement of a complete value. */
weft_status weft_plan_complete(const weft_layout_planner *s, weft_placement_id id, weft_placement_id *out);
/* v in placement id, brought there if need be; loc: of the op that wants it. */
weft_status weft_plan_bring(weft_layout_planner *s, const weft_value *v, weft_placement_id id, const weft_loc *loc,
                            const weft_placed **out);

#endif
