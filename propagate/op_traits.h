/* op_traits.h: properties of ops that several passes use. */
#ifndef WEFT_PROPAGATE_OP_TRAITS_H
#define WEFT_PROPAGATE_OP_TRAITS_H

#include "ir/module.h"

/* Operands and results correspond element by element, or the result is the operand (constraint, reshard, barrier).
 */
bool weft_op_is_elementwise(const weft_op *op);
static inline bool weft_op_is_scalar_value(const weft_value *v) {
    return weft_type_is_tensor(v->type) && v->type->rank == 0;
}

#endif
