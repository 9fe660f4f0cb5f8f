/* local_convolution.c: a convolution on local shapes: groups that are cut are fewer on each device. */
#include "partitioner/local_ops.h"

/* Groups are the major part of the dimension that has them, so they are cut first. */
static int64_t groups_left(const weft_localizer *z, int64_t groups, const weft_placement *l, int64_t dim) {
    return groups / weft_min_i64(groups, weft_placement_dim_shards(z->t, l, (uint32_t)dim));
}

weft_status weft_local_groups(weft_localizer *z, const weft_op *op, weft_op **out) {
    const weft_placement *lhs = weft_local_placement(z, op->operands[0]), *rhs = weft_local_placement(z, op->operands[1]);
    const weft_attr *dims = weft_op_attr(op, WEFT_A_dimension_numbers);
    int64_t features = weft_op_int(op, WEFT_A_feature_group_count, 1), batches = weft_op_int(op, WEFT_A_batch_group_count, 1);
    weft_op *made = NULL;
    weft_status st = weft_local_clone(z, op, &made);
    *out = made;
    if (st != WEFT_OK || !(lhs->n || rhs->n)) return st;
    st = weft_local_strip(z, made);
    if (st == WEFT_OK && features > 1) {
        const weft_attr *a = weft_attr_i64(z->cx, groups_left(z, features, rhs, dims->conv.kernel_output_feature));
        st = a ? weft_op_set(z->rewrite->out, made, WEFT_A_feature_group_count, a) : weft_oom();
    }
    if (st == WEFT_OK && batches > 1) {
        const weft_attr *a = weft_attr_i64(z->cx, groups_left(z, batches, lhs, dims->conv.input_batch));
        st = a ? weft_op_set(z->rewrite->out, made, WEFT_A_batch_group_count, a) : weft_oom();
    }
    return st;
}
