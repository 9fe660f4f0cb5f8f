/* quant_to_math: replaces quantised values by their storage integers, and ops on them by arithmetic.
 *
 * Pass stablehlo-legalize-quant-to-math, as in StableHLO's own tool. Needs static shapes. Leaves: no quantised type;
 * arguments and results of functions are storage integers. Ops that move elements, and ops with regions, move the
 * integers; arithmetic in bodies is written out as elsewhere. Arithmetic is dequantize, the op on numbers, quantize;
 * products of two quantised operands are exact sums of integers, scaled once.
 *
 * The formulas are exactly those of docs/spec.md, "Quantization computations": quotients and products of scales are
 * computed in f64 and rounded to the expressed type, so that code generation neither divides by a reciprocal nor fuses
 * them with sums. Zero points are subtracted in 32 or 64 bits, where the difference cannot overflow.
 */
#include "legalize/chlo.h"
#include "legalize/legalize.h"

static bool is_quant(const weft_type *t) {
    return (t->kind == WEFT_TYPE_TENSOR || t->kind == WEFT_TYPE_SCALAR) && t->quant;
}

static const weft_type *plain(weft_context *cx, const weft_type *t) {
    return is_quant(t) ? weft_type_with_dtype(cx, t, t->quant->storage) : t;
}
static const weft_type *plain_of(weft_rewrite *r, const weft_value *old) { return plain(r->out->cx, old->type); }

/* ---- parameters as values ---- */

/* One number per tensor or one along axis, over the shape of like, as element type t. */
static lg_value parameter(weft_builder *b, const weft_type *like, int64_t axis, uint32_t count, const double *v,
                          weft_dtype t) {
    weft_context *cx = b->m->cx;
    const weft_type *type = weft_type_tensor(cx, t, like->rank, like->dims);
    if (!type) b->status = weft_oom();
    if (b->status != WEFT_OK || count == 1) return type ? weft_build_splat(b, type, v[0]) : NULL;
    const int64_t n = count;
    const weft_mark mark = weft_arena_mark(&cx->scratch);
    char *data = weft_scratch_array(cx, char, count * weft_dtype_bytes(t));
    const weft_type *line = weft_type_tensor(cx, t, 1, &n);
    const weft_attr *dense = NULL;
    for (uint32_t i = 0; data && i < count; i++) weft_dtype_store(t, data + i * weft_dtype_bytes(t), v[i]);
    if (data && line) dense = weft_attr_dense(cx, line, data, false);
    weft_arena_reset(&cx->scratch, mark);
    const weft_attr_pair where = { WEFT_A_broadcast_dimensions, weft_attr_ints(cx, WEFT_I64, &axis, 1) };
    if (!dense || !where.value) b->status = weft_oom();
    weft_value *x = dense ? weft_build_constant(b, dense) : NULL;
    return x ? weft_build_1(b, WEFT_OP_broadcast_in_dim, type, &x, 1, &where, 1) : NULL;
}

/* axis: that of q in like. Scales are numbers of the expressed type. */
static lg_value scales(weft_builder *b, const weft_quant *q, const weft_type *like, int64_t axis) {
    weft_context *cx = b->m->cx;
    const weft_mark mark = weft_arena_mark(&cx->scratch);
    double *v = weft_scratch_array(cx, double, q->count);
    for (uint32_t i = 0; v && i < q->count; i++) {
        uint8_t rounded[16];
        weft_dtype_store(q->expressed, rounded, q->scales[i]);
        v[i] = weft_dtype_load(q->expressed, rounded);
    }
    if (!v) b->status = weft_oom();
    lg_value x = v ? parameter(b, like, axis, q->count, v, WEFT_F64) : NULL;
    weft_arena_reset(&cx->scratch, mark);
    return x;
}

/* x with the zero points added (sign 1) or subtracted (-1); x itself if they are 0. */
static lg_value shifted(weft_builder *b, lg_value x, const weft_quant *q, int sign) {
    weft_context *cx = b->m->cx;
    const weft_mark mark = weft_arena_mark(&cx->scratch);
    double *v = weft_scratch_array(cx, double, q->count);
    bool none = true;
    for (uint32_t i = 0; v && i < q->count; i++) {
        v[i] = (double)q->zero_points[i];
        none = none && !q->zero_points[i];
    }
    if (!v) b->status = weft_oom();
    if (!none && x) {
        lg_value zero = parameter(b, x->type, q->axis, q->count, v, x->type->dtype);
        x = zero ? lg_binary(b, sign > 0 ? WEFT_OP_add : WEFT_OP_subtract, x, zero) : NULL;
    }
    weft_arena_reset(&cx->scratch, mark);
    return v ? x : NULL;
}

static lg_value centered(weft_builder *b, lg_value x, const weft_quant *q, weft_dtype t) {
    return shifted(b, lg_convert(b, x, t), q, -1);
}

static lg_value dequantize(weft_builder *b, lg_value x, const weft_quant *q) {
    x = lg_convert(b, centered(b, x, q, weft_dtype_of(q->storage)->bits < 32 ? WEFT_I32 : WEFT_I64), q->expressed);
    x = lg_convert(b, x, WEFT_F64);
    return x ? lg_convert(b, lg_mul(b, x, scales(b, q, x->type, q->axis)), q->expressed) : NULL;
}

static lg_value quantize(weft_builder *b, lg_value x, const weft_quant *q) {
    x = lg_convert(b, x, WEFT_F64);
    if (x) x = lg_convert(b, lg_div(b, x, scales(b, q, x->type, q->axis)), q->expressed);
    x = shifted(b, x, q, 1);
    if (!x) return NULL;
    lg_value in[3] = { lg_const(b, x, (double)q->min), x, lg_const(b, x, (double)q->max) };
    x = weft_build_1(b, WEFT_OP_clamp, x->type, in, 3, NULL, 0);
    return lg_convert(b, lg_unary(b, WEFT_OP_round_nearest_even, x), q->storage);
}

/* ---- ops ---- */

/* op with other operands and result types; its attributes stay. NULL after a failure. */
static weft_op *remade(weft_builder *b, const weft_op *op, weft_value *const *in, const weft_type *const *types) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!in[i]) return NULL;
    return weft_build_op(b, &(weft_op_spec){ .kind = op->kind, .name = op->name, .operands = in,
                                             .operand_count = op->operand_count, .types = types,
                                             .result_count = op->result_count, .attrs = op->attrs,
                                             .attr_count = op->attr_count });
}

/* dequantize_op_quantize; operands and results that are numbers already stay unchanged. */
static weft_status on_numbers(weft_rewrite *r, weft_builder *b, const weft_op *op) {
    weft_context *cx = b->m->cx;
    const weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_value **in = weft_scratch_array(cx, weft_value *, op->operand_count + 1);
    const weft_type **types = weft_scratch_array(cx, const weft_type *, op->result_count + 1);
    weft_op *made = NULL;
    for (uint32_t i = 0; in && i < op->operand_count; i++) {
        const weft_value *old = op->operands[i];
        in[i] = is_quant(old->type) ? dequantize(b, r->map.to[old->id], old->type->quant) : r->map.to[old->id];
    }
    for (uint32_t i = 0; types && i < op->result_count; i++) {
        const weft_type *t = op->results[i].type;
        types[i] = is_quant(t) ? weft_type_with_dtype(cx, t, t->quant->expressed) : t;
        if (!types[i]) b->status = weft_oom();
    }
    if (in && types && b->status == WEFT_OK) made = remade(b, op, in, types);
    for (uint32_t i = 0; made && i < op->result_count; i++) {
        const weft_type *t = op->results[i].type;
        r->map.to[op->results[i].id] = is_quant(t) ? quantize(b, &made->results[i], t->quant) : &made->results[i];
    }
    weft_arena_reset(&cx->scratch, mark);
    return made || b->status != WEFT_OK ? b->status : weft_oom();
}

/* Terms per sum of a product, and the dimension of its result with rhs's scales. */
typedef struct terms { int64_t count, axis; } terms;

static terms terms_of(const weft_op *op) {
    const weft_type *lhs = op->operands[0]->type, *rhs = op->operands[1]->type;
    const weft_attr *a =
        weft_op_attr(op, op->kind == WEFT_OP_convolution ? WEFT_A_dimension_numbers : WEFT_A_dot_dimension_numbers);
    terms t = { 1, 0 };
    if (op->kind == WEFT_OP_convolution) {
        for (uint32_t d = 0; d < rhs->rank; d++)
            if (d != a->conv.kernel_output_feature) t.count *= rhs->dims[d];
        t.axis = a->conv.output_feature;
        return t;
    }
    if (!a) { /* stablehlo.dot */
        t.count = rhs->dims[0];
        t.axis = op->results[0].type->rank - 1;
        return t;
    }
    const weft_dot_dims *d = &a->dot;
    for (uint32_t i = 0; i < d->rhs_contract.n; i++) t.count *= rhs->dims[d->rhs_contract.v[i]];
    t.axis = lhs->rank - d->lhs_contract.n;
    for (int64_t i = 0, free = 0; i < rhs->rank; i++) {
        bool named = false;
        for (uint32_t k = 0; k < d->rhs_contract.n; k++) named = named || d->rhs_contract.v[k] == i;
        for (uint32_t k = 0; k < d->rhs_batch.n; k++) {
            named = named || d->rhs_batch.v[k] == i;
            if (d->rhs_batch.v[k] == i && rhs->quant->axis == i) t.axis = k;
        }
        if (named) continue;
        if (rhs->quant->axis == i) t.axis += free;
        free++;
    }
    return t;
}

/* A sum type without overflow: factors are differences of two storage integers. */
static weft_dtype sum_type(const weft_quant *l, const weft_quant *r, int64_t terms) {
    const int bits = weft_dtype_of(l->storage)->bits + weft_dtype_of(r->storage)->bits + 2;
    return bits < 31 && terms < (int64_t)1 << (31 - bits) ? WEFT_I32 : WEFT_I64;
}

static weft_status product(weft_rewrite *r, weft_builder *b, const weft_op *op) {
    const weft_type *lhs = op->operands[0]->type, *rhs = op->operands[1]->type, *t = op->results[0].type;
    const int bits = is_quant(lhs) && is_quant(rhs)
                         ? weft_dtype_of(lhs->quant->storage)->bits + weft_dtype_of(rhs->quant->storage)->bits
                         : 64;
    if (bits > 32 || weft_quant_per_axis(lhs->quant)) return on_numbers(r, b, op);
    const terms k = terms_of(op);
    const weft_dtype sum = sum_type(lhs->quant, rhs->quant, k.count), expressed = lhs->quant->expressed;
    weft_value *in[2] = { centered(b, r->map.to[op->operands[0]->id], lhs->quant, sum),
                          centered(b, r->map.to[op->operands[1]->id], rhs->quant, sum) };
    const weft_type *type = weft_type_with_dtype(b->m->cx, t, sum);
    weft_op *made = type ? remade(b, op, in, &type) : NULL;
    if (!made) return b->status == WEFT_OK ? weft_oom() : b->status;
    lg_value x = lg_convert(b, &made->results[0], WEFT_F64), left = x ? scales(b, lhs->quant, x->type, 0) : NULL;
    lg_value right = x ? scales(b, rhs->quant, x->type, k.axis) : NULL;
    x = lg_convert(b, lg_mul(b, x, lg_mul(b, left, right)), expressed);
    r->map.to[op->results[0].id] = is_quant(t) ? quantize(b, x, t->quant) : x;
    return b->status;
}

static weft_status uniform_quantize(weft_rewrite *r, weft_builder *b, const weft_op *op) {
    const weft_value *old = op->operands[0];
    lg_value x = r->map.to[old->id];
    if (is_quant(old->type)) x = dequantize(b, x, old->type->quant);
    r->map.to[op->results[0].id] = quantize(b, x, op->results[0].type->quant);
    return b->status;
}

static weft_status uniform_dequantize(weft_rewrite *r, weft_builder *b, const weft_op *op) {
    r->map.to[op->results[0].id] = dequantize(b, r->map.to[op->operands[0]->id], op->operands[0]->type->quant);
    return b->status;
}

static weft_status constant(weft_rewrite *r, weft_builder *b, const weft_op *op) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_value);
    const weft_type *t = plain(b->m->cx, op->results[0].type);
    const weft_attr *dense =
        t && a->kind == WEFT_ATTR_DENSE ? weft_attr_dense(b->m->cx, t, a->dense.p, a->dense.splat) : NULL;
    if (!dense) return weft_oom();
    r->map.to[op->results[0].id] = weft_build_constant(b, dense);
    return b->status;
}

static weft_status func(weft_rewrite *r, weft_builder *b, const weft_op *op) {
    weft_context *cx = b->m->cx;
    const weft_type *t = weft_func_type(op);
    const weft_mark mark = weft_arena_mark(&cx->scratch);
    const weft_type **parts = weft_scratch_array(cx, const weft_type *, t->part_count + 1);
    for (uint32_t i = 0; parts && i < t->part_count; i++) parts[i] = plain(cx, t->parts[i]);
    if (parts)
        t = weft_type_function(cx, parts, t->input_count, parts + t->input_count, t->part_count - t->input_count);
    weft_arena_reset(&cx->scratch, mark);
    const weft_attr *type = parts && t ? weft_attr_type(cx, t) : NULL;
    if (!type) return weft_oom();
    weft_op *made = weft_clone_shell(b, op, &r->map, NULL);
    weft_status st = made ? weft_op_set(b->m, made, WEFT_A_function_type, type) : b->status;
    return st == WEFT_OK ? weft_rewrite_regions(r, op, made) : st;
}

/* Ops that are missing here move elements, or have a region with the arithmetic. */
static weft_status (*const math_of[WEFT_OP_COUNT])(weft_rewrite *, weft_builder *, const weft_op *) = {
    [WEFT_OP_uniform_quantize] = uniform_quantize,
    [WEFT_OP_uniform_dequantize] = uniform_dequantize,
    [WEFT_OP_constant] = constant,
    [WEFT_OP_func] = func,
    [WEFT_OP_dot] = product,
    [WEFT_OP_dot_general] = product,
    [WEFT_OP_convolution] = product,
    [WEFT_OP_abs] = on_numbers,
    [WEFT_OP_add] = on_numbers,
    [WEFT_OP_atan2] = on_numbers,
    [WEFT_OP_batch_norm_grad] = on_numbers,
    [WEFT_OP_batch_norm_inference] = on_numbers,
    [WEFT_OP_batch_norm_training] = on_numbers,
    [WEFT_OP_cbrt] = on_numbers,
    [WEFT_OP_ceil] = on_numbers,
    [WEFT_OP_cholesky] = on_numbers,
    [WEFT_OP_clamp] = on_numbers,
    [WEFT_OP_compare] = on_numbers,
    [WEFT_OP_cosine] = on_numbers,
    [WEFT_OP_divide] = on_numbers,
    [WEFT_OP_exponential] = on_numbers,
    [WEFT_OP_exponential_minus_one] = on_numbers,
    [WEFT_OP_floor] = on_numbers,
    [WEFT_OP_iota] = on_numbers,
    [WEFT_OP_is_finite] = on_numbers,
    [WEFT_OP_log] = on_numbers,
    [WEFT_OP_log_plus_one] = on_numbers,
    [WEFT_OP_logistic] = on_numbers,
    [WEFT_OP_maximum] = on_numbers,
    [WEFT_OP_minimum] = on_numbers,
    [WEFT_OP_multiply] = on_numbers,
    [WEFT_OP_negate] = on_numbers,
    [WEFT_OP_power] = on_numbers,
    [WEFT_OP_reduce_precision] = on_numbers,
    [WEFT_OP_remainder] = on_numbers,
    [WEFT_OP_round_nearest_afz] = on_numbers,
    [WEFT_OP_round_nearest_even] = on_numbers,
    [WEFT_OP_rsqrt] = on_numbers,
    [WEFT_OP_select] = on_numbers,
    [WEFT_OP_sign] = on_numbers,
    [WEFT_OP_sine] = on_numbers,
    [WEFT_OP_sqrt] = on_numbers,
    [WEFT_OP_subtract] = on_numbers,
    [WEFT_OP_tan] = on_numbers,
    [WEFT_OP_tanh] = on_numbers,
    [WEFT_OP_triangular_solve] = on_numbers,
};

static bool wanted(const weft_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (is_quant(op->operands[i]->type)) return true;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (is_quant(op->results[i].type)) return true;
    if (op->kind != WEFT_OP_func) return false;
    const weft_type *t = weft_func_type(op);
    for (uint32_t i = 0; i < t->part_count; i++)
        if (is_quant(t->parts[i])) return true;
    return false;
}

static weft_status offer(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    if (!math_of[op->kind] || !wanted(op)) return WEFT_OK;
    weft_status st = math_of[op->kind](r, b, op);
    *did = WEFT_DONE;
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) {
        weft_value *v = r->map.to[op->results[i].id];
        if (!v) return weft_oom();
        v->hint = op->results[i].hint;
    }
    return st;
}

static weft_status look_at(void *user, weft_op *op) {
    bool *found = user;
    *found = *found || wanted(op);
    return WEFT_OK;
}

weft_status weft_pass_quant_to_math(weft_pass *p, const weft_module *in, weft_module **out) {
    (void)p;
    bool found = false;
    weft_status st = weft_module_walk(in, look_at, &found);
    if (st != WEFT_OK || !found) return st;
    weft_arena arena;
    weft_arena_init(&arena, &in->cx->chunks);
    st = weft_rewrite_module(&(weft_rewrite){ .op = offer, .type = plain_of }, in, &arena, out);
    weft_arena_free(&arena);
    return st;
}
