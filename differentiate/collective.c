/* collective.c: rules of collectives, in the program of one device.
 *
 * Each device has a cotangent of its own part. A sum over a group becomes the sum of the group's cotangents, a gather
 * a scattered sum and the other way round, an exchange the opposite one.
 */
#include "differentiate/grad.h"

typedef enum sums { WITHOUT_SUM, WITH_SUM } sums;

/* One value by a collective of this kind with op's groups and channel, and further attributes. */
static weft_value *build(gd *g, const weft_op *op, weft_op_kind kind, weft_value *x, const weft_type *t,
                         const weft_attr_pair *more, uint32_t n, sums body) {
    const weft_attr_name kept[] = { WEFT_A_replica_groups, WEFT_A_channel_handle, WEFT_A_use_global_device_ids };
    weft_named_attr attrs[8];
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i++) attrs[k++] = (weft_named_attr){ weft_name_at(g->cx, more[i].name), more[i].value };
    for (size_t i = 0; i < WEFT_COUNT(kept); i++)
        if (weft_op_attr(op, kept[i]) && (i < 2 || weft_op_kind_has_attr(kind, kept[i])))
            attrs[k++] = (weft_named_attr){ weft_name_at(g->cx, kept[i]), weft_op_attr(op, kept[i]) };
    weft_op *made = weft_build_op(gd_b(g), &(weft_op_spec){ .kind = kind, .operands = &x, .operand_count = 1,
                                                            .types = &t, .result_count = 1, .attrs = attrs,
                                                            .attr_count = k, .region_count = body == WITH_SUM });
    if (made && body == WITH_SUM) gd_build_reducer(g, made, 0, gd_scalar(g, t), WEFT_OP_add);
    return made ? &made->results[0] : NULL;
}

static bool adds(const weft_op *op) {
    const weft_block *blk = weft_op_body(op, 0);
    const weft_op *only = blk ? blk->first : NULL;
    return only && only->kind == WEFT_OP_add && only->next == blk->last;
}

void gd_rule_all_reduce(gd *g, const weft_op *op) {
    if (!adds(op)) {
        gd_refuse(g, op, "it is not a sum");
        return;
    }
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (gd_wants(g, op, i) && gd_ct(g, op, i))
            gd_give(g, op, i, build(g, op, WEFT_OP_all_reduce, gd_ct(g, op, i), op->operands[i]->type, NULL, 0,
                                    WITH_SUM));
}

void gd_rule_all_gather(gd *g, const weft_op *op) {
    const weft_attr_pair along = { WEFT_A_scatter_dimension, weft_op_attr(op, WEFT_A_all_gather_dim) };
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (gd_wants(g, op, i) && gd_ct(g, op, i))
            gd_give(g, op, i, build(g, op, WEFT_OP_reduce_scatter, gd_ct(g, op, i), op->operands[i]->type, &along, 1,
                                    WITH_SUM));
}

void gd_rule_reduce_scatter(gd *g, const weft_op *op) {
    const weft_attr_pair along = { WEFT_A_all_gather_dim, weft_op_attr(op, WEFT_A_scatter_dimension) };
    if (!adds(op)) gd_refuse(g, op, "it is not a sum");
    else gd_give(g, op, 0, build(g, op, WEFT_OP_all_gather, gd_ct(g, op, 0), op->operands[0]->type, &along, 1,
                                 WITHOUT_SUM));
}

void gd_rule_all_to_all(gd *g, const weft_op *op) {
    const weft_attr_pair along[] = { { WEFT_A_split_dimension, weft_op_attr(op, WEFT_A_concat_dimension) },
                                     { WEFT_A_concat_dimension, weft_op_attr(op, WEFT_A_split_dimension) },
                                     { WEFT_A_split_count, weft_op_attr(op, WEFT_A_split_count) } };
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (gd_wants(g, op, i) && gd_ct(g, op, i))
            gd_give(g, op, i, build(g, op, WEFT_OP_all_to_all, gd_ct(g, op, i), op->operands[i]->type, along, 3,
                                    WITHOUT_SUM));
}

/* What was sent comes back; who got nothing gives zero, as a permute does. */
void gd_rule_collective_permute(gd *g, const weft_op *op) {
    const weft_attr *pairs = weft_op_attr(op, WEFT_A_source_target_pairs);
    if (!pairs || pairs->kind != WEFT_ATTR_DENSE) {
        gd_refuse(g, op, "its pairs are not numbers");
        return;
    }
    const int64_t n = weft_type_elems(pairs->type);
    int64_t *back = weft_arena_array(g->arena, int64_t, (size_t)n + 1);
    if (!back) {
        gd_fail(g, weft_oom());
        return;
    }
    for (int64_t i = 0; i < n; i++) back[i ^ 1] = weft_dense_int(pairs, i);
    weft_named_attr attrs[2] = { { weft_name_at(g->cx, WEFT_A_source_target_pairs),
                                   weft_attr_dense_i64(g->cx, 2, pairs->type->dims, back) } };
    const weft_attr *channel = weft_op_attr(op, WEFT_A_channel_handle);
    if (channel) attrs[1] = (weft_named_attr){ weft_name_at(g->cx, WEFT_A_channel_handle), channel };
    weft_value *c = gd_ct(g, op, 0);
    weft_op *made = weft_build_op(gd_b(g), &(weft_op_spec){ .kind = WEFT_OP_collective_permute, .operands = &c,
                                                            .operand_count = 1, .types = &c->type, .result_count = 1,
                                                            .attrs = attrs, .attr_count = channel ? 2 : 1 });
    if (made) gd_give(g, op, 0, &made->results[0]);
}
