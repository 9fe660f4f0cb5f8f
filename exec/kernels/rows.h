/* rows.h: sums of scaled rows: out[j] = sum over k < n of c[k * step] * rows[k * stride + j], for j < width.
 *
 * Terms are added in the order of k, each by one multiply-add, which rounds once where the machine has such an
 * instruction. Strides count numbers; rows and out have room for, and rows defined numbers up to, the next multiple of
 * WEFT_ROWS_ROUND.
 */
#ifndef WEFT_KERNELS_ROWS_H
#define WEFT_KERNELS_ROWS_H

#include "base/dtype.h"

enum { WEFT_ROWS_ROUND = 16 };
static inline int64_t weft_rows_width(int64_t n) {
    return (n + WEFT_ROWS_ROUND - 1) / WEFT_ROWS_ROUND * WEFT_ROWS_ROUND;
}

typedef void (*weft_rows_fn)(int64_t n, const void *c, int64_t step, const void *rows, int64_t stride, int64_t width,
                             void *out);

/* For numbers of type f32 or f64, on the machine that asks. */
weft_rows_fn weft_rows_sum(weft_dtype t);

#endif
