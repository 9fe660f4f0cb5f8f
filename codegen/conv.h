/* conv.h: a CG_CONV as one of the three convolutions that libraries know, its operands read where they lie.
 *
 * Per spatial dimension, with y over the result, k over the kernel, both operands without further holes:
 *   FORWARD   result[y] = sum over k of lhs[y * stride + k * dilation - low] * rhs[k]
 *   DATA      the gradient of FORWARD by its lhs: result[y] = sum of lhs[x] * rhs[k] over x * stride + k * dilation -
 *             low = y. What StableHLO calls lhs_dilation, with the kernel turned round
 *   WEIGHTS   the gradient by its rhs: result[k] = sum over y of lhs[y * stride + k * dilation - low] * rhs[y]. What
 *             StableHLO writes with batch and feature exchanged, a kernel as large as an image, and batch groups
 * What lies outside lhs counts as 0. Groups divide features: FORWARD and DATA have feature groups, WEIGHTS batch
 * groups. Dimensions may be in any order in all three tensors: node->conv.dims says which is which.
 */
#ifndef WEFT_CODEGEN_CONV_H
#define WEFT_CODEGEN_CONV_H

#include "codegen/graph.h"

enum { CG_CONV_SPATIAL = 3, CG_CONV_RANK = CG_CONV_SPATIAL + 3 };

typedef enum cg_conv_kind { CG_CONV_FORWARD, CG_CONV_DATA, CG_CONV_WEIGHTS } cg_conv_kind;

typedef struct cg_conv {
    cg_conv_kind kind;
    weft_conv_dims dims;
    int64_t groups, stride[CG_CONV_SPATIAL], dilation[CG_CONV_SPATIAL], low[CG_CONV_SPATIAL];
} cg_conv;

/* A tensor as the library numbers its dimensions: [batch, features, spatial], the kernel [group, out, in, spatial]. */
typedef struct cg_conv_tensor {
    int64_t offset, rank;
    int64_t dims[CG_CONV_RANK], strides[CG_CONV_RANK];
} cg_conv_tensor;

/* Plain bytes. In FORWARD's terms, whatever the kind: its image, kernel and output are tensors[role[0..2]]. */
typedef struct cg_conv_task {
    cg_conv_kind kind;
    weft_dtype dtype, result; /* of both operands; of the result */
    uint32_t spatial;
    cg_conv_tensor tensors[3]; /* lhs, rhs, result */
    int64_t stride[CG_CONV_SPATIAL], dilation[CG_CONV_SPATIAL], low[CG_CONV_SPATIAL], high[CG_CONV_SPATIAL];
} cg_conv_task;

/* The node that must stand in memory for operand i: below views and reshapes where strides can say the same. */
cg_node *cg_conv_operand(const cg_node *conv, uint32_t i);
void cg_conv_task_of(const cg_node *conv, cg_conv_task *out);

#endif
