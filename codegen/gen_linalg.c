/* gen_linalg.c: column `gen` of cholesky, by LAPACK, and of triangular_solve (exec/kernels/triangular.h).
 *
 * LAPACK reads memory column by column, so a row-major matrix is its transpose to it: lower is upper. Types that it
 * does not have are computed in f32.
 */
#include "codegen/call.h"
#include "codegen/import.h"
#include "exec/kernels/cholesky.h"
#include "exec/kernels/lapack.h"
#include "exec/kernels/triangular.h"

/* The type that is computed with. */
static weft_dtype working_type(weft_dtype t) { return weft_lapack_type(t) >= 0 ? t : WEFT_F32; }

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
    weft_cholesky_state s = { .uplo = { weft_op_int(op, WEFT_A_lower, 0) ? 'U' : 'L' } };
    cg_node *a = cg_of(im, op, 0);
    a = cg_convert(im->g, a, working_type((weft_dtype)a->dtype));
    if (!a) return im->g->status;
    weft_status st = sizes(im, op, a, &s.batch);
    if (st != WEFT_OK) return st;
    s.type = weft_lapack_type((weft_dtype)a->dtype);
    s.order = (int32_t)a->dims[a->rank - 1];
    return finish(im, op,
                  &(cg_call_spec){
                      .kernel = &weft_kernel_cholesky, .state = &s, .state_bytes = sizeof s, .in_place = 1,
                      .order = s.order },
                  &a, 1);
}

/* ---- triangular_solve ---- */

static uint32_t solve_flags(const weft_op *op) {
    const weft_enum_value t = weft_op_attr(op, WEFT_A_transpose_a)->e;
    return (weft_op_int(op, WEFT_A_left_side, 0) ? WEFT_TRIANGULAR_LEFT : 0) |
           (weft_op_int(op, WEFT_A_lower, 0) ? WEFT_TRIANGULAR_LOWER : 0) |
           (weft_op_int(op, WEFT_A_unit_diagonal, 0) ? WEFT_TRIANGULAR_UNIT : 0) |
           (t == WEFT_transpose_ADJOINT     ? WEFT_TRIANGULAR_TRANSPOSED | WEFT_TRIANGULAR_CONJUGATE
            : t == WEFT_transpose_TRANSPOSE ? WEFT_TRIANGULAR_TRANSPOSED
                                            : 0);
}

weft_status weft_gen_triangular_solve(cg_import *im, const weft_op *op) {
    weft_triangular s = { .flags = solve_flags(op) };
    cg_node *in[2] = { cg_of(im, op, 0), cg_of(im, op, 1) };
    for (int i = 0; i < 2; i++)
        if (!(in[i] = cg_convert(im->g, in[i], working_type((weft_dtype)in[i]->dtype)))) return im->g->status;
    const cg_node *x = in[1];
    weft_status st = sizes(im, op, x, &s.batch);
    if (st != WEFT_OK) return st;
    const uint32_t other = x->rank - (s.flags & WEFT_TRIANGULAR_LEFT ? 1 : 2);
    s.type = weft_lapack_type((weft_dtype)x->dtype);
    s.order = (int32_t)in[0]->dims[x->rank - 1];
    s.others = (int32_t)x->dims[other];
    const cg_call_spec spec = { .kernel = &weft_kernel_triangular_solve, .state = &s,
                                .state_bytes = sizeof s, .scratch_bytes = weft_triangular_scratch_bytes(&s),
                                .in_place = weft_bit(1), .order = s.order };
    return finish(im, op, &spec, in, 2);
}
