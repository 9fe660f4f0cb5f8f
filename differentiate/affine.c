/* affine.c: see affine.h. Indices are written as JAX does: the counter, n - counter - 1, and select(i < 0, i + n, i).
 * */
#include "differentiate/affine.h"

typedef struct line { int64_t from, by; } line; /* from + by k in iteration k */

static bool line_of(const gd_range *of, weft_value *v, int steps, line *out);

static bool two_lines(const gd_range *of, const weft_op *op, int steps, line *a, line *b) {
    return line_of(of, op->operands[0], steps, a) && line_of(of, op->operands[1], steps, b);
}

static bool combine(line a, line b, int64_t sign, line *out) {
    return !__builtin_mul_overflow(b.from, sign, &b.from) && !__builtin_mul_overflow(b.by, sign, &b.by) &&
           !__builtin_add_overflow(a.from, b.from, &out->from) && !__builtin_add_overflow(a.by, b.by, &out->by);
}

static bool last_of(const gd_range *of, line l, int64_t *last) {
    return !__builtin_mul_overflow(l.by, of->trips - 1, last) && !__builtin_add_overflow(*last, l.from, last);
}

/* select(x < 0, y, x) where x is never negative */
static bool normalised(const gd_range *of, const weft_op *op, int steps, line *out) {
    const weft_op *test = op->operands[0]->def;
    line x, zero;
    int64_t last;
    if (!test || test->kind != WEFT_OP_compare || !two_lines(of, test, steps, &x, &zero) || zero.from || zero.by)
        return false;
    if (weft_op_attr(test, WEFT_A_comparison_direction)->e != WEFT_comparison_direction_LT) return false;
    if (!last_of(of, x, &last) || x.from < 0 || last < 0) return false;
    return line_of(of, op->operands[2], steps, out);
}

static bool line_of(const gd_range *of, weft_value *v, int steps, line *out) {
    line a, b;
    v = gd_origin(of->g, v);
    if (v == of->counter) {
        *out = (line){ of->from, of->by };
        return true;
    }
    const weft_op *op = v->def;
    if (!op || v->type->rank || steps <= 0) return false;
    const weft_attr *value = weft_op_attr(op, WEFT_A_value);
    switch (op->kind) {
    case WEFT_OP_constant:
        if (value->kind != WEFT_ATTR_DENSE || !weft_dtype_is_integer(v->type->dtype)) return false;
        *out = (line){ weft_dense_int(value, 0), 0 };
        return true;
    case WEFT_OP_add: return two_lines(of, op, steps - 1, &a, &b) && combine(a, b, 1, out);
    case WEFT_OP_subtract: return two_lines(of, op, steps - 1, &a, &b) && combine(a, b, -1, out);
    case WEFT_OP_select: return normalised(of, op, steps - 1, out);
    case WEFT_OP_convert:
    case WEFT_OP_reshape:
        return op->operands[0]->type->rank == 0 && weft_dtype_is_integer(op->operands[0]->type->dtype) &&
               line_of(of, op->operands[0], steps - 1, out);
    default: return false;
    }
}

bool gd_disjoint(const gd_range *of, weft_value *v, int64_t size, int64_t dim) {
    line l;
    int64_t last;
    if (!line_of(of, v, 8, &l) || !last_of(of, l, &last)) return false;
    const int64_t low = l.by < 0 ? last : l.from, high = l.by < 0 ? l.from : last;
    return (l.by >= size || -l.by >= size) && low >= 0 && high <= dim - size;
}
