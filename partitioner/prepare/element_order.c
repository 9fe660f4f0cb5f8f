/* element_order.c: see element_order.h. */
#include "partitioner/prepare/element_order.h"

/* Whether a transpose moves dimensions of one element only. */
static bool moves_none(const weft_op *op) {
    const weft_ints order = weft_op_ints(op, WEFT_A_permutation);
    int64_t last = -1;
    for (uint32_t i = 0; i < order.n; i++) {
        if (op->results[0].type->dims[i] == 1) continue;
        if (order.v[i] < last) return false;
        last = order.v[i];
    }
    return true;
}

bool weft_op_keeps_order(const weft_op *op) {
    if (op->kind == WEFT_OP_slice) return op->results[0].type == op->operands[0]->type;
    if (op->kind == WEFT_OP_transpose) return weft_type_is_static(op->operands[0]->type) && moves_none(op);
    const weft_ints dims =
        weft_op_ints(op, op->kind == WEFT_OP_reverse ? WEFT_A_dimensions : WEFT_A_broadcast_dimensions);
    bool keeps = op->kind == WEFT_OP_reshape || op->kind == WEFT_OP_reverse || op->kind == WEFT_OP_broadcast_in_dim;
    if (!keeps || !weft_type_is_static(op->operands[0]->type) ||
        weft_type_elems(op->operands[0]->type) != weft_type_elems(op->results[0].type))
        return false;
    for (uint32_t i = 0; i < dims.n; i++)
        keeps = keeps && (op->kind == WEFT_OP_reverse ? op->results[0].type->dims[dims.v[i]] == 1
                                                      : i == 0 || dims.v[i] > dims.v[i - 1]);
    return keeps;
}

const weft_value *weft_value_first_alike(const weft_value *v) {
    const weft_value *first = v;
    for (const weft_value *x = v; x->def && x->def->parent == v->def->parent && weft_op_keeps_order(x->def);) {
        x = x->def->operands[0];
        if (x->type == v->type) first = x;
    }
    return first;
}
