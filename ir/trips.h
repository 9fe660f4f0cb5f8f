/* trips.h: how often a loop over a counter turns, where start, step and limit are constants.
 *
 * The one formula for it: the plan of a step multiplies by it, and so does the choice between plans of a loop's body.
 */
#ifndef WEFT_IR_TRIPS_H
#define WEFT_IR_TRIPS_H

#include "ir/module.h"

/* What such a loop counts by: argument `index` of its regions, of integer type dtype. While `counter direction to`
 * holds, beginning at from and adding `by` per turn; ui64 as its two's complement. */
typedef struct weft_counter {
    uint32_t index;
    weft_dtype dtype;
    int64_t direction, from, to, by;
} weft_counter;
/* How often the loop turns, counters that wrap round their type included. -1: unknown, or it does not end. */
int64_t weft_counter_trips(const weft_counter *c);
/* Whether the counter does anything but go from `from` to its limit, its last value included, in steps of `by`. */
bool weft_counter_wraps(const weft_counter *c);
/* Of `while (counter direction limit)` with `counter + by`, written so; other spellings count for weft_loop_trips only.
 */
bool weft_loop_counter(const weft_op *loop, weft_counter *out);
/* "b direction a" for "a direction b". */
int64_t weft_direction_mirrored(int64_t direction);

/* Of a stablehlo.while, also of "limit direction counter" and "counter - by"; -1: unknown. */
int64_t weft_loop_trips(const weft_op *loop);

/* The value outside that argument i of the loop's regions always equals: what the loop is given, returned unchanged by
 * every turn. NULL: it changes. */
const weft_value *weft_loop_unchanged(const weft_op *loop, uint32_t i);

#endif
