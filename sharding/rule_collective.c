/* rule_collective.c: rules of stablehlo's collectives, for programs that are partly partitioned already: dimensions
 * that a collective resizes are gathered first, the others pass. */
#include "sharding/rule_build.h"

void weft_rule_group(weft_rule_builder *b);
void weft_rule_pointwise(weft_rule_builder *b);
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

/* Tensors [from, to) have the shape of the first. */
static bool alike(const weft_rule_builder *b, uint32_t from, uint32_t to) {
    const weft_type *first = b->types[from];
    for (uint32_t i = from + 1; i < to; i++)
        if (b->types[i]->rank != first->rank ||
            (first->rank && memcmp(b->types[i]->dims, first->dims, first->rank * sizeof *first->dims)))
            return false;
    return true;
}

/* Element by element among the devices of a group. Operands of several shapes, with roots among them, have no rule. */
void weft_rule_group(weft_rule_builder *b) {
    if (alike(b, 0, b->tensor_count)) weft_rule_pointwise(b);
    else b->none = true;
}

static void resizing_rule(weft_rule_builder *b, int64_t dim, int64_t other) {
    const weft_type *in = weft_rule_in(b, 0);
    if (!alike(b, 0, b->operand_count)) {
        b->none = true;
        return;
    }
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
