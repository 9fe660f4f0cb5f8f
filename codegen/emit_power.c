/* emit_power.c: x^y, and the remainder of a division.
 *
 * f32: 2^(y log2 |x|) in f64, whose logarithm and exponential need be right to 2^-34 and 2^-29 only: |y log2 |x|| is at most 150 where
 * the result is a number. f64: the C library. Integers: square and multiply. Special cases: IEEE 754-2019, 9.2.1.
 * Method and coefficients: as emit_math.c.
 */
#include <math.h>
#include "codegen/emit_fx.h"

/* log2 of the positive, finite f32s in a, which are normal numbers as f64. */
static fx_value log2_of(const fx *d, fx_value a) {
    static const double c[] = { 2.88539008179020302, 0.961796673199876802, 0.577083611598823355, 0.411671133955542039, 0.340759362460485867 };
    fx_value bits = fx_to_bits(d, a);
    fx_value n = LLVMBuildAShr(d->b, LLVMBuildSub(d->b, bits, fx_whole(d, 0x3fe6a09e667f3bcd), ""), fx_whole(d, 52), "");
    fx_value m = fx_from_bits(d, LLVMBuildSub(d->b, bits, LLVMBuildShl(d->b, n, fx_whole(d, 52), ""), "")), one = fx_num(d, 1);
    fx_value s = fx_div(d, fx_sub(d, m, one), fx_add(d, m, one));
    return fx_fma(d, s, FX_POLY(d, fx_mul(d, s, s), c), LLVMBuildSIToFP(d->b, n, fx_type(d), ""));
}

/* 2^t rounded to f32, for any t but NaN. */
static fx_value exp2_of(const fx *d, fx_value t) {
    static const double c[] = { 1.0000000005541672, 0.693147205737195073, 0.240226468906381232, 0.0555032877709557746, 0.00961848895714291347,
                                0.00133999311825782843, 0.000153458119484710191 };
    fx_value i, low = fx_num(d, -200), high = fx_num(d, 200);
    t = fx_select(d, fx_is(d, LLVMRealOLT, t, low), low, fx_select(d, fx_is(d, LLVMRealOGT, t, high), high, t));
    fx_value r = fx_sub(d, t, fx_round(d, t, &i));
    return fx_narrow(d, fx_mul(d, FX_POLY(d, r, c), fx_exp2_int(d, i)));
}

static fx_value power_f32(const fx *x, fx_value a, fx_value y) {
    fx d = fx_with(x, WEFT_F64);
    LLVMBuilderRef b = x->b;
    fx_value zero = fx_num(x, 0), one = fx_num(x, 1), inf = fx_num(x, INFINITY), size = fx_abs(x, a);
    fx_value r = exp2_of(&d, fx_mul(&d, fx_wide(x, y), log2_of(&d, fx_wide(x, size))));
    /* 0 and infinity to the power of y: one of them again, by the sign of y. */
    fx_value grows = LLVMBuildICmp(b, LLVMIntEQ, fx_is(x, LLVMRealOGT, size, one), fx_is(x, LLVMRealOGT, y, zero), "");
    fx_value end = LLVMBuildOr(b, fx_is(x, LLVMRealOEQ, a, zero), fx_is(x, LLVMRealOEQ, size, inf), "");
    end = LLVMBuildOr(b, end, fx_is(x, LLVMRealOEQ, fx_abs(x, y), inf), "");
    r = fx_select(x, end, fx_select(x, grows, inf, zero), r);
    /* A negative base: whole exponents only, and the sign of an odd one. */
    fx_value whole = fx_is(x, LLVMRealOEQ, fx_trunc(x, y), y), half = fx_mul(x, y, fx_num(x, 0.5));
    fx_value odd = LLVMBuildAnd(b, whole, fx_is(x, LLVMRealUNE, fx_trunc(x, half), half), "");
    fx_value is_negative = LLVMBuildICmp(b, LLVMIntSLT, fx_to_bits(x, a), fx_whole(x, 0), "");
    r = fx_select(x, LLVMBuildAnd(b, odd, is_negative, ""), fx_neg(x, r), r);
    fx_value finite_below = LLVMBuildAnd(b, fx_is(x, LLVMRealOLT, a, zero), fx_is(x, LLVMRealOGT, a, fx_neg(x, inf)), "");
    r = fx_select(x, LLVMBuildAnd(b, finite_below, LLVMBuildNot(b, whole, ""), ""), fx_num(x, NAN), r);
    r = fx_select(x, fx_is(x, LLVMRealUNO, a, y), fx_add(x, a, y), r);
    /* 1^y and x^0 are 1, NaN or not; (-1)^inf too. */
    fx_value is_one = LLVMBuildOr(b, fx_is(x, LLVMRealOEQ, y, zero), fx_is(x, LLVMRealOEQ, a, one), "");
    fx_value turns = LLVMBuildAnd(b, fx_is(x, LLVMRealOEQ, size, one), fx_is(x, LLVMRealOEQ, fx_abs(x, y), inf), "");
    return fx_select(x, LLVMBuildOr(b, is_one, turns, ""), one, r);
}

/* Negative exponents give 0 but for bases 1 and -1. */
static LLVMValueRef power_of_integers(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    LLVMBuilderRef b = e->b;
    const unsigned bits = weft_dtype_of(f->in)->bits;
    LLVMValueRef one = cg_integer(e, bits, f->lanes, 1), zero = cg_integer(e, bits, f->lanes, 0), r = one, base = a[0];
    for (unsigned i = 0; i < bits; i++) {
        LLVMValueRef bit = LLVMBuildAnd(b, LLVMBuildLShr(b, a[1], cg_integer(e, bits, f->lanes, i), ""), one, "");
        r = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntNE, bit, zero, ""), LLVMBuildMul(b, r, base, ""), r, "");
        base = LLVMBuildMul(b, base, base, "");
    }
    if (!weft_dtype_is_integer(f->in) || weft_dtype_of(f->in)->kind == WEFT_KIND_UINT) return r;
    LLVMValueRef minus = cg_integer(e, bits, f->lanes, -1), negative = LLVMBuildICmp(b, LLVMIntSLT, a[1], zero, "");
    LLVMValueRef odd = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildAnd(b, a[1], one, ""), zero, "");
    LLVMValueRef unit = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, a[0], minus, ""), LLVMBuildSelect(b, odd, minus, one, ""), zero, "");
    unit = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, a[0], one, ""), one, unit, "");
    return LLVMBuildSelect(b, negative, unit, r, "");
}

LLVMValueRef cg_emit_power(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    fx x = fx_of(e, f);
    if (!weft_dtype_is_float(f->in)) return power_of_integers(e, f, a);
    return fx_is_wide(&x) ? cg_libm(e, "pow", f, a, 2) : power_f32(&x, a[0], a[1]);
}
