/* ops.c: the makers of ops by name, and of constants and shapes. */
#include <stdio.h>

#include "capi/graph_impl.h"
#include "ir/op_nearest.h"
#include "mlir/read.h"

/* ---- constants ---- */

weft_tensor *weft_graph_constant_at(weft_source at, weft_graph *g, const char *type, const void *data, size_t bytes) {
    if (!weft_graph_begin(g, at)) return NULL;
    const weft_type *t = weft_graph_type(g, weft_str_from(type ? type : ""));
    if (!t) return NULL;
    if ((int64_t)bytes != weft_type_bytes(t))
        return weft_graph_fail(g, WEFT_D_data, "a constant of type '%s' has %lld bytes, not %zu", type,
                               (long long)weft_type_bytes(t), bytes);
    if (bytes && !data) return weft_graph_fail(g, WEFT_D_usage, "the data of a constant of type '%s' is NULL", type);
    const weft_attr *value = weft_attr_dense(g->cx, t, data, false);
    return value ? weft_build_constant(&g->b, value) : weft_graph_keep(g, weft_oom());
}

static weft_tensor *fill(weft_graph *g, const weft_type *t, double v) {
    return t ? weft_build_splat(&g->b, t, v) : NULL;
}

weft_tensor *weft_graph_fill_at(weft_source at, weft_graph *g, const char *type, double v) {
    return weft_graph_begin(g, at) ? fill(g, weft_graph_type(g, weft_str_from(type ? type : "")), v) : NULL;
}

weft_tensor *weft_graph_fill_like_at(weft_source at, weft_graph *g, const weft_tensor *t, double v) {
    weft_tensor *same = (weft_tensor *)t; /* only its type is read */
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "fill_like", &same, 1)) return NULL;
    return fill(g, t->type, v);
}

weft_tensor *weft_graph_iota_at(weft_source at, weft_graph *g, const char *type, int64_t dim) {
    if (!weft_graph_begin(g, at)) return NULL;
    const weft_type *t = weft_graph_type(g, weft_str_from(type ? type : ""));
    if (!t) return NULL;
    return weft_graph_build_1(g, WEFT_OP_iota, NULL, 0,
                              (weft_attr_pair[]){ { WEFT_A_iota_dimension, weft_attr_i64(g->cx, dim) } }, 1, t);
}

/* ---- element by element ---- */

/* The op of this name, without "stablehlo."; WEFT_OP_other, reported, if there is none. */
static weft_op_kind kind_of(weft_graph *g, const char *name) {
    char full[128];
    int n = snprintf(full, sizeof full, "%s%s", strchr(name, '.') ? "" : "stablehlo.", name);
    weft_name interned = n < (int)sizeof full ? weft_name_from(g->cx, full) : weft_name_from(g->cx, "");
    weft_op_kind k = interned ? weft_op_kind_find(g->cx, interned) : WEFT_OP_other;
    if (!interned) weft_graph_keep(g, weft_oom());
    else if (k == WEFT_OP_other) {
        const weft_nearest near = weft_op_nearest(weft_name_str(interned));
        weft_graph_fail(g, WEFT_D_unknown_op, "there is no op '%s'" WEFT_NEAREST, name, WEFT_NEAREST_ARG(near));
    }
    return k;
}

static bool needs_attributes(const weft_op_info *info) {
    for (const weft_attr_spec *a = info->attrs; a && a->presence != WEFT_END_OF_ATTRS; a++)
        if (a->presence == WEFT_REQUIRED) return true;
    return false;
}

weft_tensor *weft_graph_pointwise_at(weft_source at, weft_graph *g, const char *op, weft_tensor *const *x, size_t n) {
    if (!weft_graph_begin(g, at)) return NULL;
    weft_op_kind kind = kind_of(g, op ? op : "");
    const weft_op_info *info = weft_op_info_of(kind);
    if (kind == WEFT_OP_other) return NULL;
    if (!weft_op_kind_has(kind, WEFT_TRAIT_POINTWISE))
        return weft_graph_fail(g, WEFT_D_usage, "'%s' is not pointwise", info->name);
    if (needs_attributes(info))
        return weft_graph_fail(g, WEFT_D_usage, "'%s' needs attributes: use its own call or weft_graph_op", info->name);
    if (info->operands != WEFT_VARIADIC && (size_t)info->operands != n)
        return weft_graph_fail(g, WEFT_D_verify, "'%s' takes %d operands, not %zu", info->name, info->operands, n);
    if (!weft_graph_owns(g, info->name, x, n)) return NULL;
    return weft_graph_build_1(g, kind, x, n, NULL, 0, NULL);
}

weft_value *weft_graph_build_compare(weft_graph *g, weft_enum_value direction, weft_value *a, weft_value *b) {
    const weft_attr_pair attr = { WEFT_A_comparison_direction, weft_attr_enum(g->cx, direction) };
    return a && b ? weft_graph_build_1(g, WEFT_OP_compare, (weft_value *const[]){ a, b }, 2, &attr, 1, NULL) : NULL;
}

weft_tensor *weft_graph_compare_at(weft_source at, weft_graph *g, const char *direction, weft_tensor *a,
                                   weft_tensor *b) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "compare", (weft_tensor *const[]){ a, b }, 2)) return NULL;
    const weft_enum_value e = weft_enum_find(WEFT_ENUM_comparison_direction, weft_str_from(direction ? direction : ""));
    if (e != WEFT_ENUM_COUNT) return weft_graph_build_compare(g, e, a, b);
    return weft_graph_fail(g, WEFT_D_usage, "'%s' is not a comparison: EQ, NE, GE, GT, LE or LT",
                           direction ? direction : "");
}

weft_tensor *weft_graph_convert_at(weft_source at, weft_graph *g, weft_tensor *x, const char *dtype) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "convert", &x, 1)) return NULL;
    weft_dtype to = weft_dtype_parse(weft_str_from(dtype ? dtype : ""));
    if (to == WEFT_DTYPE_NONE)
        return weft_graph_fail(g, WEFT_D_verify, "'%s' is not an element type", dtype ? dtype : "");
    const weft_type *t = weft_type_with_dtype(g->cx, x->type, to);
    return t ? weft_graph_build_1(g, WEFT_OP_convert, &x, 1, NULL, 0, t) : weft_graph_keep(g, weft_oom());
}

weft_tensor *weft_graph_scale_at(weft_source at, weft_graph *g, weft_tensor *x, double factor) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "scale", &x, 1)) return NULL;
    weft_value *f = fill(g, x->type, factor);
    return f ? weft_graph_build_1(g, WEFT_OP_multiply, (weft_tensor *const[]){ x, f }, 2, NULL, 0, NULL) : NULL;
}

/* ---- shapes ---- */

/* x's element type under another shape, or NULL with the failure kept. */
static const weft_type *with_shape(weft_graph *g, const weft_value *x, weft_dims shape) {
    if (shape.n > WEFT_MAX_RANK)
        return (void)weft_graph_fail(g, WEFT_D_verify, "a tensor has at most %d dimensions", WEFT_MAX_RANK), NULL;
    for (size_t i = 0; i < shape.n; i++)
        if (shape.v[i] < 0) return (void)weft_graph_fail(g, WEFT_D_verify, "dimension %zu is negative", i), NULL;
    const weft_type *t = weft_type_with_dims(g->cx, x->type, (uint32_t)shape.n, shape.v);
    if (!t) weft_graph_keep(g, weft_oom());
    return t;
}

static weft_tensor *broadcast(weft_graph *g, weft_tensor *x, const weft_type *t, weft_dims dims) {
    if (!t) return NULL;
    return weft_graph_build_1(g, WEFT_OP_broadcast_in_dim, &x, 1,
                              (weft_attr_pair[]){ { WEFT_A_broadcast_dimensions, weft_graph_ints(g, dims) } }, 1, t);
}

weft_tensor *weft_graph_broadcast_at(weft_source at, weft_graph *g, weft_tensor *x, weft_dims shape, weft_dims dims) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "broadcast", &x, 1) ||
        !weft_graph_lists(g, "broadcast", (weft_dims[]){ shape, dims }, 2))
        return NULL;
    return broadcast(g, x, with_shape(g, x, shape), dims);
}

weft_tensor *weft_graph_broadcast_like_at(weft_source at, weft_graph *g, weft_tensor *x, const weft_tensor *like,
                                          weft_dims dims) {
    if (!weft_graph_begin(g, at) ||
        !weft_graph_owns(g, "broadcast_like", (weft_tensor *const[]){ x, (weft_tensor *)like }, 2))
        return NULL;
    if (!weft_graph_lists(g, "broadcast_like", &dims, 1)) return NULL;
    return broadcast(g, x, with_shape(g, x, (weft_dims){ like->type->dims, like->type->rank }), dims);
}

weft_tensor *weft_graph_reshape_at(weft_source at, weft_graph *g, weft_tensor *x, weft_dims shape) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "reshape", &x, 1) || !weft_graph_lists(g, "reshape", &shape, 1))
        return NULL;
    const weft_type *t = with_shape(g, x, shape);
    return t ? weft_graph_build_1(g, WEFT_OP_reshape, &x, 1, NULL, 0, t) : NULL;
}

weft_tensor *weft_graph_transpose_at(weft_source at, weft_graph *g, weft_tensor *x, weft_dims permutation) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "transpose", &x, 1) ||
        !weft_graph_lists(g, "transpose", &permutation, 1))
        return NULL;
    return weft_graph_build_1(g, WEFT_OP_transpose, &x, 1,
                              (weft_attr_pair[]){ { WEFT_A_permutation, weft_graph_ints(g, permutation) } }, 1, NULL);
}

weft_tensor *weft_graph_slice_at(weft_source at, weft_graph *g, weft_tensor *x, weft_dims start, weft_dims limit,
                                 weft_dims strides) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "slice", &x, 1) ||
        !weft_graph_lists(g, "slice", (weft_dims[]){ start, limit, strides }, 3))
        return NULL;
    int64_t ones[WEFT_MAX_RANK];
    if (!strides.n) {
        for (uint32_t i = 0; i < x->type->rank; i++) ones[i] = 1;
        strides = (weft_dims){ ones, x->type->rank };
    }
    const weft_attr_pair attrs[] = {
        { WEFT_A_start_indices, weft_graph_ints(g, start) }, { WEFT_A_limit_indices, weft_graph_ints(g, limit) },
        { WEFT_A_strides, weft_graph_ints(g, strides) }
    };
    return weft_graph_build_1(g, WEFT_OP_slice, &x, 1, attrs, WEFT_COUNT(attrs), NULL);
}

weft_tensor *weft_graph_concatenate_at(weft_source at, weft_graph *g, weft_tensor *const *x, size_t n, int64_t dim) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "concatenate", x, n)) return NULL;
    if (!n) return weft_graph_fail(g, WEFT_D_usage, "'stablehlo.concatenate' needs an operand: n is 0"), NULL;
    return weft_graph_build_1(g, WEFT_OP_concatenate, x, n,
                              (weft_attr_pair[]){ { WEFT_A_dimension, weft_attr_i64(g->cx, dim) } }, 1, NULL);
}

/* ---- any op ---- */

/* attributes' entries as pairs of names and values on scratch memory. */
static weft_status read_attributes(weft_graph *g, const weft_op_info *info, const char *text, weft_attr_pair **out,
                                   size_t *n) {
    const weft_attr *dict;
    weft_status st = weft_graph_parse(g, "in the attributes of", info->name, weft_str_from(text), &dict, NULL);
    if (st != WEFT_OK) return st;
    if (dict->kind != WEFT_ATTR_DICT)
        return weft_report(g->cx, WEFT_D_usage, g->b.loc, "the attributes of '%s' are not a dictionary", info->name);
    *n = dict->entries.n;
    *out = weft_scratch_array(g->cx, weft_attr_pair, *n);
    if (!*out) return weft_oom();
    for (size_t i = 0; i < *n; i++) {
        if (dict->entries.v[i].name->id >= WEFT_A_COUNT)
            return weft_report(g->cx, WEFT_D_verify, g->b.loc, "'%s' has no attribute '%s'", info->name,
                               dict->entries.v[i].name->text);
        const uint32_t name = dict->entries.v[i].name->id;
        (*out)[i] = (weft_attr_pair){ (weft_attr_name)name, weft_attr_of_dict(g->cx, name, dict->entries.v[i].value) };
    }
    return WEFT_OK;
}

/* The types of a region's arguments, and the region. */
static bool fill_region(weft_graph *g, weft_op *shell, size_t r, const weft_op_region *from) {
    const char *text = from->arguments ? from->arguments : "";
    const size_t n = weft_graph_count_types(text);
    const weft_type **types = weft_scratch_array(g->cx, const weft_type *, n);
    if (!types) return weft_graph_keep(g, weft_oom()) != NULL;
    return weft_graph_types(g, text, types, n) &&
           weft_graph_fill_region(g, shell, r, &(weft_graph_body){ .fn = from->body, .user = from->user, .args = types,
                                                                   .arg_count = n, .result_count = from->results });
}

/* The attributes, types and regions that were given as text, and the op. */
static weft_op *make_any(weft_graph *g, weft_op_kind kind, weft_tensor *const *x, size_t n, const char *attributes,
                         const char *types, const weft_op_region *regions, size_t region_count, size_t out_n) {
    weft_attr_pair *attrs = NULL;
    size_t attr_count = 0;
    const weft_type **result_types = weft_scratch_array(g->cx, const weft_type *, out_n);
    weft_status st = result_types ? WEFT_OK : weft_oom();
    if (st == WEFT_OK && attributes) st = read_attributes(g, weft_op_info_of(kind), attributes, &attrs, &attr_count);
    weft_graph_keep(g, st);
    if (st != WEFT_OK || (types && !weft_graph_types(g, types, result_types, out_n))) return NULL;
    if (!region_count) return weft_graph_build(g, kind, x, n, attrs, attr_count, result_types, out_n);
    weft_op *shell = weft_graph_shell(g, kind, region_count);
    for (size_t r = 0; shell && r < region_count; r++)
        if (!fill_region(g, shell, r, &regions[r])) return NULL;
    return shell ? weft_graph_build_shell(g, shell, x, n, attrs, attr_count, result_types, out_n) : NULL;
}

/* Functions, meshes and ends of blocks are made by calls of their own. */
static bool is_for_users(weft_graph *g, weft_op_kind kind) {
    const weft_op_info *info = weft_op_info_of(kind);
    if (kind == WEFT_OP_other) return false;
    if (!(info->traits & (WEFT_TRAIT_TERMINATOR | WEFT_TRAIT_SYMBOL))) return true;
    weft_graph_fail(g, WEFT_D_unsupported,
                    "'%s' ends a body or names a symbol, and is made by the graph: weft_graph_function, "
                    "weft_graph_mesh", info->name);
    return false;
}

void weft_graph_op_with_at(weft_source at, weft_graph *g, const char *name, weft_tensor *const *x, size_t n,
                           const char *attributes, const char *types, const weft_op_region *regions,
                           size_t region_count, weft_tensor **out, size_t out_n) {
    if (!weft_graph_begin_to(g, at, name ? name : "", out, out_n)) {
        weft_graph_results(NULL, out, out_n);
        return;
    }
    const weft_op_kind kind = kind_of(g, name ? name : "");
    if (!is_for_users(g, kind) || !weft_graph_owns(g, weft_op_info_of(kind)->name, x, n)) {
        weft_graph_results(NULL, out, out_n);
        return;
    }
    if (!region_count && weft_op_info_of(kind)->regions > 0) {
        weft_graph_fail(g, WEFT_D_usage, "'%s' has a body: weft_graph_op_with makes it (weft/control.h)",
                        weft_op_info_of(kind)->name);
        weft_graph_results(NULL, out, out_n);
        return;
    }
    if (region_count > UINT16_MAX || (region_count && !regions)) {
        weft_graph_fail(g, WEFT_D_usage, "the list of %zu regions of '%s' is NULL or too long", region_count, name);
        weft_graph_results(NULL, out, out_n);
        return;
    }
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    weft_graph_results(make_any(g, kind, x, n, attributes, types, regions, region_count, out_n), out, out_n);
    weft_arena_reset(&g->cx->scratch, mark);
}

void weft_graph_op_at(weft_source at, weft_graph *g, const char *name, weft_tensor *const *x, size_t n,
                      const char *attributes, const char *types, weft_tensor **out, size_t out_n) {
    weft_graph_op_with_at(at, g, name, x, n, attributes, types, NULL, 0, out, out_n);
}
