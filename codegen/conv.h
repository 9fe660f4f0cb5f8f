/* conv.h: a CG_CONV as one of the three convolutions that libraries know (exec/kernels/convolution.h), its operands
 * read where they lie. Dimensions may be in any order in all three tensors: node->conv.dims says which is which.
 */
#ifndef WEFT_CODEGEN_CONV_H
#define WEFT_CODEGEN_CONV_H

#include "codegen/graph.h"
#include "exec/kernels/convolution.h"

typedef struct cg_conv {
    weft_conv_kind kind;
    weft_conv_dims dims;
    int64_t groups, stride[WEFT_CONV_SPATIAL], dilation[WEFT_CONV_SPATIAL], low[WEFT_CONV_SPATIAL];
} cg_conv;

/* The node that must stand in memory for operand i: below views and reshapes where strides can say the same. */
cg_node *cg_conv_operand(const cg_node *conv, uint32_t i);
void cg_conv_task_of(const cg_node *conv, weft_conv_task *out);

#endif
