/* data_flow.h: ops whose operands, results and bodies hold the same values: loops, branches, barriers, computations.
 *
 * Such an op has data-flow edges. Each joins sources (operands of the op, operands of its bodies' terminators) to
 * targets (results, arguments of bodies), which must all have one sharding. One target owns the edge, and an
 * sdy.data_flow_edge op right after the owner holds the sharding of all targets:
 *
 *   while               edge i: operand i, body's return i -> result i (owner), arguments i of condition and body
 *   case                edge i: each branch's return i -> result i
 *   optimization_barrier  edge i: operand i -> result i
 *   manual_computation, named_computation   edges operand i -> argument i, and return i -> result i
 *
 * Inside a manual computation the manual axes do not exist: an edge into the body drops them, an edge out of it adds
 * them. Authority: Shardy, docs/sdy_op_interfaces.md (ShardableDataFlowOpInterface).
 */
#ifndef WEFT_SHARDING_DATA_FLOW_H
#define WEFT_SHARDING_DATA_FLOW_H

#include "sharding/values.h"

typedef enum weft_flow_kind {
    WEFT_FLOWS_NOT,
    WEFT_FLOWS_LOOP,
    WEFT_FLOWS_BRANCH,
    WEFT_FLOWS_STRAIGHT,      /* optimization_barrier */
    WEFT_FLOWS_COMPUTATION    /* manual_computation, named_computation */
} weft_flow_kind;

weft_flow_kind weft_flow_of(const weft_op *op);
bool weft_flow_may_be_in(const weft_module *m); /* false: m has no such op */

/* The value that owns the edge of a target, or NULL if v is not a target. */
const weft_value *weft_flow_owner(const weft_value *v);
/* The op after owner's edges, NULL when v owns none. */
const weft_op *weft_flow_op(const weft_value *owner);

/* The sources of owner's edge, count first: get(i) for i < count. */
uint32_t weft_flow_source_count(const weft_value *owner);
const weft_value *weft_flow_source(const weft_value *owner, uint32_t i);

/* The owner of the edge of which this operand is a source; NULL if there is none. op is a data-flow op or a
 * terminator. */
const weft_value *weft_flow_owner_of_source(const weft_op *op, uint32_t operand);

/* Axes bound by a manual computation, as bits over mesh; 0 for other ops. */
weft_status weft_manual_axes(weft_context *cx, const weft_op *op, const weft_mesh *mesh, weft_bits *out);
/* s without the manual axes, which come first in every dimension. */
const weft_sharding *weft_sharding_drop_manual(weft_shardings *t, const weft_sharding *s, weft_bits manual);
/* The manual axes of outer, then the axes of inner; openness and priorities are inner's, replicated and unreduced axes
 * are outer's. */
const weft_sharding *weft_sharding_add_free(weft_shardings *t, const weft_sharding *outer, const weft_sharding *inner,
                                            weft_bits manual);

/* The sharding of v for its readers: its own, or that of the edge that feeds it, without the manual axes inside a
 * manual computation. *out is NULL if there is none. */
weft_status weft_value_sharding_inside(weft_context *cx, weft_shardings *t, const weft_value *v,
                                       const weft_sharding **out);

#endif
