/* matrix.h: stacks of matrices [.., m, n] in formulas of derivatives (inside differentiate/ only). */
#ifndef WEFT_DIFFERENTIATE_MATRIX_H
#define WEFT_DIFFERENTIATE_MATRIX_H

#include "differentiate/grad.h"

typedef enum gd_half {
    GD_LOWER, GD_UPPER,               /* with the diagonal */
    GD_BELOW, GD_ABOVE                /* without it */
} gd_half;

/* A triangular system: op(a) x = b, or x op(a) = b from the right. */
typedef struct gd_system {
    bool left, lower, unit;           /* unit: the diagonal is taken for ones */
    weft_enum_value transpose;        /* WEFT_transpose_... : what op is */
} gd_system;

weft_value *gd_matmul(gd *g, weft_value *x, weft_value *y);
weft_value *gd_transposed(gd *g, weft_value *x);
weft_value *gd_conjugate(gd *g, weft_value *x);             /* x itself where it is real */
weft_value *gd_adjoint(gd *g, weft_value *x);
/* x, which is real, as a complex number where `like` is one. */
weft_value *gd_as_complex(gd *g, weft_value *x, const weft_value *like);
weft_value *gd_triangle(gd *g, weft_value *x, gd_half half); /* zero outside of it */
weft_value *gd_diagonal(gd *g, weft_value *x);              /* zero off it */
/* A [.., n] as the diagonal of [.., n, n], the type t. */
weft_value *gd_on_diagonal(gd *g, weft_value *x, const weft_type *t);
/* 1 / (w[j] - w[i]) for element i, j of the type t, and 0 on the diagonal; w is [.., n]. */
weft_value *gd_inverse_gaps(gd *g, weft_value *w, const weft_type *t);
/* The first rows (or columns, dimension d) of x, or x and zeros after it: `size` of them. */
weft_value *gd_resized(gd *g, weft_value *x, uint32_t d, int64_t size);
/* Of the numbers [.., n] the matrix of dtype that has in row i a 1 at column from[i], and zeros. */
weft_value *gd_permutation(gd *g, weft_value *from, weft_dtype dtype);
weft_value *gd_solve(gd *g, weft_value *a, weft_value *b, gd_system s);

/* linalg.c: the rules on values, for StableHLO's ops and for LAPACK's calls of the same meaning.
 * The cotangent of the triangle that is read of a Hermitian matrix, from the whole matrix's: an element off the
 * diagonal is two of its elements. */
weft_value *gd_hermitian_ct(gd *g, weft_value *ct, bool lower);
/* Of a = l l^H, or u^H u, the cotangent of the triangle of a from that of l (or u). */
weft_value *gd_cholesky_ct(gd *g, weft_value *l, weft_value *ct, bool lower);
/* Of a x = b: operands 0 and 1 of op, whose result 0 is x, get their cotangents. */
void gd_give_solve(gd *g, const weft_op *op, gd_system s);

/* lapack.c: gives op's operands their cotangents, if it is a routine with a rule; false if it is not. */
bool gd_rule_lapack(gd *g, const weft_op *op);

#endif
