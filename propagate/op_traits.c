/* op_traits.c: see op_traits.h. */
#include "propagate/op_traits.h"

bool weft_op_is_elementwise(const weft_op *op) {
    if (op->kind == WEFT_OP_bitcast_convert) return weft_type_same_dims(op->operands[0]->type, op->results[0].type);
    return weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_POINTWISE) ||
           op->kind == WEFT_OP_sdy_sharding_constraint || op->kind == WEFT_OP_sdy_reshard ||
           op->kind == WEFT_OP_sdy_propagation_barrier;
}
