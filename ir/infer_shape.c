/* infer_shape.c: constants, and ops that move elements without computing.
 *
 * Source: StableHLO docs/spec.md.
 */
#include "ir/infer.h"

/* A quantised constant has integers of the storage type; MLIR writes i8 for the storage u8. */
static bool same_bits(weft_dtype value, weft_dtype storage) {
    return weft_dtype_is_integer(value) && weft_dtype_of(value)->bits == weft_dtype_of(storage)->bits &&
           weft_dtype_of(value)->kind == WEFT_KIND_INT;
}

weft_status weft_infer_constant(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_attr *v = weft_op_attr(op, WEFT_A_value);
    weft_status st = weft_check_result(c, op, 0, WEFT_IS_ANY_AXIS);
    if (st != WEFT_OK) return st;
    if (!weft_type_is_static(op->results[0].type))
        return weft_bad(c, op, "result 0 has type '%s', expected a static shape", weft_text_of(c, op->results[0].type));
    if (v->kind != WEFT_ATTR_DENSE && v->kind != WEFT_ATTR_OPAQUE)
        return weft_bad(c, op, "attribute 'value' is not a dense attribute");
    if (v->kind == WEFT_ATTR_OPAQUE) { /* a resource */
        types[0] = v->type;
        return v->type ? WEFT_OK : weft_bad(c, op, "attribute 'value' is not a dense attribute");
    }
    const weft_type *t = op->results[0].type;
    if (!t->quant || v->type->quant) types[0] = v->type;
    else if (v->type->dtype == t->dtype || same_bits(v->type->dtype, t->dtype))
        return weft_set_like(c, &types[0], t, v->type->rank, v->type->dims);
    else
        return weft_bad(c, op, "value has type '%s', expected elements of %s", weft_text_of(c, v->type),
                        weft_dtype_of(t->dtype)->name);
    return WEFT_OK;
}

weft_status weft_infer_iota(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    weft_status st = weft_check_result(c, op, 0, WEFT_IS_NUMBER | WEFT_IS_QUANT);
    if (st == WEFT_OK && !weft_type_is_static(op->results[0].type))
        st = weft_bad(c, op, "result 0 has type '%s', expected a static shape", weft_text_of(c, op->results[0].type));
    if (st != WEFT_OK) return st;
    return weft_check_dim(c, op, WEFT_A_iota_dimension, weft_op_int(op, WEFT_A_iota_dimension, 0),
                          op->results[0].type->rank);
}

weft_status weft_infer_broadcast(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_ints sizes = weft_op_ints(op, WEFT_A_broadcast_sizes);
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_ANY);
    if (st == WEFT_OK) st = weft_check_at_least(c, op, "broadcast_sizes", sizes, 0);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->operands[0]->type;
    int64_t dims[WEFT_MAX_RANK];
    if (sizes.n + t->rank > WEFT_MAX_RANK)
        return weft_bad(c, op, "the result has more than %d dimensions", WEFT_MAX_RANK);
    for (uint32_t i = 0; i < sizes.n; i++) dims[i] = sizes.v[i];
    for (uint32_t i = 0; i < t->rank; i++) dims[sizes.n + i] = t->dims[i];
    return weft_set_like(c, &types[0], t, sizes.n + t->rank, dims);
}

/* The result type is given: its element type is the operand's, and its dimensions fit. */
static weft_status check_result_dtype(weft_checker *c, const weft_op *op) {
    const weft_type *from = op->operands[0]->type, *to = op->results[0].type;
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_ANY_AXIS);
    if (st == WEFT_OK) st = weft_check_result(c, op, 0, WEFT_IS_ANY_AXIS);
    if (st != WEFT_OK || weft_elements_agree(from, to)) return st;
    return weft_bad(c, op, "result 0 has type '%s', expected elements of %s", weft_text_of(c, to),
                    weft_text_of_element(c, from));
}

weft_status weft_infer_broadcast_in_dim(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    weft_ints map = weft_op_ints(op, WEFT_A_broadcast_dimensions);
    weft_status st = check_result_dtype(c, op);
    if (st != WEFT_OK) return st;
    const weft_type *from = op->operands[0]->type, *to = op->results[0].type;
    st = weft_check_count(c, op, WEFT_A_broadcast_dimensions, map, from->rank);
    if (st == WEFT_OK) st = weft_check_dims(c, op, "broadcast_dimensions", map, to->rank);
    for (uint32_t i = 0; i < map.n && st == WEFT_OK; i++) {
        int64_t a = from->dims[i], b = to->dims[map.v[i]];
        if (a != 1 && !weft_dims_agree(a, b))
            st = weft_bad(c, op, "operand 0 dimension %u of '%s' does not broadcast to result dimension %lld of '%s'",
                          i, weft_text_of(c, from), (long long)map.v[i], weft_text_of(c, to));
    }
    if (st == WEFT_OK) st = weft_check_static_result(c, op, 0);
    return st == WEFT_OK ? weft_check_quant_broadcast(c, op, map) : st;
}

weft_status weft_infer_reshape(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    weft_status st = check_result_dtype(c, op);
    if (st == WEFT_OK) st = weft_check_static_result(c, op, 0);
    if (st != WEFT_OK) return st;
    int64_t a = weft_type_elems(op->operands[0]->type), b = weft_type_elems(op->results[0].type);
    if (a < 0 || b < 0 || a == b) return weft_check_quant_reshaped(c, op);
    return weft_bad(c, op, "result 0 of type '%s' has %lld elements, but operand 0 of type '%s' has %lld",
                    weft_text_of(c, op->results[0].type), (long long)b, weft_text_of(c, op->operands[0]->type),
                    (long long)a);
}

weft_status weft_infer_transpose(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_ints perm = weft_op_ints(op, WEFT_A_permutation);
    weft_status st = check_result_dtype(c, op);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->operands[0]->type;
    st = weft_check_count(c, op, WEFT_A_permutation, perm, t->rank);
    if (st == WEFT_OK) st = weft_check_dims(c, op, "permutation", perm, t->rank);
    if (st != WEFT_OK) return st;
    int64_t dims[WEFT_MAX_RANK], axis = -1;
    for (uint32_t i = 0; i < t->rank; i++) {
        dims[i] = t->dims[perm.v[i]];
        if (t->quant && perm.v[i] == t->quant->axis) axis = i;
    }
    st = weft_check_quant_moved(c, op, axis);
    if (st != WEFT_OK) return st;
    return weft_set_like(c, &types[0], t, t->rank, dims);
}

weft_status weft_infer_reverse(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_ANY);
    if (st == WEFT_OK)
        st = weft_check_dims(c, op, "dimensions", weft_op_ints(op, WEFT_A_dimensions), op->operands[0]->type->rank);
    if (st == WEFT_OK) types[0] = op->operands[0]->type;
    return st;
}

/* The maximum of dimension i: its size, or the bound of a dynamic one; WEFT_DYNAMIC if there is none. */
static int64_t most_of(const weft_type *t, uint32_t i) {
    const weft_attr *bounds = t->encoding && t->encoding->kind == WEFT_ATTR_BOUNDS ? t->encoding : NULL;
    return t->dims[i] == WEFT_DYNAMIC && bounds && i < bounds->ints.n ? bounds->ints.v[i] : t->dims[i];
}

weft_status weft_infer_slice(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_ints start = weft_op_ints(op, WEFT_A_start_indices), limit = weft_op_ints(op, WEFT_A_limit_indices),
              step = weft_op_ints(op, WEFT_A_strides);
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_ANY);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->operands[0]->type;
    st = weft_check_count(c, op, WEFT_A_start_indices, start, t->rank);
    if (st == WEFT_OK) st = weft_check_count(c, op, WEFT_A_limit_indices, limit, t->rank);
    if (st == WEFT_OK) st = weft_check_count(c, op, WEFT_A_strides, step, t->rank);
    if (st == WEFT_OK) st = weft_check_at_least(c, op, "strides", step, 1);
    if (st != WEFT_OK) return st;
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++) {
        int64_t most = most_of(t, i);
        if (start.v[i] < 0 || start.v[i] > limit.v[i] || (most != WEFT_DYNAMIC && limit.v[i] > most))
            return weft_bad(c, op,
                            "dimension %u is sliced from %lld to %lld, which is not within operand 0 of type '%s'", i,
                            (long long)start.v[i], (long long)limit.v[i], weft_text_of(c, t));
        dims[i] = weft_ceil_div(limit.v[i] - start.v[i], step.v[i]);
    }
    return weft_set_like(c, &types[0], t, t->rank, dims);
}

weft_status weft_infer_pad(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_ints low = weft_op_ints(op, WEFT_A_edge_padding_low), high = weft_op_ints(op, WEFT_A_edge_padding_high);
    weft_ints inner = weft_op_ints(op, WEFT_A_interior_padding);
    weft_status st = weft_check_operands(c, op, WEFT_IS_ANY);
    if (st == WEFT_OK) st = weft_check_same_dtype(c, op, 1, 0);
    if (st == WEFT_OK) st = weft_check_rank(c, op, 1, 0);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->operands[0]->type;
    st = weft_check_count(c, op, WEFT_A_edge_padding_low, low, t->rank);
    if (st == WEFT_OK) st = weft_check_count(c, op, WEFT_A_edge_padding_high, high, t->rank);
    if (st == WEFT_OK) st = weft_check_count(c, op, WEFT_A_interior_padding, inner, t->rank);
    if (st == WEFT_OK) st = weft_check_at_least(c, op, "interior_padding", inner, 0);
    if (st != WEFT_OK) return st;
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++) {
        int64_t d = most_of(t, i), gaps;
        dims[i] = d;
        if (d == WEFT_DYNAMIC) continue;
        bool fits = weft_mul_i64(d ? d - 1 : 0, inner.v[i], &gaps) && weft_add_i64(d, gaps, &dims[i]) &&
                    weft_add_i64(dims[i], low.v[i], &dims[i]) && weft_add_i64(dims[i], high.v[i], &dims[i]);
        if (!fits || dims[i] < 0)
            return weft_bad(
                c, op,
                "dimension %u of operand 0 of type '%s' padded by %lld, %lld and %lld between elements has no valid size",
                i, weft_text_of(c, t), (long long)low.v[i], (long long)high.v[i], (long long)inner.v[i]);
        if (t->dims[i] == WEFT_DYNAMIC) dims[i] = WEFT_DYNAMIC;
    }
    return weft_set_like(c, &types[0], t, t->rank, dims);
}

weft_status weft_infer_concatenate(weft_checker *c, const weft_op *op, const weft_type **types) {
    int64_t dim = weft_op_int(op, WEFT_A_dimension, 0), dims[WEFT_MAX_RANK];
    if (!op->operand_count) return weft_bad(c, op, "has no operands");
    weft_status st = weft_check_operands(c, op, WEFT_IS_ANY);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->operands[0]->type;
    st = weft_check_dim(c, op, WEFT_A_dimension, dim, t->rank);
    if (st != WEFT_OK) return st;
    for (uint32_t d = 0; d < t->rank; d++) dims[d] = t->dims[d];
    for (uint32_t i = 1; i < op->operand_count; i++) {
        const weft_type *u = op->operands[i]->type;
        bool fits = u->rank == t->rank && weft_elements_agree(u, t);
        for (uint32_t d = 0; fits && d < t->rank; d++) {
            if (d != dim) fits = weft_dims_agree(u->dims[d], t->dims[d]);
            else if (dims[d] == WEFT_DYNAMIC || u->dims[d] == WEFT_DYNAMIC) dims[d] = WEFT_DYNAMIC;
            else fits = weft_add_i64(dims[d], u->dims[d], &dims[d]);
        }
        if (!fits)
            return weft_bad(c, op, "operand %u of type '%s' does not join operand 0 of type '%s' along dimension %lld",
                            i, weft_text_of(c, u), weft_text_of(c, t), (long long)dim);
    }
    return weft_set_like(c, &types[0], t, t->rank, dims);
}

weft_status weft_infer_assemble(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_ints start = weft_op_ints(op, WEFT_A_start_indices), limit = weft_op_ints(op, WEFT_A_limit_indices);
    const int64_t dim = weft_op_int(op, WEFT_A_dimension, 0);
    int64_t dims[WEFT_MAX_RANK], size = 0;
    if (!op->operand_count) return weft_bad(c, op, "has no operands");
    weft_status st = weft_check_operands(c, op, WEFT_IS_ANY);
    const weft_type *t = op->operands[0]->type;
    if (st == WEFT_OK) st = weft_check_dim(c, op, WEFT_A_dimension, dim, t->rank);
    if (st == WEFT_OK) st = weft_check_count(c, op, WEFT_A_start_indices, start, op->operand_count);
    if (st == WEFT_OK) st = weft_check_count(c, op, WEFT_A_limit_indices, limit, op->operand_count);
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++) {
        const weft_type *u = op->operands[i]->type;
        bool fits = u->rank == t->rank && weft_type_is_static(u) && weft_elements_agree(u, t);
        for (uint32_t d = 0; fits && d < t->rank; d++) fits = d == dim || u->dims[d] == t->dims[d];
        fits = fits && start.v[i] >= 0 && start.v[i] < limit.v[i] && limit.v[i] <= u->dims[dim] &&
               weft_add_i64(size, limit.v[i] - start.v[i], &size);
        if (!fits)
            return weft_bad(
                c, op,
                "elements %lld to %lld along dimension %lld of operand %u of type '%s' do not join operand 0 of type '%s'",
                (long long)start.v[i], (long long)limit.v[i], (long long)dim, i, weft_text_of(c, u),
                weft_text_of(c, t));
    }
    for (uint32_t d = 0; st == WEFT_OK && d < t->rank; d++) dims[d] = d == dim ? size : t->dims[d];
    return st == WEFT_OK ? weft_set_like(c, &types[0], t, t->rank, dims) : st;
}

/* Operands from first on are one integer scalar per dimension of operand 0, of one type. */
static weft_status check_starts(weft_checker *c, const weft_op *op, uint32_t first) {
    uint32_t rank = op->operands[0]->type->rank;
    if (op->operand_count != first + rank)
        return weft_bad(c, op, "has %u start indices for operand 0 of type '%s', expected %u",
                        op->operand_count - first, weft_text_of(c, op->operands[0]->type), rank);
    weft_status st = WEFT_OK;
    for (uint32_t i = first; i < op->operand_count && st == WEFT_OK; i++) {
        st = weft_check_operand(c, op, i, WEFT_IS_INTEGER);
        if (st == WEFT_OK) st = weft_check_rank(c, op, i, 0);
        if (st == WEFT_OK) st = weft_check_same_dtype(c, op, i, first);
    }
    return st;
}

weft_status weft_infer_dynamic_slice(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_ints sizes = weft_op_ints(op, WEFT_A_slice_sizes);
    if (!op->operand_count) return weft_bad(c, op, "has no operands");
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_ANY);
    if (st == WEFT_OK) st = check_starts(c, op, 1);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->operands[0]->type;
    st = weft_check_count(c, op, WEFT_A_slice_sizes, sizes, t->rank);
    if (st == WEFT_OK) st = weft_check_at_least(c, op, "slice_sizes", sizes, 0);
    if (st != WEFT_OK) return st;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->dims[i] != WEFT_DYNAMIC && sizes.v[i] > t->dims[i])
            return weft_bad(c, op, "slice_sizes %s is larger than operand 0 of type '%s'", weft_text_of_ints(c, sizes),
                            weft_text_of(c, t));
    return weft_set_like(c, &types[0], t, t->rank, sizes.v);
}

weft_status weft_infer_dynamic_update_slice(weft_checker *c, const weft_op *op, const weft_type **types) {
    if (op->operand_count < 2) return weft_bad(c, op, "has %u operands, expected at least 2", op->operand_count);
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_ANY);
    if (st == WEFT_OK) st = weft_check_operand(c, op, 1, WEFT_IS_ANY);
    if (st == WEFT_OK) st = weft_check_same_dtype(c, op, 1, 0);
    if (st == WEFT_OK) st = weft_check_rank(c, op, 1, op->operands[0]->type->rank);
    if (st == WEFT_OK) st = check_starts(c, op, 2);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->operands[0]->type, *u = op->operands[1]->type;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->dims[i] != WEFT_DYNAMIC && u->dims[i] != WEFT_DYNAMIC && u->dims[i] > t->dims[i])
            return weft_bad(c, op, "operand 1 of type '%s' is larger than operand 0 of type '%s'", weft_text_of(c, u),
                            weft_text_of(c, t));
    types[0] = t;
    return WEFT_OK;
}
