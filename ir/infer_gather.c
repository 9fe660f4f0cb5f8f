/* infer_gather.c: gather and scatter.
 *
 * Both relate a big tensor (operand, inputs), a tensor of index vectors and a tensor of windows (result, updates). A
 * dimension of the window tensor is either a window dimension, which runs along a dimension of the big tensor, or one
 * of the index tensor's. Source: StableHLO docs/spec.md, gather (C1) to (C23), scatter (C1) to (C25).
 */
#include "ir/infer.h"

/* The attributes that gather and scatter have under different names. */
typedef struct windowing {
    const weft_type *big, *indices;
    weft_ints window;            /* offset_dims, update_window_dims */
    weft_ints dropped;           /* collapsed_slice_dims, inserted_window_dims */
    weft_ints batch;             /* operand_batching_dims, input_batching_dims */
    weft_ints index_batch;       /* start_indices_batching_dims, scatter_indices_batching_dims */
    weft_ints map;               /* start_index_map, scatter_dims_to_operand_dims */
    int64_t vector_dim;
    const char *window_name, *dropped_name, *batch_name, *index_batch_name, *map_name;
} windowing;

static weft_status check_apart(weft_checker *c, const weft_op *op, const char *a_name, weft_ints a, const char *b_name,
                               weft_ints b) {
    for (uint32_t i = 0; i < a.n; i++)
        if (weft_ints_has(b, a.v[i]))
            return weft_bad(c, op, "%s %s and %s %s share dimension %lld", a_name, weft_text_of_ints(c, a), b_name,
                            weft_text_of_ints(c, b), (long long)a.v[i]);
    return WEFT_OK;
}

static weft_status check_lists(weft_checker *c, const weft_op *op, const windowing *w) {
    uint32_t rank = w->big->rank, index_rank = w->indices->rank;
    if ((uint64_t)w->window.n + w->dropped.n + w->batch.n != rank)
        return weft_bad(c, op, "%s, %s and %s have %u dimensions together, but the operand of type '%s' has %u",
                        w->window_name, w->dropped_name, w->batch_name, w->window.n + w->dropped.n + w->batch.n,
                        weft_text_of(c, w->big), rank);
    if (w->vector_dim < 0 || w->vector_dim > index_rank)
        return weft_bad(c, op, "index_vector_dim is %lld, expected 0 to %u", (long long)w->vector_dim, index_rank);
    weft_status st = weft_check_sorted(c, op, w->window_name, w->window);
    if (st == WEFT_OK)
        st = weft_check_dims(c, op, w->window_name, w->window, w->window.n + index_rank - (w->vector_dim < index_rank));
    if (st == WEFT_OK) st = weft_check_sorted(c, op, w->dropped_name, w->dropped);
    if (st == WEFT_OK) st = weft_check_dims(c, op, w->dropped_name, w->dropped, rank);
    if (st == WEFT_OK) st = weft_check_sorted(c, op, w->batch_name, w->batch);
    if (st == WEFT_OK) st = weft_check_dims(c, op, w->batch_name, w->batch, rank);
    if (st == WEFT_OK) st = check_apart(c, op, w->dropped_name, w->dropped, w->batch_name, w->batch);
    if (st == WEFT_OK) st = weft_check_dims(c, op, w->index_batch_name, w->index_batch, index_rank);
    if (st == WEFT_OK) st = weft_check_dims(c, op, w->map_name, w->map, rank);
    if (st == WEFT_OK) st = check_apart(c, op, w->map_name, w->map, w->batch_name, w->batch);
    return st;
}

static weft_status check_windowing(weft_checker *c, const weft_op *op, const windowing *w) {
    weft_status st = check_lists(c, op, w);
    if (st != WEFT_OK) return st;
    int64_t vector = w->vector_dim < w->indices->rank ? w->indices->dims[w->vector_dim] : 1;
    if (!weft_dims_agree(vector, w->map.n))
        return weft_bad(c, op, "%s has %u entries, but an index vector of '%s' has %lld", w->map_name, w->map.n,
                        weft_text_of(c, w->indices), (long long)vector);
    if (weft_ints_has(w->index_batch, w->vector_dim))
        return weft_bad(c, op, "%s %s contains index_vector_dim %lld", w->index_batch_name,
                        weft_text_of_ints(c, w->index_batch), (long long)w->vector_dim);
    if (w->batch.n != w->index_batch.n)
        return weft_bad(c, op, "%s has %u entries, but %s has %u", w->batch_name, w->batch.n, w->index_batch_name,
                        w->index_batch.n);
    for (uint32_t i = 0; i < w->batch.n; i++)
        if (!weft_dims_agree(w->big->dims[w->batch.v[i]], w->indices->dims[w->index_batch.v[i]]))
            return weft_bad(c, op, "batching dimensions %lld of '%s' and %lld of '%s' differ in size",
                            (long long)w->batch.v[i], weft_text_of(c, w->big), (long long)w->index_batch.v[i],
                            weft_text_of(c, w->indices));
    return WEFT_OK;
}

/* The window tensor's shape: windows' sizes (of the big tensor's dimensions that are neither dropped nor batch) at
 * the window dimensions, the index tensor's elsewhere. Returns the rank. */
static uint32_t window_shape(const windowing *w, const int64_t *sizes, int64_t *dims) {
    uint32_t rank = w->window.n + w->indices->rank - (w->vector_dim < w->indices->rank), big = 0, index = 0;
    for (uint32_t i = 0; i < rank; i++) {
        if (weft_ints_has(w->window, i)) {
            while (weft_ints_has(w->dropped, big) || weft_ints_has(w->batch, big)) big++;
            dims[i] = sizes[big++];
        } else {
            if (index == w->vector_dim) index++;
            dims[i] = w->indices->dims[index++];
        }
    }
    return rank;
}

static weft_status open_gather(weft_checker *c, const weft_op *op, windowing *w) {
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_ANY);
    if (st == WEFT_OK) st = weft_check_operand(c, op, 1, WEFT_IS_INTEGER);
    if (st != WEFT_OK) return st;
    const weft_attr *a = weft_op_attr(op, WEFT_A_dimension_numbers);
    if (a->kind != WEFT_ATTR_GATHER) return weft_bad(c, op, "dimension_numbers is not a #stablehlo.gather attribute");
    const weft_gather_dims *g = &a->gather;
    *w = (windowing){ op->operands[0]->type,   op->operands[1]->type,    g->offset_dims,
                      g->collapsed_slice_dims, g->operand_batching_dims, g->start_indices_batching_dims,
                      g->start_index_map,      g->index_vector_dim,      "offset_dims",
                      "collapsed_slice_dims",  "operand_batching_dims",  "start_indices_batching_dims",
                      "start_index_map" };
    return check_windowing(c, op, w);
}

/* (C8), (C11), (C20) */
static weft_status check_sizes(weft_checker *c, const weft_op *op, const windowing *w, weft_ints sizes) {
    weft_status st = weft_check_at_least(c, op, "slice_sizes", sizes, 0);
    for (uint32_t d = 0; d < sizes.n && st == WEFT_OK; d++) {
        if (w->big->dims[d] != WEFT_DYNAMIC && sizes.v[d] > w->big->dims[d])
            st = weft_bad(c, op, "slice_sizes %s is larger than operand 0 of type '%s'", weft_text_of_ints(c, sizes),
                          weft_text_of(c, w->big));
        else if (sizes.v[d] > 1 && (weft_ints_has(w->dropped, d) || weft_ints_has(w->batch, d)))
            st = weft_bad(c, op, "slice_sizes %s is over 1 in dimension %u, which is collapsed or a batching dimension",
                          weft_text_of_ints(c, sizes), d);
    }
    return st;
}

/* Window sizes are operand 2: if it is no constant, the result's shape is checked as far as the indices determine it.
 */
weft_status weft_infer_dynamic_gather(weft_checker *c, const weft_op *op, const weft_type **types) {
    windowing w;
    int64_t unknown[WEFT_MAX_RANK], dims[2 * WEFT_MAX_RANK];
    weft_status st = open_gather(c, op, &w);
    if (st == WEFT_OK) st = weft_check_operand(c, op, 2, WEFT_IS_INTEGER);
    if (st == WEFT_OK) st = weft_check_rank(c, op, 2, 1);
    if (st != WEFT_OK) return st;
    if (!weft_dims_agree(op->operands[2]->type->dims[0], w.big->rank))
        return weft_bad(c, op, "operand 2 has type '%s', expected %u entries", weft_text_of(c, op->operands[2]->type),
                        w.big->rank);
    if (!weft_type_is_static(op->operands[2]->type))
        return weft_bad(c, op, "operand 2 has type '%s', expected a static shape",
                        weft_text_of(c, op->operands[2]->type));
    for (uint32_t i = 0; i < w.big->rank; i++) unknown[i] = WEFT_DYNAMIC;
    weft_ints sizes = { unknown, w.big->rank }, known;
    if (weft_known_ints(c, op, 2, &known)) {
        st = check_sizes(c, op, &w, known);
        if (st != WEFT_OK) return st;
        sizes = known;
    }
    uint32_t rank = window_shape(&w, sizes.v, dims);
    if (rank > WEFT_MAX_RANK) return weft_bad(c, op, "the result has more than %d dimensions", WEFT_MAX_RANK);
    return weft_set_like(c, &types[0], w.big, rank, dims);
}

weft_status weft_infer_gather(weft_checker *c, const weft_op *op, const weft_type **types) {
    windowing w;
    weft_ints sizes = weft_op_ints(op, WEFT_A_slice_sizes);
    weft_status st = open_gather(c, op, &w);
    if (st == WEFT_OK) st = weft_check_count(c, op, WEFT_A_slice_sizes, sizes, w.big->rank);
    if (st == WEFT_OK) st = check_sizes(c, op, &w, sizes);
    if (st != WEFT_OK) return st;
    int64_t dims[2 * WEFT_MAX_RANK];
    uint32_t rank = window_shape(&w, sizes.v, dims);
    if (rank > WEFT_MAX_RANK) return weft_bad(c, op, "the result has more than %d dimensions", WEFT_MAX_RANK);
    return weft_set_like(c, &types[0], w.big, rank, dims);
}

/* inputs, updates: n tensors each, alike in shape; updates have the element types of their inputs. */
static weft_status check_scatter_operands(weft_checker *c, const weft_op *op, uint32_t n) {
    if (op->operand_count != 2 * n + 1 || !n)
        return weft_bad(c, op, "has %u operands, expected inputs, indices and as many updates", op->operand_count);
    if (op->result_count != n) return weft_bad(c, op, "has %u results for %u inputs", op->result_count, n);
    weft_status st = weft_check_operand(c, op, n, WEFT_IS_INTEGER | WEFT_IS_INDEX);
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++) {
        st = weft_check_operand(c, op, i, WEFT_IS_ANY);
        if (st == WEFT_OK) st = weft_check_operand(c, op, n + 1 + i, WEFT_IS_ANY);
        if (st == WEFT_OK) st = weft_check_same_shape(c, op, i, 0);
        if (st == WEFT_OK) st = weft_check_same_shape(c, op, n + 1 + i, n + 1);
        if (st == WEFT_OK) st = weft_check_same_dtype(c, op, n + 1 + i, i);
    }
    return st;
}

weft_status weft_infer_scatter(weft_checker *c, const weft_op *op, const weft_type **types) {
    uint32_t n = op->operand_count / 2;
    weft_status st = check_scatter_operands(c, op, n);
    if (st != WEFT_OK) return st;
    const weft_scatter_dims *s = &weft_op_attr(op, WEFT_A_scatter_dimension_numbers)->scatter;
    const windowing w = { op->operands[0]->type,           op->operands[n]->type,  s->update_window_dims,
                          s->inserted_window_dims,         s->input_batching_dims, s->scatter_indices_batching_dims,
                          s->scatter_dims_to_operand_dims, s->index_vector_dim,    "update_window_dims",
                          "inserted_window_dims",          "input_batching_dims",  "scatter_indices_batching_dims",
                          "scatter_dims_to_operand_dims" };
    st = check_windowing(c, op, &w);
    if (st != WEFT_OK) return st;
    const weft_type *u = op->operands[n + 1]->type;
    int64_t dims[2 * WEFT_MAX_RANK];
    uint32_t rank = window_shape(&w, w.big->dims, dims);
    st = weft_check_rank(c, op, n + 1, rank);
    for (uint32_t i = 0; i < rank && st == WEFT_OK; i++) {
        bool in_window = weft_ints_has(w.window, i);
        if (weft_dims_agree(u->dims[i], dims[i]) || (in_window && u->dims[i] < dims[i])) continue;
        st = weft_bad(c, op, "operand %u of type '%s' has %lld in dimension %u, expected %s%lld", n + 1,
                      weft_text_of(c, u), (long long)u->dims[i], i, in_window ? "at most " : "", (long long)dims[i]);
    }
    if (st != WEFT_OK) return st;
    const weft_type **scalars = weft_scratch_array(c->cx, const weft_type *, n);
    if (!scalars) return weft_oom();
    st = weft_check_reducer(c, op, 0, op->operands, n, scalars);
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++)
        st = weft_set_like(c, &types[i], scalars[i], w.big->rank, w.big->dims);
    return st;
}
