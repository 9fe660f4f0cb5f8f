/* local_ops.h: the functions behind the column `local`, for local_table.c. Each is described where it is. */
#ifndef WEFT_PARTITIONER_LOCAL_OPS_H
#define WEFT_PARTITIONER_LOCAL_OPS_H

#include "partitioner/localize.h"

/* What several entries ask. */
weft_bits weft_pass_factors(const weft_op *op, const weft_rule *rule);  /* pass-through, kept in size, and in some result */
weft_partial weft_partial_of_reducer(const weft_op *op, uint32_t region, weft_dtype dtype);
bool weft_value_is_zero(const weft_value *v);

/* local_shape.c */
weft_bits weft_factors_in_all(const weft_op *op, const weft_rule *rule);
weft_status weft_lower_constant(weft_localizer *z, const weft_op *op);
weft_status weft_lower_iota(weft_localizer *z, const weft_op *op);
weft_status weft_lower_slice(weft_localizer *z, const weft_op *op);
weft_status weft_lower_dynamic_slice(weft_localizer *z, const weft_op *op);

/* local_gather.c */
weft_bits weft_factors_gather(const weft_op *op, const weft_rule *rule);
weft_partial weft_partial_gather(const weft_op *op);
weft_status weft_lower_gather(weft_localizer *z, const weft_op *op);
weft_bits weft_factors_scatter(const weft_op *op, const weft_rule *rule);
weft_partial weft_partial_scatter(const weft_op *op);
weft_status weft_lower_scatter(weft_localizer *z, const weft_op *op);

/* local_collective.c */
weft_status weft_lower_all_slice(weft_localizer *z, const weft_op *op);
weft_status weft_lower_all_gather(weft_localizer *z, const weft_op *op);
weft_status weft_lower_all_to_all(weft_localizer *z, const weft_op *op);
weft_status weft_lower_collective_permute(weft_localizer *z, const weft_op *op);
weft_status weft_lower_all_reduce(weft_localizer *z, const weft_op *op);
weft_status weft_lower_reduce_scatter(weft_localizer *z, const weft_op *op);
weft_status weft_lower_replicated_to_unreduced(weft_localizer *z, const weft_op *op);
weft_status weft_lower_sharded_to_unreduced(weft_localizer *z, const weft_op *op);
weft_status weft_lower_grouped(weft_localizer *z, const weft_op *op);

/* local_computation.c */
weft_status weft_lower_manual_computation(weft_localizer *z, const weft_op *op);

#endif
