/* emit_complex_math.c: quotients and elementary functions of complex numbers, on parts of f64.
 *
 * Branch cuts, infinities, NaN and signed zeros are C's (C17, Annex G), which NumPy has too. Magnitudes are scaled by powers of
 * two where squares would leave f64's range, and sums that cancel (|z|^2 - 1 in logarithms) are taken with twice the digits.
 */
#include <math.h>
#include "codegen/emit.h"

/* --- a vocabulary, so that formulas can be read ------------------------------------------------------------------------- */

typedef struct calc { cg_emit *e; const cg_form *f; LLVMBuilderRef b; } calc;
typedef LLVMValueRef value;

static calc calc_of(cg_emit *e, const cg_form *f) { return (calc){ e, f, e->b }; }
static value num(calc *c, double v) { return cg_float(c->e, WEFT_F64, c->f->lanes, v); }
static value add(calc *c, value a, value b) { return LLVMBuildFAdd(c->b, a, b, ""); }
static value sub(calc *c, value a, value b) { return LLVMBuildFSub(c->b, a, b, ""); }
static value mul(calc *c, value a, value b) { return LLVMBuildFMul(c->b, a, b, ""); }
static value quo(calc *c, value a, value b) { return LLVMBuildFDiv(c->b, a, b, ""); }
static value neg(calc *c, value a) { return LLVMBuildFNeg(c->b, a, ""); }
static value sel(calc *c, value yes, value a, value b) { return LLVMBuildSelect(c->b, yes, a, b, ""); }
static value both(calc *c, value a, value b) { return LLVMBuildAnd(c->b, a, b, ""); }
static value either(calc *c, value a, value b) { return LLVMBuildOr(c->b, a, b, ""); }
static value lt(calc *c, value a, value b) { return LLVMBuildFCmp(c->b, LLVMRealOLT, a, b, ""); }
static value gt(calc *c, value a, value b) { return LLVMBuildFCmp(c->b, LLVMRealOGT, a, b, ""); }
static value eq(calc *c, value a, value b) { return LLVMBuildFCmp(c->b, LLVMRealOEQ, a, b, ""); }
static value is_nan(calc *c, value a) { return LLVMBuildFCmp(c->b, LLVMRealUNO, a, a, ""); }
static value any_nan(calc *c, cg_pair z) { return LLVMBuildFCmp(c->b, LLVMRealUNO, z.re, z.im, ""); }
static value is_zero(calc *c, value a) { return eq(c, a, num(c, 0)); }

static value call(calc *c, cg_emit_fn fn, value a) { return fn(c->e, c->f, &a); }
static value intrinsic(calc *c, const char *name, value a, value b, value d) {
    value args[3] = { a, b, d };
    return cg_intrinsic1(c->e, name, LLVMTypeOf(a), args, !b ? 1 : !d ? 2 : 3);
}
static value fma_(calc *c, value a, value b, value d) { return intrinsic(c, "llvm.fma", a, b, d); }
static value size(calc *c, value a) { return intrinsic(c, "llvm.fabs", a, NULL, NULL); }
static value root(calc *c, value a) { return intrinsic(c, "llvm.sqrt", a, NULL, NULL); }
static value with_sign(calc *c, value a, value sign) { return intrinsic(c, "llvm.copysign", a, sign, NULL); }
static value is_inf(calc *c, value a) { return eq(c, size(c, a), num(c, INFINITY)); }
static value is_finite(calc *c, value a) { return lt(c, size(c, a), num(c, INFINITY)); }
static value any_inf(calc *c, cg_pair z) { return either(c, is_inf(c, z.re), is_inf(c, z.im)); }
static value greater(calc *c, value a, value b) { return sel(c, gt(c, a, b), a, b); }
static value angle(calc *c, value y, value x) {
    value args[2] = { y, x };
    return cg_emit_atan2(c->e, c->f, args);
}
static cg_pair sel2(calc *c, value yes, cg_pair a, cg_pair b) { return (cg_pair){ sel(c, yes, a.re, b.re), sel(c, yes, a.im, b.im) }; }
static cg_pair times(calc *c, cg_pair z, value s) { return (cg_pair){ mul(c, z.re, s), mul(c, z.im, s) }; }
static cg_pair turned(calc *c, cg_pair z) { return (cg_pair){ neg(c, z.im), z.re }; }        /* i z */
static cg_pair turned_back(calc *c, cg_pair z) { return (cg_pair){ z.im, neg(c, z.re) }; }   /* -i z */

/* A sum as its rounded value and what the rounding left. Knuth, The Art of Computer Programming 2, 4.2.2. */
typedef struct sum { value high, low; } sum;
static sum two_sum(calc *c, value a, value b) {
    value s = add(c, a, b), t = sub(c, s, a);
    return (sum){ s, add(c, sub(c, a, sub(c, s, t)), sub(c, b, t)) };
}
static sum two_product(calc *c, value a, value b) {
    value p = mul(c, a, b);
    return (sum){ p, fma_(c, a, b, neg(c, p)) };
}

/* --- powers of two ------------------------------------------------------------------------------------------------------- */

static value i64s(calc *c, int64_t v) { return cg_integer(c->e, 64, c->f->lanes, v); }
static value to_bits(calc *c, value x) { return LLVMBuildBitCast(c->b, x, cg_int(c->e, 64, c->f->lanes), ""); }
static value from_bits(calc *c, value i) { return LLVMBuildBitCast(c->b, i, cg_type(c->e, WEFT_F64, c->f->lanes), ""); }

/* The exponent n of |x|, kept within -1022 .. 1022. */
static value exponent(calc *c, value x) {
    value n = LLVMBuildSub(c->b, LLVMBuildLShr(c->b, to_bits(c, size(c, x)), i64s(c, 52), ""), i64s(c, 1023), "");
    n = LLVMBuildSelect(c->b, LLVMBuildICmp(c->b, LLVMIntSLT, n, i64s(c, -1022), ""), i64s(c, -1022), n, "");
    return LLVMBuildSelect(c->b, LLVMBuildICmp(c->b, LLVMIntSGT, n, i64s(c, 1022), ""), i64s(c, 1022), n, "");
}

/* 2^n for -1022 <= n <= 1023. */
static value power_of_two(calc *c, value n) { return from_bits(c, LLVMBuildShl(c->b, LLVMBuildAdd(c->b, n, i64s(c, 1023), ""), i64s(c, 52), "")); }

/* x 2^n for -2044 <= n <= 2044, in two steps. */
static cg_pair scaled(calc *c, cg_pair x, value n) {
    value half = LLVMBuildAShr(c->b, n, i64s(c, 1), "");
    return times(c, times(c, x, power_of_two(c, half)), power_of_two(c, LLVMBuildSub(c->b, n, half, "")));
}

/* --- magnitude and quotient ------------------------------------------------------------------------------------------------ */

/* |z|: scaled so that the larger part is in 1 .. 4. */
static value magnitude(calc *c, cg_pair z) {
    value n = exponent(c, greater(c, size(c, z.re), size(c, z.im)));
    cg_pair s = times(c, z, power_of_two(c, LLVMBuildNeg(c->b, n, "")));
    value r = mul(c, root(c, fma_(c, s.re, s.re, mul(c, s.im, s.im))), power_of_two(c, n));
    return sel(c, any_inf(c, z), num(c, INFINITY), r);
}

static cg_pair complex_abs(cg_emit *e, const cg_form *f, const cg_pair *z) {
    calc c = calc_of(e, f);
    return (cg_pair){ magnitude(&c, z[0]), NULL };
}

/* a b + c d, each product exact. Kahan; Jeannerod, Louvet, Muller, Further analysis of Kahan's algorithm, 2013. */
static value two_products(calc *c, value a, value b, value x, value y) {
    value w = mul(c, x, y), rest = fma_(c, x, y, neg(c, w));
    return add(c, fma_(c, a, b, w), sel(c, is_finite(c, w), rest, num(c, 0)));
}

static value unit_if_inf(calc *c, value x) { return with_sign(c, sel(c, is_inf(c, x), num(c, 1), num(c, 0)), x); }

/* C17, G.5.1: what a quotient of two NaN parts stands for. */
static cg_pair quotient_special(calc *c, cg_pair x, cg_pair y, cg_pair r) {
    value lost = both(c, is_nan(c, r.re), is_nan(c, r.im));
    value by_zero = both(c, is_zero(c, y.re), is_zero(c, y.im));
    value x_known = LLVMBuildNot(c->b, both(c, is_nan(c, x.re), is_nan(c, x.im)), "");
    cg_pair pole = times(c, x, with_sign(c, num(c, INFINITY), y.re));
    value large = both(c, any_inf(c, x), both(c, is_finite(c, y.re), is_finite(c, y.im)));
    value tiny = both(c, any_inf(c, y), both(c, is_finite(c, x.re), is_finite(c, x.im)));
    cg_pair a = sel2(c, large, (cg_pair){ unit_if_inf(c, x.re), unit_if_inf(c, x.im) }, x);
    cg_pair b = sel2(c, tiny, (cg_pair){ unit_if_inf(c, y.re), unit_if_inf(c, y.im) }, y);
    cg_pair way = { add(c, mul(c, a.re, b.re), mul(c, a.im, b.im)), sub(c, mul(c, a.im, b.re), mul(c, a.re, b.im)) };
    cg_pair out = sel2(c, either(c, large, tiny), times(c, way, sel(c, large, num(c, INFINITY), num(c, 0))), r);
    out = sel2(c, both(c, by_zero, x_known), pole, out);
    return sel2(c, lost, out, r);
}

static cg_pair quotient(calc *c, cg_pair x, cg_pair y) {
    value m = exponent(c, greater(c, size(c, x.re), size(c, x.im))), n = exponent(c, greater(c, size(c, y.re), size(c, y.im)));
    cg_pair a = times(c, x, power_of_two(c, LLVMBuildNeg(c->b, m, ""))), b = times(c, y, power_of_two(c, LLVMBuildNeg(c->b, n, "")));
    value d = fma_(c, b.re, b.re, mul(c, b.im, b.im));
    cg_pair r = { quo(c, two_products(c, a.re, b.re, a.im, b.im), d), quo(c, two_products(c, a.im, b.re, neg(c, a.re), b.im), d) };
    return quotient_special(c, x, y, scaled(c, r, LLVMBuildSub(c->b, m, n, "")));
}

static cg_pair complex_divide(cg_emit *e, const cg_form *f, const cg_pair *z) {
    calc c = calc_of(e, f);
    return quotient(&c, z[0], z[1]);
}

/* z / |z|; NaN where a part is. */
static cg_pair complex_sign(cg_emit *e, const cg_form *f, const cg_pair *z) {
    calc c = calc_of(e, f);
    value n = exponent(&c, greater(&c, size(&c, z->re), size(&c, z->im)));
    cg_pair s = times(&c, *z, power_of_two(&c, LLVMBuildNeg(c.b, n, "")));
    value m = magnitude(&c, s), nan = num(&c, NAN), zero = both(&c, is_zero(&c, z->re), is_zero(&c, z->im));
    cg_pair r = sel2(&c, zero, *z, (cg_pair){ quo(&c, s.re, m), quo(&c, s.im, m) });
    return sel2(&c, any_nan(&c, *z), (cg_pair){ nan, nan }, r);
}

/* --- exponential and what is made of it -------------------------------------------------------------------------------------- */

/* factor * e^x, also where e^x alone overflows. */
static value exp_times(calc *c, value x, value factor) {
    value large = gt(c, x, num(c, 700));
    value y = sel(c, large, sub(c, x, num(c, 700)), x);
    value r = mul(c, mul(c, factor, sel(c, large, num(c, exp(700)), num(c, 1))), call(c, cg_emit_exponential, y));
    return sel(c, is_zero(c, factor), factor, r);
}

/* e^x (cos y + i sin y) */
static cg_pair exponential(calc *c, cg_pair z) {
    cg_pair turn = { call(c, cg_emit_cosine, z.im), call(c, cg_emit_sine, z.im) };
    cg_pair r = { exp_times(c, z.re, turn.re), exp_times(c, z.re, turn.im) };
    r.im = sel(c, is_zero(c, z.im), z.im, r.im);
    value low = eq(c, z.re, num(c, -INFINITY)), high = eq(c, z.re, num(c, INFINITY)), strange = LLVMBuildNot(c->b, is_finite(c, z.im), "");
    r = sel2(c, both(c, low, strange), (cg_pair){ num(c, 0), with_sign(c, num(c, 0), z.im) }, r);
    r.re = sel(c, both(c, high, strange), num(c, INFINITY), r.re);
    return r;
}

static cg_pair complex_exponential(cg_emit *e, const cg_form *f, const cg_pair *z) {
    calc c = calc_of(e, f);
    return exponential(&c, *z);
}

/* e^z - 1: the real part is expm1(x) cos y - 2 sin^2(y / 2). */
static cg_pair complex_expm1(cg_emit *e, const cg_form *f, const cg_pair *z) {
    calc c = calc_of(e, f);
    value half = call(&c, cg_emit_sine, mul(&c, z->im, num(&c, 0.5))), turn = call(&c, cg_emit_cosine, z->im);
    cg_pair whole = exponential(&c, *z);
    value em1 = call(&c, cg_emit_exponential_minus_one, z->re);
    value near = add(&c, mul(&c, em1, turn), mul(&c, num(&c, -2), mul(&c, half, half)));
    near = sel(&c, is_zero(&c, z->im), em1, near);
    value small = lt(&c, size(&c, z->re), num(&c, 40));
    return (cg_pair){ sel(&c, small, near, sub(&c, whole.re, num(&c, 1))), whole.im };
}

/* sinh x and cosh x, each times its factor; sinh without cancellation. */
typedef struct hyperbolic { value sinh, cosh; } hyperbolic;
static hyperbolic hyperbolics(calc *c, value x, value s, value t) {
    value a = size(c, x), em1 = call(c, cg_emit_exponential_minus_one, a), up = add(c, em1, num(c, 1));
    value large = gt(c, a, num(c, 40));
    value sinh_small = mul(c, s, mul(c, num(c, 0.5), add(c, em1, quo(c, em1, up))));
    value cosh_small = mul(c, t, add(c, num(c, 1), quo(c, mul(c, em1, em1), add(c, up, up))));
    value half = num(c, 0.5);
    value sh = sel(c, large, exp_times(c, a, mul(c, half, s)), sinh_small), ch = sel(c, large, exp_times(c, a, mul(c, half, t)), cosh_small);
    return (hyperbolic){ sel(c, LLVMBuildFCmp(c->b, LLVMRealOLT, x, num(c, 0), ""), neg(c, sh), sel(c, is_zero(c, x), mul(c, x, s), sh)), ch };
}

/* sinh z = sinh x cos y + i cosh x sin y */
static cg_pair sinh_of(calc *c, cg_pair z) {
    value cosine = call(c, cg_emit_cosine, z.im), sine = call(c, cg_emit_sine, z.im);
    hyperbolic h = hyperbolics(c, z.re, cosine, sine);
    value real = is_zero(c, z.im), strange = LLVMBuildNot(c->b, is_finite(c, z.im), "");
    cg_pair r = { h.sinh, sel(c, real, z.im, h.cosh) };
    r.re = sel(c, both(c, is_zero(c, z.re), strange), z.re, r.re);
    r.re = sel(c, both(c, is_inf(c, z.re), strange), z.re, r.re);
    return r;
}

/* cosh z = cosh x cos y + i sinh x sin y */
static cg_pair cosh_of(calc *c, cg_pair z) {
    value cosine = call(c, cg_emit_cosine, z.im), sine = call(c, cg_emit_sine, z.im);
    hyperbolic h = hyperbolics(c, z.re, sine, cosine);
    value flat = either(c, is_zero(c, z.im), is_zero(c, z.re)), strange = LLVMBuildNot(c->b, is_finite(c, z.im), "");
    value signed_zero = with_sign(c, num(c, 0), mul(c, with_sign(c, num(c, 1), z.re), with_sign(c, num(c, 1), z.im)));
    cg_pair r = { h.cosh, sel(c, flat, signed_zero, h.sinh) };
    r.re = sel(c, both(c, is_inf(c, z.re), strange), num(c, INFINITY), r.re);
    return r;
}

/* sin z = -i sinh iz, cos z = cosh iz */
static cg_pair complex_sine(cg_emit *e, const cg_form *f, const cg_pair *z) {
    calc c = calc_of(e, f);
    return turned_back(&c, sinh_of(&c, turned(&c, *z)));
}

static cg_pair complex_cosine(cg_emit *e, const cg_form *f, const cg_pair *z) {
    calc c = calc_of(e, f);
    return cosh_of(&c, turned(&c, *z));
}

/* Kahan, Branch Cuts for Complex Elementary Functions, 1987: with t = tan y, s = sinh x, b = 1 + t^2, r = sqrt(1 + s^2)
 * tanh z = (b r s + i t) / (1 + b s^2); far out 1 + 4 i sin y cos y / e^2x. */
static cg_pair tanh_of(calc *c, cg_pair z) {
    value one = num(c, 1), sine = call(c, cg_emit_sine, z.im), cosine = call(c, cg_emit_cosine, z.im), t = quo(c, sine, cosine);
    value x = sel(c, gt(c, size(c, z.re), num(c, 20)), with_sign(c, num(c, 20), z.re), z.re);
    value s = hyperbolics(c, x, one, one).sinh, b = fma_(c, t, t, one), r = root(c, fma_(c, s, s, one)), d = fma_(c, b, mul(c, s, s), one);
    cg_pair near = { quo(c, mul(c, mul(c, b, r), s), d), quo(c, t, d) };
    value fade = call(c, cg_emit_exponential, mul(c, num(c, -2), size(c, z.re)));
    value turn = mul(c, mul(c, num(c, 4), mul(c, sine, cosine)), fade), flat = is_finite(c, z.im);
    cg_pair far = { with_sign(c, one, z.re), sel(c, both(c, flat, LLVMBuildNot(c->b, is_zero(c, z.im), "")), turn, with_sign(c, num(c, 0), z.im)) };
    value is_far = gt(c, size(c, z.re), num(c, 20));
    value lost = both(c, LLVMBuildNot(c->b, flat, ""), is_finite(c, z.re));
    far.im = sel(c, lost, num(c, NAN), far.im);
    far.re = sel(c, lost, num(c, NAN), far.re);
    cg_pair w = sel2(c, is_far, far, near);
    w.im = sel(c, is_zero(c, z.im), z.im, w.im);
    w.re = sel(c, is_zero(c, z.re), z.re, w.re);
    return w;
}

static cg_pair complex_tanh(cg_emit *e, const cg_form *f, const cg_pair *z) {
    calc c = calc_of(e, f);
    return tanh_of(&c, *z);
}

static cg_pair complex_tan(cg_emit *e, const cg_form *f, const cg_pair *z) {
    calc c = calc_of(e, f);
    return turned_back(&c, tanh_of(&c, turned(&c, *z)));
}

/* 1 / (1 + e^-z), with z to the right of the axis; e^z / (1 + e^z) to the left. */
static cg_pair complex_logistic(cg_emit *e, const cg_form *f, const cg_pair *z) {
    calc c = calc_of(e, f);
    value left = lt(&c, z->re, num(&c, 0));
    cg_pair w = exponential(&c, sel2(&c, left, *z, (cg_pair){ neg(&c, z->re), neg(&c, z->im) }));
    cg_pair one = { num(&c, 1), num(&c, 0) };
    return quotient(&c, sel2(&c, left, w, one), (cg_pair){ add(&c, one.re, w.re), w.im });
}

/* --- logarithms ------------------------------------------------------------------------------------------------------------ */

/* log |z|; excess: |z|^2 - 1, exact to all digits where that is small. */
static value log_magnitude(calc *c, cg_pair z, value excess) {
    value m = greater(c, size(c, z.re), size(c, z.im)), n = exponent(c, m);
    cg_pair s = times(c, z, power_of_two(c, LLVMBuildNeg(c->b, n, "")));
    value square = fma_(c, s.re, s.re, mul(c, s.im, s.im));
    value count = LLVMBuildSIToFP(c->b, n, LLVMTypeOf(m), "");
    value far = add(c, mul(c, num(c, 0.5), call(c, cg_emit_log, square)), mul(c, count, num(c, 0.693147180559945309417)));
    value near = mul(c, num(c, 0.5), call(c, cg_emit_log_plus_one, excess));
    value is_near = both(c, gt(c, excess, num(c, -0.75)), lt(c, excess, num(c, 3)));
    return sel(c, any_inf(c, z), num(c, INFINITY), sel(c, is_near, near, far));
}

/* a + b + x^2 + y^2, where a + b is the larger part of what cancels. */
static value exact_sum(calc *c, sum a, value x, value y) {
    sum p = two_product(c, x, x), q = two_product(c, y, y);
    sum s = two_sum(c, a.high, p.high), t = two_sum(c, s.high, q.high);
    return add(c, t.high, add(c, add(c, t.low, s.low), add(c, add(c, p.low, q.low), a.low)));
}

static cg_pair logarithm(calc *c, cg_pair z) {
    value excess = exact_sum(c, (sum){ num(c, -1), num(c, 0) }, greater(c, size(c, z.re), size(c, z.im)), sel(c, gt(c, size(c, z.re), size(c, z.im)), z.im, z.re));
    return (cg_pair){ log_magnitude(c, z, excess), angle(c, z.im, z.re) };
}

static cg_pair complex_log(cg_emit *e, const cg_form *f, const cg_pair *z) {
    calc c = calc_of(e, f);
    return logarithm(&c, *z);
}

/* |1 + z|^2 - 1 = 2x + x^2 + y^2 */
static cg_pair complex_log1p(cg_emit *e, const cg_form *f, const cg_pair *z) {
    calc c = calc_of(e, f);
    cg_pair w = { add(&c, num(&c, 1), z->re), z->im };
    value excess = exact_sum(&c, (sum){ add(&c, z->re, z->re), num(&c, 0) }, z->re, z->im);
    return (cg_pair){ log_magnitude(&c, w, excess), angle(&c, w.im, w.re) };
}

/* --- roots and powers -------------------------------------------------------------------------------------------------------- */

/* With z scaled by 4^-n to size 1 .. 16: t = sqrt((|x| + |z|) / 2), the other part is y / 2t. */
static cg_pair square_root(calc *c, cg_pair z) {
    value zero = num(c, 0), inf = num(c, INFINITY);
    value n = LLVMBuildAShr(c->b, exponent(c, greater(c, size(c, z.re), size(c, z.im))), i64s(c, 1), "");
    cg_pair s = times(c, z, power_of_two(c, LLVMBuildMul(c->b, n, i64s(c, -2), "")));
    value m = root(c, fma_(c, s.re, s.re, mul(c, s.im, s.im)));
    value t = mul(c, root(c, mul(c, num(c, 0.5), add(c, size(c, s.re), m))), power_of_two(c, n));
    value other = quo(c, mul(c, num(c, 0.5), z.im), t), right = LLVMBuildNot(c->b, lt(c, z.re, zero), "");
    cg_pair r = sel2(c, right, (cg_pair){ t, other }, (cg_pair){ size(c, other), with_sign(c, t, z.im) });
    r = sel2(c, both(c, is_zero(c, z.re), is_zero(c, z.im)), (cg_pair){ zero, z.im }, r);
    cg_pair east = { inf, sel(c, is_nan(c, z.im), z.im, with_sign(c, zero, z.im)) }, west = { sel(c, is_nan(c, z.im), z.im, zero), with_sign(c, inf, z.im) };
    r = sel2(c, is_inf(c, z.re), sel2(c, right, east, west), r);
    return sel2(c, is_inf(c, z.im), (cg_pair){ inf, z.im }, r);
}

static cg_pair complex_sqrt(cg_emit *e, const cg_form *f, const cg_pair *z) {
    calc c = calc_of(e, f);
    return square_root(&c, *z);
}

static cg_pair complex_rsqrt(cg_emit *e, const cg_form *f, const cg_pair *z) {
    calc c = calc_of(e, f);
    return quotient(&c, (cg_pair){ num(&c, 1), num(&c, 0) }, square_root(&c, *z));
}

static cg_pair polar(calc *c, value r, value a) {
    cg_pair z = { mul(c, r, call(c, cg_emit_cosine, a)), mul(c, r, call(c, cg_emit_sine, a)) };
    return (cg_pair){ z.re, sel(c, is_zero(c, a), a, z.im) };
}

static cg_pair complex_cbrt(cg_emit *e, const cg_form *f, const cg_pair *z) {
    calc c = calc_of(e, f);
    return polar(&c, call(&c, cg_emit_cbrt, magnitude(&c, *z)), quo(&c, angle(&c, z->im, z->re), num(&c, 3)));
}

/* z^w = |z|^c e^(-d arg z) at angle d log |z| + c arg z, for w = c + id. 0^0 is 1, 0^w is 0 for c > 0. */
static cg_pair complex_power(cg_emit *e, const cg_form *f, const cg_pair *z) {
    calc c = calc_of(e, f);
    const cg_pair w = z[1];
    cg_pair l = logarithm(&c, z[0]);
    value zero = num(&c, 0), args[2] = { magnitude(&c, z[0]), w.re };
    value real = is_zero(&c, w.im), turn = mul(&c, w.re, l.im);
    value size_of = cg_emit_power(e, f, args);
    size_of = sel(&c, real, size_of, exp_times(&c, neg(&c, mul(&c, w.im, l.im)), size_of));
    cg_pair r = polar(&c, size_of, sel(&c, real, turn, add(&c, mul(&c, w.im, l.re), turn)));
    value base_zero = both(&c, is_zero(&c, z[0].re), is_zero(&c, z[0].im));
    r = sel2(&c, both(&c, base_zero, gt(&c, w.re, zero)), (cg_pair){ zero, zero }, r);
    return sel2(&c, both(&c, real, is_zero(&c, w.re)), (cg_pair){ num(&c, 1), zero }, r);
}

/* atan2(y, x) = -i log((x + iy) / sqrt(x^2 + y^2)), StableHLO's reference. */
static cg_pair complex_atan2(cg_emit *e, const cg_form *f, const cg_pair *z) {
    calc c = calc_of(e, f);
    const cg_pair y = z[0], x = z[1];
    cg_pair plus = { sub(&c, x.re, y.im), add(&c, x.im, y.re) }, minus = { add(&c, x.re, y.im), sub(&c, x.im, y.re) };
    cg_pair square = { sub(&c, mul(&c, plus.re, minus.re), mul(&c, plus.im, minus.im)), add(&c, mul(&c, plus.re, minus.im), mul(&c, plus.im, minus.re)) };
    return turned_back(&c, logarithm(&c, quotient(&c, plus, square_root(&c, square))));
}

static const cg_complex_fn math_of[CG_OP_COUNT] = {
    [CG_OP_abs] = complex_abs, [CG_OP_divide] = complex_divide, [CG_OP_sign] = complex_sign, [CG_OP_exponential] = complex_exponential,
    [CG_OP_exponential_minus_one] = complex_expm1, [CG_OP_sine] = complex_sine, [CG_OP_cosine] = complex_cosine, [CG_OP_tanh] = complex_tanh,
    [CG_OP_tan] = complex_tan, [CG_OP_logistic] = complex_logistic, [CG_OP_log] = complex_log, [CG_OP_log_plus_one] = complex_log1p,
    [CG_OP_sqrt] = complex_sqrt, [CG_OP_rsqrt] = complex_rsqrt, [CG_OP_cbrt] = complex_cbrt, [CG_OP_power] = complex_power,
    [CG_OP_atan2] = complex_atan2,
};

cg_complex_fn cg_complex_math(cg_op op) { return math_of[op]; }
