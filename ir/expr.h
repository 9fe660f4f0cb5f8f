/* expr.h: formulas written as StableHLO ops, for passes that make many of them.
 *
 * Values of one expression have one shape. Constants are splats of the type of an example value. All functions accept
 * NULL for a value that could not be made and return NULL then: the builder keeps the status (ir/builder.h). The C
 * compiler chooses the order of nested calls; where the order of the ops is visible, each has its own declaration.
 */
#ifndef WEFT_IR_EXPR_H
#define WEFT_IR_EXPR_H

#include "ir/builder.h"

typedef weft_builder lg;          /* ops are appended to it */
typedef weft_value *lg_value;

/* f64 rounded to the type; integers exact to 2^53 */
lg_value lg_const(lg *g, lg_value like, double v);
/* an integer of any width, truncated to it */
lg_value lg_bits(lg *g, lg_value like, uint64_t bits);
lg_value lg_unary(lg *g, weft_op_kind kind, lg_value x);
lg_value lg_binary(lg *g, weft_op_kind kind, lg_value x, lg_value y);
lg_value lg_compare(lg *g, weft_enum_value direction, lg_value x, lg_value y);
lg_value lg_select(lg *g, lg_value pred, lg_value yes, lg_value no);
lg_value lg_convert(lg *g, lg_value x, weft_dtype to);                 /* x itself when it has the type */
lg_value lg_bitcast(lg *g, lg_value x, weft_dtype to);                 /* of the same width */
/* a real number itself, or as a complex number with imaginary part 0 */
lg_value lg_part(lg *g, weft_op_kind real_or_imag, lg_value z);
lg_value lg_complex(lg *g, lg_value re, lg_value im);

static inline lg_value lg_add(lg *g, lg_value x, lg_value y) { return lg_binary(g, WEFT_OP_add, x, y); }
static inline lg_value lg_sub(lg *g, lg_value x, lg_value y) { return lg_binary(g, WEFT_OP_subtract, x, y); }
static inline lg_value lg_mul(lg *g, lg_value x, lg_value y) { return lg_binary(g, WEFT_OP_multiply, x, y); }
static inline lg_value lg_div(lg *g, lg_value x, lg_value y) { return lg_binary(g, WEFT_OP_divide, x, y); }
static inline lg_value lg_abs(lg *g, lg_value x) { return lg_unary(g, WEFT_OP_abs, x); }
static inline lg_value lg_neg(lg *g, lg_value x) { return lg_unary(g, WEFT_OP_negate, x); }
static inline lg_value lg_sqrt(lg *g, lg_value x) { return lg_unary(g, WEFT_OP_sqrt, x); }
static inline lg_value lg_log(lg *g, lg_value x) { return lg_unary(g, WEFT_OP_log, x); }
static inline lg_value lg_exp(lg *g, lg_value x) { return lg_unary(g, WEFT_OP_exponential, x); }
static inline lg_value lg_max(lg *g, lg_value x, lg_value y) { return lg_binary(g, WEFT_OP_maximum, x, y); }
static inline lg_value lg_min(lg *g, lg_value x, lg_value y) { return lg_binary(g, WEFT_OP_minimum, x, y); }
static inline lg_value lg_lt(lg *g, lg_value x, lg_value y) {
    return lg_compare(g, WEFT_comparison_direction_LT, x, y);
}
static inline lg_value lg_gt(lg *g, lg_value x, lg_value y) {
    return lg_compare(g, WEFT_comparison_direction_GT, x, y);
}
static inline lg_value lg_le(lg *g, lg_value x, lg_value y) {
    return lg_compare(g, WEFT_comparison_direction_LE, x, y);
}
static inline lg_value lg_ge(lg *g, lg_value x, lg_value y) {
    return lg_compare(g, WEFT_comparison_direction_GE, x, y);
}
static inline lg_value lg_eq(lg *g, lg_value x, lg_value y) {
    return lg_compare(g, WEFT_comparison_direction_EQ, x, y);
}
static inline lg_value lg_ne(lg *g, lg_value x, lg_value y) {
    return lg_compare(g, WEFT_comparison_direction_NE, x, y);
}
static inline lg_value lg_and(lg *g, lg_value x, lg_value y) { return lg_binary(g, WEFT_OP_and, x, y); }
static inline lg_value lg_or(lg *g, lg_value x, lg_value y) { return lg_binary(g, WEFT_OP_or, x, y); }
static inline lg_value lg_real(lg *g, lg_value z) { return lg_part(g, WEFT_OP_real, z); }
static inline lg_value lg_imag(lg *g, lg_value z) { return lg_part(g, WEFT_OP_imag, z); }

lg_value lg_add_c(lg *g, lg_value x, double c);                        /* x + c */
lg_value lg_mul_c(lg *g, lg_value x, double c);                        /* x c */
lg_value lg_mul_add(lg *g, lg_value x, lg_value y, lg_value z);        /* x y + z, which kernels round once */
/* c[0] + c[1] x + ... + c[n-1] x^(n-1), by Horner */
lg_value lg_polynomial(lg *g, lg_value x, const double *c, uint32_t n);
lg_value lg_with_sign(lg *g, lg_value size, lg_value sign);            /* |size| with the sign bit of sign */

#endif
