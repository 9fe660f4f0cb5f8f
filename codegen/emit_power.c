/* emit_power.c: x^y, and the remainder of a division.
 *
 * f32: 2^(y log2 |x|) in f64, whose logarithm and exponential need be right to 2^-34 and 2^-29 only: |y log2 |x|| is at
 * most 150 where the result is a number. f64: e^(y log |x|) with the logarithm to 64 bits, as a sum of two numbers.
 * Integers: square and multiply. Special cases: IEEE 754-2019, 9.2.1. Method and coefficients: as emit_math.c.
 */
#include <math.h>
#include "codegen/emit_fx.h"

/* log2 of the positive, finite f32s in a, which are normal numbers as f64. */
static fx_value log2_of(const fx *d, fx_value a) {
    static const double c[] = { 2.88539008179020302, 0.961796673199876802, 0.577083611598823355, 0.411671133955542039,
                                0.340759362460485867 };
    fx_value bits = fx_to_bits(d, a);
    fx_value n =
        LLVMBuildAShr(d->b, LLVMBuildSub(d->b, bits, fx_whole(d, 0x3fe6a09e667f3bcd), ""), fx_whole(d, 52), "");
    fx_value m = fx_from_bits(d, LLVMBuildSub(d->b, bits, LLVMBuildShl(d->b, n, fx_whole(d, 52), ""), "")),
             one = fx_num(d, 1);
    fx_value s = fx_div(d, fx_sub(d, m, one), fx_add(d, m, one));
    return fx_fma(d, s, FX_POLY(d, fx_mul(d, s, s), c), LLVMBuildSIToFP(d->b, n, fx_type(d), ""));
}

/* 2^t rounded to f32, for any t but NaN. */
static fx_value exp2_of(const fx *d, fx_value t) {
    static const double c[] = { 1.0000000005541672,     0.693147205737195073,   0.240226468906381232,
                                0.0555032877709557746,  0.00961848895714291347, 0.00133999311825782843,
                                0.000153458119484710191 };
    fx_value i, low = fx_num(d, -200), high = fx_num(d, 200);
    t = fx_select(d, fx_is(d, LLVMRealOLT, t, low), low, fx_select(d, fx_is(d, LLVMRealOGT, t, high), high, t));
    fx_value r = fx_sub(d, t, fx_round(d, t, &i));
    return fx_narrow(d, fx_mul(d, FX_POLY(d, r, c), fx_exp2_int(d, i)));
}

static fx_value power_f32(const fx *x, fx_value size, fx_value y) {
    fx d = fx_with(x, WEFT_F64);
    return exp2_of(&d, fx_mul(&d, fx_wide(x, y), log2_of(&d, fx_wide(x, size))));
}

/* A number as the sum of two, the second at most half a unit in the last place of the first. */
typedef struct pair { fx_value high, low; } pair;

static pair product(const fx *x, fx_value a, fx_value c) {
    fx_value p = fx_mul(x, a, c);
    return (pair){ p, fx_fma(x, a, c, fx_neg(x, p)) };
}

static pair sum(const fx *x, fx_value a, fx_value c) { /* |a| >= |c|: T. Dekker, 1971 */
    fx_value s = fx_add(x, a, c);
    return (pair){ s, fx_add(x, fx_sub(x, a, s), c) };
}

/* log m for m in [sqrt(1/2), sqrt(2)], to 2^-64 of itself: with s = (m - 1) / (m + 1), s (2 + 2/3 s^2) in pairs and s^5
 * P(s^2). */
static pair log_near_one(const fx *x, fx_value m) {
    static const double c[] = { 0.400000000000000276, 0.285714285713371037, 0.222222222716865061, 0.181818081587749361,
                                0.153855808792810279, 0.13285765726597164,  0.129158791435597606 };
    fx_value one = fx_num(x, 1), f = fx_sub(x, m, one), d = fx_add(x, m, one), d_low = fx_sub(x, m, fx_sub(x, d, one));
    fx_value inverse = fx_div(x, one, d), s = fx_mul(x, f, inverse), minus = fx_neg(x, s);
    fx_value s_low = fx_mul(x, fx_fma(x, minus, d_low, fx_fma(x, minus, d, f)), inverse);
    pair z = product(x, s, s), u = product(x, z.high, fx_num(x, 0x1.5555555555555p-1));
    z.low = fx_fma(x, fx_add(x, s, s), s_low, z.low);
    u.low = fx_add(x, u.low, fx_fma(x, z.high, fx_num(x, 0x1.5555555555555p-55), fx_mul(x, z.low, fx_num(x, 2.0 / 3))));
    fx_value rest = fx_mul(x, fx_mul(x, z.high, z.high), FX_POLY(x, z.high, c));
    pair t = sum(x, u.high, fx_add(x, u.low, rest)), st = product(x, s, t.high);
    st.low = fx_add(x, st.low, fx_fma(x, s, t.low, fx_mul(x, s_low, t.high)));
    pair l = sum(x, fx_add(x, s, s), st.high);
    l.low = fx_add(x, l.low, fx_fma(x, fx_num(x, 2), s_low, st.low));
    return l;
}

/* size^y for a size that is neither zero nor infinite. */
static fx_value power_f64(const fx *x, fx_value size, fx_value y) {
    fx_value n, m = fx_split(x, size, &n);
    /* the constant has 12 bits to spare */
    pair l = log_near_one(x, m), whole = sum(x, fx_mul(x, n, fx_num(x, 0x1.62e42fefa3p-1)), l.high);
    whole.low = fx_add(x, whole.low, fx_fma(x, n, fx_num(x, 0x1.3de6af278ece6p-42), l.low));
    pair t = product(x, y, whole.high);
    t.low = fx_fma(x, y, whole.low, t.low);
    fx_value far = fx_is(x, LLVMRealOGT, fx_abs(x, t.high), fx_num(x, 800));
    t.low = fx_select(x, far, fx_num(x, 0), t.low);
    return fx_exp_of_sum(x, t.high, t.low);
}

/* The power of numbers as `usual` has it, and of all else as IEEE says. */
static fx_value with_special_cases(const fx *x, fx_value a, fx_value y, fx_value usual) {
    LLVMBuilderRef b = x->b;
    fx_value zero = fx_num(x, 0), one = fx_num(x, 1), inf = fx_num(x, INFINITY), size = fx_abs(x, a), r = usual;
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
    fx_value finite_below =
        LLVMBuildAnd(b, fx_is(x, LLVMRealOLT, a, zero), fx_is(x, LLVMRealOGT, a, fx_neg(x, inf)), "");
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
    LLVMValueRef unit = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, a[0], minus, ""),
                                        LLVMBuildSelect(b, odd, minus, one, ""), zero, "");
    unit = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, a[0], one, ""), one, unit, "");
    return LLVMBuildSelect(b, negative, unit, r, "");
}

LLVMValueRef cg_emit_power(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    fx x = fx_of(e, f);
    if (!weft_dtype_is_float(f->in)) return power_of_integers(e, f, a);
    fx_value size = fx_abs(&x, a[0]);
    return with_special_cases(&x, a[0], a[1], fx_is_wide(&x) ? power_f64(&x, size, a[1]) : power_f32(&x, size, a[1]));
}

/* x - trunc(x / y) y, exact: the quotient is right or, rounded up to a whole number, one too large, and the fused
 * difference is then a number. Lanes whose quotient has more digits than the type, or that have no remainder, call the
 * C library. */
LLVMValueRef cg_emit_float_remainder(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    fx x = fx_of(e, f);
    fx_value size = fx_abs(&x, a[0]), y = fx_abs(&x, a[1]), q = fx_trunc(&x, fx_div(&x, size, y));
    fx_value r = fx_fma(&x, fx_neg(&x, q), y, size);
    r = fx_select(&x, fx_is(&x, LLVMRealOLT, r, fx_num(&x, 0)), fx_add(&x, r, y), r);
    r = fx_copysign(&x, fx_select(&x, fx_is(&x, LLVMRealOLT, size, y), size, r), a[0]);
    fx_value rare = fx_is(&x, LLVMRealUGE, q, fx_num(&x, fx_is_wide(&x) ? 0x1p52 : 0x1p23));
    return fx_rarely(&x, rare, r, "fmod", a, 2);
}
