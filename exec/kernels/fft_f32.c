/* fft_f32.c: transforms of f32 (fft_lines.h): eight lanes with AVX2, four on any machine. */
#include <string.h>
#include "exec/kernels/fft.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* loops over lanes and radices become straight code */
#endif

/* Without a shuffle that every machine has: by element, which compilers make shuffles of where they can. */
typedef float four __attribute__((vector_size(16)));
static inline void turn4(four *r) {
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++) {
            const float x = r[i][j];
            r[i][j] = r[j][i], r[j][i] = x;
        }
}

static const int in_order[] = { 0, 1, 2, 3 };
#define FFT(name) f32_any_##name
#define REAL float
#define VECTOR four
#define LANES 4
#define TARGET
#define SPLAT(x) ((four){ (x), (x), (x), (x) })
#define FUSED(a, b, c) ((a) * (b) + (c))
#define LESS(a, b, c) ((c) - (a) * (b))
#define UNZIP(p, re, im) \
    ((re) = (four){ (p)[0], (p)[2], (p)[4], (p)[6] }, (im) = (four){ (p)[1], (p)[3], (p)[5], (p)[7] })
#define ZIP(p, re, im) \
    do { \
        for (int z = 0; z < 4; z++) (p)[2 * z] = (re)[z], (p)[2 * z + 1] = (im)[z]; \
    } while (0)
#define AT(i) (i)
#define TURN(rows) turn4(rows)
#include "exec/kernels/fft_lines.h"

static const weft_fft_code any = { 4, in_order, f32_any_run, f32_any_unfold, f32_any_fold };

#if defined(__x86_64__)
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,fma")))

AVX2 static inline __attribute__((always_inline)) void turn8(__m256 *r) {
    __m256 t[8], u[8];
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        u[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44), u[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
        u[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44), u[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
    }
    for (int i = 0; i < 4; i++) {
        r[i] = _mm256_permute2f128_ps(u[i], u[i + 4], 0x20);
        r[i + 4] = _mm256_permute2f128_ps(u[i], u[i + 4], 0x31);
    }
}

/* Shuffles within halves of a register take a cycle; those across them, which would keep the order, take three. */
AVX2 static inline __attribute__((always_inline)) __m256 evens8(const float *p) {
    return _mm256_shuffle_ps(_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8), 0x88);
}
AVX2 static inline __attribute__((always_inline)) __m256 odds8(const float *p) {
    return _mm256_shuffle_ps(_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8), 0xdd);
}
AVX2 static inline __attribute__((always_inline)) void zip8(float *p, __m256 re, __m256 im) {
    _mm256_storeu_ps(p, _mm256_unpacklo_ps(re, im));
    _mm256_storeu_ps(p + 8, _mm256_unpackhi_ps(re, im));
}

static const int by_halves[] = { 0, 1, 4, 5, 2, 3, 6, 7 };
#define FFT(name) f32_avx2_##name
#define REAL float
#define VECTOR __m256
#define LANES 8
#define TARGET AVX2
#define SPLAT(x) _mm256_set1_ps(x)
#define FUSED(a, b, c) _mm256_fmadd_ps(a, b, c)
#define LESS(a, b, c) _mm256_fnmadd_ps(a, b, c)
#define UNZIP(p, re, im) ((re) = evens8(p), (im) = odds8(p))
#define ZIP(p, re, im) zip8(p, re, im)
#define AT(i) (((i) & 1) | ((i) & 2) << 1 | ((i) & 4) >> 1)
#define TURN(rows) turn8(rows)
#include "exec/kernels/fft_lines.h"

static const weft_fft_code avx2 = { 8, by_halves, f32_avx2_run, f32_avx2_unfold, f32_avx2_fold };
#endif

const weft_fft_code *weft_fft_code_f32(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &avx2;
#endif
    return &any;
}
