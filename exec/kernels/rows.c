/* rows.c: see rows.h. One kernel per type and instruction set, chosen when it is asked for. */
#include "exec/kernels/rows.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Four vectors of sums at a time, then single ones. */
#define KERNEL(name, number, vector, target, zero, load, store, splat, multiply_add) \
    target static void name(int64_t n, const void *pc, int64_t step, const void *prows, int64_t stride, int64_t width, \
                            void *pout) { \
        enum { LANES = (int)(sizeof(vector) / sizeof(number)) }; \
        int64_t j = 0; \
        for (; j + 4 * LANES <= width; j += 4 * LANES) { \
            const number *c = pc, *row = (const number *)prows + j; \
            number *out = (number *)pout + j; \
            vector s0 = zero, s1 = zero, s2 = zero, s3 = zero; \
            for (int64_t k = 0; k < n; k++, c += step, row += stride) { \
                const vector x = splat(*c); \
                s0 = multiply_add(x, load(row), s0), s1 = multiply_add(x, load(row + LANES), s1); \
                s2 = multiply_add(x, load(row + 2 * LANES), s2), s3 = multiply_add(x, load(row + 3 * LANES), s3); \
            } \
            store(out, s0), store(out + LANES, s1), store(out + 2 * LANES, s2), store(out + 3 * LANES, s3); \
        } \
        for (; j < width; j += LANES) { \
            const number *c = pc, *row = (const number *)prows + j; \
            vector s = zero; \
            for (int64_t k = 0; k < n; k++, c += step, row += stride) s = multiply_add(splat(*c), load(row), s); \
            store((number *)pout + j, s); \
        } \
    }

#define PLAIN_ZERO 0
#define PLAIN_LOAD(p) (*(p))
#define PLAIN_STORE(p, v) (*(p) = (v))
#define PLAIN_SPLAT(x) (x)
#define PLAIN_ADD(x, y, s) ((s) + (x) * (y))
KERNEL(f32_any, float, float, , PLAIN_ZERO, PLAIN_LOAD, PLAIN_STORE, PLAIN_SPLAT, PLAIN_ADD)
KERNEL(f64_any, double, double, , PLAIN_ZERO, PLAIN_LOAD, PLAIN_STORE, PLAIN_SPLAT, PLAIN_ADD)
#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f")))
KERNEL(f32_avx2, float, __m256, AVX2, _mm256_setzero_ps(), _mm256_loadu_ps, _mm256_storeu_ps, _mm256_set1_ps, _mm256_fmadd_ps)
KERNEL(f64_avx2, double, __m256d, AVX2, _mm256_setzero_pd(), _mm256_loadu_pd, _mm256_storeu_pd, _mm256_set1_pd, _mm256_fmadd_pd)
KERNEL(f32_avx512, float, __m512, AVX512, _mm512_setzero_ps(), _mm512_loadu_ps, _mm512_storeu_ps, _mm512_set1_ps, _mm512_fmadd_ps)
KERNEL(f64_avx512, double, __m512d, AVX512, _mm512_setzero_pd(), _mm512_loadu_pd, _mm512_storeu_pd, _mm512_set1_pd, _mm512_fmadd_pd)
#endif

weft_rows_fn weft_rows_sum(weft_dtype t) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return t == WEFT_F64 ? f64_avx512 : f32_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return t == WEFT_F64 ? f64_avx2 : f32_avx2;
#endif
    return t == WEFT_F64 ? f64_any : f32_any;
}
