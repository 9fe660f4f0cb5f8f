/* reduce.c: see reduce.h. One kernel per type and operation, from macros: plain loops that the compiler vectorises, several
 * times, for the instruction sets at hand. A block of the result stays in the first-level cache while all sources pass.
 */
#include "collectives/reduce.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

/* The loader runs the resolvers of clones before a sanitizer is ready. */
#if defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif

#define BLOCK 1024 /* elements; of 8 bytes: 8 KiB of 32 or more */

/* T: type in memory; both operands of OP are of it. */
#define PLAIN(name, T, OP)                                                                                     \
    CLONES static void name(void *dst, const void *const *src, int k, int64_t n) {                             \
        for (int64_t at = 0; at < n; at += BLOCK) {                                                            \
            int64_t m = n - at < BLOCK ? n - at : BLOCK;                                                       \
            T *restrict d = (T *)dst + at;                                                                     \
            const T *restrict a = (const T *)src[0] + at;                                                      \
            int s = 1;                                                                                         \
            if (k >= 4) {                                                                                      \
                const T *restrict b = (const T *)src[1] + at, *restrict c = (const T *)src[2] + at;            \
                const T *restrict e = (const T *)src[3] + at;                                                  \
                for (int64_t i = 0; i < m; i++) d[i] = OP(OP(OP(a[i], b[i]), c[i]), e[i]);                     \
                s = 4;                                                                                         \
            } else if (k >= 2) {                                                                               \
                const T *restrict b = (const T *)src[1] + at;                                                  \
                for (int64_t i = 0; i < m; i++) d[i] = OP(a[i], b[i]);                                         \
                s = 2;                                                                                         \
            } else {                                                                                           \
                for (int64_t i = 0; i < m; i++) d[i] = a[i];                                                   \
            }                                                                                                  \
            for (; s < k; s++) {                                                                               \
                const T *restrict b = (const T *)src[s] + at;                                                  \
                for (int64_t i = 0; i < m; i++) d[i] = OP(d[i], b[i]);                                         \
            }                                                                                                  \
        }                                                                                                      \
    }

/* T in memory, f32 in the sum. */
#define WIDE(name, T, OP, LOAD, STORE)                                                                         \
    CLONES static void name(void *dst, const void *const *src, int k, int64_t n) {                             \
        float acc[BLOCK];                                                                                      \
        for (int64_t at = 0; at < n; at += BLOCK) {                                                            \
            int64_t m = n - at < BLOCK ? n - at : BLOCK;                                                       \
            T *restrict d = (T *)dst + at;                                                                     \
            const T *restrict a = (const T *)src[0] + at;                                                      \
            for (int64_t i = 0; i < m; i++) acc[i] = LOAD(a[i]);                                               \
            for (int s = 1; s < k; s++) {                                                                      \
                const T *restrict b = (const T *)src[s] + at;                                                  \
                for (int64_t i = 0; i < m; i++) acc[i] = OP(acc[i], LOAD(b[i]));                               \
            }                                                                                                  \
            for (int64_t i = 0; i < m; i++) d[i] = STORE(acc[i]);                                              \
        }                                                                                                      \
    }

/* The sum of a kernel above, divided. */
#define MEAN_AFTER(name, T, add)                                                                               \
    CLONES static void name(void *dst, const void *const *src, int k, int64_t n) {                             \
        T *d = dst;                                                                                            \
        add(dst, src, k, n);                                                                                   \
        for (int64_t i = 0; i < n; i++) d[i] = d[i] / (T)k;                                                    \
    }

/* As WIDE, but for the division before the one rounding. */
#define MEAN_WIDE(name, T, LOAD, STORE)                                                                        \
    CLONES static void name(void *dst, const void *const *src, int k, int64_t n) {                             \
        T *d = dst;                                                                                            \
        for (int64_t i = 0; i < n; i++) {                                                                      \
            float acc = LOAD(((const T *)src[0])[i]);                                                          \
            for (int s = 1; s < k; s++) acc = acc + LOAD(((const T *)src[s])[i]);                              \
            d[i] = STORE(acc / (float)k);                                                                      \
        }                                                                                                      \
    }

/* Of integers, added up in a type that holds every sum. CUT: what a byte of a narrow type is worth. */
__extension__ typedef __int128 exact;
#define SAME(x) (x)
#define MEAN_EXACT(name, T, SUM, CUT)                                                                          \
    static void name(void *dst, const void *const *src, int k, int64_t n) {                                    \
        T *d = dst;                                                                                            \
        for (int64_t i = 0; i < n; i++) {                                                                      \
            SUM acc = 0;                                                                                       \
            for (int s = 0; s < k; s++) acc += CUT(((const T *)src[s])[i]);                                    \
            d[i] = (T)(acc / k);                                                                               \
        }                                                                                                      \
    }

/* --- integers: unsigned arithmetic wraps, and the low bits are the same for signed ones -------------------------------- */

#define ADD(a, b) ((a) + (b))
#define MUL(a, b) ((a) * (b))
#define LOW(a, b) ((b) < (a) ? (b) : (a))
#define HIGH(a, b) ((a) < (b) ? (b) : (a))
#define AND(a, b) ((a) & (b))
#define OR(a, b) ((a) | (b))
#define XOR(a, b) ((a) ^ (b))
#define ADD16(a, b) ((uint16_t)((uint32_t)(a) + (b)))
#define MUL16(a, b) ((uint16_t)((uint32_t)(a) * (b)))
#define ADD8(a, b) ((uint8_t)((uint32_t)(a) + (b)))
#define MUL8(a, b) ((uint8_t)((uint32_t)(a) * (b)))

#define INTEGER(bits, ADD_, MUL_, SUM)                 \
    PLAIN(add_##bits, uint##bits##_t, ADD_)            \
    PLAIN(mul_##bits, uint##bits##_t, MUL_)            \
    PLAIN(and_##bits, uint##bits##_t, AND)             \
    PLAIN(or_##bits, uint##bits##_t, OR)               \
    PLAIN(xor_##bits, uint##bits##_t, XOR)             \
    PLAIN(min_i##bits, int##bits##_t, LOW)             \
    PLAIN(max_i##bits, int##bits##_t, HIGH)            \
    PLAIN(min_ui##bits, uint##bits##_t, LOW)           \
    PLAIN(max_ui##bits, uint##bits##_t, HIGH)          \
    MEAN_EXACT(mean_i##bits, int##bits##_t, SUM, SAME) \
    MEAN_EXACT(mean_ui##bits, uint##bits##_t, SUM, SAME)
INTEGER(8, ADD8, MUL8, int64_t)
INTEGER(16, ADD16, MUL16, int64_t)
INTEGER(32, ADD, MUL, int64_t)
INTEGER(64, ADD, MUL, exact)

/* Two and four bits in a byte, whose other bits mean nothing: they are cut off, and signed ones extend their sign again. */
#define CUT_i2(x) ((int8_t)((((uint32_t)(x) & 3u) ^ 2u) - 2u))
#define CUT_i4(x) ((int8_t)((((uint32_t)(x) & 15u) ^ 8u) - 8u))
#define CUT_ui2(x) ((uint8_t)((uint32_t)(x) & 3u))
#define CUT_ui4(x) ((uint8_t)((uint32_t)(x) & 15u))
#define NARROW_OP(name, s, OP) \
    static inline uint8_t name##_##s(uint8_t a, uint8_t b) { return (uint8_t)CUT_##s(OP((uint32_t)a, (uint32_t)b)); }
#define NARROW_PICK(name, s, OP) \
    static inline uint8_t name##_##s(uint8_t a, uint8_t b) { return (uint8_t)OP(CUT_##s(a), CUT_##s(b)); }
#define NARROW(s)                                                                                               \
    NARROW_OP(plus, s, ADD) NARROW_OP(times, s, MUL) NARROW_OP(both, s, AND) NARROW_OP(any, s, OR) NARROW_OP(odd, s, XOR) \
    NARROW_PICK(low, s, LOW) NARROW_PICK(high, s, HIGH)                                                         \
    PLAIN(add_##s, uint8_t, plus_##s) PLAIN(mul_##s, uint8_t, times_##s) PLAIN(and_##s, uint8_t, both_##s)      \
    PLAIN(or_##s, uint8_t, any_##s) PLAIN(xor_##s, uint8_t, odd_##s) PLAIN(min_##s, uint8_t, low_##s) PLAIN(max_##s, uint8_t, high_##s) \
    MEAN_EXACT(mean_##s, uint8_t, int64_t, CUT_##s)
NARROW(i2)
NARROW(i4)
NARROW(ui2)
NARROW(ui4)

/* Booleans: any byte but 0 is true. */
#define ANY(a, b) ((uint8_t)(((a) | (b)) != 0))
#define BOTH(a, b) ((uint8_t)(((a) != 0) & ((b) != 0)))
#define ODD(a, b) ((uint8_t)(((a) != 0) ^ ((b) != 0)))
PLAIN(any_i1, uint8_t, ANY)
PLAIN(both_i1, uint8_t, BOTH)
PLAIN(odd_i1, uint8_t, ODD)

/* --- floats ------------------------------------------------------------------------------------------------------------ */

/* Equal operands differ at most in the sign of zero, which and and or of the bits decide. An operand that is NaN comes through. */
#define FLOAT_EXTREMES(T, U, SUFFIX)                                                    \
    static inline T pick_##SUFFIX(U bits) {                                             \
        T r;                                                                            \
        memcpy(&r, &bits, sizeof r);                                                    \
        return r;                                                                       \
    }                                                                                   \
    static inline U bits_##SUFFIX(T v) {                                                \
        U r;                                                                            \
        memcpy(&r, &v, sizeof r);                                                       \
        return r;                                                                       \
    }                                                                                   \
    static inline T low_##SUFFIX(T a, T b) {                                            \
        T r = a < b ? a : b;                                                            \
        r = a == b ? pick_##SUFFIX(bits_##SUFFIX(a) | bits_##SUFFIX(b)) : r;            \
        return a != a ? a : r;                                                          \
    }                                                                                   \
    static inline T high_##SUFFIX(T a, T b) {                                           \
        T r = a > b ? a : b;                                                            \
        r = a == b ? pick_##SUFFIX(bits_##SUFFIX(a) & bits_##SUFFIX(b)) : r;            \
        return a != a ? a : r;                                                          \
    }
FLOAT_EXTREMES(float, uint32_t, f32)
FLOAT_EXTREMES(double, uint64_t, f64)

PLAIN(add_f32, float, ADD)
PLAIN(mul_f32, float, MUL)
PLAIN(min_f32, float, low_f32)
PLAIN(max_f32, float, high_f32)
PLAIN(add_f64, double, ADD)
PLAIN(mul_f64, double, MUL)
PLAIN(min_f64, double, low_f64)
PLAIN(max_f64, double, high_f64)
MEAN_AFTER(mean_f32, float, add_f32)
MEAN_AFTER(mean_f64, double, add_f64)

static inline float bf16_load(uint16_t h) { return pick_f32((uint32_t)h << 16); }
/* Nearest, ties to even; a NaN stays one. */
static inline uint16_t bf16_store(float f) {
    uint32_t u = bits_f32(f), rounded = (u + 0x7fffu + (u >> 16 & 1)) >> 16;
    return (uint16_t)(f != f ? (u >> 16) | 0x40u : rounded);
}

/* A half's exponent and mantissa, moved to where f32 has them, are the value times 2^-112: one product puts denormals and
 * normal numbers right alike. */
static inline float f16_load(uint16_t h) {
    uint32_t magnitude = (uint32_t)(h & 0x7fffu) << 13, sign = (uint32_t)(h & 0x8000u) << 16;
    float v = pick_f32(magnitude) * 0x1p112f;
    uint32_t special = magnitude | 0x7f800000u; /* infinities and NaN */
    return pick_f32(((h & 0x7c00u) == 0x7c00u ? special : bits_f32(v)) | sign);
}
/* Nearest, ties to even. Below 2^-14 the sum with a number whose last bit weighs 2^-24 rounds to a denormal half. */
static inline uint16_t f16_store(float f) {
    uint32_t u = bits_f32(f), sign = u >> 16 & 0x8000u, a = u & 0x7fffffffu;
    uint32_t normal = (a + 0xfffu + (a >> 13 & 1) - 0x38000000u) >> 13;
    uint32_t tiny = bits_f32(pick_f32(a) + 0.5f) - bits_f32(0.5f);
    uint32_t r = a < 0x38800000u ? tiny : normal;
    r = a >= 0x477ff000u ? 0x7c00u : r; /* 65520 and more round to infinity */
    r = a > 0x7f800000u ? 0x7e00u | (a >> 13 & 0x1ffu) : r;
    return (uint16_t)(r | sign);
}
WIDE(add_bf16, uint16_t, ADD, bf16_load, bf16_store)
WIDE(mul_bf16, uint16_t, MUL, bf16_load, bf16_store)
WIDE(min_bf16, uint16_t, low_f32, bf16_load, bf16_store)
WIDE(max_bf16, uint16_t, high_f32, bf16_load, bf16_store)
MEAN_WIDE(mean_bf16, uint16_t, bf16_load, bf16_store)
WIDE(add_f16, uint16_t, ADD, f16_load, f16_store)
WIDE(mul_f16, uint16_t, MUL, f16_load, f16_store)
WIDE(min_f16, uint16_t, low_f32, f16_load, f16_store)
WIDE(max_f16, uint16_t, high_f32, f16_load, f16_store)
MEAN_WIDE(mean_f16, uint16_t, f16_load, f16_store)

/* Floats of a byte or less: their values come from base/, one at a time. */
#define SMALL_FLOAT(T, op, OP)                                                                                  \
    static void op##_##T(void *dst, const void *const *src, int k, int64_t n) {                                 \
        for (int64_t i = 0; i < n; i++) {                                                                       \
            float acc = (float)weft_dtype_load(WEFT_##T, (const uint8_t *)src[0] + i);                          \
            for (int s = 1; s < k; s++) {                                                                       \
                float v = (float)weft_dtype_load(WEFT_##T, (const uint8_t *)src[s] + i);                        \
                acc = OP(acc, v);                                                                               \
            }                                                                                                   \
            weft_dtype_store(WEFT_##T, (uint8_t *)dst + i, acc);                                                \
        }                                                                                                       \
    }
#define SMALL_MEAN(T)                                                                                           \
    static void mean_##T(void *dst, const void *const *src, int k, int64_t n) {                                 \
        for (int64_t i = 0; i < n; i++) {                                                                       \
            float acc = (float)weft_dtype_load(WEFT_##T, (const uint8_t *)src[0] + i);                          \
            for (int s = 1; s < k; s++) acc += (float)weft_dtype_load(WEFT_##T, (const uint8_t *)src[s] + i);   \
            weft_dtype_store(WEFT_##T, (uint8_t *)dst + i, acc / (float)k);                                     \
        }                                                                                                       \
    }
#define SMALL_FLOATS(T) \
    SMALL_FLOAT(T, add, ADD) SMALL_FLOAT(T, mul, MUL) SMALL_FLOAT(T, min, low_f32) SMALL_FLOAT(T, max, high_f32) SMALL_MEAN(T)
#define EACH_SMALL_FLOAT(X)                                                                                     \
    X(F4E2M1FN) X(F6E2M3FN) X(F6E3M2FN) X(F8E3M4) X(F8E4M3) X(F8E4M3FN) X(F8E4M3FNUZ) X(F8E4M3B11FNUZ) X(F8E5M2) \
    X(F8E5M2FNUZ) X(F8E8M0FNU)
EACH_SMALL_FLOAT(SMALL_FLOATS)

/* --- complex numbers: sums are sums of the parts ------------------------------------------------------------------------- */

#define COMPLEX(T, SUFFIX)                                                                                      \
    static void add_c##SUFFIX(void *dst, const void *const *src, int k, int64_t n) { add_f##SUFFIX(dst, src, k, 2 * n); } \
    static void mean_c##SUFFIX(void *dst, const void *const *src, int k, int64_t n) { mean_f##SUFFIX(dst, src, k, 2 * n); } \
    CLONES static void mul_c##SUFFIX(void *dst, const void *const *src, int k, int64_t n) {                     \
        T *restrict d = dst;                                                                                    \
        for (int64_t i = 0; i < n; i++) {                                                                       \
            T re = ((const T *)src[0])[2 * i], im = ((const T *)src[0])[2 * i + 1];                             \
            for (int s = 1; s < k; s++) {                                                                       \
                T x = ((const T *)src[s])[2 * i], y = ((const T *)src[s])[2 * i + 1], r = re * x - im * y;      \
                im = re * y + im * x;                                                                           \
                re = r;                                                                                         \
            }                                                                                                   \
            d[2 * i] = re;                                                                                      \
            d[2 * i + 1] = im;                                                                                  \
        }                                                                                                       \
    }
COMPLEX(float, 32)
COMPLEX(double, 64)

/* --- the table: sum, product, min, max, and, or, xor, mean ----------------------------------------------------------------------- */

#define INTEGER_ROW(s, bits) { add_##bits, mul_##bits, min_##s##bits, max_##s##bits, and_##bits, or_##bits, xor_##bits, mean_##s##bits }
#define NARROW_ROW(s) { add_##s, mul_##s, min_##s, max_##s, and_##s, or_##s, xor_##s, mean_##s }
#define FLOAT_ROW(suffix) { add_##suffix, mul_##suffix, min_##suffix, max_##suffix, NULL, NULL, NULL, mean_##suffix }
#define SMALL_FLOAT_ROW(T) [WEFT_##T] = FLOAT_ROW(T),
static const weft_reduce_fn kernels[WEFT_DTYPE_COUNT][WEFT_REDUCE_COUNT] = {
    [WEFT_I1] = { any_i1, both_i1, both_i1, any_i1, both_i1, any_i1, odd_i1 },
    [WEFT_I2] = NARROW_ROW(i2),      [WEFT_UI2] = NARROW_ROW(ui2),
    [WEFT_I4] = NARROW_ROW(i4),      [WEFT_UI4] = NARROW_ROW(ui4),
    [WEFT_I8] = INTEGER_ROW(i, 8),   [WEFT_UI8] = INTEGER_ROW(ui, 8),
    [WEFT_I16] = INTEGER_ROW(i, 16), [WEFT_UI16] = INTEGER_ROW(ui, 16),
    [WEFT_I32] = INTEGER_ROW(i, 32), [WEFT_UI32] = INTEGER_ROW(ui, 32),
    [WEFT_I64] = INTEGER_ROW(i, 64), [WEFT_UI64] = INTEGER_ROW(ui, 64),
    EACH_SMALL_FLOAT(SMALL_FLOAT_ROW)
    [WEFT_BF16] = FLOAT_ROW(bf16), [WEFT_F16] = FLOAT_ROW(f16),
    [WEFT_F32] = FLOAT_ROW(f32),   [WEFT_F64] = FLOAT_ROW(f64),
    [WEFT_C64] = { [WEFT_SUM] = add_c32, [WEFT_PRODUCT] = mul_c32, [WEFT_MEAN] = mean_c32 },
    [WEFT_C128] = { [WEFT_SUM] = add_c64, [WEFT_PRODUCT] = mul_c64, [WEFT_MEAN] = mean_c64 },
};

weft_reduce_fn weft_reduce_find(weft_dtype dtype, weft_op_reduce op) {
    if ((int)op < 0 || op >= WEFT_REDUCE_COUNT || dtype >= WEFT_DTYPE_COUNT) return NULL;
    return kernels[dtype][op];
}
