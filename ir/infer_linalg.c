/* infer_linalg.c: factorisations, transforms, normalisation, random numbers.
 *
 * Source: StableHLO docs/spec.md, cholesky, triangular_solve, fft, batch_norm_*, rng, rng_bit_generator.
 */
#include "ir/infer.h"

/* Operand 0 is a batch of square matrices. */
static weft_status check_square(weft_checker *c, const weft_op *op) {
    const weft_type *t = op->operands[0]->type;
    if (t->rank >= 2 && weft_dims_agree(t->dims[t->rank - 1], t->dims[t->rank - 2])) return WEFT_OK;
    return weft_bad(c, op, "operand 0 has type '%s', expected square matrices", weft_text_of(c, t));
}

weft_status weft_infer_cholesky(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_MATH | WEFT_IS_QUANT);
    if (st == WEFT_OK) st = check_square(c, op);
    types[0] = op->operands[0]->type;
    return st;
}

weft_status weft_infer_triangular_solve(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = weft_check_operands(c, op, WEFT_IS_MATH);
    if (st == WEFT_OK) st = weft_check_same_dtype(c, op, 1, 0);
    if (st == WEFT_OK) st = check_square(c, op);
    if (st == WEFT_OK) st = weft_check_rank(c, op, 1, op->operands[0]->type->rank);
    if (st == WEFT_OK) st = weft_check_enum(c, op, WEFT_A_transpose_a, WEFT_ENUM_transpose);
    if (st != WEFT_OK) return st;
    const weft_type *a = op->operands[0]->type, *b = op->operands[1]->type;
    bool fits =
        weft_dims_agree(a->dims[a->rank - 1], b->dims[b->rank - (weft_op_int(op, WEFT_A_left_side, 1) ? 2 : 1)]);
    for (uint32_t i = 0; fits && i + 2 < a->rank; i++) fits = weft_dims_agree(a->dims[i], b->dims[i]);
    if (!fits)
        return weft_bad(c, op, "operands of type '%s' and '%s' do not fit", weft_text_of(c, a), weft_text_of(c, b));
    if (weft_op_attr(op, WEFT_A_transpose_a)->e == WEFT_transpose_TRANSPOSE_INVALID)
        return weft_bad(c, op, "transpose_a is TRANSPOSE_INVALID");
    types[0] = b;
    return WEFT_OK;
}

static weft_dtype complex_of(weft_dtype t) { return t == WEFT_F64 ? WEFT_C128 : WEFT_C64; }
static weft_dtype real_of(weft_dtype t) { return t == WEFT_C128 ? WEFT_F64 : WEFT_F32; }

/* fft_length are the last dimensions of the real side, or of both. */
weft_status weft_infer_fft(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_ints length = weft_op_ints(op, WEFT_A_fft_length);
    weft_status st = weft_check_enum(c, op, WEFT_A_fft_type, WEFT_ENUM_fft_type);
    if (st != WEFT_OK) return st;
    weft_enum_value kind = weft_op_attr(op, WEFT_A_fft_type)->e;
    bool forward_real = kind == WEFT_fft_type_RFFT, inverse_real = kind == WEFT_fft_type_IRFFT;
    st = weft_check_operand(c, op, 0, forward_real ? WEFT_IS_FLOAT : WEFT_IS_COMPLEX);
    if (st == WEFT_OK) st = weft_check_at_least(c, op, "fft_length", length, 0);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->operands[0]->type;
    int64_t dims[WEFT_MAX_RANK];
    if (length.n < 1 || length.n > 3 || length.n > t->rank)
        return weft_bad(
            c, op, "fft_length has %u entries, expected 1 to 3 and no more than operand 0 of type '%s' has dimensions",
            length.n, weft_text_of(c, t));
    if (forward_real && t->dtype != WEFT_F32 && t->dtype != WEFT_F64)
        return weft_bad(c, op, "operand 0 has type '%s', expected elements of f32 or f64", weft_text_of(c, t));
    for (uint32_t i = 0; i < t->rank; i++) dims[i] = t->dims[i];
    for (uint32_t i = 0; i < length.n; i++) {
        int64_t *d = &dims[t->rank - length.n + i], half = length.v[i] ? length.v[i] / 2 + 1 : 0;
        bool last = i + 1 == length.n;
        int64_t want = inverse_real && last ? half : length.v[i];
        if (!weft_dims_agree(*d, want))
            return weft_bad(c, op, "operand 0 has type '%s', but fft_length %s expects %lld in dimension %u",
                            weft_text_of(c, t), weft_text_of_ints(c, length), (long long)want, t->rank - length.n + i);
        if (last && (forward_real || inverse_real)) *d = forward_real ? half : length.v[i];
    }
    return weft_set_type(c, &types[0],
                         forward_real   ? complex_of(t->dtype)
                         : inverse_real ? real_of(t->dtype)
                                        : t->dtype,
                         t->rank, dims);
}

/* ---- normalisation ---- */

/* Operands from 1 to 1 + n are vectors over the feature dimension of operand 0. */
static weft_status check_features(weft_checker *c, const weft_op *op, uint32_t n) {
    weft_status st = weft_check_operands(c, op, WEFT_IS_FLOAT | WEFT_IS_QUANT);
    if (st == WEFT_OK)
        st = weft_check_dim(c, op, WEFT_A_feature_index, weft_op_int(op, WEFT_A_feature_index, 0),
                            op->operands[0]->type->rank);
    for (uint32_t i = 1; i <= n && st == WEFT_OK; i++) {
        st = weft_check_rank(c, op, i, 1);
        if (st == WEFT_OK) st = weft_check_same_dtype(c, op, i, 0);
        int64_t want = st == WEFT_OK ? op->operands[0]->type->dims[weft_op_int(op, WEFT_A_feature_index, 0)] : 0;
        if (st == WEFT_OK && !weft_dims_agree(op->operands[i]->type->dims[0], want))
            st = weft_bad(c, op, "operand %u has type '%s', expected %lld features", i,
                          weft_text_of(c, op->operands[i]->type), (long long)want);
    }
    return st;
}

weft_status weft_infer_batch_norm_inference(weft_checker *c, const weft_op *op, const weft_type **types) {
    types[0] = op->operands[0]->type;
    return check_features(c, op, 4);
}

weft_status weft_infer_batch_norm_training(weft_checker *c, const weft_op *op, const weft_type **types) {
    types[0] = op->operands[0]->type;
    types[1] = types[2] = op->operands[1]->type;
    return check_features(c, op, 2);
}

weft_status weft_infer_batch_norm_grad(weft_checker *c, const weft_op *op, const weft_type **types) {
    types[0] = op->operands[0]->type;
    types[1] = types[2] = op->operands[1]->type;
    weft_status st = check_features(c, op, 3);
    return st == WEFT_OK ? weft_check_same_type(c, op, 4, 0) : st;
}

/* ---- random numbers ---- */

/* a, b: bounds or moments; operand 2: the shape wanted. */
weft_status weft_infer_rng(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    weft_status st = weft_check_operands(c, op, WEFT_IS_BITS | WEFT_IS_FLOAT);
    if (st == WEFT_OK) st = weft_check_rank(c, op, 0, 0);
    if (st == WEFT_OK) st = weft_check_same_type(c, op, 1, 0);
    if (st == WEFT_OK) st = weft_check_operand(c, op, 2, WEFT_IS_INTEGER | WEFT_IS_INDEX);
    if (st == WEFT_OK) st = weft_check_rank(c, op, 2, 1);
    if (st == WEFT_OK && !weft_type_is_static(op->operands[2]->type))
        st =
            weft_bad(c, op, "operand 2 has type '%s', expected a static shape", weft_text_of(c, op->operands[2]->type));
    if (st == WEFT_OK) st = weft_check_enum(c, op, WEFT_A_rng_distribution, WEFT_ENUM_rng_distribution);
    if (st == WEFT_OK && weft_op_attr(op, WEFT_A_rng_distribution)->e == WEFT_rng_distribution_NORMAL)
        st = weft_check_operand(c, op, 0, WEFT_IS_FLOAT);
    if (st == WEFT_OK) st = weft_check_result(c, op, 0, WEFT_IS_ANY);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->results[0].type;
    if (t->dtype != op->operands[0]->type->dtype || !weft_dims_agree(op->operands[2]->type->dims[0], t->rank))
        return weft_bad(c, op, "result 0 has type '%s', expected elements of %s and the rank that operand 2 says",
                        weft_text_of(c, t), weft_dtype_of(op->operands[0]->type->dtype)->name);
    weft_ints shape;
    if (!weft_known_ints(c, op, 2, &shape)) return WEFT_OK;
    for (uint32_t d = 0; d < shape.n; d++)
        if (shape.v[d] < 0 || !weft_dims_agree(shape.v[d], t->dims[d]))
            return weft_bad(c, op, "operand 2 is the shape %s, but result 0 has type '%s'", weft_text_of_ints(c, shape),
                            weft_text_of(c, t));
    return WEFT_OK;
}

weft_status weft_infer_rng_bit_generator(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_INTEGER);
    if (st == WEFT_OK) st = weft_check_rank(c, op, 0, 1);
    if (st == WEFT_OK) st = weft_check_enum(c, op, WEFT_A_rng_algorithm, WEFT_ENUM_rng_algorithm);
    if (st == WEFT_OK) st = weft_check_result(c, op, 1, WEFT_IS_INTEGER | WEFT_IS_FLOAT);
    if (st != WEFT_OK) return st;
    const weft_type *state = op->operands[0]->type;
    weft_enum_value algorithm = weft_op_attr(op, WEFT_A_rng_algorithm)->e;
    /* 64-bit words: 2, or 2 to 3 */
    int64_t bits = state->dims[0] == WEFT_DYNAMIC ? 128 : state->dims[0] * weft_dtype_of(state->dtype)->bits;
    if ((algorithm == WEFT_rng_algorithm_THREE_FRY && bits != 128) ||
        (algorithm == WEFT_rng_algorithm_PHILOX && bits != 128 && bits != 192))
        return weft_bad(c, op, "operand 0 has type '%s', which is not a state of %s", weft_text_of(c, state),
                        weft_enum_table[algorithm].keyword);
    types[0] = state;
    return WEFT_OK;
}
