/* op.h: the work in one execution of an op on one device, from its shapes alone.
 *
 * Counts follow XLA's cost analysis, so that figures can be compared: one flop per element for arithmetic and
 * comparisons, one transcendental per element for exp, log, tanh ..., two flops per multiply-add. A reduction counts
 * its body once per element that disappears, a scatter once per update. Bytes are the memory traffic without caches or
 * fusion; ops that only rename (reshape) move nothing, and a slice reads only its result.
 *
 * A loop counts each of its regions once: its number of iterations is the caller's knowledge (plan.h). Of branches the
 * most expensive counts. Dynamic dimensions count as nothing. Needs no context and no memory; any thread.
 */
#ifndef WEFT_COST_OP_H
#define WEFT_COST_OP_H

#include "ir/module.h"

typedef struct weft_op_cost {
    double flops;
    double transcendentals;
    int64_t read_bytes, write_bytes;
} weft_op_cost;

/* WEFT_ERR_UNSUPPORTED, without a diagnostic, for an op of unknown cost. *out is set in any case. */
weft_status weft_cost_op(const weft_op *op, weft_op_cost *out);

/* The sum over a block's ops. */
weft_status weft_cost_block(const weft_block *b, weft_op_cost *out);

#endif
