/* reduce_small_floats.c: floats of a byte or less, added in f32: base/ converts their values one at a time. See
 * reduce_kernels.h. */
#include "collectives/reduce_kernels.h"

#define VALUE(T, s) (float)weft_dtype_load(WEFT_##T, (const uint8_t *)src[s] + i)

#define SMALL_FLOAT(T, op, OP)                                                                                  \
    static void op##_##T(void *dst, const void *const *src, int k, int64_t n) {                                 \
        for (int64_t i = 0; i < n; i++) {                                                                       \
            float acc = VALUE(T, 0);                                                                            \
            for (int s = 1; s < k; s++) {                                                                       \
                float v = VALUE(T, s);                                                                          \
                acc = OP(acc, v);                                                                               \
            }                                                                                                   \
            weft_dtype_store(WEFT_##T, (uint8_t *)dst + i, acc);                                                \
        }                                                                                                       \
    }
#define SMALL_PARTIAL(T, op, OP)                                                                                \
    static void op##_##T##_partial(void *dst, const void *const *src, int k, int64_t n) {                       \
        for (int64_t i = 0; i < n; i++) {                                                                       \
            float acc = VALUE(T, 0);                                                                            \
            for (int s = 1; s < k; s++) acc = OP(acc, VALUE(T, s));                                             \
            ((float *)dst)[i] = acc;                                                                            \
        }                                                                                                       \
    }
#define SMALL_MEAN(T) \
    static void mean_##T(void *dst, const void *const *src, int k, int64_t n) { \
        for (int64_t i = 0; i < n; i++) { \
            float acc = VALUE(T, 0); \
            for (int s = 1; s < k; s++) acc += VALUE(T, s); \
            weft_dtype_store(WEFT_##T, (uint8_t *)dst + i, acc / (float)k); \
        } \
    } \
    static void round_##T(void *dst, const void *sum, int64_t operands, int64_t n) { \
        (void)operands; \
        for (int64_t i = 0; i < n; i++) weft_dtype_store(WEFT_##T, (uint8_t *)dst + i, ((const float *)sum)[i]); \
    } \
    static void divide_##T(void *dst, const void *sum, int64_t operands, int64_t n) { \
        for (int64_t i = 0; i < n; i++) \
            weft_dtype_store(WEFT_##T, (uint8_t *)dst + i, ((const float *)sum)[i] / (float)operands); \
    }
#define SMALL_FLOATS(T) \
    SMALL_FLOAT(T, add, ADD) \
    SMALL_FLOAT(T, mul, MUL) SMALL_FLOAT(T, min, low_f32) SMALL_FLOAT(T, max, high_f32) SMALL_MEAN(T) \
        SMALL_PARTIAL(T, add, ADD) SMALL_PARTIAL(T, mul, MUL) const weft_adder weft_adders_##T[WEFT_REDUCE_COUNT] = { \
            [WEFT_SUM] = { add_##T, add_##T##_partial, merge_add, round_##T, sizeof(float) }, \
            [WEFT_PRODUCT] = { mul_##T, mul_##T##_partial, merge_mul, round_##T, sizeof(float) }, \
            [WEFT_MIN] = ALIKE(min_##T, uint8_t), \
            [WEFT_MAX] = ALIKE(max_##T, uint8_t), \
            [WEFT_MEAN] = { mean_##T, add_##T##_partial, merge_add, divide_##T, sizeof(float) }, \
        };
PLAIN(merge_add, float, ADD)
PLAIN(merge_mul, float, MUL)
WEFT_EACH_SMALL_FLOAT(SMALL_FLOATS)
