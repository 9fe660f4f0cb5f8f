/* sort.h: sorting slices of tensors, and the k largest of each.
 *
 * A slice is n elements, `inner` apart; there are outer * inner of them. Comparators that order by keys (lower or
 * higher first, one key after another) are sorted by their keys as unsigned numbers, by radix, least digit first:
 * linear and stable. Any other comparator is asked pair by pair, by a stable merge sort.
 */
#ifndef WEFT_KERNELS_SORT_H
#define WEFT_KERNELS_SORT_H

#include "exec/kernels/kernels.h"

/* Bits as numbers whose order is the values'. */
typedef enum weft_key_kind {
    WEFT_KEY_UNSIGNED,
    WEFT_KEY_SIGNED,
    WEFT_KEY_TOTAL,   /* floats in IEEE 754's total order */
    WEFT_KEY_FLOAT    /* the same, but zeros are equal and so are NaNs, which come after all numbers */
} weft_key_kind;

typedef struct weft_sort_key {
    uint32_t operand;
    uint8_t kind;       /* weft_key_kind */
    uint8_t bytes;      /* of an element: 1, 2, 4, 8 */
    uint8_t bits;       /* of them that count: a nibble's byte holds four */
    uint8_t descending;
    uint8_t float_bits; /* exponent's lowest bit: mantissa width */
} weft_sort_key;

enum { WEFT_SORT_KEYS = 8, WEFT_SORT_OPERANDS = 64 };

typedef struct weft_sort_state {
    weft_body_fn less;    /* without keys: takes left and right of operand 0, of operand 1 ... */
    int64_t outer, n, inner;
    uint32_t operands, keys;
    weft_sort_key key[WEFT_SORT_KEYS];
    uint8_t bytes[WEFT_SORT_OPERANDS];
} weft_sort_state;

/* operands, then results: the same sorted; scratch of weft_sort_scratch. */
int64_t weft_sort_scratch(const weft_sort_state *s);

typedef struct weft_top_k_state {
    int64_t rows, n, k;
    weft_sort_key key;    /* descending for the largest */
    uint8_t index_bytes;
} weft_top_k_state;

/* operand [rows][n]; values [rows][k], indices [rows][k]; equal ones in the order of their indices. */
int64_t weft_top_k_scratch(const weft_top_k_state *s);

#endif
