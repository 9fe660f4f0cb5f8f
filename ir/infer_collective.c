/* infer_collective.c: StableHLO's ops that communicate with other devices.
 *
 * Groups are dense numbers, tensor<GxSxi64> padded with -1, or the axes of a mesh. The number of devices is not in the
 * text, and is not checked here. Source: StableHLO docs/spec.md, all_gather ... reduce_scatter.
 */
#include "ir/infer.h"
#include "ir/process.h"

/* A bit for each device finds repetitions in linear time. Every id at least `least` and not twice; -1 pads groups of
 * uneven size where that is allowed. *gap is the first id from 0 on that is missing, or -1. */
static weft_status check_ids(weft_checker *c, const weft_op *op, const char *what, const weft_attr *a, int64_t first,
                             int64_t step, int64_t least, int64_t *gap) {
    int64_t n = weft_type_elems(a->type), most = -1;
    *gap = -1;
    if (a->dense.splat && n > WEFT_MAX_DEVICES)
        return weft_bad(c, op, "%s has %lld ids, more than there are devices", what, (long long)n);
    for (int64_t i = first; i < n; i += step) {
        int64_t id = weft_dense_int(a, i);
        if (id < least) return weft_bad(c, op, "%s has id %lld", what, (long long)id);
        most = weft_max_i64(most, id);
    }
    if (most < 0) return WEFT_OK;
    if (most >= WEFT_MAX_DEVICES) return weft_bad(c, op, "%s has id %lld", what, (long long)most);
    uint64_t *seen = weft_scratch_array(c->cx, uint64_t, most / 64 + 1);
    if (!seen) return weft_oom();
    for (int64_t i = first; i < n; i += step) {
        int64_t id = weft_dense_int(a, i);
        if (id < 0) continue;
        if (seen[id / 64] >> (id % 64) & 1) return weft_bad(c, op, "%s names id %lld twice", what, (long long)id);
        seen[id / 64] |= (uint64_t)1 << (id % 64);
    }
    for (int64_t id = 0; id <= most && *gap < 0; id++)
        if (!(seen[id / 64] >> (id % 64) & 1)) *gap = id;
    return WEFT_OK;
}

typedef enum group_rule {
    ANY_GROUPS,         /* of every device, padded with -1 where they differ in size */
    GROUPS_OF_ONE_SIZE, /* of every device */
    SOME_DEVICES        /* the others take no part */
} group_rule;

/* Groups of replicas, each with all of its partitions: the text does not give the number of devices. */
static bool of_replicas_and_partitions(const weft_op *op) {
    const weft_attr *channel = weft_op_attr(op, WEFT_A_channel_handle);
    return channel && channel->channel.handle > 0 && !weft_op_attr(op, WEFT_A_use_global_device_ids) &&
           weft_op_attr(op, WEFT_A_replica_groups)->kind == WEFT_ATTR_DENSE;
}

/* *size is the number of devices in a group; 0 if the groups do not determine it. StableHLO's verifier does not check
 * the number of devices of mesh axes; code generation does. */
static weft_status check_groups(weft_checker *c, const weft_op *op, group_rule rule, int64_t *size) {
    int64_t gap;
    const weft_attr *g = weft_op_attr(op, WEFT_A_replica_groups);
    const weft_attr *channel = weft_op_attr(op, WEFT_A_channel_handle);
    *size = 0;
    if (weft_op_attr(op, WEFT_A_use_global_device_ids) && (!channel || channel->channel.handle <= 0))
        return weft_bad(c, op, "use_global_device_ids needs a channel_handle over 0");
    if (g->kind == WEFT_ATTR_DENSE) {
        if (!weft_type_is_tensor(g->type) || g->type->rank != 2)
            return weft_bad(c, op, "replica_groups has type '%s', expected rank 2", weft_text_of(c, g->type));
        if (g->type->dtype != WEFT_I64)
            return weft_bad(c, op, "replica_groups has type '%s', expected elements of i64", weft_text_of(c, g->type));
        *size = g->type->dims[0] ? g->type->dims[1] : 0;
        weft_status st = check_ids(c, op, "replica_groups", g, 0, 1, rule == GROUPS_OF_ONE_SIZE ? 0 : -1, &gap);
        if (st == WEFT_OK && !weft_type_elems(g->type) && weft_op_attr(op, WEFT_A_use_global_device_ids))
            return weft_bad(c, op, "replica_groups is empty, which use_global_device_ids does not allow");
        return st == WEFT_OK && gap >= 0 && rule != SOME_DEVICES
                   ? weft_bad(c, op, "replica_groups leaves out id %lld", (long long)gap)
                   : st;
    }
    if (g->kind != WEFT_ATTR_MESH_AXES)
        return weft_bad(c, op, "replica_groups is neither dense nor #stablehlo.replica_group_mesh_axes");
    const weft_mesh_attr *mesh = weft_check_mesh_ref(c, op, "replica_groups: ", g->mesh_axes.mesh);
    if (!mesh) return WEFT_ERR_INVALID;
    return weft_check_axes(c, op, "replica_groups: ", mesh, &g->mesh_axes.axes, 1);
}

/* Dimension dim of result i is a multiple of size (or of 1) pieces. */
static weft_status check_multiple(weft_checker *c, const weft_op *op, uint32_t i, int64_t dim, int64_t piece,
                                  const weft_type *result, int64_t size) {
    int64_t step;
    if (!weft_type_is_tensor(result) || dim >= result->rank || piece == WEFT_DYNAMIC ||
        result->dims[dim] == WEFT_DYNAMIC)
        return WEFT_OK;
    if (weft_mul_i64(piece, size ? size : 1, &step) && (step ? result->dims[dim] % step == 0 : result->dims[dim] == 0))
        return WEFT_OK;
    return weft_bad(c, op, "result %u has type '%s', expected a multiple of %lld in dimension %lld", i,
                    weft_text_of(c, result), (long long)piece * (size ? size : 1), (long long)dim);
}

weft_status weft_infer_all_gather(weft_checker *c, const weft_op *op, const weft_type **types) {
    int64_t size, dim = weft_op_int(op, WEFT_A_all_gather_dim, 0);
    if (op->result_count != op->operand_count)
        return weft_bad(c, op, "has %u results for %u operands", op->result_count, op->operand_count);
    weft_status st = weft_check_operands(c, op, WEFT_IS_ANY);
    if (st == WEFT_OK) st = check_groups(c, op, GROUPS_OF_ONE_SIZE, &size);
    for (uint32_t i = 0; i < op->operand_count && st == WEFT_OK; i++) {
        const weft_type *t = op->operands[i]->type;
        int64_t dims[WEFT_MAX_RANK];
        st = weft_check_dim(c, op, WEFT_A_all_gather_dim, dim, t->rank);
        if (st != WEFT_OK) break;
        for (uint32_t d = 0; d < t->rank; d++) dims[d] = t->dims[d];
        if (!size || of_replicas_and_partitions(op)) { /* unknown number of devices */
            st = check_multiple(c, op, i, dim, t->dims[dim], op->results[i].type, size);
            dims[dim] = WEFT_DYNAMIC;
        } else if (dims[dim] != WEFT_DYNAMIC && !weft_mul_i64(dims[dim], size, &dims[dim]))
            st = weft_bad(c, op, "the result is too large");
        if (st == WEFT_OK) st = weft_set_like(c, &types[i], t, t->rank, dims);
    }
    return st;
}

static weft_status check_reducers(weft_checker *c, const weft_op *op, const weft_type **scalars) {
    /* One body for all operands, over the element type of each. */
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < op->operand_count && st == WEFT_OK; i++)
        st = weft_check_reducer(c, op, 0, &op->operands[i], 1, &scalars[i]);
    return st;
}

weft_status weft_infer_all_reduce(weft_checker *c, const weft_op *op, const weft_type **types) {
    int64_t size;
    if (op->result_count != op->operand_count)
        return weft_bad(c, op, "has %u results for %u operands", op->result_count, op->operand_count);
    const weft_type **scalars = weft_scratch_array(c->cx, const weft_type *, op->operand_count);
    if (!scalars) return weft_oom();
    weft_status st = weft_check_operands(c, op, WEFT_IS_ANY);
    if (st == WEFT_OK) st = check_groups(c, op, ANY_GROUPS, &size);
    if (st == WEFT_OK) st = check_reducers(c, op, scalars);
    for (uint32_t i = 0; i < op->operand_count && st == WEFT_OK; i++)
        st = weft_set_like(c, &types[i], scalars[i], op->operands[i]->type->rank, op->operands[i]->type->dims);
    return st;
}

weft_status weft_infer_reduce_scatter(weft_checker *c, const weft_op *op, const weft_type **types) {
    int64_t size, dim = weft_op_int(op, WEFT_A_scatter_dimension, 0), dims[WEFT_MAX_RANK];
    const weft_type *scalar;
    weft_status st = weft_check_operands(c, op, WEFT_IS_ANY);
    if (st == WEFT_OK) st = check_groups(c, op, GROUPS_OF_ONE_SIZE, &size);
    if (st == WEFT_OK) st = weft_check_dim(c, op, WEFT_A_scatter_dimension, dim, op->operands[0]->type->rank);
    if (st == WEFT_OK) st = check_reducers(c, op, &scalar);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->operands[0]->type;
    for (uint32_t d = 0; d < t->rank; d++) dims[d] = t->dims[d];
    if (!size || of_replicas_and_partitions(op)) {
        const weft_type *out = op->results[0].type;
        if (weft_type_is_tensor(out) && dim < out->rank && out->dims[dim] != WEFT_DYNAMIC &&
            dims[dim] != WEFT_DYNAMIC && (out->dims[dim] ? dims[dim] % out->dims[dim] : dims[dim]))
            return weft_bad(c, op,
                            "dimension %lld of operand 0 of type '%s' is not a multiple of that of result 0 of type '%s'",
                            (long long)dim, weft_text_of(c, t), weft_text_of(c, out));
        dims[dim] = WEFT_DYNAMIC;
    } else if (dims[dim] != WEFT_DYNAMIC) {
        if (dims[dim] % size)
            return weft_bad(c, op, "dimension %lld of operand 0 of type '%s' does not divide among %lld devices",
                            (long long)dim, weft_text_of(c, t), (long long)size);
        dims[dim] /= size;
    }
    return weft_set_like(c, &types[0], scalar, t->rank, dims);
}

weft_status weft_infer_all_to_all(weft_checker *c, const weft_op *op, const weft_type **types) {
    int64_t size, split = weft_op_int(op, WEFT_A_split_dimension, 0),
                  concat = weft_op_int(op, WEFT_A_concat_dimension, 0);
    int64_t count = weft_op_int(op, WEFT_A_split_count, 0);
    if (op->result_count != op->operand_count)
        return weft_bad(c, op, "has %u results for %u operands", op->result_count, op->operand_count);
    weft_status st = weft_check_operands(c, op, WEFT_IS_ANY);
    if (st == WEFT_OK) st = check_groups(c, op, GROUPS_OF_ONE_SIZE, &size);
    if (st != WEFT_OK) return st;
    if (count < 1) return weft_bad(c, op, "split_count is %lld, expected at least 1", (long long)count);
    bool dense = weft_op_attr(op, WEFT_A_replica_groups)->kind == WEFT_ATTR_DENSE;
    if (dense && size != count)
        return weft_bad(c, op, "split_count is %lld, but a group has %lld devices", (long long)count, (long long)size);
    for (uint32_t i = 0; i < op->operand_count && st == WEFT_OK; i++) {
        const weft_type *t = op->operands[i]->type;
        int64_t dims[WEFT_MAX_RANK];
        st = weft_check_dim(c, op, WEFT_A_split_dimension, split, t->rank);
        if (st == WEFT_OK) st = weft_check_dim(c, op, WEFT_A_concat_dimension, concat, t->rank);
        if (st != WEFT_OK) break;
        for (uint32_t d = 0; d < t->rank; d++) dims[d] = t->dims[d];
        if (dims[split] != WEFT_DYNAMIC && dims[split] % count)
            return weft_bad(c, op, "dimension %lld of operand %u of type '%s' does not divide into %lld parts",
                            (long long)split, i, weft_text_of(c, t), (long long)count);
        if (split != concat) {
            if (dims[split] != WEFT_DYNAMIC) dims[split] /= count;
            if (dims[concat] != WEFT_DYNAMIC && !weft_mul_i64(dims[concat], count, &dims[concat]))
                return weft_bad(c, op, "the result is too large");
        }
        st = weft_set_like(c, &types[i], t, t->rank, dims);
    }
    return st;
}

weft_status weft_check_pairs(weft_checker *c, const weft_op *op) {
    const weft_attr *p = weft_op_attr(op, WEFT_A_source_target_pairs);
    int64_t gap;
    if (!p || p == c->pairs) return WEFT_OK;
    if (p->type->rank != 2 || p->type->dims[1] != 2)
        return weft_bad(c, op, "source_target_pairs has type '%s', expected 'tensor<Nx2xi64>'",
                        weft_text_of(c, p->type));
    weft_status st = check_ids(c, op, "sources of source_target_pairs", p, 0, 2, 0, &gap);
    if (st == WEFT_OK) st = check_ids(c, op, "targets of source_target_pairs", p, 1, 2, 0, &gap);
    if (st == WEFT_OK) c->pairs = p;
    return st;
}

weft_status weft_infer_collective_permute(weft_checker *c, const weft_op *op, const weft_type **types) {
    types[0] = op->operands[0]->type;
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_ANY);
    return st == WEFT_OK ? weft_check_pairs(c, op) : st;
}

/* With a dynamic root the last operand says, per value, which rank of the group sends or receives. */
static weft_status check_rooted(weft_checker *c, const weft_op *op, uint32_t *values) {
    int64_t size;
    bool rooted = weft_op_attr(op, WEFT_A_has_dynamic_root) != NULL;
    if (op->operand_count < (rooted ? 2u : 1u))
        return weft_bad(c, op, "has %u operands, expected at least %u", op->operand_count, rooted ? 2u : 1u);
    *values = op->operand_count - rooted;
    if (op->result_count != *values) return weft_bad(c, op, "has %u results for %u values", op->result_count, *values);
    weft_status st = weft_check_operands(c, op, WEFT_IS_ANY);
    const weft_type *root = op->operands[op->operand_count - 1]->type;
    if (st == WEFT_OK && rooted &&
        (root->dtype != WEFT_I32 || root->quant || root->rank != 1 || !weft_dims_agree(root->dims[0], *values)))
        st = weft_bad(c, op, "operand %u has type '%s', expected the roots, 'tensor<%uxi32>'", *values,
                      weft_text_of(c, root), *values);
    return st == WEFT_OK ? check_groups(c, op, SOME_DEVICES, &size) : st;
}

weft_status weft_infer_collective_broadcast(weft_checker *c, const weft_op *op, const weft_type **types) {
    uint32_t n;
    weft_status st = check_rooted(c, op, &n);
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++) types[i] = op->operands[i]->type;
    return st;
}

weft_status weft_infer_collective_reduce(weft_checker *c, const weft_op *op, const weft_type **types) {
    uint32_t n;
    const weft_type *scalar;
    weft_status st = check_rooted(c, op, &n);
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++) {
        st = weft_check_reducer(c, op, 0, &op->operands[i], 1, &scalar);
        if (st == WEFT_OK)
            st = weft_set_like(c, &types[i], scalar, op->operands[i]->type->rank, op->operands[i]->type->dims);
    }
    return st;
}

weft_status weft_infer_device_id(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)op;
    return weft_set_type(c, &types[0], WEFT_UI32, 0, NULL);
}
