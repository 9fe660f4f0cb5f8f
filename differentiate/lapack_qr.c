/* lapack_qr.c: the rules of QR: geqrf (and geqp3, which also permutes columns) a -> r above reflectors, their factors;
 * orgqr of both -> q.
 *
 * The derivative is that of the pair q, r, which the reflectors only stand for: orgqr gives no cotangent to them, and
 * geqrf takes q's. With cotangents as adjoints and m = r cr^H - cq^H q: ca = (cq + q copyltu(m)) r^-H, where copyltu
 * copies the lower triangle to the upper one, and makes the diagonal real, as r's is (S. Walter, L. Lehmann, R. Lamour,
 * "On evaluating higher-order derivatives of the QR decomposition of tall matrices with full column rank", 2012). Of a
 * matrix of more columns than rows, q is that of its first columns, a1, and the others of r are q^H a2.
 *
 * Columns of q after a's, q2, only follow from how the reflectors complete q: q = 1 - y t y^H, where y are the
 * reflectors, a unit triangle y1 above y2. With z = y2 y1^-1, w = q1 + q2 z and k = [-z, 1]:
 * dq2 = dq1 z^H - w (k dq1)^H (arXiv:2409.13374, equations 32 and 33).
 */
#include "differentiate/lapack.h"
#include "differentiate/matrix.h"

/* The value that this is of the first rows or columns of, or with columns added. */
static const weft_value *before_slices(const weft_value *v) {
    v = weft_value_root(v);
    while (v->def && (v->def->kind == WEFT_OP_slice || v->def->kind == WEFT_OP_pad))
        v = weft_value_root(v->def->operands[0]);
    return v;
}

static bool is_call(const weft_op *op, const char *routine) {
    const weft_attr *target = op->kind == WEFT_OP_custom_call ? weft_op_attr(op, WEFT_A_call_target_name) : NULL;
    const size_t n = strlen(routine), start = sizeof "lapack_s" - 1;
    return target && target->s.n > start + n && !memcmp(target->s.p + start, routine, n);
}

static bool makes_q(const weft_op *op) { return is_call(op, "orgqr") || is_call(op, "ungqr"); }

/* Whether q's reflectors have the factors that geqrf made. */
static bool is_of(const weft_op *q, const weft_op *geqrf) {
    return weft_value_root(q->operands[1]) == &geqrf->results[geqrf->result_count - 1];
}

void gd_rule_orgqr(gd *g, const weft_op *op) {
    const weft_op *from = before_slices(op->operands[0])->def;
    if (!from || (!is_call(from, "geqrf") && !is_call(from, "geqp3")) || !is_of(op, from) ||
        from->parent != op->parent) {
        gd_refuse(g, op, "its reflectors are not geqrf's");
        return;
    }
    const weft_type *q = op->results[0].type, *a = from->operands[0]->type;
    if (q->dims[q->rank - 2] != a->dims[a->rank - 2]) {
        gd_refuse(g, op, "its reflectors lack rows of geqrf's");
        return;
    }
    const int64_t columns = q->dims[q->rank - 1];
    if (columns > a->dims[a->rank - 1] && columns != q->dims[q->rank - 2]) {
        gd_refuse(g, op, "it has some of the columns that complete q, and not all");
        return;
    }
    /* of zeros, so that geqrf is visited */
    gd_add(g, (weft_value *)&from->results[0], gd_zeros(g, from->results[0].type));
}

typedef struct factored {
    const weft_op *op;
    int64_t k;                  /* columns of the thin q */
    weft_value *reflectors, *r; /* r: the first k rows */
    weft_value *q, *cq;         /* thin; cq as an adjoint, or NULL */
} factored;

/* Of the cotangent of the whole of q, that of its first columns. */
static weft_value *from_completed(gd *g, const factored *f, weft_value *q, weft_value *c) {
    weft_builder *b = gd_b(g);
    if (!q || !c || !f->reflectors) return NULL;
    const uint32_t row = q->type->rank - 2, column = row + 1;
    const int64_t m = q->type->dims[row], k = f->k, rest = m - k;
    weft_value *y = weft_build_cut(b, f->reflectors, column, 0, k), *y1 = weft_build_cut(b, y, row, 0, k);
    weft_value *z = gd_solve(g, y1, weft_build_cut(b, y, row, k, m),
                             (gd_system){ .lower = true, .unit = true, .transpose = WEFT_transpose_NO_TRANSPOSE });
    weft_value *q2 = weft_build_cut(b, q, column, k, m), *c1 = weft_build_cut(b, c, column, 0, k);
    weft_value *c2 = weft_build_cut(b, c, column, k, m), *w = lg_add(b, f->q, gd_matmul(g, q2, z));
    if (!c2 || !z || !w) return NULL;
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t d = 0; d <= column; d++) dims[d] = q->type->dims[d];
    dims[row] = dims[column] = rest;
    const weft_type *square = weft_type_with_dims(g->cx, q->type, column + 1, dims);
    weft_value *parts[] = { lg_neg(b, z), gd_diagonal(g, weft_build_splat(b, square, 1)) };
    weft_value *by = parts[0] && parts[1] ? weft_build_concatenate(b, parts, 2, column) : NULL;
    weft_value *turned = gd_matmul(g, gd_adjoint(g, by), gd_matmul(g, gd_adjoint(g, c2), w));
    return lg_sub(b, lg_add(b, c1, gd_matmul(g, c2, z)), turned);
}

/* q, and its cotangent, from all calls that make it of these reflectors. */
static void collect(gd *g, factored *f) {
    weft_builder *b = gd_b(g);
    for (const weft_op *op = f->op->next; op; op = op->next) {
        if (!makes_q(op) || !is_of(op, f->op)) continue;
        const weft_type *t = op->results[0].type;
        const int64_t columns = t->dims[t->rank - 1];
        if (columns < f->k && !gd_ct(g, op, 0)) continue;
        weft_value *q = columns < f->k ? NULL : gd_out(g, op, 0), *c = gd_conjugate(g, gd_ct(g, op, 0));
        if (q && !f->q) f->q = columns > f->k ? weft_build_cut(b, q, t->rank - 1, 0, f->k) : q;
        if (!c) continue;
        c = columns > f->k ? from_completed(g, f, q, c) : gd_resized(g, c, t->rank - 1, f->k);
        f->cq = f->cq ? lg_add(b, f->cq, c) : c;
    }
}

/* What geqp3 did to columns: x, of the permuted ones, in the order of a's. */
static weft_value *in_order(gd *g, const weft_op *op, weft_value *x) {
    if (op->operand_count < 2 || !x) return x;
    weft_value *from = lg_add_c(gd_b(g), gd_out(g, op, 1), -1);
    return gd_matmul(g, x, gd_permutation(g, from, x->type->dtype));
}

/* copyltu of the header; x is square. */
static weft_value *from_lower(gd *g, weft_value *x) {
    weft_builder *b = gd_b(g);
    weft_value *below = gd_triangle(g, x, GD_BELOW), *both = lg_add(b, below, gd_adjoint(g, below)),
               *on = gd_diagonal(g, x);
    if (on && weft_dtype_is_complex(on->type->dtype)) on = gd_as_complex(g, lg_part(b, WEFT_OP_real, on), on);
    return lg_add(b, both, on);
}

/* x r^-1, or x r^-H. */
static weft_value *over(gd *g, weft_value *x, weft_value *r, weft_enum_value transpose) {
    return gd_solve(g, r, x, (gd_system){ .transpose = transpose });
}

static weft_value *columns(gd *g, weft_value *x, int64_t from, int64_t to) {
    return x ? weft_build_cut(gd_b(g), x, x->type->rank - 1, from, to) : NULL;
}

void gd_rule_geqrf(gd *g, const weft_op *op) {
    weft_builder *b = gd_b(g);
    const weft_type *a = op->operands[0]->type;
    const uint32_t row = a->rank - 2, column = a->rank - 1;
    const int64_t n = a->dims[column], k = weft_min_i64(a->dims[row], n);
    factored f = { .op = op, .k = k, .reflectors = gd_out(g, op, 0) };
    weft_value *cr = gd_ct_full(g, op, 0);
    if (!f.reflectors || !cr) return;
    f.r = gd_triangle(g, weft_build_cut(b, f.reflectors, row, 0, k), GD_UPPER);
    cr = gd_conjugate(g, gd_triangle(g, weft_build_cut(b, cr, row, 0, k), GD_UPPER));
    weft_value *r1 = n > k ? columns(g, f.r, 0, k) : f.r, *c1 = n > k ? columns(g, cr, 0, k) : cr, *c2 = NULL;
    collect(g, &f);
    if (!f.q && op->operand_count > 1) {
        gd_refuse(g, op, "no orgqr computes its q");
        return;
    }
    if (!f.q) {
        weft_value *x = gd_in(g, op, 0);
        f.q = over(g, n > k ? columns(g, x, 0, k) : x, r1, WEFT_transpose_NO_TRANSPOSE);
    }
    if (n > k) {
        c2 = columns(g, cr, k, n);
        weft_value *more = gd_matmul(g, gd_matmul(g, f.q, columns(g, f.r, k, n)), gd_adjoint(g, c2));
        f.cq = f.cq ? lg_add(b, f.cq, more) : more;
    }
    weft_value *x = gd_matmul(g, r1, gd_adjoint(g, c1));
    if (f.cq) x = lg_sub(b, x, gd_matmul(g, gd_adjoint(g, f.cq), f.q));
    weft_value *c = gd_matmul(g, f.q, from_lower(g, x));
    if (f.cq) c = lg_add(b, c, f.cq);
    c = over(g, c, r1, WEFT_transpose_ADJOINT);
    if (n > k) {
        weft_value *both[] = { c, gd_matmul(g, f.q, c2) };
        c = both[0] && both[1] ? weft_build_concatenate(b, both, 2, column) : NULL;
    }
    gd_give(g, op, 0, in_order(g, op, gd_conjugate(g, c)));
}
