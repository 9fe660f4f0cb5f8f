/* emit_trig.c: sine, cosine, tangent and atan2 as straight-line code, in vectors of f32 or f64.
 *
 * An angle is n pi/2 + r, |r| <= pi/4, with pi/2 in parts of 53 bits (W. Cody and W. Waite, 1980). With fused
 * multiply-adds the first difference is exact as long as n has fewer than 53 bits. f32 does this in f64, where two
 * parts leave every r right to f32's precision; f64 needs the third part and keeps what r loses. Lanes with larger
 * angles, where n would be too large for that, call the C library. Method and coefficients: as emit_math.c.
 */
#include <math.h>
#include "codegen/emit_fx.h"

static const double sin_f32[] = { -0.166666646559542733, 0.00833274666870482698, -0.000195875055219767817 };
static const double sin_f64[] = { -0.166666666666666646,  0.00833333333333092646,  -0.00019841269836724877,
                                  2.75573160849303614e-6, -2.50511281499847002e-8, 1.59178618538058648e-10 };
static const double cos_f32[] = { 0.0416666646521818853, -0.00138883013080173243, 0.0000245475360613293992 };
static const double cos_f64[] = { 0.0416666666666666654,   -0.00138888888888873833, 0.0000248015872987444365,
                                  -2.75573172606281699e-7, 2.08761439425034665e-9,  -1.13824641884175519e-11 };

enum { SINE, COSINE };
#define LARGE_F32 0x1p28 /* |x| up to which n is right, and fits 32 bits */
#define LARGE_F64 0x1p20

typedef struct angle {
    fx_value r, low;    /* the rest, and what is lost in r (f64) */
    fx_value quarter;   /* n modulo 4 in the low bits of an integer of the function's type */
} angle;

static angle reduce(const fx *d, fx_value a) {
    angle t = { 0 };
    fx_value n = fx_round(d, fx_mul(d, a, fx_num(d, 0x1.45f306dc9c883p-1)), &t.quarter);
    fx_value minus = fx_neg(d, n), first = fx_fma(d, n, fx_num(d, -0x1.921fb54442d18p+0), a),
             c = fx_num(d, 0x1.1a62633145c07p-54);
    fx_value product = fx_mul(d, n, c), below = fx_fma(d, n, c, fx_neg(d, product));
    /* high + rest is first - product, D. Knuth's two-sum */
    fx_value high = fx_sub(d, first, product), back = fx_sub(d, first, high);
    fx_value rest = fx_sub(d, fx_sub(d, first, fx_add(d, high, back)), fx_sub(d, product, back));
    rest = fx_fma(d, minus, fx_num(d, -0x1.f1976b7ed8fbcp-110), fx_sub(d, rest, below));
    t.r = fx_add(d, high, rest);
    t.low = fx_add(d, fx_sub(d, high, t.r), rest);
    return t;
}

static angle reduce_f32(const fx *x, fx_value a) {
    fx d = fx_with(x, WEFT_F64);
    angle t = { 0 };
    fx_value n = fx_round(&d, fx_mul(&d, a, fx_num(&d, 0x1.45f306dc9c883p-1)), &t.quarter);
    t.r = fx_fma(&d, n, fx_num(&d, -0x1.1a62633145c07p-54), fx_fma(&d, n, fx_num(&d, -0x1.921fb54442d18p+0), a));
    t.quarter = LLVMBuildTrunc(x->b, t.quarter, fx_int_type(x), "");
    return t;
}

/* sin(r + low) and cos(r + low), |r| <= pi/4. */
static fx_value sine_of(const fx *x, fx_value r, fx_value low, fx_value z) {
    fx_value p = fx_is_wide(x) ? FX_POLY(x, z, sin_f64) : FX_POLY(x, z, sin_f32), cube = fx_mul(x, z, p);
    fx_value t = low ? fx_fma(x, r, cube, fx_fma(x, fx_mul(x, low, z), fx_num(x, -0.5), low)) : fx_mul(x, r, cube);
    return fx_add(x, r, t);
}

static fx_value cosine_of(const fx *x, fx_value r, fx_value low, fx_value z) {
    fx_value p = fx_is_wide(x) ? FX_POLY(x, z, cos_f64) : FX_POLY(x, z, cos_f32), half = fx_num(x, 0.5),
             one = fx_num(x, 1);
    fx_value w = fx_mul(x, z, half), top = fx_sub(x, one, w), lost = fx_sub(x, fx_sub(x, one, top), w);
    if (low) lost = fx_fma(x, fx_neg(x, r), low, lost);
    return fx_add(x, top, fx_fma(x, fx_mul(x, z, z), p, lost));
}

static fx_value is_odd(const fx *x, fx_value quarter) {
    fx_value bit = LLVMBuildAnd(x->b, quarter, fx_whole(x, 1), "");
    return LLVMBuildICmp(x->b, LLVMIntNE, bit, fx_whole(x, 0), "");
}

/* sin(x + which pi/2). */
static fx_value sine_or_cosine(const fx *x, fx_value a, int which) {
    angle t = fx_is_wide(x) ? reduce(x, a) : reduce_f32(x, fx_wide(x, a));
    fx_value r = fx_is_wide(x) ? t.r : fx_narrow(x, t.r), z = fx_mul(x, r, r);
    fx_value q = LLVMBuildAdd(x->b, t.quarter, fx_whole(x, which), "");
    fx_value y = fx_select(x, is_odd(x, q), cosine_of(x, r, t.low, z), sine_of(x, r, t.low, z));
    fx_value sign = LLVMBuildShl(x->b, LLVMBuildAnd(x->b, q, fx_whole(x, 2), ""), fx_whole(x, fx_bits(x) - 2), "");
    y = fx_from_bits(x, LLVMBuildXor(x->b, fx_to_bits(x, y), sign, ""));
    if (which == SINE) y = fx_select(x, fx_is(x, LLVMRealOEQ, a, fx_num(x, 0)), a, y); /* -0 */
    fx_value rare = fx_is(x, LLVMRealOGT, fx_abs(x, a), fx_num(x, fx_is_wide(x) ? LARGE_F64 : LARGE_F32));
    return fx_rarely(x, rare, y, which == SINE ? "sin" : "cos", &a, 1);
}

LLVMValueRef cg_emit_sine(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    fx x = fx_of(e, f);
    return sine_or_cosine(&x, a[0], SINE);
}

LLVMValueRef cg_emit_cosine(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    fx x = fx_of(e, f);
    return sine_or_cosine(&x, a[0], COSINE);
}

/* sin / cos or -cos / sin, for f32 in f64 throughout. */
LLVMValueRef cg_emit_tan(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    fx x = fx_of(e, f), d = fx_with(&x, WEFT_F64);
    angle t = reduce(&d, fx_is_wide(&x) ? a[0] : fx_wide(&x, a[0]));
    fx_value z = fx_mul(&d, t.r, t.r), s = sine_of(&d, t.r, t.low, z), c = cosine_of(&d, t.r, t.low, z),
             odd = is_odd(&d, t.quarter);
    fx_value y = fx_div(&d, fx_select(&d, odd, fx_neg(&d, c), s), fx_select(&d, odd, s, c));
    if (!fx_is_wide(&x)) y = fx_narrow(&x, y);
    y = fx_select(&x, fx_is(&x, LLVMRealOEQ, a[0], fx_num(&x, 0)), a[0], y);
    fx_value rare = fx_is(&x, LLVMRealOGT, fx_abs(&x, a[0]), fx_num(&x, fx_is_wide(&x) ? LARGE_F64 : LARGE_F32));
    return fx_rarely(&x, rare, y, "tan", a, 1);
}

/* (atan q - q) / q^3 in q^2, for q in [0, 1] (f32) and [0, sqrt(2) - 1] (f64). */
static const double atan_f32[] = { -0.333332990894516479,  0.19998548294107225,    -0.142642417858464836,
                                   0.1095218632470764,     -0.0840345189994727665, 0.0579576195721332015,
                                   -0.0311778706711668619, 0.010914618400861847,   -0.00179362438189648818 };
static const double atan_f64[] = { -0.333333333333331948,  0.199999999999528196,   -0.142857142801213086,
                                   0.111111107797978562,   -0.0909089765504599689, 0.0769205842964178699,
                                   -0.0666308416061653831, 0.0584774709875234214,  -0.0503867360570545678,
                                   0.0380487385287325729,  -0.0178900848595676165 };

/* The angle of (large, small) for 0 <= small <= large, q = small / large; f64 turns by pi/4 above sqrt(2) - 1:
 * atan q = pi/4 + atan((small - large) / (small + large)). */
static fx_value angle_in_octant(const fx *x, fx_value large, fx_value small) {
    fx_value base = NULL, y = small, w = large;
    if (fx_is_wide(x)) {
        fx_value turn = fx_is(x, LLVMRealOGT, small, fx_mul(x, large, fx_num(x, 0.41421356237309503)));
        y = fx_select(x, turn, fx_sub(x, small, large), small);
        w = fx_select(x, turn, fx_add(x, small, large), large);
        base = fx_select(x, turn, fx_num(x, M_PI_4), fx_num(x, 0));
    }
    fx_value q = fx_div(x, y, w), z = fx_mul(x, q, q);
    fx_value p = fx_is_wide(x) ? FX_POLY(x, z, atan_f64) : FX_POLY(x, z, atan_f32);
    fx_value r = fx_fma(x, fx_mul(x, z, p), q, q);
    return base ? fx_add(x, base, r) : r;
}

LLVMValueRef cg_emit_atan2(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    fx x = fx_of(e, f);
    LLVMBuilderRef b = x.b;
    fx_value ys = fx_abs(&x, a[0]), xs = fx_abs(&x, a[1]), zero = fx_num(&x, 0), one = fx_num(&x, 1),
             inf = fx_num(&x, INFINITY);
    fx_value steep = fx_is(&x, LLVMRealOGT, ys, xs), large = fx_select(&x, steep, ys, xs),
             small = fx_select(&x, steep, xs, ys);
    /* Both zero: 0 / 1. Both infinite: 1 / 1. Near the end of the range f64 halves both, for their sum. */
    fx_value ends = LLVMBuildAnd(b, fx_is(&x, LLVMRealOEQ, ys, xs), fx_is(&x, LLVMRealOEQ, xs, inf), "");
    small = fx_select(&x, ends, one, small);
    large = fx_select(&x, LLVMBuildOr(b, ends, fx_is(&x, LLVMRealOEQ, large, zero), ""), one, large);
    if (fx_is_wide(&x)) {
        fx_value scale = fx_select(&x, fx_is(&x, LLVMRealOGT, large, fx_num(&x, 0x1p1000)), fx_num(&x, 0x1p-60), one);
        small = fx_mul(&x, small, scale);
        large = fx_mul(&x, large, scale);
    }
    fx_value r = angle_in_octant(&x, large, small);
    const double lost = fx_is_wide(&x) ? 0x1.1a62633145c07p-54 : -0x1.777a5cp-25; /* pi/2 less its rounding */
    fx_value turned = fx_sub(&x, fx_num(&x, M_PI_2), fx_sub(&x, r, fx_num(&x, lost)));
    r = fx_select(&x, steep, turned, r);
    fx_value back = fx_sub(&x, fx_num(&x, M_PI), fx_sub(&x, r, fx_num(&x, 2 * lost)));
    fx_value left = LLVMBuildICmp(b, LLVMIntSLT, fx_to_bits(&x, a[1]), fx_whole(&x, 0), "");
    r = fx_copysign(&x, fx_select(&x, left, back, r), a[0]);
    return fx_select(&x, fx_is(&x, LLVMRealUNO, a[0], a[1]), fx_add(&x, a[0], a[1]), r);
}
