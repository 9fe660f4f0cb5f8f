/* reduce.h: element-wise sums (and products, ...) of many sources from left to right.
 *
 * 16-bit and smaller floats are accumulated in f32 and rounded once; integers wrap at their width; i1 adds and
 * multiplies as or and and; min and max give NaN when an operand is NaN and hold -0 below +0 (IEEE 754-2019 minimum,
 * maximum). The mean is the sum divided by the number of sources: floats are divided before rounding to their type;
 * integers are exact, rounded toward zero, and never overflow.
 *
 * A call that does not see all sources makes a partial sum, wide enough to lose nothing that a single call would keep.
 * Partial sums of 16-bit and smaller floats are f32, those of means are not divided yet, those of means of integers
 * have 64 or 128 bits. For most types a partial sum is an element like any other.
 */
#ifndef WEFT_COLLECTIVES_REDUCE_H
#define WEFT_COLLECTIVES_REDUCE_H

#include <weft/coll.h>
#include "base/dtype.h"

#define WEFT_REDUCE_COUNT (WEFT_MEAN + 1)

/* dst[i] = src[0][i] op src[1][i] op ... src[k-1][i], from left to right, for n elements. dst overlaps no source. k
 * >= 1. */
typedef void (*weft_reduce_fn)(void *dst, const void *const *src, int k, int64_t n);
/* dst[i] = the element of a partial sum of `operands` elements. dst is sum, or does not overlap it. */
typedef void (*weft_finish_fn)(void *dst, const void *sum, int64_t operands, int64_t n);

/* One reduction of one type. */
typedef struct weft_adder {
    weft_reduce_fn whole;    /* elements to an element: all sources in one call */
    weft_reduce_fn partial;  /* elements to a partial sum */
    weft_reduce_fn merge;    /* partial sums to a partial sum */
    weft_finish_fn finish;   /* NULL: a partial sum is the element */
    size_t partial_bytes;    /* of a partial sum; at most WEFT_PARTIAL_WIDENS times the element's; alignment <= 16 */
} weft_adder;

#define WEFT_PARTIAL_WIDENS 8

const char *weft_reduction_name(weft_op_reduce op); /* "sum"; "?" */
/* NULL when the type has no such operation: min of complex numbers, bit operations of floats, mean of i1. */
const weft_adder *weft_adder_find(weft_dtype dtype, weft_op_reduce op);
/* The reduction's `whole`; NULL when there is none. */
weft_reduce_fn weft_reduce_find(weft_dtype dtype, weft_op_reduce op);

#endif
