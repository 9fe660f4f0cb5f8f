/* random_windows.c: convolutions, windows, sorts and transforms: what WEFT_RANDOM_WINDOWS adds.
 *
 * Numerics as random_module.h says: sums are divided by how many they are of; a sort of one operand moves no value by
 * more than its input moved; keys that carry other values are exact, and equal keys keep their order.
 */
#include "tests/support/random_internal.h"

static uint32_t below(gen *g, uint32_t n) { return weft_rng_below(&g->rng, n); }
static bool chance(gen *g, double p) { return weft_rng_chance(&g->rng, p); }

/* x / by, for sums of so many. */
static item divided(gen *g, item x, double by, double bound) {
    return x.v ? tame(g, binary(g, WEFT_OP_multiply, x, splat(g, x.v->type, 1 / by), bound)) : x;
}

/* ---- windows ---- */

/* A window over each of n dimensions. Wide ones keep their step: their padding makes up for the window, and a stride
 * divides them. */
typedef struct window {
    int64_t size[WEFT_MAX_RANK], stride[WEFT_MAX_RANK], apart[WEFT_MAX_RANK], spread[WEFT_MAX_RANK],
        padding[2 * WEFT_MAX_RANK], out[WEFT_MAX_RANK];
} window;

/* spread: of the input's elements; false: some window has no place. */
static bool random_window(gen *g, window *w, uint32_t n, const int64_t *dims, double spread) {
    bool ok = true;
    for (uint32_t i = 0; i < n; i++) {
        const int64_t many = steps(g, dims[i]), wide = step_of(g, dims[i]) > 1;
        w->size[i] = weft_rng_range(&g->rng, 1, 3);
        w->apart[i] = chance(g, 0.2) ? 2 : 1;
        w->stride[i] = chance(g, 0.3) ? weft_rng_range(&g->rng, 2, 3) : 1;
        w->spread[i] = chance(g, spread) && !wide ? 2 : 1;
        const int64_t reach = (w->size[i] - 1) * w->apart[i];
        const bool same = chance(g, 0.5);
        int64_t low = weft_rng_range(&g->rng, 0, reach), high = same ? reach - low : weft_rng_range(&g->rng, 0, reach);
        if (wide) high = reach - low;
        if (wide && many % w->stride[i]) w->stride[i] = 1;
        w->padding[2 * i] = low, w->padding[2 * i + 1] = high;
        const int64_t space = (dims[i] - 1) * w->spread[i] + 1 + low + high - reach;
        w->out[i] = space > 0 ? (space - 1) / w->stride[i] + 1 : 0;
        ok = ok && space > 0;
    }
    return ok;
}

static const weft_attr *padding(gen *g, const window *w, uint32_t n) {
    return weft_attr_dense_i64(g->cx, 2, (int64_t[]){ n, 2 }, w->padding);
}

void take_reduce_window(gen *g) {
    static const weft_op_kind kinds[] = { WEFT_OP_add, WEFT_OP_maximum, WEFT_OP_minimum };
    item in[2] = { tame(g, pick(g, some_dtype(g))) };
    window w;
    if (!in[0].v || !in[0].v->type->rank || in[0].v->type->dtype == WEFT_I1) return;
    const weft_type *t = in[0].v->type;
    uint32_t which = below(g, WEFT_COUNT(kinds));
    if (!sums_are_exact(t->dtype) && which == 0) which = 1;
    if (!random_window(g, &w, t->rank, t->dims, 0.1) || !fits(g, t->rank, w.out)) return;
    double count = 1;
    for (uint32_t i = 0; i < t->rank; i++) count *= (double)w.size[i];
    in[1] = splat(g, tensor(g, t->dtype, 0, NULL), which ? 0.25 : 0);
    if (!weft_dtype_is_float(t->dtype)) in[1] = splat(g, tensor(g, t->dtype, 0, NULL), which ? 2 : 0);
    const weft_attr_pair attrs[] = { { WEFT_A_window_dimensions, ints(g, w.size, t->rank) },
                                     { WEFT_A_window_strides, ints(g, w.stride, t->rank) },
                                     { WEFT_A_base_dilations, ints(g, w.spread, t->rank) },
                                     { WEFT_A_window_dilations, ints(g, w.apart, t->rank) },
                                     { WEFT_A_padding, padding(g, &w, t->rank) } };
    item r = with_region(g, WEFT_OP_reduce_window, tensor(g, t->dtype, t->rank, w.out), in, 2, attrs, 5, kinds[which],
                         t->dtype);
    r.bound = in[0].bound > 0.25 ? in[0].bound : 0.25;
    keep(g, which == 0 && t->dtype == WEFT_F32 ? divided(g, r, count, r.bound) : r);
}

/* A value of two to four dimensions by a kernel: each dimension plays a part that is drawn. */
void take_convolution(gen *g) {
    item in[2] = { tame(g, pick(g, WEFT_F32)) };
    window w;
    int64_t part[WEFT_MAX_RANK], kpart[WEFT_MAX_RANK], opart[WEFT_MAX_RANK], spatial[WEFT_MAX_RANK],
        kdims[WEFT_MAX_RANK], dims[WEFT_MAX_RANK];
    if (!in[0].v || in[0].v->type->rank < 2 || in[0].v->type->rank > 4) return;
    const weft_type *t = in[0].v->type;
    const uint32_t n = t->rank - 2;
    shuffle(g, part, t->rank), shuffle(g, kpart, t->rank), shuffle(g, opart, t->rank); /* batch, feature, spatial... */
    const int64_t batch = t->dims[part[0]], features = t->dims[part[1]];
    /* oneDNN makes code for a kernel of so many features until memory is out, and then ends the process. */
    if (step_of(g, features) > 1) return;
    int64_t groups = 1, batch_groups = 1;
    if (features % 2 == 0 && chance(g, 0.3)) groups = chance(g, 0.5) ? 2 : features;
    else if (step_of(g, batch) == 1 && batch % 2 == 0 && chance(g, 0.15)) batch_groups = 2;
    for (uint32_t i = 0; i < n; i++) spatial[i] = t->dims[part[2 + i]];
    if (!random_window(g, &w, n, spatial, 0.15)) return;
    kdims[kpart[0]] = features / groups;
    kdims[kpart[1]] = groups * batch_groups * weft_rng_range(&g->rng, 1, 3);
    dims[opart[0]] = batch / batch_groups, dims[opart[1]] = kdims[kpart[1]];
    double sum = (double)kdims[kpart[0]];
    for (uint32_t i = 0; i < n; i++) {
        kdims[kpart[2 + i]] = w.size[i], dims[opart[2 + i]] = w.out[i];
        sum *= (double)w.size[i];
    }
    if (!fits(g, t->rank, dims) || !fits(g, t->rank, kdims)) return;
    in[1] = tame(g, make(g, WEFT_F32, t->rank, kdims));
    const weft_conv_dims numbers = { part[0], part[1], kpart[0], kpart[1], opart[0], opart[1], { part + 2, n },
                                     { kpart + 2, n }, { opart + 2, n } };
    const weft_attr_pair attrs[] = {
        { WEFT_A_window_strides, ints(g, w.stride, n) },
        { WEFT_A_padding, padding(g, &w, n) },
        { WEFT_A_lhs_dilation, ints(g, w.spread, n) },
        { WEFT_A_rhs_dilation, ints(g, w.apart, n) },
        { WEFT_A_dimension_numbers, weft_attr_copy(g->cx, &(weft_attr){ .kind = WEFT_ATTR_CONV, .conv = numbers }) },
        { WEFT_A_feature_group_count, weft_attr_i64(g->cx, groups) },
        { WEFT_A_batch_group_count, weft_attr_i64(g->cx, batch_groups) }
    };
    item r = build(g, WEFT_OP_convolution, tensor(g, WEFT_F32, t->rank, dims), in, 2, attrs, 7);
    r.exact = false;
    keep(g, divided(g, r, sum, in[0].bound * in[1].bound));
}

/* ---- sorts ---- */

static void fill_comparator(gen *g, weft_op *op, const item *in, uint32_t n) {
    weft_block *before = g->b.block, *body = op ? weft_build_block(&g->b, &op->regions[0]) : NULL;
    weft_value *args[4] = { NULL };
    if (!body) return;
    for (uint32_t i = 0; i < 2 * n; i++)
        args[i] = weft_build_block_arg(&g->b, body, tensor(g, in[i / 2].v->type->dtype, 0, NULL), place(g, 11 + i));
    g->b.block = body;
    const weft_dtype key = in[0].v->type->dtype;
    const item of[] = { { args[0], 0, true }, { args[1], 0, true } };
    const weft_enum_value kind = weft_dtype_is_float(key)                         ? WEFT_comparison_type_FLOAT
                                 : weft_dtype_of(key)->kind == WEFT_KIND_INT ? WEFT_comparison_type_SIGNED
                                                                                  : WEFT_comparison_type_UNSIGNED;
    const weft_enum_value way = chance(g, 0.5) ? WEFT_comparison_direction_LT : WEFT_comparison_direction_GT;
    weft_value *r = build(g, WEFT_OP_compare, tensor(g, WEFT_I1, 0, NULL), of, 2,
                          (weft_attr_pair[]){ { WEFT_A_comparison_direction, weft_attr_enum(g->cx, way) },
                                              { WEFT_A_compare_type, weft_attr_enum(g->cx, kind) } },
                          2).v;
    weft_build_op(&g->b, &(weft_op_spec){ .kind = WEFT_OP_return, .operands = &r, .operand_count = 1 });
    g->b.block = before;
}

void take_sort(gen *g) {
    item in[2] = { pick(g, some_dtype(g)) };
    if (!in[0].v || !in[0].v->type->rank || in[0].v->type->dtype == WEFT_I1) return;
    const weft_type *t = in[0].v->type;
    const uint32_t n = in[0].exact && chance(g, 0.5) ? 2 : 1;
    if (n == 2) in[1] = make(g, some_dtype(g), t->rank, t->dims);
    weft_named_attr attrs[] = {
        { weft_name_from(g->cx, weft_attr_names[WEFT_A_dimension]), weft_attr_i64(g->cx, below(g, t->rank)) },
        { weft_name_from(g->cx, weft_attr_names[WEFT_A_is_stable]), weft_attr_bool(g->cx, true) }
    };
    if (!attrs[0].name || !attrs[1].name || !in[n - 1].v) {
        g->b.status = WEFT_ERR_MEMORY;
        return;
    }
    weft_value *operands[] = { in[0].v, in[1].v };
    const weft_type *types[] = { t, n == 2 ? in[1].v->type : NULL };
    g->b.loc = place(g, 5);
    weft_op *op = weft_build_op(&g->b, &(weft_op_spec){ .kind = WEFT_OP_sort, .operands = operands, .operand_count = n,
                                                        .types = types, .result_count = n, .attrs = attrs,
                                                        .attr_count = 2, .region_count = 1 });
    fill_comparator(g, op, in, n);
    for (uint32_t i = 0; op && g->b.status == WEFT_OK && i < n; i++)
        keep(g, (item){ &op->results[i], in[i].bound, in[i].exact });
}

/* ---- transforms ---- */

static item transform(gen *g, item x, weft_enum_value kind, weft_dtype dtype, const int64_t *dims,
                      const int64_t *length, uint32_t n) {
    const weft_attr_pair attrs[] = { { WEFT_A_fft_type, weft_attr_enum(g->cx, kind) },
                                     { WEFT_A_fft_length, ints(g, length, n) } };
    item r = x.v ? build(g, WEFT_OP_fft, tensor(g, dtype, x.v->type->rank, dims), &x, 1, attrs, 2) : x;
    r.exact = false;
    return r;
}

/* There and perhaps back, over the last dimensions: of real values, or of complex ones made of two. */
void take_fft(gen *g) {
    const item x = tame(g, pick(g, WEFT_F32));
    int64_t half[WEFT_MAX_RANK];
    if (!x.v || !x.v->type->rank) return;
    const weft_type *t = x.v->type;
    const uint32_t n = 1 + below(g, t->rank < 3 ? t->rank : 3);
    const int64_t *length = t->dims + t->rank - n;
    double sum = 1;
    for (uint32_t i = 0; i < n; i++) sum *= (double)length[i];
    if (chance(g, 0.4)) {
        for (uint32_t i = 0; i < t->rank; i++) half[i] = t->dims[i];
        half[t->rank - 1] = t->dims[t->rank - 1] / 2 + 1;
        const item there = transform(g, x, WEFT_fft_type_RFFT, WEFT_C64, half, length, n);
        item back = transform(g, there, WEFT_fft_type_IRFFT, WEFT_F32, t->dims, length, n);
        back.bound = x.bound;
        keep(g, back);
        return;
    }
    const item parts[] = { x, tame(g, make(g, WEFT_F32, t->rank, t->dims)) };
    const item z = build(g, WEFT_OP_complex, tensor(g, WEFT_C64, t->rank, t->dims), parts, 2, NULL, 0);
    const bool there = chance(g, 0.5);
    const item f = transform(g, z, there ? WEFT_fft_type_FFT : WEFT_fft_type_IFFT, WEFT_C64, t->dims, length, n);
    item r = build(g, chance(g, 0.5) ? WEFT_OP_real : WEFT_OP_imag, t, &f, 1, NULL, 0);
    r.bound = parts[0].bound + parts[1].bound;
    keep(g, there ? divided(g, r, sum, r.bound) : tame(g, r));
}
