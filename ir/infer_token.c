/* infer_token.c: tuples, tokens and communication with the host.
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
    if (t->kind != WEFT_TYPE_TUPLE)
        return weft_bad(c, op, "operand 0 has type '%s', expected a tuple", weft_text_of(c, t));
    if (i < 0 || i >= t->part_count)
        return weft_bad(c, op, "index is %lld, but operand 0 has type '%s'", (long long)i, weft_text_of(c, t));
    types[0] = t->parts[i];
    return WEFT_OK;
}

/* create_token, after_all. */
weft_status weft_infer_token(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < op->operand_count && st == WEFT_OK; i++) st = check_token(c, op, i);
    return st == WEFT_OK ? set_token(c, &types[0]) : st;
}

/* Values beside a token are tensors, of static shape if they come from elsewhere. */
static weft_status check_received(weft_checker *c, const weft_op *op) {
    weft_status st = check_token(c, op, 0);
    if (st != WEFT_OK) return st;
    if (!op->result_count) return weft_bad(c, op, "has no results, expected at least a token");
    for (uint32_t i = 0; i + 1 < op->result_count && st == WEFT_OK; i++) {
        st = weft_check_result(c, op, i, WEFT_IS_ANY_AXIS);
        if (st == WEFT_OK && !weft_type_is_static(op->results[i].type))
            st = weft_bad(c, op, "result %u has type '%s', expected a static shape", i,
                          weft_text_of(c, op->results[i].type));
    }
    return st;
}

static weft_status check_sent(weft_checker *c, const weft_op *op) {
    if (!op->operand_count) return weft_bad(c, op, "has no operands, expected at least a token");
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i + 1 < op->operand_count && st == WEFT_OK; i++)
        st = weft_check_operand(c, op, i, WEFT_IS_ANY_AXIS);
    return st == WEFT_OK ? check_token(c, op, op->operand_count - 1) : st;
}

/* spec.md, send (C1), recv (C1): a channel's type names its two ends. */
enum { DEVICE_TO_DEVICE = 1, DEVICE_TO_HOST = 2, HOST_TO_DEVICE = 3 };

static weft_status check_channel(weft_checker *c, const weft_op *op, int64_t with_host) {
    const weft_attr *host = weft_op_attr(op, WEFT_A_is_host_transfer);
    int64_t want = host && host->i ? with_host : DEVICE_TO_DEVICE,
            have = weft_op_attr(op, WEFT_A_channel_handle)->channel.type;
    static const char *const names[] = { "", "DEVICE_TO_DEVICE", "DEVICE_TO_HOST", "HOST_TO_DEVICE" };
    if (have == want) return WEFT_OK;
    return weft_bad(c, op, "channel_handle has type %lld, expected %lld, %s, where is_host_transfer is %s",
                    (long long)have, (long long)want, names[want], host && host->i ? "true" : "false");
}

weft_status weft_infer_recv(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = check_received(c, op);
    if (st == WEFT_OK) st = check_channel(c, op, HOST_TO_DEVICE);
    if (st == WEFT_OK) st = weft_check_pairs(c, op);
    return st == WEFT_OK ? set_token(c, &types[op->result_count - 1]) : st;
}

weft_status weft_infer_send(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = check_sent(c, op);
    if (st == WEFT_OK) st = check_channel(c, op, DEVICE_TO_HOST);
    if (st == WEFT_OK) st = weft_check_pairs(c, op);
    return st == WEFT_OK ? set_token(c, &types[0]) : st;
}

weft_status weft_infer_outfeed(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = check_sent(c, op);
    return st == WEFT_OK ? set_token(c, &types[0]) : st;
}

/* A list of integers per value. */
weft_status weft_infer_infeed(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = check_received(c, op);
    const weft_attr *layout = weft_op_attr(op, WEFT_A_layout);
    if (st != WEFT_OK) return st;
    if (layout && layout->items.n != op->result_count - 1)
        return weft_bad(c, op, "layout has %u entries for %u values", layout->items.n, op->result_count - 1);
    for (uint32_t i = 0; layout && i < layout->items.n; i++) {
        const weft_attr *one = layout->items.v[i];
        if (one->kind != WEFT_ATTR_ARRAY) return weft_bad(c, op, "layout entry %u is not a list", i);
        for (uint32_t k = 0; k < one->items.n; k++)
            if (one->items.v[k]->kind != WEFT_ATTR_INT)
                return weft_bad(c, op, "layout entry %u holds something else than integers", i);
    }
    return set_token(c, &types[op->result_count - 1]);
}

/* ---- asynchronous ops ---- */

/* The ops that may be started: collectives, and slices. */
static bool starts(const weft_op *op) {
    static const weft_op_kind kinds[] = {
        WEFT_OP_all_gather,         WEFT_OP_all_reduce,
        WEFT_OP_all_to_all,         WEFT_OP_collective_broadcast,
        WEFT_OP_collective_permute, WEFT_OP_collective_reduce,
        WEFT_OP_dynamic_slice,      WEFT_OP_dynamic_update_slice,
        WEFT_OP_reduce_scatter,     WEFT_OP_slice,
    };
    for (size_t i = 0; i < WEFT_COUNT(kinds); i++)
        if (op->kind == kinds[i]) return true;
    return false;
}

weft_status weft_infer_async_start(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_type **want = weft_scratch_array(c->cx, const weft_type *, op->operand_count);
    const weft_op *yields = NULL;
    if (!want) return weft_oom();
    weft_status st = weft_check_operands(c, op, WEFT_IS_ANY);
    for (uint32_t i = 0; i < op->operand_count; i++) want[i] = op->operands[i]->type;
    if (st == WEFT_OK) st = weft_check_body(c, op, 0, want, op->operand_count, WEFT_OP_return, &yields);
    if (st != WEFT_OK) return st;
    const weft_op *first = op->regions[0].first->first;
    if (first == yields || first->next != yields)
        return weft_bad(c, op, "region 0 has not exactly one op before its return");
    if (!starts(first))
        return weft_bad(c, op, "region 0 has '%s', expected a collective or a slice", weft_name_text(first));
    bool passed = first->operand_count == op->operand_count; /* (C3) */
    for (uint32_t i = 0; passed && i < op->operand_count; i++)
        passed = first->operands[i] == op->regions[0].first->args[i];
    if (!passed)
        return weft_bad(c, op, "region 0 does not pass its arguments on to '%s' as they are", weft_name_text(first));
    if (yields->operand_count != 1)
        return weft_bad(c, op, "region 0 returns %u values, expected 1", yields->operand_count);
    if (yields->operands[0]->def != first)
        return weft_bad(c, op, "region 0 does not return the result of '%s'", weft_name_text(first));
    const weft_type *t = yields->operands[0]->type;
    if (!weft_type_is_tensor(t))
        return weft_bad(c, op, "region 0 returns value 0 of type '%s', expected a tensor", weft_text_of(c, t));
    types[0] = weft_type_future(c->cx, &t, 1);
    return types[0] ? WEFT_OK : weft_oom();
}

weft_status weft_infer_async_done(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_type *t = op->operands[0]->type;
    if (t->kind != WEFT_TYPE_FUTURE || t->part_count != 1)
        return weft_bad(c, op, "operand 0 has type '%s', expected a future of one tensor", weft_text_of(c, t));
    types[0] = t->parts[0];
    return WEFT_OK;
}
