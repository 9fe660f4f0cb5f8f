/* convolve.h: stablehlo.convolution as nodes, of any types, dimensions and windows. */
#ifndef WEFT_CODEGEN_CONVOLVE_H
#define WEFT_CODEGEN_CONVOLVE_H

#include "codegen/graph.h"

/* Along one spatial dimension, as StableHLO's spec calls them; low and high may be negative. */
typedef struct cg_conv_window {
    int64_t stride, low, high, base, dilation;
    bool reversed;
} cg_conv_window;

typedef struct cg_convolution {
    weft_conv_dims dims;
    cg_conv_window window[WEFT_MAX_RANK]; /* per spatial dimension */
    int64_t feature_groups, batch_groups;
} cg_convolution;

/* The convolution of lhs and rhs, a tensor of these dims and elements of type t. NULL after a failure. */
cg_node *cg_convolve(cg_graph *g, cg_node *lhs, cg_node *rhs, const cg_convolution *c, uint32_t rank,
                     const int64_t *dims, weft_dtype t);

#endif
