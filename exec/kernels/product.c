/* product.c: matrix products by oneDNN.
 *
 * Products of bf16 are exact in f32, where they are summed up; for processors without instructions for them the
 * operands are copied to f32 first.
 */
#include "exec/kernels/dnn_blas.h"
#include "exec/kernels/threads.h"

enum { MOST_COLUMNS = 64 }; /* of one of oneDNN's tiles: four vectors of 16 */

typedef struct matmul {
    weft_library *s;
    weft_dnn_arg arg[3];      /* a, b, c */
} matmul;

static dnnl_status_t describe(weft_mds *of, const weft_matmul *m, const weft_matrix *x, int64_t rows, int64_t columns,
                              weft_md *md) {
    dnnl_dims_t dims, strides;
    dnnl_data_type_t type;
    int n = 0;
    if (!weft_dnn_data_type(x->dtype, &type)) return dnnl_unimplemented;
    for (uint32_t i = 0; i < m->batch_rank; i++) {
        if (m->batch[i] == 1) continue;
        dims[n] = x->batch[i] ? m->batch[i] : 1; /* one matrix for all */
        strides[n++] = x->batch[i] ? x->batch[i] : 1;
    }
    dims[n] = rows;
    strides[n++] = rows > 1 ? x->row : x->column == 1 ? columns : 1;
    dims[n] = columns;
    /* a result by columns is left to oneDNN's slow reference */
    strides[n++] = columns > 1 ? x->column : x->row == 1 && x != &m->c ? rows : 1;
    return weft_md_strided(of, n, dims, type, strides, md);
}

static dnnl_status_t arguments(matmul *x, const weft_matmul *m) {
    static const int ids[3] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST };
    const weft_matrix *of[3] = { &m->a, &m->b, &m->c };
    const int64_t rows[3] = { m->m, m->k, m->m }, columns[3] = { m->k, m->n, m->n };
    dnnl_status_t st = dnnl_success;
    for (uint32_t i = 0; i < 3 && st == dnnl_success; i++) {
        st = describe(weft_dnn_mds(x->s), m, of[i], rows[i], columns[i], &x->arg[i].md);
        x->arg[i].id = ids[i];
        x->arg[i].buffer = i < 2 ? of[i]->buffer : WEFT_LIBRARY_RESULT;
        x->arg[i].offset = of[i]->offset * (int64_t)weft_dtype_bytes(of[i]->dtype);
    }
    return st;
}

/* Argument i in f32, in scratch memory. Its dimensions keep their order there, so that one of its strides is still 1.
 */
static dnnl_status_t widen(matmul *x, uint32_t i) {
    weft_dnn_arg wide = x->arg[i];
    const weft_md_view v = weft_md_look(&x->arg[i].md);
    const int n = v.n;
    const dnnl_dim_t *s = v.strides;
    dnnl_dims_t strides;
    dnnl_dim_t step = 1;
    const bool by_columns = s[n - 1] != 1 && s[n - 2] == 1;
    for (int d = n; d-- > 0;) {
        const int at = by_columns && d >= n - 2 ? 2 * n - 3 - d : d;
        strides[at] = step;
        step *= v.dims[at];
    }
    dnnl_status_t st = weft_md_strided(weft_dnn_mds(x->s), n, v.dims, dnnl_f32, strides, &wide.md);
    if (st != dnnl_success) return st;
    wide.buffer = WEFT_LIBRARY_SCRATCH;
    wide.offset = weft_dnn_room(x->s, (int64_t)dnnl_memory_desc_get_size(weft_md_ref_of(&wide.md)));
    if (i < 2) st = weft_dnn_copy(x->s, &x->arg[i], &wide);
    x->arg[i] = wide;
    return st;
}

static dnnl_status_t describe_product(const matmul *x, dnnl_primitive_desc_t *pd) {
    dnnl_primitive_attr_t attr = NULL;
    *pd = NULL;
    dnnl_status_t st = weft_dnn_attr(&attr);
    if (st == dnnl_success)
        st = weft_pd_product(weft_dnn_engine(x->s), attr, &x->arg[0].md, &x->arg[1].md, &x->arg[2].md, pd);
    if (attr) dnnl_primitive_attr_destroy(attr);
    return st;
}

static dnnl_status_t scratch_of_product(const matmul *x, int64_t *bytes) {
    dnnl_primitive_desc_t pd;
    dnnl_status_t st = describe_product(x, &pd);
    const weft_md_ref scratch =
        st == dnnl_success ? dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0) : NULL;
    *bytes = scratch ? (int64_t)dnnl_memory_desc_get_size(scratch) : 0;
    if (pd) dnnl_primitive_desc_destroy(pd);
    return st;
}

/* oneDNN copies a right operand that lies by columns into tiles as wide as several vectors, full of zeros where there
 * are few columns. Where a copy by rows is smaller than that, it is made instead. */
static dnnl_status_t straighten(matmul *x) {
    const weft_dnn_arg own = x->arg[1];
    const weft_md_view v = weft_md_look(&own.md);
    const int n = v.n;
    const dnnl_dim_t *s = v.strides;
    dnnl_dims_t strides;
    dnnl_dim_t step = 1;
    int64_t before, after;
    if (s[n - 1] == 1 || s[n - 2] != 1 || v.dims[n - 1] % MOST_COLUMNS == 0) return dnnl_success;
    for (int d = n; d-- > 0; step *= v.dims[d]) strides[d] = step;
    dnnl_status_t st = scratch_of_product(x, &before);
    if (st == dnnl_success) st = weft_md_strided(weft_dnn_mds(x->s), n, v.dims, v.type, strides, &x->arg[1].md);
    if (st == dnnl_success) st = scratch_of_product(x, &after);
    const int64_t bytes = (int64_t)dnnl_memory_desc_get_size(weft_md_ref_of(&x->arg[1].md));
    if (st != dnnl_success || after + bytes >= before) {
        x->arg[1] = own;
        return st;
    }
    x->arg[1].buffer = WEFT_LIBRARY_SCRATCH;
    x->arg[1].offset = weft_dnn_room(x->s, bytes);
    return weft_dnn_copy(x->s, &own, &x->arg[1]);
}

static dnnl_status_t multiply(matmul *x) {
    dnnl_primitive_desc_t pd;
    weft_blas_product blas;
    dnnl_status_t st = describe_product(x, &pd);
    if (st == dnnl_success && weft_blas_product_of(pd, x->arg, &blas)) st = weft_dnn_add_blas(x->s, &blas, x->arg);
    else if (st == dnnl_success) st = weft_dnn_add(x->s, pd, x->arg, 3);
    if (pd) dnnl_primitive_desc_destroy(pd);
    return st;
}

static weft_status make(weft_context *cx, const weft_matmul *m, const weft_loc *loc, weft_library **out) {
    dnnl_status_t st;
    matmul x = { .s = weft_dnn_new(cx, m->scratch_bytes, &st) };
    if (x.s) st = arguments(&x, m);
    const weft_dnn_arg result = x.arg[2];
    const bool wide = m->a.dtype == WEFT_BF16 && (m->widens || !weft_dnn_multiplies_bf16());
    for (uint32_t i = 0; i < 3 && wide && st == dnnl_success; i++)
        if (weft_md_look(&x.arg[i].md).type != dnnl_f32) st = widen(&x, i);
    if (st == dnnl_success && !wide) st = straighten(&x);
    if (st == dnnl_success) st = multiply(&x);
    if (st == dnnl_success && x.arg[2].buffer != WEFT_LIBRARY_RESULT) st = weft_dnn_copy(x.s, &x.arg[2], &result);
    if (st == dnnl_success) {
        *out = x.s;
        return WEFT_OK;
    }
    weft_library_free(x.s);
    if (st == dnnl_out_of_memory) return weft_oom();
    return weft_report(cx, WEFT_D_unsupported, loc, "oneDNN cannot multiply these shapes (status %d)", (int)st);
}

weft_status weft_library_accepts_matmul(weft_context *cx, const weft_matmul *m, const weft_loc *loc) {
    int64_t most = weft_max_i64(m->m, weft_max_i64(m->n, m->k));
    for (int64_t i = 0; i < m->batch_rank; i++) most = weft_max_i64(most, m->batch[i]);
    return weft_dnn_check_count(cx, "product", most, loc);
}

weft_status weft_library_matmul(weft_context *cx, const weft_matmul *m, const weft_loc *loc, weft_library **out) {
    const weft_status counted = weft_library_accepts_matmul(cx, m, loc);
    if (counted != WEFT_OK) return counted;
    int threads = weft_threads_take_one();
    weft_status st = make(cx, m, loc, out);
    weft_threads_give(threads);
    return st;
}
