/* gen_convolution.c: column `gen` of convolutions. */
#include "codegen/convolve.h"
#include "codegen/import.h"

static int64_t at(weft_ints v, uint32_t i, int64_t absent) { return i < v.n ? v.v[i] : absent; }

/* padding: dense [spatial][2], or NULL for none. */
static weft_status convolution(cg_import *im, const weft_op *op, const weft_attr *padding) {
    const weft_type *t = op->results[0].type;
    const weft_attr *dims = weft_op_attr(op, WEFT_A_dimension_numbers);
    cg_node *in[2] = { cg_of(im, op, 0), cg_of(im, op, 1) };
    cg_convolution c = { .dims = dims->conv };
    c.feature_groups = weft_op_int(op, WEFT_A_feature_group_count, 1);
    c.batch_groups = weft_op_int(op, WEFT_A_batch_group_count, 1);
    for (uint32_t i = 0; i < c.dims.input_spatial.n; i++)
        c.window[i] = (cg_conv_window){ .stride = at(weft_op_ints(op, WEFT_A_window_strides), i, 1),
                                        .base = at(weft_op_ints(op, WEFT_A_lhs_dilation), i, 1),
                                        .low = padding ? weft_dense_int(padding, 2 * (int64_t)i) : 0,
                                        .high = padding ? weft_dense_int(padding, 2 * (int64_t)i + 1) : 0,
                                        .dilation = at(weft_op_ints(op, WEFT_A_rhs_dilation), i, 1),
                                        .reversed = at(weft_op_ints(op, WEFT_A_window_reversal), i, 0) };
    return cg_set(im, op, 0, cg_convolve(im->g, in[0], in[1], &c, t->rank, t->dims, t->dtype));
}

weft_status weft_gen_convolution(cg_import *im, const weft_op *op) {
    return convolution(im, op, weft_op_attr(op, WEFT_A_padding));
}
