/* reduce_kernels.h: reduction kernels: plain loops from macros, which the compiler vectorises, compiled for several
 * instruction sets. A block of the result stays in the first-level cache while all sources are read.
 * Each family of types is a file of its own, so that they compile in parallel; each exports its types' rows, which
 * reduce.c collects.
 */
#ifndef WEFT_COLLECTIVES_REDUCE_KERNELS_H
#define WEFT_COLLECTIVES_REDUCE_KERNELS_H

#include "collectives/reduce.h"

#if defined(__GNUC__) && !defined(__clang__)
/* for WIDE: gcc (12) does not vectorise a loop that takes two at a time; PLAIN is faster there */
#ifdef WEFT_REDUCE_SOURCE_BY_SOURCE
#pragma GCC optimize("O3", "no-loop-unroll-and-jam")
#else
#pragma GCC optimize("O3")
#endif
#endif

/* Under a sanitizer there are no clones: the loader runs their resolvers before the sanitizer is ready. */
#if defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__clang__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif

#define BLOCK 1024 /* elements; of 8 bytes: 8 KiB of 32 or more */

__extension__ typedef __int128 weft_exact;

/* T in a caller's buffer: at any address, not only at multiples of T's alignment. Costs nothing, as vectors are loaded
 * unaligned. */
#define LOOSE(T) T##_anywhere
#define ANYWHERE(T) typedef T T##_anywhere __attribute__((aligned(1)));
ANYWHERE(uint8_t) ANYWHERE(uint16_t) ANYWHERE(uint32_t) ANYWHERE(uint64_t) ANYWHERE(int8_t) ANYWHERE(int16_t) ANYWHERE(int32_t) ANYWHERE(int64_t)
ANYWHERE(float) ANYWHERE(double) ANYWHERE(weft_exact)

/* T: type in memory; both operands of OP are of it. */
#define PLAIN(name, T, OP)                                                                                     \
    CLONES static void name(void *dst, const void *const *src, int k, int64_t n) {                             \
        for (int64_t at = 0; at < n; at += BLOCK) {                                                            \
            int64_t m = n - at < BLOCK ? n - at : BLOCK;                                                       \
            LOOSE(T) *restrict d = (LOOSE(T) *)dst + at;                                                       \
            const LOOSE(T) *restrict a = (const LOOSE(T) *)src[0] + at;                                        \
            int s = 1;                                                                                         \
            if (k >= 4) {                                                                                      \
                const LOOSE(T) *restrict b = (const LOOSE(T) *)src[1] + at;                                    \
                const LOOSE(T) *restrict c = (const LOOSE(T) *)src[2] + at;                                    \
                const LOOSE(T) *restrict e = (const LOOSE(T) *)src[3] + at;                                    \
                for (int64_t i = 0; i < m; i++) d[i] = OP(OP(OP(a[i], b[i]), c[i]), e[i]);                     \
                s = 4;                                                                                         \
            } else if (k >= 2) {                                                                               \
                const LOOSE(T) *restrict b = (const LOOSE(T) *)src[1] + at;                                    \
                for (int64_t i = 0; i < m; i++) d[i] = OP(a[i], b[i]);                                         \
                s = 2;                                                                                         \
            } else {                                                                                           \
                for (int64_t i = 0; i < m; i++) d[i] = a[i];                                                   \
            }                                                                                                  \
            for (; s < k; s++) {                                                                               \
                const LOOSE(T) *restrict b = (const LOOSE(T) *)src[s] + at;                                    \
                for (int64_t i = 0; i < m; i++) d[i] = OP(d[i], b[i]);                                         \
            }                                                                                                  \
        }                                                                                                      \
    }

/* T in memory, f32 in the sum. END: converts a sum of k sources. */
#define SUM_OF(sum, k) (sum)
#define MEAN_OF(sum, k) ((sum) / (float)(k))
#define WIDE_TO(name, T, OP, LOAD, STORE, END)                                                                 \
    CLONES static void name(void *dst, const void *const *src, int k, int64_t n) {                             \
        float acc[BLOCK];                                                                                      \
        for (int64_t at = 0; at < n; at += BLOCK) {                                                            \
            int64_t m = n - at < BLOCK ? n - at : BLOCK;                                                       \
            LOOSE(T) *restrict d = (LOOSE(T) *)dst + at;                                                       \
            const LOOSE(T) *restrict a = (const LOOSE(T) *)src[0] + at;                                        \
            for (int64_t i = 0; i < m; i++) acc[i] = LOAD(a[i]);                                               \
            for (int s = 1; s < k; s++) {                                                                      \
                const LOOSE(T) *restrict b = (const LOOSE(T) *)src[s] + at;                                    \
                for (int64_t i = 0; i < m; i++) acc[i] = OP(acc[i], LOAD(b[i]));                               \
            }                                                                                                  \
            for (int64_t i = 0; i < m; i++) d[i] = STORE(END(acc[i], k));                                      \
        }                                                                                                      \
    }
#define WIDE(name, T, OP, LOAD, STORE) WIDE_TO(name, T, OP, LOAD, STORE, SUM_OF)
#define MEAN_WIDE(name, T, LOAD, STORE) WIDE_TO(name, T, ADD, LOAD, STORE, MEAN_OF)

/* The same, left in f32. */
#define WIDE_PARTIAL(name, T, OP, LOAD)                                                                        \
    CLONES static void name(void *dst, const void *const *src, int k, int64_t n) {                             \
        for (int64_t at = 0; at < n; at += BLOCK) {                                                            \
            int64_t m = n - at < BLOCK ? n - at : BLOCK;                                                       \
            float *restrict d = (float *)dst + at;                                                             \
            const LOOSE(T) *restrict a = (const LOOSE(T) *)src[0] + at;                                        \
            for (int64_t i = 0; i < m; i++) d[i] = LOAD(a[i]);                                                 \
            for (int s = 1; s < k; s++) {                                                                      \
                const LOOSE(T) *restrict b = (const LOOSE(T) *)src[s] + at;                                    \
                for (int64_t i = 0; i < m; i++) d[i] = OP(d[i], LOAD(b[i]));                                   \
            }                                                                                                  \
        }                                                                                                      \
    }
#define WIDE_FINISH(name, T, STORE)                                                                            \
    CLONES static void name(void *dst, const void *sum, int64_t operands, int64_t n) {                         \
        LOOSE(T) *d = dst;                                                                                     \
        const float *s = sum;                                                                                  \
        (void)operands;                                                                                        \
        for (int64_t i = 0; i < n; i++) d[i] = STORE(s[i]);                                                    \
    }
#define WIDE_DIVIDE(name, T, STORE)                                                                            \
    CLONES static void name(void *dst, const void *sum, int64_t operands, int64_t n) {                         \
        LOOSE(T) *d = dst;                                                                                     \
        const float *s = sum;                                                                                  \
        for (int64_t i = 0; i < n; i++) d[i] = STORE(s[i] / (float)operands);                                  \
    }

/* The sum of a kernel above, divided by the number of sources. */
#define MEAN_AFTER(name, T, add)                                                                               \
    CLONES static void name(void *dst, const void *const *src, int k, int64_t n) {                             \
        LOOSE(T) *d = dst;                                                                                     \
        add(dst, src, k, n);                                                                                   \
        for (int64_t i = 0; i < n; i++) d[i] = d[i] / (T)k;                                                    \
    }
#define DIVIDE(name, T)                                                                                        \
    CLONES static void name(void *dst, const void *sum, int64_t operands, int64_t n) {                         \
        LOOSE(T) *d = dst;                                                                                     \
        const LOOSE(T) *s = sum;                                                                               \
        for (int64_t i = 0; i < n; i++) d[i] = s[i] / (T)operands;                                             \
    }

/* Of integers, added up in a type that holds every sum. CUT: the bits of a narrow type that count. */
#define SAME(x) (x)
#define MEAN_EXACT(name, T, SUM, CUT)                                                                          \
    static void name(void *dst, const void *const *src, int k, int64_t n) {                                    \
        LOOSE(T) *d = dst;                                                                                     \
        for (int64_t i = 0; i < n; i++) {                                                                      \
            SUM acc = 0;                                                                                       \
            for (int s = 0; s < k; s++) acc += CUT(((const LOOSE(T) *)src[s])[i]);                             \
            d[i] = (T)(acc / k);                                                                               \
        }                                                                                                      \
    }                                                                                                          \
    static void name##_partial(void *dst, const void *const *src, int k, int64_t n) {                          \
        SUM *d = dst;                                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                                      \
            SUM acc = 0;                                                                                       \
            for (int s = 0; s < k; s++) acc += CUT(((const LOOSE(T) *)src[s])[i]);                             \
            d[i] = acc;                                                                                        \
        }                                                                                                      \
    }                                                                                                          \
    static void name##_finish(void *dst, const void *sum, int64_t operands, int64_t n) {                       \
        LOOSE(T) *d = dst;                                                                                     \
        const SUM *s = sum;                                                                                    \
        for (int64_t i = 0; i < n; i++) d[i] = (T)(s[i] / operands);                                           \
    }

#define ADD(a, b) ((a) + (b))
#define MUL(a, b) ((a) * (b))
#define LOW(a, b) ((b) < (a) ? (b) : (a))
#define HIGH(a, b) ((a) < (b) ? (b) : (a))
#define AND(a, b) ((a) & (b))
#define OR(a, b) ((a) | (b))
#define XOR(a, b) ((a) ^ (b))

/* Equal operands differ at most in the sign of zero, which and and or of the bits decide. A NaN operand gives
 * NaN. */
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

/* Rows of weft_adder. ALIKE: partial sums are elements. */
#define ALIKE(fn, T) { fn, fn, fn, NULL, sizeof(T) }
#define EXACT(fn, merge, SUM) { fn, fn##_partial, merge, fn##_finish, sizeof(SUM) }

/* The types of each file, and its rows: weft_adders_NAME[WEFT_REDUCE_COUNT]. */
#define WEFT_EACH_SMALL_FLOAT(X)                                                                                \
    X(F4E2M1FN) X(F6E2M3FN) X(F6E3M2FN) X(F8E3M4) X(F8E4M3) X(F8E4M3FN) X(F8E4M3FNUZ) X(F8E4M3B11FNUZ) X(F8E5M2) \
    X(F8E5M2FNUZ) X(F8E8M0FNU)
#define WEFT_EACH_ADDED(X)                                                                                      \
    X(I1) X(I2) X(UI2) X(I4) X(UI4) X(I8) X(UI8) X(I16) X(UI16) X(I32) X(UI32) X(I64) X(UI64)                  \
    WEFT_EACH_SMALL_FLOAT(X) X(BF16) X(F16) X(F32) X(F64) X(C64) X(C128)
#define ROWS(T) extern const weft_adder weft_adders_##T[WEFT_REDUCE_COUNT];
WEFT_EACH_ADDED(ROWS)
#undef ROWS

#endif
