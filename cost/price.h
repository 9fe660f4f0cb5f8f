/* price.h: the prices by which the partitioner compares plans, in seconds of one device.
 *
 * A plan is priced before it is known which devices hold which parts, so a byte costs the same wherever it goes, and a
 * call the same over any group: the machine's costs `wire`, `call`, `slice` and `step` (topology/costs.def). The dry
 * run, which knows the groups, has a link for each level and an algorithm for each call (cost/machine.h).
 *
 * The default machine's prices are powers of two, or 0.2 of one: sums of equal bytes and calls are then equal to the
 * last bit, in whatever order they are added, and ties are broken alike everywhere. Its call is the price of a byte:
 * plans are compared by bytes, and by calls where these are equal. A machine whose text has `call 10us` gets plans with
 * fewer calls, for more bytes.
 */
#ifndef WEFT_COST_PRICE_H
#define WEFT_COST_PRICE_H

#include "topology/machine.h"

/* Of bytes that one device sends; and the bytes that it could send for a price. */
static inline double weft_price_sent(const weft_costs *c, double bytes) { return bytes / c->wire_bytes_per_s; }
static inline double weft_price_as_bytes(const weft_costs *c, double price) { return price * c->wire_bytes_per_s; }

/* Of steps of an op's loops (a multiply-add, or an element of a pointwise op) that one device does. */
static inline double weft_price_steps(const weft_costs *c, double steps) { return c->step_s * steps; }

/* Prices that differ by less are equal: sums differ by rounding. Far less than a byte. */
static inline double weft_price_tie(const weft_costs *c) { return 1e-9 / c->wire_bytes_per_s; }

#endif
