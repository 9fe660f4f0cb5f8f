/* lapack.c: rules of the custom calls by which jaxlib writes linear algebra for CPUs: potrf, trsm, getrf, syevd here,
 * others in lapack_*.c.
 *
 * The letters of their configuration are LAPACK's, as numbers. What they overwrite of their operands they return.
 */
#include "differentiate/lapack.h"
#include "differentiate/lapack_call.h"
#include "ir/signature.h"

/* ---- potrf: a -> l, info ---- */

static void potrf(gd *g, const weft_op *op) {
    const char uplo = gd_letter(g, op, "uplo", "LU");
    if (uplo && gd_ct(g, op, 0))
        gd_give(g, op, 0, gd_cholesky_ct(g, gd_out(g, op, 0), gd_ct(g, op, 0), uplo == 'L'));
}

/* ---- trsm: a, b -> x ---- */

static void trsm(gd *g, const weft_op *op) {
    const char side = gd_letter(g, op, "side", "LR"), uplo = gd_letter(g, op, "uplo", "LU"),
               diag = gd_letter(g, op, "diag", "NU"), by = gd_letter(g, op, "trans_x", "NTC");
    const weft_type *a = op->operands[0]->type, *x = op->operands[1]->type;
    if (!side || !uplo || !diag || !by) return;
    if (a->dims[a->rank - 1] != x->dims[x->rank - (side == 'L' ? 2 : 1)]) {
        gd_refuse(g, op, "the matrices' sizes differ");
        return;
    }
    gd_give_solve(g, op, (gd_system){ .left = side == 'L', .lower = uplo == 'L', .unit = diag == 'U',
                                      .transpose = by == 'T'   ? WEFT_transpose_TRANSPOSE
                                                   : by == 'C' ? WEFT_transpose_ADJOINT
                                                               : WEFT_transpose_NO_TRANSPOSE });
}

/* ---- syevd: a -> eigenvectors v, eigenvalues w, info ----
 * dw is the diagonal of m = v^H da v, and dv = v (f m), where f and m are multiplied by elements, f[i, j] is
 * 1 / (w[j] - w[i]) and 0 on the diagonal (Giles, "Collected matrix derivative results", section 3.1). */

static void syevd(gd *g, const weft_op *op) {
    weft_builder *b = gd_b(g);
    const char mode = gd_letter(g, op, "mode", "VN"), uplo = gd_letter(g, op, "uplo", "LU");
    weft_value *cv = gd_ct(g, op, 0), *cw = gd_ct(g, op, 1), *v = NULL, *w = NULL, *m = NULL;
    if ((!cv && !cw) || !mode || !uplo) return;
    if (mode == 'N' && cv) {
        gd_refuse(g, op, "without the eigenvectors, which letter V asks for");
        return;
    }
    if (mode == 'V') v = gd_out(g, op, 0), w = cv ? gd_out(g, op, 1) : NULL;
    else {
        const weft_type *types[] = { op->results[0].type, op->results[1].type, op->results[2].type };
        weft_value *x = gd_in(g, op, 0);
        weft_op *made = gd_call_again(g, op, &x, types, (const char *[]){ "mode", NULL }, 'V');
        v = made ? &made->results[0] : NULL;
    }
    if (!v) return;
    if (cv) m = lg_mul(b, gd_inverse_gaps(g, w, v->type), gd_matmul(g, gd_transposed(g, v), cv));
    if (cw) {
        weft_value *on = gd_on_diagonal(g, gd_as_complex(g, cw, v), v->type);
        m = cv ? lg_add(b, m, on) : on;
    }
    weft_value *whole = gd_matmul(g, gd_matmul(g, gd_conjugate(g, v), m), gd_transposed(g, v));
    gd_give(g, op, 0, gd_hermitian_ct(g, whole, uplo == 'L'));
}

/* ---- getrf: a -> l and u in one matrix, pivots, info ----
 * With p a = l u and m = l^-1 p da u^-1: dl = l tril(m), without the diagonal, and du = triu(m) u. */

/* Row i was exchanged with row pivot[i] - 1, from the first on: the row of a that each row of p a is, as [.., n]. A
 * loop whose carried values are its counter, the pivots and the rows. */
enum { COUNTER, PIVOTS, ROWS, CARRIED };

static void open_region(gd *g, weft_builder *b, weft_region *r, const weft_type *const *types, weft_value **args) {
    weft_builder_init(b, g->m, NULL);
    b->loc = gd_b(g)->loc;
    b->block = weft_build_block(b, r);
    for (int i = 0; i < CARRIED; i++) args[i] = weft_build_block_arg(b, b->block, types[i], b->loc);
}

/* Of each line of x the element at `where`, of the same shape. */
static weft_value *picked(gd *g, weft_builder *b, weft_value *x, weft_value *where) {
    const int64_t last = x ? x->type->rank - 1 : 0;
    gd_scope *scope = g->scope;
    gd_scope here = *scope;                   /* gd_sum and gd_expand build with the scope's builder */
    here.b = *b;
    g->scope = &here;
    weft_value *only = lg_select(gd_b(g), where, x, lg_const(gd_b(g), x, 0));
    only = gd_sum(g, only, &last, 1);
    only = only ? gd_expand(g, only, x->type, &last, 1) : NULL;
    *b = here.b;
    g->scope = scope;
    return only;
}

static weft_value *permutation(gd *g, weft_value *pivots, int64_t n) {
    weft_builder *b = gd_b(g), in;
    int64_t dims[WEFT_MAX_RANK];
    if (!pivots) return NULL;
    const uint32_t rank = pivots->type->rank;
    const int64_t last = rank - 1, steps = pivots->type->dims[last];
    for (uint32_t d = 0; d < rank; d++) dims[d] = pivots->type->dims[d];
    dims[last] = n;
    const weft_type *rows = weft_type_tensor(g->cx, WEFT_I32, rank, dims), *scalar = gd_scalar(g, rows);
    const weft_type *types[CARRIED] = { scalar, pivots->type, rows };
    weft_value *x[CARRIED] = { weft_build_splat(b, scalar, 0), pivots, weft_build_iota(b, rows, last) }, *arg[CARRIED];
    weft_op *loop = weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_while, .operands = x, .operand_count = CARRIED,
                                                      .types = types, .result_count = CARRIED, .region_count = 2 });
    if (!loop) return NULL;
    open_region(g, &in, &loop->regions[0], types, arg);
    weft_value *more = lg_lt(&in, arg[COUNTER], lg_const(&in, arg[COUNTER], (double)steps));
    gd_build_return(g, &in, WEFT_OP_return, &more, 1);
    if (in.status != WEFT_OK) gd_fail(g, in.status);
    open_region(g, &in, &loop->regions[1], types, arg);
    weft_value *step = weft_build_broadcast(&in, arg[COUNTER], pivots->type, NULL);
    weft_value *now = picked(g, &in, arg[PIVOTS], lg_eq(&in, weft_build_iota(&in, pivots->type, last), step));
    weft_value *other = lg_add_c(&in, now, -1);
    other = other ? weft_build_cut(&in, other, rank - 1, 0, 1) : NULL;
    if (other) {
        int64_t to[WEFT_MAX_RANK];
        for (uint32_t d = 0; d < rank; d++) to[d] = d;
        other = weft_build_broadcast(&in, other, rows, to);
    }
    weft_value *place = weft_build_iota(&in, rows, last);
    weft_value *is_this = lg_eq(&in, place, weft_build_broadcast(&in, arg[COUNTER], rows, NULL));
    weft_value *is_other = lg_eq(&in, place, other);
    weft_value *mine = picked(g, &in, arg[ROWS], is_this), *theirs = picked(g, &in, arg[ROWS], is_other);
    weft_value *next[CARRIED] = { lg_add_c(&in, arg[COUNTER], 1), arg[PIVOTS],
                                  lg_select(&in, is_this, theirs, lg_select(&in, is_other, mine, arg[ROWS])) };
    gd_build_return(g, &in, WEFT_OP_return, next, CARRIED);
    if (in.status != WEFT_OK) gd_fail(g, in.status);
    return &loop->results[ROWS];
}

/* 1 on the diagonal from row k on, else 0, in x's type. */
static weft_value *ones_from(gd *g, weft_value *x, int64_t k) {
    weft_builder *b = gd_b(g);
    weft_value *on = gd_diagonal(g, lg_const(b, x, 1));
    if (!on || !k) return on;
    weft_value *row = weft_build_iota(b, weft_type_with_dtype(g->cx, x->type, WEFT_I32), x->type->rank - 2);
    return lg_select(b, lg_ge(b, row, lg_const(b, row, (double)k)), on, lg_const(b, x, 0));
}

static void getrf(gd *g, const weft_op *op) {
    weft_builder *b = gd_b(g);
    weft_value *c = gd_ct(g, op, 0), *lu = gd_out(g, op, 0);
    if (!c || !lu) return;
    const weft_type *t = lu->type;
    const uint32_t row = t->rank - 2, column = t->rank - 1;
    const int64_t rows = t->dims[row], columns = t->dims[column], k = weft_min_i64(rows, columns);
    weft_value *l = gd_triangle(g, gd_resized(g, lu, column, rows), GD_BELOW);
    if (l && rows > columns) l = gd_resized(g, gd_resized(g, l, column, columns), column, rows);
    l = lg_add(b, l, ones_from(g, l, 0));
    weft_value *u = gd_triangle(g, gd_resized(g, gd_resized(g, lu, row, k), row, columns), GD_UPPER);
    if (columns > rows) u = lg_add(b, u, ones_from(g, u, k));
    weft_value *below = gd_matmul(g, gd_transposed(g, l), gd_triangle(g, c, GD_BELOW));
    weft_value *above = gd_matmul(g, gd_triangle(g, c, GD_UPPER), gd_transposed(g, u));
    weft_value *m = lg_add(b, gd_triangle(g, below, GD_BELOW), gd_triangle(g, above, GD_UPPER));
    m = gd_solve(g, l, m, (gd_system){ .left = true, .lower = true, .unit = true,
                                       .transpose = WEFT_transpose_TRANSPOSE });
    m = gd_solve(g, u, m, (gd_system){ .transpose = WEFT_transpose_TRANSPOSE });
    if (!m || !l) return;
    weft_value *p = gd_permutation(g, permutation(g, gd_out(g, op, 1), rows), t->dtype);
    gd_give(g, op, 0, gd_matmul(g, gd_transposed(g, p), m));
}

/* ---- the routines ---- */

static gd_rule rule_of(weft_str routine) {
    static const struct { const char *name; gd_rule rule; } rules[] = {
        { "potrf", potrf }, { "trsm", trsm }, { "getrf", getrf }, { "syevd", syevd },
        { "gesdd", gd_rule_gesdd }, { "gesvd", gd_rule_gesdd }, { "geqrf", gd_rule_geqrf },
        { "geqp3", gd_rule_geqrf }, { "orgqr", gd_rule_orgqr }, { "geev", gd_rule_geev }, { "gtsv", gd_rule_gtsv },
    };
    for (size_t i = 0; i < WEFT_COUNT(rules); i++)
        if (weft_str_is(routine, rules[i].name)) return rules[i].rule;
    return NULL;
}

bool gd_rule_lapack(gd *g, const weft_op *op) {
    static const struct { const char *target, *routine; weft_dtype type; const char *signature; } calls[] = {
#define LAPACK(real, complex, routine, real_types, complex_types)           \
    { "lapack_s" #real "_ffi", #routine, WEFT_F32, real_types },            \
    { "lapack_d" #real "_ffi", #routine, WEFT_F64, real_types },            \
    { "lapack_c" #complex "_ffi", #routine, WEFT_C64, complex_types },      \
    { "lapack_z" #complex "_ffi", #routine, WEFT_C128, complex_types },
#include "ir/lapack.def"
    };
    const weft_attr *target = weft_op_attr(op, WEFT_A_call_target_name);
    weft_signature_dims dims;
    if (target && weft_str_is(target->s, "tridiagonal_solve_perturbed_ffi")) {
        gd_rule_gtsv(g, op);
        return true;
    }
    for (size_t i = 0; target && i < WEFT_COUNT(calls); i++) {
        if (!weft_str_is(target->s, calls[i].target)) continue;
        const gd_rule rule = rule_of(weft_str_from(calls[i].routine));
        if (!rule) return false;
        if (weft_signature_fits(op, calls[i].signature, calls[i].type, &dims, NULL)) rule(g, op);
        else gd_refuse(g, op, "it has not the operands and results of the routine");
        return true;
    }
    return false;
}
