/* reduce_halves.c: floats of 16 bits, added in f32; see reduce_kernels.h. */
#define WEFT_REDUCE_SOURCE_BY_SOURCE
#include "collectives/reduce_kernels.h"

static inline float bf16_load(uint16_t h) { return pick_f32((uint32_t)h << 16); }
/* Nearest, ties to even; a NaN stays one. */
static inline uint16_t bf16_store(float f) {
    uint32_t u = bits_f32(f), rounded = (u + 0x7fffu + (u >> 16 & 1)) >> 16;
    return (uint16_t)(f != f ? (u >> 16) | 0x40u : rounded);
}

/* By bits: with a branch, gcc moves arithmetic into it, and does not vectorise the loop. */
static inline uint32_t choose(int holds, uint32_t yes, uint32_t no) {
    return no ^ ((no ^ yes) & (0u - (uint32_t)holds));
}

/* A half's exponent and mantissa move to their place in f32, and its bias becomes f32's. A denormal half counts
 * steps of 2^-24, which is the weight of the last bit of numbers from 0.5 on: so no f32 denormal occurs, which a thread
 * may have its processor flush to zero. */
static inline float f16_load(uint16_t h) {
    uint32_t magnitude = h & 0x7fffu, sign = (uint32_t)(h & 0x8000u) << 16;
    uint32_t tiny = bits_f32(pick_f32(bits_f32(0.5f) + (magnitude & 0x3ffu)) - 0.5f);
    /* infinities and NaN */
    uint32_t normal = (magnitude << 13) + choose(magnitude >= 0x7c00u, 0x70000000u, 0x38000000u);
    return pick_f32(choose(magnitude < 0x400u, tiny, normal) | sign);
}
/* Nearest, ties to even. Below 2^-14 the sum with a number whose last bit weighs 2^-24 rounds to a denormal half. */
static inline uint16_t f16_store(float f) {
    uint32_t u = bits_f32(f), sign = u >> 16 & 0x8000u, a = u & 0x7fffffffu;
    uint32_t normal = (a + 0xfffu + (a >> 13 & 1) - 0x38000000u) >> 13;
    uint32_t tiny = bits_f32(pick_f32(a) + 0.5f) - bits_f32(0.5f);
    uint32_t r = choose(a < 0x38800000u, tiny, normal);
    r = choose(a >= 0x477ff000u, 0x7c00u, r); /* 65520 and more round to infinity */
    r = choose(a > 0x7f800000u, 0x7e00u | (a >> 13 & 0x1ffu), r);
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
