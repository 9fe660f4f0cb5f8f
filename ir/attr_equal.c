/* attr_equal.c: equality and hashing of attributes, both by content, never by address. */
#include "ir/attr.h"

static bool ints_equal(weft_ints a, weft_ints b) {
    return a.n == b.n && (!a.n || !memcmp(a.v, b.v, a.n * sizeof *a.v));
}

bool weft_axis_refs_equal(weft_axis_refs a, weft_axis_refs b) {
    if (a.n != b.n) return false;
    for (uint32_t i = 0; i < a.n; i++)
        if (a.v[i].name != b.v[i].name || a.v[i].pre_size != b.v[i].pre_size || a.v[i].size != b.v[i].size)
            return false;
    return true;
}

static bool dot_equal(const weft_dot_dims *a, const weft_dot_dims *b) {
    return ints_equal(a->lhs_batch, b->lhs_batch) && ints_equal(a->rhs_batch, b->rhs_batch) &&
           ints_equal(a->lhs_contract, b->lhs_contract) && ints_equal(a->rhs_contract, b->rhs_contract);
}

bool weft_mesh_attr_equal(const weft_mesh_attr *a, const weft_mesh_attr *b) {
    if (a->axis_count != b->axis_count || !ints_equal(a->device_ids, b->device_ids)) return false;
    for (uint32_t i = 0; i < a->axis_count; i++)
        if (a->axes[i].name != b->axes[i].name || a->axes[i].size != b->axes[i].size) return false;
    return true;
}

static bool sharding_equal(const weft_sharding_attr *a, const weft_sharding_attr *b) {
    if (a->rank != b->rank || !weft_attr_equal(a->mesh, b->mesh) ||
        !weft_axis_refs_equal(a->replicated, b->replicated) || !weft_axis_refs_equal(a->unreduced, b->unreduced) ||
        (a->unreduced.n && a->unreduced_by != b->unreduced_by))
        return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->dims[i].open != b->dims[i].open || a->dims[i].priority != b->dims[i].priority ||
            !weft_axis_refs_equal(a->dims[i].axes, b->dims[i].axes)) return false;
    return true;
}

static bool rule_equal(const weft_rule_attr *a, const weft_rule_attr *b) {
    if (a->operand_count != b->operand_count || a->result_count != b->result_count || a->custom != b->custom ||
        !ints_equal(a->factor_sizes, b->factor_sizes) || !ints_equal(a->reduction, b->reduction) ||
        !ints_equal(a->need_replication, b->need_replication) || !ints_equal(a->permutation, b->permutation) ||
        !ints_equal(a->blocked, b->blocked)) return false;
    for (uint32_t t = 0; t < a->operand_count + a->result_count; t++) {
        if (a->ranks[t] != b->ranks[t]) return false;
        for (uint32_t d = 0; d < a->ranks[t]; d++)
            if (!ints_equal(a->dims[t][d], b->dims[t][d])) return false;
    }
    return true;
}

static bool edge_axis_equal(const weft_edge_axis *a, const weft_edge_axis *b) {
    const weft_axis_refs x = { &a->axis, 1 }, y = { &b->axis, 1 };
    if (!weft_axis_refs_equal(x, y) || a->source.of != b->source.of || a->source.index != b->source.index ||
        a->target_count != b->target_count)
        return false;
    for (uint32_t i = 0; i < a->target_count; i++)
        if (a->targets[i].of != b->targets[i].of || a->targets[i].index != b->targets[i].index) return false;
    return true;
}

static bool edges_equal(const weft_attr *a, const weft_attr *b) {
    if (a->edges.n != b->edges.n) return false;
    for (uint32_t i = 0; i < a->edges.n; i++) {
        const weft_edge_step *s = &a->edges.v[i], *t = &b->edges.v[i];
        if (s->step != t->step || s->axis_count != t->axis_count) return false;
        for (uint32_t k = 0; k < s->axis_count; k++)
            if (!edge_axis_equal(&s->axes[k], &t->axes[k])) return false;
    }
    return true;
}

static bool items_equal(const weft_attr *a, const weft_attr *b) {
    if (a->items.n != b->items.n) return false;
    for (uint32_t i = 0; i < a->items.n; i++)
        if (!weft_attr_equal(a->items.v[i], b->items.v[i])) return false;
    return true;
}

static bool entries_equal(const weft_attr *a, const weft_attr *b) {
    if (a->entries.n != b->entries.n) return false;
    for (uint32_t i = 0; i < a->entries.n; i++)
        if (a->entries.v[i].name != b->entries.v[i].name ||
            !weft_attr_equal(a->entries.v[i].value, b->entries.v[i].value))
            return false;
    return true;
}

/* A splat equals the same values written out. */
static bool dense_equal(const weft_attr *a, const weft_attr *b) {
    if (a->dense.splat == b->dense.splat)
        return a->dense.bytes == b->dense.bytes && (!a->dense.bytes || !memcmp(a->dense.p, b->dense.p, a->dense.bytes));
    const weft_attr *one = a->dense.splat ? a : b, *all = a->dense.splat ? b : a;
    size_t size = one->dense.bytes;
    for (size_t at = 0; at < all->dense.bytes; at += size)
        if (memcmp((const char *)all->dense.p + at, one->dense.p, size)) return false;
    return true;
}

bool weft_attr_equal(const weft_attr *a, const weft_attr *b) {
    if (a == b) return true;
    if (!a || !b || a->kind != b->kind || a->type != b->type || a->dtype != b->dtype) return false;
    if (a->hash && b->hash && a->hash != b->hash) return false;
    switch (a->kind) {
    case WEFT_ATTR_UNIT: case WEFT_ATTR_TYPE: return true;
    case WEFT_ATTR_BOOL: case WEFT_ATTR_INT: return a->i == b->i;
    case WEFT_ATTR_FLOAT: return !memcmp(&a->f, &b->f, sizeof a->f);
    case WEFT_ATTR_STRING: case WEFT_ATTR_OPAQUE: return weft_str_equal(a->s, b->s);
    case WEFT_ATTR_SYMBOL:
        return a->names.n == b->names.n && !memcmp(a->names.v, b->names.v, a->names.n * sizeof *a->names.v);
    case WEFT_ATTR_ARRAY: case WEFT_ATTR_SHARDINGS: return items_equal(a, b);
    case WEFT_ATTR_DICT: return entries_equal(a, b);
    case WEFT_ATTR_DENSE: return dense_equal(a, b);
    case WEFT_ATTR_DENSE_ARRAY: case WEFT_ATTR_BOUNDS: return ints_equal(a->ints, b->ints);
    case WEFT_ATTR_ENUM: return a->e == b->e;
    case WEFT_ATTR_DOT: return dot_equal(&a->dot, &b->dot);
    case WEFT_ATTR_RAGGED:
        return dot_equal(&a->ragged.dot, &b->ragged.dot) && ints_equal(a->ragged.lhs_ragged, b->ragged.lhs_ragged) &&
               ints_equal(a->ragged.rhs_group, b->ragged.rhs_group);
    case WEFT_ATTR_ALGORITHM:
        return a->algorithm.lhs == b->algorithm.lhs && a->algorithm.rhs == b->algorithm.rhs &&
               a->algorithm.accumulation == b->algorithm.accumulation &&
               a->algorithm.lhs_components == b->algorithm.lhs_components &&
               a->algorithm.rhs_components == b->algorithm.rhs_components &&
               a->algorithm.operations == b->algorithm.operations && a->algorithm.imprecise == b->algorithm.imprecise;
    case WEFT_ATTR_ACCURACY:
        return !memcmp(&a->accuracy.atol, &b->accuracy.atol, sizeof(double)) &&
               !memcmp(&a->accuracy.rtol, &b->accuracy.rtol, sizeof(double)) && a->accuracy.ulps == b->accuracy.ulps &&
               a->accuracy.mode == b->accuracy.mode;
    case WEFT_ATTR_ALIAS:
        return ints_equal(a->alias.output_indices, b->alias.output_indices) && a->alias.operand == b->alias.operand &&
               ints_equal(a->alias.operand_indices, b->alias.operand_indices);
    case WEFT_ATTR_GATHER:
        return ints_equal(a->gather.offset_dims, b->gather.offset_dims) &&
               ints_equal(a->gather.collapsed_slice_dims, b->gather.collapsed_slice_dims) &&
               ints_equal(a->gather.operand_batching_dims, b->gather.operand_batching_dims) &&
               ints_equal(a->gather.start_indices_batching_dims, b->gather.start_indices_batching_dims) &&
               ints_equal(a->gather.start_index_map, b->gather.start_index_map) &&
               a->gather.index_vector_dim == b->gather.index_vector_dim;
    case WEFT_ATTR_SCATTER:
        return ints_equal(a->scatter.update_window_dims, b->scatter.update_window_dims) &&
               ints_equal(a->scatter.inserted_window_dims, b->scatter.inserted_window_dims) &&
               ints_equal(a->scatter.input_batching_dims, b->scatter.input_batching_dims) &&
               ints_equal(a->scatter.scatter_indices_batching_dims, b->scatter.scatter_indices_batching_dims) &&
               ints_equal(a->scatter.scatter_dims_to_operand_dims, b->scatter.scatter_dims_to_operand_dims) &&
               a->scatter.index_vector_dim == b->scatter.index_vector_dim;
    case WEFT_ATTR_CONV:
        return a->conv.input_batch == b->conv.input_batch && a->conv.input_feature == b->conv.input_feature &&
               a->conv.kernel_input_feature == b->conv.kernel_input_feature &&
               a->conv.kernel_output_feature == b->conv.kernel_output_feature &&
               a->conv.output_batch == b->conv.output_batch && a->conv.output_feature == b->conv.output_feature &&
               ints_equal(a->conv.input_spatial, b->conv.input_spatial) &&
               ints_equal(a->conv.kernel_spatial, b->conv.kernel_spatial) &&
               ints_equal(a->conv.output_spatial, b->conv.output_spatial);
    case WEFT_ATTR_CHANNEL: return a->channel.handle == b->channel.handle && a->channel.type == b->channel.type;
    case WEFT_ATTR_MESH_AXES:
        return weft_attr_equal(a->mesh_axes.mesh, b->mesh_axes.mesh) &&
               weft_axis_refs_equal(a->mesh_axes.axes, b->mesh_axes.axes);
    case WEFT_ATTR_MESH: return weft_mesh_attr_equal(&a->mesh, &b->mesh);
    case WEFT_ATTR_SHARDING: return sharding_equal(&a->sharding, &b->sharding);
    case WEFT_ATTR_RULE: return rule_equal(&a->rule, &b->rule);
    case WEFT_ATTR_AXES: return weft_axis_refs_equal(a->axes, b->axes);
    case WEFT_ATTR_AXES_PER_DIM:
        if (a->axes_per_dim.n != b->axes_per_dim.n) return false;
        for (uint32_t i = 0; i < a->axes_per_dim.n; i++)
            if (!weft_axis_refs_equal(a->axes_per_dim.v[i], b->axes_per_dim.v[i])) return false;
        return true;
    case WEFT_ATTR_EDGES: return edges_equal(a, b);
    case WEFT_ATTR_A2A_PARAMS:
        if (a->a2a.n != b->a2a.n) return false;
        for (uint32_t i = 0; i < a->a2a.n; i++)
            if (a->a2a.v[i].src_dim != b->a2a.v[i].src_dim || a->a2a.v[i].tgt_dim != b->a2a.v[i].tgt_dim ||
                !weft_axis_refs_equal(a->a2a.v[i].axes, b->a2a.v[i].axes)) return false;
        return true;
    }
    return false;
}

static uint64_t hash_bytes(uint64_t h, const void *p, size_t n) {
    const unsigned char *c = p;
    for (size_t i = 0; i < n; i++) h = (h ^ c[i]) * 1099511628211u;
    return weft_hash_mix(h, n);
}

static uint64_t hash_ints(uint64_t h, weft_ints a) {
    for (uint32_t i = 0; i < a.n; i++) h = weft_hash_mix(h, (uint64_t)a.v[i]);
    return weft_hash_mix(h, a.n);
}

static uint64_t hash_axes(uint64_t h, weft_axis_refs a) {
    for (uint32_t i = 0; i < a.n; i++) {
        h = weft_hash_mix(weft_hash_mix(h, a.v[i].name->hash), (uint64_t)a.v[i].pre_size);
        h = weft_hash_mix(h, (uint64_t)a.v[i].size);
    }
    return weft_hash_mix(h, a.n);
}

static uint64_t hash_type(uint64_t h, const weft_type *t) {
    if (!t) return weft_hash_mix(h, 7);
    h = weft_hash_mix(weft_hash_mix(weft_hash_mix(h, t->kind), t->dtype), t->rank);
    for (uint32_t i = 0; i < t->rank; i++) h = weft_hash_mix(h, (uint64_t)t->dims[i]);
    for (uint32_t i = 0; i < t->part_count; i++) h = hash_type(h, t->parts[i]);
    return hash_bytes(h, t->text.p, t->text.n);
}

/* Equal attributes must have equal hashes, no more, so parts that rarely distinguish attributes are left out. */
static uint64_t hash_content(const weft_attr *a) {
    uint64_t h = hash_type(weft_hash_mix(a->kind, a->dtype), a->type);
    switch (a->kind) {
    case WEFT_ATTR_UNIT: case WEFT_ATTR_TYPE: break;
    case WEFT_ATTR_BOOL: case WEFT_ATTR_INT: h = weft_hash_mix(h, (uint64_t)a->i); break;
    case WEFT_ATTR_FLOAT: h = hash_bytes(h, &a->f, sizeof a->f); break;
    case WEFT_ATTR_STRING: case WEFT_ATTR_OPAQUE: h = hash_bytes(h, a->s.p, a->s.n); break;
    case WEFT_ATTR_SYMBOL:
        for (uint32_t i = 0; i < a->names.n; i++) h = weft_hash_mix(h, a->names.v[i]->hash);
        break;
    case WEFT_ATTR_ARRAY: case WEFT_ATTR_SHARDINGS:
        for (uint32_t i = 0; i < a->items.n; i++) h = weft_hash_mix(h, weft_attr_hash(a->items.v[i]));
        break;
    case WEFT_ATTR_DICT:
        for (uint32_t i = 0; i < a->entries.n; i++)
            h = weft_hash_mix(weft_hash_mix(h, a->entries.v[i].name->hash), weft_attr_hash(a->entries.v[i].value));
        break;
    case WEFT_ATTR_DENSE: /* a splat and its written-out form are equal: hash the first element */
        h = hash_bytes(h, a->dense.p, a->dense.bytes && a->type ? weft_dtype_bytes(a->type->dtype) : 0);
        break;
    case WEFT_ATTR_DENSE_ARRAY: case WEFT_ATTR_BOUNDS: h = hash_ints(h, a->ints); break;
    case WEFT_ATTR_ENUM: h = weft_hash_mix(h, a->e); break;
    case WEFT_ATTR_DOT:
        h = hash_ints(hash_ints(hash_ints(hash_ints(h, a->dot.lhs_batch), a->dot.rhs_batch), a->dot.lhs_contract),
                      a->dot.rhs_contract);
        break;
    case WEFT_ATTR_RAGGED:
        h = hash_ints(hash_ints(hash_ints(h, a->ragged.dot.lhs_contract), a->ragged.lhs_ragged), a->ragged.rhs_group);
        break;
    case WEFT_ATTR_ALGORITHM:
        h = weft_hash_mix(weft_hash_mix(h, (uint64_t)a->algorithm.operations), (uint64_t)a->algorithm.lhs_components);
        break;
    case WEFT_ATTR_ACCURACY: h = weft_hash_mix(weft_hash_mix(h, (uint64_t)a->accuracy.ulps), a->accuracy.mode); break;
    case WEFT_ATTR_ALIAS: h = weft_hash_mix(hash_ints(h, a->alias.output_indices), (uint64_t)a->alias.operand); break;
    case WEFT_ATTR_GATHER:
        h = hash_ints(hash_ints(h, a->gather.offset_dims), a->gather.start_index_map);
        h = weft_hash_mix(h, (uint64_t)a->gather.index_vector_dim);
        break;
    case WEFT_ATTR_SCATTER:
        h = hash_ints(hash_ints(h, a->scatter.update_window_dims), a->scatter.scatter_dims_to_operand_dims);
        h = weft_hash_mix(h, (uint64_t)a->scatter.index_vector_dim);
        break;
    case WEFT_ATTR_CONV:
        h = weft_hash_mix(weft_hash_mix(h, (uint64_t)a->conv.input_batch), (uint64_t)a->conv.kernel_output_feature);
        h = hash_ints(h, a->conv.input_spatial);
        break;
    case WEFT_ATTR_CHANNEL: h = weft_hash_mix(h, (uint64_t)a->channel.handle); break;
    case WEFT_ATTR_MESH_AXES:
        h = hash_axes(weft_hash_mix(h, weft_attr_hash(a->mesh_axes.mesh)), a->mesh_axes.axes);
        break;
    case WEFT_ATTR_MESH:
        for (uint32_t i = 0; i < a->mesh.axis_count; i++)
            h = weft_hash_mix(weft_hash_mix(h, a->mesh.axes[i].name->hash), (uint64_t)a->mesh.axes[i].size);
        h = hash_ints(h, a->mesh.device_ids);
        break;
    case WEFT_ATTR_SHARDING:
        h = weft_hash_mix(h, weft_attr_hash(a->sharding.mesh));
        for (uint32_t i = 0; i < a->sharding.rank; i++) {
            h = weft_hash_mix(hash_axes(h, a->sharding.dims[i].axes), a->sharding.dims[i].open);
            h = weft_hash_mix(h, (uint64_t)a->sharding.dims[i].priority);
        }
        h = hash_axes(hash_axes(h, a->sharding.replicated), a->sharding.unreduced);
        break;
    case WEFT_ATTR_RULE: h = hash_ints(hash_ints(h, a->rule.factor_sizes), a->rule.reduction); break;
    case WEFT_ATTR_AXES: h = hash_axes(h, a->axes); break;
    case WEFT_ATTR_AXES_PER_DIM:
        for (uint32_t i = 0; i < a->axes_per_dim.n; i++) h = hash_axes(h, a->axes_per_dim.v[i]);
        break;
    case WEFT_ATTR_EDGES:
        for (uint32_t i = 0; i < a->edges.n; i++)
            h = weft_hash_mix(weft_hash_mix(h, (uint64_t)a->edges.v[i].step), a->edges.v[i].axis_count);
        break;
    case WEFT_ATTR_A2A_PARAMS:
        for (uint32_t i = 0; i < a->a2a.n; i++)
            h = weft_hash_mix(hash_axes(h, a->a2a.v[i].axes), (uint64_t)a->a2a.v[i].tgt_dim);
        break;
    }
    return h;
}

uint32_t weft_attr_hash(const weft_attr *a) {
    if (!a || a->hash) return a ? a->hash : 0;
    return (uint32_t)weft_hash_end(hash_content(a)) | 1;
}
