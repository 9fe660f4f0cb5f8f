/* build_shape.c: ops that move elements; see builder.h. */
#include "ir/builder.h"

static const weft_attr *per_dim(weft_builder *b, const weft_value *x, const int64_t *v) {
    return weft_attr_ints(b->m->cx, WEFT_I64, v, x->type->rank);
}

weft_value *weft_build_pad(weft_builder *b, weft_value *x, weft_value *fill, const int64_t *low, const int64_t *high,
                           const int64_t *interior) {
    int64_t dims[WEFT_MAX_RANK];
    if (!x) return NULL;
    for (uint32_t d = 0; d < x->type->rank; d++) {
        int64_t n = x->type->dims[d];
        dims[d] = weft_max_i64(0, low[d] + n + interior[d] * weft_max_i64(0, n - 1) + high[d]);
    }
    weft_value *operands[2] = { x, fill };
    weft_attr_pair attrs[] = { { WEFT_A_edge_padding_low, per_dim(b, x, low) },
                               { WEFT_A_edge_padding_high, per_dim(b, x, high) },
                               { WEFT_A_interior_padding, per_dim(b, x, interior) } };
    return weft_build_1(b, WEFT_OP_pad, weft_type_with_dims(b->m->cx, x->type, x->type->rank, dims), operands, 2, attrs,
                        WEFT_COUNT(attrs));
}

weft_value *weft_build_slice(weft_builder *b, weft_value *x, const int64_t *starts, const int64_t *limits,
                             const int64_t *strides) {
    int64_t dims[WEFT_MAX_RANK];
    if (!x) return NULL;
    for (uint32_t d = 0; d < x->type->rank; d++) dims[d] = weft_ceil_div(limits[d] - starts[d], strides[d]);
    weft_attr_pair attrs[] = { { WEFT_A_start_indices, per_dim(b, x, starts) },
                               { WEFT_A_limit_indices, per_dim(b, x, limits) },
                               { WEFT_A_strides, per_dim(b, x, strides) } };
    return weft_build_1(b, WEFT_OP_slice, weft_type_with_dims(b->m->cx, x->type, x->type->rank, dims), &x, 1, attrs,
                        WEFT_COUNT(attrs));
}

weft_value *weft_build_concatenate(weft_builder *b, weft_value *const *values, uint32_t n, uint32_t d) {
    int64_t size = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!values[i]) return NULL;
        size += values[i]->type->dims[d];
    }
    weft_attr_pair along[] = { { WEFT_A_dimension, weft_attr_i64(b->m->cx, d) } };
    return weft_build_1(b, WEFT_OP_concatenate, weft_type_with_dim(b->m->cx, values[0]->type, d, size), values, n,
                        along, 1);
}

weft_value *weft_build_cut(weft_builder *b, weft_value *x, uint32_t d, int64_t low, int64_t high) {
    int64_t starts[WEFT_MAX_RANK] = { 0 }, limits[WEFT_MAX_RANK], strides[WEFT_MAX_RANK];
    if (!x) return NULL;
    for (uint32_t k = 0; k < x->type->rank; k++) {
        limits[k] = x->type->dims[k];
        strides[k] = 1;
    }
    starts[d] = low;
    limits[d] = high;
    return weft_build_slice(b, x, starts, limits, strides);
}

weft_value *weft_build_iota(weft_builder *b, const weft_type *type, int64_t d) {
    const weft_attr_pair along = { WEFT_A_iota_dimension, weft_attr_i64(b->m->cx, d) };
    return weft_build_1(b, WEFT_OP_iota, type, NULL, 0, &along, 1);
}

weft_value *weft_build_broadcast(weft_builder *b, weft_value *x, const weft_type *type, const int64_t *dims) {
    if (!x) return NULL;
    weft_attr_pair to[] = { { WEFT_A_broadcast_dimensions, per_dim(b, x, dims) } };
    return weft_build_1(b, WEFT_OP_broadcast_in_dim, type, &x, 1, to, 1);
}
