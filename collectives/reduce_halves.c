/* reduce_halves.c: floats of 16 bits, added in f32; see reduce_kernels.h. */
#include "collectives/reduce_kernels.h"

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

PLAIN(merge_add, float, ADD)
PLAIN(merge_mul, float, MUL)
#define HALVES(s, T)                                                                                                   \
    WIDE(add_##s, uint16_t, ADD, s##_load, s##_store)                                                                  \
    WIDE(mul_##s, uint16_t, MUL, s##_load, s##_store)                                                                  \
    WIDE(min_##s, uint16_t, low_f32, s##_load, s##_store)                                                              \
    WIDE(max_##s, uint16_t, high_f32, s##_load, s##_store)                                                             \
    MEAN_WIDE(mean_##s, uint16_t, s##_load, s##_store)                                                                 \
    WIDE_PARTIAL(add_##s##_partial, uint16_t, ADD, s##_load)                                                           \
    WIDE_PARTIAL(mul_##s##_partial, uint16_t, MUL, s##_load)                                                           \
    WIDE_FINISH(round_##s, uint16_t, s##_store)                                                                        \
    WIDE_DIVIDE(divide_##s, uint16_t, s##_store)                                                                       \
    const weft_adder weft_adders_##T[WEFT_REDUCE_COUNT] = {                                                            \
        [WEFT_SUM] = { add_##s, add_##s##_partial, merge_add, round_##s, sizeof(float) },                              \
        [WEFT_PRODUCT] = { mul_##s, mul_##s##_partial, merge_mul, round_##s, sizeof(float) },                          \
        [WEFT_MIN] = ALIKE(min_##s, uint16_t), [WEFT_MAX] = ALIKE(max_##s, uint16_t),                                  \
        [WEFT_MEAN] = { mean_##s, add_##s##_partial, merge_add, divide_##s, sizeof(float) },                           \
    };
HALVES(bf16, BF16)
HALVES(f16, F16)
