/* chlo_complex: inverse and hyperbolic functions of complex numbers, part by part.
 *
 * All parts are computed in f64, which cannot overflow for f32; complex<f64> arguments beyond 2^300 have their
 * own formulas. Branch cuts and the signs of zeros are C's (ISO C, annex G). asin and its relatives: T. Hull, T.
 * Fairgrieve and P. Tang, Implementing the complex arcsine and arccosine functions using exception handling, 1997.
 */
#include <math.h>
#include "legalize/chlo.h"

typedef struct parts { lg_value re, im; } parts;

static parts parts_of(lg *g, lg_value z) {
    return (parts){ lg_convert(g, lg_real(g, z), WEFT_F64), lg_convert(g, lg_imag(g, z), WEFT_F64) };
}

static lg_value joined(lg *g, lg_value re, lg_value im, lg_precision p) {
    const weft_dtype t = p == LG_FULL ? WEFT_F64 : WEFT_F32;
    return lg_complex(g, lg_convert(g, re, t), lg_convert(g, im, t));
}

static lg_value atan2_of(lg *g, lg_value y, lg_value x) { return lg_binary(g, WEFT_OP_atan2, y, x); }
static lg_value log1p_of(lg *g, lg_value x) { return lg_unary(g, WEFT_OP_log_plus_one, x); }
static lg_value square(lg *g, lg_value x) { return lg_mul(g, x, x); }

static const double large = 0x1p300; /* its square is finite */

/* For x, y >= 0, either beyond `large`: log(2 |x + iy|). */
static lg_value log_of_large(lg *g, lg_value x, lg_value y) {
    lg_value m = lg_max(g, x, y), n = lg_min(g, x, y), inf = lg_const(g, x, INFINITY);
    lg_value y2 = lg_mul_c(g, log1p_of(g, square(g, lg_div(g, n, m))), 0.5);
    return lg_select(g, lg_eq(g, m, inf), inf, lg_add(g, lg_add_c(g, lg_log(g, m), M_LN2), y2));
}

/* With a = (|z + 1| + |z - 1|) / 2 for x = |re z|, y = |im z|: re = sqrt(a^2 - x^2) and im = log(a + sqrt(a^2 - 1)),
 * without the cancellations in a - x and a - 1; of chlo._asin_acos_kernel. */
static parts kernel(lg *g, parts z) {
    lg_value x = lg_abs(g, z.re), y = lg_abs(g, z.im), one = lg_const(g, x, 1), zero = lg_const(g, x, 0);
    lg_value up = lg_add(g, x, one), down = lg_sub(g, x, one), inside = lg_lt(g, x, one), y2 = square(g, y);
    lg_value r = lg_sqrt(g, lg_add(g, square(g, up), y2)), s = lg_sqrt(g, lg_add(g, square(g, down), y2));
    s = lg_select(g, lg_eq(g, down, zero), y, s);
    lg_value a = lg_mul_c(g, lg_add(g, r, s), 0.5), right = lg_add(g, r, up), gap = lg_abs(g, down),
             left = lg_add(g, s, gap);
    lg_value quotients = lg_mul_c(g, lg_add(g, lg_div(g, one, right), lg_div(g, one, left)), 0.5);
    lg_value whole = lg_mul_c(g, lg_add(g, lg_div(g, y2, right), left), 0.5);
    /* One of a - x and a - 1 is `whole`, the other y^2 `quotients`; its root is computed without the square. */
    lg_value on_cut = lg_eq(g, left, zero), twice = lg_add(g, a, x), next = lg_add(g, a, one);
    lg_value flat = lg_mul(g, y, lg_sqrt(g, lg_mul(g, lg_select(g, inside, next, twice), quotients)));
    lg_value steep = lg_sqrt(g, lg_mul(g, lg_select(g, inside, twice, next), whole));
    flat = lg_select(g, on_cut, zero, flat);
    lg_value less = lg_select(g, inside, lg_mul(g, lg_mul(g, y, y), quotients), whole);
    parts w = { lg_select(g, inside, steep, flat), log1p_of(g, lg_add(g, less, lg_select(g, inside, flat, steep))) };
    lg_value is_large = lg_gt(g, lg_max(g, x, y), lg_const(g, x, large));
    /* An infinity takes precedence over NaN. */
    lg_value infinite = lg_or(g, lg_eq(g, x, lg_const(g, x, INFINITY)), lg_eq(g, y, lg_const(g, y, INFINITY)));
    w.re = lg_select(g, lg_or(g, is_large, infinite), y, w.re);
    w.im = lg_select(g, is_large, log_of_large(g, x, y), w.im);
    w.im = lg_select(g, infinite, lg_const(g, x, INFINITY), w.im);
    return w;
}

lg_value lg_complex_kernel(lg *g, const lg_value *z, lg_precision p) {
    parts w = kernel(g, parts_of(g, z[0]));
    return joined(g, w.re, w.im, p);
}

lg_value lg_complex_asin(lg *g, const lg_value *z, lg_precision p) {
    parts a = parts_of(g, z[0]), w = kernel(g, a);
    return joined(g, atan2_of(g, a.re, w.re), lg_with_sign(g, w.im, a.im), p);
}

lg_value lg_complex_acos(lg *g, const lg_value *z, lg_precision p) {
    parts a = parts_of(g, z[0]), w = kernel(g, a);
    return joined(g, atan2_of(g, w.re, a.re), lg_with_sign(g, w.im, lg_neg(g, a.im)), p);
}

lg_value lg_complex_acosh(lg *g, const lg_value *z, lg_precision p) {
    parts a = parts_of(g, z[0]), w = kernel(g, a);
    return joined(g, w.im, lg_with_sign(g, atan2_of(g, w.re, a.re), a.im), p);
}

/* asin(iz) / i */
lg_value lg_complex_asinh(lg *g, const lg_value *z, lg_precision p) {
    parts a = parts_of(g, z[0]), w = kernel(g, (parts){ a.im, a.re });
    return joined(g, lg_with_sign(g, w.im, a.re), atan2_of(g, a.im, w.re), p);
}

/* re = log(|1 + z| / |1 - z|) / 2, im = (arg(1 + z) - arg(1 - z)) / 2. */
static parts atanh_of(lg *g, parts z) {
    lg_value x = lg_abs(g, z.re), y = lg_abs(g, z.im), one = lg_const(g, x, 1), zero = lg_const(g, x, 0);
    lg_value up = lg_add(g, one, x), down = lg_sub(g, one, x);
    lg_value y2 = square(g, y), apart = lg_add(g, square(g, down), y2);
    lg_value re = lg_mul_c(g, log1p_of(g, lg_div(g, lg_mul_c(g, x, 4), apart)), 0.25);
    /* if y^2 may underflow */
    lg_value beside = lg_and(g, lg_eq(g, down, zero), lg_lt(g, y, lg_const(g, y, 0x1p-60)));
    re = lg_select(g, beside, lg_mul_c(g, lg_log(g, lg_div(g, lg_const(g, x, 2), y)), 0.5), re);
    lg_value im = lg_mul_c(g, atan2_of(g, lg_add(g, y, y), lg_sub(g, lg_mul(g, down, up), y2)), 0.5);
    /* 1 / z remains of large numbers: x / |z|^2, and a right angle. */
    lg_value m = lg_max(g, x, y), u = lg_div(g, x, m), v = lg_div(g, y, m);
    lg_value far = lg_div(g, lg_div(g, u, lg_add(g, square(g, u), square(g, v))), m);
    lg_value infinite = lg_or(g, lg_eq(g, x, lg_const(g, x, INFINITY)), lg_eq(g, y, lg_const(g, y, INFINITY)));
    lg_value is_large = lg_or(g, infinite, lg_gt(g, m, lg_const(g, m, large)));
    re = lg_select(g, is_large, lg_select(g, infinite, zero, far), re);
    im = lg_select(g, is_large, lg_const(g, im, M_PI_2), im);
    return (parts){ lg_with_sign(g, re, z.re), lg_with_sign(g, im, z.im) };
}

lg_value lg_complex_atanh(lg *g, const lg_value *z, lg_precision p) {
    parts w = atanh_of(g, parts_of(g, z[0]));
    return joined(g, w.re, w.im, p);
}

/* atanh(iz) / i: the parts of z are swapped, and so are those of the result. */
lg_value lg_complex_atan(lg *g, const lg_value *z, lg_precision p) {
    parts a = parts_of(g, z[0]), w = atanh_of(g, (parts){ a.im, a.re });
    return joined(g, w.im, w.re, p);
}

/* A factor of zero takes precedence over one that overflowed: C has real results on the axes. */
static lg_value product(lg *g, lg_value a, lg_value b) {
    lg_value zero = lg_const(g, a, 0), number = lg_eq(g, a, a);
    lg_value nothing = lg_mul(g, lg_with_sign(g, lg_const(g, a, 1), a), b);
    return lg_select(g, lg_and(g, number, lg_eq(g, b, zero)), nothing, lg_mul(g, a, b));
}

static parts turned(lg *g, parts z, lg_formula first, lg_formula second) {
    lg_value c = lg_unary(g, WEFT_OP_cosine, z.im), s = lg_unary(g, WEFT_OP_sine, z.im);
    return (parts){ product(g, first(g, &z.re, LG_FULL), c), product(g, second(g, &z.re, LG_FULL), s) };
}

lg_value lg_complex_sinh(lg *g, const lg_value *z, lg_precision p) {
    parts w = turned(g, parts_of(g, z[0]), lg_sinh, lg_cosh);
    return joined(g, w.re, w.im, p);
}

lg_value lg_complex_cosh(lg *g, const lg_value *z, lg_precision p) {
    parts w = turned(g, parts_of(g, z[0]), lg_cosh, lg_sinh);
    return joined(g, w.re, w.im, p);
}
