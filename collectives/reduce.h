/* reduce.h: element-wise sums (and products, ...) of many sources in rank order.
 *
 * 16-bit and smaller floats are accumulated in f32 and rounded once; integers wrap at their width; i1 adds and multiplies
 * as or and and; min and max give NaN when an operand is NaN and hold -0 below +0 (IEEE 754-2019 minimum, maximum).
 * The mean is the sum over the number of sources: of floats divided before it is rounded to its type, of integers exact and
 * rounded toward zero, so that it never overflows.
 */
#ifndef WEFT_COLLECTIVES_REDUCE_H
#define WEFT_COLLECTIVES_REDUCE_H

#include <weft/coll.h>
#include "base/dtype.h"

#define WEFT_REDUCE_COUNT (WEFT_MEAN + 1)

/* dst[i] = src[0][i] op src[1][i] op ... src[k-1][i], from left to right, for n elements. dst overlaps no source. k >= 1. A mean
 * takes all ranks' sources in one call. */
typedef void (*weft_reduce_fn)(void *dst, const void *const *src, int k, int64_t n);

/* NULL when the type has no such operation: min of complex numbers, and of floats, mean of i1. */
weft_reduce_fn weft_reduce_find(weft_dtype dtype, weft_op_reduce op);

#endif
