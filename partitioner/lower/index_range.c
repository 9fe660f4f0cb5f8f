/* index_range.c: see index_range.h. Constants, numbers of elements, sorts of these, and the ops by which programs put
 * indices together, wrap negative ones round and clamp them. */
#include "partitioner/lower/index_range.h"

#include "partitioner/lower/local.h"

#define MOST_OPS 256 /* looked at for one answer: values that are read twice are looked at twice */

static const weft_range unknown = { INT64_MIN, INT64_MAX };

typedef struct place {
    uint32_t dim; /* the rank: any element */
    int64_t at;
} place;

static weft_range range_of(const weft_value *v, place p, int *left);

static weft_range constant(const weft_op *op, place p, int *left) {
    const weft_type *t = op->results[0].type;
    (void)left;
    const weft_attr *a = weft_op_attr(op, WEFT_A_value);
    weft_range r = { INT64_MAX, INT64_MIN };
    int64_t inner = 1, n = 1;
    if (!a || a->kind != WEFT_ATTR_DENSE) return unknown;
    for (uint32_t d = 0; d < t->rank; d++) n *= t->dims[d];
    if (a->dense.splat) n = n ? 1 : 0;
    else
        for (uint32_t d = p.dim + 1; d < t->rank; d++) inner *= t->dims[d];
    for (int64_t i = 0; i < n; i++) {
        if (!a->dense.splat && p.dim < t->rank && i / inner % t->dims[p.dim] != p.at) continue;
        r.low = weft_min_i64(r.low, weft_dense_int(a, i));
        r.high = weft_max_i64(r.high, weft_dense_int(a, i));
    }
    return r.low <= r.high && (r.low >= 0 || weft_dtype_of(t->dtype)->kind == WEFT_KIND_INT) ? r : unknown;
}

/* Where the place is in what is broadcast: all of it where it lies along none of its dimensions, or one of a single
 * element. */
static place broadcast_place(const weft_op *op, place p) {
    const weft_ints to = weft_op_ints(op, WEFT_A_broadcast_dimensions);
    const weft_type *t = op->operands[0]->type;
    for (uint32_t d = 0; d < t->rank; d++)
        if ((uint64_t)to.v[d] == p.dim && t->dims[d] != 1) return (place){ d, p.at };
    return (place){ t->rank, 0 };
}

/* Any element where the dimension is none of what is reshaped. */
static place reshape_place(const weft_type *from, const weft_type *to, place p) {
    const int64_t d = p.dim < to->rank ? weft_type_dim_before(from, to, p.dim) : -1;
    return d < 0 ? (place){ from->rank, 0 } : (place){ (uint32_t)d, p.at };
}

static weft_range joined(weft_range a, weft_range b) {
    return (weft_range){ weft_min_i64(a.low, b.low), weft_max_i64(a.high, b.high) };
}

static weft_range concatenated(const weft_op *op, place p, int *left) {
    const uint32_t along = (uint32_t)weft_op_int(op, WEFT_A_dimension, 0);
    weft_range r = { INT64_MAX, INT64_MIN };
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const weft_type *t = op->operands[i]->type;
        if (p.dim != along) {
            r = joined(r, range_of(op->operands[i], p, left));
            continue;
        }
        if (p.at < t->dims[along]) return range_of(op->operands[i], p, left);
        p.at -= t->dims[along];
    }
    return r.low <= r.high ? r : unknown;
}

/* A smaller type wraps round what it cannot hold. */
static weft_range converted(const weft_op *op, place p, int *left) {
    const weft_dtype_info *to = weft_dtype_of(op->results[0].type->dtype),
                          *from = weft_dtype_of(op->operands[0]->type->dtype);
    if ((from->kind != WEFT_KIND_INT && from->kind != WEFT_KIND_UINT) ||
        (to->kind != WEFT_KIND_INT && to->kind != WEFT_KIND_UINT))
        return unknown;
    const weft_range r = range_of(op->operands[0], p, left);
    const weft_dtype t = (weft_dtype)op->results[0].type->dtype;
    return weft_dtype_holds_int(t, r.low) && weft_dtype_holds_int(t, r.high) ? r : unknown;
}

/* One that may wrap round is not known. */
static weft_range added(weft_range a, weft_range b, weft_dtype t) {
    const int64_t most = ((int64_t)1 << (weft_dtype_of(t)->bits - 2)) - 1;
    if (a.low < -most || b.low < -most || a.high > most || b.high > most || weft_dtype_of(t)->kind != WEFT_KIND_INT)
        return unknown;
    return (weft_range){ a.low + b.low, a.high + b.high };
}

/* Whether what is chosen is always the second. */
static bool never(const weft_value *pred, place p, int *left) {
    while (pred->def && pred->def->kind == WEFT_OP_broadcast_in_dim) {
        p = broadcast_place(pred->def, p);
        pred = pred->def->operands[0];
    }
    const weft_op *op = pred->def;
    if (!op || op->kind != WEFT_OP_compare || weft_dtype_is_float(op->operands[0]->type->dtype) ||
        weft_dtype_is_complex(op->operands[0]->type->dtype))
        return false;
    const weft_attr *way = weft_op_attr(op, WEFT_A_comparison_direction);
    return way && way->e == WEFT_comparison_direction_LT &&
           range_of(op->operands[0], p, left).low >= range_of(op->operands[1], p, left).high;
}

/* Of an operand that is a scalar, or like the result. */
static weft_range range_of_bound(const weft_value *v, place p, int *left) {
    return range_of(v, v->type->rank ? p : (place){ 0, 0 }, left);
}

static weft_range sum(const weft_op *op, place p, int *left) {
    return added(range_of(op->operands[0], p, left), range_of(op->operands[1], p, left), op->results[0].type->dtype);
}

static weft_range smaller(weft_range a, weft_range b) {
    return (weft_range){ weft_min_i64(a.low, b.low), weft_min_i64(a.high, b.high) };
}
static weft_range larger(weft_range a, weft_range b) {
    return (weft_range){ weft_max_i64(a.low, b.low), weft_max_i64(a.high, b.high) };
}

static weft_range minimum(const weft_op *op, place p, int *left) {
    return smaller(range_of(op->operands[0], p, left), range_of(op->operands[1], p, left));
}
static weft_range maximum(const weft_op *op, place p, int *left) {
    return larger(range_of(op->operands[0], p, left), range_of(op->operands[1], p, left));
}

static weft_range clamped(const weft_op *op, place p, int *left) {
    return smaller(larger(range_of_bound(op->operands[0], p, left), range_of(op->operands[1], p, left)),
                   range_of_bound(op->operands[2], p, left));
}

static weft_range selected(const weft_op *op, place p, int *left) {
    const weft_range other = range_of(op->operands[2], p, left);
    if (never(op->operands[0], op->operands[0]->type->rank ? p : (place){ 0, 0 }, left)) return other;
    return joined(range_of(op->operands[1], p, left), other);
}

static weft_range broadcast(const weft_op *op, place p, int *left) {
    return range_of(op->operands[0], broadcast_place(op, p), left);
}
static weft_range reshaped(const weft_op *op, place p, int *left) {
    return range_of(op->operands[0], reshape_place(op->operands[0]->type, op->results[0].type, p), left);
}
static weft_range same(const weft_op *op, place p, int *left) { return range_of(op->operands[0], p, left); }

/* Numbers that the type holds; else they wrap round. */
static weft_range counted(const weft_op *op, place p, int *left) {
    const weft_type *t = op->results[0].type;
    const uint32_t d = (uint32_t)weft_op_int(op, WEFT_A_iota_dimension, 0);
    (void)left;
    if (t->dims[d] < 1 || !weft_dtype_holds_int((weft_dtype)t->dtype, t->dims[d] - 1)) return unknown;
    return p.dim == d ? (weft_range){ p.at, p.at } : (weft_range){ 0, t->dims[d] - 1 };
}

/* A result of a sort has its operand's elements, in another order along one dimension. */
static weft_range sorted(const weft_value *v, place p, int *left) {
    const weft_op *op = v->def;
    const bool along = p.dim == (uint32_t)weft_op_int(op, WEFT_A_dimension, 0);
    return range_of(op->operands[v->index], along ? (place){ v->type->rank, 0 } : p, left);
}

static weft_range reversed(const weft_op *op, place p, int *left) {
    const weft_type *t = op->results[0].type;
    if (p.dim < t->rank && weft_ints_has(weft_op_ints(op, WEFT_A_dimensions), p.dim)) p.at = t->dims[p.dim] - 1 - p.at;
    return range_of(op->operands[0], p, left);
}

static weft_range range_of(const weft_value *v, place p, int *left) {
    static const struct { weft_op_kind kind; weft_range (*of)(const weft_op *op, place p, int *left); } rows[] = {
        { WEFT_OP_constant, constant }, { WEFT_OP_sdy_constant, constant }, { WEFT_OP_broadcast_in_dim, broadcast }, { WEFT_OP_reshape, reshaped },
        { WEFT_OP_concatenate, concatenated }, { WEFT_OP_convert, converted }, { WEFT_OP_add, sum }, { WEFT_OP_minimum, minimum },
        { WEFT_OP_maximum, maximum }, { WEFT_OP_clamp, clamped }, { WEFT_OP_select, selected }, { WEFT_OP_sdy_reshard, same },
        { WEFT_OP_sdy_sharding_constraint, same }, { WEFT_OP_iota, counted },
        { WEFT_OP_reverse, reversed },
    };
    if (!v->def || !weft_dtype_is_integer(v->type->dtype) || --*left < 0) return unknown;
    if (v->def->kind == WEFT_OP_sort) return sorted(v, p, left);
    for (size_t i = 0; i < WEFT_COUNT(rows); i++)
        if (v->def->kind == rows[i].kind) return rows[i].of(v->def, p, left);
    return unknown;
}

bool weft_index_is_never(const weft_value *pred) {
    int left = MOST_OPS;
    return never(pred, (place){ pred->type->rank, 0 }, &left);
}

weft_range weft_index_range(const weft_value *v, uint32_t dim, int64_t at) {
    int left = MOST_OPS;
    return range_of(v, (place){ dim, at }, &left);
}
