/* reduce_integers.h: the kernels of one width of integers. Unsigned arithmetic wraps, and the low bits are the same for
 * signed ones. */
#ifndef WEFT_COLLECTIVES_REDUCE_INTEGERS_H
#define WEFT_COLLECTIVES_REDUCE_INTEGERS_H

#include "collectives/reduce_kernels.h"

#define INTEGER_ROW(s, S, bits, SUM) \
    const weft_adder weft_adders_##S##bits[WEFT_REDUCE_COUNT] = { \
        [WEFT_SUM] = ALIKE(add_##bits, uint##bits##_t),    [WEFT_PRODUCT] = ALIKE(mul_##bits, uint##bits##_t), \
        [WEFT_MIN] = ALIKE(min_##s##bits, uint##bits##_t), [WEFT_MAX] = ALIKE(max_##s##bits, uint##bits##_t), \
        [WEFT_AND] = ALIKE(and_##bits, uint##bits##_t),    [WEFT_OR] = ALIKE(or_##bits, uint##bits##_t), \
        [WEFT_XOR] = ALIKE(xor_##bits, uint##bits##_t),    [WEFT_MEAN] = EXACT(mean_##s##bits, merge_##bits, SUM), \
    };

/* SUM: the type in which the operands of a mean are added up. */
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
    PLAIN(merge_##bits, SUM, ADD)                      \
    MEAN_EXACT(mean_i##bits, int##bits##_t, SUM, SAME) \
    MEAN_EXACT(mean_ui##bits, uint##bits##_t, SUM, SAME) \
    INTEGER_ROW(i, I, bits, SUM)                       \
    INTEGER_ROW(ui, UI, bits, SUM)

#endif
