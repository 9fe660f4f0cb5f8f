/* gen_linalg.c: column `gen` of cholesky, by LAPACK, and of triangular_solve (triangular.h).
 *
 * LAPACK reads memory column by column, so a row-major matrix is its transpose to it: lower is upper. Types that it
 * does not have are computed in f32.
 */
#include <math.h>
#include "codegen/call.h"
#include "codegen/import.h"
#include "codegen/lapack.h"
#include "codegen/triangular.h"
#include "kernels/kernels.h"

/* ---- cholesky ---- */

typedef struct cholesky_state {
    int32_t type;           /* 0 s, 1 d, 2 c, 3 z */
    int32_t order;
    char uplo[8];           /* for the column-major side */
    int64_t batch;
} cholesky_state;

static size_t element_bytes(int32_t type) { return type == 0 ? 4 : type == 3 ? 16 : 8; }

static void (*const potrf[])(cg_opt, cg_int_in, void *, cg_int_in, int *, size_t) = { spotrf_, dpotrf_, cpotrf_,
                                                                                      zpotrf_ };

static void fill(void *p, int64_t reals, bool wide, double v) {
    for (int64_t i = 0; i < reals; i++) {
        if (wide) ((double *)p)[i] = v;
        else ((float *)p)[i] = (float)v;
    }
}

/* The other triangle is 0, as XLA has it. */
static void clear_other(const cholesky_state *s, char *a, size_t bytes) {
    const int64_t n = s->order;
    for (int64_t i = 0; i < n; i++) {
        const int64_t from = s->uplo[0] == 'U' ? i + 1 : 0, to = s->uplo[0] == 'U' ? n : i;
        if (from < to) memset(a + (size_t)(i * n + from) * bytes, 0, (size_t)(to - from) * bytes);
    }
}

static weft_status cholesky_run(const void *state, void *const *b, const weft_run_env *env) {
    const cholesky_state *s = state;
    const int64_t elems = (int64_t)s->order * s->order;
    const size_t bytes = element_bytes(s->type), all = (size_t)(s->batch * elems) * bytes;
    (void)env;
    cg_lapack_begin();
    if (b[0] != b[1] && all) memcpy(b[1], b[0], all);
    for (int64_t i = 0; i < s->batch && elems; i++) {
        char *a = (char *)b[1] + (size_t)(i * elems) * bytes;
        int info = 0;
        potrf[s->type](&s->uplo[0], &s->order, a, &s->order, &info, 1);
        if (info) fill(a, elems * (s->type >= 2 ? 2 : 1), s->type & 1, NAN); /* not positive definite */
        else clear_other(s, a, bytes);
    }
    return WEFT_OK;
}

/* ---- import ---- */

const weft_kernel weft_kernel_cholesky = { .name = "cholesky", .run = cholesky_run,
                                           .state_bytes = sizeof(cholesky_state) };

/* The type that is computed with. */
static weft_dtype working_type(weft_dtype t) { return cg_lapack_type(t) >= 0 ? t : WEFT_F32; }

/* The matrices of x: are they no larger than an int counts? Their number goes to *batch. */
static weft_status sizes(cg_import *im, const weft_op *op, const cg_node *x, int64_t *batch) {
    if (x->dims[x->rank - 2] > INT32_MAX || x->dims[x->rank - 1] > INT32_MAX)
        return weft_report(im->g->cx, WEFT_D_unsupported, op->loc, "matrices of '%s' are larger than LAPACK takes",
                           op->name->text);
    *batch = 1;
    for (uint32_t d = 0; d + 2 < x->rank; d++) *batch *= x->dims[d];
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
    cholesky_state s = { .uplo = { weft_op_int(op, WEFT_A_lower, 0) ? 'U' : 'L' } };
    cg_node *a = cg_of(im, op, 0);
    a = cg_convert(im->g, a, working_type((weft_dtype)a->dtype));
    if (!a) return im->g->status;
    weft_status st = sizes(im, op, a, &s.batch);
    if (st != WEFT_OK) return st;
    s.type = cg_lapack_type((weft_dtype)a->dtype);
    s.order = (int32_t)a->dims[a->rank - 1];
    return finish(im, op,
                  &(cg_call_spec){
                      .kernel = &weft_kernel_cholesky, .state = &s, .state_bytes = sizeof s, .in_place = 1 },
                  &a, 1);
}

/* ---- triangular_solve ---- */

static uint32_t solve_flags(const weft_op *op) {
    const weft_enum_value t = weft_op_attr(op, WEFT_A_transpose_a)->e;
    return (weft_op_int(op, WEFT_A_left_side, 0) ? CG_TRIANGULAR_LEFT : 0) |
           (weft_op_int(op, WEFT_A_lower, 0) ? CG_TRIANGULAR_LOWER : 0) |
           (weft_op_int(op, WEFT_A_unit_diagonal, 0) ? CG_TRIANGULAR_UNIT : 0) |
           (t == WEFT_transpose_ADJOINT     ? CG_TRIANGULAR_TRANSPOSED | CG_TRIANGULAR_CONJUGATE
            : t == WEFT_transpose_TRANSPOSE ? CG_TRIANGULAR_TRANSPOSED
                                            : 0);
}

weft_status weft_gen_triangular_solve(cg_import *im, const weft_op *op) {
    cg_triangular s = { .flags = solve_flags(op) };
    cg_node *in[2] = { cg_of(im, op, 0), cg_of(im, op, 1) };
    for (int i = 0; i < 2; i++)
        if (!(in[i] = cg_convert(im->g, in[i], working_type((weft_dtype)in[i]->dtype)))) return im->g->status;
    const cg_node *x = in[1];
    weft_status st = sizes(im, op, x, &s.batch);
    if (st != WEFT_OK) return st;
    const uint32_t other = x->rank - (s.flags & CG_TRIANGULAR_LEFT ? 1 : 2);
    s.type = cg_lapack_type((weft_dtype)x->dtype);
    s.order = (int32_t)in[0]->dims[x->rank - 1];
    s.others = (int32_t)x->dims[other];
    const cg_call_spec spec = { .kernel = &weft_kernel_triangular_solve, .state = &s,
                                .state_bytes = sizeof s, .scratch_bytes = cg_triangular_scratch_bytes(&s),
                                .in_place = weft_bit(1) };
    return finish(im, op, &spec, in, 2);
}
