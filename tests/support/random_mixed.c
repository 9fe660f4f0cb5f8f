/* random_mixed.c: steps with narrow types, loops, branches and partial sums that meet: added by WEFT_RANDOM_MIXED.
 *
 * Integers wrap round, so that sums and products of them are exact in any order: results of two correct runs are equal
 * bit by bit. Numbers of narrow float types come from exact ones only and are never summed.
 */
#include "tests/support/random_internal.h"

static uint32_t below(gen *g, uint32_t n) { return weft_rng_below(&g->rng, n); }
static bool chance(gen *g, double p) { return weft_rng_chance(&g->rng, p); }

static const weft_dtype integers[] = { WEFT_I8, WEFT_UI8, WEFT_I16, WEFT_UI16, WEFT_I32, WEFT_UI32, WEFT_I64 };
static const weft_dtype floats[] = { WEFT_BF16, WEFT_F16, WEFT_F8E4M3FN, WEFT_F8E5M2 };

weft_dtype random_narrow(gen *g) {
    const uint32_t i = below(g, WEFT_COUNT(integers) + WEFT_COUNT(floats));
    return i < WEFT_COUNT(integers) ? integers[i] : floats[i - WEFT_COUNT(integers)];
}

bool sums_are_exact(weft_dtype t) { return t == WEFT_F32 || !weft_dtype_is_float(t); }

static item convert(gen *g, item x, weft_dtype to) {
    if (!x.v || x.v->type->dtype == to) return x;
    return build(g, WEFT_OP_convert, tensor(g, to, x.v->type->rank, x.v->type->dims), &x, 1, NULL, 0);
}

/* x * times + plus in x's own type, which wraps round. */
static item spread(gen *g, item x, double times, double plus) {
    if (!x.v) return x;
    x = binary(g, WEFT_OP_multiply, x, splat(g, x.v->type, times), 1e9);
    return binary(g, WEFT_OP_add, x, splat(g, x.v->type, plus), 1e9);
}

/* Numbers over the whole range of a narrow type, from small ones: below zero, past every dimension, at the ends of the
 * type. */
item random_index(gen *g, item small) {
    static const weft_dtype of[] = { WEFT_I8, WEFT_UI8, WEFT_I16, WEFT_I64, WEFT_UI32 };
    if (!small.v || chance(g, 0.4)) return small;
    if (chance(g, 0.6)) small = spread(g, small, chance(g, 0.5) ? 37 : 1, (double)weft_rng_range(&g->rng, -130, 5));
    return convert(g, small, of[below(g, WEFT_COUNT(of))]);
}

static item exact_float(gen *g) {
    for (uint32_t i = 0; i < g->item_count; i++) {
        const item x = g->items[(i + g->rng.state) % g->item_count];
        if (x.exact && x.bound <= 16 && x.v->type->dtype == WEFT_F32) return x;
    }
    int64_t dims[WEFT_MAX_RANK];
    const uint32_t rank = random_shape(g, dims, 3);
    return splat(g, tensor(g, WEFT_F32, rank, dims), 0.375);
}

/* There, some arithmetic, and back. Of floats only what was rounded once: each op rounds to its type, so bits are equal
 * everywhere. */
void take_narrow(gen *g) {
    static const weft_op_kind whole[] = { WEFT_OP_add, WEFT_OP_subtract, WEFT_OP_multiply, WEFT_OP_maximum,
                                          WEFT_OP_minimum, WEFT_OP_and, WEFT_OP_or, WEFT_OP_xor, WEFT_OP_shift_left,
                                          WEFT_OP_shift_right_logical, WEFT_OP_shift_right_arithmetic };
    static const weft_op_kind real[] = { WEFT_OP_add, WEFT_OP_subtract, WEFT_OP_multiply, WEFT_OP_maximum,
                                         WEFT_OP_minimum };
    const weft_dtype t = random_narrow(g);
    const bool is_real = weft_dtype_is_float(t);
    const item wide =
        is_real ? exact_float(g) : spread(g, pick(g, WEFT_I32), 53, (double)weft_rng_range(&g->rng, -300, 300));
    item x = convert(g, wide, t);
    if (!x.v) return;
    item y = chance(g, 0.5) ? x : make(g, t, x.v->type->rank, x.v->type->dims);
    if (is_real && !y.exact) y = x;
    item r = binary(g, is_real ? real[below(g, WEFT_COUNT(real))] : whole[below(g, WEFT_COUNT(whole))], x, y,
                    is_real ? 8 : 1e9);
    r.exact = true;
    if (!is_real || (x.bound <= 2 && y.bound <= 2)) keep(g, r);
    item back = convert(g, chance(g, 0.5) ? r : x, is_real ? WEFT_F32 : WEFT_I32);
    back.exact = true;
    if (!is_real || (x.bound <= 2 && y.bound <= 2)) keep(g, back);
}

/* ---- reductions ---- */

/* a kind b, or a kind b kind by: of several ops, and as associative where the kind is. The initial value of a reducer
 * of one op is any, and counts once. Of what a longer one is neutral to nothing is known to the partitioner, so each
 * device begins with the initial value; StableHLO asks for a monoid, and it has to be the neutral one, or one that
 * counts as often as it likes. */
typedef struct reducer { weft_op_kind kind; bool longer; double by; } reducer;

static double initial(gen *g, reducer r, weft_dtype t) {
    /* which wraps round */
    const double below_0 = weft_dtype_of(t)->kind == WEFT_KIND_UINT && r.by
                               ? (double)((uint64_t)1 << 8 * weft_dtype_bytes(t)) - r.by
                               : -r.by;
    if (!r.longer) return below(g, 5);
    return r.kind == WEFT_OP_add        ? below_0
           : r.kind == WEFT_OP_xor      ? r.by
           : r.kind == WEFT_OP_multiply ? 1
                                        : below(g, 5);
}

static reducer some_reducer(gen *g, weft_dtype t) {
    static const weft_op_kind whole[] = { WEFT_OP_add, WEFT_OP_multiply, WEFT_OP_maximum, WEFT_OP_minimum,
                                          WEFT_OP_and, WEFT_OP_or,       WEFT_OP_xor };
    if (weft_dtype_is_float(t)) return (reducer){ chance(g, 0.5) ? WEFT_OP_maximum : WEFT_OP_minimum, false, 0 };
    const weft_op_kind kind = whole[below(g, WEFT_COUNT(whole))];
    const bool longer = chance(g, 0.3);
    const double by = below(g, 4);
    return (reducer){ kind, longer, kind == WEFT_OP_multiply ? 1 : by };
}

static void fill_body(gen *g, weft_op *op, reducer how, const weft_type *scalar) {
    weft_block *before = g->b.block, *body = op ? weft_build_block(&g->b, &op->regions[0]) : NULL;
    if (!body) return;
    weft_value *x = weft_build_block_arg(&g->b, body, scalar, place(g, 11)),
               *y = weft_build_block_arg(&g->b, body, scalar, place(g, 13));
    g->b.block = body;
    weft_value *r = weft_build_binary(&g->b, how.kind, x, y);
    if (how.longer) r = weft_build_binary(&g->b, how.kind, r, weft_build_splat(&g->b, scalar, how.by));
    weft_build_op(&g->b, &(weft_op_spec){ .kind = WEFT_OP_return, .operands = &r, .operand_count = 1 });
    g->b.block = before;
}

static item reduce(gen *g, item x, item init, reducer how, const int64_t *away, uint32_t n) {
    int64_t dims[WEFT_MAX_RANK];
    uint32_t rank = 0;
    const weft_type *t = x.v->type;
    for (uint32_t i = 0, k = 0; i < t->rank; i++) {
        if (k < n && away[k] == i) k++;
        else dims[rank++] = t->dims[i];
    }
    const weft_type *type = tensor(g, t->dtype, rank, dims), *scalar = tensor(g, t->dtype, 0, NULL);
    weft_value *operands[] = { x.v, init.v };
    weft_named_attr attr = { weft_name_from(g->cx, weft_attr_names[WEFT_A_dimensions]), ints(g, away, n) };
    if (!type || !scalar || !attr.name) {
        g->b.status = WEFT_ERR_MEMORY;
        return (item){ 0 };
    }
    g->b.loc = place(g, 5);
    weft_op *op = weft_build_op(&g->b, &(weft_op_spec){ .kind = WEFT_OP_reduce, .operands = operands,
                                                        .operand_count = 2, .types = &type, .result_count = 1,
                                                        .attrs = &attr, .attr_count = 1, .region_count = 1 });
    fill_body(g, op, how, scalar);
    return (item){ op ? &op->results[0] : NULL, 1e9, !weft_dtype_is_float(t->dtype) || x.exact };
}

/* Any initial value: it counts once. */
void take_mixed_reduce(gen *g) {
    const weft_dtype t = chance(g, 0.2) ? WEFT_I1 : random_narrow(g);
    item x = pick(g, t);
    int64_t away[WEFT_MAX_RANK];
    uint32_t n = 0;
    if (!x.v || !x.v->type->rank || weft_type_elems(x.v->type) == 0) return;
    for (uint32_t i = 0; i < x.v->type->rank; i++)
        if (chance(g, 0.6)) away[n++] = i;
    reducer how = some_reducer(g, t);
    const item init = splat(g, tensor(g, t, 0, NULL),
                            t == WEFT_I1             ? below(g, 2)
                            : weft_dtype_is_float(t) ? 0.25
                                                     : initial(g, how, t));
    if (t == WEFT_I1)
        how = (reducer){ chance(g, 0.5) ? WEFT_OP_and : chance(g, 0.5) ? WEFT_OP_or : WEFT_OP_xor, false, 0 };
    const double bound = x.bound;
    x = reduce(g, x, init, how, away, n);
    if (weft_dtype_is_float(t)) x.bound = bound;
    keep(g, x);
}

/* ---- partial sums that meet ---- */

static item product(gen *g, item x, item y) {
    const int64_t one = 1, zero = 0, dims[] = { x.v ? x.v->type->dims[0] : 1, y.v ? y.v->type->dims[1] : 1 };
    const weft_attr *dot =
        weft_attr_copy(g->cx, &(weft_attr){ .kind = WEFT_ATTR_DOT,
                                            .dot = { { NULL, 0 }, { NULL, 0 }, { &one, 1 }, { &zero, 1 } } });
    item in[] = { x, y };
    const weft_dtype t = x.v && weft_dtype_is_float(x.v->type->dtype) ? WEFT_F32 : WEFT_I32;
    return build(g, WEFT_OP_dot_general, tensor(g, t, 2, dims), in, 2,
                 &(weft_attr_pair){ WEFT_A_dot_dimension_numbers, dot }, 1);
}

static item matrix(gen *g, weft_dtype t, int64_t rows, int64_t columns) {
    const int64_t dims[] = { rows, columns };
    return make(g, t, 2, dims);
}

void take_meet(gen *g) {
    static const weft_op_kind kinds[] = { WEFT_OP_multiply, WEFT_OP_multiply, WEFT_OP_add,
                                          WEFT_OP_subtract, WEFT_OP_maximum,  WEFT_OP_xor };
    static const int64_t sizes[] = { 2, 4, 6, 8, 16 };
    const int64_t m = sizes[below(g, 5)], n = sizes[below(g, 5)], k = sizes[below(g, 5)];
    const weft_dtype t = chance(g, 0.3) ? WEFT_I8 : WEFT_I32;
    const item a = matrix(g, t, m, k), b = matrix(g, t, k, n), c = chance(g, 0.5) ? a : matrix(g, t, m, k);
    item x = product(g, a, b), y = product(g, c, chance(g, 0.5) ? b : matrix(g, t, k, n));
    if (chance(g, 0.3)) x = binary(g, WEFT_OP_add, x, matrix(g, WEFT_I32, m, n), 1e9);
    keep(g, binary(g, kinds[below(g, WEFT_COUNT(kinds))], x, y, 1e9));
}

/* ---- loops and branches ---- */

static item broadcast_back(gen *g, item x, const weft_type *t, const int64_t *away, uint32_t n) {
    int64_t map[WEFT_MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t i = 0, k = 0; i < t->rank; i++) {
        if (k < n && away[k] == i) k++;
        else map[rank++] = i;
    }
    return build(g, WEFT_OP_broadcast_in_dim, t, &x, 1,
                 &(weft_attr_pair){ WEFT_A_broadcast_dimensions, ints(g, map, rank) }, 1);
}

/* Some function of x, with another value of its type, that may need collectives. Keeps nothing: it may stand in a
 * region. */
static item some_function(gen *g, item x, item other) {
    const weft_type *t = x.v->type;
    const int64_t dim = below(g, t->rank);
    const reducer how = some_reducer(g, t->dtype);
    const item start = splat(g, tensor(g, t->dtype, 0, NULL), initial(g, how, t->dtype)),
               zero = splat(g, tensor(g, t->dtype, 0, NULL), below(g, 3));
    switch (below(g, 5)) {
    case 0: return binary(g, WEFT_OP_add, spread(g, x, 3, 1), other, 1e9);
    case 1:
        return binary(g, WEFT_OP_xor,
                      build(g, WEFT_OP_reverse, t, &x, 1, &(weft_attr_pair){ WEFT_A_dimensions, ints(g, &dim, 1) }, 1),
                      other, 1e9);
    case 2: return binary(g, WEFT_OP_add, broadcast_back(g, reduce(g, x, start, how, &dim, 1), t, &dim, 1), other, 1e9);
    case 3:
        return binary(g, WEFT_OP_maximum, x,
                      broadcast_back(g, reduce(g, other, zero, (reducer){ WEFT_OP_add, false, 0 }, &dim, 1), t, &dim,
                                     1),
                      1e9);
    default:
        if (t->rank != 2 || t->dims[0] != t->dims[1]) return binary(g, WEFT_OP_subtract, other, x, 1e9);
        return binary(g, WEFT_OP_add, product(g, x, other), x, 1e9);
    }
}

static item square_or_any(gen *g) {
    const int64_t n = chance(g, 0.5) ? 4 : 8;
    return chance(g, 0.5) ? matrix(g, WEFT_I32, n, n) : pick(g, WEFT_I32);
}

static void end_region(gen *g, weft_value **v, uint32_t n) {
    weft_build_op(&g->b, &(weft_op_spec){ .kind = WEFT_OP_return, .operands = v, .operand_count = n });
}

/* The next value of x in a loop; counter is the loop's, outside a value from outside of it. */
typedef item turn(gen *g, item x, item counter, item outside);

static item whole_turn(gen *g, item x, item counter, item outside) {
    const item n = convert(g, counter, WEFT_I32);
    const item seen = build(g, WEFT_OP_broadcast_in_dim, x.v->type, &n, 1,
                            &(weft_attr_pair){ WEFT_A_broadcast_dimensions, ints(g, NULL, 0) }, 1);
    return binary(g, WEFT_OP_add, some_function(g, x, outside), seen, 1e9);
}

/* Turns from one to five by a counter that starts anywhere in a narrow type, may wrap round, and ends at a number that
 * it meets (NE), or below a limit (LT). bound holds in every turn. */
static void loop(gen *g, item x, item other, turn *next, double bound, bool exact) {
    static const weft_dtype counters[] = { WEFT_I8, WEFT_UI8, WEFT_I16, WEFT_I32, WEFT_UI32 };
    const weft_dtype ct = counters[below(g, WEFT_COUNT(counters))];
    const weft_type *t = x.v->type, *c = tensor(g, ct, 0, NULL), *types[] = { c, t };
    const bool meets = chance(g, 0.5), is_signed = weft_dtype_of(ct)->kind == WEFT_KIND_INT;
    const int64_t step = 1 + 2 * below(g, meets ? 40 : 3), turns = 1 + below(g, 5),
                  start = meets ? weft_rng_range(&g->rng, is_signed ? -128 : 0, is_signed ? 127 : 255)
                                : (int64_t)below(g, 20);
    const int bits = (int)(8 * weft_dtype_bytes(ct));
    int64_t limit = start + turns * step;
    if (bits < 32)
        limit = is_signed ? ((limit + (1 << (bits - 1))) & ((1 << bits) - 1)) - (1 << (bits - 1))
                          : limit & ((1 << bits) - 1);
    weft_value *first = weft_build_integer(&g->b, c, start), *operands[] = { first, x.v };
    g->b.loc = place(g, 5);
    weft_op *op = weft_build_op(&g->b, &(weft_op_spec){ .kind = WEFT_OP_while, .operands = operands, .operand_count = 2,
                                                        .types = types, .result_count = 2, .region_count = 2 });
    weft_block *before = g->b.block;
    for (int r = 0; op && g->b.status == WEFT_OK && r < 2; r++) {
        weft_block *body = weft_build_block(&g->b, &op->regions[r]);
        weft_value *i = weft_build_block_arg(&g->b, body, c, place(g, 11)),
                   *v = weft_build_block_arg(&g->b, body, t, place(g, 13));
        g->b.block = body;
        if (r == 0) {
            const item in[] = { { i, 0, true }, { weft_build_integer(&g->b, c, limit), 0, true } };
            const weft_attr_pair attrs[] = {
                { WEFT_A_comparison_direction,
                  weft_attr_enum(g->cx, meets ? WEFT_comparison_direction_NE : WEFT_comparison_direction_LT) },
                { WEFT_A_compare_type,
                  weft_attr_enum(g->cx, is_signed ? WEFT_comparison_type_SIGNED : WEFT_comparison_type_UNSIGNED) }
            };
            weft_value *p = build(g, WEFT_OP_compare, tensor(g, WEFT_I1, 0, NULL), in, 2, attrs, 2).v;
            end_region(g, &p, 1);
        } else {
            const item made = next(g, (item){ v, bound, exact }, (item){ i, 1, true }, other);
            weft_value *out[] = { weft_build_binary(&g->b, WEFT_OP_add, i, weft_build_integer(&g->b, c, step)),
                                  made.v };
            end_region(g, out, 2);
        }
        g->b.block = before;
    }
    if (op && g->b.status == WEFT_OK) keep(g, (item){ &op->results[1], bound, exact });
}

void take_loop(gen *g) {
    const item x = square_or_any(g);
    if (!x.v || !x.v->type->rank || weft_type_elems(x.v->type) == 0) return;
    loop(g, x, make(g, WEFT_I32, x.v->type->rank, x.v->type->dims), whole_turn, 1e9, true);
}

static item whole_branch(gen *g, item x, item counter, item outside) {
    (void)counter;
    return some_function(g, x, outside);
}

/* One of up to three results of next, which gets no counter, by an index inside and outside. */
static void branch(gen *g, item x, item other, turn *next, double bound, bool exact) {
    const weft_type *t = x.v->type;
    const item index = make(g, WEFT_I32, 0, NULL);
    weft_value *i = chance(g, 0.5) ? index.v : spread(g, index, 1, (double)weft_rng_range(&g->rng, -3, 1)).v;
    const uint32_t n = 1 + below(g, 3);
    g->b.loc = place(g, 5);
    weft_op *op = weft_build_op(&g->b, &(weft_op_spec){ .kind = WEFT_OP_case, .operands = &i, .operand_count = 1,
                                                        .types = &t, .result_count = 1, .region_count = n });
    weft_block *before = g->b.block;
    for (uint32_t r = 0; op && g->b.status == WEFT_OK && r < n; r++) {
        g->b.block = weft_build_block(&g->b, &op->regions[r]);
        weft_value *v = next(g, x, (item){ 0 }, other).v;
        end_region(g, &v, 1);
        g->b.block = before;
    }
    if (op && g->b.status == WEFT_OK) keep(g, (item){ &op->results[0], bound, exact });
}

void take_branch(gen *g) {
    const item x = square_or_any(g);
    if (!x.v || !x.v->type->rank || weft_type_elems(x.v->type) == 0) return;
    branch(g, x, make(g, WEFT_I32, x.v->type->rank, x.v->type->dims), whole_branch, 1e9, true);
}

/* ---- values from outside ---- */

/* An n x n value that is a view of another, computed or not: what a product in a region reads through strides. */
static item view(gen *g, int64_t n) {
    const int64_t all = n * n, square[] = { n, n }, swap[] = { 1, 0 }, one[] = { 1, 1 },
                  from[] = { 0, below(g, (uint32_t)n) }, to[] = { n, from[1] + n }, down[] = { below(g, 2) };
    const weft_type *t = tensor(g, WEFT_F32, 2, square);
    const uint32_t kind = below(g, 4);
    item x = tame(g, kind == 1   ? make(g, WEFT_F32, 1, &all)
                     : kind == 2 ? matrix(g, WEFT_F32, n, 2 * n)
                     : kind == 3 ? make(g, WEFT_F32, 1, &n)
                                 : matrix(g, WEFT_F32, n, n));
    if (!x.v) return x;
    if (chance(g, 0.5)) x = unary(g, WEFT_OP_negate, x, x.bound);
    const double bound = x.bound;
    switch (kind) {
    case 0:
        x = build(g, WEFT_OP_transpose, t, &x, 1, &(weft_attr_pair){ WEFT_A_permutation, ints(g, swap, 2) }, 1);
        break;
    case 1: x = build(g, WEFT_OP_reshape, t, &x, 1, NULL, 0); break;
    case 2: {
        const weft_attr_pair attrs[] = { { WEFT_A_start_indices, ints(g, from, 2) },
                                         { WEFT_A_limit_indices, ints(g, to, 2) },
                                         { WEFT_A_strides, ints(g, one, 2) } };
        x = build(g, WEFT_OP_slice, t, &x, 1, attrs, 3);
        break;
    }
    default:
        x = build(g, WEFT_OP_broadcast_in_dim, t, &x, 1,
                  &(weft_attr_pair){ WEFT_A_broadcast_dimensions, ints(g, down, 1) }, 1);
    }
    x.bound = bound;
    return x;
}

/* A product with outside, or a step towards it: |x| does not grow. */
static item real_turn(gen *g, item x, item counter, item outside) {
    (void)counter;
    const weft_type *t = x.v->type;
    const double most = outside.bound > 1 ? outside.bound : 1;
    if (chance(g, 0.2))
        return binary(g, WEFT_OP_multiply, x, unary(g, WEFT_OP_tanh, outside, 1), x.bound);
    const item p = chance(g, 0.5) ? product(g, x, outside) : product(g, outside, x);
    return binary(g, WEFT_OP_multiply, p, splat(g, t, 1 / ((double)t->dims[0] * most)), x.bound);
}

/* A region that multiplies by a view of a value outside of it; large enough for a library. */
void take_outside(gen *g) {
    const int64_t n = chance(g, 0.5) ? 24 : 32;
    const item x = tame(g, matrix(g, WEFT_F32, n, n)), other = view(g, n);
    if (!x.v || !other.v) return;
    (chance(g, 0.7) ? loop : branch)(g, x, other, real_turn, x.bound, false);
}

/* Two or three values of one shape that are to lie alike. */
void take_group(gen *g) {
    const item x = pick(g, WEFT_F32);
    if (!x.v) return;
    const int64_t id = g->groups++;
    for (uint32_t i = 0, n = 2 + below(g, 2); i < n; i++) {
        weft_value *v = i ? make(g, WEFT_F32, x.v->type->rank, x.v->type->dims).v : x.v;
        weft_named_attr attr = { weft_name_from(g->cx, weft_attr_names[WEFT_A_group_id]), weft_attr_i64(g->cx, id) };
        if (!attr.name) g->b.status = WEFT_ERR_MEMORY;
        g->b.loc = place(g, 5);
        if (v)
            weft_build_op(&g->b, &(weft_op_spec){ .kind = WEFT_OP_sdy_sharding_group, .operands = &v,
                                                  .operand_count = 1, .attrs = &attr, .attr_count = 1 });
    }
}

/* A half of x outside, and in a named computation, whose region may use neither the half nor the constant. */
void take_named(gen *g) {
    const item x = tame(g, pick(g, WEFT_F32));
    if (!x.v) return;
    const weft_type *t = x.v->type;
    keep(g, binary(g, WEFT_OP_multiply, x, splat(g, t, 0.5), x.bound));
    weft_named_attr attr = { weft_name_from(g->cx, weft_attr_names[WEFT_A_name]),
                             weft_attr_string(g->cx, WEFT_STR("half")) };
    if (!attr.name) g->b.status = WEFT_ERR_MEMORY;
    g->b.loc = place(g, 5);
    weft_value *in = x.v;
    weft_op *op = weft_build_op(&g->b, &(weft_op_spec){ .kind = WEFT_OP_sdy_named_computation, .operands = &in,
                                                        .operand_count = 1, .types = &t, .result_count = 1,
                                                        .attrs = &attr, .attr_count = 1, .region_count = 1 });
    if (!op || g->b.status != WEFT_OK) return;
    weft_block *before = g->b.block;
    g->b.block = weft_build_block(&g->b, &op->regions[0]);
    const item arg = { weft_build_block_arg(&g->b, g->b.block, t, place(g, 11)), x.bound, false };
    weft_value *half = binary(g, WEFT_OP_multiply, arg, splat(g, t, 0.5), x.bound).v;
    weft_build_op(&g->b, &(weft_op_spec){ .kind = WEFT_OP_sdy_return, .operands = &half, .operand_count = 1 });
    g->b.block = before;
    if (g->b.status == WEFT_OK) keep(g, (item){ &op->results[0], x.bound, false });
}
