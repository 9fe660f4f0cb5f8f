/* tile_ops.c: the ops that tiles can be computed of. */
#include "ir/tidy.h"
#include "legalize/steps.h"
#include "legalize/tile.h"

/* The dimensions of more than one element are the same, in order. */
static bool same_but_ones(const weft_type *x, const weft_type *y) {
    uint32_t k = 0;
    for (uint32_t d = 0; d < x->rank; d++) {
        if (x->dims[d] == 1) continue;
        while (k < y->rank && y->dims[k] == 1) k++;
        if (k == y->rank || y->dims[k++] != x->dims[d]) return false;
    }
    while (k < y->rank && y->dims[k] == 1) k++;
    return k == y->rank;
}

static bool same_or_scalar(const weft_op *op) {
    const weft_type *to = op->results[0].type;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (op->operands[i]->type->rank && !weft_type_same_dims(op->operands[i]->type, to)) return false;
    return true;
}

bool lt_fits(const weft_op *op) {
    const weft_op_kind k = (weft_op_kind)op->kind;
    if (op->result_count != 1 || !lg_is_plain(op->results[0].type) || op->results[0].type->rank >= WEFT_MAX_RANK ||
        weft_op_attr(op, WEFT_A_sdy_sharding))
        return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!lg_is_plain(op->operands[i]->type)) return false;
    switch (k) {
    case WEFT_OP_dot_general:
    case WEFT_OP_transpose:
    case WEFT_OP_broadcast_in_dim: return true;
    case WEFT_OP_reshape: return same_but_ones(op->operands[0]->type, op->results[0].type);
    case WEFT_OP_reduce: return op->operand_count == 2 && weft_reducer_kind(op, 0) != WEFT_OP_other;
    default:
        return weft_op_kind_has(k, WEFT_TRAIT_POINTWISE) && weft_op_kind_has(k, WEFT_TRAIT_PURE) &&
               op->operand_count && op->operand_count <= LT_MOST_OPERANDS && !op->region_count && same_or_scalar(op);
    }
}

bool lt_has_effects(const weft_op *op) {
    return !weft_op_is_pure(op) && !weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_COLLECTIVE);
}
