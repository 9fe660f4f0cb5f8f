/* emit_complex_math.c: quotients and elementary functions of complex numbers, on parts of f64.
 *
 * Branch cuts, infinities, NaN and signed zeros are C's (C17, Annex G), which NumPy has too. Magnitudes are scaled by
 * powers of two where squares would leave f64's range, and sums that cancel (|z|^2 - 1 in logarithms) are taken with
 * twice the digits.
 */
#include <math.h>
#include "codegen/emit_fx.h"

/* --- a vocabulary, so that formulas can be read ------------------------------------------------------------------- */

typedef fx_value value;

static fx f64_of(cg_emit *e, const cg_form *f) { return (fx){ e, e->b, WEFT_F64, f->lanes }; }
static value both(fx *c, value a, value b) { return LLVMBuildAnd(c->b, a, b, ""); }
static value either(fx *c, value a, value b) { return LLVMBuildOr(c->b, a, b, ""); }
static value lt(fx *c, value a, value b) { return fx_is(c, LLVMRealOLT, a, b); }
static value gt(fx *c, value a, value b) { return fx_is(c, LLVMRealOGT, a, b); }
static value eq(fx *c, value a, value b) { return fx_is(c, LLVMRealOEQ, a, b); }
static value is_nan(fx *c, value a) { return fx_is(c, LLVMRealUNO, a, a); }
static value any_nan(fx *c, cg_pair z) { return fx_is(c, LLVMRealUNO, z.re, z.im); }
static value is_zero(fx *c, value a) { return eq(c, a, fx_num(c, 0)); }

static cg_form form(const fx *c) { return (cg_form){ .in = c->t, .out = c->t, .lanes = c->lanes }; }
static value call(fx *c, cg_emit_fn fn, value a) {
    const cg_form f = form(c);
    return fn(c->e, &f, &a);
}
static value is_inf(fx *c, value a) { return eq(c, fx_abs(c, a), fx_num(c, INFINITY)); }
static value is_finite(fx *c, value a) { return lt(c, fx_abs(c, a), fx_num(c, INFINITY)); }
static value any_inf(fx *c, cg_pair z) { return either(c, is_inf(c, z.re), is_inf(c, z.im)); }
static value greater(fx *c, value a, value b) { return fx_select(c, gt(c, a, b), a, b); }
static value angle(fx *c, value y, value x) {
    value args[2] = { y, x };
    const cg_form f = form(c);
    return cg_emit_atan2(c->e, &f, args);
}
static cg_pair sel2(fx *c, value yes, cg_pair a, cg_pair b) {
    return (cg_pair){ fx_select(c, yes, a.re, b.re), fx_select(c, yes, a.im, b.im) };
}
static cg_pair times(fx *c, cg_pair z, value s) { return (cg_pair){ fx_mul(c, z.re, s), fx_mul(c, z.im, s) }; }
static cg_pair turned(fx *c, cg_pair z) { return (cg_pair){ fx_neg(c, z.im), z.re }; }        /* i z */
static cg_pair turned_back(fx *c, cg_pair z) { return (cg_pair){ z.im, fx_neg(c, z.re) }; }   /* -i z */

/* A sum as its rounded value and what the rounding left. Knuth, The Art of Computer Programming 2, 4.2.2. */
typedef struct sum { value high, low; } sum;
static sum two_sum(fx *c, value a, value b) {
    value s = fx_add(c, a, b), t = fx_sub(c, s, a);
    return (sum){ s, fx_add(c, fx_sub(c, a, fx_sub(c, s, t)), fx_sub(c, b, t)) };
}
static sum two_product(fx *c, value a, value b) {
    value p = fx_mul(c, a, b);
    return (sum){ p, fx_fma(c, a, b, fx_neg(c, p)) };
}

/* --- powers of two ------------------------------------------------------------------------------------------------ */

/* The exponent n of |x|, kept within -1022 .. 1022. */
static value exponent(fx *c, value x) {
    value n = LLVMBuildSub(c->b, LLVMBuildLShr(c->b, fx_to_bits(c, fx_abs(c, x)), fx_whole(c, 52), ""),
                           fx_whole(c, 1023), "");
    n = LLVMBuildSelect(c->b, LLVMBuildICmp(c->b, LLVMIntSLT, n, fx_whole(c, -1022), ""), fx_whole(c, -1022), n, "");
    return LLVMBuildSelect(c->b, LLVMBuildICmp(c->b, LLVMIntSGT, n, fx_whole(c, 1022), ""), fx_whole(c, 1022), n, "");
}

/* x 2^n for -2044 <= n <= 2044, in two steps. */
static cg_pair scaled(fx *c, cg_pair x, value n) {
    value half = LLVMBuildAShr(c->b, n, fx_whole(c, 1), "");
    return times(c, times(c, x, fx_exp2_int(c, half)), fx_exp2_int(c, LLVMBuildSub(c->b, n, half, "")));
}

/* --- magnitude and quotient --------------------------------------------------------------------------------------- */

/* |z|: scaled so that the larger part is in 1 .. 4. */
static value magnitude(fx *c, cg_pair z) {
    value n = exponent(c, greater(c, fx_abs(c, z.re), fx_abs(c, z.im)));
    cg_pair s = times(c, z, fx_exp2_int(c, LLVMBuildNeg(c->b, n, "")));
    value r = fx_mul(c, fx_sqrt(c, fx_fma(c, s.re, s.re, fx_mul(c, s.im, s.im))), fx_exp2_int(c, n));
    return fx_select(c, any_inf(c, z), fx_num(c, INFINITY), r);
}

/* Squares of f32's numbers are within f64's. */
static value magnitude_of_f32(fx *c, cg_pair z) {
    value r = fx_sqrt(c, fx_fma(c, z.re, z.re, fx_mul(c, z.im, z.im)));
    return fx_select(c, any_inf(c, z), fx_num(c, INFINITY), r);
}

static cg_pair complex_abs(cg_emit *e, const cg_form *f, const cg_pair *z) {
    fx c = f64_of(e, f);
    return (cg_pair){ f->aux == WEFT_C64 ? magnitude_of_f32(&c, z[0]) : magnitude(&c, z[0]), NULL };
}

/* a b + c d, each product exact. Kahan; Jeannerod, Louvet, Muller, Further analysis of Kahan's algorithm, 2013. */
static value two_products(fx *c, value a, value b, value x, value y) {
    value w = fx_mul(c, x, y), rest = fx_fma(c, x, y, fx_neg(c, w));
    return fx_add(c, fx_fma(c, a, b, w), fx_select(c, is_finite(c, w), rest, fx_num(c, 0)));
}

static value unit_if_inf(fx *c, value x) {
    return fx_copysign(c, fx_select(c, is_inf(c, x), fx_num(c, 1), fx_num(c, 0)), x);
}

/* C17, G.5.1: what a quotient of two NaN parts stands for. */
static cg_pair quotient_special(fx *c, cg_pair x, cg_pair y, cg_pair r) {
    value lost = both(c, is_nan(c, r.re), is_nan(c, r.im));
    value by_zero = both(c, is_zero(c, y.re), is_zero(c, y.im));
    value x_known = LLVMBuildNot(c->b, both(c, is_nan(c, x.re), is_nan(c, x.im)), "");
    cg_pair pole = times(c, x, fx_copysign(c, fx_num(c, INFINITY), y.re));
    value large = both(c, any_inf(c, x), both(c, is_finite(c, y.re), is_finite(c, y.im)));
    value tiny = both(c, any_inf(c, y), both(c, is_finite(c, x.re), is_finite(c, x.im)));
    cg_pair a = sel2(c, large, (cg_pair){ unit_if_inf(c, x.re), unit_if_inf(c, x.im) }, x);
    cg_pair b = sel2(c, tiny, (cg_pair){ unit_if_inf(c, y.re), unit_if_inf(c, y.im) }, y);
    cg_pair way = { fx_add(c, fx_mul(c, a.re, b.re), fx_mul(c, a.im, b.im)),
                    fx_sub(c, fx_mul(c, a.im, b.re), fx_mul(c, a.re, b.im)) };
    cg_pair out =
        sel2(c, either(c, large, tiny), times(c, way, fx_select(c, large, fx_num(c, INFINITY), fx_num(c, 0))), r);
    out = sel2(c, both(c, by_zero, x_known), pole, out);
    return sel2(c, lost, out, r);
}

static cg_pair quotient(fx *c, cg_pair x, cg_pair y) {
    value m = exponent(c, greater(c, fx_abs(c, x.re), fx_abs(c, x.im))),
          n = exponent(c, greater(c, fx_abs(c, y.re), fx_abs(c, y.im)));
    cg_pair a = times(c, x, fx_exp2_int(c, LLVMBuildNeg(c->b, m, ""))),
            b = times(c, y, fx_exp2_int(c, LLVMBuildNeg(c->b, n, "")));
    value d = fx_fma(c, b.re, b.re, fx_mul(c, b.im, b.im));
    cg_pair r = { fx_div(c, two_products(c, a.re, b.re, a.im, b.im), d),
                  fx_div(c, two_products(c, a.im, b.re, fx_neg(c, a.re), b.im), d) };
    return quotient_special(c, x, y, scaled(c, r, LLVMBuildSub(c->b, m, n, "")));
}

static cg_pair complex_divide(cg_emit *e, const cg_form *f, const cg_pair *z) {
    fx c = f64_of(e, f);
    return quotient(&c, z[0], z[1]);
}

/* z / |z|; NaN where a part is. */
static cg_pair complex_sign(cg_emit *e, const cg_form *f, const cg_pair *z) {
    fx c = f64_of(e, f);
    value n = exponent(&c, greater(&c, fx_abs(&c, z->re), fx_abs(&c, z->im)));
    cg_pair s = times(&c, *z, fx_exp2_int(&c, LLVMBuildNeg(c.b, n, "")));
    value m = magnitude(&c, s), nan = fx_num(&c, NAN), zero = both(&c, is_zero(&c, z->re), is_zero(&c, z->im));
    cg_pair r = sel2(&c, zero, *z, (cg_pair){ fx_div(&c, s.re, m), fx_div(&c, s.im, m) });
    return sel2(&c, any_nan(&c, *z), (cg_pair){ nan, nan }, r);
}

/* --- exponential and what is made of it --------------------------------------------------------------------------- */

/* factor * e^x, also where e^x alone overflows. */
static value exp_times(fx *c, value x, value factor) {
    value large = gt(c, x, fx_num(c, 700));
    value y = fx_select(c, large, fx_sub(c, x, fx_num(c, 700)), x);
    value r = fx_mul(c, fx_mul(c, factor, fx_select(c, large, fx_num(c, exp(700)), fx_num(c, 1))),
                     call(c, cg_emit_exponential, y));
    return fx_select(c, is_zero(c, factor), factor, r);
}

/* e^x (cos y + i sin y) */
static cg_pair exponential(fx *c, cg_pair z) {
    cg_pair turn = { call(c, cg_emit_cosine, z.im), call(c, cg_emit_sine, z.im) };
    cg_pair r = { exp_times(c, z.re, turn.re), exp_times(c, z.re, turn.im) };
    r.im = fx_select(c, is_zero(c, z.im), z.im, r.im);
    value low = eq(c, z.re, fx_num(c, -INFINITY)), high = eq(c, z.re, fx_num(c, INFINITY)),
          strange = LLVMBuildNot(c->b, is_finite(c, z.im), "");
    r = sel2(c, both(c, low, strange), (cg_pair){ fx_num(c, 0), fx_copysign(c, fx_num(c, 0), z.im) }, r);
    r.re = fx_select(c, both(c, high, strange), fx_num(c, INFINITY), r.re);
    return r;
}

static cg_pair complex_exponential(cg_emit *e, const cg_form *f, const cg_pair *z) {
    fx c = f64_of(e, f);
    return exponential(&c, *z);
}

/* e^z - 1: the real part is expm1(x) cos y - 2 sin^2(y / 2). */
static cg_pair complex_expm1(cg_emit *e, const cg_form *f, const cg_pair *z) {
    fx c = f64_of(e, f);
    value half = call(&c, cg_emit_sine, fx_mul(&c, z->im, fx_num(&c, 0.5))), turn = call(&c, cg_emit_cosine, z->im);
    cg_pair whole = exponential(&c, *z);
    value em1 = call(&c, cg_emit_exponential_minus_one, z->re);
    value near = fx_add(&c, fx_mul(&c, em1, turn), fx_mul(&c, fx_num(&c, -2), fx_mul(&c, half, half)));
    near = fx_select(&c, is_zero(&c, z->im), em1, near);
    value small = lt(&c, fx_abs(&c, z->re), fx_num(&c, 40));
    return (cg_pair){ fx_select(&c, small, near, fx_sub(&c, whole.re, fx_num(&c, 1))), whole.im };
}

/* sinh x and cosh x, each times its factor; sinh without cancellation. */
typedef struct hyperbolic { value sinh, cosh; } hyperbolic;
static hyperbolic hyperbolics(fx *c, value x, value s, value t) {
    value a = fx_abs(c, x), em1 = call(c, cg_emit_exponential_minus_one, a), up = fx_add(c, em1, fx_num(c, 1));
    value large = gt(c, a, fx_num(c, 40));
    value sinh_small = fx_mul(c, s, fx_mul(c, fx_num(c, 0.5), fx_add(c, em1, fx_div(c, em1, up))));
    value cosh_small = fx_mul(c, t, fx_add(c, fx_num(c, 1), fx_div(c, fx_mul(c, em1, em1), fx_add(c, up, up))));
    value half = fx_num(c, 0.5);
    value sh = fx_select(c, large, exp_times(c, a, fx_mul(c, half, s)), sinh_small),
          ch = fx_select(c, large, exp_times(c, a, fx_mul(c, half, t)), cosh_small);
    return (hyperbolic){ fx_select(c, LLVMBuildFCmp(c->b, LLVMRealOLT, x, fx_num(c, 0), ""), fx_neg(c, sh),
        fx_select(c, is_zero(c, x), fx_mul(c, x, s), sh)), ch };
}

/* sinh z = sinh x cos y + i cosh x sin y */
static cg_pair sinh_of(fx *c, cg_pair z) {
    value cosine = call(c, cg_emit_cosine, z.im), sine = call(c, cg_emit_sine, z.im);
    hyperbolic h = hyperbolics(c, z.re, cosine, sine);
    value real = is_zero(c, z.im), strange = LLVMBuildNot(c->b, is_finite(c, z.im), "");
    cg_pair r = { h.sinh, fx_select(c, real, z.im, h.cosh) };
    r.re = fx_select(c, both(c, is_zero(c, z.re), strange), z.re, r.re);
    r.re = fx_select(c, both(c, is_inf(c, z.re), strange), z.re, r.re);
    return r;
}

/* cosh z = cosh x cos y + i sinh x sin y */
static cg_pair cosh_of(fx *c, cg_pair z) {
    value cosine = call(c, cg_emit_cosine, z.im), sine = call(c, cg_emit_sine, z.im);
    hyperbolic h = hyperbolics(c, z.re, sine, cosine);
    value flat = either(c, is_zero(c, z.im), is_zero(c, z.re)), strange = LLVMBuildNot(c->b, is_finite(c, z.im), "");
    value signed_zero =
        fx_copysign(c, fx_num(c, 0), fx_mul(c, fx_copysign(c, fx_num(c, 1), z.re), fx_copysign(c, fx_num(c, 1), z.im)));
    cg_pair r = { h.cosh, fx_select(c, flat, signed_zero, h.sinh) };
    r.re = fx_select(c, both(c, is_inf(c, z.re), strange), fx_num(c, INFINITY), r.re);
    return r;
}

/* sin z = -i sinh iz, cos z = cosh iz */
static cg_pair complex_sine(cg_emit *e, const cg_form *f, const cg_pair *z) {
    fx c = f64_of(e, f);
    return turned_back(&c, sinh_of(&c, turned(&c, *z)));
}

static cg_pair complex_cosine(cg_emit *e, const cg_form *f, const cg_pair *z) {
    fx c = f64_of(e, f);
    return cosh_of(&c, turned(&c, *z));
}

/* Kahan, Branch Cuts for Complex Elementary Functions, 1987: with t = tan y, s = sinh x, b = 1 + t^2, r = sqrt(1 + s^2)
 * tanh z = (b r s + i t) / (1 + b s^2); far out 1 + 4 i sin y cos y / e^2x. */
static cg_pair tanh_of(fx *c, cg_pair z) {
    value one = fx_num(c, 1), sine = call(c, cg_emit_sine, z.im), cosine = call(c, cg_emit_cosine, z.im),
          t = fx_div(c, sine, cosine);
    value x = fx_select(c, gt(c, fx_abs(c, z.re), fx_num(c, 20)), fx_copysign(c, fx_num(c, 20), z.re), z.re);
    value s = hyperbolics(c, x, one, one).sinh, b = fx_fma(c, t, t, one), r = fx_sqrt(c, fx_fma(c, s, s, one)),
          d = fx_fma(c, b, fx_mul(c, s, s), one);
    cg_pair near = { fx_div(c, fx_mul(c, fx_mul(c, b, r), s), d), fx_div(c, t, d) };
    value fade = call(c, cg_emit_exponential, fx_mul(c, fx_num(c, -2), fx_abs(c, z.re)));
    value turn = fx_mul(c, fx_mul(c, fx_num(c, 4), fx_mul(c, sine, cosine)), fade), flat = is_finite(c, z.im);
    cg_pair far = { fx_copysign(c, one, z.re), fx_select(c, both(c, flat, LLVMBuildNot(c->b, is_zero(c, z.im), "")),
                                                         turn, fx_copysign(c, fx_num(c, 0), z.im)) };
    value is_far = gt(c, fx_abs(c, z.re), fx_num(c, 20));
    value lost = both(c, LLVMBuildNot(c->b, flat, ""), is_finite(c, z.re));
    far.im = fx_select(c, lost, fx_num(c, NAN), far.im);
    far.re = fx_select(c, lost, fx_num(c, NAN), far.re);
    cg_pair w = sel2(c, is_far, far, near);
    w.im = fx_select(c, is_zero(c, z.im), z.im, w.im);
    w.re = fx_select(c, is_zero(c, z.re), z.re, w.re);
    return w;
}

static cg_pair complex_tanh(cg_emit *e, const cg_form *f, const cg_pair *z) {
    fx c = f64_of(e, f);
    return tanh_of(&c, *z);
}

static cg_pair complex_tan(cg_emit *e, const cg_form *f, const cg_pair *z) {
    fx c = f64_of(e, f);
    return turned_back(&c, tanh_of(&c, turned(&c, *z)));
}

/* 1 / (1 + e^-z), with z to the right of the axis; e^z / (1 + e^z) to the left. */
static cg_pair complex_logistic(cg_emit *e, const cg_form *f, const cg_pair *z) {
    fx c = f64_of(e, f);
    value left = lt(&c, z->re, fx_num(&c, 0));
    cg_pair w = exponential(&c, sel2(&c, left, *z, (cg_pair){ fx_neg(&c, z->re), fx_neg(&c, z->im) }));
    cg_pair one = { fx_num(&c, 1), fx_num(&c, 0) };
    return quotient(&c, sel2(&c, left, w, one), (cg_pair){ fx_add(&c, one.re, w.re), w.im });
}

/* --- logarithms --------------------------------------------------------------------------------------------------- */

/* log |z|; excess: |z|^2 - 1, exact to all digits where that is small. */
static value log_magnitude(fx *c, cg_pair z, value excess) {
    value m = greater(c, fx_abs(c, z.re), fx_abs(c, z.im)), n = exponent(c, m);
    cg_pair s = times(c, z, fx_exp2_int(c, LLVMBuildNeg(c->b, n, "")));
    value square = fx_fma(c, s.re, s.re, fx_mul(c, s.im, s.im));
    value count = LLVMBuildSIToFP(c->b, n, LLVMTypeOf(m), "");
    value far = fx_add(c, fx_mul(c, fx_num(c, 0.5), call(c, cg_emit_log, square)),
                       fx_mul(c, count, fx_num(c, 0.693147180559945309417)));
    value near = fx_mul(c, fx_num(c, 0.5), call(c, cg_emit_log_plus_one, excess));
    value is_near = both(c, gt(c, excess, fx_num(c, -0.75)), lt(c, excess, fx_num(c, 3)));
    return fx_select(c, any_inf(c, z), fx_num(c, INFINITY), fx_select(c, is_near, near, far));
}

/* a + b + x^2 + y^2, where a + b is the larger part of what cancels. */
static value exact_sum(fx *c, sum a, value x, value y) {
    sum p = two_product(c, x, x), q = two_product(c, y, y);
    sum s = two_sum(c, a.high, p.high), t = two_sum(c, s.high, q.high);
    return fx_add(c, t.high, fx_add(c, fx_add(c, t.low, s.low), fx_add(c, fx_add(c, p.low, q.low), a.low)));
}

static cg_pair logarithm(fx *c, cg_pair z) {
    value excess = exact_sum(c, (sum){ fx_num(c, -1), fx_num(c, 0) }, greater(c, fx_abs(c, z.re), fx_abs(c, z.im)),
        fx_select(c, gt(c, fx_abs(c, z.re), fx_abs(c, z.im)), z.im, z.re));
    return (cg_pair){ log_magnitude(c, z, excess), angle(c, z.im, z.re) };
}

static cg_pair complex_log(cg_emit *e, const cg_form *f, const cg_pair *z) {
    fx c = f64_of(e, f);
    return logarithm(&c, *z);
}

/* |1 + z|^2 - 1 = 2x + x^2 + y^2 */
static cg_pair complex_log1p(cg_emit *e, const cg_form *f, const cg_pair *z) {
    fx c = f64_of(e, f);
    cg_pair w = { fx_add(&c, fx_num(&c, 1), z->re), z->im };
    value excess = exact_sum(&c, (sum){ fx_add(&c, z->re, z->re), fx_num(&c, 0) }, z->re, z->im);
    return (cg_pair){ log_magnitude(&c, w, excess), angle(&c, w.im, w.re) };
}

/* --- roots and powers --------------------------------------------------------------------------------------------- */

/* With z scaled by 4^-n to size 1 .. 16: t = sqrt((|x| + |z|) / 2), the other part is y / 2t. */
static cg_pair square_root(fx *c, cg_pair z) {
    value zero = fx_num(c, 0), inf = fx_num(c, INFINITY);
    value n = LLVMBuildAShr(c->b, exponent(c, greater(c, fx_abs(c, z.re), fx_abs(c, z.im))), fx_whole(c, 1), "");
    cg_pair s = times(c, z, fx_exp2_int(c, LLVMBuildMul(c->b, n, fx_whole(c, -2), "")));
    value m = fx_sqrt(c, fx_fma(c, s.re, s.re, fx_mul(c, s.im, s.im)));
    value t = fx_mul(c, fx_sqrt(c, fx_mul(c, fx_num(c, 0.5), fx_add(c, fx_abs(c, s.re), m))), fx_exp2_int(c, n));
    value other = fx_div(c, fx_mul(c, fx_num(c, 0.5), z.im), t), right = LLVMBuildNot(c->b, lt(c, z.re, zero), "");
    cg_pair r = sel2(c, right, (cg_pair){ t, other }, (cg_pair){ fx_abs(c, other), fx_copysign(c, t, z.im) });
    r = sel2(c, both(c, is_zero(c, z.re), is_zero(c, z.im)), (cg_pair){ zero, z.im }, r);
    cg_pair east = { inf, fx_select(c, is_nan(c, z.im), z.im, fx_copysign(c, zero, z.im)) },
        west = { fx_select(c, is_nan(c, z.im), z.im, zero), fx_copysign(c, inf, z.im) };
    r = sel2(c, is_inf(c, z.re), sel2(c, right, east, west), r);
    return sel2(c, is_inf(c, z.im), (cg_pair){ inf, z.im }, r);
}

static cg_pair complex_sqrt(cg_emit *e, const cg_form *f, const cg_pair *z) {
    fx c = f64_of(e, f);
    return square_root(&c, *z);
}

static cg_pair complex_rsqrt(cg_emit *e, const cg_form *f, const cg_pair *z) {
    fx c = f64_of(e, f);
    return quotient(&c, (cg_pair){ fx_num(&c, 1), fx_num(&c, 0) }, square_root(&c, *z));
}

static cg_pair polar(fx *c, value r, value a) {
    cg_pair z = { fx_mul(c, r, call(c, cg_emit_cosine, a)), fx_mul(c, r, call(c, cg_emit_sine, a)) };
    return (cg_pair){ z.re, fx_select(c, is_zero(c, a), a, z.im) };
}

static cg_pair complex_cbrt(cg_emit *e, const cg_form *f, const cg_pair *z) {
    fx c = f64_of(e, f);
    return polar(&c, call(&c, cg_emit_cbrt, magnitude(&c, *z)), fx_div(&c, angle(&c, z->im, z->re), fx_num(&c, 3)));
}

/* z^w = |z|^c e^(-d arg z) at angle d log |z| + c arg z, for w = c + id. 0^0 is 1, 0^w is 0 for c > 0. */
static cg_pair complex_power(cg_emit *e, const cg_form *f, const cg_pair *z) {
    fx c = f64_of(e, f);
    const cg_pair w = z[1];
    cg_pair l = logarithm(&c, z[0]);
    value zero = fx_num(&c, 0), args[2] = { magnitude(&c, z[0]), w.re };
    value real = is_zero(&c, w.im), turn = fx_mul(&c, w.re, l.im);
    value size_of = cg_emit_power(e, f, args);
    size_of = fx_select(&c, real, size_of, exp_times(&c, fx_neg(&c, fx_mul(&c, w.im, l.im)), size_of));
    cg_pair r = polar(&c, size_of, fx_select(&c, real, turn, fx_add(&c, fx_mul(&c, w.im, l.re), turn)));
    value base_zero = both(&c, is_zero(&c, z[0].re), is_zero(&c, z[0].im));
    r = sel2(&c, both(&c, base_zero, gt(&c, w.re, zero)), (cg_pair){ zero, zero }, r);
    return sel2(&c, both(&c, real, is_zero(&c, w.re)), (cg_pair){ fx_num(&c, 1), zero }, r);
}

/* atan2(y, x) = -i log((x + iy) / sqrt(x^2 + y^2)), StableHLO's reference. */
static cg_pair complex_atan2(cg_emit *e, const cg_form *f, const cg_pair *z) {
    fx c = f64_of(e, f);
    const cg_pair y = z[0], x = z[1];
    cg_pair plus = { fx_sub(&c, x.re, y.im), fx_add(&c, x.im, y.re) },
            minus = { fx_add(&c, x.re, y.im), fx_sub(&c, x.im, y.re) };
    cg_pair square = { fx_sub(&c, fx_mul(&c, plus.re, minus.re), fx_mul(&c, plus.im, minus.im)),
        fx_add(&c, fx_mul(&c, plus.re, minus.im), fx_mul(&c, plus.im, minus.re)) };
    return turned_back(&c, logarithm(&c, quotient(&c, plus, square_root(&c, square))));
}

static const cg_complex_fn math_of[CG_OP_COUNT] = {
    [CG_OP_abs] = complex_abs,
    [CG_OP_divide] = complex_divide,
    [CG_OP_sign] = complex_sign,
    [CG_OP_exponential] = complex_exponential,
    [CG_OP_exponential_minus_one] = complex_expm1,
    [CG_OP_sine] = complex_sine,
    [CG_OP_cosine] = complex_cosine,
    [CG_OP_tanh] = complex_tanh,
    [CG_OP_tan] = complex_tan,
    [CG_OP_logistic] = complex_logistic,
    [CG_OP_log] = complex_log,
    [CG_OP_log_plus_one] = complex_log1p,
    [CG_OP_sqrt] = complex_sqrt,
    [CG_OP_rsqrt] = complex_rsqrt,
    [CG_OP_cbrt] = complex_cbrt,
    [CG_OP_power] = complex_power,
    [CG_OP_atan2] = complex_atan2,
};

cg_complex_fn cg_complex_math(cg_op op) { return math_of[op]; }
