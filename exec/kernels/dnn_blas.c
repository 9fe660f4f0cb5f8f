/* dnn_blas.c: see dnn_blas.h. */
#include "exec/kernels/dnn_blas.h"
#include "exec/kernels/lapack.h"

/* PAGE: bytes. Of sides from 64 to 4096, those up to 256 are slow; below 64 one product was measured, 32 x 1024 x 256,
 * with 44 and 68 GFLOP/s. */
enum { PAGE = 4096, SHORT_SIDE = 256, LEAST_SIDE = 16, LEAST_DEPTH = 64 };

/* A matrix of a product: elements of a row, or of a column, lie side by side; step is between these. */
typedef struct side { int64_t rows, columns, step; bool by_columns; } side;

static bool side_of(const weft_dnn_arg *x, side *out) {
    const weft_md_view v = weft_md_look(&x->md);
    if (v.type != dnnl_f32 || v.blocks || !v.strides || v.n < 2) return false;
    const int64_t row = v.strides[v.n - 2], column = v.strides[v.n - 1];
    *out = (side){ v.dims[v.n - 2], v.dims[v.n - 1], column == 1 ? row : column, column != 1 };
    return (row == 1 || column == 1) && out->step >= (out->by_columns ? out->rows : out->columns) &&
           out->step <= INT32_MAX;
}

static bool meets_itself(const side *x) { return x->step * (int64_t)sizeof(float) % PAGE == 0; }

/* The contracted dimension is the one that is stepped over, and the other operand's side is short. */
static bool is_slow(const side *a, const side *b) {
    return (a->by_columns && meets_itself(a) && b->columns <= SHORT_SIDE) ||
           (!b->by_columns && meets_itself(b) && a->rows <= SHORT_SIDE);
}

bool weft_blas_product_of(const_dnnl_primitive_desc_t pd, const weft_dnn_arg args[3], weft_blas_product *out) {
    side a, b, c;
    if (!weft_lapack_is_openmp() || !weft_pd_is_by(pd, "gemm")) return false;
    if (!side_of(&args[0], &a) || !side_of(&args[1], &b) || !side_of(&args[2], &c) || c.by_columns) return false;
    if (weft_min_i64(a.rows, b.columns) < LEAST_SIDE || a.columns < LEAST_DEPTH || !is_slow(&a, &b)) return false;
    const weft_md_view va = weft_md_look(&args[0].md), vb = weft_md_look(&args[1].md), vc = weft_md_look(&args[2].md);
    *out = (weft_blas_product){ .batch_rank = vc.n - 2, .m = (int)a.rows, .n = (int)b.columns, .k = (int)a.columns,
                                .a_step = (int)a.step, .b_step = (int)b.step, .c_step = (int)c.step,
                                .a_by_columns = a.by_columns, .b_by_columns = b.by_columns };
    for (int i = 0; i < out->batch_rank; i++) {
        out->batch[i] = vc.dims[i];
        out->a_batch[i] = va.dims[i] > 1 ? va.strides[i] : 0;
        out->b_batch[i] = vb.dims[i] > 1 ? vb.strides[i] : 0;
        out->c_batch[i] = vc.strides[i];
    }
    return true;
}

/* BLAS has matrices by columns: there the result is its transpose, b's transpose times a's. */
static void multiply(const weft_blas_product *p, const float *a, const float *b, float *c) {
    const float one = 1, zero = 0;
    sgemm_(p->b_by_columns ? "T" : "N", p->a_by_columns ? "T" : "N", &p->n, &p->m, &p->k, &one, b, &p->b_step, a,
           &p->a_step, &zero, c, &p->c_step, 1, 1);
}

void weft_blas_product_run(const weft_blas_product *p, const float *a, const float *b, float *c) {
    int64_t count = 1;
    for (int i = 0; i < p->batch_rank; i++) count *= p->batch[i];
    for (int64_t k = 0; k < count; k++) {
        int64_t rest = k, at[3] = { 0 };
        for (int i = p->batch_rank; i-- > 0; rest /= p->batch[i]) {
            const int64_t digit = rest % p->batch[i];
            at[0] += digit * p->a_batch[i], at[1] += digit * p->b_batch[i], at[2] += digit * p->c_batch[i];
        }
        multiply(p, a + at[0], b + at[1], c + at[2]);
    }
}
