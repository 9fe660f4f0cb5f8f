/* trips.c: see trips.h. */
#include "ir/trips.h"

#define MOST_TURNED (1 << 16) /* iterations counted one by one: by then every 16-bit counter has wrapped */

/* v as a value of integer type t, wrapped. ui64 as its two's complement. */
static int64_t wrapped(weft_dtype t, int64_t v) {
    char bytes[8];
    weft_dtype_store_int(t, bytes, v);
    return weft_dtype_load_int(t, bytes);
}

static bool holds(weft_dtype t, int64_t direction, int64_t a, int64_t b) {
    const bool less = t == WEFT_UI64 ? (uint64_t)a < (uint64_t)b : a < b;
    switch (direction) {
    case WEFT_comparison_direction_LT: return less;
    case WEFT_comparison_direction_LE: return less || a == b;
    case WEFT_comparison_direction_GT: return !less && a != b;
    case WEFT_comparison_direction_GE: return !less;
    case WEFT_comparison_direction_EQ: return a == b;
    case WEFT_comparison_direction_NE: return a != b;
    default: return false;
    }
}

/* The trip count of a counter that reaches its limit without wrapping (its last value included). -1: it
 * wraps. */
static int64_t straight(const weft_counter *c) {
    const int64_t direction = c->direction, by = c->by;
    int64_t way, to = c->to, last;
    if (c->dtype == WEFT_UI64 && (c->from < 0 || to < 0)) return -1;
    if (direction == WEFT_comparison_direction_LE || direction == WEFT_comparison_direction_GE)
        if (__builtin_add_overflow(to, by > 0 ? 1 : -1, &to)) return -1;
    const bool up = (direction == WEFT_comparison_direction_LT || direction == WEFT_comparison_direction_LE) && by > 0;
    const bool down =
        (direction == WEFT_comparison_direction_GT || direction == WEFT_comparison_direction_GE) && by < 0;
    if (!up && !down) return -1;
    if (up ? to <= c->from : to >= c->from) return 0;
    if (by == INT64_MIN || __builtin_sub_overflow(up ? to : c->from, up ? c->from : to, &way)) return -1;
    const int64_t turns = weft_ceil_div(way, up ? by : -by);
    if (__builtin_mul_overflow(turns, by, &last) || __builtin_add_overflow(c->from, last, &last) ||
        wrapped(c->dtype, last) != last)
        return -1;
    return c->dtype == WEFT_UI64 && last < 0 ? -1 : turns;
}

bool weft_counter_wraps(const weft_counter *c) { return straight(c) < 0; }

/* The trip count of a counter that meets `to` exactly, without wrapping; -1: it does not. */
static int64_t until_met(const weft_counter *c) {
    int64_t way;
    if (c->direction != WEFT_comparison_direction_NE || !c->by || __builtin_sub_overflow(c->to, c->from, &way))
        return -1;
    if (way == INT64_MIN) return -1; /* by -1 there would be no such quotient */
    return way % c->by == 0 && way / c->by >= 0 ? way / c->by : -1;
}

int64_t weft_direction_mirrored(int64_t direction) {
    switch (direction) {
    case WEFT_comparison_direction_LT: return WEFT_comparison_direction_GT;
    case WEFT_comparison_direction_LE: return WEFT_comparison_direction_GE;
    case WEFT_comparison_direction_GT: return WEFT_comparison_direction_LT;
    case WEFT_comparison_direction_GE: return WEFT_comparison_direction_LE;
    default: return direction;
    }
}

int64_t weft_counter_trips(const weft_counter *c) {
    int64_t turns = straight(c), v = c->from;
    if (turns < 0) turns = until_met(c);
    if (turns >= 0) return turns;
    for (turns = 0; turns <= MOST_TURNED; turns++) {
        if (!holds(c->dtype, c->direction, v, c->to)) return turns;
        v = wrapped(c->dtype, (int64_t)((uint64_t)v + (uint64_t)c->by));
    }
    return -1;
}

const weft_value *weft_loop_unchanged(const weft_op *loop, uint32_t i) {
    const weft_block *body = weft_op_body(loop, 1);
    const weft_value *next = body->last->operands[i];
    return next == body->args[i] || next == loop->operands[i] ? loop->operands[i] : NULL;
}

/* The loop of which v is a region argument, or NULL. */
static const weft_op *loop_of(const weft_value *v) {
    const weft_op *owner = v->block ? v->block->parent->parent : NULL;
    return owner && owner->kind == WEFT_OP_while ? owner : NULL;
}

/* Whether v is a constant integer, directly or as a loop's unchanged value. */
static bool constant_int(const weft_value *v, int64_t *out) {
    for (const weft_op *loop; v && (loop = loop_of(v));) v = weft_loop_unchanged(loop, v->index);
    const weft_attr *dense = v && v->def && weft_op_kind_has((weft_op_kind)v->def->kind, WEFT_TRAIT_CONSTANT)
                                 ? weft_op_attr(v->def, WEFT_A_value)
                                 : NULL;
    if (!dense || dense->kind != WEFT_ATTR_DENSE || v->type->rank || !weft_dtype_is_integer(v->type->dtype))
        return false;
    *out = weft_dense_int(dense, 0);
    return true;
}

typedef enum spellings { AS_WRITTEN, ANY_SPELLING } spellings;

/* The counter that `test`, an op of the condition, compares. */
static bool counter_in(const weft_op *loop, const weft_op *test, spellings allowed, weft_counter *out) {
    const weft_block *cond = weft_op_body(loop, 0), *body = weft_op_body(loop, 1);
    if (!test || test->kind != WEFT_OP_compare) return false;
    bool turned = allowed == ANY_SPELLING && !constant_int(test->operands[1], &out->to);
    const weft_value *counter = test->operands[turned];
    if (counter->def || counter->block != cond || !constant_int(test->operands[!turned], &out->to)) return false;
    const uint32_t k = out->index = counter->index;
    const weft_op *next = body->last->operands[k]->def;
    if (!next || !constant_int(loop->operands[k], &out->from)) return false;
    const bool less = allowed == ANY_SPELLING && next->kind == WEFT_OP_subtract;
    const bool first = (next->kind == WEFT_OP_add || less) && next->operands[0] == body->args[k];
    const bool second = next->kind == WEFT_OP_add && !first && next->operands[1] == body->args[k];
    if ((!first && !second) || !constant_int(next->operands[first], &out->by)) return false;
    if (less && __builtin_sub_overflow(0, out->by, &out->by)) return false;
    out->dtype = counter->type->dtype;
    out->direction = weft_op_attr(test, WEFT_A_comparison_direction)->e;
    if (turned) out->direction = weft_direction_mirrored(out->direction);
    return true;
}

static bool counter_of(const weft_op *loop, spellings allowed, weft_counter *out) {
    return counter_in(loop, weft_op_body(loop, 0)->last->operands[0]->def, allowed, out);
}

bool weft_loop_counter(const weft_op *loop, weft_counter *out) { return counter_of(loop, AS_WRITTEN, out); }

int64_t weft_loop_trips(const weft_op *loop) {
    weft_counter c;
    return counter_of(loop, ANY_SPELLING, &c) ? weft_counter_trips(&c) : -1;
}

/* x of `x != false` and of a conversion to the type that it has: JAX writes the operands of an `and` so. */
static const weft_op *plain_test(const weft_op *test) {
    while (test && test->results[0].type->dtype == WEFT_I1) {
        const weft_op *x = test->operand_count ? test->operands[0]->def : NULL, *other = NULL;
        if (!x || test->operands[0]->type != test->results[0].type) break;
        if (test->kind == WEFT_OP_compare) {
            other = test->operands[1]->def;
            if (other && other->kind == WEFT_OP_broadcast_in_dim) other = other->operands[0]->def;
            const weft_attr *v = other && other->kind == WEFT_OP_constant ? weft_op_attr(other, WEFT_A_value) : NULL;
            if (!v || v->kind != WEFT_ATTR_DENSE || weft_dense_int(v, 0) ||
                weft_op_attr(test, WEFT_A_comparison_direction)->e != WEFT_comparison_direction_NE)
                break;
        } else if (test->kind != WEFT_OP_convert) {
            break;
        }
        test = x;
    }
    return test;
}

static int64_t bound_by(const weft_op *loop, const weft_op *test) {
    weft_counter c;
    test = plain_test(test);
    if (!test || test->parent != weft_op_body(loop, 0)) return -1;
    if (test->kind != WEFT_OP_and) return counter_in(loop, test, ANY_SPELLING, &c) ? weft_counter_trips(&c) : -1;
    const int64_t a = bound_by(loop, test->operands[0]->def), b = bound_by(loop, test->operands[1]->def);
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

int64_t weft_loop_bound(const weft_op *loop) { return bound_by(loop, weft_op_body(loop, 0)->last->operands[0]->def); }
