/* reduce_narrow.c: integers of two and four bits in a byte, and booleans; see reduce_kernels.h. */
#include "collectives/reduce_kernels.h"

/* The unused bits of a byte are cleared, or for signed types set to the sign. */
#define CUT_i2(x) ((int8_t)((((uint32_t)(x) & 3u) ^ 2u) - 2u))
#define CUT_i4(x) ((int8_t)((((uint32_t)(x) & 15u) ^ 8u) - 8u))
#define CUT_ui2(x) ((uint8_t)((uint32_t)(x) & 3u))
#define CUT_ui4(x) ((uint8_t)((uint32_t)(x) & 15u))
#define NARROW_OP(name, s, OP) \
    static inline uint8_t name##_##s(uint8_t a, uint8_t b) { return (uint8_t)CUT_##s(OP((uint32_t)a, (uint32_t)b)); }
#define NARROW_PICK(name, s, OP) \
    static inline uint8_t name##_##s(uint8_t a, uint8_t b) { return (uint8_t)OP(CUT_##s(a), CUT_##s(b)); }
#define NARROW(s, T) \
    NARROW_OP(plus, s, ADD) \
    NARROW_OP(times, s, MUL) NARROW_OP(both, s, AND) NARROW_OP(any, s, OR) NARROW_OP(odd, s, XOR) \
        NARROW_PICK(low, s, LOW) NARROW_PICK(high, s, HIGH) PLAIN(add_##s, uint8_t, plus_##s) \
            PLAIN(mul_##s, uint8_t, times_##s) PLAIN(and_##s, uint8_t, both_##s) PLAIN(or_##s, uint8_t, any_##s) \
                PLAIN(xor_##s, uint8_t, odd_##s) PLAIN(min_##s, uint8_t, low_##s) PLAIN(max_##s, uint8_t, high_##s) \
                    MEAN_EXACT(mean_##s, uint8_t, int64_t, CUT_##s) \
                        const weft_adder weft_adders_##T[WEFT_REDUCE_COUNT] = { \
                            [WEFT_SUM] = ALIKE(add_##s, uint8_t), [WEFT_PRODUCT] = ALIKE(mul_##s, uint8_t), \
                            [WEFT_MIN] = ALIKE(min_##s, uint8_t), [WEFT_MAX] = ALIKE(max_##s, uint8_t), \
                            [WEFT_AND] = ALIKE(and_##s, uint8_t), [WEFT_OR] = ALIKE(or_##s, uint8_t), \
                            [WEFT_XOR] = ALIKE(xor_##s, uint8_t), [WEFT_MEAN] = EXACT(mean_##s, merge, int64_t), \
                        };
PLAIN(merge, int64_t, ADD)
NARROW(i2, I2)
NARROW(i4, I4)
NARROW(ui2, UI2)
NARROW(ui4, UI4)

/* Booleans: any byte but 0 is true. */
#define ANY(a, b) ((uint8_t)(((a) | (b)) != 0))
#define BOTH(a, b) ((uint8_t)(((a) != 0) & ((b) != 0)))
#define ODD(a, b) ((uint8_t)(((a) != 0) ^ ((b) != 0)))
PLAIN(any_i1, uint8_t, ANY)
PLAIN(both_i1, uint8_t, BOTH)
PLAIN(odd_i1, uint8_t, ODD)
const weft_adder weft_adders_I1[WEFT_REDUCE_COUNT] = {
    [WEFT_SUM] = ALIKE(any_i1, uint8_t), [WEFT_PRODUCT] = ALIKE(both_i1, uint8_t), [WEFT_MIN] = ALIKE(both_i1, uint8_t),
    [WEFT_MAX] = ALIKE(any_i1, uint8_t), [WEFT_AND] = ALIKE(both_i1, uint8_t),     [WEFT_OR] = ALIKE(any_i1, uint8_t),
    [WEFT_XOR] = ALIKE(odd_i1, uint8_t),
};
