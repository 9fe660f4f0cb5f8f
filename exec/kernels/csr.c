/* csr.c: see csr.h. Entries whose column lies outside the matrix are left out. Source:
 * jax.experimental.sparse (cpu_csr_sparse_dense_ffi). */
#include <complex.h>
#include "exec/kernels/csr.h"

static int64_t index_at(const weft_csr_state *s, const void *p, int64_t i) {
    return s->wide_index ? ((const int64_t *)p)[i] : ((const int32_t *)p)[i];
}

/* One row of the result: entries [from, to) of the matrix, those that lie in it. */
#define CSR_ROW(name, number) \
    static void name(const weft_csr_state *s, void *const *b, int64_t row, int64_t from, int64_t to) { \
        const number *value = b[0], *dense = b[3]; \
        number *out = (number *)b[4] + row * s->width; \
        for (int64_t j = 0; j < s->width; j++) out[j] = 0; \
        for (int64_t k = from; k < to; k++) { \
            const int64_t column = index_at(s, b[2], k); \
            if (column < 0 || column >= s->columns) continue; \
            for (int64_t j = 0; j < s->width; j++) \
                out[j] = (number)(out[j] + value[k] * dense[column * s->width + j]); \
        } \
    }
CSR_ROW(csr_f32, float)
CSR_ROW(csr_f64, double)
CSR_ROW(csr_c64, float complex)
CSR_ROW(csr_c128, double complex)
CSR_ROW(csr_i32, uint32_t)
CSR_ROW(csr_i64, uint64_t)

static void (*csr_row(weft_dtype t))(const weft_csr_state *, void *const *, int64_t, int64_t, int64_t) {
    switch (t) {
    case WEFT_F32: return csr_f32;
    case WEFT_F64: return csr_f64;
    case WEFT_C64: return csr_c64;
    case WEFT_C128: return csr_c128;
    case WEFT_I32: return csr_i32;
    case WEFT_I64: return csr_i64;
    default: return NULL;
    }
}

bool weft_csr_has(weft_dtype t) { return csr_row(t) != NULL; }

static int64_t csr_grains(const void *state) { return ((const weft_csr_state *)state)->rows; }

static weft_status csr_run(const void *state, void *const *b, const weft_run_env *env) {
    const weft_csr_state *s = state;
    for (int64_t i = env->first_grain; i < weft_min_i64(env->end_grain, s->rows); i++) {
        const int64_t from = index_at(s, b[1], i), to = index_at(s, b[1], i + 1);
        csr_row((weft_dtype)s->dtype)(s, b, i, weft_max_i64(from, 0), weft_min_i64(to, s->stored));
    }
    return WEFT_OK;
}

const weft_kernel weft_kernel_csr = { .name = "csr", .run = csr_run, .state_bytes = sizeof(weft_csr_state),
                                      .grains = csr_grains };
