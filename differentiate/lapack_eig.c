/* lapack_eig.c: the rule of geev, eigenvalues and eigenvectors of any square matrix: a -> w (of real matrices its real
 * and its imaginary parts), left and right eigenvectors, info.
 *
 * With p = v^-1 da v, dw is p's diagonal, and dv = u + v c, where u = v (f p), by elements; f[i, j] is
 * 1 / (w[j] - w[i]) and 0 on the diagonal (Giles, "Collected matrix derivative results", section 3.1). The diagonal c
 * keeps what LAPACK says of each column: its norm is 1, and its largest element is real. Cotangents are adjoints here,
 * c' = conj(c). The inverse of v comes of the left eigenvectors l: l^H v is diagonal.
 */
#include "differentiate/lapack.h"
#include "differentiate/lapack_call.h"

typedef struct eigen {
    weft_value *w, *left, *right;      /* complex; of the matrix */
    weft_value *cw, *cleft, *cright;   /* their cotangents as adjoints, or NULL: zero */
} eigen;

static weft_value *column_sums(gd *g, weft_value *x) {
    const int64_t row = x ? x->type->rank - 2 : 0;
    return gd_sum(g, x, &row, 1);
}

/* [.., n] by column, as [.., n, n]. */
static weft_value *by_column(gd *g, weft_value *x, const weft_type *t) {
    const int64_t row = t->rank - 2;
    return gd_expand(g, x, t, &row, 1);
}

/* Of each column 1 at its element of the largest size, the first of them; else 0. Real. */
static weft_value *largest(gd *g, weft_value *v) {
    weft_builder *b = gd_b(g);
    if (!v) return NULL;
    const int64_t row = v->type->rank - 2;
    weft_value *re = lg_part(b, WEFT_OP_real, v), *im = lg_part(b, WEFT_OP_imag, v);
    weft_value *size = lg_mul_add(b, im, im, lg_mul(b, re, re));
    weft_value *top = by_column(g, gd_reduced(g, size, row, WEFT_OP_maximum, 0), v->type);
    weft_value *at = weft_build_iota(b, weft_type_with_dtype(g->cx, v->type, WEFT_I32), row);
    weft_value *where = lg_select(b, lg_eq(b, size, top), at, lg_const(b, at, INT32_MAX));
    weft_value *first = by_column(g, gd_reduced(g, where, row, WEFT_OP_minimum, INT32_MAX), v->type);
    return size ? lg_convert(b, lg_eq(b, at, first), (weft_dtype)size->type->dtype) : NULL;
}

/* From cv, what it says of u: less what the norm takes of it, and what the largest element's phase does. */
static weft_value *free_part(gd *g, weft_value *v, weft_value *cv) {
    weft_builder *b = gd_b(g);
    if (!v || !cv) return NULL;
    weft_value *inner = column_sums(g, lg_mul(b, gd_conjugate(g, v), cv)), *mask = largest(g, v);
    weft_value *re = gd_as_complex(g, lg_part(b, WEFT_OP_real, inner), v), *im = lg_part(b, WEFT_OP_imag, inner);
    weft_value *size = column_sums(g, lg_mul(b, mask, lg_part(b, WEFT_OP_real, v)));
    weft_value *turn = lg_mul(b, mask, by_column(g, lg_div(b, im, size), v->type));
    weft_value *along = lg_mul(b, by_column(g, re, v->type), v);
    cv = lg_sub(b, cv, along);
    return lg_sub(b, cv, lg_complex(b, lg_const(b, turn, 0), turn));
}

/* The cotangent of a matrix whose eigenvalues are w, and whose eigenvectors are v, those of its adjoint l. */
static weft_value *matrix_ct(gd *g, weft_value *w, weft_value *v, weft_value *l, weft_value *cw, weft_value *cv) {
    weft_builder *b = gd_b(g);
    weft_value *p = NULL;
    if (!w || !v || !l) return NULL;
    if (cv) {
        weft_value *f = gd_conjugate(g, gd_inverse_gaps(g, w, v->type));
        p = lg_mul(b, f, gd_matmul(g, gd_adjoint(g, v), free_part(g, v, cv)));
    }
    if (cw) {
        weft_value *on = gd_on_diagonal(g, cw, v->type);
        p = p ? lg_add(b, p, on) : on;
    }
    /* l^H v = d: v^-H = l conj(d)^-1 */
    weft_value *d = column_sums(g, lg_mul(b, l, gd_conjugate(g, v)));
    weft_value *inverse = lg_div(b, l, by_column(g, d, v->type));
    return gd_matmul(g, gd_matmul(g, inverse, p), gd_adjoint(g, v));
}

/* The call's results, or those of the call that computes both kinds of vectors. */
static void open(gd *g, const weft_op *op, bool real, eigen *e) {
    weft_builder *b = gd_b(g);
    const weft_type *types[5];
    const uint32_t left = real ? 2 : 1;
    weft_value *x = gd_in(g, op, 0), *re = gd_ct(g, op, 0), *im = real ? gd_ct(g, op, 1) : NULL;
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
    const char *both[] = { "compute_left", "compute_right" };
    weft_op *made = gd_call_again(g, op, &x, types, both, 'V');
    if (!made) return;
    weft_value *first = &made->results[0];
    e->w = real ? lg_complex(b, first, &made->results[1]) : first;
    e->left = &made->results[left];
    e->right = &made->results[left + 1];
    e->cleft = gd_conjugate(g, gd_ct(g, op, left));
    e->cright = gd_conjugate(g, gd_ct(g, op, left + 1));
    if (!real) e->cw = gd_conjugate(g, re);
    else if (re || im) e->cw = lg_complex(b, re ? re : lg_const(b, im, 0), im ? im : lg_const(b, re, 0));
}

void gd_rule_geev(gd *g, const weft_op *op) {
    weft_builder *b = gd_b(g);
    const bool real = weft_dtype_is_float(op->operands[0]->type->dtype);
    const char left = gd_letter(g, op, "compute_left", "VN"), right = gd_letter(g, op, "compute_right", "VN");
    eigen e = { 0 };
    if (!left || !right) return;
    if ((left == 'N' && gd_ct(g, op, real ? 2 : 1)) || (right == 'N' && gd_ct(g, op, real ? 3 : 2))) {
        gd_refuse(g, op, "without the eigenvectors, which letter V asks for");
        return;
    }
    open(g, op, real, &e);
    weft_value *c = e.cw || e.cright ? matrix_ct(g, e.w, e.right, e.left, e.cw, e.cright) : NULL;
    if (e.cleft) {
        weft_value *of_adjoint = matrix_ct(g, gd_conjugate(g, e.w), e.left, e.right, NULL, e.cleft);
        of_adjoint = gd_adjoint(g, of_adjoint);
        c = c ? lg_add(b, c, of_adjoint) : of_adjoint;
    }
    if (c) gd_give(g, op, 0, real ? lg_part(b, WEFT_OP_real, c) : gd_conjugate(g, c));
}
