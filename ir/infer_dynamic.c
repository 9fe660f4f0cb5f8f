/* infer_dynamic.c: ops whose shapes are operands. Results are as given; what can be checked without the values is.
 *
 * Source: StableHLO docs/spec.md, dynamic_* and get_dimension_size; the dialect's documentation for the rest.
 */
#include "ir/infer.h"

/* Operand i is a vector of integers with n entries. */
static weft_status check_vector(weft_checker *c, const weft_op *op, uint32_t i, uint32_t n) {
    const weft_type *t = op->operands[i]->type;
    weft_status st = weft_check_operand(c, op, i, WEFT_IS_INTEGER);
    if (st == WEFT_OK) st = weft_check_rank(c, op, i, 1);
    if (st == WEFT_OK && !weft_dims_agree(t->dims[0], n)) st = weft_bad(c, op, "operand %u has type '%s', expected %u entries", i, weft_text_of(c, t), n);
    return st;
}

/* Result 0 is a tensor of operand 0's element type. */
static weft_status check_result_like(weft_checker *c, const weft_op *op, unsigned classes) {
    weft_status st = weft_check_operand(c, op, 0, classes);
    if (st == WEFT_OK) st = weft_check_result(c, op, 0, classes);
    if (st != WEFT_OK || weft_elements_agree(op->results[0].type, op->operands[0]->type)) return st;
    return weft_bad(c, op, "result 0 has type '%s', expected elements of %s", weft_text_of(c, op->results[0].type), weft_text_of_element(c, op->operands[0]->type));
}

weft_status weft_infer_dynamic_broadcast_in_dim(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    weft_ints map = weft_op_ints(op, WEFT_A_broadcast_dimensions);
    weft_status st = check_result_like(c, op, WEFT_IS_ANY_AXIS);
    if (st != WEFT_OK) return st;
    const weft_type *from = op->operands[0]->type, *to = op->results[0].type;
    st = check_vector(c, op, 1, to->rank);
    if (st == WEFT_OK) st = weft_check_count(c, op, WEFT_A_broadcast_dimensions, map, from->rank);
    if (st == WEFT_OK) st = weft_check_dims(c, op, "broadcast_dimensions", map, to->rank);
    if (st == WEFT_OK) st = weft_check_dims(c, op, "known_expanding_dimensions", weft_op_ints(op, WEFT_A_known_expanding_dimensions), from->rank);
    if (st == WEFT_OK) st = weft_check_dims(c, op, "known_nonexpanding_dimensions", weft_op_ints(op, WEFT_A_known_nonexpanding_dimensions), from->rank);
    for (uint32_t i = 0; i < map.n && st == WEFT_OK; i++)
        if (from->dims[i] != 1 && !weft_dims_agree(from->dims[i], to->dims[map.v[i]]))
            st = weft_bad(c, op, "operand 0 of type '%s' does not broadcast to '%s'", weft_text_of(c, from), weft_text_of(c, to));
    return st == WEFT_OK ? weft_check_quant_broadcast(c, op, map) : st;
}

weft_status weft_infer_dynamic_iota(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    weft_status st = weft_check_result(c, op, 0, WEFT_IS_NUMBER);
    if (st == WEFT_OK) st = check_vector(c, op, 0, op->results[0].type->rank);
    if (st == WEFT_OK) st = weft_check_dim(c, op, WEFT_A_iota_dimension, weft_op_int(op, WEFT_A_iota_dimension, 0), op->results[0].type->rank);
    return st;
}

weft_status weft_infer_dynamic_reshape(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    weft_status st = check_result_like(c, op, WEFT_IS_ANY_AXIS);
    if (st == WEFT_OK) st = check_vector(c, op, 1, op->results[0].type->rank);
    if (st != WEFT_OK) return st;
    int64_t a = weft_type_elems(op->operands[0]->type), b = weft_type_elems(op->results[0].type);
    if (a < 0 || b < 0 || a == b) return weft_check_quant_reshaped(c, op);
    return weft_bad(c, op, "result 0 of type '%s' has %lld elements, but operand 0 has %lld", weft_text_of(c, op->results[0].type), (long long)b, (long long)a);
}

/* operand, value, low, high, interior. */
weft_status weft_infer_dynamic_pad(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    weft_status st = check_result_like(c, op, WEFT_IS_ANY);
    if (st == WEFT_OK) st = weft_check_operand(c, op, 1, WEFT_IS_ANY);
    if (st == WEFT_OK) st = weft_check_same_dtype(c, op, 1, 0);
    if (st == WEFT_OK) st = weft_check_rank(c, op, 1, 0);
    for (uint32_t i = 2; i < 5 && st == WEFT_OK; i++) st = check_vector(c, op, i, op->operands[0]->type->rank);
    if (st == WEFT_OK && op->results[0].type->rank != op->operands[0]->type->rank)
        st = weft_bad(c, op, "result 0 has type '%s', expected rank %u", weft_text_of(c, op->results[0].type), op->operands[0]->type->rank);
    return st;
}

/* operand, starts, limits, strides. */
weft_status weft_infer_real_dynamic_slice(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    weft_status st = check_result_like(c, op, WEFT_IS_ANY);
    for (uint32_t i = 1; i < 4 && st == WEFT_OK; i++) st = check_vector(c, op, i, op->operands[0]->type->rank);
    if (st == WEFT_OK && op->results[0].type->rank != op->operands[0]->type->rank)
        st = weft_bad(c, op, "result 0 has type '%s', expected rank %u", weft_text_of(c, op->results[0].type), op->operands[0]->type->rank);
    return st;
}

/* ---- one dimension ---- */

weft_status weft_infer_get_dimension_size(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_ANY_AXIS);
    if (st == WEFT_OK) st = weft_check_dim(c, op, WEFT_A_dimension, weft_op_int(op, WEFT_A_dimension, 0), op->operands[0]->type->rank);
    return st == WEFT_OK ? weft_set_type(c, &types[0], WEFT_I32, 0, NULL) : st;
}

weft_status weft_infer_set_dimension_size(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    weft_status st = check_result_like(c, op, WEFT_IS_ANY);
    if (st == WEFT_OK) st = weft_check_operand(c, op, 1, WEFT_IS_INTEGER);
    if (st == WEFT_OK) st = weft_check_rank(c, op, 1, 0);
    if (st == WEFT_OK) st = weft_check_dim(c, op, WEFT_A_dimension, weft_op_int(op, WEFT_A_dimension, 0), op->operands[0]->type->rank);
    return st;
}

/* ---- older ops ---- */

/* operand[..., index, ...]: batch_dims leading dimensions are shared. */
weft_status weft_infer_torch_index_select(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_ANY);
    if (st == WEFT_OK) st = weft_check_operand(c, op, 1, WEFT_IS_INTEGER);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->operands[0]->type, *index = op->operands[1]->type;
    int64_t dim = weft_op_int(op, WEFT_A_dim, 0), batch = weft_op_int(op, WEFT_A_batch_dims, 0), dims[2 * WEFT_MAX_RANK];
    uint32_t n = 0;
    st = weft_check_dim(c, op, WEFT_A_dim, dim, t->rank);
    if (st != WEFT_OK) return st;
    if (batch < 0 || batch > dim || batch > index->rank) return weft_bad(c, op, "batch_dims is %lld, which does not fit '%s'", (long long)batch, weft_text_of(c, index));
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
        if (label == '.') return WEFT_OK; /* an ellipsis: not worked out */
        if (label == ',') {
            if (operand >= op->operand_count || d != op->operands[operand]->type->rank) break;
            operand++;
            d = 0;
            continue;
        }
        if (operand >= op->operand_count || d >= op->operands[operand]->type->rank) break;
        int64_t have = op->operands[operand]->type->dims[d++];
        if (size[label] != -1 && !weft_dims_agree(size[label], have))
            return weft_bad(c, op, "einsum_config gives '%c' the sizes %lld and %lld", label, (long long)size[label], (long long)have);
        size[label] = have;
    }
    bool ok = i + 1 < text.n && text.p[i] == '-' && text.p[i + 1] == '>' && operand + 1 == op->operand_count && d == op->operands[operand]->type->rank;
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
