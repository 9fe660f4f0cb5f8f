/* device_number.h: which device a program runs on, and what follows from that, as ops.
 *
 * A device's id is its partition's, or its replica's where a program is copied (options replica-count and
 * partition-count of the passes that Shardy has). Its number along mesh axes, major to minor, comes from the id by
 * arithmetic, or by table where the mesh lists its devices.
 */
#ifndef WEFT_PARTITIONER_DEVICE_NUMBER_H
#define WEFT_PARTITIONER_DEVICE_NUMBER_H

#include "ir/builder.h"
#include "ir/pass.h"
#include "sharding/mesh.h"

/* The op that gives the id, partition_id or replica_id, by the pass's options; reports when both counts are above 1. */
weft_status weft_device_id_op(const weft_pass *p, const weft_loc *loc, weft_op_kind *out);
/* The id, tensor<i64>. */
weft_value *weft_build_device_id(weft_builder *b, weft_op_kind id);
/* Entry `index` (a scalar tensor) of a table [n] of integers that dtype holds: a tensor of one element of dtype. */
weft_value *weft_build_lookup(weft_builder *b, const int64_t *table, int64_t n, weft_dtype dtype, weft_value *index);
/* The number along axes of the device with this id, tensor<i64>. */
weft_value *weft_build_device_number(weft_builder *b, const weft_mesh *mesh, weft_axes axes, weft_value *id);
/* values[number], tensor<i64>; [n]: by arithmetic where they rise evenly, else by table. */
weft_value *weft_build_by_number(weft_builder *b, const int64_t *values, int64_t n, weft_value *number);

#endif
