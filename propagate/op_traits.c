/* op_traits.c: see op_traits.h. */
#include "propagate/op_traits.h"

static bool same_dims(const weft_type *a, const weft_type *b) {
    return a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims);
}

bool weft_op_is_elementwise(const weft_op *op) {
    if (op->kind == WEFT_OP_bitcast_convert) return same_dims(op->operands[0]->type, op->results[0].type);
    return weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_POINTWISE) ||
           op->kind == WEFT_OP_sdy_sharding_constraint || op->kind == WEFT_OP_sdy_reshard ||
           op->kind == WEFT_OP_sdy_propagation_barrier;
}
