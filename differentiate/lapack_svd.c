/* lapack_svd.c: the rule of singular values and vectors, gesdd's and gesvd's: a -> (overwritten), s, u, v^H, info.
 *
 * Written with cotangents as adjoints, c' = conj(c), whose product with a tangent is the real part of the sum of
 * conj(c') times it. With p = u^H da v and f[i, j] = 1 / (s[j]^2 - s[i]^2), ds is the real part of p's diagonal. The
 * phases of u and v are such that columns of dv have no part along those of v, as JAX takes them (J. Townsend,
 * "Differentiating the singular value decomposition", 2016).
 */
#include "differentiate/lapack.h"
#include "differentiate/lapack_call.h"

/* x times the [.., n] of scale, which is real, along dimension d of its last two. */
static weft_value *scaled(gd *g, weft_value *x, weft_value *scale, uint32_t d) {
    if (!x || !scale) return NULL;
    const int64_t other = 2 * (int64_t)x->type->rank - 3 - (int64_t)d;
    weft_value *by = gd_as_complex(g, gd_expand(g, scale, x->type, &other, 1), x);
    return lg_mul(gd_b(g), x, by);
}

/* x - q (q^H x): what of x the columns of q do not reach. */
static weft_value *beyond(gd *g, weft_value *q, weft_value *x) {
    return lg_sub(gd_b(g), x, gd_matmul(g, q, gd_matmul(g, gd_adjoint(g, q), x)));
}

/* The same call with letter S, which gives the first columns of u and v: to out[0..3) u, s, v^H. */
static void thin(gd *g, const weft_op *op, weft_value **out) {
    int64_t dims[WEFT_MAX_RANK];
    const weft_type *a = op->operands[0]->type, *types[5];
    const uint32_t rank = a->rank;
    const int64_t m = a->dims[rank - 2], n = a->dims[rank - 1], k = m < n ? m : n;
    weft_value *x = gd_in(g, op, 0);
    for (uint32_t d = 0; d < rank; d++) dims[d] = a->dims[d];
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
    dims[rank - 1] = k;
    types[2] = weft_type_with_dims(g->cx, a, rank, dims);
    dims[rank - 2] = k, dims[rank - 1] = n;
    types[3] = weft_type_with_dims(g->cx, a, rank, dims);
    weft_op *made = gd_call_again(g, op, &x, types, (const char *[]){ "mode", NULL }, 'S');
    for (uint32_t i = 0; made && i < 3; i++) out[i] = &made->results[i == 0 ? 2 : i == 1 ? 1 : 3];
}

/* Columns of u and rows of v^H: of letter A all, of S those that the matrix determines, of N either. */
static bool sizes_fit(const weft_op *op, char mode) {
    const weft_type *a = op->operands[0]->type, *u = op->results[2].type, *vt = op->results[3].type;
    const int64_t m = a->dims[a->rank - 2], n = a->dims[a->rank - 1], k = weft_min_i64(m, n),
                  columns = u->dims[a->rank - 1], rows = vt->dims[a->rank - 2];
    return (mode != 'S' && columns == m && rows == n) || (mode != 'A' && columns == k && rows == k);
}

/* Of x = f (q^H cq), by elements: x + x^H. */
static weft_value *turned(gd *g, weft_value *f, weft_value *q, weft_value *cq) {
    weft_builder *b = gd_b(g);
    weft_value *x = lg_mul(b, f, gd_matmul(g, gd_adjoint(g, q), cq));
    return lg_add(b, x, gd_adjoint(g, x));
}

/* The phase of each column of u, which only complex numbers have: i times the imaginary part of the diagonal of u^H cu,
 * divided by s. */
static weft_value *phases(gd *g, weft_value *u, weft_value *cu, weft_value *inverse) {
    weft_builder *b = gd_b(g);
    weft_value *x = gd_diagonal(g, gd_matmul(g, gd_adjoint(g, u), cu));
    if (!x) return NULL;
    weft_value *im = lg_part(b, WEFT_OP_imag, x);
    return scaled(g, lg_complex(b, lg_const(b, im, 0), im), inverse, x->type->rank - 1);
}

void gd_rule_gesdd(gd *g, const weft_op *op) {
    weft_builder *b = gd_b(g);
    const weft_type *a = op->operands[0]->type;
    const int64_t m = a->dims[a->rank - 2], n = a->dims[a->rank - 1];
    const char mode = gd_letter(g, op, "mode", "ASN");
    weft_value *cs = gd_ct(g, op, 1), *cu = gd_conjugate(g, gd_ct(g, op, 2)), *cv = gd_transposed(g, gd_ct(g, op, 3)),
               *of[3] = { NULL };
    if (!mode) return;
    if (!sizes_fit(op, mode)) {
        gd_refuse(g, op, "its vectors are not as its letter says");
        return;
    }
    if ((cu || cv) && mode != 'S' && m != n) {
        gd_refuse(g, op, "columns that the matrix does not determine have no derivative");
        return;
    }
    if (mode == 'S' || (mode == 'A' && m == n))
        of[0] = gd_out(g, op, 2), of[1] = gd_out(g, op, 1), of[2] = gd_out(g, op, 3);
    else thin(g, op, of);
    weft_value *u = of[0], *s = of[1], *vh = of[2];
    if (!u || !s || !vh) return;
    weft_value *v = gd_adjoint(g, vh), *square = lg_mul(b, s, s), *one = lg_const(b, s, 1);
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < a->rank; d++) dims[d] = a->dims[d];
    dims[a->rank - 1] = dims[a->rank - 2] = m < n ? m : n;
    const weft_type *core = weft_type_with_dims(g->cx, a, a->rank, dims);
    if (!v || !square || !core) return;
    weft_value *sum = cs ? gd_on_diagonal(g, gd_as_complex(g, cs, u), core) : gd_zeros(g, core);
    weft_value *none = lg_convert(b, lg_eq(b, s, lg_const(b, s, 0)), (weft_dtype)s->type->dtype);
    weft_value *inverse = lg_sub(b, lg_div(b, one, lg_add(b, s, none)), none); /* 0 for 0 */
    weft_value *f = cu || cv ? gd_inverse_gaps(g, square, core) : NULL;
    if (cu) sum = lg_add(b, sum, scaled(g, turned(g, f, u, cu), s, a->rank - 1));
    if (cv) sum = lg_add(b, sum, scaled(g, turned(g, f, v, cv), s, a->rank - 2));
    if (cu && weft_dtype_is_complex(a->dtype)) sum = lg_add(b, sum, phases(g, u, cu, inverse));
    weft_value *ca = gd_matmul(g, gd_matmul(g, u, sum), vh);
    if (cu && m > n) {
        weft_value *rest = beyond(g, u, scaled(g, cu, inverse, a->rank - 1));
        ca = lg_add(b, ca, gd_matmul(g, rest, vh));
    }
    if (cv && n > m) {
        weft_value *rest = beyond(g, v, scaled(g, cv, inverse, a->rank - 1));
        ca = lg_add(b, ca, gd_matmul(g, u, gd_adjoint(g, rest)));
    }
    gd_give(g, op, 0, gd_conjugate(g, ca));
}
