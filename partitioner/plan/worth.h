/* worth.h: what it costs to have a value in one placement rather than in another, by what becomes of it.
 *
 * An op is planned before its readers are. Where propagation wants its result is a guess at what they want; this is the
 * guess after a plan: the placements that a value was born in by one plan or another, or that a reader would have it
 * in, and for each of them what the ops after it cost more than from the best of them. It is found by going through the
 * program backwards: the cheapest way to share a reader's work with the value here, its own results weighed before, the
 * reader's other operands wherever they can be made, at what that costs. So a choice is seen through any number of ops:
 * a product whose weight is gathered leaves its result where the next product can do the same.
 *
 * What it costs to make a value in one placement rather than another is found before that, by going forwards: the
 * cheapest way to share its op's work with the result there, from operands of which the same is known. Where two
 * operands of an op have to be elsewhere for one of them to gain by it (a product and its bias), neither would be
 * without it.
 *
 * A value that is in the wrong place can be brought to the right one, so the difference is never more than that move.
 * That bounds what is counted twice where readers have readers in common.
 */
#ifndef WEFT_PARTITIONER_WORTH_H
#define WEFT_PARTITIONER_WORTH_H

#include "partitioner/plan/factor_choice.h"

typedef struct weft_worth weft_worth;

/* For plans of m; lives in the arena. */
weft_status weft_worth_open(weft_placements *t, weft_planner *planner, const weft_module *m, weft_arena *arena,
                            weft_worth **out);

/* v is born in this placement, or wanted there by propagation. */
weft_status weft_worth_note(weft_worth *w, const weft_value *v, weft_placement_id at);
/* Ops in the order in which they are planned, once each: such as may share their work, or pass their operands on (r is
 * copied, but for what operands have), and such as find operand i in wants[i] or are not done. values: without markers.
 */
weft_status weft_worth_note_shared(weft_worth *w, const weft_choice_request *r);
weft_status weft_worth_note_fixed(weft_worth *w, const weft_op *op, const weft_value *const *values,
                                  const weft_placement_id *wants, uint32_t n);

/* Forgets the ops, not the placements: they are told again as another plan meets them. */
void weft_worth_ask_again(weft_worth *w);

/* Weighs all values anew, by the placements noted so far: *out is by the id of the value, empty where nothing was
 * noted, and stays as it is. */
weft_status weft_worth_weigh(weft_worth *w, weft_chooser *c, const weft_wishes **out);

#endif
