/* op_internal.h: the column "cost" of the op table (inside cost/ only). A family adds to *out, which begins with the
 * bytes of all operands and results. */
#ifndef WEFT_COST_OP_INTERNAL_H
#define WEFT_COST_OP_INTERNAL_H

#include "cost/op.h"

typedef weft_status (*weft_cost_fn)(const weft_op *op, weft_op_cost *out);

#define NAME(cost) weft_status weft_cost_##cost(const weft_op *op, weft_op_cost *out);
#include "ir/ops-cost.def"

/* The number of elements of a value, as a double, which cannot overflow; 0 when not known. */
double weft_cost_elems(const weft_value *v);
int64_t weft_cost_bytes(const weft_value *v);

/* Adds the arithmetic of region r's ops, `times` times; bytes of bodies over scalars stay in registers. */
weft_status weft_cost_body(const weft_op *op, uint32_t r, double times, weft_op_cost *out);

#endif
