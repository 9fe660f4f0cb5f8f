/* fft_f64.c: transforms of f64 (fft_lines.h): four lanes with AVX2, two on any machine. */
#include <string.h>
#include "exec/kernels/fft.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* loops over lanes and radices become straight code */
#endif

typedef double two __attribute__((vector_size(16)));
static inline void turn2(two *r) {
    const double x = r[0][1];
    r[0][1] = r[1][0], r[1][0] = x;
}

static const int in_order[] = { 0, 1 };
#define FFT(name) f64_any_##name
#define REAL double
#define VECTOR two
#define LANES 2
#define TARGET
#define SPLAT(x) ((two){ (x), (x) })
#define FUSED(a, b, c) ((a) * (b) + (c))
#define LESS(a, b, c) ((c) - (a) * (b))
#define UNZIP(p, re, im) ((re) = (two){ (p)[0], (p)[2] }, (im) = (two){ (p)[1], (p)[3] })
#define ZIP(p, re, im) ((p)[0] = (re)[0], (p)[1] = (im)[0], (p)[2] = (re)[1], (p)[3] = (im)[1])
#define AT(i) (i)
#define TURN(rows) turn2(rows)
#include "exec/kernels/fft_lines.h"

static const weft_fft_code any = { 2, in_order, f64_any_run, f64_any_unfold, f64_any_fold };

#if defined(__x86_64__)
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,fma")))

AVX2 static inline __attribute__((always_inline)) void turn4(__m256d *r) {
    const __m256d a = _mm256_unpacklo_pd(r[0], r[1]), b = _mm256_unpackhi_pd(r[0], r[1]),
                  c = _mm256_unpacklo_pd(r[2], r[3]), d = _mm256_unpackhi_pd(r[2], r[3]);
    r[0] = _mm256_permute2f128_pd(a, c, 0x20), r[1] = _mm256_permute2f128_pd(b, d, 0x20);
    r[2] = _mm256_permute2f128_pd(a, c, 0x31), r[3] = _mm256_permute2f128_pd(b, d, 0x31);
}

AVX2 static inline __attribute__((always_inline)) __m256d evens4(const double *p) {
    return _mm256_unpacklo_pd(_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4));
}
AVX2 static inline __attribute__((always_inline)) __m256d odds4(const double *p) {
    return _mm256_unpackhi_pd(_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4));
}
AVX2 static inline __attribute__((always_inline)) void zip4(double *p, __m256d re, __m256d im) {
    _mm256_storeu_pd(p, _mm256_unpacklo_pd(re, im));
    _mm256_storeu_pd(p + 4, _mm256_unpackhi_pd(re, im));
}

static const int by_halves[] = { 0, 2, 1, 3 };
#define FFT(name) f64_avx2_##name
#define REAL double
#define VECTOR __m256d
#define LANES 4
#define TARGET AVX2
#define SPLAT(x) _mm256_set1_pd(x)
#define FUSED(a, b, c) _mm256_fmadd_pd(a, b, c)
#define LESS(a, b, c) _mm256_fnmadd_pd(a, b, c)
#define UNZIP(p, re, im) ((re) = evens4(p), (im) = odds4(p))
#define ZIP(p, re, im) zip4(p, re, im)
#define AT(i) (((i) & 1) << 1 | ((i) & 2) >> 1)
#define TURN(rows) turn4(rows)
#include "exec/kernels/fft_lines.h"

static const weft_fft_code avx2 = { 4, by_halves, f64_avx2_run, f64_avx2_unfold, f64_avx2_fold };
#endif

const weft_fft_code *weft_fft_code_f64(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &avx2;
#endif
    return &any;
}
