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
