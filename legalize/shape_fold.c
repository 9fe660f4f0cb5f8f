/* shape_fold.c: see shape_fold.h. */
#include "legalize/shape_fold.h"

typedef struct folder {
    weft_arena *arena;
    const weft_op *op;
    const lg_known *const *in;
    const weft_type *const *types;
    lg_known *out;
    int64_t *v;             /* room for the result */
} folder;

/* The low bits of x, as a value of its type. */
static int64_t wrapped(weft_dtype t, int64_t x) {
    const weft_dtype_info *info = weft_dtype_of(t);
    if (info->kind == WEFT_KIND_BOOL) return x != 0;
    if (info->bits == 64) return x;
    const uint64_t mask = ((uint64_t)1 << info->bits) - 1, low = (uint64_t)x & mask;
    return info->kind == WEFT_KIND_INT && low >> (info->bits - 1) ? (int64_t)(low | ~mask) : (int64_t)low;
}

static weft_status room(folder *f, weft_dtype t, uint32_t rank, const int64_t *dims) {
    int64_t n = 1;
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] == WEFT_DYNAMIC || dims[i] > LG_KNOWN_MOST) return WEFT_OK;
        n *= dims[i];
        if (n > LG_KNOWN_MOST) return WEFT_OK;
    }
    int64_t *copy = weft_arena_dup(f->arena, dims, rank * sizeof *dims, _Alignof(int64_t));
    f->v = weft_arena_array(f->arena, int64_t, n);
    if (!f->v || !copy) return weft_oom();
    *f->out = (lg_known){ t, rank, copy, NULL, n };
    return WEFT_OK;
}

static weft_status done(folder *f) {
    for (int64_t i = 0; i < f->out->n; i++) f->v[i] = wrapped(f->out->dtype, f->v[i]);
    f->out->v = f->v;
    return WEFT_OK;
}

static bool foldable(weft_dtype t) {
    const weft_dtype_kind k = weft_dtype_of(t)->kind;
    return k == WEFT_KIND_BOOL || k == WEFT_KIND_INT || k == WEFT_KIND_UINT;
}

weft_status lg_known_constant(weft_arena *arena, const weft_attr *dense, lg_known *out) {
    *out = (lg_known){ 0 };
    if (!dense || dense->kind != WEFT_ATTR_DENSE || !weft_type_is_static(dense->type) || !foldable(dense->type->dtype))
        return WEFT_OK;
    folder f = { .arena = arena, .out = out };
    weft_status st = room(&f, dense->type->dtype, dense->type->rank, dense->type->dims);
    if (st != WEFT_OK || !f.v) return st;
    for (int64_t i = 0; i < out->n; i++) f.v[i] = weft_dense_int(dense, i);
    return done(&f);
}

/* ---- element by element: false when there is no such number ---- */

typedef bool (*element_fn)(weft_dtype t, const int64_t *a, int64_t *out);

static int64_t pick(bool less, int64_t a, int64_t b) { return less ? a : b; }
static bool is_unsigned(weft_dtype t) { return weft_dtype_of(t)->kind != WEFT_KIND_INT; }
static bool below(weft_dtype t, int64_t a, int64_t b) { return is_unsigned(t) ? (uint64_t)a < (uint64_t)b : a < b; }

#define ELEMENT(name, value) \
    static bool name(weft_dtype t, const int64_t *a, int64_t *out) { \
        (void)t; \
        *out = (value); \
        return true; \
    }
ELEMENT(of_add, (int64_t)((uint64_t)a[0] + (uint64_t)a[1]))
ELEMENT(of_subtract, (int64_t)((uint64_t)a[0] - (uint64_t)a[1]))
ELEMENT(of_multiply, (int64_t)((uint64_t)a[0] * (uint64_t)a[1]))
ELEMENT(of_maximum, pick(below(t, a[0], a[1]), a[1], a[0]))
ELEMENT(of_minimum, pick(below(t, a[0], a[1]), a[0], a[1]))
ELEMENT(of_and, a[0] & a[1])
ELEMENT(of_or, a[0] | a[1])
ELEMENT(of_xor, a[0] ^ a[1])
ELEMENT(of_not, ~a[0])
ELEMENT(of_negate, (int64_t)(0 - (uint64_t)a[0]))
ELEMENT(of_abs, a[0] < 0 && !is_unsigned(t) ? (int64_t)(0 - (uint64_t)a[0]) : a[0])
ELEMENT(of_sign, is_unsigned(t) ? a[0] != 0 : (a[0] > 0) - (a[0] < 0))
ELEMENT(of_select, a[0] ? a[1] : a[2])
ELEMENT(of_clamp, pick(below(t, a[1], a[0]), a[0], pick(below(t, a[2], a[1]), a[2], a[1])))
ELEMENT(of_itself, a[0])

static bool divides(weft_dtype t, const int64_t *a) { return a[1] && !(a[1] == -1 && !is_unsigned(t)); }

static bool of_divide(weft_dtype t, const int64_t *a, int64_t *out) {
    if (!a[1]) return false;
    if (!divides(t, a)) *out = (int64_t)(0 - (uint64_t)a[0]);
    else *out = is_unsigned(t) ? (int64_t)((uint64_t)a[0] / (uint64_t)a[1]) : a[0] / a[1];
    return true;
}

static bool of_remainder(weft_dtype t, const int64_t *a, int64_t *out) {
    if (!a[1]) return false;
    if (!divides(t, a)) *out = 0;
    else *out = is_unsigned(t) ? (int64_t)((uint64_t)a[0] % (uint64_t)a[1]) : a[0] % a[1];
    return true;
}

static bool of_shift_left(weft_dtype t, const int64_t *a, int64_t *out) {
    *out = (uint64_t)a[1] >= weft_dtype_of(t)->bits ? 0 : (int64_t)((uint64_t)a[0] << a[1]);
    return true;
}

static bool of_shift_right(weft_dtype t, const int64_t *a, int64_t *out) {
    const unsigned bits = weft_dtype_of(t)->bits;
    const uint64_t low = bits == 64 ? (uint64_t)a[0] : (uint64_t)a[0] & (((uint64_t)1 << bits) - 1);
    *out = (uint64_t)a[1] >= bits ? 0 : (int64_t)(low >> a[1]);
    return true;
}

static const struct { weft_op_kind kind; element_fn fn; } elements[] = {
    { WEFT_OP_add, of_add }, { WEFT_OP_subtract, of_subtract }, { WEFT_OP_multiply, of_multiply }, { WEFT_OP_divide, of_divide },
    { WEFT_OP_remainder, of_remainder }, { WEFT_OP_maximum, of_maximum }, { WEFT_OP_minimum, of_minimum }, { WEFT_OP_and, of_and },
    { WEFT_OP_or, of_or }, { WEFT_OP_xor, of_xor }, { WEFT_OP_not, of_not }, { WEFT_OP_negate, of_negate }, { WEFT_OP_abs, of_abs },
    { WEFT_OP_sign, of_sign }, { WEFT_OP_select, of_select }, { WEFT_OP_clamp, of_clamp }, { WEFT_OP_convert, of_itself },
    { WEFT_OP_shift_left, of_shift_left }, { WEFT_OP_shift_right_logical, of_shift_right },
};

/* Operands of rank 0 count for every element (select, clamp). */
static weft_status by_element(folder *f, element_fn fn) {
    const weft_type *t = f->op->results[0].type;
    const lg_known *shape = f->in[0];
    for (uint32_t i = 1; i < f->op->operand_count; i++)
        if (f->in[i]->rank > shape->rank) shape = f->in[i];
    weft_status st = room(f, t->dtype, shape->rank, shape->dims);
    if (st != WEFT_OK || !f->v) return st;
    for (int64_t i = 0; i < f->out->n; i++) {
        int64_t a[3] = { 0 };
        for (uint32_t k = 0; k < f->op->operand_count && k < 3; k++) {
            if (f->in[k]->rank && f->in[k]->n != f->out->n) return WEFT_OK; /* another shape: the verifier reports it */
            a[k] = f->in[k]->v[f->in[k]->rank ? i : 0];
        }
        if (!fn(t->dtype, a, &f->v[i])) return WEFT_OK;
    }
    return done(f);
}

/* ---- the others ---- */

static weft_status compared(folder *f) {
    const weft_enum_value d = weft_op_attr(f->op, WEFT_A_comparison_direction)->e;
    const weft_dtype t = f->in[0]->dtype;
    weft_status st = room(f, WEFT_I1, f->in[0]->rank, f->in[0]->dims);
    if (st != WEFT_OK || !f->v || f->in[1]->n != f->in[0]->n) return st;
    for (int64_t i = 0; i < f->out->n; i++) {
        const int64_t a = f->in[0]->v[i], b = f->in[1]->v[i];
        const bool less = below(t, a, b), more = below(t, b, a);
        f->v[i] = d == WEFT_comparison_direction_EQ   ? a == b
                  : d == WEFT_comparison_direction_NE ? a != b
                  : d == WEFT_comparison_direction_LT ? less
                  : d == WEFT_comparison_direction_LE ? !more
                  : d == WEFT_comparison_direction_GT ? more
                                                      : !less;
    }
    return done(f);
}

static weft_status dimension_size(folder *f) {
    const weft_type *t = f->types[0];
    const int64_t d = weft_op_int(f->op, WEFT_A_dimension, 0);
    if (!weft_type_is_tensor(t) || d < 0 || d >= t->rank || t->dims[d] == WEFT_DYNAMIC) return WEFT_OK;
    weft_status st = room(f, WEFT_I32, 0, NULL);
    if (st != WEFT_OK) return st;
    f->v[0] = t->dims[d];
    return done(f);
}

static weft_status moved(folder *f, uint32_t rank, const int64_t *dims) { /* the same elements in another shape */
    weft_status st = room(f, f->in[0]->dtype, rank, dims);
    if (st != WEFT_OK || !f->v || f->out->n != f->in[0]->n) return st;
    if (f->out->n) memcpy(f->v, f->in[0]->v, (size_t)f->out->n * sizeof *f->v);
    return done(f);
}

static weft_status reshaped(folder *f) {
    const weft_type *t = f->op->results[0].type;
    return weft_type_is_static(t) ? moved(f, t->rank, t->dims) : moved(f, 1, &f->in[0]->n);
}

static weft_status broadcast(folder *f) {
    const weft_type *t = f->op->results[0].type;
    if (!weft_type_is_static(t)) return WEFT_OK;
    if (weft_type_elems(t) == f->in[0]->n && (f->in[0]->rank <= 1 || f->in[0]->rank == t->rank))
        return moved(f, t->rank, t->dims);
    if (f->in[0]->n != 1) return WEFT_OK;
    weft_status st = room(f, t->dtype, t->rank, t->dims);
    if (st != WEFT_OK || !f->v) return st;
    for (int64_t i = 0; i < f->out->n; i++) f->v[i] = f->in[0]->v[0];
    return done(f);
}

static weft_status joined(folder *f) {
    const int64_t dim = weft_op_int(f->op, WEFT_A_dimension, 0);
    const lg_known *first = f->in[0];
    int64_t dims[WEFT_MAX_RANK], outer = 1;
    if (dim < 0 || dim >= first->rank) return WEFT_OK;
    memcpy(dims, first->dims, first->rank * sizeof *dims);
    for (uint32_t d = 0; d < dim; d++) outer *= dims[d];
    for (uint32_t i = 1; i < f->op->operand_count; i++) {
        if (f->in[i]->rank != first->rank) return WEFT_OK;
        dims[dim] += f->in[i]->dims[dim];
    }
    weft_status st = room(f, first->dtype, first->rank, dims);
    if (st != WEFT_OK || !f->v || !f->out->n) return st;
    for (int64_t o = 0, at = 0; o < outer; o++)
        for (uint32_t i = 0; i < f->op->operand_count; i++) {
            const int64_t each = f->in[i]->n / outer;
            if (at + each > f->out->n) return WEFT_OK; /* shapes that do not join: the verifier reports them */
            memcpy(f->v + at, f->in[i]->v + o * each, (size_t)each * sizeof *f->v);
            at += each;
        }
    return done(f);
}

static weft_status sliced(folder *f) {
    const weft_ints from = weft_op_ints(f->op, WEFT_A_start_indices), to = weft_op_ints(f->op, WEFT_A_limit_indices),
                    by = weft_op_ints(f->op, WEFT_A_strides);
    if (f->in[0]->rank != 1 || from.n != 1 || by.v[0] < 1) return WEFT_OK;
    const int64_t n = weft_max_i64(0, weft_ceil_div(to.v[0] - from.v[0], by.v[0]));
    weft_status st = room(f, f->in[0]->dtype, 1, &n);
    if (st != WEFT_OK || !f->v || (n && (from.v[0] < 0 || from.v[0] + (n - 1) * by.v[0] >= f->in[0]->n))) return st;
    for (int64_t i = 0; i < n; i++) f->v[i] = f->in[0]->v[from.v[0] + i * by.v[0]];
    return done(f);
}

static weft_status counted(folder *f) { /* iota of a vector */
    const weft_type *t = f->op->results[0].type;
    if (t->rank != 1 || !weft_type_is_static(t)) return WEFT_OK;
    weft_status st = room(f, t->dtype, 1, t->dims);
    if (st != WEFT_OK || !f->v) return st;
    for (int64_t i = 0; i < f->out->n; i++) f->v[i] = i;
    return done(f);
}

static weft_status passed(folder *f) { return moved(f, f->in[0]->rank, f->in[0]->dims); }

/* typed: from types alone */
static const struct { weft_op_kind kind; weft_status (*fn)(folder *f); bool typed; } others[] = {
    { WEFT_OP_compare, compared, false }, { WEFT_OP_get_dimension_size, dimension_size, true }, { WEFT_OP_reshape, reshaped, false },
    { WEFT_OP_dynamic_reshape, reshaped, false }, { WEFT_OP_broadcast_in_dim, broadcast, false }, { WEFT_OP_concatenate, joined, false },
    { WEFT_OP_slice, sliced, false }, { WEFT_OP_iota, counted, true }, { WEFT_OP_optimization_barrier, passed, false },
};

weft_status lg_fold(weft_arena *arena, const weft_op *op, const lg_known *const *in, const weft_type *const *types,
                    lg_known *out) {
    *out = (lg_known){ 0 };
    if (op->kind == WEFT_OP_constant) return lg_known_constant(arena, weft_op_attr(op, WEFT_A_value), out);
    if (op->result_count != 1 || !weft_type_is_tensor(op->results[0].type) || op->results[0].type->quant ||
        !foldable(op->results[0].type->dtype))
        return WEFT_OK;
    folder f = { arena, op, in, types, out, NULL };
    bool known = op->operand_count > 0;
    for (uint32_t i = 0; i < op->operand_count; i++) known = known && in[i]->v;
    for (size_t i = 0; i < WEFT_COUNT(others); i++)
        if (others[i].kind == op->kind) return known || others[i].typed ? others[i].fn(&f) : WEFT_OK;
    for (size_t i = 0; known && i < WEFT_COUNT(elements); i++)
        if (elements[i].kind == op->kind && op->operand_count <= 3) return by_element(&f, elements[i].fn);
    return WEFT_OK;
}
