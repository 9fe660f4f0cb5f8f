/* rule_collective.c: rules of stablehlo's collectives, for programs that are partly partitioned already: dimensions that a
 * collective resizes are gathered first, the others pass. */
#include "sharding/rule_build.h"

void weft_rule_all_gather(weft_rule_builder *b);
void weft_rule_reduce_scatter(weft_rule_builder *b);
void weft_rule_all_to_all(weft_rule_builder *b);

/* One replicated factor for the operands' dimension, another for the results'. */
static void resized(weft_rule_builder *b, int64_t dim) {
    uint32_t in = weft_rule_factor(b, weft_rule_in(b, 0)->dims[dim], WEFT_FACTOR_REPLICATED, WEFT_RULE_FLOWS);
    weft_rule_span(b, 0, b->operand_count, dim, in);
    uint32_t out = weft_rule_factor(b, weft_rule_out(b, 0)->dims[dim], WEFT_FACTOR_REPLICATED, WEFT_RULE_FLOWS);
    weft_rule_span(b, b->operand_count, b->tensor_count, dim, out);
}

static void resizing_rule(weft_rule_builder *b, int64_t dim, int64_t other) {
    const weft_type *in = weft_rule_in(b, 0);
    for (uint32_t d = 0; d < in->rank; d++)
        if (d != dim && d != other) weft_rule_all(b, d, in->dims[d], WEFT_FACTOR_PASS, WEFT_RULE_FLOWS);
    resized(b, dim);
    if (other != dim) resized(b, other);
}

void weft_rule_all_gather(weft_rule_builder *b) {
    int64_t dim = weft_op_int(b->op, WEFT_A_all_gather_dim, 0);
    resizing_rule(b, dim, dim);
}

void weft_rule_reduce_scatter(weft_rule_builder *b) {
    int64_t dim = weft_op_int(b->op, WEFT_A_scatter_dimension, 0);
    resizing_rule(b, dim, dim);
}

void weft_rule_all_to_all(weft_rule_builder *b) {
    resizing_rule(b, weft_op_int(b->op, WEFT_A_split_dimension, 0), weft_op_int(b->op, WEFT_A_concat_dimension, 0));
}
