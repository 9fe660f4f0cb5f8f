/* lapack_orthogonal.c: rules of singular values (gesdd) and of QR (geqrf, whose reflectors orgqr multiplies), of real
 * matrices.
 */
#include "differentiate/lapack.h"
#include "ir/signature.h"

static bool is_real(gd *g, const weft_op *op) {
    const bool real = weft_dtype_is_float(op->operands[0]->type->dtype);
    if (!real) gd_refuse(g, op, "its matrix is of complex numbers");
    return real;
}

/* x times the [.., n] of scale, along dimension d of its last two. */
static weft_value *scaled(gd *g, weft_value *x, weft_value *scale, uint32_t d) {
    if (!x || !scale) return NULL;
    const int64_t other = x->type->rank - 1 - (int64_t)d;
    return lg_mul(gd_b(g), x, gd_expand(g, scale, x->type, &other, 1));
}

/* x - q (q^T x): what of x the columns of q do not reach. */
static weft_value *beyond(gd *g, weft_value *q, weft_value *x) {
    return lg_sub(gd_b(g), x, gd_matmul(g, q, gd_matmul(g, gd_transposed(g, q), x)));
}

/* ---- gesdd: a -> (overwritten), s, u, v^T, info ---- */

/* The same call with letter S, which gives the first columns of u and v: to out[0..3) u, s, v^T. */
static void thin(gd *g, const weft_op *op, weft_value **out) {
    weft_builder *b = gd_b(g);
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
    weft_named_attr *attrs = weft_arena_array(g->arena, weft_named_attr, op->attr_count + 1u);
    if (!attrs) gd_fail(g, weft_oom());
    if (!x || !attrs) return;
    uint32_t count = 0;
    for (uint32_t i = 0; i < op->attr_count; i++) {
        const weft_name name = op->attrs[i].name;
        if (name == weft_name_at(g->cx, WEFT_A_sdy_sharding) || name == weft_name_at(g->cx, WEFT_A_sdy_sharding_rule) ||
            name == weft_name_at(g->cx, WEFT_A_backend_config) ||
            name == weft_name_at(g->cx, WEFT_A_mhlo_backend_config))
            continue;
        attrs[count++] = op->attrs[i];
    }
    const weft_attr *mode = weft_custom_call_config(op, "mode");
    const weft_name called = weft_name_intern(g->cx, WEFT_STR("mode"));
    const weft_named_attr thin_mode = { called, mode ? weft_attr_int(g->cx, 'S', mode->type) : NULL };
    attrs[count++] = (weft_named_attr){ weft_name_at(g->cx, WEFT_A_mhlo_backend_config),
                                        weft_attr_dict(g->cx, &thin_mode, 1) };
    weft_op *made = weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_custom_call, .operands = &x, .operand_count = 1,
                                                      .types = types, .result_count = 5, .attrs = attrs,
                                                      .attr_count = count });
    for (uint32_t i = 0; made && i < 3; i++) out[i] = &made->results[i == 0 ? 2 : i == 1 ? 1 : 3];
}

/* Columns of u and rows of v^T: of letter A all, of S those that the matrix determines, of N either. */
static bool sizes_fit(const weft_op *op, char mode) {
    const weft_type *a = op->operands[0]->type, *u = op->results[2].type, *vt = op->results[3].type;
    const int64_t m = a->dims[a->rank - 2], n = a->dims[a->rank - 1], k = weft_min_i64(m, n),
                  columns = u->dims[a->rank - 1], rows = vt->dims[a->rank - 2];
    return (mode != 'S' && columns == m && rows == n) || (mode != 'A' && columns == k && rows == k);
}

/* With p = du^T u and so on, as in J. Townsend, "Differentiating the singular value decomposition" (2016), and
 * f[i, j] = 1 / (s[j]^2 - s[i]^2). */
void gd_rule_gesdd(gd *g, const weft_op *op) {
    weft_builder *b = gd_b(g);
    const weft_type *a = op->operands[0]->type;
    const int64_t m = a->dims[a->rank - 2], n = a->dims[a->rank - 1];
    const char mode = gd_letter(g, op, "mode", "ASN");
    weft_value *cs = gd_ct(g, op, 1), *cu = gd_ct(g, op, 2), *cv = gd_ct(g, op, 3), *of[3] = { NULL };
    if (!mode || !is_real(g, op)) return;
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
    weft_value *u = of[0], *s = of[1], *vt = of[2];
    if (!u || !s || !vt) return;
    weft_value *v = gd_transposed(g, vt), *square = lg_mul(b, s, s), *one = lg_const(b, s, 1);
    const weft_type *core = NULL;
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < a->rank; d++) dims[d] = a->dims[d];
    dims[a->rank - 1] = dims[a->rank - 2] = m < n ? m : n;
    core = weft_type_with_dims(g->cx, a, a->rank, dims);
    if (!v || !square || !core) return;
    weft_value *sum = cs ? gd_on_diagonal(g, cs, core) : gd_zeros(g, core);
    weft_value *none = lg_convert(b, lg_eq(b, s, lg_const(b, s, 0)), (weft_dtype)s->type->dtype);
    weft_value *inverse = lg_sub(b, lg_div(b, one, lg_add(b, s, none)), none); /* 0 for 0 */
    weft_value *f = cu || cv ? gd_inverse_gaps(g, square, core) : NULL;
    if (cu) {
        weft_value *x = lg_mul(b, f, gd_matmul(g, gd_transposed(g, u), cu));
        sum = lg_add(b, sum, scaled(g, lg_add(b, x, gd_transposed(g, x)), s, a->rank - 1));
    }
    if (cv) {
        cv = gd_transposed(g, cv);
        weft_value *x = lg_mul(b, f, gd_matmul(g, vt, cv));
        sum = lg_add(b, sum, scaled(g, lg_add(b, x, gd_transposed(g, x)), s, a->rank - 2));
    }
    weft_value *ca = gd_matmul(g, gd_matmul(g, u, sum), vt);
    if (cu && m > n) {
        weft_value *rest = beyond(g, u, scaled(g, cu, inverse, a->rank - 1));
        ca = lg_add(b, ca, gd_matmul(g, rest, vt));
    }
    if (cv && n > m) {
        weft_value *rest = beyond(g, v, scaled(g, cv, inverse, a->rank - 1));
        ca = lg_add(b, ca, gd_matmul(g, u, gd_transposed(g, rest)));
    }
    gd_give(g, op, 0, ca);
}

/* ---- QR: geqrf a -> r above reflectors, their factors; orgqr of both -> q ----
 * The derivative is that of the pair q, r, which the reflectors only stand for: orgqr gives no cotangent to them, and
 * geqrf takes q's. With m = r cr^T - cq^T q: ca = (cq + q copyltu(m)) r^-T, where copyltu copies the lower triangle to
 * the upper one (S. Walter, L. Lehmann, R. Lamour, "On evaluating higher-order derivatives of the QR decomposition of
 * tall matrices with full column rank", 2012). */

/* The value through slices of the first rows or columns. */
static const weft_value *before_slices(const weft_value *v) {
    while (v->def && v->def->kind == WEFT_OP_slice) v = v->def->operands[0];
    return v;
}

static bool is_call(const weft_op *op, const char *routine) {
    const weft_attr *target = op->kind == WEFT_OP_custom_call ? weft_op_attr(op, WEFT_A_call_target_name) : NULL;
    const size_t n = strlen(routine), start = sizeof "lapack_s" - 1;
    return target && target->s.n > start + n && !memcmp(target->s.p + start, routine, n);
}

void gd_rule_orgqr(gd *g, const weft_op *op) {
    const weft_op *from = before_slices(op->operands[0])->def;
    if (!is_real(g, op)) return;
    if (!from || !is_call(from, "geqrf") || op->operands[1] != &from->results[1] || from->parent != op->parent) {
        gd_refuse(g, op, "its reflectors are not geqrf's");
        return;
    }
    const weft_type *q = op->results[0].type, *a = from->operands[0]->type;
    if (q->dims[q->rank - 2] != a->dims[a->rank - 2]) {
        gd_refuse(g, op, "its reflectors lack rows of geqrf's");
        return;
    }
    if (q->dims[q->rank - 1] > a->dims[a->rank - 1]) {
        gd_refuse(g, op, "columns that the matrix does not determine have no derivative");
        return;
    }
    /* of zeros, so that geqrf is visited */
    gd_add(g, (weft_value *)&from->results[0], gd_zeros(g, from->results[0].type));
}

static const weft_op *orgqr_of(const weft_op *geqrf) {
    for (const weft_op *op = geqrf->next; op; op = op->next)
        if (is_call(op, "orgqr") && op->operands[1] == &geqrf->results[1]) return op;
    return NULL;
}

void gd_rule_geqrf(gd *g, const weft_op *op) {
    weft_builder *b = gd_b(g);
    const weft_type *a = op->operands[0]->type;
    const uint32_t rank = a->rank;
    const int64_t m = a->dims[rank - 2], n = a->dims[rank - 1];
    const weft_op *orgqr = orgqr_of(op);
    if (!is_real(g, op)) return;
    if (m < n) {
        gd_refuse(g, op, "the matrix has more columns than rows");
        return;
    }
    if (!orgqr) {
        gd_refuse(g, op, "no orgqr computes its q");
        return;
    }
    weft_value *q = gd_out(g, orgqr, 0), *cq = gd_ct(g, orgqr, 0);
    weft_value *r = weft_build_cut(b, gd_out(g, op, 0), rank - 2, 0, n);
    weft_value *cr = weft_build_cut(b, gd_ct_full(g, op, 0), rank - 2, 0, n);
    r = gd_triangle(g, r, GD_UPPER);
    cr = gd_triangle(g, cr, GD_UPPER);
    weft_value *x = gd_matmul(g, r, gd_transposed(g, cr));
    if (cq) x = lg_sub(b, x, gd_matmul(g, gd_transposed(g, cq), q));
    weft_value *below = gd_triangle(g, x, GD_BELOW);
    x = lg_add(b, gd_triangle(g, x, GD_LOWER), gd_transposed(g, below));
    weft_value *c = gd_matmul(g, q, x);
    if (cq) c = lg_add(b, c, cq);
    gd_give(g, op, 0, gd_solve(g, r, c, (gd_system){ .transpose = WEFT_transpose_TRANSPOSE }));
}
