/* infer_control.c: ops whose regions run as control flow, and the ops that end blocks.
 *
 * Source: StableHLO docs/spec.md, while, case, if.
 */
#include "ir/infer.h"

/* A terminator's operands are checked by the op that owns the region. */
weft_status weft_infer_return(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)c, (void)op, (void)types;
    return WEFT_OK;
}

weft_status weft_infer_while(weft_checker *c, const weft_op *op, const weft_type **types) {
    uint32_t n = op->operand_count;
    if (op->result_count != n) return weft_bad(c, op, "has %u results for %u operands", op->result_count, n);
    for (uint32_t i = 0; i < n; i++) types[i] = op->operands[i]->type;
    const weft_op *cond = NULL, *body = NULL;
    const weft_type *yes;
    weft_status st = weft_set_type(c, &yes, WEFT_I1, 0, NULL);
    if (st == WEFT_OK) st = weft_check_body(c, op, 0, types, n, WEFT_OP_return, &cond);
    if (st == WEFT_OK) st = weft_check_yields(c, op, cond, &yes, 1);
    if (st == WEFT_OK) st = weft_check_body(c, op, 1, types, n, WEFT_OP_return, &body);
    if (st == WEFT_OK) st = weft_check_yields(c, op, body, types, n);
    return st;
}

/* Branches have no arguments and return the op's results. */
static weft_status check_branches(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_op *first = NULL, *other = NULL;
    weft_status st = weft_check_body(c, op, 0, NULL, 0, WEFT_OP_return, &first);
    if (st != WEFT_OK) return st;
    if (first->operand_count != op->result_count)
        return weft_bad(c, op, "region 0 returns %u values, expected %u", first->operand_count, op->result_count);
    for (uint32_t i = 0; i < op->result_count; i++) {
        types[i] = first->operands[i]->type;
        /* a buffer has one place, whichever branch runs */
        if (types[i]->kind == WEFT_TYPE_OPAQUE || types[i]->kind == WEFT_TYPE_FOREIGN)
            return weft_bad(c, op, "region 0 returns value %u of type '%s', expected a tensor, a token or a tuple", i,
                            weft_text_of(c, types[i]));
    }
    for (uint32_t r = 1; r < op->region_count && st == WEFT_OK; r++) {
        st = weft_check_body(c, op, r, NULL, 0, WEFT_OP_return, &other);
        if (st == WEFT_OK) st = weft_check_yields(c, op, other, types, op->result_count);
    }
    return st;
}

static weft_status check_choice(weft_checker *c, const weft_op *op, weft_dtype dtype) {
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_ANY);
    if (st == WEFT_OK) st = weft_check_rank(c, op, 0, 0);
    if (st != WEFT_OK || op->operands[0]->type->dtype == dtype) return st;
    return weft_bad(c, op, "operand 0 has type '%s', expected 'tensor<%s>'", weft_text_of(c, op->operands[0]->type),
                    weft_dtype_of(dtype)->name);
}

weft_status weft_infer_case(weft_checker *c, const weft_op *op, const weft_type **types) {
    if (!op->region_count) return weft_bad(c, op, "has no branches");
    weft_status st = check_choice(c, op, WEFT_I32);
    return st == WEFT_OK ? check_branches(c, op, types) : st;
}

weft_status weft_infer_if(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = check_choice(c, op, WEFT_I1);
    return st == WEFT_OK ? check_branches(c, op, types) : st;
}
