/* rule_dot.c: rules of products: dot, dot_general, convolution. Contracted dimensions are reductions. */
#include "sharding/rule_build.h"

void weft_rule_dot(weft_rule_builder *b);
void weft_rule_dot_general(weft_rule_builder *b);
void weft_rule_convolution(weft_rule_builder *b);

/* A factor of lhs, rhs and result; each dimension may be WEFT_NO_DIM. */
static void add(weft_rule_builder *b, int64_t lhs, int64_t rhs, int64_t out, int64_t size, weft_factor_kind kind) {
    uint32_t f = weft_rule_factor(b, size, kind, WEFT_RULE_FLOWS);
    weft_rule_map(b, 0, lhs, f);
    weft_rule_map(b, 1, rhs, f);
    weft_rule_map(b, 2, out, f);
}

void weft_rule_dot(weft_rule_builder *b) {
    const weft_type *lhs = weft_rule_in(b, 0), *rhs = weft_rule_in(b, 1);
    int64_t out = 0;
    if (lhs->rank == 2) add(b, 0, WEFT_NO_DIM, out++, lhs->dims[0], WEFT_FACTOR_PASS);
    if (rhs->rank == 2) add(b, WEFT_NO_DIM, 1, out, rhs->dims[1], WEFT_FACTOR_PASS);
    add(b, lhs->rank == 2, 0, WEFT_NO_DIM, rhs->dims[0], WEFT_FACTOR_REDUCTION);
}

void weft_rule_dot_general(weft_rule_builder *b) {
    const weft_dot_dims *n = &weft_op_attr(b->op, WEFT_A_dot_dimension_numbers)->dot;
    const weft_type *lhs = weft_rule_in(b, 0), *rhs = weft_rule_in(b, 1);
    int64_t out = 0;
    for (uint32_t i = 0; i < n->lhs_batch.n; i++)
        add(b, n->lhs_batch.v[i], n->rhs_batch.v[i], out++, lhs->dims[n->lhs_batch.v[i]], WEFT_FACTOR_PASS);
    for (uint32_t d = 0; d < lhs->rank; d++)
        if (!weft_ints_has(n->lhs_batch, d) && !weft_ints_has(n->lhs_contract, d))
            add(b, d, WEFT_NO_DIM, out++, lhs->dims[d], WEFT_FACTOR_PASS);
    for (uint32_t d = 0; d < rhs->rank; d++)
        if (!weft_ints_has(n->rhs_batch, d) && !weft_ints_has(n->rhs_contract, d))
            add(b, WEFT_NO_DIM, d, out++, rhs->dims[d], WEFT_FACTOR_PASS);
    for (uint32_t i = 0; i < n->lhs_contract.n; i++)
        add(b, n->lhs_contract.v[i], n->rhs_contract.v[i], WEFT_NO_DIM, lhs->dims[n->lhs_contract.v[i]],
            WEFT_FACTOR_REDUCTION);
}

/* A spatial dimension of the input is windows times window: it may be split between windows, which needs halos, or
 * inside them, which leaves partial sums. The larger of the two is the major factor. */
static void spatial(weft_rule_builder *b, int64_t lhs, int64_t rhs, int64_t out) {
    int64_t left = weft_rule_in(b, 0)->dims[lhs], windows = weft_rule_out(b, 0)->dims[out],
            window = weft_rule_in(b, 1)->dims[rhs];
    for (int step = 0; step < 2; step++) {
        bool between = (step == 0) == (windows >= window);
        int64_t size = weft_min_i64(left, between ? windows : window);
        if (size <= 1) continue;
        if (between) add(b, lhs, WEFT_NO_DIM, out, size, WEFT_FACTOR_PERMUTATION);
        else add(b, lhs, rhs, WEFT_NO_DIM, size, WEFT_FACTOR_REDUCTION);
        left /= size;
    }
}

void weft_rule_convolution(weft_rule_builder *b) {
    const weft_conv_dims *n = &weft_op_attr(b->op, WEFT_A_dimension_numbers)->conv;
    const weft_type *rhs = weft_rule_in(b, 1), *out = weft_rule_out(b, 0);
    int64_t batch_groups = weft_op_int(b->op, WEFT_A_batch_group_count, 1),
            feature_groups = weft_op_int(b->op, WEFT_A_feature_group_count, 1);
    if (batch_groups > 1)
        add(b, n->input_batch, n->kernel_output_feature, n->output_feature, batch_groups, WEFT_FACTOR_PASS);
    add(b, n->input_batch, WEFT_NO_DIM, n->output_batch, out->dims[n->output_batch], WEFT_FACTOR_PASS);
    for (uint32_t i = 0; b->mode != WEFT_RULE_CONSERVATIVE && i < n->input_spatial.n; i++)
        spatial(b, n->input_spatial.v[i], n->kernel_spatial.v[i], n->output_spatial.v[i]);
    if (feature_groups > 1)
        add(b, n->input_feature, n->kernel_output_feature, n->output_feature, feature_groups, WEFT_FACTOR_PASS);
    add(b, n->input_feature, n->kernel_input_feature, WEFT_NO_DIM, rhs->dims[n->kernel_input_feature],
        WEFT_FACTOR_REDUCTION);
    int64_t features = out->dims[n->output_feature] / (batch_groups * feature_groups);
    if (features > 1) add(b, WEFT_NO_DIM, n->kernel_output_feature, n->output_feature, features, WEFT_FACTOR_PASS);
}
