/* infer_reduce.c: reductions, whole and windowed, and sort: ops whose body combines scalars.
 *
 * Source: StableHLO docs/spec.md, reduce, reduce_window, select_and_scatter, sort.
 */
#include "ir/infer.h"

/* The first half of the operands are inputs of one shape, the second half initial values of rank 0 and their types. */
static weft_status check_inputs(weft_checker *c, const weft_op *op, uint32_t n) {
    if (!n || op->operand_count != 2 * n)
        return weft_bad(c, op, "has %u operands, expected inputs and as many initial values", op->operand_count);
    if (op->result_count != n) return weft_bad(c, op, "has %u results for %u inputs", op->result_count, n);
    weft_status st = weft_check_operands(c, op, WEFT_IS_ANY);
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++) {
        st = weft_check_same_shape(c, op, i, 0);
        if (st == WEFT_OK) st = weft_check_same_dtype(c, op, n + i, i);
        if (st == WEFT_OK) st = weft_check_rank(c, op, n + i, 0);
    }
    return st;
}

/* Checks body r over n values and sets the results' types: the body's element types in the given shape. */
static weft_status set_reduced(weft_checker *c, const weft_op *op, uint32_t n, uint32_t rank, const int64_t *dims,
                               const weft_type **types) {
    const weft_type **scalars = weft_scratch_array(c->cx, const weft_type *, n);
    if (!scalars) return weft_oom();
    weft_status st = weft_check_reducer(c, op, 0, op->operands, n, scalars);
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++) st = weft_set_like(c, &types[i], scalars[i], rank, dims);
    return st;
}

weft_status weft_infer_reduce(weft_checker *c, const weft_op *op, const weft_type **types) {
    uint32_t n = op->operand_count / 2, rank = 0;
    weft_ints away = weft_op_ints(op, WEFT_A_dimensions);
    weft_status st = check_inputs(c, op, n);
    if (st == WEFT_OK) st = weft_check_dims(c, op, "dimensions", away, op->operands[0]->type->rank);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->operands[0]->type;
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++)
        if (!weft_ints_has(away, i)) dims[rank++] = t->dims[i];
    return set_reduced(c, op, n, rank, dims, types);
}

weft_status weft_infer_reduce_window(weft_checker *c, const weft_op *op, const weft_type **types) {
    static const weft_window_names names = { WEFT_A_window_strides, WEFT_A_base_dilations, WEFT_A_window_dilations,
                                             WEFT_A_padding };
    uint32_t n = op->operand_count / 2;
    weft_ints sizes = weft_op_ints(op, WEFT_A_window_dimensions);
    weft_window w[WEFT_MAX_RANK];
    weft_status st = check_inputs(c, op, n);
    if (st == WEFT_OK) st = weft_check_count(c, op, WEFT_A_window_dimensions, sizes, op->operands[0]->type->rank);
    if (st == WEFT_OK) st = weft_check_window(c, op, sizes, &names, w);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->operands[0]->type;
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++) dims[i] = weft_window_count(t->dims[i], &w[i]);
    return set_reduced(c, op, n, t->rank, dims, types);
}

/* operand, source, init_value; region 0 picks one element of a window, region 1 adds into it. */
weft_status weft_infer_select_and_scatter(weft_checker *c, const weft_op *op, const weft_type **types) {
    static const weft_window_names names = { WEFT_A_window_strides, WEFT_A_COUNT, WEFT_A_COUNT, WEFT_A_padding };
    weft_status st = weft_check_operands(c, op, WEFT_IS_ANY);
    if (st == WEFT_OK) st = weft_check_same_dtype(c, op, 1, 0);
    if (st == WEFT_OK) st = weft_check_same_dtype(c, op, 2, 0);
    if (st == WEFT_OK) st = weft_check_rank(c, op, 1, op->operands[0]->type->rank);
    if (st == WEFT_OK) st = weft_check_rank(c, op, 2, 0);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->operands[0]->type, *source = op->operands[1]->type, *scalar = NULL, *yes = NULL;
    weft_ints sizes = weft_op_ints(op, WEFT_A_window_dimensions);
    weft_window w[WEFT_MAX_RANK];
    st = weft_check_count(c, op, WEFT_A_window_dimensions, sizes, t->rank);
    if (st == WEFT_OK) st = weft_check_window(c, op, sizes, &names, w);
    for (uint32_t i = 0; i < t->rank && st == WEFT_OK; i++)
        if (!weft_dims_agree(source->dims[i], weft_window_count(t->dims[i], &w[i])))
            st = weft_bad(
                c, op,
                "operand 1 of type '%s' has %lld in dimension %u, but there are %lld windows in operand 0 of type '%s'",
                weft_text_of(c, source), (long long)source->dims[i], i, (long long)weft_window_count(t->dims[i], &w[i]),
                weft_text_of(c, t));
    if (st == WEFT_OK) st = weft_set_like(c, &scalar, t, 0, NULL);
    if (st == WEFT_OK) st = weft_set_type(c, &yes, WEFT_I1, 0, NULL);
    const weft_type *pair[2] = { scalar, scalar };
    const weft_op *yields = NULL;
    if (st == WEFT_OK) st = weft_check_body(c, op, 0, pair, 2, WEFT_OP_return, &yields);
    if (st == WEFT_OK) st = weft_check_yields(c, op, yields, &yes, 1);
    if (st == WEFT_OK) st = weft_check_reducer(c, op, 1, op->operands, 1, &scalar);
    if (st == WEFT_OK) st = weft_set_like(c, &types[0], scalar, t->rank, t->dims);
    return st;
}

/* The comparator takes a pair of scalars of each input. */
weft_status weft_infer_sort(weft_checker *c, const weft_op *op, const weft_type **types) {
    uint32_t n = op->operand_count;
    if (!n) return weft_bad(c, op, "has no operands");
    if (op->result_count != n) return weft_bad(c, op, "has %u results for %u inputs", op->result_count, n);
    weft_status st = weft_check_operands(c, op, WEFT_IS_ANY);
    for (uint32_t i = 1; i < n && st == WEFT_OK; i++) st = weft_check_same_shape(c, op, i, 0);
    if (st != WEFT_OK) return st;
    int64_t dim = weft_op_int(op, WEFT_A_dimension, -1), rank = op->operands[0]->type->rank;
    if (dim < -rank || dim >= rank)
        return weft_bad(c, op, "dimension is %lld, expected %lld to %lld", (long long)dim, (long long)-rank,
                        (long long)rank - 1);
    const weft_type **pairs = weft_scratch_array(c->cx, const weft_type *, 2 * (size_t)n), *yes;
    if (!pairs) return weft_oom();
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++) {
        types[i] = op->operands[i]->type;
        st = weft_set_like(c, &pairs[2 * i], types[i], 0, NULL);
        pairs[2 * i + 1] = pairs[2 * i];
    }
    if (st == WEFT_OK) st = weft_set_type(c, &yes, WEFT_I1, 0, NULL);
    const weft_op *yields = NULL;
    if (st == WEFT_OK) st = weft_check_body(c, op, 0, pairs, 2 * n, WEFT_OP_return, &yields);
    if (st == WEFT_OK) st = weft_check_yields(c, op, yields, &yes, 1);
    return st;
}
