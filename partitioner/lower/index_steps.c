/* index_steps.c: see index_steps.h. JAX writes x.at[a:b:s].set(u) as a scatter at a + s * iota. */
#include "partitioner/lower/index_steps.h"

#define MOST_OPS 64
#define MOST_ELEMENTS (1 << 20) /* of a constant */
#define LARGE ((int64_t)1 << 40)  /* numbers beyond are no indices; below, nothing overflows */

typedef struct place { uint32_t dim; int64_t at; } place;

static bool steps_of(const weft_value *v, place p, int *left, weft_steps *out);

/* The lowest and the highest of the elements. */
typedef struct bounds { int64_t low, high; } bounds;

static bounds bounds_of(const weft_value *v, const weft_steps *s) {
    bounds b = { s->start, s->start };
    for (uint32_t d = 0; d < v->type->rank; d++) {
        const int64_t reach = s->step[d] * (v->type->dims[d] - 1);
        b.low += weft_min_i64(reach, 0);
        b.high += weft_max_i64(reach, 0);
    }
    return b;
}

/* Whether the type of v holds all of them, so that no op on the way has wrapped. */
static bool fits(const weft_value *v, const weft_steps *s) {
    const weft_dtype_info *t = weft_dtype_of(v->type->dtype);
    const uint32_t bits = t->bits - (t->kind == WEFT_KIND_INT);
    for (uint32_t d = 0; d < v->type->rank; d++)
        if (s->step[d] < -LARGE || s->step[d] > LARGE || v->type->dims[d] > (1 << 20)) return false;
    const bounds b = bounds_of(v, s);
    if (b.low < -LARGE || b.high > LARGE) return false;
    const int64_t high = bits >= 62 ? LARGE : ((int64_t)1 << bits) - 1;
    return b.high <= high && b.low >= (t->kind == WEFT_KIND_INT ? -high - 1 : 0);
}

static bool is_index(int64_t v) { return -LARGE <= v && v <= LARGE; }

static bool of_constant(const weft_op *op, place p, int *left, weft_steps *out) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_value);
    const weft_type *t = op->results[0].type;
    int64_t stride[WEFT_MAX_RANK], n = 1;
    (void)left;
    if (!a || a->kind != WEFT_ATTR_DENSE || weft_type_elems(t) <= 0 || weft_type_elems(t) > MOST_ELEMENTS) return false;
    if (a->dense.splat) {
        out->start = weft_dense_int(a, 0);
        return is_index(out->start);
    }
    for (uint32_t d = t->rank; d-- > 0; n *= t->dims[d]) stride[d] = n;
    const int64_t first = p.dim < t->rank ? p.at * stride[p.dim] : 0;
    for (int64_t i = 0; i < n; i++)
        if (!is_index(weft_dense_int(a, i))) return false;
    out->start = weft_dense_int(a, first);
    for (uint32_t d = 0; d < t->rank; d++)
        if (d != p.dim && t->dims[d] > 1) out->step[d] = weft_dense_int(a, first + stride[d]) - out->start;
    for (int64_t i = 0; i < n; i++) {
        int64_t want = out->start;
        if (p.dim < t->rank && i / stride[p.dim] % t->dims[p.dim] != p.at) continue;
        for (uint32_t d = 0; d < t->rank; d++) want += out->step[d] * (i / stride[d] % t->dims[d]);
        if (weft_dense_int(a, i) != want) return false;
    }
    return true;
}

static bool of_iota(const weft_op *op, place p, int *left, weft_steps *out) {
    const uint32_t d = (uint32_t)weft_op_int(op, WEFT_A_iota_dimension, 0);
    (void)left;
    if (d == p.dim) out->start = p.at;
    else out->step[d] = 1;
    return true;
}

static bool of_broadcast(const weft_op *op, place p, int *left, weft_steps *out) {
    const weft_ints to = weft_op_ints(op, WEFT_A_broadcast_dimensions);
    const weft_type *t = op->operands[0]->type;
    place q = { t->rank, 0 };
    weft_steps s;
    for (uint32_t d = 0; d < t->rank; d++)
        if ((uint64_t)to.v[d] == p.dim && t->dims[d] != 1) q = (place){ d, p.at };
    if (!steps_of(op->operands[0], q, left, &s)) return false;
    out->start = s.start;
    for (uint32_t d = 0; d < t->rank; d++)
        if (t->dims[d] != 1) out->step[to.v[d]] = s.step[d];
    return true;
}

/* Dimensions of one element come and go. */
static bool of_reshape(const weft_op *op, place p, int *left, weft_steps *out) {
    const weft_type *from = op->operands[0]->type, *to = op->results[0].type;
    uint32_t source[WEFT_MAX_RANK], d = 0;
    place q = { from->rank, 0 };
    weft_steps s;
    for (uint32_t e = 0; e < to->rank; e++) {
        source[e] = from->rank;
        if (to->dims[e] == 1) continue;
        while (d < from->rank && from->dims[d] == 1) d++;
        if (d == from->rank || from->dims[d] != to->dims[e]) return false;
        if (e == p.dim) q = (place){ d, p.at };
        source[e] = d++;
    }
    if (!steps_of(op->operands[0], q, left, &s)) return false;
    out->start = s.start;
    for (uint32_t e = 0; e < to->rank; e++)
        if (source[e] < from->rank) out->step[e] = s.step[source[e]];
    return true;
}

/* Where it is known which operand is meant: components of indices are put together so. */
static bool of_concatenate(const weft_op *op, place p, int *left, weft_steps *out) {
    if (p.dim != (uint64_t)weft_op_int(op, WEFT_A_dimension, 0)) return false;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const int64_t n = op->operands[i]->type->dims[p.dim];
        if (p.at < n) return steps_of(op->operands[i], p, left, out);
        p.at -= n;
    }
    return false;
}

static bool of_sum(const weft_op *op, place p, int *left, weft_steps *out) {
    const int64_t sign = op->kind == WEFT_OP_subtract ? -1 : 1;
    weft_steps a, b;
    if (!steps_of(op->operands[0], p, left, &a) || !steps_of(op->operands[1], p, left, &b)) return false;
    out->start = a.start + sign * b.start;
    for (uint32_t d = 0; d < op->results[0].type->rank; d++) out->step[d] = a.step[d] + sign * b.step[d];
    return true;
}

static bool is_one_number(const weft_value *v, const weft_steps *s) {
    const bounds b = bounds_of(v, s);
    return b.low == b.high;
}

static bool of_product(const weft_op *op, place p, int *left, weft_steps *out) {
    weft_steps a, b;
    if (!steps_of(op->operands[0], p, left, &a) || !steps_of(op->operands[1], p, left, &b)) return false;
    const bool second = is_one_number(op->operands[1], &b);
    const weft_steps *by = second ? &b : &a, *s = second ? &a : &b;
    const bounds all = bounds_of(op->operands[0], s);
    if ((!second && !is_one_number(op->operands[0], &a)) || by->start > 1 << 20 || by->start < -(1 << 20) ||
        all.low < -(1 << 20) || all.high > 1 << 20)
        return false;
    out->start = s->start * by->start;
    for (uint32_t d = 0; d < op->results[0].type->rank; d++) out->step[d] = s->step[d] * by->start;
    return true;
}

/* Negative indices wrapped round: select(i < 0, i + n, i), where no element or every one is below. */
static bool of_select(const weft_op *op, place p, int *left, weft_steps *out) {
    const weft_op *test = op->operands[0]->def;
    weft_steps a, b;
    if (!test || test->kind != WEFT_OP_compare || test->operands[0]->type->rank != op->results[0].type->rank)
        return false;
    const weft_attr *way = weft_op_attr(test, WEFT_A_comparison_direction);
    if (!way || way->e != WEFT_comparison_direction_LT || !steps_of(test->operands[0], p, left, &a) ||
        !steps_of(test->operands[1], p, left, &b))
        return false;
    const bounds x = bounds_of(test->operands[0], &a), y = bounds_of(test->operands[1], &b);
    if (x.low >= y.high) return steps_of(op->operands[2], p, left, out);
    return x.high < y.low && steps_of(op->operands[1], p, left, out);
}

static bool of_same(const weft_op *op, place p, int *left, weft_steps *out) {
    return steps_of(op->operands[0], p, left, out);
}

static bool steps_of(const weft_value *v, place p, int *left, weft_steps *out) {
    static const struct {
        weft_op_kind kind;
        bool (*of)(const weft_op *op, place p, int *left, weft_steps *out);
    } rows[] = {
        { WEFT_OP_constant, of_constant },
        { WEFT_OP_sdy_constant, of_constant },
        { WEFT_OP_iota, of_iota },
        { WEFT_OP_broadcast_in_dim, of_broadcast },
        { WEFT_OP_reshape, of_reshape },
        { WEFT_OP_concatenate, of_concatenate },
        { WEFT_OP_add, of_sum },
        { WEFT_OP_subtract, of_sum },
        { WEFT_OP_multiply, of_product },
        { WEFT_OP_select, of_select },
        { WEFT_OP_convert, of_same },
        { WEFT_OP_sdy_reshard, of_same },
        { WEFT_OP_sdy_sharding_constraint, of_same },
    };
    *out = (weft_steps){ 0 };
    if (!v->def || !weft_type_is_static(v->type) || !weft_dtype_is_integer(v->type->dtype) ||
        weft_type_elems(v->type) <= 0 || --*left < 0)
        return false;
    for (size_t i = 0; i < WEFT_COUNT(rows); i++)
        if (v->def->kind == rows[i].kind) return rows[i].of(v->def, p, left, out) && fits(v, out);
    return false;
}

bool weft_index_steps(const weft_value *v, uint32_t dim, int64_t at, weft_steps *out) {
    int left = MOST_OPS;
    return steps_of(v, (place){ dim, at }, &left, out);
}
