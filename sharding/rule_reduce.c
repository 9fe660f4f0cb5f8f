/* rule_reduce.c: rules of reduce, windows, sort. Inputs are alike, so the rule follows the first. */
#include "sharding/rule_build.h"

void weft_rule_reduce(weft_rule_builder *b);
void weft_rule_reduce_window(weft_rule_builder *b);
void weft_rule_select_and_scatter(weft_rule_builder *b);
void weft_rule_sort(weft_rule_builder *b);
void weft_rule_top_k(weft_rule_builder *b);

static weft_rule_flow blocked_if_conservative(const weft_rule_builder *b) {
    return b->mode == WEFT_RULE_CONSERVATIVE ? WEFT_RULE_BLOCKED : WEFT_RULE_FLOWS;
}

/* Operands are the inputs, then as many scalars. */
void weft_rule_reduce(weft_rule_builder *b) {
    weft_ints reduced = weft_op_ints(b->op, WEFT_A_dimensions);
    uint32_t inputs = b->operand_count / 2;
    const weft_type *in = weft_rule_in(b, 0);
    int64_t out = 0;
    for (uint32_t d = 0; d < in->rank; d++) {
        bool gone = weft_ints_has(reduced, d);
        uint32_t f = weft_rule_factor(b, in->dims[d], gone ? WEFT_FACTOR_REDUCTION : WEFT_FACTOR_PASS, WEFT_RULE_FLOWS);
        for (uint32_t i = 0; i < inputs; i++) weft_rule_map(b, i, d, f);
        for (uint32_t i = 0; i < inputs && !gone; i++) weft_rule_map(b, weft_rule_result(b, i), out, f);
        out += !gone;
    }
}

/* Whether element d of the result is element d of the operand: windows of one element, side by side, no padding. */
static bool window_is_one(const weft_op *op, uint32_t d) {
    if (weft_op_padding_at(op, d, 0) || weft_op_padding_at(op, d, 1)) return false;
    return weft_op_int_at(op, WEFT_A_window_strides, d, 1) == 1 &&
           weft_op_int_at(op, WEFT_A_window_dimensions, d, 1) == 1;
}

/* A dimension of the result counts the windows; the operands are split between them. */
void weft_rule_reduce_window(weft_rule_builder *b) {
    const weft_type *out = weft_rule_out(b, 0);
    for (uint32_t d = 0; d < out->rank; d++) {
        if (window_is_one(b->op, d)) weft_rule_all(b, d, out->dims[d], WEFT_FACTOR_PASS, WEFT_RULE_FLOWS);
        else weft_rule_all(b, d, out->dims[d], WEFT_FACTOR_PERMUTATION, blocked_if_conservative(b));
    }
}

/* Operands: the one to select from, the scattered source, a scalar. */
void weft_rule_select_and_scatter(weft_rule_builder *b) {
    const weft_type *out = weft_rule_out(b, 0), *source = weft_rule_in(b, 1);
    for (uint32_t d = 0; d < out->rank; d++) {
        if (window_is_one(b->op, d)) {
            weft_rule_all(b, d, out->dims[d], WEFT_FACTOR_PASS, WEFT_RULE_FLOWS);
            continue;
        }
        if (b->mode == WEFT_RULE_WORK) {
            weft_rule_all(b, d, out->dims[d], WEFT_FACTOR_PERMUTATION, WEFT_RULE_FLOWS);
            continue;
        }
        weft_rule_map(b, 1, d,
                      weft_rule_factor(b, source->dims[d], WEFT_FACTOR_REPLICATED, blocked_if_conservative(b)));
        weft_rule_in_out(b, d, d, out->dims[d], WEFT_FACTOR_PERMUTATION, blocked_if_conservative(b));
    }
}

/* The sorted dimension is gathered first, unless nothing else could be sharded instead: then it does not propagate at
 * all. */
void weft_rule_sort(weft_rule_builder *b) {
    const weft_type *in = weft_rule_in(b, 0);
    int64_t along = weft_op_int(b->op, WEFT_A_dimension, -1);
    if (along < 0) along += in->rank;
    bool alone = true;
    for (uint32_t d = 0; d < in->rank; d++) alone &= d == along || in->dims[d] == 1;
    for (uint32_t d = 0; d < in->rank; d++) {
        if (d != along) weft_rule_all(b, d, in->dims[d], WEFT_FACTOR_PASS, WEFT_RULE_FLOWS);
        else weft_rule_all(b, d, in->dims[d], WEFT_FACTOR_REPLICATED, alone ? WEFT_RULE_BLOCKED : WEFT_RULE_FLOWS);
    }
}

/* As for sort: the last dimension, from which the k largest are taken, is gathered; the results' has a factor of its
 * own. */
void weft_rule_top_k(weft_rule_builder *b) {
    const weft_type *in = weft_rule_in(b, 0), *out = weft_rule_out(b, 0);
    const uint32_t last = in->rank - 1;
    for (uint32_t d = 0; d < last; d++) weft_rule_all(b, d, in->dims[d], WEFT_FACTOR_PASS, WEFT_RULE_FLOWS);
    if (in->dims[last] == out->dims[last]) {
        weft_rule_all(b, last, in->dims[last], WEFT_FACTOR_REPLICATED, WEFT_RULE_FLOWS);
        return;
    }
    weft_rule_map(b, 0, last, weft_rule_factor(b, in->dims[last], WEFT_FACTOR_REPLICATED, WEFT_RULE_FLOWS));
    const uint32_t f = weft_rule_factor(b, out->dims[last], WEFT_FACTOR_REPLICATED, WEFT_RULE_FLOWS);
    weft_rule_map(b, weft_rule_result(b, 0), last, f);
    weft_rule_map(b, weft_rule_result(b, 1), last, f);
}
