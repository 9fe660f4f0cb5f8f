/* linalg.c: rules of cholesky and triangular_solve.
 *
 * Both read one triangle of their matrix; elements of the other have a cotangent of zero. Cotangents of complex values
 * are multiplied by derivatives, not by their conjugates: that is why some factors below are conjugated and others not.
 */
#include "differentiate/matrix.h"

weft_value *gd_hermitian_ct(gd *g, weft_value *ct, bool lower) {
    weft_builder *b = gd_b(g);
    weft_value *both = lg_add(b, ct, gd_adjoint(g, ct));
    weft_value *part = gd_triangle(g, both, lower ? GD_BELOW : GD_ABOVE);
    weft_value *half = lg_mul_c(b, gd_diagonal(g, both), 0.5);
    return lg_add(b, part, half);
}

/* With a = l l^H: dl = l phi(l^-1 da l^-H), where phi keeps the lower triangle and half of the diagonal (Murray,
 * "Differentiation of the Cholesky decomposition", arXiv:1602.07527, section 3). */
weft_value *gd_cholesky_ct(gd *g, weft_value *l, weft_value *ct, bool lower) {
    weft_builder *b = gd_b(g);
    if (!l || !ct) return NULL;
    l = gd_triangle(g, lower ? l : gd_adjoint(g, l), GD_LOWER);
    ct = gd_triangle(g, lower ? ct : gd_adjoint(g, ct), GD_LOWER);
    weft_value *p = gd_matmul(g, gd_transposed(g, l), ct);
    weft_value *below = gd_triangle(g, p, GD_BELOW), *half = lg_mul_c(b, gd_diagonal(g, p), 0.5);
    p = lg_add(b, below, half);
    const gd_system from_left = { .left = true, .lower = true, .transpose = WEFT_transpose_TRANSPOSE };
    const gd_system from_right = { .lower = true, .transpose = WEFT_transpose_NO_TRANSPOSE };
    p = gd_solve(g, l, p, from_left);
    return gd_hermitian_ct(g, gd_solve(g, gd_conjugate(g, l), p, from_right), lower);
}

void gd_rule_cholesky(gd *g, const weft_op *op) {
    const bool lower = weft_op_int(op, WEFT_A_lower, 0) != 0;
    gd_give(g, op, 0, gd_cholesky_ct(g, gd_out(g, op, 0), gd_ct(g, op, 0), lower));
}

/* x solves op(a) x = b: the cotangent of b solves the transposed system, and that of op(a) is -(ct of b) x^T. */
void gd_give_solve(gd *g, const weft_op *op, gd_system s) {
    weft_builder *b = gd_b(g);
    weft_value *a = gd_in(g, op, 0), *ct = gd_ct(g, op, 0);
    if (!a || !ct) return;
    const bool adjoint = s.transpose == WEFT_transpose_ADJOINT;
    gd_system t = s;
    t.transpose = s.transpose == WEFT_transpose_NO_TRANSPOSE ? WEFT_transpose_TRANSPOSE : WEFT_transpose_NO_TRANSPOSE;
    weft_value *cb = gd_solve(g, a, adjoint ? gd_conjugate(g, ct) : ct, t);
    if (adjoint) cb = gd_conjugate(g, cb);
    if (gd_wants(g, op, 1)) gd_give(g, op, 1, cb);
    if (!gd_wants(g, op, 0)) return;
    weft_value *xt = gd_transposed(g, gd_out(g, op, 0));
    weft_value *ca = s.left ? gd_matmul(g, cb, xt) : gd_matmul(g, xt, cb);
    ca = lg_neg(b, ca);
    if (s.transpose != WEFT_transpose_NO_TRANSPOSE) ca = adjoint ? gd_adjoint(g, ca) : gd_transposed(g, ca);
    gd_give(g, op, 0, gd_triangle(g, ca, s.lower ? (s.unit ? GD_BELOW : GD_LOWER) : (s.unit ? GD_ABOVE : GD_UPPER)));
}

void gd_rule_triangular_solve(gd *g, const weft_op *op) {
    gd_give_solve(g, op, (gd_system){ .left = weft_op_int(op, WEFT_A_left_side, 0) != 0,
                                      .lower = weft_op_int(op, WEFT_A_lower, 0) != 0,
                                      .unit = weft_op_int(op, WEFT_A_unit_diagonal, 0) != 0,
                                      .transpose = weft_op_attr(op, WEFT_A_transpose_a)->e });
}
