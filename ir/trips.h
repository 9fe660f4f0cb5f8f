/* trips.h: how often a loop over a counter turns, where start, step and limit are constants.
 *
 * The one formula for it: the plan of a step multiplies by it, and so does the choice between plans of a loop's body.
 */
#ifndef WEFT_IR_TRIPS_H
#define WEFT_IR_TRIPS_H

#include "ir/module.h"

/* While `counter direction to` holds, beginning at from and adding `by` per turn; all of type t. -1: that may not end, or is no such loop. */
int64_t weft_trips_between(weft_dtype t, int64_t direction, int64_t from, int64_t to, int64_t by);

/* What such a loop counts by: argument `index` of its regions, of type t. */
typedef struct weft_counter {
    uint32_t index;
    weft_dtype dtype;
    int64_t direction, from, to, by;
} weft_counter;
bool weft_loop_counter(const weft_op *loop, weft_counter *out);

/* Of a stablehlo.while; -1: unknown. */
int64_t weft_loop_trips(const weft_op *loop);

/* The value outside that argument i of the loop's regions always equals: what the loop is given, returned unchanged by every turn. NULL: it changes. */
const weft_value *weft_loop_unchanged(const weft_op *loop, uint32_t i);

#endif
