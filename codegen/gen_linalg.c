/* gen_linalg.c: column `gen` of cholesky and triangular_solve: LAPACK and BLAS on rows.
 *
 * They read memory column by column, so a row-major matrix is its transpose to them: lower is upper, left is right, and what is
 * transposed stays so. Types that they do not have are computed in f32.
 */
#include <math.h>
#include "codegen/call.h"
#include "codegen/import.h"
#include "codegen/lapack.h"

typedef struct linalg_state {
    int32_t type;           /* 0 s, 1 d, 2 c, 3 z */
    int32_t rows, columns;  /* of the result, row-major */
    int32_t order;          /* of the triangular or positive matrix */
    char opt[8];            /* letters for the column-major side */
    int64_t batch;
} linalg_state;

static size_t element_bytes(int32_t type) { return type == 0 ? 4 : type == 3 ? 16 : 8; }

/* ---- cholesky ---- */

static void (*const potrf[])(cg_opt, cg_int_in, void *, cg_int_in, int *, size_t) = { spotrf_, dpotrf_, cpotrf_, zpotrf_ };

static void fill(void *p, int64_t reals, bool wide, double v) {
    for (int64_t i = 0; i < reals; i++) {
        if (wide) ((double *)p)[i] = v;
        else ((float *)p)[i] = (float)v;
    }
}

/* The other triangle is 0, as XLA has it. */
static void clear_other(const linalg_state *s, char *a, size_t bytes) {
    const int64_t n = s->order;
    for (int64_t i = 0; i < n; i++) {
        const int64_t from = s->opt[0] == 'U' ? i + 1 : 0, to = s->opt[0] == 'U' ? n : i;
        if (from < to) memset(a + (size_t)(i * n + from) * bytes, 0, (size_t)(to - from) * bytes);
    }
}

static weft_status cholesky_run(const void *state, void *const *b, const weft_run_env *env) {
    const linalg_state *s = state;
    const int64_t elems = (int64_t)s->order * s->order;
    const size_t bytes = element_bytes(s->type), all = (size_t)(s->batch * elems) * bytes;
    (void)env;
    cg_lapack_begin();
    if (b[0] != b[1] && all) memcpy(b[1], b[0], all);
    for (int64_t i = 0; i < s->batch && elems; i++) {
        char *a = (char *)b[1] + (size_t)(i * elems) * bytes;
        int info = 0;
        potrf[s->type](&s->opt[0], &s->order, a, &s->order, &info, 1);
        if (info) fill(a, elems * (s->type >= 2 ? 2 : 1), s->type & 1, NAN); /* not positive definite */
        else clear_other(s, a, bytes);
    }
    return WEFT_OK;
}

/* ---- triangular_solve ---- */

static void (*const trsm[])(cg_opt, cg_opt, cg_opt, cg_opt, cg_int_in, cg_int_in, const void *, const void *, cg_int_in, void *, cg_int_in, size_t, size_t, size_t,
                            size_t) = { strsm_, dtrsm_, ctrsm_, ztrsm_ };

static weft_status solve_run(const void *state, void *const *b, const weft_run_env *env) {
    const linalg_state *s = state;
    const int64_t a_elems = (int64_t)s->order * s->order, x_elems = (int64_t)s->rows * s->columns;
    const size_t bytes = element_bytes(s->type), all = (size_t)(s->batch * x_elems) * bytes;
    static const float one_f[2] = { 1, 0 };
    static const double one_d[2] = { 1, 0 };
    const void *one = s->type & 1 ? (const void *)one_d : one_f;
    (void)env;
    cg_lapack_begin();
    if (b[1] != b[2] && all) memcpy(b[2], b[1], all);
    for (int64_t i = 0; i < s->batch && x_elems; i++) {
        const char *a = (const char *)b[0] + (size_t)(i * a_elems) * bytes;
        char *x = (char *)b[2] + (size_t)(i * x_elems) * bytes;
        trsm[s->type](&s->opt[0], &s->opt[1], &s->opt[2], &s->opt[3], &s->columns, &s->rows, one, a, &s->order, x, &s->columns, 1, 1, 1, 1);
    }
    return WEFT_OK;
}

/* ---- import ---- */

/* The type that is computed with. */
static weft_dtype working_type(weft_dtype t) { return cg_lapack_type(t) >= 0 ? t : WEFT_F32; }

static weft_status state_of(cg_import *im, const weft_op *op, const cg_node *a, const cg_node *x, linalg_state *s) {
    const int64_t rows = x->dims[x->rank - 2], columns = x->dims[x->rank - 1], order = a->dims[a->rank - 1];
    if (rows > INT32_MAX || columns > INT32_MAX || order > INT32_MAX)
        return weft_report(im->g->cx, WEFT_D_unsupported, op->loc, "matrices of '%s' are larger than LAPACK takes", op->name->text);
    s->type = cg_lapack_type((weft_dtype)x->dtype);
    s->rows = (int32_t)rows, s->columns = (int32_t)columns, s->order = (int32_t)order;
    s->batch = 1;
    for (uint32_t d = 0; d + 2 < x->rank; d++) s->batch *= x->dims[d];
    return WEFT_OK;
}

static weft_status finish(cg_import *im, const weft_op *op, const cg_call_spec *spec, cg_node *const *in, uint32_t n) {
    const cg_node *x = in[n - 1];
    const weft_type *t = weft_type_tensor(im->g->cx, (weft_dtype)x->dtype, x->rank, x->dims);
    cg_node *out = NULL;
    if (!t) return weft_oom();
    if (!cg_call(im->g, spec, in, n, &t, 1, &out)) return im->g->status;
    return cg_set(im, op, 0, cg_convert(im->g, out, op->results[0].type->dtype));
}

weft_status weft_gen_cholesky(cg_import *im, const weft_op *op) {
    linalg_state s = { 0 };
    cg_node *a = cg_of(im, op, 0);
    a = cg_convert(im->g, a, working_type((weft_dtype)a->dtype));
    if (!a) return im->g->status;
    weft_status st = state_of(im, op, a, a, &s);
    s.opt[0] = weft_op_int(op, WEFT_A_lower, 0) ? 'U' : 'L';
    if (st != WEFT_OK) return st;
    return finish(im, op, &(cg_call_spec){ .label = "cholesky", .fn = cholesky_run, .state = &s, .state_bytes = sizeof s, .in_place = 1 }, &a, 1);
}

weft_status weft_gen_triangular_solve(cg_import *im, const weft_op *op) {
    linalg_state s = { 0 };
    cg_node *in[2] = { cg_of(im, op, 0), cg_of(im, op, 1) };
    for (int i = 0; i < 2; i++)
        if (!(in[i] = cg_convert(im->g, in[i], working_type((weft_dtype)in[i]->dtype)))) return im->g->status;
    weft_status st = state_of(im, op, in[0], in[1], &s);
    const weft_enum_value t = weft_op_attr(op, WEFT_A_transpose_a)->e;
    s.opt[0] = weft_op_int(op, WEFT_A_left_side, 0) ? 'R' : 'L';
    s.opt[1] = weft_op_int(op, WEFT_A_lower, 0) ? 'U' : 'L';
    s.opt[2] = t == WEFT_transpose_ADJOINT ? 'C' : t == WEFT_transpose_TRANSPOSE ? 'T' : 'N';
    s.opt[3] = weft_op_int(op, WEFT_A_unit_diagonal, 0) ? 'U' : 'N';
    if (st != WEFT_OK) return st;
    return finish(im, op, &(cg_call_spec){ .label = "triangular_solve", .fn = solve_run, .state = &s, .state_bytes = sizeof s }, in, 2);
}
