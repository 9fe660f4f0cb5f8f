/* pointwise.c: rules of ops that work element by element.
 *
 * c is the cotangent of the result, y the result, x the operand. For complex numbers the same formulas hold: a
 * cotangent is multiplied by the derivative, not by its conjugate (JAX's convention).
 */
#include "differentiate/grad.h"

/* ---- one operand ---- */

#define BEGIN                          \
    weft_builder *b = gd_b(g);         \
    weft_value *c = gd_ct(g, op, 0);

void gd_rule_negate(gd *g, const weft_op *op) {
    BEGIN
    gd_give(g, op, 0, lg_neg(b, c));
}

void gd_rule_exponential(gd *g, const weft_op *op) {
    BEGIN
    gd_give(g, op, 0, lg_mul(b, c, gd_out(g, op, 0)));
}

void gd_rule_exponential_minus_one(gd *g, const weft_op *op) {
    BEGIN
    gd_give(g, op, 0, lg_mul(b, c, lg_add_c(b, gd_out(g, op, 0), 1)));
}

void gd_rule_log(gd *g, const weft_op *op) {
    BEGIN
    gd_give(g, op, 0, lg_div(b, c, gd_in(g, op, 0)));
}

void gd_rule_log_plus_one(gd *g, const weft_op *op) {
    BEGIN
    gd_give(g, op, 0, lg_div(b, c, lg_add_c(b, gd_in(g, op, 0), 1)));
}

/* y (1 - y) */
void gd_rule_logistic(gd *g, const weft_op *op) {
    BEGIN
    weft_value *y = gd_out(g, op, 0), *rest = lg_sub(b, lg_const(b, y, 1), y);
    gd_give(g, op, 0, lg_mul(b, c, lg_mul(b, y, rest)));
}

/* 1 - y^2 */
void gd_rule_tanh(gd *g, const weft_op *op) {
    BEGIN
    weft_value *y = gd_out(g, op, 0), *square = lg_mul(b, y, y);
    gd_give(g, op, 0, lg_mul(b, c, lg_sub(b, lg_const(b, y, 1), square)));
}

/* 1 + y^2 */
void gd_rule_tan(gd *g, const weft_op *op) {
    BEGIN
    weft_value *y = gd_out(g, op, 0), *square = lg_mul(b, y, y);
    gd_give(g, op, 0, lg_mul(b, c, lg_add_c(b, square, 1)));
}

void gd_rule_sine(gd *g, const weft_op *op) {
    BEGIN
    gd_give(g, op, 0, lg_mul(b, c, lg_unary(b, WEFT_OP_cosine, gd_in(g, op, 0))));
}

void gd_rule_cosine(gd *g, const weft_op *op) {
    BEGIN
    gd_give(g, op, 0, lg_neg(b, lg_mul(b, c, lg_unary(b, WEFT_OP_sine, gd_in(g, op, 0)))));
}

/* 1 / (2 y) */
void gd_rule_sqrt(gd *g, const weft_op *op) {
    BEGIN
    weft_value *half = lg_mul_c(b, c, 0.5);
    gd_give(g, op, 0, lg_div(b, half, gd_out(g, op, 0)));
}

/* -y / (2 x) */
void gd_rule_rsqrt(gd *g, const weft_op *op) {
    BEGIN
    weft_value *slope = lg_div(b, gd_out(g, op, 0), gd_in(g, op, 0));
    gd_give(g, op, 0, lg_mul(b, c, lg_mul_c(b, slope, -0.5)));
}

/* y / (3 x) */
void gd_rule_cbrt(gd *g, const weft_op *op) {
    BEGIN
    weft_value *x = gd_in(g, op, 0), *slope = lg_div(b, gd_out(g, op, 0), lg_mul_c(b, x, 3));
    gd_give(g, op, 0, lg_mul(b, c, slope));
}

/* 1 from 0 on, else -1; of a complex number the conjugate of x / |x|, with 0 at 0 */
void gd_rule_abs(gd *g, const weft_op *op) {
    BEGIN
    weft_value *x = gd_in(g, op, 0);
    if (weft_dtype_is_complex(op->operands[0]->type->dtype)) {
        weft_value *sign = lg_unary(b, WEFT_OP_sign, x);
        weft_value *re = lg_mul(b, c, lg_real(b, sign)), *im = lg_mul(b, c, lg_imag(b, sign));
        gd_give(g, op, 0, lg_complex(b, re, lg_neg(b, im)));
    } else {
        weft_value *zero = lg_const(b, x, 0);
        gd_give(g, op, 0, lg_select(b, lg_ge(b, x, zero), c, lg_neg(b, c)));
    }
}

void gd_rule_real(gd *g, const weft_op *op) {
    BEGIN
    const bool complex = weft_dtype_is_complex(op->operands[0]->type->dtype);
    gd_give(g, op, 0, complex ? lg_complex(b, c, lg_const(b, c, 0)) : c);
}

void gd_rule_imag(gd *g, const weft_op *op) {
    BEGIN
    if (!weft_dtype_is_complex(op->operands[0]->type->dtype)) return;
    weft_value *none = lg_const(b, c, 0);
    gd_give(g, op, 0, lg_complex(b, none, lg_neg(b, c)));
}

void gd_rule_complex(gd *g, const weft_op *op) {
    BEGIN
    if (gd_wants(g, op, 0)) gd_give(g, op, 0, lg_real(b, c));
    if (gd_wants(g, op, 1)) gd_give(g, op, 1, lg_neg(b, lg_imag(b, c)));
}

/* The cotangent is converted back; of a real operand that became complex it is the real part. */
void gd_rule_convert(gd *g, const weft_op *op) {
    BEGIN
    const weft_dtype from = op->operands[0]->type->dtype, to = op->results[0].type->dtype;
    if (weft_dtype_is_complex(to) && !weft_dtype_is_complex(from)) c = lg_real(b, c);
    gd_give(g, op, 0, lg_convert(b, c, from));
}

void gd_rule_reduce_precision(gd *g, const weft_op *op) {
    BEGIN
    weft_attr_pair bits[] = { { WEFT_A_exponent_bits, weft_op_attr(op, WEFT_A_exponent_bits) },
                              { WEFT_A_mantissa_bits, weft_op_attr(op, WEFT_A_mantissa_bits) } };
    gd_give(g, op, 0, weft_build_1(b, WEFT_OP_reduce_precision, c ? c->type : NULL, &c, 1, bits, 2));
}

/* ---- two operands and more ---- */

void gd_rule_add(gd *g, const weft_op *op) {
    BEGIN
    (void)b;
    gd_give(g, op, 0, c);
    gd_give(g, op, 1, c);
}

void gd_rule_subtract(gd *g, const weft_op *op) {
    BEGIN
    gd_give(g, op, 0, c);
    if (gd_wants(g, op, 1)) gd_give(g, op, 1, lg_neg(b, c));
}

void gd_rule_multiply(gd *g, const weft_op *op) {
    BEGIN
    for (uint32_t i = 0; i < 2; i++)
        if (gd_wants(g, op, i)) gd_give(g, op, i, lg_mul(b, c, gd_in(g, op, 1 - i)));
}

/* 1 / d, and -y / d */
void gd_rule_divide(gd *g, const weft_op *op) {
    BEGIN
    weft_value *d = gd_in(g, op, 1), *over = lg_div(b, c, d);
    gd_give(g, op, 0, over);
    if (gd_wants(g, op, 1)) gd_give(g, op, 1, lg_neg(b, lg_mul(b, over, gd_out(g, op, 0))));
}

/* The operand that is the result has the cotangent; where both are, each has a half. */
static void chosen(gd *g, const weft_op *op, weft_enum_value wins) {
    BEGIN
    weft_value *x[2] = { gd_in(g, op, 0), gd_in(g, op, 1) };
    weft_value *tie = lg_eq(b, x[0], x[1]), *none = lg_const(b, c, 0), *half = lg_mul_c(b, c, 0.5);
    for (uint32_t i = 0; i < 2; i++)
        if (gd_wants(g, op, i)) {
            weft_value *won = lg_compare(b, wins, x[i], x[1 - i]);
            gd_give(g, op, i, lg_select(b, tie, half, lg_select(b, won, c, none)));
        }
}

void gd_rule_maximum(gd *g, const weft_op *op) { chosen(g, op, WEFT_comparison_direction_GT); }
void gd_rule_minimum(gd *g, const weft_op *op) { chosen(g, op, WEFT_comparison_direction_LT); }

/* e x^(e-1), which is 0 for e = 0 also at x = 0; and log(x) y, where log(x) is taken as 0 at x = 0. */
void gd_rule_power(gd *g, const weft_op *op) {
    BEGIN
    weft_value *x = gd_in(g, op, 0), *e = gd_in(g, op, 1), *zero = lg_const(b, e, 0), *one = lg_const(b, e, 1);
    if (gd_wants(g, op, 0)) {
        weft_value *flat = lg_eq(b, e, zero), *less = lg_select(b, flat, one, lg_sub(b, e, one));
        weft_value *slope = lg_mul(b, e, lg_binary(b, WEFT_OP_power, x, less));
        gd_give(g, op, 0, lg_mul(b, c, slope));
    }
    if (gd_wants(g, op, 1)) {
        weft_value *safe = lg_select(b, lg_eq(b, x, zero), lg_const(b, x, 1), x);
        gd_give(g, op, 1, lg_mul(b, c, lg_mul(b, lg_log(b, safe), gd_out(g, op, 0))));
    }
}

/* x / (x^2 + y^2) and -y / (x^2 + y^2) of atan2(y, x) */
void gd_rule_atan2(gd *g, const weft_op *op) {
    BEGIN
    weft_value *y = gd_in(g, op, 0), *x = gd_in(g, op, 1), *xx = lg_mul(b, x, x);
    weft_value *over = lg_div(b, c, lg_mul_add(b, y, y, xx));
    gd_give(g, op, 0, lg_mul(b, over, x));
    if (gd_wants(g, op, 1)) gd_give(g, op, 1, lg_neg(b, lg_mul(b, over, y)));
}

/* 1, and -(x / d) rounded towards zero */
void gd_rule_remainder(gd *g, const weft_op *op) {
    BEGIN
    gd_give(g, op, 0, c);
    if (!gd_wants(g, op, 1)) return;
    weft_value *q = lg_div(b, gd_in(g, op, 0), gd_in(g, op, 1));
    weft_value *size = lg_unary(b, WEFT_OP_floor, lg_abs(b, q));
    weft_value *whole = lg_mul(b, lg_unary(b, WEFT_OP_sign, q), size);
    gd_give(g, op, 1, lg_neg(b, lg_mul(b, c, whole)));
}

void gd_rule_select(gd *g, const weft_op *op) {
    BEGIN
    weft_value *pred = gd_in(g, op, 0), *none = lg_const(b, c, 0);
    if (gd_wants(g, op, 1)) gd_give(g, op, 1, lg_select(b, pred, c, none));
    if (gd_wants(g, op, 2)) gd_give(g, op, 2, lg_select(b, pred, none, c));
}

/* c summed to a scalar where the operand is one and the result is not */
static weft_value *to_shape(gd *g, weft_value *c, const weft_value *operand) {
    return operand->type->rank == c->type->rank ? c : gd_sum_all(g, c);
}

/* The operand has it strictly within the bounds, a bound where it is strictly beyond the operand. */
void gd_rule_clamp(gd *g, const weft_op *op) {
    BEGIN
    if (!c) return;
    weft_value *x = gd_in(g, op, 1), *none = lg_const(b, c, 0);
    weft_value *low = gd_spread(g, gd_in(g, op, 0), x), *high = gd_spread(g, gd_in(g, op, 2), x);
    weft_value *below = lg_lt(b, x, low), *above = lg_gt(b, x, high);
    if (gd_wants(g, op, 1)) {
        weft_value *over = lg_gt(b, x, low), *under = lg_lt(b, x, high);
        gd_give(g, op, 1, lg_select(b, lg_and(b, over, under), c, none));
    }
    weft_value *hits[] = { below, NULL, above };
    for (uint32_t i = 0; i < 3; i += 2)
        if (gd_wants(g, op, i)) {
            weft_value *mine = lg_select(b, hits[i], c, none);
            if (mine) gd_give(g, op, i, to_shape(g, mine, op->operands[i]));
        }
}

/* A value of the same bits: no derivative unless the types are the same. */
void gd_rule_bits(gd *g, const weft_op *op) {
    BEGIN
    (void)b;
    if (op->operands[0]->type == op->results[0].type) gd_give(g, op, 0, c);
    else gd_refuse(g, op, "it changes the type of the elements");
}

void gd_rule_through(gd *g, const weft_op *op) {
    for (uint32_t i = 0; i < op->result_count; i++) gd_give(g, op, i, gd_ct(g, op, i));
}
