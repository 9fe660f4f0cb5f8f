/* convolution.h: one of the three convolutions that libraries know, as the state of the kernel "convolution".
 *
 * Per spatial dimension, with y over the result, k over the kernel, both operands without further holes:
 *   FORWARD   result[y] = sum over k of lhs[y * stride + k * dilation - low] * rhs[k]
 *   DATA      the gradient of FORWARD by its lhs: result[y] = sum of lhs[x] * rhs[k] over x * stride + k * dilation -
 *             low = y. What StableHLO calls lhs_dilation, with the kernel turned round
 *   WEIGHTS   the gradient by its rhs: result[k] = sum over y of lhs[y * stride + k * dilation - low] * rhs[y]. What
 *             StableHLO writes with batch and feature exchanged, a kernel as large as an image, and batch groups
 * What lies outside lhs counts as 0. Groups divide features: FORWARD and DATA have feature groups, WEIGHTS batch
 * groups.
 * Buffers: lhs, rhs, result, scratch (library.h).
 */
#ifndef WEFT_KERNELS_CONVOLUTION_H
#define WEFT_KERNELS_CONVOLUTION_H

#include "base/dtype.h"

enum { WEFT_CONV_SPATIAL = 3, WEFT_CONV_RANK = WEFT_CONV_SPATIAL + 3 };

typedef enum weft_conv_kind { WEFT_CONV_FORWARD, WEFT_CONV_DATA, WEFT_CONV_WEIGHTS } weft_conv_kind;

/* A tensor as the library numbers its dimensions: [batch, features, spatial], the kernel [group, out, in, spatial]. */
typedef struct weft_conv_tensor {
    int64_t offset, rank;
    int64_t dims[WEFT_CONV_RANK], strides[WEFT_CONV_RANK];
} weft_conv_tensor;

/* Plain bytes. In FORWARD's terms, whatever the kind: its image, kernel and output are tensors[role[0..2]]. */
typedef struct weft_conv_task {
    weft_conv_kind kind;
    weft_dtype dtype, result; /* of both operands; of the result */
    uint32_t spatial;
    weft_conv_tensor tensors[3]; /* lhs, rhs, result */
    int64_t stride[WEFT_CONV_SPATIAL], dilation[WEFT_CONV_SPATIAL], low[WEFT_CONV_SPATIAL], high[WEFT_CONV_SPATIAL];
    int64_t widens, scratch_bytes; /* as in weft_matmul */
} weft_conv_task;

#endif
