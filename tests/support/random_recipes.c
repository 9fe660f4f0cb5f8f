/* random_recipes.c: the steps that a random program is made of.
 *
 * A recipe picks a value, makes its other inputs and keeps its result. One that cannot use the picked value does
 * nothing. Adding an op is adding a function and a line of the table at the end.
 */
#include "tests/support/random_internal.h"

static uint32_t below(gen *g, uint32_t n) { return weft_rng_below(&g->rng, n); }
static bool chance(gen *g, double p) { return weft_rng_chance(&g->rng, p); }
weft_dtype some_dtype(gen *g) {
    if (g->opt.flags & WEFT_RANDOM_MIXED && chance(g, 0.4)) return chance(g, 0.1) ? WEFT_I1 : random_narrow(g);
    return chance(g, 0.85) ? WEFT_F32 : WEFT_I32;
}

static item like(gen *g, item x, weft_dtype dtype) {
    return x.v ? make(g, dtype, x.v->type->rank, x.v->type->dims) : x;
}

static int64_t elems(const gen *g, const weft_type *t) { return room_of(g, t->rank, t->dims); }

/* 1 to all elements of a dimension, in its steps. */
static int64_t some_of(gen *g, int64_t d) { return step_of(g, d) * weft_rng_range(&g->rng, 1, steps(g, d)); }

static void copy_dims(const weft_type *t, int64_t *dims) {
    for (uint32_t i = 0; i < t->rank; i++) dims[i] = t->dims[i];
}

/* ---- element by element ---- */

static void take_unary(gen *g) {
    static const struct { weft_op_kind kind; double bound; } of[] = { /* bound 0: the operand's */
        { WEFT_OP_tanh, 1 }, { WEFT_OP_negate, 0 }, { WEFT_OP_abs, 0 }, { WEFT_OP_sine, 1 }, { WEFT_OP_cosine, 1 }, { WEFT_OP_logistic, 1 },
    };
    item x = pick(g, WEFT_F32);
    uint32_t i = below(g, WEFT_COUNT(of));
    keep(g, unary(g, of[i].kind, x, of[i].bound > 0 ? of[i].bound : x.bound));
}

/* Functions with a limited domain, applied to something within it. */
static void take_limited(gen *g) {
    item x = pick(g, WEFT_F32);
    if (!x.v) return;
    item one = splat(g, x.v->type, 1), square = binary(g, WEFT_OP_multiply, tame(g, x), tame(g, x), 0);
    item above_one = binary(g, WEFT_OP_add, square, one, 1e3 + 1);
    switch (below(g, 5)) {
    case 0: keep(g, tame(g, unary(g, WEFT_OP_exponential, unary(g, WEFT_OP_tanh, x, 1), 3))); break;
    case 1: keep(g, unary(g, WEFT_OP_log, above_one, 7)); break;
    case 2: keep(g, unary(g, WEFT_OP_rsqrt, above_one, 1)); break;
    case 3: keep(g, unary(g, WEFT_OP_sqrt, above_one, 32)); break;
    default: keep(g, binary(g, WEFT_OP_divide, like(g, x, WEFT_F32), above_one, 32)); break;
    }
}

static void take_binary(gen *g) {
    item x = tame(g, pick(g, WEFT_F32)), y = tame(g, like(g, x, WEFT_F32));
    double most = x.bound > y.bound ? x.bound : y.bound;
    switch (below(g, 5)) {
    case 0: keep(g, binary(g, WEFT_OP_add, x, y, x.bound + y.bound)); break;
    case 1: keep(g, binary(g, WEFT_OP_subtract, x, y, x.bound + y.bound)); break;
    case 2: keep(g, tame(g, binary(g, WEFT_OP_multiply, x, y, x.bound * y.bound))); break;
    case 3: keep(g, binary(g, WEFT_OP_maximum, x, y, most)); break;
    default: keep(g, binary(g, WEFT_OP_minimum, x, y, most)); break;
    }
}

static void take_integer(gen *g) {
    static const weft_op_kind of[] = { WEFT_OP_add,     WEFT_OP_subtract, WEFT_OP_multiply, WEFT_OP_maximum,
                                       WEFT_OP_minimum, WEFT_OP_and,      WEFT_OP_or,       WEFT_OP_xor };
    item x = pick(g, WEFT_I32);
    keep(g, binary(g, of[below(g, WEFT_COUNT(of))], x, like(g, x, WEFT_I32), 1e9));
}

/* An exact value of this shape: an argument, or a constant. */
static item exact_like(gen *g, item x) {
    for (uint32_t i = 0; x.v && i < g->item_count; i++)
        if (g->items[i].exact && g->items[i].v->type == x.v->type) return g->items[i];
    return x.v ? splat(g, x.v->type, 0.25) : x;
}

static void take_compare(gen *g) {
    static const weft_enum_value directions[] = { WEFT_comparison_direction_EQ, WEFT_comparison_direction_NE,
                                                  WEFT_comparison_direction_GE, WEFT_comparison_direction_GT,
                                                  WEFT_comparison_direction_LE, WEFT_comparison_direction_LT };
    item x = pick(g, some_dtype(g));
    if (!x.v) return;
    if (!x.exact) x = exact_like(g, x);
    item in[] = { x, exact_like(g, x) };
    bool real = weft_dtype_is_float(x.v->type->dtype),
         is_signed = weft_dtype_of(x.v->type->dtype)->kind == WEFT_KIND_INT;
    const weft_attr_pair attrs[] = { { WEFT_A_comparison_direction, weft_attr_enum(g->cx, directions[below(g, 6)]) },
                                     { WEFT_A_compare_type,
                                       weft_attr_enum(g->cx, real        ? WEFT_comparison_type_FLOAT
                                                             : is_signed ? WEFT_comparison_type_SIGNED
                                                                         : WEFT_comparison_type_UNSIGNED) } };
    item p = build(g, WEFT_OP_compare, tensor(g, WEFT_I1, x.v->type->rank, x.v->type->dims), in, 2, attrs, 2);
    keep(g, p);
    item of = like(g, x, WEFT_F32), choice[] = { p, of, like(g, x, WEFT_F32) };
    if (of.v) keep(g, build(g, WEFT_OP_select, of.v->type, choice, 3, NULL, 0));
}

static void take_clamp(gen *g) {
    item x = pick(g, WEFT_F32);
    if (!x.v) return;
    bool scalar = chance(g, 0.5);
    const weft_type *t = scalar ? tensor(g, WEFT_F32, 0, NULL) : x.v->type;
    item in[] = { splat(g, t, -0.5), x, splat(g, t, 0.75) }, r = build(g, WEFT_OP_clamp, x.v->type, in, 3, NULL, 0);
    r.bound = 0.75;
    keep(g, r);
}

static void take_convert(gen *g) {
    item x = pick(g, chance(g, 0.5) ? WEFT_I1 : WEFT_I32);
    if (!x.v) return;
    item r = build(g, WEFT_OP_convert, tensor(g, WEFT_F32, x.v->type->rank, x.v->type->dims), &x, 1, NULL, 0);
    bool large = x.v->type->dtype == WEFT_I32;
    keep(g, large ? unary(g, WEFT_OP_sine, r, 1) : r);
}

/* ---- shapes ---- */

static void take_broadcast(gen *g) {
    item x = pick(g, some_dtype(g));
    int64_t dims[WEFT_MAX_RANK], map[WEFT_MAX_RANK];
    if (!x.v || x.v->type->rank > 3 || elems(g, x.v->type) * 2 > g->opt.max_elems) return;
    uint32_t rank = x.v->type->rank + 1, fresh = below(g, rank), n = 0;
    int64_t room = g->opt.max_elems / elems(g, x.v->type);
    for (uint32_t i = 0; i < rank; i++) {
        if (i == fresh) {
            dims[i] = weft_rng_range(&g->rng, 1, room < 8 ? room : 8);
            room /= dims[i];
            continue;
        }
        dims[i] = x.v->type->dims[n];
        if (dims[i] == 1 && room >= 4 && chance(g, 0.5)) dims[i] = 4, room /= 4;
        map[n++] = i;
    }
    keep(g, build(g, WEFT_OP_broadcast_in_dim, tensor(g, x.v->type->dtype, rank, dims), &x, 1,
                  &(weft_attr_pair){ WEFT_A_broadcast_dimensions, ints(g, map, n) }, 1));
}

/* Prime factors of the dimensions in order, cut into new dimensions at random: splits and merges. */
static void take_reshape(gen *g) {
    item x = pick(g, some_dtype(g));
    int64_t dims[WEFT_MAX_RANK];
    uint32_t rank = 0;
    if (!x.v || x.v->type->rank > 5 || elems(g, x.v->type) == 0) return;
    for (uint32_t i = 0; i < x.v->type->rank; i++) {
        int64_t left = steps(g, x.v->type->dims[i]);
        if (left < x.v->type->dims[i]) {
            if (rank && chance(g, 0.4)) dims[rank - 1] *= step_of(g, x.v->type->dims[i]);
            else dims[rank++] = step_of(g, x.v->type->dims[i]);
        }
        for (int64_t f = 2; left > 1; f++)
            for (; left % f == 0; left /= f) {
                if (rank && (rank >= 5 || chance(g, 0.6))) dims[rank - 1] *= f;
                else dims[rank++] = f;
            }
        if (x.v->type->dims[i] == 1 && rank < 5 && chance(g, 0.3)) dims[rank++] = 1;
    }
    keep(g, build(g, WEFT_OP_reshape, tensor(g, x.v->type->dtype, rank, dims), &x, 1, NULL, 0));
}

static void take_transpose(gen *g) {
    item x = pick(g, some_dtype(g));
    int64_t perm[WEFT_MAX_RANK], dims[WEFT_MAX_RANK];
    if (!x.v || x.v->type->rank < 2) return;
    uint32_t rank = x.v->type->rank;
    shuffle(g, perm, rank);
    for (uint32_t i = 0; i < rank; i++) dims[i] = x.v->type->dims[perm[i]];
    keep(g, build(g, WEFT_OP_transpose, tensor(g, x.v->type->dtype, rank, dims), &x, 1,
                  &(weft_attr_pair){ WEFT_A_permutation, ints(g, perm, rank) }, 1));
}

static void take_reverse(gen *g) {
    item x = pick(g, some_dtype(g));
    if (!x.v || !x.v->type->rank) return;
    int64_t dim = below(g, x.v->type->rank);
    keep(g, build(g, WEFT_OP_reverse, x.v->type, &x, 1, &(weft_attr_pair){ WEFT_A_dimensions, ints(g, &dim, 1) }, 1));
}

static void take_slice(gen *g) {
    item x = pick(g, some_dtype(g));
    int64_t start[WEFT_MAX_RANK], limit[WEFT_MAX_RANK], step[WEFT_MAX_RANK], dims[WEFT_MAX_RANK];
    if (!x.v || !x.v->type->rank || elems(g, x.v->type) == 0) return;
    uint32_t rank = x.v->type->rank;
    for (uint32_t i = 0; i < rank; i++) {
        const int64_t unit = step_of(g, x.v->type->dims[i]), d = steps(g, x.v->type->dims[i]);
        bool all = chance(g, 0.5);
        start[i] = all ? 0 : below(g, (uint32_t)d);
        limit[i] = all ? d : weft_rng_range(&g->rng, start[i] + 1, d);
        step[i] = chance(g, 0.8) ? 1 : weft_rng_range(&g->rng, 1, 3);
        if (unit > 1 && (limit[i] - start[i]) % step[i]) step[i] = 1;
        start[i] *= unit, limit[i] *= unit;
        if (unit > 1 && chance(g, 0.3)) start[i] = limit[i] - 3, step[i] = 1; /* a few, up to where a step ends */
        dims[i] = weft_ceil_div(limit[i] - start[i], step[i]);
    }
    const weft_attr_pair attrs[] = { { WEFT_A_start_indices, ints(g, start, rank) },
                                     { WEFT_A_limit_indices, ints(g, limit, rank) },
                                     { WEFT_A_strides, ints(g, step, rank) } };
    keep(g, build(g, WEFT_OP_slice, tensor(g, x.v->type->dtype, rank, dims), &x, 1, attrs, 3));
}

static void take_pad(gen *g) {
    item in[2] = { pick(g, some_dtype(g)) };
    int64_t low[WEFT_MAX_RANK], high[WEFT_MAX_RANK], inner[WEFT_MAX_RANK], dims[WEFT_MAX_RANK];
    if (!in[0].v || !in[0].v->type->rank) return;
    const weft_type *t = in[0].v->type;
    for (uint32_t i = 0; i < t->rank; i++) {
        const int64_t unit = step_of(g, t->dims[i]);
        low[i] = chance(g, 0.5) ? unit * weft_rng_range(&g->rng, -1, 3) : 0;
        high[i] = chance(g, 0.5) ? unit * weft_rng_range(&g->rng, -1, 3) : 0;
        inner[i] = chance(g, 0.2) && unit == 1 ? 1 : 0;
        dims[i] = t->dims[i] + low[i] + high[i] + (t->dims[i] - 1) * inner[i];
        if (t->dims[i] < 1 || dims[i] < 1) return;
    }
    if (!fits(g, t->rank, dims)) return;
    in[1] = splat(g, tensor(g, t->dtype, 0, NULL), chance(g, 0.5) ? 0 : 1);
    const weft_attr_pair attrs[] = { { WEFT_A_edge_padding_low, ints(g, low, t->rank) },
                                     { WEFT_A_edge_padding_high, ints(g, high, t->rank) },
                                     { WEFT_A_interior_padding, ints(g, inner, t->rank) } };
    keep(g, build(g, WEFT_OP_pad, tensor(g, t->dtype, t->rank, dims), in, 2, attrs, 3));
}

static void take_concatenate(gen *g) {
    item in[3] = { pick(g, some_dtype(g)) };
    int64_t dims[WEFT_MAX_RANK];
    if (!in[0].v || !in[0].v->type->rank || elems(g, in[0].v->type) * 3 > g->opt.max_elems) return;
    const weft_type *t = in[0].v->type;
    uint32_t dim = below(g, t->rank), n = 2 + below(g, 2);
    int64_t total = t->dims[dim];
    for (uint32_t i = 1; i < n; i++) {
        copy_dims(t, dims);
        if (chance(g, 0.5)) dims[dim] = t->dims[dim] ? some_of(g, t->dims[dim]) : 1;
        in[i] = make(g, t->dtype, t->rank, dims);
        total += dims[dim];
    }
    copy_dims(t, dims);
    dims[dim] = total;
    keep(g, build(g, WEFT_OP_concatenate, tensor(g, t->dtype, t->rank, dims), in, n,
                  &(weft_attr_pair){ WEFT_A_dimension, weft_attr_i64(g->cx, dim) }, 1));
}

/* ---- sums ---- */

/* x by a tensor that shares one or two of its dimensions, one of them perhaps as a batch. */
static void take_dot(gen *g) {
    item in[2] = { tame(g, pick(g, WEFT_F32)) };
    if (!in[0].v || !in[0].v->type->rank || elems(g, in[0].v->type) == 0) return;
    const weft_type *t = in[0].v->type;
    int64_t order[WEFT_MAX_RANK], place[WEFT_MAX_RANK], rdims[WEFT_MAX_RANK], dims[WEFT_MAX_RANK], batch[2], rbatch[2],
        contract[2], rcontract[2], k = 1;
    shuffle(g, order, t->rank);
    uint32_t nb = t->rank > 1 && chance(g, 0.3), nc = 1 + (t->rank > nb + 1 && chance(g, 0.2)), extra = below(g, 3),
             rrank = nb + nc + extra, rank = 0;
    shuffle(g, place, rrank); /* place[i]: where dimension i of (batch, contracted, new) stands in rhs */
    for (uint32_t i = 0; i < nb + nc; i++) {
        rdims[place[i]] = t->dims[order[i]];
        *(i < nb ? &batch[i] : &contract[i - nb]) = order[i];
        *(i < nb ? &rbatch[i] : &rcontract[i - nb]) = place[i];
        if (i >= nb) k *= t->dims[order[i]];
    }
    for (uint32_t i = nb + nc; i < rrank; i++) rdims[place[i]] = weft_rng_range(&g->rng, 1, 8);
    for (uint32_t i = 0; i < nb; i++) dims[rank++] = t->dims[batch[i]];
    for (uint32_t i = 0; i < t->rank; i++) {
        bool used = false;
        for (uint32_t j = 0; j < nb + nc; j++) used = used || order[j] == i;
        if (!used) dims[rank++] = t->dims[i];
    }
    for (uint32_t i = 0; i < rrank; i++) {
        bool used = false;
        for (uint32_t j = 0; j < nb + nc; j++) used = used || place[j] == i;
        if (!used) dims[rank++] = rdims[i];
    }
    if (rank > 5 || !fits(g, rank, dims)) return;
    in[1] = tame(g, make(g, WEFT_F32, rrank, rdims));
    const weft_attr *dot =
        weft_attr_copy(g->cx,
                       &(weft_attr){ .kind = WEFT_ATTR_DOT,
                                     .dot = { { batch, nb }, { rbatch, nb }, { contract, nc }, { rcontract, nc } } });
    item r = build(g, WEFT_OP_dot_general, tensor(g, WEFT_F32, rank, dims), in, 2,
                   &(weft_attr_pair){ WEFT_A_dot_dimension_numbers, dot }, 1);
    r.exact = false;
    r.bound = in[0].bound * in[1].bound * (double)k;
    if (r.v)
        keep(g, tame(g, binary(g, WEFT_OP_multiply, r, splat(g, r.v->type, 1 / (double)k), in[0].bound * in[1].bound)));
}

/* op's region 0 becomes { ^(a, b): return a kind b } over scalars. */
static void fill_reducer(gen *g, weft_op *op, weft_op_kind kind, const weft_type *scalar) {
    weft_block *before = g->b.block, *body = op ? weft_build_block(&g->b, &op->regions[0]) : NULL;
    if (!body) return;
    weft_value *x = weft_build_block_arg(&g->b, body, scalar, place(g, 11)),
               *y = weft_build_block_arg(&g->b, body, scalar, place(g, 13));
    g->b.block = body;
    weft_value *r = weft_build_binary(&g->b, kind, x, y);
    weft_build_op(&g->b, &(weft_op_spec){ .kind = WEFT_OP_return, .operands = &r, .operand_count = 1 });
    g->b.block = before;
}

item with_region(gen *g, weft_op_kind k, const weft_type *t, const item *in, uint32_t n,
                        const weft_attr_pair *pairs, uint32_t pair_count, weft_op_kind body, weft_dtype dtype) {
    weft_value *operands[8];
    weft_named_attr attrs[8];
    bool whole = t != NULL;
    for (uint32_t i = 0; i < n; i++) operands[i] = in[i].v;
    for (uint32_t i = 0; i < pair_count; i++) {
        attrs[i] = (weft_named_attr){ weft_name_from(g->cx, weft_attr_names[pairs[i].name]), pairs[i].value };
        whole = whole && attrs[i].name;
    }
    if (!whole) g->b.status = WEFT_ERR_MEMORY;
    weft_op *op = weft_build_op(&g->b, &(weft_op_spec){ .kind = k, .operands = operands, .operand_count = n,
                                                        .types = &t, .result_count = 1, .attrs = attrs,
                                                        .attr_count = pair_count, .region_count = 1 });
    fill_reducer(g, op, body, tensor(g, dtype, 0, NULL));
    return (item){ op ? &op->results[0] : NULL, in[0].bound, false };
}

static void take_reduce(gen *g) {
    static const struct {
        weft_op_kind kind;
        double init;
    } of[] = { { WEFT_OP_add, 0 }, { WEFT_OP_maximum, -1e9 }, { WEFT_OP_minimum, 1e9 } };
    item in[2] = { tame(g, pick(g, some_dtype(g))) };
    int64_t away[WEFT_MAX_RANK], dims[WEFT_MAX_RANK];
    if (!in[0].v || !in[0].v->type->rank || elems(g, in[0].v->type) == 0) return;
    const weft_type *t = in[0].v->type;
    uint32_t n = 0, rank = 0, which = below(g, WEFT_COUNT(of));
    if (!sums_are_exact(t->dtype) && which == 0) which = 1;
    for (uint32_t i = 0; i < t->rank; i++) {
        if (chance(g, 0.5)) away[n++] = i;
        else dims[rank++] = t->dims[i];
    }
    int64_t count = elems(g, t) / room_of(g, rank, dims);
    in[1] = splat(g, tensor(g, t->dtype, 0, NULL), of[which].init);
    item r = with_region(g, WEFT_OP_reduce, tensor(g, t->dtype, rank, dims), in, 2,
                         &(weft_attr_pair){ WEFT_A_dimensions, ints(g, away, n) }, 1, of[which].kind, t->dtype);
    if (which == 0 && t->dtype == WEFT_F32 && r.v) {
        r.bound = in[0].bound * (double)count;
        r = chance(g, 0.5) ? tame(g, r)
                           : binary(g, WEFT_OP_multiply, r, splat(g, r.v->type, 1 / (double)count), in[0].bound);
    }
    keep(g, r);
}

/* ---- indices ---- */

static item some_indices(gen *g, uint32_t *rank, int64_t *dims) {
    *rank = random_shape(g, dims, 2);
    for (uint32_t i = 0; i < *rank; i++)
        if (dims[i] > 6 && step_of(g, dims[i]) == 1) dims[i] = 6;
    item small = make(g, WEFT_I32, *rank, dims);
    return g->opt.flags & WEFT_RANDOM_MIXED ? random_index(g, small) : small;
}

/* Puts the windows' dimensions (x's but one) and the indices' dimensions into one shape at random places. */
static uint32_t mix_shape(gen *g, const weft_type *x, uint32_t axis, const int64_t *index_dims, uint32_t index_rank,
                          int64_t *dims, int64_t *offsets) {
    uint32_t rank = x->rank - 1 + index_rank, from_x = 0, from_index = 0, n = 0;
    for (uint32_t i = 0; i < rank; i++) {
        bool window = from_index == index_rank || (n < x->rank - 1 && chance(g, 0.5));
        if (window && from_x == axis) from_x++;
        if (window) offsets[n++] = i;
        dims[i] = window ? x->dims[from_x++] : index_dims[from_index++];
    }
    return rank;
}

/* x at random places along one dimension, as jnp.take does. */
static void take_gather(gen *g) {
    item in[2] = { pick(g, some_dtype(g)) };
    int64_t index_dims[WEFT_MAX_RANK], dims[WEFT_MAX_RANK], offsets[WEFT_MAX_RANK], sizes[WEFT_MAX_RANK];
    uint32_t index_rank;
    if (!in[0].v || !in[0].v->type->rank || elems(g, in[0].v->type) == 0) return;
    const weft_type *t = in[0].v->type;
    int64_t axis = below(g, t->rank);
    in[1] = some_indices(g, &index_rank, index_dims);
    uint32_t rank = mix_shape(g, t, (uint32_t)axis, index_dims, index_rank, dims, offsets);
    if (rank > 5 || !fits(g, rank, dims)) return;
    copy_dims(t, sizes);
    sizes[axis] = 1;
    const weft_attr *numbers = weft_attr_copy(g->cx, &(weft_attr){ .kind = WEFT_ATTR_GATHER,
                                                                   .gather = { .offset_dims = { offsets, t->rank - 1 },
                                                                               .collapsed_slice_dims = { &axis, 1 },
                                                                               .start_index_map = { &axis, 1 },
                                                                               .index_vector_dim = index_rank } });
    const weft_attr_pair attrs[] = { { WEFT_A_dimension_numbers, numbers },
                                     { WEFT_A_slice_sizes, ints(g, sizes, t->rank) },
                                     { WEFT_A_indices_are_sorted, weft_attr_bool(g->cx, false) } };
    item r = build(g, WEFT_OP_gather, tensor(g, t->dtype, rank, dims), in, 2, attrs, 3);
    r.bound = in[0].bound;
    r.exact = false;
    keep(g, r);
}

/* Adds updates into x at random places along one dimension: the gradient of the gather above. */
static void take_scatter(gen *g) {
    item in[3] = { tame(g, pick(g, some_dtype(g))) };
    int64_t index_dims[WEFT_MAX_RANK], dims[WEFT_MAX_RANK], windows[WEFT_MAX_RANK];
    uint32_t index_rank;
    if (!in[0].v || !in[0].v->type->rank || elems(g, in[0].v->type) == 0) return;
    const weft_type *t = in[0].v->type;
    int64_t axis = below(g, t->rank), count = 1;
    in[1] = some_indices(g, &index_rank, index_dims);
    uint32_t rank = mix_shape(g, t, (uint32_t)axis, index_dims, index_rank, dims, windows);
    for (uint32_t i = 0; i < index_rank; i++) count *= index_dims[i];
    if (rank > 5 || !fits(g, rank, dims)) return;
    in[2] = tame(g, make(g, t->dtype, rank, dims));
    const weft_attr *numbers =
        weft_attr_copy(g->cx, &(weft_attr){ .kind = WEFT_ATTR_SCATTER,
                                            .scatter = { .update_window_dims = { windows, t->rank - 1 },
                                                         .inserted_window_dims = { &axis, 1 },
                                                         .scatter_dims_to_operand_dims = { &axis, 1 },
                                                         .index_vector_dim = index_rank } });
    const weft_attr_pair attrs[] = { { WEFT_A_indices_are_sorted, weft_attr_bool(g->cx, false) },
                                     { WEFT_A_scatter_dimension_numbers, numbers },
                                     { WEFT_A_unique_indices, weft_attr_bool(g->cx, false) } };
    item r = with_region(g, WEFT_OP_scatter, t, in, 3, attrs, 3,
                         sums_are_exact(t->dtype) ? WEFT_OP_add : WEFT_OP_maximum, t->dtype);
    r.bound = in[0].bound + in[2].bound * (double)count;
    keep(g, tame(g, r));
}

static uint32_t some_starts(gen *g, const weft_type *t, item *starts) {
    const weft_dtype dtype = g->opt.unit > 1 && chance(g, 0.5) ? WEFT_I64 : WEFT_I32;
    for (uint32_t i = 0; i < t->rank; i++)
        starts[i] = chance(g, 0.5) ? splat(g, tensor(g, dtype, 0, NULL), (double)below(g, 6)) : make(g, dtype, 0, NULL);
    return t->rank;
}

static void take_dynamic(gen *g) {
    item in[8] = { pick(g, some_dtype(g)) };
    int64_t dims[WEFT_MAX_RANK];
    if (!in[0].v || !in[0].v->type->rank || in[0].v->type->rank > 4 || elems(g, in[0].v->type) == 0) return;
    const weft_type *t = in[0].v->type;
    for (uint32_t i = 0; i < t->rank; i++)
        dims[i] = chance(g, 0.5) ? t->dims[i] : some_of(g, t->dims[i]);
    item r;
    if (chance(g, 0.5)) {
        uint32_t n = some_starts(g, t, in + 1);
        r = build(g, WEFT_OP_dynamic_slice, tensor(g, t->dtype, t->rank, dims), in, 1 + n,
                  &(weft_attr_pair){ WEFT_A_slice_sizes, ints(g, dims, t->rank) }, 1);
    } else {
        in[1] = make(g, t->dtype, t->rank, dims);
        uint32_t n = some_starts(g, t, in + 2);
        r = build(g, WEFT_OP_dynamic_update_slice, t, in, 2 + n, NULL, 0);
    }
    double bound = in[1].v && in[1].bound > in[0].bound && in[1].v->type->dtype == t->dtype ? in[1].bound : in[0].bound;
    r.bound = bound;
    r.exact = false;
    keep(g, r);
}

/* ---- shardings ---- */

static void take_constraint(gen *g) {
    item x = pick(g, some_dtype(g));
    if (!x.v) return;
    const weft_attr *s = random_sharding(g, x.v->type, g->opt.flags & WEFT_RANDOM_UNEVEN ? UNEVEN_TOO : EVEN_ONLY);
    keep(g, build(g, WEFT_OP_sdy_sharding_constraint, x.v->type, &x, 1, &(weft_attr_pair){ WEFT_A_sharding, s }, 1));
}

enum { INDEX = 1, MESH = 2, MIXED = 4, WINDOWS = 8, NAMED = 16 };
static const struct { void (*take)(gen *g); uint32_t weight, needs; } recipes[] = {
    { take_unary, 3, 0 },     { take_limited, 2, 0 },   { take_binary, 6, 0 },      { take_integer, 1, 0 },  { take_compare, 2, 0 }, { take_clamp, 1, 0 },
    { take_convert, 1, 0 },   { take_broadcast, 3, 0 }, { take_reshape, 3, 0 },     { take_transpose, 3, 0 }, { take_reverse, 1, 0 }, { take_slice, 2, 0 },
    { take_pad, 2, 0 },       { take_concatenate, 2, 0 }, { take_dot, 5, 0 },       { take_reduce, 4, 0 },   { take_gather, 2, INDEX },
    { take_scatter, 2, INDEX }, { take_dynamic, 1, INDEX }, { take_constraint, 4, MESH },
    { take_narrow, 6, MIXED }, { take_mixed_reduce, 4, MIXED }, { take_meet, 3, MIXED },    { take_loop, 3, MIXED },    { take_branch, 2, MIXED }, { take_outside, 2, MIXED },
    { take_group, 1, MIXED | MESH }, { take_convolution, 6, WINDOWS }, { take_reduce_window, 6, WINDOWS },
    { take_sort, 5, WINDOWS }, { take_fft, 4, WINDOWS }, { take_named, 5, NAMED },
};

void take_step(gen *g) {
    uint32_t allowed = (g->opt.flags & WEFT_RANDOM_NO_INDEX ? 0 : INDEX) | (g->axes ? MESH : 0) |
                       (g->opt.flags & WEFT_RANDOM_MIXED ? MIXED : 0) |
                       (g->opt.flags & WEFT_RANDOM_WINDOWS ? WINDOWS : 0) |
                       (g->opt.flags & WEFT_RANDOM_NAMED ? NAMED : 0),
             total = 0;
    for (size_t i = 0; i < WEFT_COUNT(recipes); i++) total += (recipes[i].needs & ~allowed) ? 0 : recipes[i].weight;
    uint32_t at = below(g, total);
    for (size_t i = 0; i < WEFT_COUNT(recipes); i++) {
        if (recipes[i].needs & ~allowed) continue;
        if (at < recipes[i].weight) {
            recipes[i].take(g);
            return;
        }
        at -= recipes[i].weight;
    }
}
