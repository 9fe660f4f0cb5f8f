/* line.c: see line.h. */
#include "ir/line.h"

enum { MOST_STEPS = 8 }; /* ops between a value and the counter */

static bool line_of(const weft_lines *in, const weft_value *v, int steps, weft_line *out);

static bool two_lines(const weft_lines *in, const weft_op *op, int steps, weft_line *a, weft_line *b) {
    return line_of(in, op->operands[0], steps, a) && line_of(in, op->operands[1], steps, b);
}

static bool combine(weft_line a, weft_line b, int64_t sign, weft_line *out) {
    return !__builtin_mul_overflow(b.from, sign, &b.from) && !__builtin_mul_overflow(b.by, sign, &b.by) &&
           !__builtin_add_overflow(a.from, b.from, &out->from) && !__builtin_add_overflow(a.by, b.by, &out->by);
}

bool weft_line_last(const weft_lines *in, weft_line l, int64_t *last) {
    return !__builtin_mul_overflow(l.by, in->trips - 1, last) && !__builtin_add_overflow(*last, l.from, last);
}

/* A line is monotonous: its ends are its bounds. */
static bool stays_within(const weft_lines *in, weft_dtype t, weft_line l) {
    int64_t last;
    return weft_line_last(in, l, &last) && weft_dtype_holds_int(t, l.from) && weft_dtype_holds_int(t, last);
}

/* select(x < 0, y, x) where x is never negative */
static bool normalised(const weft_lines *in, const weft_op *op, int steps, weft_line *out) {
    const weft_op *test = op->operands[0]->def;
    weft_line x, zero;
    int64_t last;
    if (!test || test->kind != WEFT_OP_compare || !two_lines(in, test, steps, &x, &zero) || zero.from || zero.by)
        return false;
    if (weft_op_attr(test, WEFT_A_comparison_direction)->e != WEFT_comparison_direction_LT) return false;
    if (!weft_line_last(in, x, &last) || x.from < 0 || last < 0) return false;
    return line_of(in, op->operands[2], steps, out);
}

static bool made_by(const weft_lines *in, const weft_op *op, int steps, weft_line *out) {
    weft_line a, b;
    const weft_attr *value = weft_op_attr(op, WEFT_A_value);
    switch (op->kind) {
    case WEFT_OP_constant:
        if (!value || value->kind != WEFT_ATTR_DENSE) return false;
        *out = (weft_line){ weft_dense_int(value, 0), 0 };
        return true;
    case WEFT_OP_add: return two_lines(in, op, steps, &a, &b) && combine(a, b, 1, out);
    case WEFT_OP_subtract: return two_lines(in, op, steps, &a, &b) && combine(a, b, -1, out);
    case WEFT_OP_select: return normalised(in, op, steps, out);
    case WEFT_OP_convert:
    case WEFT_OP_reshape:
        return op->operands[0]->type->rank == 0 && weft_dtype_is_integer(op->operands[0]->type->dtype) &&
               line_of(in, op->operands[0], steps, out);
    default: return false;
    }
}

static bool line_of(const weft_lines *in, const weft_value *v, int steps, weft_line *out) {
    v = in->origin(in->user, v);
    if (v == in->counter) {
        *out = (weft_line){ in->from, in->by };
        return stays_within(in, v->type->dtype, *out);
    }
    return v->def && !v->type->rank && weft_dtype_is_integer(v->type->dtype) && steps > 0 &&
           made_by(in, v->def, steps - 1, out) && stays_within(in, v->type->dtype, *out);
}

bool weft_line_of(const weft_lines *in, const weft_value *v, weft_line *out) {
    return line_of(in, v, MOST_STEPS, out);
}
