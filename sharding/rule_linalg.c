/* rule_linalg.c: rules of decompositions, solvers, transforms, random bits and normalisation: batch dimensions pass,
 * the others are gathered first. */
#include "sharding/rule_build.h"

void weft_rule_cholesky(weft_rule_builder *b);
void weft_rule_triangular_solve(weft_rule_builder *b);
void weft_rule_fft(weft_rule_builder *b);
void weft_rule_rng_bit_generator(weft_rule_builder *b);
void weft_rule_batch_norm_inference(weft_rule_builder *b);

void weft_rule_cholesky(weft_rule_builder *b) {
    const weft_type *t = weft_rule_in(b, 0);
    for (uint32_t d = 0; d < t->rank; d++)
        weft_rule_all(b, d, t->dims[d], d + 2 < t->rank ? WEFT_FACTOR_PASS : WEFT_FACTOR_REPLICATED, WEFT_RULE_FLOWS);
}

/* A factor of a, b and the result. */
static void solve_factor(weft_rule_builder *b, weft_factor_kind kind, int64_t lhs, int64_t rhs, int64_t out,
                         int64_t size) {
    uint32_t f = weft_rule_factor(b, size, kind, WEFT_RULE_FLOWS);
    weft_rule_map(b, 0, lhs, f);
    weft_rule_map(b, 1, rhs, f);
    weft_rule_map(b, 2, out, f);
}

/* op(a) x = b, or x op(a) = b. Columns of b (there rows) are solved independently: in rules of work they pass; in
 * propagation they are replicated, as in Shardy. */
void weft_rule_triangular_solve(weft_rule_builder *b) {
    const weft_type *lhs = weft_rule_in(b, 0), *rhs = weft_rule_in(b, 1);
    const weft_attr *t = weft_op_attr(b->op, WEFT_A_transpose_a);
    bool transposed = t && (t->e == WEFT_transpose_TRANSPOSE || t->e == WEFT_transpose_ADJOINT);
    int64_t row = (int64_t)lhs->rank - 2, col = (int64_t)lhs->rank - 1;
    const weft_factor_kind each = b->mode == WEFT_RULE_WORK ? WEFT_FACTOR_PASS : WEFT_FACTOR_REPLICATED;
    weft_rule_all_dims(b, lhs, lhs->rank - 2);
    if (weft_op_int(b->op, WEFT_A_left_side, 0)) {
        int64_t kept = transposed ? col : row, contracted = transposed ? row : col;
        solve_factor(b, WEFT_FACTOR_REPLICATED, kept, row, WEFT_NO_DIM, lhs->dims[kept]);
        solve_factor(b, each, WEFT_NO_DIM, col, col, rhs->dims[col]);
        solve_factor(b, WEFT_FACTOR_REPLICATED, contracted, WEFT_NO_DIM, row, lhs->dims[contracted]);
    } else {
        int64_t kept = transposed ? row : col, contracted = transposed ? col : row;
        solve_factor(b, each, WEFT_NO_DIM, row, row, rhs->dims[row]);
        solve_factor(b, WEFT_FACTOR_REPLICATED, kept, col, WEFT_NO_DIM, lhs->dims[kept]);
        solve_factor(b, WEFT_FACTOR_REPLICATED, contracted, WEFT_NO_DIM, col, lhs->dims[contracted]);
    }
}

/* The last dimension is blocked if the transform of real numbers halves or doubles it. */
void weft_rule_fft(weft_rule_builder *b) {
    const weft_type *in = weft_rule_in(b, 0), *out = weft_rule_out(b, 0);
    uint32_t length = weft_op_ints(b->op, WEFT_A_fft_length).n;
    for (uint32_t d = 0; d < in->rank; d++) {
        bool resized = d + 1 == in->rank && in->dims[d] != out->dims[d];
        weft_rule_all(b, d, in->dims[d], d + length < in->rank ? WEFT_FACTOR_PASS : WEFT_FACTOR_REPLICATED,
                      resized ? WEFT_RULE_BLOCKED : WEFT_RULE_FLOWS);
    }
}

/* The state is small and replicated; the bits may be sharded. */
void weft_rule_rng_bit_generator(weft_rule_builder *b) {
    const weft_type *state = weft_rule_in(b, 0), *bits = weft_rule_out(b, 1);
    for (uint32_t d = 0; d < state->rank; d++)
        weft_rule_in_out(b, d, d, state->dims[d], WEFT_FACTOR_REPLICATED, WEFT_RULE_BLOCKED);
    for (uint32_t d = 0; d < bits->rank; d++)
        weft_rule_map(b, weft_rule_result(b, 1), d,
                      weft_rule_factor(b, bits->dims[d], WEFT_FACTOR_PASS, WEFT_RULE_FLOWS));
}

/* scale, offset, mean and variance have the feature dimension only. */
void weft_rule_batch_norm_inference(weft_rule_builder *b) {
    const weft_type *in = weft_rule_in(b, 0);
    int64_t feature = weft_op_int(b->op, WEFT_A_feature_index, 0);
    for (uint32_t d = 0; d < in->rank; d++) {
        uint32_t f = weft_rule_factor(b, in->dims[d], WEFT_FACTOR_PASS, WEFT_RULE_FLOWS);
        weft_rule_map(b, 0, d, f);
        for (uint32_t i = 1; i < b->operand_count && d == feature; i++) weft_rule_map(b, i, 0, f);
        weft_rule_map(b, weft_rule_result(b, 0), d, f);
    }
}
