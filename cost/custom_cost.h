/* custom_cost.h: the cost of a custom call for which Weft has no code, as given by a user.
 *
 *     TARGET=flops:SUM,bytes:SUM          in either order, either may be missing
 *     SUM    = PRODUCT { '+' PRODUCT }
 *     PRODUCT = FACTOR { '*' FACTOR }
 *     FACTOR = a number, as in C ("2.5e9"), or iK.D or oK.D: dimension D of operand K or result K, counted from 0
 *
 * TARGET may be TARGET/KERNEL: one kernel of the target. Sizes are those on one device. So
 * 'tpu_custom_call=flops:4*i0.0*i0.1*i0.2*i1.2*i0.3' gives attention's arithmetic for any shape and any sharding.
 * Without bytes the operands and results are counted once each; without flops there is no arithmetic.
 */
#ifndef WEFT_COST_CUSTOM_COST_H
#define WEFT_COST_CUSTOM_COST_H

#include "ir/module.h"

typedef struct weft_custom_cost {
    weft_str target;            /* or target/kernel */
    weft_str flops, bytes;      /* SUM; n 0: not given */
} weft_custom_cost;

/* Reads text, to which *out then refers; WEFT_ERR_USAGE, reported, if it is malformed. */
weft_status weft_custom_cost_read(weft_context *cx, const char *text, weft_custom_cost *out);

/* The cost of op, a custom call; *bytes is -1 if not given. Reports a K or D that op does not have. */
weft_status weft_custom_cost_of(weft_context *cx, const weft_custom_cost *c, const weft_op *op, double *flops,
                                double *bytes);

#endif
