/* tile_empty.c: columns that add nothing to the rows of a tile, as keys that come after all queries of it do where
 * attention is causal.
 *
 * What is known of all elements of a part of a value: bounds of integers; zero; *low*, as small as a mask makes scores;
 * or that it is a *score*, a product's result that no mask has changed. Scores are taken to be far above LOW. Rows must
 * have scores in other columns: then low elements change no maximum, the exponentials of their differences to it are
 * zero, and zeros add nothing to sums. A row without scores may be all NaN, or divide a mask evenly among its columns.
 */
#include <math.h>

#include "legalize/steps.h"
#include "legalize/tile.h"

#define LOW (-1e30)
enum { MOST_VISITS = 4096, MOST_RANK = 16, MOST_MASKED = 4 };

typedef enum known { ANY, BOUNDS, SCORE, LOW_FINITE, LOW_INFINITE } known;
typedef struct fact { known is; double low, high; } fact;

static const fact any = { .is = ANY }, zero = { .is = BOUNDS };

typedef struct looker {
    lt_tiler *t;
    lt_nest *nest;
    lt_range rows, columns;
    int left;                /* visits of ops */
    const weft_value *masked[MOST_MASKED]; /* values of the nest that a mask makes low here */
    uint32_t masked_count;
} looker;

/* Part of a value: elements [from, to) along each dimension. */
typedef struct part { lt_range d[MOST_RANK]; } part;

static fact look(looker *k, const weft_value *v, const part *p);

static bool is_low(fact f) { return f.is == LOW_FINITE || f.is == LOW_INFINITE; }
static bool is_zero(fact f) { return f.is == BOUNDS && f.low == 0 && f.high == 0; }
static bool is_positive(fact f) { return f.is == BOUNDS && f.low > 0; }
/* Numbers by which a score stays one. */
static bool is_moderate(fact f) { return f.is == BOUNDS && fabs(f.low) < -LOW / 10 && fabs(f.high) < -LOW / 10; }

static fact bounds(double low, double high) {
    if (low == -INFINITY && high == low) return (fact){ LOW_INFINITE, low, high };
    if (high <= LOW) return (fact){ LOW_FINITE, low, high };
    return isfinite(low) && isfinite(high) ? (fact){ BOUNDS, low, high } : any;
}

/* ---- element by element ---- */

static fact compared(const weft_op *op, fact x, fact y) {
    if (x.is != BOUNDS || y.is != BOUNDS) return any;
    bool yes, no;
    switch (weft_op_attr(op, WEFT_A_comparison_direction)->e) {
    case WEFT_comparison_direction_LT: yes = x.high < y.low, no = x.low >= y.high; break;
    case WEFT_comparison_direction_LE: yes = x.high <= y.low, no = x.low > y.high; break;
    case WEFT_comparison_direction_GT: yes = x.low > y.high, no = x.high <= y.low; break;
    case WEFT_comparison_direction_GE: yes = x.low >= y.high, no = x.high < y.low; break;
    case WEFT_comparison_direction_EQ: yes = false, no = x.high < y.low || x.low > y.high; break;
    default: yes = x.high < y.low || x.low > y.high, no = false; break;
    }
    return yes ? bounds(1, 1) : no ? zero : bounds(0, 1);
}

static fact either(fact x, fact y) {
    if (x.is == BOUNDS && y.is == BOUNDS) return bounds(fmin(x.low, y.low), fmax(x.high, y.high));
    if (is_low(x) && is_low(y)) return x.is == LOW_FINITE ? x : y;
    return x.is == y.is ? x : any;
}

/* Integers that do not wrap; of floats only zeros, since others are rounded. */
static fact within(const weft_op *op, double low, double high) {
    const weft_dtype t = op->results[0].type->dtype;
    if (low == 0 && high == 0) return zero;
    if (!weft_dtype_is_integer(t) || fabs(low) >= 0x1p52 || fabs(high) >= 0x1p52) return any;
    return weft_dtype_holds_int(t, (int64_t)low) && weft_dtype_holds_int(t, (int64_t)high) ? bounds(low, high) : any;
}

static fact added(const weft_op *op, fact x, fact y, double sign) {
    const bool first = x.is == SCORE && is_moderate(y), second = y.is == SCORE && is_moderate(x);
    if (is_low(x) && !is_low(y)) return x;
    if (is_low(y) && !is_low(x) && sign > 0) return y;
    if (first || second) return (fact){ .is = SCORE };
    if (x.is != BOUNDS || y.is != BOUNDS) return any;
    return sign > 0 ? within(op, x.low + y.low, x.high + y.high) : within(op, x.low - y.high, x.high - y.low);
}

static fact multiplied(const weft_op *op, fact x, fact y) {
    if (is_zero(x) || is_zero(y)) return zero;
    if ((x.is == SCORE && is_moderate(y)) || (y.is == SCORE && is_moderate(x))) return (fact){ .is = SCORE };
    if (x.is == LOW_INFINITE && is_positive(y)) return x;
    if (y.is == LOW_INFINITE && is_positive(x)) return y;
    if (x.is != BOUNDS || y.is != BOUNDS) return any;
    const double a = x.low * y.low, b = x.low * y.high, c = x.high * y.low, d = x.high * y.high;
    return within(op, fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d)));
}

static fact divided(fact x, fact y) {
    if (is_zero(x)) return y.is == BOUNDS && !is_positive(y) ? any : zero;
    if (x.is == SCORE && is_moderate(y) && is_positive(y)) return x;
    return x.is == LOW_INFINITE && is_positive(y) ? x : any;
}

static fact converted(const weft_op *op, fact x) {
    const weft_dtype from = op->operands[0]->type->dtype, to = op->results[0].type->dtype;
    if (is_zero(x) || (x.is == BOUNDS && x.low >= 0 && x.high <= 1 && !weft_dtype_is_float(from))) return x;
    if (weft_dtype_is_float(from) && weft_dtype_is_float(to)) return x.is == BOUNDS ? any : x;
    return x.is == BOUNDS && !weft_dtype_is_float(from) ? within(op, x.low, x.high) : any;
}

static fact both(const weft_op *op, fact x, fact y) {
    if (op->results[0].type->dtype != WEFT_I1 || x.is != BOUNDS || y.is != BOUNDS)
        return op->kind == WEFT_OP_and && (is_zero(x) || is_zero(y)) ? zero : any;
    return op->kind == WEFT_OP_and ? bounds(fmin(x.low, y.low), fmin(x.high, y.high))
                                   : bounds(fmax(x.low, y.low), fmax(x.high, y.high));
}

static fact pointwise(const weft_op *op, const fact *x) {
    switch ((weft_op_kind)op->kind) {
    case WEFT_OP_add: return added(op, x[0], x[1], 1);
    case WEFT_OP_subtract: return added(op, x[0], x[1], -1);
    case WEFT_OP_multiply: return multiplied(op, x[0], x[1]);
    case WEFT_OP_divide: return divided(x[0], x[1]);
    case WEFT_OP_exponential: return is_low(x[0]) ? zero : any;
    case WEFT_OP_tanh: return is_zero(x[0]) || x[0].is == SCORE ? x[0] : any;
    case WEFT_OP_negate: return is_zero(x[0]) || x[0].is == SCORE ? x[0] : any;
    case WEFT_OP_convert: return converted(op, x[0]);
    case WEFT_OP_compare: return compared(op, x[0], x[1]);
    case WEFT_OP_and:
    case WEFT_OP_or: return both(op, x[0], x[1]);
    case WEFT_OP_not:
        return op->results[0].type->dtype == WEFT_I1 && x[0].is == BOUNDS ? bounds(1 - x[0].high, 1 - x[0].low) : any;
    case WEFT_OP_select:
        if (x[0].is == BOUNDS && x[0].low == 1) return x[1];
        return is_zero(x[0]) ? x[2] : either(x[1], x[2]);
    default: return any;
    }
}

/* ---- ops that move elements ---- */

static part whole(const weft_value *v) {
    part p = { 0 };
    for (uint32_t d = 0; d < v->type->rank; d++) p.d[d] = (lt_range){ 0, v->type->dims[d] };
    return p;
}

/* Elements of operand i of op, of the nest, that belong to the tile; of v, that the nest makes. */
static part tile_of(const looker *k, const weft_op *op, uint32_t i) {
    part p = whole(op->operands[i]);
    for (uint32_t d = 0; d < op->operands[i]->type->rank; d++) {
        const int64_t axis = lt_operand_axis(k->t, k->nest, op, i, d);
        if (axis == k->nest->rows) p.d[d] = k->rows;
        if (axis == k->nest->columns) p.d[d] = k->columns;
    }
    return p;
}

static part tile_of_result(const looker *k, const weft_value *v) {
    part p = whole(v);
    for (uint32_t d = 0; d < v->type->rank; d++) {
        const int64_t axis = lt_result_axis(k->t, k->nest, v, d);
        if (axis == k->nest->rows) p.d[d] = k->rows;
        if (axis == k->nest->columns) p.d[d] = k->columns;
    }
    return p;
}

static fact constant(const weft_op *op) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_value);
    const weft_dtype t = op->results[0].type->dtype;
    if (!a || a->kind != WEFT_ATTR_DENSE || !a->dense.splat || weft_dtype_is_complex(t)) return any;
    const double v = weft_dtype_load(t, a->dense.p);
    return bounds(v, v);
}

static fact moved(looker *k, const weft_op *op, const part *p) {
    const weft_value *x = op->operands[0];
    const weft_type *from = x->type, *to = op->results[0].type;
    part q = whole(x);
    if (op->kind == WEFT_OP_transpose) {
        const weft_ints order = weft_op_ints(op, WEFT_A_permutation);
        for (uint32_t d = 0; d < order.n; d++) q.d[order.v[d]] = p->d[d];
    } else if (op->kind == WEFT_OP_broadcast_in_dim) {
        const weft_ints at = weft_op_ints(op, WEFT_A_broadcast_dimensions);
        for (uint32_t d = 0; d < at.n; d++)
            if (from->dims[d] == to->dims[at.v[d]]) q.d[d] = p->d[at.v[d]];
    } else {
        if (!lt_fits(op)) return any;
        for (uint32_t d = 0, at = 0; d < from->rank; d++) {
            if (from->dims[d] == 1) continue;
            while (to->dims[at] == 1) at++;
            q.d[d] = p->d[at++];
        }
    }
    return look(k, x, &q);
}

static void is_columns(void *user, uint32_t axis) {
    looker *k = user;
    if (axis == k->nest->columns) k->left = -1;
}

static bool reduces_columns(const looker *k, const weft_op *op) {
    looker probe = *k;
    probe.left = 0;
    lt_each_reduced(k->t, k->nest, op, is_columns, &probe);
    return probe.left < 0;
}

/* A product or sum that goes along other axes than columns is zero where its terms are. */
static fact reduced(looker *k, const weft_op *op) {
    const bool dot = op->kind == WEFT_OP_dot_general;
    const fact f = dot ? (fact){ .is = SCORE } : any;
    if (k->t->holder[op->id] != k->nest->id || reduces_columns(k, op) || (!dot && !lt_adds_up(op))) return f;
    for (uint32_t i = 0; i < (dot ? 2 : 1); i++) {
        const part p = tile_of(k, op, i);
        if (is_zero(look(k, op->operands[i], &p))) return zero;
    }
    return f;
}

/* Notes that a mask makes op's result low; where there are too many, nothing is known any more. */
static fact mask(looker *k, const weft_op *op, fact f) {
    const weft_value *to = &op->results[0];
    if (!is_low(f) || (op->kind != WEFT_OP_select && op->kind != WEFT_OP_add) || !lt_makes(k->t, k->nest, to)) return f;
    for (uint32_t i = 0; i < k->masked_count; i++)
        if (k->masked[i] == to) return f;
    if (k->masked_count == MOST_MASKED) return any;
    k->masked[k->masked_count++] = to;
    return f;
}

static fact look(looker *k, const weft_value *v, const part *p) {
    const weft_op *op = v->def;
    if (!op || k->left-- <= 0 || v->type->rank > MOST_RANK || !lg_is_plain(v->type)) return any;
    fact x[LT_MOST_OPERANDS];
    switch ((weft_op_kind)op->kind) {
    case WEFT_OP_constant: return constant(op);
    case WEFT_OP_iota: {
        const lt_range r = p->d[weft_op_int(op, WEFT_A_iota_dimension, 0)];
        return within(op, (double)r.from, (double)r.to - 1);
    }
    case WEFT_OP_transpose:
    case WEFT_OP_reshape:
    case WEFT_OP_broadcast_in_dim:
        return op->operands[0]->type->rank > MOST_RANK ? any : moved(k, op, p);
    case WEFT_OP_dot_general:
    case WEFT_OP_reduce: return reduced(k, op);
    default: break;
    }
    if (!lt_fits(op) || op->operand_count > LT_MOST_OPERANDS) return any;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const part one = whole(op->operands[i]);
        x[i] = look(k, op->operands[i], op->operands[i]->type->rank ? p : &one);
    }
    return mask(k, op, pointwise(op, x));
}

/* ---- the question ---- */

/* Whether each row of a value that is masked elsewhere has a score, or a number, in the columns that are kept. */
static bool has_scores(const looker *of, const weft_value *v, lt_range kept) {
    for (int64_t r = of->rows.from; r < of->rows.to; r++) {
        const int64_t c = r >= kept.from && r < kept.to ? r : kept.from;
        looker k = { .t = of->t, .nest = of->nest, .rows = { r, r + 1 }, .columns = { c, c + 1 }, .left = MOST_VISITS };
        const part p = tile_of_result(&k, v);
        const fact f = look(&k, v, &p);
        if (f.is != SCORE && !is_moderate(f)) return false;
    }
    return true;
}

static fact look_at(looker *k, const weft_op *op, uint32_t i) {
    const part p = tile_of(k, op, i);
    k->left = MOST_VISITS;
    return look(k, op->operands[i], &p);
}

/* Whether op, which reduces along columns, is the same without these. */
static bool spares(looker *k, const weft_op *op) {
    if (op->kind == WEFT_OP_dot_general) return is_zero(look_at(k, op, 0)) || is_zero(look_at(k, op, 1));
    const fact f = look_at(k, op, 0);
    return lt_adds_up(op) ? is_zero(f) : weft_reducer_kind(op, 0) == WEFT_OP_maximum && is_low(f);
}

/* Whether what nest gives to others is zero in these columns. */
static bool is_zero_there(looker *k, const weft_value *v) {
    const part p = tile_of_result(k, v);
    bool has = false;
    for (uint32_t d = 0; d < v->type->rank; d++) has = has || lt_result_axis(k->t, k->nest, v, d) == k->nest->columns;
    k->left = MOST_VISITS;
    return !has || is_zero(look(k, v, &p));
}

bool lt_is_empty(lt_tiler *t, lt_nest *nest, lt_range rows, lt_range columns, lt_range kept) {
    looker k = { .t = t, .nest = nest, .rows = rows, .columns = columns };
    for (uint32_t i = 0; i < nest->out_count; i++)
        if (!is_zero_there(&k, nest->out[i])) return false;
    for (uint32_t i = 0; i < nest->op_count; i++)
        if (reduces_columns(&k, nest->ops[i]) && !spares(&k, nest->ops[i])) return false;
    for (uint32_t i = 0; i < k.masked_count; i++)
        if (!has_scores(&k, k.masked[i], kept)) return false;
    return true;
}
