/* dnn_blas.h: products of f32 that BLAS does in oneDNN's place.
 *
 * oneDNN 2 multiplies by its older code ("gemm:jit") on processors without AVX-512. That code reads an operand where it
 * lies when the other side is short, and takes twice the time when the rows that it then steps over are a multiple of
 * 4 KiB apart, since they meet in the same few lines of the first cache: the gradient of a weight of 1,024 columns is
 * such a product. OpenBLAS copies panels of both operands and does not mind. On two cores of a Zen 3, single threads,
 * GFLOP/s of oneDNN 2.6.3 and OpenBLAS 0.3.21: 1024 x 256 x 2048 with the left operand by columns 38 and 80, 256 x 4096
 * x 768 with both by rows 39 and 85; where no stride is such, oneDNN is as fast or, below 256, faster by up to a third.
 */
#ifndef WEFT_KERNELS_DNN_BLAS_H
#define WEFT_KERNELS_DNN_BLAS_H

#include "exec/kernels/dnn.h"

/* Products of a batch: sizes and strides of its dimensions from slowest to fastest, elements. */
typedef struct weft_blas_product {
    int batch_rank;
    int64_t batch[DNNL_MAX_NDIMS], a_batch[DNNL_MAX_NDIMS], b_batch[DNNL_MAX_NDIMS], c_batch[DNNL_MAX_NDIMS];
    int m, n, k, a_step, b_step, c_step; /* steps: from one row, or column, to the next */
    bool a_by_columns, b_by_columns;
} weft_blas_product;

/* The product that pd would do on args (a, b and result), if BLAS had better do it. */
bool weft_blas_product_of(const_dnnl_primitive_desc_t pd, const weft_dnn_arg args[3], weft_blas_product *out);

/* On the device's thread, under weft_threads_take_one. */
void weft_blas_product_run(const weft_blas_product *p, const float *a, const float *b, float *c);

#endif
