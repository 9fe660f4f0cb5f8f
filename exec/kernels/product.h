/* product.h: a product of matrices as a kernel's state: of "product", which oneDNN computes, and of "gemm".
 *
 * Buffers: lhs, rhs, result, scratch (library.h).
 */
#ifndef WEFT_KERNELS_PRODUCT_H
#define WEFT_KERNELS_PRODUCT_H

#include "base/dtype.h"

enum { WEFT_PRODUCT_BATCH = 8, WEFT_PRODUCT_AXES = 8 };

/* Dimensions counted through as one index, major first. */
typedef struct weft_product_axes {
    int64_t rank;
    int64_t size[WEFT_PRODUCT_AXES], stride[WEFT_PRODUCT_AXES];
} weft_product_axes;

/* One matrix per batch index: element (row, column) of batch (b0, b1, ...) at offset + sum of index * stride. An
 * operand whose stride is 0 is the same for all. Plain bytes, like all of weft_matmul. */
typedef struct weft_matrix {
    weft_dtype dtype;
    uint32_t buffer;        /* of an operand: 0 lhs, 1 rhs */
    int64_t offset;
    int64_t batch[WEFT_PRODUCT_BATCH], row, column;
    /* of an operand of "gemm", instead of row and column: any strides, so that the windows of a convolution are read
     * out of the image */
    weft_product_axes rows, columns;
} weft_matrix;

typedef struct weft_matmul {
    int64_t batch_rank;
    int64_t batch[WEFT_PRODUCT_BATCH], m, n, k;
    weft_matrix a, b, c;    /* c[m][n] = sum over k of a[m][k] * b[k][n] */
    /* of "product": whether operands of bf16 are copied to f32 before, which the processor that the program is compiled
     * for decides; a processor without instructions for them does it anyway */
    int64_t widens;
    int64_t scratch_bytes;  /* what the plan gives: scratch.h, weft_gemm_scratch_bytes */
} weft_matmul;

#endif
