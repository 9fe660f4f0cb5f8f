/* infer_token.c: tuples, tokens and talk with the host.
 *
 * Source: StableHLO docs/spec.md, tuple, get_tuple_element, after_all, infeed, outfeed, send, recv, async_*.
 */
#include "ir/infer.h"

static weft_status set_token(weft_checker *c, const weft_type **slot) {
    *slot = weft_type_simple(c->cx, WEFT_TYPE_TOKEN);
    return *slot ? WEFT_OK : weft_oom();
}

static weft_status check_token(weft_checker *c, const weft_op *op, uint32_t i) {
    if (i < op->operand_count && op->operands[i]->type->kind == WEFT_TYPE_TOKEN) return WEFT_OK;
    return weft_bad(c, op, "operand %u is not a token", i);
}

weft_status weft_infer_tuple(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_type **parts = weft_scratch_array(c->cx, const weft_type *, op->operand_count);
    if (!parts) return weft_oom();
    for (uint32_t i = 0; i < op->operand_count; i++) parts[i] = op->operands[i]->type;
    types[0] = weft_type_tuple(c->cx, parts, op->operand_count);
    return types[0] ? WEFT_OK : weft_oom();
}

weft_status weft_infer_get_tuple_element(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_type *t = op->operands[0]->type;
    int64_t i = weft_op_int(op, WEFT_A_index, 0);
    if (t->kind != WEFT_TYPE_TUPLE) return weft_bad(c, op, "operand 0 has type '%s', expected a tuple", weft_text_of(c, t));
    if (i < 0 || i >= t->part_count) return weft_bad(c, op, "index is %lld, but operand 0 has type '%s'", (long long)i, weft_text_of(c, t));
    types[0] = t->parts[i];
    return WEFT_OK;
}

/* create_token, after_all. */
weft_status weft_infer_token(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < op->operand_count && st == WEFT_OK; i++) st = check_token(c, op, i);
    return st == WEFT_OK ? set_token(c, &types[0]) : st;
}

/* infeed, recv: a token in, values and a token out. */
weft_status weft_infer_receive(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = check_token(c, op, 0);
    if (st != WEFT_OK) return st;
    if (!op->result_count) return weft_bad(c, op, "has no results, expected at least a token");
    return set_token(c, &types[op->result_count - 1]);
}

/* outfeed, send: values and a token in, a token out. */
weft_status weft_infer_send(weft_checker *c, const weft_op *op, const weft_type **types) {
    if (!op->operand_count) return weft_bad(c, op, "has no operands, expected at least a token");
    weft_status st = check_token(c, op, op->operand_count - 1);
    return st == WEFT_OK ? set_token(c, &types[0]) : st;
}

/* The results are futures, which are types of their own. */
weft_status weft_infer_async(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    return op->region_count ? weft_check_body(c, op, 0, NULL, op->operand_count, WEFT_OP_return, NULL) : WEFT_OK;
}
