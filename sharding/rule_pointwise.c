/* rule_pointwise.c: rules of ops whose operands and results correspond element by element, and of ops without rules.
 */
#include "sharding/rule_build.h"

void weft_rule_none(weft_rule_builder *b);
void weft_rule_legalized(weft_rule_builder *b);
void weft_rule_constant(weft_rule_builder *b);
void weft_rule_data_flow(weft_rule_builder *b);
void weft_rule_pointwise(weft_rule_builder *b);
void weft_rule_select(weft_rule_builder *b);
void weft_rule_clamp(weft_rule_builder *b);
void weft_rule_bitcast_convert(weft_rule_builder *b);

void weft_rule_none(weft_rule_builder *b) { b->none = true; }

/* An op that other ops replace before propagation. In a pass that runs alone, nothing propagates through it.
 */
void weft_rule_legalized(weft_rule_builder *b) { b->none = true; }

/* Nothing propagates through an op without operands. */
void weft_rule_constant(weft_rule_builder *b) { b->none = true; }

/* Loops, branches and barriers: data-flow edges represent each of their values. */
void weft_rule_data_flow(weft_rule_builder *b) { b->none = true; }

/* Dimension i of every tensor is factor i; scalars take no part. */
void weft_rule_pointwise(weft_rule_builder *b) {
    if (b->tensor_count == b->operand_count || !weft_type_is_tensor(weft_rule_out(b, 0))) {
        b->none = true;
        return;
    }
    weft_rule_all_dims(b, weft_rule_out(b, 0), weft_rule_out(b, 0)->rank);
}

/* The predicate, or the bounds, may be scalars. */
void weft_rule_select(weft_rule_builder *b) { weft_rule_pointwise(b); }
void weft_rule_clamp(weft_rule_builder *b) { weft_rule_pointwise(b); }

/* All but the innermost dimension, which only the type of narrower elements has. */
void weft_rule_bitcast_convert(weft_rule_builder *b) {
    const weft_type *in = weft_rule_in(b, 0), *out = weft_rule_out(b, 0), *less = in->rank < out->rank ? in : out;
    weft_rule_all_dims(b, less, less->rank);
    if (in->rank < out->rank)
        weft_rule_in_out(b, WEFT_NO_DIM, out->rank - 1, out->dims[out->rank - 1], WEFT_FACTOR_REPLICATED,
                         WEFT_RULE_FLOWS);
    if (in->rank > out->rank)
        weft_rule_in_out(b, in->rank - 1, WEFT_NO_DIM, in->dims[in->rank - 1], WEFT_FACTOR_REPLICATED, WEFT_RULE_FLOWS);
}
