/* trips.h: the trip count of a loop over a counter whose start, step and limit are constants.
 *
 * The one formula for it: a step's plan multiplies by it, and so does the choice between plans of a loop's body.
 */
#ifndef WEFT_IR_TRIPS_H
#define WEFT_IR_TRIPS_H

#include "ir/module.h"

/* The counter of such a loop: argument `index` of its regions, of integer type dtype. The loop runs while `counter
 * direction to` holds, starting at from and adding `by` per iteration; ui64 as its two's complement. */
typedef struct weft_counter {
    uint32_t index;
    weft_dtype dtype;
    int64_t direction, from, to, by;
} weft_counter;
/* The trip count, also with counters that wrap round their type. -1: unknown, or the loop does not end. */
int64_t weft_counter_trips(const weft_counter *c);
/* Whether the counter leaves the plain sequence from `from` to its limit, its last value included, in steps of `by`. */
bool weft_counter_wraps(const weft_counter *c);
/* For `while (counter direction limit)` with `counter + by` in this form only; weft_loop_trips accepts other ones.
 */
bool weft_loop_counter(const weft_op *loop, weft_counter *out);
/* "b direction a" for "a direction b". */
int64_t weft_direction_mirrored(int64_t direction);

/* For a stablehlo.while, also with "limit direction counter" and "counter - by"; -1: unknown. */
int64_t weft_loop_trips(const weft_op *loop);

/* The most iterations, where the condition is that of such a loop and others; -1: unknown. */
int64_t weft_loop_bound(const weft_op *loop);

/* The outer value that argument i of the loop's regions always equals: an initial value that every iteration returns
 * unchanged. NULL: it changes. */
const weft_value *weft_loop_unchanged(const weft_op *loop, uint32_t i);

#endif
