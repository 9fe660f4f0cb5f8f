/* sort.h: sorting slices of tensors, and the k largest of each.
 *
 * A slice is n elements, `inner` apart; there are outer * inner of them. Comparators that order by keys (lower or
 * higher first, one key after another) are sorted by their keys as unsigned numbers, by radix, least digit first:
 * linear and stable. Any other comparator is asked pair by pair, by a stable merge sort.
 */
#ifndef WEFT_CODEGEN_SORT_H
#define WEFT_CODEGEN_SORT_H

#include "codegen/call.h"
#include "codegen/import.h"
#include "kernels/kernels.h"

/* Bits as numbers whose order is the values'. */
typedef enum cg_key_kind {
    CG_KEY_UNSIGNED,
    CG_KEY_SIGNED,
    CG_KEY_TOTAL,   /* floats in IEEE 754's total order */
    CG_KEY_FLOAT    /* the same, but zeros are equal and so are NaNs, which come after all numbers */
} cg_key_kind;

typedef struct cg_sort_key {
    uint32_t operand;
    uint8_t kind;       /* cg_key_kind */
    uint8_t bytes;      /* of an element: 1, 2, 4, 8 */
    uint8_t bits;       /* of them that count: a nibble's byte holds four */
    uint8_t descending;
    uint8_t float_bits; /* exponent's lowest bit: mantissa width */
} cg_sort_key;

enum { CG_SORT_KEYS = 8, CG_SORT_OPERANDS = 64 };

typedef struct cg_sort_state {
    weft_body_fn less;    /* without keys: takes left and right of operand 0, of operand 1 ... */
    int64_t outer, n, inner;
    uint32_t operands, keys;
    cg_sort_key key[CG_SORT_KEYS];
    uint8_t bytes[CG_SORT_OPERANDS];
} cg_sort_state;

/* operands, then results: the same sorted; scratch of cg_sort_scratch. */
int64_t cg_sort_scratch(const cg_sort_state *s);

typedef struct cg_top_k_state {
    int64_t rows, n, k;
    cg_sort_key key;    /* descending for the largest */
    uint8_t index_bytes;
} cg_top_k_state;

/* operand [rows][n]; values [rows][k], indices [rows][k]; equal ones in the order of their indices. */
int64_t cg_top_k_scratch(const cg_top_k_state *s);

/* The keys by which a comparator orders, at most CG_SORT_KEYS; 0 when it has to be asked. */
uint32_t cg_sort_keys(const cg_block *body, cg_sort_key *keys);

/* Operand 0's k first along its last dimension and their indices, as the op's two results. */
typedef enum cg_top_k_order { CG_TOP_K_SMALLEST, CG_TOP_K_LARGEST } cg_top_k_order;
weft_status cg_top_k_make(cg_import *im, const weft_op *op, int64_t k, cg_top_k_order order);

#endif
