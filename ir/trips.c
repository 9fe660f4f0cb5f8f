/* trips.c: see trips.h. */
#include "ir/trips.h"

int64_t weft_trips_between(weft_dtype t, int64_t direction, int64_t from, int64_t to, int64_t by) {
    int64_t way;
    if (t == WEFT_UI64 && (from < 0 || to < 0)) return -1;
    if (direction == WEFT_comparison_direction_LE || direction == WEFT_comparison_direction_GE)
        if (__builtin_add_overflow(to, by > 0 ? 1 : -1, &to)) return -1;
    const bool up = (direction == WEFT_comparison_direction_LT || direction == WEFT_comparison_direction_LE) && by > 0;
    const bool down = (direction == WEFT_comparison_direction_GT || direction == WEFT_comparison_direction_GE) && by < 0;
    if (!up && !down) return -1;
    if (up ? to <= from : to >= from) return 0;
    if (by == INT64_MIN || __builtin_sub_overflow(up ? to : from, up ? from : to, &way)) return -1;
    return weft_ceil_div(way, up ? by : -by);
}

const weft_value *weft_loop_unchanged(const weft_op *loop, uint32_t i) {
    const weft_block *body = weft_op_body(loop, 1);
    const weft_value *next = body->last->operands[i];
    return next == body->args[i] || next == loop->operands[i] ? loop->operands[i] : NULL;
}

/* The loop of whose regions v is an argument, or NULL. */
static const weft_op *loop_of(const weft_value *v) {
    const weft_op *owner = v->block ? v->block->parent->parent : NULL;
    return owner && owner->kind == WEFT_OP_while ? owner : NULL;
}

/* Whether v is a constant integer, here or where it comes from. */
static bool constant_int(const weft_value *v, int64_t *out) {
    for (const weft_op *loop; v && (loop = loop_of(v));) v = weft_loop_unchanged(loop, v->index);
    const weft_attr *dense = v && v->def && weft_op_kind_has((weft_op_kind)v->def->kind, WEFT_TRAIT_CONSTANT) ? weft_op_attr(v->def, WEFT_A_value) : NULL;
    if (!dense || dense->kind != WEFT_ATTR_DENSE || v->type->rank || !weft_dtype_is_integer(v->type->dtype)) return false;
    *out = weft_dense_int(dense, 0);
    return true;
}

bool weft_loop_counter(const weft_op *loop, weft_counter *out) {
    const weft_block *cond = weft_op_body(loop, 0), *body = weft_op_body(loop, 1);
    const weft_op *test = cond->last->operands[0]->def;
    if (!test || test->kind != WEFT_OP_compare) return false;
    const weft_value *counter = test->operands[0];
    if (counter->def || counter->block != cond || !constant_int(test->operands[1], &out->to)) return false;
    const uint32_t k = out->index = counter->index;
    const weft_op *next = body->last->operands[k]->def;
    if (!next || next->kind != WEFT_OP_add || !constant_int(loop->operands[k], &out->from)) return false;
    const bool first = next->operands[0] == body->args[k];
    if ((!first && next->operands[1] != body->args[k]) || !constant_int(next->operands[first], &out->by)) return false;
    out->dtype = counter->type->dtype;
    out->direction = weft_op_attr(test, WEFT_A_comparison_direction)->e;
    return true;
}

int64_t weft_loop_trips(const weft_op *loop) {
    weft_counter c;
    return weft_loop_counter(loop, &c) ? weft_trips_between(c.dtype, c.direction, c.from, c.to, c.by) : -1;
}
