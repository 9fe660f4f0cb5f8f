/* chlo_elementary: inverse trigonometric, hyperbolic and inverse hyperbolic functions of real numbers. */
#include <math.h>
#include "legalize/chlo.h"

static lg_value atan2_of(lg *g, lg_value y, lg_value x) { return lg_binary(g, WEFT_OP_atan2, y, x); }

/* sqrt(1 - x^2) without losing the difference near 1. */
static lg_value cosine_of_asin(lg *g, lg_value x) {
    lg_value one = lg_const(g, x, 1);
    return lg_sqrt(g, lg_mul(g, lg_sub(g, one, x), lg_add(g, one, x)));
}

/* asin s for s in [0, 9/16]: s + s^3 P(s^2), where z is s^2. */
static lg_value asin_small(lg *g, lg_value s, lg_value z) {
    static const double c[] = { 0.166666647108768376,  0.0750042390589529738, 0.044494537396755889,
                                0.0322552038620515746, 0.0120043842701157338, 0.0416685460385627579 };
    return lg_mul_add(g, lg_mul(g, s, z), lg_polynomial(g, z, c, WEFT_COUNT(c)), s);
}

/* For |x| > 9/16 the half angle: asin x = pi/2 - 2 asin(sqrt((1 - x) / 2)), with 1 - x exact. *large tells which it is;
 * the result is asin |x| or, if large, (pi/2 - asin |x|) / 2. f32. */
static lg_value asin_or_half_rest(lg *g, lg_value size, lg_value *large) {
    *large = lg_gt(g, size, lg_const(g, size, 0.5625));
    lg_value half = lg_mul_c(g, lg_sub(g, lg_const(g, size, 1), size), 0.5);
    lg_value z = lg_select(g, *large, half, lg_mul(g, size, size));
    return asin_small(g, lg_select(g, *large, lg_sqrt(g, half), size), z);
}

static const double half_pi_lost = -0x1.777a5cp-25; /* pi/2 less its rounding to f32 */

lg_value lg_asin(lg *g, const lg_value *x, lg_precision p) {
    if (p == LG_FULL) return atan2_of(g, x[0], cosine_of_asin(g, x[0]));
    lg_value large, a = asin_or_half_rest(g, lg_abs(g, x[0]), &large);
    lg_value far = lg_sub(g, lg_const(g, a, M_PI_2), lg_add_c(g, lg_add(g, a, a), -half_pi_lost));
    return lg_with_sign(g, lg_select(g, large, far, a), x[0]);
}

lg_value lg_acos(lg *g, const lg_value *x, lg_precision p) {
    if (p == LG_FULL) return atan2_of(g, cosine_of_asin(g, x[0]), x[0]);
    lg_value large, a = asin_or_half_rest(g, lg_abs(g, x[0]), &large), twice = lg_add(g, a, a);
    lg_value near = lg_sub(g, lg_const(g, a, M_PI_2), lg_add_c(g, lg_with_sign(g, a, x[0]), -half_pi_lost));
    lg_value far = lg_sub(g, lg_const(g, a, M_PI), lg_add_c(g, twice, -2 * half_pi_lost));
    lg_value is_left = lg_lt(g, x[0], lg_const(g, a, 0));
    return lg_select(g, large, lg_select(g, is_left, far, twice), near);
}

lg_value lg_atan(lg *g, const lg_value *x, lg_precision p) {
    (void)p;
    return atan2_of(g, x[0], lg_const(g, x[0], 1));
}

lg_value lg_tan(lg *g, const lg_value *x, lg_precision p) {
    (void)p;
    return lg_unary(g, WEFT_OP_tan, x[0]);
}

/* log(x + sqrt(x^2 - 1)) in t = x - 1, which is exact near 1; log x + log 2 if x^2 would overflow, NaN below 1. */
lg_value lg_acosh(lg *g, const lg_value *x, lg_precision p) {
    (void)p;
    lg_value t = lg_add_c(g, x[0], -1), root = lg_sqrt(g, lg_mul(g, t, lg_add_c(g, t, 2)));
    lg_value near = lg_unary(g, WEFT_OP_log_plus_one, lg_add(g, t, root));
    lg_value far = lg_add_c(g, lg_log(g, x[0]), M_LN2);
    lg_value y = lg_select(g, lg_gt(g, x[0], lg_const(g, x[0], 0x1p60)), far, near);
    return lg_select(g, lg_lt(g, x[0], lg_const(g, x[0], 1)), lg_const(g, x[0], NAN), y);
}

/* log(x + sqrt(x^2 + 1)) = log1p(x + x^2 / (1 + sqrt(x^2 + 1))) for x > 0; odd. */
lg_value lg_asinh(lg *g, const lg_value *x, lg_precision p) {
    (void)p;
    lg_value a = lg_abs(g, x[0]), z = lg_mul(g, a, a), root = lg_sqrt(g, lg_add_c(g, z, 1));
    lg_value near = lg_unary(g, WEFT_OP_log_plus_one, lg_add(g, a, lg_div(g, z, lg_add_c(g, root, 1))));
    lg_value far = lg_add_c(g, lg_log(g, a), M_LN2);
    return lg_with_sign(g, lg_select(g, lg_gt(g, a, lg_const(g, a, 0x1p60)), far, near), x[0]);
}

/* log((1 + x) / (1 - x)) / 2 = log1p(2x / (1 - x)) / 2 for x > 0; odd. */
lg_value lg_atanh(lg *g, const lg_value *x, lg_precision p) {
    (void)p;
    lg_value a = lg_abs(g, x[0]);
    lg_value q = lg_div(g, lg_add(g, a, a), lg_sub(g, lg_const(g, a, 1), a));
    return lg_with_sign(g, lg_mul_c(g, lg_unary(g, WEFT_OP_log_plus_one, q), 0.5), x[0]);
}

/* e^a and e^a / 2 for a >= 0, where e^a itself may overflow: beyond 64, e^(a - c) and a factor e^c / 2 with a c that
 * leaves the difference exact in f32 (a multiple of 2^-17) and has e^c / 2 within 2^-40 of an f32, and nearer
 * still to an f64. */
static lg_value half_exp(lg *g, lg_value a, lg_value *e) {
    const double c = 0x1.03edfcp+5;
    lg_value large = lg_gt(g, a, lg_const(g, a, 64));
    *e = lg_exp(g, lg_sub(g, a, lg_select(g, large, lg_const(g, a, c), lg_const(g, a, 0))));
    return lg_mul(g, *e, lg_select(g, large, lg_const(g, a, exp(c) / 2), lg_const(g, a, 0.5)));
}

lg_value lg_cosh(lg *g, const lg_value *x, lg_precision p) {
    (void)p;
    lg_value e, h = half_exp(g, lg_abs(g, x[0]), &e);
    return lg_add(g, h, lg_div(g, lg_const(g, x[0], 0.5), e));
}

/* Below 1 the series, with terms of one sign. */
lg_value lg_sinh(lg *g, const lg_value *x, lg_precision p) {
    static const double c[] = { 1.0 / 6,        1.0 / 120,        1.0 / 5040,          1.0 / 362880,
                                1.0 / 39916800, 1.0 / 6227020800, 1.0 / 1307674368000, 1.0 / 355687428096000 };
    lg_value a = lg_abs(g, x[0]), z = lg_mul(g, a, a), e, h = half_exp(g, a, &e);
    lg_value series = lg_polynomial(g, z, c, p == LG_FULL ? 8 : 5);
    lg_value near = lg_mul_add(g, lg_mul(g, a, z), series, a), far = lg_sub(g, h, lg_div(g, lg_const(g, a, 0.5), e));
    return lg_with_sign(g, lg_select(g, lg_lt(g, a, lg_const(g, a, 1)), near, far), x[0]);
}
