/* attr.c: making, copying, comparing and hashing attributes.
 *
 * Nodes hold arrays of arrays; one deep copy (weft_attr_copy) moves the caller's data from its stack or scratch memory
 * into the context. Child attributes are already in the context and are shared. */
#include "ir/attr.h"

#include <stdlib.h>
#include "ir/prepare.h"

/* Copies n items of size bytes; *failed is set when memory is out. Empty arrays become NULL. */
static const void *dup_items(weft_context *cx, const void *p, size_t n, size_t size, bool *failed) {
    if (!n) return NULL;
    size_t bytes;
    void *q = __builtin_mul_overflow(n, size, &bytes) ? NULL : weft_arena_dup(&cx->arena, p, bytes, 16);
    if (!q) *failed = true;
    return q;
}

static void own_ints(weft_context *cx, weft_ints *a, bool *failed) {
    a->v = dup_items(cx, a->v, a->n, sizeof *a->v, failed);
}
static void own_axes(weft_context *cx, weft_axis_refs *a, bool *failed) {
    a->v = dup_items(cx, a->v, a->n, sizeof *a->v, failed);
}

static void own_dot(weft_context *cx, weft_dot_dims *d, bool *failed) {
    own_ints(cx, &d->lhs_batch, failed);
    own_ints(cx, &d->rhs_batch, failed);
    own_ints(cx, &d->lhs_contract, failed);
    own_ints(cx, &d->rhs_contract, failed);
}

static void own_sharding(weft_context *cx, weft_sharding_attr *s, bool *failed) {
    weft_dim_sharding *dims = (weft_dim_sharding *)dup_items(cx, s->dims, s->rank, sizeof *s->dims, failed);
    for (uint32_t i = 0; dims && i < s->rank; i++) own_axes(cx, &dims[i].axes, failed);
    s->dims = dims;
    own_axes(cx, &s->replicated, failed);
    own_axes(cx, &s->unreduced, failed);
}

static void own_rule(weft_context *cx, weft_rule_attr *r, bool *failed) {
    uint32_t n = r->operand_count + r->result_count;
    own_ints(cx, &r->factor_sizes, failed);
    const weft_ints **dims = (const weft_ints **)dup_items(cx, r->dims, n, sizeof *r->dims, failed);
    r->ranks = dup_items(cx, r->ranks, n, sizeof *r->ranks, failed);
    for (uint32_t t = 0; dims && r->ranks && t < n; t++) {
        weft_ints *d = (weft_ints *)dup_items(cx, dims[t], r->ranks[t], sizeof *d, failed);
        for (uint32_t i = 0; d && i < r->ranks[t]; i++) own_ints(cx, &d[i], failed);
        dims[t] = d;
    }
    r->dims = dims;
    own_ints(cx, &r->reduction, failed);
    own_ints(cx, &r->need_replication, failed);
    own_ints(cx, &r->permutation, failed);
    own_ints(cx, &r->blocked, failed);
}

static void own_lists(weft_context *cx, weft_attr *a, bool *failed) {
    switch (a->kind) {
    case WEFT_ATTR_AXES_PER_DIM: {
        weft_axis_refs *v = (weft_axis_refs *)dup_items(cx, a->axes_per_dim.v, a->axes_per_dim.n, sizeof *v, failed);
        for (uint32_t i = 0; v && i < a->axes_per_dim.n; i++) own_axes(cx, &v[i], failed);
        a->axes_per_dim.v = v;
        break;
    }
    case WEFT_ATTR_A2A_PARAMS: {
        weft_a2a_param *v = (weft_a2a_param *)dup_items(cx, a->a2a.v, a->a2a.n, sizeof *v, failed);
        for (uint32_t i = 0; v && i < a->a2a.n; i++) own_axes(cx, &v[i].axes, failed);
        a->a2a.v = v;
        break;
    }
    case WEFT_ATTR_EDGES: {
        weft_edge_step *v = (weft_edge_step *)dup_items(cx, a->edges.v, a->edges.n, sizeof *v, failed);
        for (uint32_t i = 0; v && i < a->edges.n; i++) {
            weft_edge_axis *x = (weft_edge_axis *)dup_items(cx, v[i].axes, v[i].axis_count, sizeof *x, failed);
            for (uint32_t k = 0; x && k < v[i].axis_count; k++)
                x[k].targets = dup_items(cx, x[k].targets, x[k].target_count, sizeof *x[k].targets, failed);
            v[i].axes = x;
        }
        a->edges.v = v;
        break;
    }
    default: break;
    }
}

const weft_attr *weft_attr_copy(weft_context *cx, const weft_attr *in) {
    bool failed = !weft_ir_prepare(cx);
    weft_attr *a = failed ? NULL : weft_arena_new(&cx->arena, weft_attr);
    if (!a) return NULL;
    *a = *in;
    switch (a->kind) {
    case WEFT_ATTR_UNIT: case WEFT_ATTR_BOOL: case WEFT_ATTR_INT: case WEFT_ATTR_FLOAT: case WEFT_ATTR_TYPE:
    case WEFT_ATTR_ENUM: case WEFT_ATTR_CHANNEL: case WEFT_ATTR_ALGORITHM: case WEFT_ATTR_ACCURACY:
        break;
    case WEFT_ATTR_STRING: case WEFT_ATTR_OPAQUE:
        a->s.p = weft_arena_strdup(&cx->arena, a->s.p, a->s.n);
        failed = !a->s.p;
        break;
    case WEFT_ATTR_SYMBOL: a->names.v = dup_items(cx, a->names.v, a->names.n, sizeof *a->names.v, &failed); break;
    case WEFT_ATTR_ARRAY: case WEFT_ATTR_SHARDINGS:
        a->items.v = dup_items(cx, a->items.v, a->items.n, sizeof *a->items.v, &failed);
        break;
    case WEFT_ATTR_DICT: a->entries.v = dup_items(cx, a->entries.v, a->entries.n, sizeof *a->entries.v, &failed); break;
    case WEFT_ATTR_DENSE: a->dense.p = dup_items(cx, a->dense.p, a->dense.bytes, 1, &failed); break;
    case WEFT_ATTR_DENSE_ARRAY: case WEFT_ATTR_BOUNDS: own_ints(cx, &a->ints, &failed); break;
    case WEFT_ATTR_DOT: own_dot(cx, &a->dot, &failed); break;
    case WEFT_ATTR_RAGGED:
        own_dot(cx, &a->ragged.dot, &failed);
        own_ints(cx, &a->ragged.lhs_ragged, &failed);
        own_ints(cx, &a->ragged.rhs_group, &failed);
        break;
    case WEFT_ATTR_ALIAS:
        own_ints(cx, &a->alias.output_indices, &failed);
        own_ints(cx, &a->alias.operand_indices, &failed);
        break;
    case WEFT_ATTR_GATHER:
        own_ints(cx, &a->gather.offset_dims, &failed);
        own_ints(cx, &a->gather.collapsed_slice_dims, &failed);
        own_ints(cx, &a->gather.operand_batching_dims, &failed);
        own_ints(cx, &a->gather.start_indices_batching_dims, &failed);
        own_ints(cx, &a->gather.start_index_map, &failed);
        break;
    case WEFT_ATTR_SCATTER:
        own_ints(cx, &a->scatter.update_window_dims, &failed);
        own_ints(cx, &a->scatter.inserted_window_dims, &failed);
        own_ints(cx, &a->scatter.input_batching_dims, &failed);
        own_ints(cx, &a->scatter.scatter_indices_batching_dims, &failed);
        own_ints(cx, &a->scatter.scatter_dims_to_operand_dims, &failed);
        break;
    case WEFT_ATTR_CONV:
        own_ints(cx, &a->conv.input_spatial, &failed);
        own_ints(cx, &a->conv.kernel_spatial, &failed);
        own_ints(cx, &a->conv.output_spatial, &failed);
        break;
    case WEFT_ATTR_MESH:
        a->mesh.axes = dup_items(cx, a->mesh.axes, a->mesh.axis_count, sizeof *a->mesh.axes, &failed);
        own_ints(cx, &a->mesh.device_ids, &failed);
        break;
    case WEFT_ATTR_MESH_AXES: own_axes(cx, &a->mesh_axes.axes, &failed); break;
    case WEFT_ATTR_SHARDING: own_sharding(cx, &a->sharding, &failed); break;
    case WEFT_ATTR_RULE: own_rule(cx, &a->rule, &failed); break;
    case WEFT_ATTR_AXES: own_axes(cx, &a->axes, &failed); break;
    case WEFT_ATTR_AXES_PER_DIM: case WEFT_ATTR_A2A_PARAMS: case WEFT_ATTR_EDGES: own_lists(cx, a, &failed); break;
    }
    a->hash = 0;
    /* a dictionary is sorted later, by its maker */
    if (!failed && a->kind != WEFT_ATTR_DICT) a->hash = weft_attr_hash(a);
    return failed ? NULL : a;
}

const weft_attr *weft_attr_unit(weft_context *cx) { return weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_UNIT }); }

const weft_attr *weft_attr_bool(weft_context *cx, bool v) {
    return weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_BOOL, .i = v });
}

const weft_attr *weft_attr_int(weft_context *cx, int64_t v, const weft_type *type) {
    return type ? weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_INT, .type = type, .i = v }) : NULL;
}

const weft_attr *weft_attr_i64(weft_context *cx, int64_t v) {
    return weft_attr_int(cx, v, weft_type_scalar(cx, WEFT_I64));
}

const weft_attr *weft_attr_float(weft_context *cx, double v, const weft_type *type) {
    return type ? weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_FLOAT, .type = type, .f = v }) : NULL;
}

const weft_attr *weft_attr_string(weft_context *cx, weft_str s) {
    return weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_STRING, .s = s });
}

const weft_attr *weft_attr_symbol(weft_context *cx, weft_name name) {
    return name ? weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_SYMBOL, .names = { &name, 1 } }) : NULL;
}

const weft_attr *weft_attr_type(weft_context *cx, const weft_type *type) {
    return type ? weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_TYPE, .type = type }) : NULL;
}

const weft_attr *weft_attr_array(weft_context *cx, const weft_attr *const *v, uint32_t n) {
    return weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_ARRAY, .items = { v, n } });
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const weft_named_attr *)a)->name->text, ((const weft_named_attr *)b)->name->text);
}

const weft_attr *weft_attr_dict(weft_context *cx, const weft_named_attr *v, uint32_t n) {
    const weft_attr *a = weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_DICT, .entries = { v, n } });
    if (a && n > 1) qsort((weft_named_attr *)a->entries.v, n, sizeof *v, by_name);
    return a;
}

const weft_attr *weft_attr_ints(weft_context *cx, weft_dtype dtype, const int64_t *v, uint32_t n) {
    return weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_DENSE_ARRAY, .dtype = dtype, .ints = { v, n } });
}

const weft_attr *weft_attr_enum(weft_context *cx, weft_enum_value e) {
    return weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_ENUM, .e = e });
}

const weft_attr *weft_attr_dense(weft_context *cx, const weft_type *type, const void *p, bool splat) {
    if (!type) return NULL;
    int64_t bytes = splat ? (int64_t)weft_dtype_bytes(type->dtype) : weft_type_bytes(type);
    if (bytes < 0) return NULL;
    return weft_attr_copy(cx,
                          &(weft_attr){ .kind = WEFT_ATTR_DENSE, .type = type, .dense = { p, (size_t)bytes, splat } });
}

const weft_attr *weft_attr_dense_i64(weft_context *cx, uint32_t rank, const int64_t *dims, const int64_t *v) {
    const weft_type *t = weft_type_tensor(cx, WEFT_I64, rank, dims);
    const int64_t n = t ? weft_type_elems(t) : 0;
    bool splat = n > 0;
    for (int64_t i = 1; i < n && splat; i++) splat = v[i] == v[0];
    return weft_attr_dense(cx, t, v, splat);
}

const weft_attr *weft_dict_get(const weft_attr *dict, uint32_t name_id) {
    for (uint32_t i = 0; dict && dict->kind == WEFT_ATTR_DICT && i < dict->entries.n; i++)
        if (dict->entries.v[i].name->id == name_id) return dict->entries.v[i].value;
    return NULL;
}

const weft_attr *weft_dict_get_named(const weft_attr *dict, const char *name) {
    for (uint32_t i = 0; dict && dict->kind == WEFT_ATTR_DICT && i < dict->entries.n; i++)
        if (!strcmp(dict->entries.v[i].name->text, name)) return dict->entries.v[i].value;
    return NULL;
}

int64_t weft_dense_int(const weft_attr *a, int64_t i) {
    const weft_dtype_info *info = weft_dtype_of(a->type->dtype);
    const char *p = (const char *)a->dense.p + (a->dense.splat ? 0 : (size_t)i * info->stored_bytes);
    uint64_t raw = 0;
    memcpy(&raw, p, info->stored_bytes <= 8 ? info->stored_bytes : 8);
    if (info->kind != WEFT_KIND_INT) return (int64_t)raw;
    return (int64_t)(raw << (64 - info->bits)) >> (64 - info->bits);
}
