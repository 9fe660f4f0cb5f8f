/* reduce_floats.c: f32, f64 and complex numbers; see reduce_kernels.h. */
#include "collectives/reduce_kernels.h"

#define FLOATS(T, s)                      \
    PLAIN(add_##s, T, ADD)                \
    PLAIN(mul_##s, T, MUL)                \
    PLAIN(min_##s, T, low_##s)            \
    PLAIN(max_##s, T, high_##s)           \
    MEAN_AFTER(mean_##s, T, add_##s)      \
    DIVIDE(divide_##s, T)
FLOATS(float, f32)
FLOATS(double, f64)

/* Sums of complex numbers are sums of their parts. */
#define COMPLEX(T, SUFFIX) \
    static void add_c##SUFFIX(void *dst, const void *const *src, int k, int64_t n) { \
        add_f##SUFFIX(dst, src, k, 2 * n); \
    } \
    static void mean_c##SUFFIX(void *dst, const void *const *src, int k, int64_t n) { \
        mean_f##SUFFIX(dst, src, k, 2 * n); \
    } \
    static void divide_c##SUFFIX(void *dst, const void *sum, int64_t operands, int64_t n) { \
        divide_f##SUFFIX(dst, sum, operands, 2 * n); \
    } \
    CLONES static void mul_c##SUFFIX(void *dst, const void *const *src, int k, int64_t n) { \
        LOOSE(T) *restrict d = dst; \
        for (int64_t i = 0; i < n; i++) { \
            T re = ((const LOOSE(T) *)src[0])[2 * i], im = ((const LOOSE(T) *)src[0])[2 * i + 1]; \
            for (int s = 1; s < k; s++) { \
                T x = ((const LOOSE(T) *)src[s])[2 * i], y = ((const LOOSE(T) *)src[s])[2 * i + 1]; \
                T r = re * x - im * y; \
                im = re * y + im * x; \
                re = r; \
            } \
            d[2 * i] = re; \
            d[2 * i + 1] = im; \
        } \
    }
COMPLEX(float, 32)
COMPLEX(double, 64)

#define MEAN_ROW(s, bytes) { mean_##s, add_##s, add_##s, divide_##s, bytes }
#define FLOAT_ROW(s, T)                                                                               \
    {                                                                                                 \
        [WEFT_SUM] = ALIKE(add_##s, T), [WEFT_PRODUCT] = ALIKE(mul_##s, T), [WEFT_MIN] = ALIKE(min_##s, T), \
        [WEFT_MAX] = ALIKE(max_##s, T), [WEFT_MEAN] = MEAN_ROW(s, sizeof(T)),                         \
    }
#define COMPLEX_ROW(s, T) \
    { [WEFT_SUM] = ALIKE(add_##s, T[2]), [WEFT_PRODUCT] = ALIKE(mul_##s, T[2]), [WEFT_MEAN] = MEAN_ROW(s, sizeof(T[2])) }
const weft_adder weft_adders_F32[WEFT_REDUCE_COUNT] = FLOAT_ROW(f32, float);
const weft_adder weft_adders_F64[WEFT_REDUCE_COUNT] = FLOAT_ROW(f64, double);
const weft_adder weft_adders_C64[WEFT_REDUCE_COUNT] = COMPLEX_ROW(c32, float);
const weft_adder weft_adders_C128[WEFT_REDUCE_COUNT] = COMPLEX_ROW(c64, double);
