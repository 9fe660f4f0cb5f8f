/* infer_dynamic.c: ops whose shapes are operands. Results are as given; checks that need no values are made.
 *
 * Source: StableHLO docs/spec.md, dynamic_* and get_dimension_size; the dialect's documentation for the rest.
 */
#include "ir/infer.h"

/* Operand i is a vector of n integers or indices. */
static weft_status check_vector(weft_checker *c, const weft_op *op, uint32_t i, uint32_t n) {
    const weft_type *t = op->operands[i]->type;
    weft_status st = weft_check_operand(c, op, i, WEFT_IS_INTEGER | WEFT_IS_INDEX);
    if (st == WEFT_OK) st = weft_check_rank(c, op, i, 1);
    if (st == WEFT_OK && !weft_dims_agree(t->dims[0], n))
        st = weft_bad(c, op, "operand %u has type '%s', expected %u entries", i, weft_text_of(c, t), n);
    return st;
}

/* ... and says how many it has. */
static weft_status check_static_vector(weft_checker *c, const weft_op *op, uint32_t i, uint32_t n) {
    weft_status st = check_vector(c, op, i, n);
    if (st != WEFT_OK || weft_type_is_static(op->operands[i]->type)) return st;
    return weft_bad(c, op, "operand %u has type '%s', expected a static shape", i,
                    weft_text_of(c, op->operands[i]->type));
}

/* Operand i is the shape of result 0. */
static weft_status check_shape(weft_checker *c, const weft_op *op, uint32_t i) {
    const weft_type *to = op->results[0].type;
    weft_ints shape;
    weft_status st = check_static_vector(c, op, i, to->rank);
    if (st != WEFT_OK || !weft_known_ints(c, op, i, &shape) || shape.n != to->rank) return st;
    for (uint32_t d = 0; d < shape.n; d++)
        if (shape.v[d] < 0 || !weft_dims_agree(shape.v[d], to->dims[d]))
            return weft_bad(c, op, "operand %u is the shape %s, but result 0 has type '%s'", i,
                            weft_text_of_ints(c, shape), weft_text_of(c, to));
    return WEFT_OK;
}

/* Result 0 is a tensor of operand 0's element type. */
static weft_status check_result_like(weft_checker *c, const weft_op *op, unsigned classes) {
    weft_status st = weft_check_operand(c, op, 0, classes);
    if (st == WEFT_OK) st = weft_check_result(c, op, 0, classes);
    if (st != WEFT_OK || weft_elements_agree(op->results[0].type, op->operands[0]->type)) return st;
    return weft_bad(c, op, "result 0 has type '%s', expected elements of %s", weft_text_of(c, op->results[0].type),
                    weft_text_of_element(c, op->operands[0]->type));
}

/* The values of operand 1 if it is a constant, and the attributes about operand 0's dimensions: (C5), (C8). */
static weft_status check_hints(weft_checker *c, const weft_op *op, weft_ints map) {
    const weft_type *from = op->operands[0]->type;
    weft_ints shape, grow = weft_op_ints(op, WEFT_A_known_expanding_dimensions),
                     stay = weft_op_ints(op, WEFT_A_known_nonexpanding_dimensions);
    for (uint32_t i = 0; i < grow.n; i++)
        if (weft_ints_has(stay, grow.v[i]))
            return weft_bad(c, op,
                            "dimension %lld is in known_expanding_dimensions and in known_nonexpanding_dimensions",
                            (long long)grow.v[i]);
    if (!weft_known_ints(c, op, 1, &shape)) return WEFT_OK;
    for (uint32_t i = 0; i < map.n; i++)
        if (from->dims[i] != 1 && from->dims[i] != WEFT_DYNAMIC && shape.v[map.v[i]] != from->dims[i])
            return weft_bad(c, op, "operand 0 of type '%s' does not broadcast to the shape %s of operand 1",
                            weft_text_of(c, from), weft_text_of_ints(c, shape));
    return WEFT_OK;
}

weft_status weft_infer_dynamic_broadcast_in_dim(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    weft_ints map = weft_op_ints(op, WEFT_A_broadcast_dimensions);
    weft_status st = check_result_like(c, op, WEFT_IS_ANY_AXIS);
    if (st != WEFT_OK) return st;
    const weft_type *from = op->operands[0]->type, *to = op->results[0].type;
    st = check_shape(c, op, 1);
    if (st == WEFT_OK) st = weft_check_count(c, op, WEFT_A_broadcast_dimensions, map, from->rank);
    if (st == WEFT_OK) st = weft_check_dims(c, op, "broadcast_dimensions", map, to->rank);
    if (st == WEFT_OK)
        st = weft_check_dims(c, op, "known_expanding_dimensions", weft_op_ints(op, WEFT_A_known_expanding_dimensions),
                             from->rank);
    if (st == WEFT_OK)
        st = weft_check_dims(c, op, "known_nonexpanding_dimensions",
                             weft_op_ints(op, WEFT_A_known_nonexpanding_dimensions), from->rank);
    for (uint32_t i = 0; i < map.n && st == WEFT_OK; i++)
        if (from->dims[i] != 1 && !weft_dims_agree(from->dims[i], to->dims[map.v[i]]))
            st = weft_bad(c, op, "operand 0 of type '%s' does not broadcast to '%s'", weft_text_of(c, from),
                          weft_text_of(c, to));
    if (st == WEFT_OK) st = check_hints(c, op, map);
    return st == WEFT_OK ? weft_check_quant_broadcast(c, op, map) : st;
}

weft_status weft_infer_dynamic_iota(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    weft_status st = weft_check_result(c, op, 0, WEFT_IS_NUMBER);
    if (st == WEFT_OK) st = check_shape(c, op, 0);
    if (st == WEFT_OK)
        st = weft_check_dim(c, op, WEFT_A_iota_dimension, weft_op_int(op, WEFT_A_iota_dimension, 0),
                            op->results[0].type->rank);
    return st;
}

weft_status weft_infer_dynamic_reshape(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    weft_status st = check_result_like(c, op, WEFT_IS_ANY_AXIS);
    if (st == WEFT_OK) st = check_shape(c, op, 1);
    if (st != WEFT_OK) return st;
    weft_ints shape;
    int64_t a = weft_type_elems(op->operands[0]->type), b = weft_type_elems(op->results[0].type), wanted = 1;
    if (a >= 0 && weft_known_ints(c, op, 1, &shape)) {
        for (uint32_t i = 0; i < shape.n; i++)
            if (!weft_mul_i64(wanted, shape.v[i], &wanted)) wanted = -1;
        if (wanted != a)
            return weft_bad(c, op, "operand 1 is the shape %s, which does not hold the %lld elements of operand 0",
                            weft_text_of_ints(c, shape), (long long)a);
    }
    if (a < 0 || b < 0 || a == b) return weft_check_quant_reshaped(c, op);
    return weft_bad(c, op, "result 0 of type '%s' has %lld elements, but operand 0 has %lld",
                    weft_text_of(c, op->results[0].type), (long long)b, (long long)a);
}

/* Operands 2, 3 and 4, as far as they are constants: (C3), (C4). */
static weft_status check_padding(weft_checker *c, const weft_op *op) {
    const weft_type *from = op->operands[0]->type, *to = op->results[0].type;
    weft_ints low, high, inner;
    if (!weft_known_ints(c, op, 4, &inner)) return WEFT_OK;
    weft_status st = weft_check_at_least(c, op, "operand 4, interior_padding,", inner, 0);
    if (st != WEFT_OK || !weft_known_ints(c, op, 2, &low) || !weft_known_ints(c, op, 3, &high)) return st;
    for (uint32_t i = 0; i < from->rank; i++) {
        int64_t d = from->dims[i], gaps = 0, want = 0;
        if (d == WEFT_DYNAMIC) continue;
        bool fits = weft_mul_i64(weft_max_i64(d - 1, 0), inner.v[i], &gaps) && weft_add_i64(d, gaps, &want) &&
                    weft_add_i64(want, low.v[i], &want) && weft_add_i64(want, high.v[i], &want);
        if (!fits || want < 0 || !weft_dims_agree(want, to->dims[i]))
            return weft_bad(
                c, op,
                "dimension %u of operand 0 of type '%s' padded by %lld, %lld and %lld between elements does not give '%s'",
                i, weft_text_of(c, from), (long long)low.v[i], (long long)high.v[i], (long long)inner.v[i],
                weft_text_of(c, to));
    }
    return WEFT_OK;
}

/* operand, value, low, high, interior. */
weft_status weft_infer_dynamic_pad(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    weft_status st = check_result_like(c, op, WEFT_IS_ANY);
    if (st == WEFT_OK) st = weft_check_operand(c, op, 1, WEFT_IS_ANY);
    if (st == WEFT_OK) st = weft_check_same_dtype(c, op, 1, 0);
    if (st == WEFT_OK) st = weft_check_rank(c, op, 1, 0);
    for (uint32_t i = 2; i < 5 && st == WEFT_OK; i++) {
        st = check_static_vector(c, op, i, op->operands[0]->type->rank);
        if (st == WEFT_OK) st = weft_check_same_type(c, op, i, 2);
    }
    if (st == WEFT_OK && op->results[0].type->rank != op->operands[0]->type->rank)
        st = weft_bad(c, op, "result 0 has type '%s', expected rank %u", weft_text_of(c, op->results[0].type),
                      op->operands[0]->type->rank);
    return st == WEFT_OK ? check_padding(c, op) : st;
}

/* operand, starts, limits, strides. */
weft_status weft_infer_real_dynamic_slice(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    weft_status st = check_result_like(c, op, WEFT_IS_ANY);
    for (uint32_t i = 1; i < 4 && st == WEFT_OK; i++) {
        st = check_vector(c, op, i, op->operands[0]->type->rank);
        if (st == WEFT_OK) st = weft_check_same_type(c, op, i, 1);
    }
    if (st == WEFT_OK && op->results[0].type->rank != op->operands[0]->type->rank)
        st = weft_bad(c, op, "result 0 has type '%s', expected rank %u", weft_text_of(c, op->results[0].type),
                      op->operands[0]->type->rank);
    return st;
}

/* ---- one dimension ---- */

weft_status weft_infer_get_dimension_size(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_ANY_AXIS);
    if (st == WEFT_OK)
        st = weft_check_dim(c, op, WEFT_A_dimension, weft_op_int(op, WEFT_A_dimension, 0), op->operands[0]->type->rank);
    return st == WEFT_OK ? weft_set_type(c, &types[0], WEFT_I32, 0, NULL) : st;
}

weft_status weft_infer_set_dimension_size(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = check_result_like(c, op, WEFT_IS_ANY);
    if (st == WEFT_OK) st = weft_check_operand(c, op, 1, WEFT_IS_INT);
    if (st == WEFT_OK) st = weft_check_rank(c, op, 1, 0);
    if (st == WEFT_OK && op->operands[1]->type->dtype != WEFT_I32)
        st = weft_bad(c, op, "operand 1 has type '%s', expected 'tensor<i32>'", weft_text_of(c, op->operands[1]->type));
    const weft_type *t = op->operands[0]->type;
    int64_t dim = weft_op_int(op, WEFT_A_dimension, 0), dims[WEFT_MAX_RANK];
    if (st == WEFT_OK) st = weft_check_dim(c, op, WEFT_A_dimension, dim, t->rank);
    if (st != WEFT_OK) return st;
    for (uint32_t i = 0; i < t->rank; i++) dims[i] = i == dim ? WEFT_DYNAMIC : t->dims[i];
    return weft_set_like(c, &types[0], t, t->rank, dims);
}

/* ---- older ops ---- */

/* operand[..., index, ...]: batch_dims leading dimensions are shared. */
weft_status weft_infer_torch_index_select(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_ANY);
    if (st == WEFT_OK) st = weft_check_operand(c, op, 1, WEFT_IS_INTEGER);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->operands[0]->type, *index = op->operands[1]->type;
    int64_t dim = weft_op_int(op, WEFT_A_dim, 0), batch = weft_op_int(op, WEFT_A_batch_dims, 0),
            dims[2 * WEFT_MAX_RANK];
    uint32_t n = 0;
    st = weft_check_dim(c, op, WEFT_A_dim, dim, t->rank);
    if (st != WEFT_OK) return st;
    if (batch < 0 || batch > dim || batch > index->rank)
        return weft_bad(c, op, "batch_dims is %lld, which does not fit '%s'", (long long)batch, weft_text_of(c, index));
    for (uint32_t i = 0; i < batch; i++)
        if (!weft_dims_agree(t->dims[i], index->dims[i]))
            return weft_bad(c, op, "operands of type '%s' and '%s' differ in batch dimension %u", weft_text_of(c, t),
                            weft_text_of(c, index), i);
    for (uint32_t i = 0; i < (uint32_t)dim; i++) dims[n++] = t->dims[i];
    for (uint32_t i = (uint32_t)batch; i < index->rank; i++) dims[n++] = index->dims[i];
    for (uint32_t i = (uint32_t)dim + 1; i < t->rank; i++) dims[n++] = t->dims[i];
    if (n > WEFT_MAX_RANK) return weft_bad(c, op, "the result has more than %d dimensions", WEFT_MAX_RANK);
    return weft_set_like(c, &types[0], t, n, dims);
}

/* "ab,bc->ac": a letter per dimension. */
weft_status weft_infer_einsum(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_str text = weft_op_attr(op, WEFT_A_einsum_config)->s;
    int64_t size[256], dims[WEFT_MAX_RANK];
    uint32_t operand = 0, d = 0, rank = 0;
    size_t i = 0;
    weft_status st = weft_check_operands(c, op, WEFT_IS_ANY);
    if (st != WEFT_OK) return st;
    for (int k = 0; k < 256; k++) size[k] = -1;
    for (; i < text.n && text.p[i] != '-'; i++) {
        unsigned char label = (unsigned char)text.p[i];
        if (label == ' ') continue;
        if (label == '.') return WEFT_OK; /* an ellipsis: not inferred */
        if (label == ',') {
            if (operand >= op->operand_count || d != op->operands[operand]->type->rank) break;
            operand++;
            d = 0;
            continue;
        }
        if (operand >= op->operand_count || d >= op->operands[operand]->type->rank) break;
        int64_t have = op->operands[operand]->type->dims[d++];
        if (size[label] != -1 && !weft_dims_agree(size[label], have))
            return weft_bad(c, op, "einsum_config gives '%c' the sizes %lld and %lld", label, (long long)size[label],
                            (long long)have);
        size[label] = have;
    }
    bool ok = i + 1 < text.n && text.p[i] == '-' && text.p[i + 1] == '>' && operand + 1 == op->operand_count &&
              d == op->operands[operand]->type->rank;
    for (i += 2; ok && i < text.n; i++) {
        unsigned char label = (unsigned char)text.p[i];
        if (label == ' ') continue;
        ok = size[label] != -1 && rank < WEFT_MAX_RANK;
        if (ok) dims[rank++] = size[label];
    }
    if (!ok) return weft_bad(c, op, "einsum_config \"%.*s\" does not fit the operands", WEFT_STR_ARG(text));
    st = weft_check_result(c, op, 0, WEFT_IS_ANY); /* of any element type that holds the sums */
    return st == WEFT_OK ? weft_set_like(c, &types[0], op->results[0].type, rank, dims) : st;
}
