/* bits.h: sets of up to 64 small numbers as one word: mesh axes, tensor dimensions, factors. */
#ifndef WEFT_BASE_BITS_H
#define WEFT_BASE_BITS_H

#include "base/status.h"

typedef uint64_t weft_bits;

static inline weft_bits weft_bit(unsigned i) { return (weft_bits)1 << i; }
/* 0 to n - 1; n <= 64 */
static inline weft_bits weft_bits_below(unsigned n) { return n < 64 ? weft_bit(n) - 1 : ~(weft_bits)0; }
static inline bool weft_bits_has(weft_bits s, unsigned i) { return (s >> i) & 1; }
static inline unsigned weft_bits_count(weft_bits s) { return (unsigned)__builtin_popcountll(s); }
static inline unsigned weft_bits_lowest(weft_bits s) { return (unsigned)__builtin_ctzll(s); } /* s != 0 */

/* i iterates over the members of set in ascending order; set is not changed. */
#define WEFT_EACH_BIT(i, set) \
    for (weft_bits i##_left = (set), i = i##_left ? weft_bits_lowest(i##_left) : 0; i##_left; \
         i##_left &= i##_left - 1, i = i##_left ? weft_bits_lowest(i##_left) : 0)

#endif
