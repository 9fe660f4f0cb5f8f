/* chlo: every element-wise op of CHLO as StableHLO's ops.
 *
 * Pass chlo-legalize-to-stablehlo, as in StableHLO's own tool. Needs static shapes; other ops are left alone. Leaves:
 * no op of the table below and no chlo.broadcast_*; top_k, ragged_dot and scan stay. ChloOps.td defines the ops; the
 * formulas are explained in their files. Types narrower than f32 are computed in f32, or f64, and rounded once.
 */
#include <math.h>
#include <string.h>
#include "legalize/chlo.h"
#include "legalize/legalize.h"

/* ---- ops that depend on bits or attributes ---- */

static weft_value *constant(weft_builder *b, const weft_op *op, weft_value *const *in) {
    (void)in;
    return weft_build_constant(b, weft_op_attr(op, WEFT_A_value));
}

static weft_value *constant_like(weft_builder *b, const weft_op *op, weft_value *const *in) {
    (void)in;
    const weft_attr *v = weft_op_attr(op, WEFT_A_value);
    const weft_type *t = op->results[0].type;
    if (v->kind == WEFT_ATTR_DENSE && v->dense.splat)
        return weft_build_constant(b, weft_attr_dense(b->m->cx, t, v->dense.p, true));
    if (v->kind == WEFT_ATTR_FLOAT) return weft_build_splat(b, t, v->f);
    if (v->kind == WEFT_ATTR_BOOL || v->kind == WEFT_ATTR_INT) {
        if (!weft_dtype_is_integer(t->dtype)) return weft_build_splat(b, t, (double)v->i);
        return weft_build_constant(b, weft_attr_dense(b->m->cx, t, &v->i, true));
    }
    b->status = weft_report(b->m->cx, WEFT_D_unsupported, op->loc, "a chlo.constant_like whose value is not a number");
    return NULL;
}

static weft_value *conj_of(weft_builder *b, const weft_op *op, weft_value *const *in) {
    (void)op;
    if (in[0] && !weft_dtype_is_complex(in[0]->type->dtype)) return in[0];
    lg_value re = lg_real(b, in[0]), im = lg_imag(b, in[0]);
    return lg_complex(b, re, lg_neg(b, im));
}

static weft_value *square(weft_builder *b, const weft_op *op, weft_value *const *in) {
    (void)op;
    return lg_mul(b, in[0], in[0]);
}

static weft_value *is_inf(weft_builder *b, const weft_op *op, weft_value *const *in) {
    weft_value *x = op->kind == WEFT_OP_chlo_is_inf ? lg_abs(b, in[0]) : in[0];
    return lg_eq(b, x, lg_const(b, x, op->kind == WEFT_OP_chlo_is_neg_inf ? -INFINITY : INFINITY));
}

/* The number beside x on y's side: one more or less in the order of the bits; from zero, the smallest of y's sign. */
static weft_value *next_after(weft_builder *b, const weft_op *op, weft_value *const *in) {
    (void)op;
    lg_value x = in[0], y = in[1];
    if (!x || !y) return NULL;
    const size_t size = weft_dtype_bytes(x->type->dtype);
    const weft_dtype bits = size == 8 ? WEFT_I64 : size == 4 ? WEFT_I32 : size == 2 ? WEFT_I16 : WEFT_I8;
    lg_value xi = lg_bitcast(b, x, bits), yi = lg_bitcast(b, y, bits), nothing = lg_const(b, x, 0);
    lg_value one = lg_const(b, xi, 1), minus = lg_const(b, xi, -1),
             sign = lg_bits(b, xi, (uint64_t)1 << (8 * size - 1));
    /* away from zero */
    lg_value rising = lg_lt(b, x, y), positive = lg_gt(b, x, nothing), outward = lg_eq(b, rising, positive);
    lg_value step = lg_select(b, outward, one, minus), moved = lg_add(b, xi, step);
    lg_value least = lg_and(b, yi, sign), from_zero = lg_or(b, least, one), is_zero = lg_eq(b, x, nothing);
    lg_value next = lg_bitcast(b, lg_select(b, is_zero, from_zero, moved), x->type->dtype), same = lg_eq(b, x, y);
    lg_value x_nan = lg_ne(b, x, x), y_nan = lg_ne(b, y, y), nan = lg_or(b, x_nan, y_nan), sum = lg_add(b, x, y);
    return lg_select(b, nan, sum, lg_select(b, same, y, next));
}

/* The high half of the double-width product. 64 bits: from four products of 32-bit halves; the sign is corrected
 * afterwards, since reading a negative x as unsigned adds 2^64 y. */
static weft_value *mulhi(weft_builder *b, const weft_op *op, weft_value *const *in) {
    (void)op;
    lg_value x = in[0], y = in[1];
    if (!x || !y) return NULL;
    const weft_dtype t = x->type->dtype;
    const unsigned bits = weft_dtype_of(t)->bits;
    const bool has_sign = weft_dtype_of(t)->kind == WEFT_KIND_INT;
    if (bits <= 32) {
        lg_value p = lg_mul(b, lg_convert(b, x, has_sign ? WEFT_I64 : WEFT_UI64),
                            lg_convert(b, y, has_sign ? WEFT_I64 : WEFT_UI64));
        return lg_convert(b, lg_binary(b, WEFT_OP_shift_right_logical, p, lg_const(b, p, bits)), t);
    }
    lg_value half = lg_const(b, x, 32), mask = lg_bits(b, x, 0xffffffff), zero = lg_const(b, x, 0);
    lg_value x0 = lg_and(b, x, mask), y0 = lg_and(b, y, mask);
    lg_value x1 = lg_binary(b, WEFT_OP_shift_right_logical, x, half),
             y1 = lg_binary(b, WEFT_OP_shift_right_logical, y, half);
    lg_value low = lg_mul(b, x0, y0),
             mid = lg_add(b, lg_mul(b, x1, y0), lg_binary(b, WEFT_OP_shift_right_logical, low, half));
    lg_value mid2 = lg_add(b, lg_mul(b, x0, y1), lg_and(b, mid, mask));
    lg_value high = lg_add(b, lg_mul(b, x1, y1), lg_add(b, lg_binary(b, WEFT_OP_shift_right_logical, mid, half),
                                                        lg_binary(b, WEFT_OP_shift_right_logical, mid2, half)));
    if (!has_sign) return high;
    high = lg_sub(b, high, lg_select(b, lg_lt(b, x, zero), y, zero));
    return lg_sub(b, high, lg_select(b, lg_lt(b, y, zero), x, zero));
}

/* ---- functions ---- */

typedef enum width { SINGLE, DOUBLE } width; /* the type for computing f32; f64 is always computed in f64 */

static const struct { lg_maker make; lg_formula real, complex; width f32; } table[WEFT_OP_COUNT] = {
    [WEFT_OP_chlo_constant] = { .make = constant },
    [WEFT_OP_chlo_constant_like] = { .make = constant_like },
    [WEFT_OP_chlo_conj] = { .make = conj_of },
    [WEFT_OP_chlo_square] = { .make = square },
    [WEFT_OP_chlo_is_inf] = { .make = is_inf },
    [WEFT_OP_chlo_is_neg_inf] = { .make = is_inf },
    [WEFT_OP_chlo_is_pos_inf] = { .make = is_inf },
    [WEFT_OP_chlo_next_after] = { .make = next_after },
    [WEFT_OP_chlo_mulhi] = { .make = mulhi },
    [WEFT_OP_chlo_acos] = { .real = lg_acos, .complex = lg_complex_acos },
    [WEFT_OP_chlo_acosh] = { .real = lg_acosh, .complex = lg_complex_acosh, .f32 = DOUBLE },
    [WEFT_OP_chlo_asin] = { .real = lg_asin, .complex = lg_complex_asin },
    [WEFT_OP_chlo_asinh] = { .real = lg_asinh, .complex = lg_complex_asinh, .f32 = DOUBLE },
    [WEFT_OP_chlo_atan] = { .real = lg_atan, .complex = lg_complex_atan },
    [WEFT_OP_chlo_atanh] = { .real = lg_atanh, .complex = lg_complex_atanh, .f32 = DOUBLE },
    [WEFT_OP_chlo_cosh] = { .real = lg_cosh, .complex = lg_complex_cosh },
    [WEFT_OP_chlo_sinh] = { .real = lg_sinh, .complex = lg_complex_sinh },
    [WEFT_OP_chlo_asin_acos_kernel] = { .complex = lg_complex_kernel },
    [WEFT_OP_chlo_tan] = { .real = lg_tan, .complex = lg_tan },
    [WEFT_OP_chlo_erf] = { .real = lg_erf },
    [WEFT_OP_chlo_erfc] = { .real = lg_erfc, .f32 = DOUBLE },
    [WEFT_OP_chlo_erf_inv] = { .real = lg_erf_inv, .f32 = DOUBLE },
    [WEFT_OP_chlo_bessel_i1e] = { .real = lg_bessel_i1e, .f32 = DOUBLE },
    [WEFT_OP_chlo_lgamma] = { .real = lg_lgamma, .f32 = DOUBLE },
    [WEFT_OP_chlo_digamma] = { .real = lg_digamma, .f32 = DOUBLE },
    [WEFT_OP_chlo_zeta] = { .real = lg_zeta, .f32 = DOUBLE },
    [WEFT_OP_chlo_polygamma] = { .real = lg_polygamma, .f32 = DOUBLE },
};

static weft_value *formula(weft_builder *b, const weft_op *op, weft_value *const *in) {
    lg_value x[2] = { NULL };
    const weft_dtype t = op->results[0].type->dtype;
    const lg_precision p = t == WEFT_F64 || t == WEFT_C128 ? LG_FULL : LG_SHORT;
    if (weft_dtype_is_complex(t)) return table[op->kind].complex(b, in, p);
    const weft_dtype wide = t == WEFT_F64 || table[op->kind].f32 == DOUBLE ? WEFT_F64 : WEFT_F32;
    for (uint32_t i = 0; i < op->operand_count; i++) x[i] = lg_convert(b, in[i], wide);
    return lg_convert(b, table[op->kind].real(b, x, p), t);
}

static bool has_way(const weft_op *op) {
    if (table[op->kind].make || lg_is_broadcast(op)) return true;
    if (!op->result_count) return false;
    const weft_dtype t = op->results[0].type->dtype;
    return weft_dtype_is_complex(t) ? table[op->kind].complex != NULL
                                    : weft_dtype_is_float(t) && table[op->kind].real != NULL;
}

static weft_status legalize(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    if (!has_way(op)) return WEFT_OK;
    return lg_replace(r, b, op,
                      lg_is_broadcast(op)    ? lg_expand_broadcast
                      : table[op->kind].make ? table[op->kind].make
                                             : formula,
                      did);
}

/* broadcast_* first: some of them become ops of the table. */
weft_status weft_pass_chlo_legalize_to_stablehlo(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_module *spread = NULL;
    weft_status st = weft_pass_expand_chlo_broadcasts(p, in, &spread);
    if (st != WEFT_OK) return st;
    *out = NULL;
    st = lg_run(spread ? spread : in, legalize, has_way, out);
    if (!*out) *out = spread;
    else weft_module_free(spread);
    return st;
}
