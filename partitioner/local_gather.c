/* local_gather.c: gather and scatter when the dimension that is looked up is cut.
 *
 * A gather from a cut dimension: indices are clamped as the whole tensor would clamp them, moved by where this device's part
 * begins, looked up here, and what lies elsewhere is made zero, so that the sum over the devices is the answer. A scatter into
 * a cut dimension: indices are moved likewise, and updates that lie elsewhere fall out of range and are dropped, as StableHLO
 * has it. A scatter whose updates are cut adds them to the first device's input and to zeros elsewhere.
 *
 * A dimension that windows take whole is cut with them. If it has a component in the indices too, only 0 is in range, here as in all.
 */
#include "partitioner/local_ops.h"

static bool among(weft_ints list, int64_t v, uint32_t *at) {
    for (uint32_t i = 0; i < list.n; i++)
        if (list.v[i] == v) {
            if (at) *at = i;
            return true;
        }
    return false;
}

/* Dimensions of tensor t that are made of the one factor f. */
static weft_bits dims_of(const weft_rule *rule, uint32_t t, uint32_t f) {
    weft_bits set = 0;
    for (uint32_t d = 0; d < rule->tensors[t].rank; d++)
        for (uint32_t k = 0; k < rule->tensors[t].dims[d].n; k++)
            if (rule->factors[rule->tensors[t].dims[d].first + k] == f) set |= weft_bit(d);
    return set;
}

/* --- index arithmetic -------------------------------------------------------------------------------------------- */

typedef struct moved {
    weft_value *indices;      /* with the beginnings taken off */
    weft_value *here;         /* i1 over the indices without their vector dimension: in this part; NULL when nothing is cut */
} moved;

typedef struct index_space {
    weft_ints map;            /* component -> operand dimension */
    int64_t vector_dim;
    weft_bits single;         /* operand dimensions of which a window takes one element: collapsed, inserted */
    const weft_placement *placement; /* of the tensor that is looked up */
    const weft_type *global, *local;
} index_space;

static weft_bits bits_of(weft_ints dims) {
    weft_bits set = 0;
    for (uint32_t i = 0; i < dims.n; i++) set |= weft_bit((uint32_t)dims.v[i]);
    return set;
}

/* Whether component c says in which device's part an element lies. */
static bool is_cut(const index_space *x, uint32_t c) {
    return weft_bits_has(x->single, (uint32_t)x->map.v[c]) && weft_placement_dim(x->placement, (uint32_t)x->map.v[c]).n > 0;
}

/* A tensor like indices whose components are v[c] (scalars, NULL: 0). */
static weft_value *components(weft_localizer *z, const weft_type *type, int64_t vector_dim, weft_value *const *v, uint32_t n) {
    weft_value *parts[WEFT_MAX_RANK];
    bool whole = vector_dim >= type->rank;
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < type->rank; d++) dims[d] = type->dims[d];
    if (!whole) dims[vector_dim] = 1;
    const weft_type *one = weft_type_with_dims(z->cx, type, type->rank, dims);
    if (!one) return NULL;
    const weft_type *scalar = weft_type_tensor(z->cx, type->dtype, 0, NULL);
    for (uint32_t c = 0; c < n; c++) {
        weft_value *s = v[c] ? weft_local_convert(z, v[c], type->dtype) : weft_build_splat(z->b, scalar, 0);
        parts[c] = weft_local_broadcast(z, s, one);
    }
    return n == 1 ? parts[0] : weft_build_concatenate(z->b, parts, n, (uint32_t)vector_dim);
}

/* all over the vector dimension of an i1 like the indices. */
static weft_value *all_components(weft_localizer *z, weft_value *x, int64_t vector_dim) {
    if (!x || vector_dim >= x->type->rank) return x;
    int64_t dims[WEFT_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t d = 0; d < x->type->rank; d++)
        if (d != vector_dim) dims[n++] = x->type->dims[d];
    const weft_type *type = weft_type_tensor(z->cx, WEFT_I1, n, dims), *scalar = weft_type_tensor(z->cx, WEFT_I1, 0, NULL);
    if (x->type->dims[vector_dim] == 1) return weft_build_1(z->b, WEFT_OP_reshape, type, &x, 1, NULL, 0);
    weft_value *operands[2] = { x, weft_build_splat(z->b, scalar, 1) };
    weft_named_attr attr = { weft_name_at(z->cx, WEFT_A_dimensions), weft_attr_ints(z->cx, WEFT_I64, &vector_dim, 1) };
    weft_op *op = weft_build_op(z->b, &(weft_op_spec){ .kind = WEFT_OP_reduce, .operands = operands, .operand_count = 2, .types = &type,
                                                       .result_count = 1, .attrs = &attr, .attr_count = 1, .region_count = 1 });
    if (!op) return NULL;
    weft_local_reducer(z, &op->regions[0], WEFT_OP_and, WEFT_I1);
    return &op->results[0];
}

typedef enum outside { OUTSIDE_CLAMPS, OUTSIDE_DROPS } outside;

/* The last start that is in range, and the first local one that is not, per component. */
static moved move_indices(weft_localizer *z, weft_value *indices, const index_space *x, outside how) {
    moved m = { indices, NULL };
    weft_value *begin[WEFT_MAX_RANK] = { NULL }, *last[WEFT_MAX_RANK] = { NULL }, *size[WEFT_MAX_RANK] = { NULL };
    bool cut = false;
    if (!indices) return m;
    weft_dtype dtype = indices->type->dtype; /* signed, and wide enough for the sizes */
    if (weft_dtype_of(dtype)->kind == WEFT_KIND_UINT) dtype = WEFT_I64;
    else if (weft_dtype_of(dtype)->bits < 32) dtype = WEFT_I32;
    for (uint32_t c = 0; c < x->map.n; c++) cut = cut || is_cut(x, c);
    if (!cut) return m;
    weft_value *v = weft_local_convert(z, indices, dtype);
    if (!v) return m;
    const weft_type *type = v->type, *scalar = weft_type_tensor(z->cx, dtype, 0, NULL);
    for (uint32_t c = 0; c < x->map.n; c++) {
        uint32_t d = (uint32_t)x->map.v[c];
        bool here = is_cut(x, c);
        begin[c] = here ? weft_local_dim_index(z, x->placement, d, x->local->dims[d]) : NULL;
        if (how == OUTSIDE_DROPS) continue;
        /* a component that is not cut is everywhere in this part: bounds that nothing passes */
        last[c] = weft_build_splat(z->b, scalar, (double)(here ? x->global->dims[d] - 1 : INT32_MAX));
        size[c] = weft_build_splat(z->b, scalar, (double)(here ? x->local->dims[d] : INT32_MAX));
    }
    weft_value *zero = how == OUTSIDE_CLAMPS ? weft_build_splat(z->b, type, 0) : NULL;
    if (how == OUTSIDE_CLAMPS) {
        v = weft_build_binary(z->b, WEFT_OP_minimum, v, components(z, type, x->vector_dim, last, x->map.n));
        v = weft_build_binary(z->b, WEFT_OP_maximum, v, zero);
    }
    m.indices = weft_build_binary(z->b, WEFT_OP_subtract, v, components(z, type, x->vector_dim, begin, x->map.n));
    if (how == OUTSIDE_CLAMPS) {
        weft_value *low = weft_local_compare(z, m.indices, zero, WEFT_comparison_direction_GE);
        weft_value *high = weft_local_compare(z, m.indices, components(z, type, x->vector_dim, size, x->map.n), WEFT_comparison_direction_LT);
        m.here = all_components(z, low && high ? weft_build_binary(z->b, WEFT_OP_and, low, high) : NULL, x->vector_dim);
    }
    return m;
}

/* --- gather ------------------------------------------------------------------------------------------------------ */

/* Pass-through factors of windows must be taken whole; looked-up dimensions must be taken one at a time. */
weft_bits weft_factors_gather(const weft_op *op, const weft_rule *rule) {
    const weft_gather_dims *g = &weft_op_attr(op, WEFT_A_dimension_numbers)->gather;
    weft_bits set = weft_pass_factors(op, rule);
    WEFT_EACH_BIT(f, rule->reduction) {
        weft_bits in_operand = dims_of(rule, 0, f);
        bool fine = in_operand != 0 && !weft_bits_has(rule->tensors[1].factors | rule->tensors[2].factors, f);
        WEFT_EACH_BIT(d, in_operand) fine = fine && among(g->start_index_map, d, NULL) && among(g->collapsed_slice_dims, d, NULL);
        if (fine) set |= weft_bit(f);
    }
    return set;
}

weft_partial weft_partial_gather(const weft_op *op) {
    return op->results[0].type->dtype == WEFT_I1 ? WEFT_PARTIAL_MAX : WEFT_PARTIAL_SUM;
}

static weft_value *mask_result(weft_localizer *z, weft_value *x, weft_value *here, weft_ints offset_dims) {
    int64_t dims[WEFT_MAX_RANK];
    uint32_t n = 0;
    if (!x || !here) return NULL;
    for (uint32_t d = 0; d < x->type->rank; d++)
        if (!among(offset_dims, d, NULL)) dims[n++] = d;
    weft_attr_pair attr[] = { { WEFT_A_broadcast_dimensions, weft_attr_ints(z->cx, WEFT_I64, dims, n) } };
    weft_value *mask = weft_build_1(z->b, WEFT_OP_broadcast_in_dim, weft_type_with_dtype(z->cx, x->type, WEFT_I1), &here, 1, attr, 1);
    return weft_local_select(z, mask, x, weft_build_splat(z->b, x->type, 0));
}

weft_status weft_lower_gather(weft_localizer *z, const weft_op *op) {
    const weft_gather_dims *g = &weft_op_attr(op, WEFT_A_dimension_numbers)->gather;
    weft_op *made = NULL;
    index_space space = { g->start_index_map, g->index_vector_dim, bits_of(g->collapsed_slice_dims), weft_local_placement(z, op->operands[0]), op->operands[0]->type,
                          weft_local_type(z, op->operands[0]) };
    moved m = move_indices(z, weft_local_value(z, op->operands[1]), &space, OUTSIDE_CLAMPS);
    weft_status st = z->b->status == WEFT_OK ? weft_local_clone(z, op, &made) : z->b->status;
    if (st != WEFT_OK) return st;
    made->operands[1] = m.indices;
    weft_ints sizes = weft_op_ints(op, WEFT_A_slice_sizes);
    int64_t v[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < sizes.n; d++) v[d] = weft_min_i64(sizes.v[d], space.local->dims[d]);
    st = weft_op_set_ints(z->rewrite->out, made, WEFT_A_slice_sizes, v, sizes.n);
    if (st == WEFT_OK && m.here) weft_local_map(z, &op->results[0], mask_result(z, &made->results[0], m.here, g->offset_dims));
    return st == WEFT_OK ? z->b->status : st;
}

/* --- scatter ----------------------------------------------------------------------------------------------------- */

weft_bits weft_factors_scatter(const weft_op *op, const weft_rule *rule) {
    const weft_scatter_dims *s = &weft_op_attr(op, WEFT_A_scatter_dimension_numbers)->scatter;
    uint32_t n = op->result_count, indices = n, update = n + 1;
    weft_bits set = weft_pass_factors(op, rule), fine = rule->reduction;
    WEFT_EACH_BIT(f, set) {
        weft_bits d = dims_of(rule, 0, f);
        bool looked_up = weft_bits_count(d) == 1 && among(s->scatter_dims_to_operand_dims, weft_bits_lowest(d), NULL) &&
                         among(s->inserted_window_dims, weft_bits_lowest(d), NULL) && !weft_bits_has(rule->tensors[indices].factors, f) &&
                         !weft_bits_has(rule->tensors[update].factors, f);
        if (looked_up || (d && weft_bits_has(rule->tensors[update].factors, f))) fine |= weft_bit(f);
    }
    return fine;
}

/* Padded updates are dropped by their indices, if they have any. */
weft_bits weft_uneven_scatter(const weft_op *op, const weft_rule *rule) {
    const weft_scatter_dims *s = &weft_op_attr(op, WEFT_A_scatter_dimension_numbers)->scatter;
    return weft_factors_scatter(op, rule) & (s->scatter_dims_to_operand_dims.n ? ~(weft_bits)0 : ~rule->reduction);
}

weft_partial weft_partial_scatter(const weft_op *op) {
    return op->operand_count == 3 ? weft_partial_of_reducer(op, 0, op->results[0].type->dtype) : WEFT_PARTIAL_NONE;
}

/* Only the first device along the cut updates keeps the input; sums of the others begin with zeros. */
static void keep_input_once(weft_localizer *z, const weft_op *op, weft_op *made) {
    const weft_placement *in = weft_local_placement(z, op->operands[0]), *out = weft_local_placement(z, &op->results[0]);
    weft_atoms over = out->unreduced & ~in->unreduced;
    if (!over || weft_value_is_zero(op->operands[0])) return;
    weft_value *x = made->operands[0], *first = weft_local_is_first(z, over);
    if (!first) return;
    weft_value *mask = weft_local_broadcast(z, first, weft_type_with_dtype(z->cx, x->type, WEFT_I1));
    weft_value *once = weft_local_select(z, mask, x, weft_build_splat(z->b, x->type, 0));
    if (once) made->operands[0] = once;
}

weft_status weft_lower_scatter(weft_localizer *z, const weft_op *op) {
    const weft_scatter_dims *s = &weft_op_attr(op, WEFT_A_scatter_dimension_numbers)->scatter;
    uint32_t n = op->result_count;
    index_space space = { s->scatter_dims_to_operand_dims, s->index_vector_dim, bits_of(s->inserted_window_dims), weft_local_placement(z, op->operands[0]),
                          op->operands[0]->type, weft_local_type(z, op->operands[0]) };
    weft_op *made = NULL;
    moved m = move_indices(z, weft_local_value(z, op->operands[n]), &space, OUTSIDE_DROPS);
    weft_status st = z->b->status == WEFT_OK ? weft_local_clone(z, op, &made) : z->b->status;
    if (st != WEFT_OK) return st;
    z->b->before = made;
    made->operands[n] = weft_local_nowhere(z, op->operands[n], m.indices);
    if (made->operands[n] != m.indices && z->b->status == WEFT_OK) st = weft_op_set(z->rewrite->out, made, WEFT_A_indices_are_sorted, NULL);
    if (n == 1) keep_input_once(z, op, made);
    z->b->before = NULL;
    return st == WEFT_OK ? z->b->status : st;
}
