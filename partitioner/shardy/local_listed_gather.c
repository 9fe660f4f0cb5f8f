/* local_listed_gather.c: gather and scatter in the listed form, where a dimension that is looked up is split.
 *
 * As local_gather.c has it, but as Shardy writes it: bounds are those of this device's part, [offset, offset + part),
 * one for each component of an index, and an index is in the part when all its components are within. A split dimension
 * of slice size 1 that no index moves along is looked up by its first device alone. Shardy cuts no dimension of which
 * windows take several elements, but not all; where that is split, both are as local_gather.c has them. Source: Shardy,
 * sdy-convert-global-to-local.
 */
#include "partitioner/lower/local_ops.h"

static bool among(weft_ints list, int64_t v) {
    for (uint32_t i = 0; i < list.n; i++)
        if (list.v[i] == v) return true;
    return false;
}

typedef struct lookup {
    weft_ints map;                   /* component -> dimension */
    int64_t vector_dim;
    const weft_placement *placement; /* of what is looked up */
    const weft_type *global, *local;
    uint64_t trivial;                /* cut dimensions of which an index takes one element */
} lookup;

/* --- bounds ------------------------------------------------------------------------------------------------------- */

static weft_value *splat(weft_localizer *z, const weft_type *type, int64_t v) {
    return weft_build_integer(z->b, type, v);
}

/* v[c] for every component c, in the shape of the indices; all 0 when v is NULL. */
static weft_value *constant_like(weft_localizer *z, const weft_type *type, const lookup *l, const int64_t *v) {
    if (!v || l->map.n < 2 || l->vector_dim >= type->rank) return splat(z, type, v ? v[0] : 0);
    int64_t n = l->map.n;
    weft_attr_pair dims[] = { { WEFT_A_broadcast_dimensions, weft_attr_ints(z->cx, WEFT_I64, &l->vector_dim, 1) } };
    const weft_type *row = weft_type_tensor(z->cx, type->dtype, 1, &n);
    uint8_t bytes[WEFT_MAX_RANK * sizeof(int64_t)];
    for (int64_t c = 0; c < n; c++)
        weft_dtype_store(type->dtype, bytes + (size_t)c * weft_dtype_bytes(type->dtype), (double)v[c]);
    weft_value *x = row ? weft_build_constant(z->b, weft_attr_dense(z->cx, row, bytes, false)) : NULL;
    return weft_build_1(z->b, WEFT_OP_broadcast_in_dim, type, &x, 1, dims, 1);
}

/* Scalars v[c] in the shape of the indices. */
static weft_value *scalars_like(weft_localizer *z, const weft_type *type, const lookup *l, weft_value *const *v) {
    if (l->vector_dim >= type->rank || type->dims[l->vector_dim] == 1) {
        weft_attr_pair none[] = { { WEFT_A_broadcast_dimensions, weft_attr_ints(z->cx, WEFT_I64, NULL, 0) } };
        return v[0] ? weft_build_1(z->b, WEFT_OP_broadcast_in_dim, type, &v[0], 1, none, 1) : NULL;
    }
    int64_t one = 1, n = l->map.n;
    weft_value *cells[WEFT_MAX_RANK];
    for (uint32_t c = 0; c < n; c++) cells[c] = weft_local_reshaped(z, v[c], 1, &one);
    weft_attr_pair dim[] = { { WEFT_A_dimension, weft_attr_i64(z->cx, 0) } };
    weft_attr_pair dims[] = { { WEFT_A_broadcast_dimensions, weft_attr_ints(z->cx, WEFT_I64, &l->vector_dim, 1) } };
    weft_value *row = weft_build_1(z->b, WEFT_OP_concatenate, weft_type_tensor(z->cx, type->dtype, 1, &n), cells,
                                   (uint32_t)n, dim, 1);
    return weft_build_1(z->b, WEFT_OP_broadcast_in_dim, type, &row, 1, dims, 1);
}

/* Where this device's part of each looked-up dimension begins and ends; of one that is not split, the whole. last may
 * be NULL. */
static void bounds(weft_localizer *z, const lookup *l, const weft_type *scalar, weft_value **first, weft_value **last) {
    for (uint32_t c = 0; c < l->map.n; c++) {
        uint32_t d = (uint32_t)l->map.v[c];
        if (!weft_bits_has(l->trivial, d)) {
            first[c] = splat(z, scalar, 0);
            if (last) last[c] = splat(z, scalar, l->global->dims[d] - 1);
            continue;
        }
        first[c] = weft_local_convert(z, weft_local_dim_index(z, l->placement, d, l->local->dims[d]), scalar->dtype);
        if (last) last[c] = weft_build_binary(z->b, WEFT_OP_add, first[c], splat(z, scalar, l->local->dims[d] - 1));
    }
}

/* Indices that cannot count through a looked-up dimension are made wide. */
static weft_value *wide_enough(weft_localizer *z, weft_value *indices, const lookup *l) {
    uint32_t bits = weft_dtype_of(indices->type->dtype)->bits -
                    (weft_dtype_of(indices->type->dtype)->kind == WEFT_KIND_UINT ? 0 : 1);
    for (uint32_t c = 0; c < l->map.n; c++)
        if (bits < 63 && l->global->dims[l->map.v[c]] > (INT64_C(1) << bits) - 1)
            return weft_local_convert(z, indices, WEFT_I64);
    return indices;
}

static weft_value *both(weft_localizer *z, weft_value *x, weft_value *y) {
    return x && y ? weft_build_binary(z->b, WEFT_OP_and, x, y) : x ? x : y;
}

/* --- gather ------------------------------------------------------------------------------------------------------- */

/* Indices in this part, and whether they are: i1 in the shape of the indices. */
static weft_value *move_into_part(weft_localizer *z, weft_value *indices, const lookup *l, weft_value **inside) {
    weft_value *first[WEFT_MAX_RANK], *last[WEFT_MAX_RANK];
    int64_t highest[WEFT_MAX_RANK];
    bool moved = false;
    *inside = NULL;
    for (uint32_t c = 0; c < l->map.n; c++) {
        moved = moved || weft_bits_has(l->trivial, l->map.v[c]);
        highest[c] = l->global->dims[l->map.v[c]] - 1;
    }
    if (!moved || !indices) return indices;
    indices = wide_enough(z, indices, l);
    if (!indices) return NULL;
    const weft_type *type = indices->type, *scalar = weft_type_tensor(z->cx, type->dtype, 0, NULL);
    weft_value *clamp[3] = { constant_like(z, type, l, NULL), indices, constant_like(z, type, l, highest) };
    weft_value *v = weft_build_1(z->b, WEFT_OP_clamp, type, clamp, 3, NULL, 0);
    bounds(z, l, scalar, first, last);
    weft_value *low = scalars_like(z, type, l, first), *high = scalars_like(z, type, l, last);
    weft_value *here = weft_build_binary(z->b, WEFT_OP_subtract, v, low);
    weft_value *ge = weft_local_compare(z, v, low, WEFT_comparison_direction_GE);
    *inside = both(z, ge, weft_local_compare(z, v, high, WEFT_comparison_direction_LE));
    return here;
}

/* Whether this device is the first along every split dimension that no index moves along: NULL when there is none. */
static weft_value *is_first(weft_localizer *z, const lookup *l) {
    weft_value *all = NULL;
    WEFT_EACH_BIT(d, l->trivial) {
        if (among(l->map, d)) continue;
        weft_value *offset = weft_local_dim_index(z, l->placement, d, l->local->dims[d]);
        all = both(z, all,
                   weft_local_compare(z, offset, splat(z, weft_local_offset_type(z), 0), WEFT_comparison_direction_EQ));
    }
    return all;
}

static weft_value *all_components(weft_localizer *z, weft_value *x, int64_t vector_dim) {
    int64_t dims[WEFT_MAX_RANK];
    uint32_t n = 0;
    if (!x || vector_dim >= x->type->rank) return x;
    for (uint32_t d = 0; d < x->type->rank; d++)
        if (d != vector_dim) dims[n++] = x->type->dims[d];
    const weft_type *type = weft_type_tensor(z->cx, WEFT_I1, n, dims);
    weft_value *operands[2] = { x, splat(z, weft_type_tensor(z->cx, WEFT_I1, 0, NULL), 1) };
    weft_named_attr attr = { weft_name_at(z->cx, WEFT_A_dimensions), weft_attr_ints(z->cx, WEFT_I64, &vector_dim, 1) };
    weft_op *op = weft_build_op(z->b, &(weft_op_spec){ .kind = WEFT_OP_reduce, .operands = operands, .operand_count = 2,
                                                       .types = &type, .result_count = 1, .attrs = &attr,
                                                       .attr_count = 1, .region_count = 1 });
    if (!op) return NULL;
    weft_local_reducer(z, &op->regions[0], WEFT_OP_and, WEFT_I1);
    return &op->results[0];
}

/* x where mask says so, elsewhere 0; mask has the batching dimensions of x, or none. */
static weft_value *masked(weft_localizer *z, weft_value *x, weft_value *mask, weft_ints offset_dims) {
    int64_t dims[WEFT_MAX_RANK];
    uint32_t n = 0;
    if (!x || !mask) return NULL;
    for (uint32_t d = 0; mask->type->rank && d < x->type->rank; d++)
        if (!among(offset_dims, d)) dims[n++] = d;
    weft_attr_pair attr[] = { { WEFT_A_broadcast_dimensions, weft_attr_ints(z->cx, WEFT_I64, dims, n) } };
    mask =
        weft_build_1(z->b, WEFT_OP_broadcast_in_dim, weft_type_with_dtype(z->cx, x->type, WEFT_I1), &mask, 1, attr, 1);
    return weft_local_select(z, mask, x, splat(z, x->type, 0));
}

weft_status weft_listed_gather(weft_localizer *z, const weft_op *op) {
    const weft_gather_dims *g = &weft_op_attr(op, WEFT_A_dimension_numbers)->gather;
    weft_ints sizes = weft_op_ints(op, WEFT_A_slice_sizes);
    lookup l = { g->start_index_map, g->index_vector_dim, weft_local_placement(z, op->operands[0]),
                 op->operands[0]->type, weft_local_type(z, op->operands[0]), 0 };
    weft_op *made = NULL;
    weft_value *inside, *first;
    int64_t v[WEFT_MAX_RANK];
    for (uint32_t d = 0; l.local && d < sizes.n; d++) {
        if (sizes.v[d] > 1 && sizes.v[d] < l.global->dims[d] && weft_placement_dim(l.placement, d).n)
            return weft_lower_gather(z, op);
        v[d] = weft_min_i64(sizes.v[d], l.local->dims[d]);
        if (sizes.v[d] == 1 && weft_placement_dim(l.placement, d).n && !among(g->operand_batching_dims, d))
            l.trivial |= weft_bit(d);
    }
    weft_value *indices = move_into_part(z, weft_local_value(z, op->operands[1]), &l, &inside);
    first = is_first(z, &l);
    if (inside && first) first = weft_local_broadcast(z, first, inside->type);
    inside = both(z, inside, first);
    weft_status st = z->b->status == WEFT_OK ? weft_local_clone(z, op, &made) : z->b->status;
    if (st != WEFT_OK) return st;
    made->operands[1] = indices;
    st = weft_op_set_ints(z->rewrite->out, made, WEFT_A_slice_sizes, v, sizes.n);
    if (st != WEFT_OK || !l.trivial) return st;
    inside = all_components(z, inside, g->index_vector_dim);
    weft_local_map(z, &op->results[0], masked(z, &made->results[0], inside, g->offset_dims));
    return z->b->status;
}

/* --- scatter ------------------------------------------------------------------------------------------------------ */

/* What combining with changes nothing; reports a body without such a value. */
static weft_status identity(weft_localizer *z, const weft_op *op, weft_dtype dtype, weft_value **out) {
    *out = weft_build_neutral(z->b, weft_reducer_kind(op, 0), dtype);
    if (*out || z->b->status != WEFT_OK) return z->b->status;
    return weft_report(z->cx, WEFT_D_partition, op->loc, "failed to get scatter reduction identity.");
}

/* Atoms that cut the updates but not the input: each device brings a part of the updates, to be combined after. */
static uint32_t combined_atoms(weft_localizer *z, const weft_op *op, const weft_scatter_dims *s, uint8_t *atoms) {
    const weft_placement *in = weft_local_placement(z, op->operands[0]),
                         *update = weft_local_placement(z, op->operands[op->result_count + 1]);
    uint32_t n = 0;
    for (uint32_t i = 0; i < update->n; i++)
        if (!among(s->update_window_dims, update->at[i].dim) && !weft_bits_has(in->used, update->at[i].atom))
            atoms[n++] = update->at[i].atom;
    return n;
}

/* Only the first device along atoms keeps its input, the others begin with what changes nothing. */
static weft_status keep_once(weft_localizer *z, const weft_op *op, const uint8_t *atoms, uint32_t n,
                             weft_value **inputs) {
    const weft_type *type = inputs[0] ? inputs[0]->type : NULL;
    int64_t devices = weft_placements_devices(z->t), zero = 0;
    weft_value *nothing;
    if (!type) return weft_oom();
    weft_status st = identity(z, op, type->dtype, &nothing);
    if (st != WEFT_OK) return st;
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *first = weft_scratch_array(z->cx, int64_t, devices);
    for (int64_t place = 0; first && place < devices; place++)
        first[weft_local_device_at(z, place)] = weft_local_number(z, atoms, n, place) == 0;
    weft_value *mask = first ? weft_local_lookup(z, first, WEFT_I1) : NULL;
    weft_arena_reset(&z->cx->scratch, mark);
    weft_attr_pair dims[] = { { WEFT_A_broadcast_dimensions, weft_attr_ints(z->cx, WEFT_I64, &zero, 1) } };
    if (type->rank == 0) mask = weft_local_reshaped(z, mask, 0, NULL);
    else if (mask)
        mask =
            weft_build_1(z->b, WEFT_OP_broadcast_in_dim, weft_type_with_dtype(z->cx, type, WEFT_I1), &mask, 1, dims, 1);
    nothing = weft_local_broadcast(z, nothing, type);
    for (uint32_t i = 0; i < op->result_count; i++) inputs[i] = weft_local_select(z, mask, inputs[i], nothing);
    return z->b->status;
}

weft_status weft_listed_scatter(weft_localizer *z, const weft_op *op) {
    const weft_scatter_dims *s = &weft_op_attr(op, WEFT_A_scatter_dimension_numbers)->scatter;
    uint32_t n = op->result_count;
    lookup l = { s->scatter_dims_to_operand_dims,          s->index_vector_dim,
                 weft_local_placement(z, op->operands[0]), op->operands[0]->type,
                 weft_local_type(z, op->operands[0]),      0 };
    uint8_t atoms[WEFT_MAX_ATOMS];
    weft_op *made = NULL;
    weft_status st = WEFT_OK;
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t sizes[WEFT_MAX_RANK];
    weft_scatter_sizes(op, sizes);
    for (uint32_t i = 0; i < l.placement->n; i++) {
        const uint32_t d = l.placement->at[i].dim;
        if (sizes[d] > 1 && sizes[d] < l.global->dims[d]) return weft_lower_scatter(z, op);
    }
    weft_value **inputs = weft_scratch_array(z->cx, weft_value *, n), *indices = weft_local_value(z, op->operands[n]);
    if (!inputs || !indices) return weft_oom();
    for (uint32_t i = 0; i < n; i++) inputs[i] = weft_local_value(z, op->operands[i]);
    uint32_t combined = combined_atoms(z, op, s, atoms);
    if (combined) st = keep_once(z, op, atoms, combined, inputs);
    for (uint32_t i = 0; i < l.placement->n; i++) {
        uint32_t d = l.placement->at[i].dim;
        if (among(l.map, d)) l.trivial |= weft_bit(d);
        else if (st == WEFT_OK && among(s->inserted_window_dims, d))
            st = weft_report(
                z->cx, WEFT_D_partition, op->loc,
                "sharding operand dimension %u that is not indexed but in inserted window dimension is not supported.",
                d);
    }
    if (st == WEFT_OK && l.trivial) {
        weft_value *first[WEFT_MAX_RANK];
        indices = wide_enough(z, indices, &l);
        if (indices) bounds(z, &l, weft_type_tensor(z->cx, indices->type->dtype, 0, NULL), first, NULL);
        if (indices)
            indices = weft_build_binary(z->b, WEFT_OP_subtract, indices, scalars_like(z, indices->type, &l, first));
    }
    if (st == WEFT_OK) st = z->b->status == WEFT_OK ? weft_local_clone(z, op, &made) : z->b->status;
    for (uint32_t i = 0; st == WEFT_OK && i < n; i++) made->operands[i] = inputs[i];
    if (st == WEFT_OK) made->operands[n] = indices;
    weft_arena_reset(&z->cx->scratch, mark);
    return st;
}
