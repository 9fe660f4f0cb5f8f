/* local_gather.c: gather and scatter when the dimension that is looked up is split.
 *
 * A gather from a split dimension: indices are clamped as the whole tensor would clamp them, moved by where this
 * device's part begins, looked up here, and what lies elsewhere is made zero, so that the sum over the devices is the
 * answer. A scatter into a split dimension: indices are moved likewise, and updates that lie elsewhere fall out of
 * range and are dropped, as StableHLO has it. A scatter whose updates are split adds them to the first device's input
 * and to zeros elsewhere.
 *
 * A window that takes several elements of a split dimension may begin in one part and end in another. It is unrolled:
 * each of its elements gets an index of its own, and stands in the result or the update where it stood. The part itself
 * is not copied, nor made longer.
 *
 * A dimension that windows take whole is split with them. If it has a component in the indices too, a gather clamps
 * that to 0, here as in all; a scatter does not, and is split so only where the component is known to be 0.
 */
#include "partitioner/lower/index_range.h"
#include "partitioner/lower/local_ops.h"

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

typedef struct index_space {
    weft_ints map;            /* component -> operand dimension */
    int64_t vector_dim;
    weft_bits cut;            /* operand dimensions that are split and looked up */
    int64_t window[WEFT_MAX_RANK];   /* how many elements an index takes of each operand dimension */
    const weft_type *global, *local; /* of the tensor that is looked up */
    const weft_placement *placement;
} index_space;

/* The space of the values of x at indices, of which a window takes sizes[d]; single: dimensions that have no window. */
static index_space space_of(weft_localizer *z, const weft_value *x, weft_ints map, int64_t vector_dim, weft_ints single,
                            const int64_t *sizes) {
    index_space s = { .map = map, .vector_dim = vector_dim, .global = x->type, .local = weft_local_type(z, x),
                      .placement = weft_local_placement(z, x) };
    for (uint32_t d = 0; d < x->type->rank; d++) {
        s.window[d] = sizes[d];
        if (among(map, d, NULL) && (among(single, d, NULL) || sizes[d] < x->type->dims[d]) &&
            weft_placement_dim(s.placement, d).n)
            s.cut |= weft_bit(d);
    }
    return s;
}

/* Whether component c says in which device's part an element lies. */
static bool is_cut(const index_space *x, uint32_t c) { return weft_bits_has(x->cut, (uint32_t)x->map.v[c]); }

/* A tensor like indices whose components are v[c] (scalars, NULL: 0). */
static weft_value *components(weft_localizer *z, const weft_type *type, int64_t vector_dim, weft_value *const *v,
                              uint32_t n) {
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
    const weft_type *type = weft_type_tensor(z->cx, WEFT_I1, n, dims),
                    *scalar = weft_type_tensor(z->cx, WEFT_I1, 0, NULL);
    if (x->type->dims[vector_dim] == 1) return weft_build_1(z->b, WEFT_OP_reshape, type, &x, 1, NULL, 0);
    weft_value *operands[2] = { x, weft_build_splat(z->b, scalar, 1) };
    weft_named_attr attr = { weft_name_at(z->cx, WEFT_A_dimensions), weft_attr_ints(z->cx, WEFT_I64, &vector_dim, 1) };
    weft_op *op = weft_build_op(z->b, &(weft_op_spec){ .kind = WEFT_OP_reduce, .operands = operands, .operand_count = 2,
                                                       .types = &type, .result_count = 1, .attrs = &attr,
                                                       .attr_count = 1, .region_count = 1 });
    if (!op) return NULL;
    weft_local_reducer(z, &op->regions[0], WEFT_OP_and, WEFT_I1);
    return &op->results[0];
}

typedef enum outside { OUTSIDE_CLAMPS, OUTSIDE_DROPS } outside;

/* i1 over the indices, moved, of single elements: which lie in this part. */
static weft_value *in_part(weft_localizer *z, weft_value *indices, const index_space *x, int64_t vector_dim) {
    weft_value *high[WEFT_MAX_RANK] = { NULL };
    if (!indices) return NULL;
    const weft_type *type = indices->type, *scalar = weft_type_tensor(z->cx, type->dtype, 0, NULL);
    /* the clamped component of a dimension that is not looked up in parts passes */
    for (uint32_t c = 0; c < x->map.n; c++) {
        const uint32_t d = (uint32_t)x->map.v[c];
        high[c] =
            weft_build_integer(z->b, scalar, is_cut(x, c) ? x->local->dims[d] : x->global->dims[d] - x->window[d] + 1);
    }
    weft_value *ge = weft_local_compare(z, indices, weft_build_splat(z->b, type, 0), WEFT_comparison_direction_GE);
    weft_value *lt =
        weft_local_compare(z, indices, components(z, type, vector_dim, high, x->map.n), WEFT_comparison_direction_LT);
    return all_components(z, ge && lt ? weft_build_binary(z->b, WEFT_OP_and, ge, lt) : NULL, vector_dim);
}

/* Signed, and wide enough for places in this program. */
static weft_dtype moved_dtype(const weft_localizer *z, weft_dtype of) {
    const weft_dtype_info *info = weft_dtype_of(of);
    return info->kind == WEFT_KIND_UINT                       ? WEFT_I64
           : info->bits < weft_dtype_of(z->index_dtype)->bits ? z->index_dtype
                                                              : of;
}

/* Indices less where this device's part begins; those that are clamped, clamped before to the last start that is in
 * range. */
static weft_value *move_indices(weft_localizer *z, weft_value *indices, const index_space *x, outside how) {
    weft_value *begin[WEFT_MAX_RANK] = { NULL }, *last[WEFT_MAX_RANK] = { NULL };
    if (!indices || !x->cut) return indices;
    const weft_dtype dtype = moved_dtype(z, indices->type->dtype);
    if (indices->type->dtype == WEFT_UI64) /* what a signed index cannot say is after the end and stays so */
        indices = weft_build_binary(z->b, WEFT_OP_minimum, indices, weft_build_integer(z->b, indices->type, INT64_MAX));
    weft_value *v = indices ? weft_local_convert(z, indices, dtype) : NULL;
    if (!v) return NULL;
    const weft_type *type = v->type, *scalar = weft_type_tensor(z->cx, dtype, 0, NULL);
    for (uint32_t c = 0; c < x->map.n; c++) {
        const uint32_t d = (uint32_t)x->map.v[c];
        begin[c] = is_cut(x, c) ? weft_local_dim_index(z, x->placement, d, x->local->dims[d]) : NULL;
        if (how == OUTSIDE_CLAMPS) last[c] = weft_build_integer(z->b, scalar, x->global->dims[d] - x->window[d]);
    }
    if (how == OUTSIDE_CLAMPS) {
        v = weft_build_binary(z->b, WEFT_OP_minimum, v, components(z, type, x->vector_dim, last, x->map.n));
        v = weft_build_binary(z->b, WEFT_OP_maximum, v, weft_build_splat(z->b, type, 0));
    }
    return weft_build_binary(z->b, WEFT_OP_subtract, v, components(z, type, x->vector_dim, begin, x->map.n));
}

/* --- windows with an index for each element ---------------------------------------------------------------------- */

/* What gather and scatter say alike of their dimensions. */
typedef struct slicing {
    /* of the slices, the operand, the indices */
    int64_t window[WEFT_MAX_RANK], single[WEFT_MAX_RANK], batching[WEFT_MAX_RANK];
    uint32_t windows, singles, batchings;
    weft_ints operand_batching;
    int64_t vector_dim;
} slicing;

static slicing slicing_of(weft_ints window, weft_ints single, weft_ints operand_batching, weft_ints indices_batching,
                          int64_t vector_dim) {
    slicing s = { .windows = window.n, .singles = single.n, .batchings = indices_batching.n,
                  .operand_batching = operand_batching, .vector_dim = vector_dim };
    for (uint32_t i = 0; i < window.n; i++) s.window[i] = window.v[i];
    for (uint32_t i = 0; i < single.n; i++) s.single[i] = single.v[i];
    for (uint32_t i = 0; i < indices_batching.n; i++) s.batching[i] = indices_batching.v[i];
    return s;
}

static weft_ints list(const int64_t *v, uint32_t n) { return (weft_ints){ .v = v, .n = n }; }

/* The window along dimension d of the operand is none any more: its dimension of the slices is one of the indices.
 * Returns which. */
static uint32_t take_window(slicing *s, uint32_t d) {
    uint32_t k = 0, at = 0, batch = 0;
    for (uint32_t e = 0; e < d; e++)
        k += !among(list(s->single, s->singles), e, NULL) && !among(s->operand_batching, e, NULL);
    const int64_t r = s->window[k];
    for (uint32_t i = k; i + 1 < s->windows; i++) s->window[i] = s->window[i + 1];
    s->windows--;
    for (int64_t x = 0; x < r; x++) batch += !among(list(s->window, s->windows), x, NULL);
    while (at < s->singles && s->single[at] < d) at++;
    for (uint32_t i = s->singles++; i > at; i--) s->single[i] = s->single[i - 1];
    s->single[at] = d;
    const uint32_t q = batch <= s->vector_dim ? batch : batch + 1; /* indices have their vector among them */
    s->vector_dim += q <= s->vector_dim;
    for (uint32_t i = 0; i < s->batchings; i++) s->batching[i] += s->batching[i] >= q;
    return q;
}

/* Indices with one for each of `size` elements after the first along component `which`, in a new dimension q. */
static weft_value *index_each(weft_localizer *z, weft_value *indices, const slicing *s, uint32_t q, uint32_t which,
                              uint32_t components, int64_t size) {
    int64_t dims[WEFT_MAX_RANK], from[WEFT_MAX_RANK];
    weft_value *parts[WEFT_MAX_RANK];
    const uint32_t rank = indices->type->rank + 1;
    for (uint32_t d = 0; d < rank; d++) {
        dims[d] = d == q ? size : indices->type->dims[d - (d > q)];
        if (d < rank - 1) from[d] = d + (d >= q);
    }
    const weft_type *all = weft_type_with_dims(z->cx, indices->type, rank, dims);
    if (s->vector_dim < rank) dims[s->vector_dim] = 1;
    const weft_type *one = weft_type_with_dims(z->cx, indices->type, rank, dims);
    for (uint32_t c = 0; one && c < components; c++)
        parts[c] = c == which ? weft_build_iota(z->b, one, q) : weft_build_splat(z->b, one, 0);
    if (!all || !one) return NULL;
    weft_value *after =
        components == 1 ? parts[0] : weft_build_concatenate(z->b, parts, components, (uint32_t)s->vector_dim);
    weft_value *first = weft_build_broadcast(z->b, indices, all, from);
    return first && after ? weft_build_binary(z->b, WEFT_OP_add, first, after) : NULL;
}

/* Unrolls the windows along what is split, so that none takes more than one element of it. *any: there were some. */
static weft_value *unrolled(weft_localizer *z, weft_value *indices, const index_space *x, slicing *s, bool *any) {
    *any = false;
    WEFT_EACH_BIT(d, x->cut) {
        uint32_t which;
        if (!indices || x->window[d] < 2 || !among(x->map, d, &which)) continue;
        if (indices->type->rank == WEFT_MAX_RANK) {
            z->b->status = weft_report(z->cx, WEFT_D_unsupported, z->b->loc, "windows over indices of %d dimensions",
                                       WEFT_MAX_RANK);
            return NULL;
        }
        const uint32_t q = take_window(s, (uint32_t)d);
        indices = index_each(z, indices, s, q, which, x->map.n, x->window[d]);
        *any = true;
    }
    return indices;
}

/* --- gather ------------------------------------------------------------------------------------------------------ */

/* Pass-through factors of windows must be taken whole; what is looked up must have an index, whatever a window takes of
 * it. */
weft_bits weft_factors_gather(const weft_op *op, const weft_rule *rule) {
    const weft_gather_dims *g = &weft_op_attr(op, WEFT_A_dimension_numbers)->gather;
    weft_bits set = weft_pass_factors(op, rule);
    WEFT_EACH_BIT(f, rule->reduction) {
        weft_bits in_operand = dims_of(rule, 0, f);
        bool fine = in_operand != 0 && !weft_bits_has(rule->tensors[1].factors | rule->tensors[2].factors, f);
        WEFT_EACH_BIT(d, in_operand) fine = fine && among(g->start_index_map, d, NULL);
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
    weft_value *mask =
        weft_build_1(z->b, WEFT_OP_broadcast_in_dim, weft_type_with_dtype(z->cx, x->type, WEFT_I1), &here, 1, attr, 1);
    return weft_local_select(z, mask, x, weft_build_splat(z->b, x->type, 0));
}

/* The dimension numbers of windows that were unrolled; their indices stand in another order. */
static weft_status set_numbers(weft_localizer *z, weft_op *made, weft_attr_name name, const weft_attr *dims) {
    const weft_attr *a = weft_attr_copy(z->cx, dims);
    weft_status st = a ? weft_op_set(z->rewrite->out, made, name, a) : weft_oom();
    return st == WEFT_OK ? weft_op_set(z->rewrite->out, made, WEFT_A_indices_are_sorted, NULL) : st;
}

weft_status weft_lower_gather(weft_localizer *z, const weft_op *op) {
    const weft_gather_dims *g = &weft_op_attr(op, WEFT_A_dimension_numbers)->gather;
    const weft_ints sizes = weft_op_ints(op, WEFT_A_slice_sizes);
    const index_space space =
        space_of(z, op->operands[0], g->start_index_map, g->index_vector_dim, g->collapsed_slice_dims, sizes.v);
    slicing s = slicing_of(g->offset_dims, g->collapsed_slice_dims, g->operand_batching_dims,
                           g->start_indices_batching_dims, g->index_vector_dim);
    int64_t v[WEFT_MAX_RANK];
    weft_op *made = NULL;
    bool any;
    if (!space.local) return weft_oom();
    weft_value *indices =
        unrolled(z, move_indices(z, weft_local_value(z, op->operands[1]), &space, OUTSIDE_CLAMPS), &space, &s, &any);
    weft_value *here = space.cut ? in_part(z, indices, &space, s.vector_dim) : NULL;
    weft_status st = z->b->status == WEFT_OK ? weft_local_clone(z, op, &made) : z->b->status;
    if (st != WEFT_OK) return st;
    made->operands[1] = indices;
    for (uint32_t d = 0; d < sizes.n; d++)
        v[d] = weft_bits_has(space.cut, d) ? 1 : weft_min_i64(sizes.v[d], space.local->dims[d]);
    st = weft_op_set_ints(z->rewrite->out, made, WEFT_A_slice_sizes, v, sizes.n);
    const weft_attr dims = { .kind = WEFT_ATTR_GATHER,
                             .gather = { list(s.window, s.windows), list(s.single, s.singles), g->operand_batching_dims,
                                         list(s.batching, s.batchings), g->start_index_map, s.vector_dim } };
    if (st == WEFT_OK && any) st = set_numbers(z, made, WEFT_A_dimension_numbers, &dims);
    if (st == WEFT_OK && here)
        weft_local_map(z, &op->results[0], mask_result(z, &made->results[0], here, list(s.window, s.windows)));
    return st == WEFT_OK ? z->b->status : st;
}

/* --- scatter ----------------------------------------------------------------------------------------------------- */

void weft_scatter_sizes(const weft_op *op, int64_t *sizes) {
    const weft_scatter_dims *s = &weft_op_attr(op, WEFT_A_scatter_dimension_numbers)->scatter;
    const weft_type *update = op->operands[op->result_count + 1]->type;
    uint32_t window = 0;
    for (uint32_t d = 0; d < op->operands[0]->type->rank; d++) {
        const bool has_window = !among(s->inserted_window_dims, d, NULL) && !among(s->input_batching_dims, d, NULL);
        sizes[d] = has_window ? update->dims[s->update_window_dims.v[window++]] : 1;
    }
}

int64_t weft_scatter_nowhere(const weft_op *op) {
    const weft_scatter_dims *s = &weft_op_attr(op, WEFT_A_scatter_dimension_numbers)->scatter;
    int64_t sizes[WEFT_MAX_RANK], most = 1;
    weft_scatter_sizes(op, sizes);
    for (uint32_t c = 0; c < s->scatter_dims_to_operand_dims.n; c++)
        most = weft_max_i64(most, sizes[s->scatter_dims_to_operand_dims.v[c]]);
    return -most;
}

/* A window that takes dimension d whole lies in it as the updates do, and can be split with it, only if it begins at 0:
 * one that begins elsewhere hangs over the end, and the elements that do not are at other places than in the updates.
 */
static bool begins_at_0(const weft_op *op, const weft_scatter_dims *s, uint32_t d) {
    uint32_t c;
    if (!among(s->scatter_dims_to_operand_dims, d, &c)) return true;
    const weft_range r = weft_index_range(op->operands[op->result_count], (uint32_t)s->index_vector_dim, c);
    return r.low == 0 && r.high == 0;
}

weft_bits weft_factors_scatter(const weft_op *op, const weft_rule *rule) {
    const weft_scatter_dims *s = &weft_op_attr(op, WEFT_A_scatter_dimension_numbers)->scatter;
    uint32_t n = op->result_count, indices = n, update = n + 1;
    weft_bits set = weft_pass_factors(op, rule), fine = rule->reduction;
    WEFT_EACH_BIT(f, set) {
        weft_bits d = dims_of(rule, 0, f);
        bool looked_up = weft_bits_count(d) == 1 && among(s->scatter_dims_to_operand_dims, weft_bits_lowest(d), NULL) &&
                         !weft_bits_has(rule->tensors[indices].factors, f) &&
                         !weft_bits_has(rule->tensors[update].factors, f);
        bool along = d && weft_bits_has(rule->tensors[update].factors, f);
        WEFT_EACH_BIT(e, along ? d : 0) along = along && begins_at_0(op, s, (uint32_t)e);
        if (looked_up || along) fine |= weft_bit(f);
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
    const weft_placement *in = weft_local_placement(z, op->operands[0]),
                         *out = weft_local_placement(z, &op->results[0]);
    weft_atoms over = out->unreduced & ~in->unreduced;
    if (!over || weft_value_is_zero(op->operands[0])) return;
    weft_value *x = made->operands[0], *first = weft_local_is_first(z, over);
    if (!first) return;
    weft_value *mask = weft_local_broadcast(z, first, weft_type_with_dtype(z->cx, x->type, WEFT_I1));
    weft_value *once = weft_local_select(z, mask, x, weft_build_splat(z->b, x->type, 0));
    if (once) made->operands[0] = once;
}

weft_status weft_lower_scatter(weft_localizer *z, const weft_op *op) {
    const weft_scatter_dims *n = &weft_op_attr(op, WEFT_A_scatter_dimension_numbers)->scatter;
    const uint32_t at = op->result_count;
    int64_t sizes[WEFT_MAX_RANK];
    weft_scatter_sizes(op, sizes);
    const index_space space = space_of(z, op->operands[0], n->scatter_dims_to_operand_dims, n->index_vector_dim,
                                       n->inserted_window_dims, sizes);
    slicing s = slicing_of(n->update_window_dims, n->inserted_window_dims, n->input_batching_dims,
                           n->scatter_indices_batching_dims, n->index_vector_dim);
    weft_op *made = NULL;
    bool any;
    if (!space.local) return weft_oom();
    weft_value *moved = move_indices(z, weft_local_value(z, op->operands[at]), &space, OUTSIDE_DROPS);
    weft_value *own = weft_local_nowhere(z, op->operands[at], moved, weft_scatter_nowhere(op)),
               *indices = unrolled(z, own, &space, &s, &any);
    weft_status st = z->b->status == WEFT_OK ? weft_local_clone(z, op, &made) : z->b->status;
    if (st != WEFT_OK) return st;
    z->b->before = made;
    made->operands[at] = indices;
    if (own != moved && z->b->status == WEFT_OK)
        st = weft_op_set(z->rewrite->out, made, WEFT_A_indices_are_sorted, NULL);
    const weft_attr dims = { .kind = WEFT_ATTR_SCATTER,
                             .scatter = { list(s.window, s.windows), list(s.single, s.singles), n->input_batching_dims,
                                          list(s.batching, s.batchings), n->scatter_dims_to_operand_dims,
                                          s.vector_dim } };
    if (st == WEFT_OK && any) st = set_numbers(z, made, WEFT_A_scatter_dimension_numbers, &dims);
    if (at == 1) keep_input_once(z, op, made);
    z->b->before = NULL;
    return st == WEFT_OK ? z->b->status : st;
}
