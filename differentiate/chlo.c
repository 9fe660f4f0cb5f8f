/* chlo.c: rules of CHLO's element-wise ops. c is the cotangent of the result, y the result, x the operand. */
#include "differentiate/grad.h"

#define BEGIN                          \
    weft_builder *b = gd_b(g);         \
    weft_value *c = gd_ct(g, op, 0);   \
    weft_value *x = gd_in(g, op, 0);

/* s + t x^2 */
static weft_value *quadratic(weft_builder *b, weft_value *x, double s, double t) {
    return lg_add_c(b, lg_mul_c(b, lg_mul(b, x, x), t), s);
}

/* 1 / sqrt(s + t x^2) */
static weft_value *over_root(weft_builder *b, weft_value *x, double s, double t) {
    return lg_unary(b, WEFT_OP_rsqrt, quadratic(b, x, s, t));
}

void gd_rule_asin(gd *g, const weft_op *op) {
    BEGIN
    gd_give(g, op, 0, lg_mul(b, c, over_root(b, x, 1, -1)));
}

void gd_rule_acos(gd *g, const weft_op *op) {
    BEGIN
    gd_give(g, op, 0, lg_neg(b, lg_mul(b, c, over_root(b, x, 1, -1))));
}

void gd_rule_atan(gd *g, const weft_op *op) {
    BEGIN
    gd_give(g, op, 0, lg_div(b, c, quadratic(b, x, 1, 1)));
}

void gd_rule_asinh(gd *g, const weft_op *op) {
    BEGIN
    gd_give(g, op, 0, lg_mul(b, c, over_root(b, x, 1, 1)));
}

/* The two roots apart: their product has the right branch for complex numbers. */
void gd_rule_acosh(gd *g, const weft_op *op) {
    BEGIN
    weft_value *less = lg_unary(b, WEFT_OP_rsqrt, lg_add_c(b, x, -1));
    weft_value *more = lg_unary(b, WEFT_OP_rsqrt, lg_add_c(b, x, 1));
    gd_give(g, op, 0, lg_mul(b, c, lg_mul(b, less, more)));
}

void gd_rule_atanh(gd *g, const weft_op *op) {
    BEGIN
    gd_give(g, op, 0, lg_div(b, c, quadratic(b, x, 1, -1)));
}

void gd_rule_sinh(gd *g, const weft_op *op) {
    BEGIN
    gd_give(g, op, 0, lg_mul(b, c, lg_unary(b, WEFT_OP_chlo_cosh, x)));
}

void gd_rule_cosh(gd *g, const weft_op *op) {
    BEGIN
    gd_give(g, op, 0, lg_mul(b, c, lg_unary(b, WEFT_OP_chlo_sinh, x)));
}

void gd_rule_square(gd *g, const weft_op *op) {
    BEGIN
    gd_give(g, op, 0, lg_mul(b, c, lg_mul_c(b, x, 2)));
}

void gd_rule_conj(gd *g, const weft_op *op) {
    weft_value *c = gd_ct(g, op, 0);
    const bool complex = weft_dtype_is_complex(c->type->dtype);
    gd_give(g, op, 0, complex ? lg_unary(gd_b(g), WEFT_OP_chlo_conj, c) : c);
}

#define TWO_OVER_ROOT_PI 1.1283791670955126

/* slope exp(-x^2) */
static weft_value *bell(weft_builder *b, weft_value *x, double slope) {
    return lg_mul_c(b, lg_unary(b, WEFT_OP_exponential, lg_neg(b, lg_mul(b, x, x))), slope);
}

void gd_rule_erf(gd *g, const weft_op *op) {
    BEGIN
    gd_give(g, op, 0, lg_mul(b, c, bell(b, x, TWO_OVER_ROOT_PI)));
}

void gd_rule_erfc(gd *g, const weft_op *op) {
    BEGIN
    gd_give(g, op, 0, lg_mul(b, c, bell(b, x, -TWO_OVER_ROOT_PI)));
}

/* sqrt(pi) / 2 exp(y^2) */
void gd_rule_erf_inv(gd *g, const weft_op *op) {
    weft_builder *b = gd_b(g);
    weft_value *c = gd_ct(g, op, 0), *y = gd_out(g, op, 0);
    weft_value *slope = lg_mul_c(b, lg_unary(b, WEFT_OP_exponential, lg_mul(b, y, y)), 1 / TWO_OVER_ROOT_PI);
    gd_give(g, op, 0, lg_mul(b, c, slope));
}

/* The derivative of e^-x I1(x) in x / 4 - 1, 0 <= x <= 8, and x^(3/2) times it in 16 / x - 1, beyond
 * (codegen/coefficients.py). */
static const double i1e_slope_near[] = { -0.0164366281540574608, 0.0138665237596906509, -0.00127501888894167144,
    -0.0188608099696786535, 0.0424368224317797126, -0.0636327996345329252, 0.0770225197093643139,
    -0.0798827085026584728, 0.0730323693069014766, -0.0598734710008624238, 0.0445433383332596565,
    -0.030345664507009818, 0.0190695366271600239, -0.0111210746467975898, 0.00605006548502138489,
    -0.00308406277261569023, 0.00147890545442236209, -0.000669453684507969369, 0.000286947971396511949,
    -0.000116785866814111789, 0.0000452525065500331826, -0.0000167350387355109689, 5.91000347816841257e-6,
    -1.99367756198455185e-6, 6.51621530496808201e-7, -2.09094596986922975e-7, 6.07993707679645417e-8,
    -1.47484308057794912e-8, 4.76915774793819851e-9, -2.16360527687932815e-9, 4.74888904485529193e-10 };
static const double i1e_slope_far[] = { -0.184949652319700395, 0.0150628373175220674, 0.000593205051176238396,
    0.0000599745556520363828, 9.99902398343968472e-6, 2.51620074682694239e-6, 9.51978281328673366e-7,
    5.10416339790705997e-7, 2.74622757028340884e-7, 1.31039830566017943e-8, -2.25619315799352051e-7,
    -2.35156019610502951e-7, 2.64989174806351291e-8, 2.20829091192731704e-7, 5.90723073896881444e-8,
    -1.69829957632721618e-7, -7.35782500258437184e-8, 1.19954241610663281e-7, 5.725296972754949e-8,
    -7.1710738293390551e-8, -3.25709941416451441e-8, 3.19394443300805898e-8, 1.30435627756503738e-8,
    -9.04385311557344773e-9, -3.26482923368199359e-9, 1.19660014683426352e-9, 3.8147023832870901e-10 };

/* Computed in f64, and without i0e: that would cancel. The derivative is even. */
void gd_rule_bessel_i1e(gd *g, const weft_op *op) {
    BEGIN
    weft_value *size = lg_abs(b, lg_convert(b, x, WEFT_F64)), *one = lg_const(b, size, 1);
    weft_value *eight = lg_const(b, size, 8);
    weft_value *low = lg_add_c(b, lg_mul_c(b, lg_min(b, size, eight), 0.25), -1);
    weft_value *near = lg_polynomial(b, low, i1e_slope_near, WEFT_COUNT(i1e_slope_near));
    weft_value *inverse = lg_div(b, one, lg_max(b, size, eight)), *high = lg_add_c(b, lg_mul_c(b, inverse, 16), -1);
    weft_value *far = lg_polynomial(b, high, i1e_slope_far, WEFT_COUNT(i1e_slope_far));
    far = lg_mul(b, lg_mul(b, far, inverse), lg_sqrt(b, inverse));
    weft_value *slope = lg_select(b, lg_le(b, size, eight), near, far);
    gd_give(g, op, 0, lg_mul(b, c, gd_as(g, slope, c)));
}

void gd_rule_lgamma(gd *g, const weft_op *op) {
    BEGIN
    gd_give(g, op, 0, lg_mul(b, c, lg_unary(b, WEFT_OP_chlo_digamma, x)));
}

void gd_rule_digamma(gd *g, const weft_op *op) {
    BEGIN
    weft_value *one = lg_const(b, x, 1);
    gd_give(g, op, 0, lg_mul(b, c, lg_binary(b, WEFT_OP_chlo_polygamma, one, x)));
}

void gd_rule_polygamma(gd *g, const weft_op *op) {
    weft_builder *b = gd_b(g);
    weft_value *c = gd_ct(g, op, 0), *x = gd_in(g, op, 1), *next = lg_add_c(b, gd_in(g, op, 0), 1);
    if (gd_wants(g, op, 0)) gd_refuse(g, op, "its order is not a constant");
    else gd_give(g, op, 1, lg_mul(b, c, lg_binary(b, WEFT_OP_chlo_polygamma, next, x)));
}

/* zeta(x, q), by q. */
void gd_rule_zeta(gd *g, const weft_op *op) {
    weft_builder *b = gd_b(g);
    weft_value *c = gd_ct(g, op, 0), *x = gd_in(g, op, 0), *q = gd_in(g, op, 1);
    if (gd_wants(g, op, 0)) {
        gd_refuse(g, op, "its exponent is not a constant");
        return;
    }
    weft_value *next = lg_binary(b, WEFT_OP_chlo_zeta, lg_add_c(b, x, 1), q);
    gd_give(g, op, 1, lg_neg(b, lg_mul(b, c, lg_mul(b, x, next))));
}
