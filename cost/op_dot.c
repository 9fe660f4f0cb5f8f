/* op_dot.c: the work of ops whose arithmetic exceeds their elements: products, windows, sorts, transforms, solvers.
 *
 * A multiply-add counts two flops, a complex one eight (four multiplications and four additions).
 */
#include "cost/op.h"

#include <math.h>
#include "cost/op_internal.h"

static double dim_of(const weft_type *t, int64_t d) {
    return d >= 0 && d < t->rank && t->dims[d] > 0 ? (double)t->dims[d] : 0;
}

static double multiply_add(const weft_op *op) { return weft_dtype_is_complex(op->operands[0]->type->dtype) ? 8 : 2; }

/* Result elements times the contracted elements of lhs. */
weft_status weft_cost_dot(const weft_op *op, weft_op_cost *out) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_dot_dimension_numbers);
    const weft_type *lhs = op->operands[0]->type;
    double k = 1;
    if (!a) k = dim_of(lhs, (int64_t)lhs->rank - 1); /* stablehlo.dot: the last dimension */
    for (uint32_t i = 0; a && i < a->dot.lhs_contract.n; i++) k *= dim_of(lhs, a->dot.lhs_contract.v[i]);
    out->flops = multiply_add(op) * weft_cost_elems(&op->results[0]) * k;
    return WEFT_OK;
}

/* "ab,bc->ac": every combination of labels is one multiply-add. */
weft_status weft_cost_einsum(const weft_op *op, weft_op_cost *out) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_einsum_config);
    double size[256] = { 0 }, n = 1;
    uint32_t operand = 0;
    int64_t d = 0;
    for (size_t i = 0; a && i < a->s.n && a->s.p[i] != '-'; i++) {
        unsigned char label = (unsigned char)a->s.p[i];
        if (label == ',') {
            operand++;
            d = 0;
        } else if (operand < op->operand_count && label != ' ' && size[label] == 0) {
            size[label] = dim_of(op->operands[operand]->type, d++);
            n *= size[label];
        } else {
            d++;
        }
    }
    out->flops = multiply_add(op) * n;
    return WEFT_OK;
}

/* Every row of lhs is multiplied by one group's matrix: [..., k] x [g, k, n]. */
weft_status weft_cost_ragged_dot(const weft_op *op, weft_op_cost *out) {
    const weft_type *rhs = op->operands[1]->type;
    out->flops = multiply_add(op) * weft_cost_elems(op->operands[0]) * dim_of(rhs, (int64_t)rhs->rank - 1);
    return WEFT_OK;
}

/* Positions of a kernel dimension that fall on elements of the input, over all output positions: padding and the holes
 * of a dilated input cost nothing. */
static double valid_positions(double input, double kernel, double output, double stride, double low,
                              double input_dilation, double kernel_dilation) {
    double n = 0;
    if (kernel * output > 1e7) return kernel * output; /* long dimensions: the edges do not matter */
    for (double o = 0; o < output; o++)
        for (double k = 0; k < kernel; k++) {
            double at = o * stride + k * kernel_dilation - low;
            n += at >= 0 && at <= (input - 1) * input_dilation && fmod(at, input_dilation) == 0;
        }
    return n;
}

static double int_of(weft_ints v, uint32_t i, double absent) { return i < v.n ? (double)v.v[i] : absent; }

weft_status weft_cost_convolution(const weft_op *op, weft_op_cost *out) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_dimension_numbers), *pad = weft_op_attr(op, WEFT_A_padding);
    const weft_type *in = op->operands[0]->type, *kernel = op->operands[1]->type, *res = op->results[0].type;
    if (!a || a->kind != WEFT_ATTR_CONV) return WEFT_ERR_UNSUPPORTED;
    const weft_conv_dims *c = &a->conv;
    double n = dim_of(res, c->output_batch) * dim_of(res, c->output_feature) * dim_of(kernel, c->kernel_input_feature);
    for (uint32_t i = 0; i < c->input_spatial.n && i < c->kernel_spatial.n && i < c->output_spatial.n; i++)
        n *= valid_positions(dim_of(in, c->input_spatial.v[i]), dim_of(kernel, c->kernel_spatial.v[i]),
                             dim_of(res, c->output_spatial.v[i]), int_of(weft_op_ints(op, WEFT_A_window_strides), i, 1),
                             pad && pad->kind == WEFT_ATTR_DENSE ? (double)weft_dense_int(pad, 2 * (int64_t)i) : 0,
                             int_of(weft_op_ints(op, WEFT_A_lhs_dilation), i, 1),
                             int_of(weft_op_ints(op, WEFT_A_rhs_dilation), i, 1));
    out->flops = multiply_add(op) * n / (double)weft_max_i64(weft_op_int(op, WEFT_A_batch_group_count, 1), 1);
    return WEFT_OK;
}

/* Each window's elements but one go through the body. select_and_scatter: windows of its source, then one add each. */
/* Whether windows along dimension d all begin or all end at one end of it, as a running sum's: compilers make each from
 * the one before, or by a tree of scans, in about one step for an element. */
static bool is_running(const weft_op *op, uint32_t d, int64_t window) {
    const int64_t size = op->operands[0]->type->dims[d], low = weft_op_padding_at(op, d, 0),
                  high = weft_op_padding_at(op, d, 1);
    return op->region_count == 1 && window == size && size > 1 && low + high == size - 1 && (low == 0 || high == 0) &&
           weft_op_int_at(op, WEFT_A_window_strides, d, 1) == 1 &&
           weft_op_int_at(op, WEFT_A_base_dilations, d, 1) == 1 &&
           weft_op_int_at(op, WEFT_A_window_dilations, d, 1) == 1;
}

weft_status weft_cost_window(const weft_op *op, weft_op_cost *out) {
    weft_ints sizes = weft_op_ints(op, WEFT_A_window_dimensions);
    double window = 1;
    for (uint32_t i = 0; i < sizes.n; i++) window *= is_running(op, i, sizes.v[i]) ? 2 : (double)sizes.v[i];
    double windows = weft_cost_elems(op->region_count == 2 ? op->operands[1] : &op->results[0]);
    weft_status st = weft_cost_body(op, 0, windows * (window > 1 ? window - 1 : 0), out);
    return st == WEFT_OK && op->region_count == 2 ? weft_cost_body(op, 1, windows, out) : st;
}

/* n log2 n comparisons along each row. */
weft_status weft_cost_sort(const weft_op *op, weft_op_cost *out) {
    const weft_type *t = op->operands[0]->type;
    int64_t dim = weft_op_int(op, WEFT_A_dimension, -1);
    double n = dim_of(t, dim < 0 ? dim + t->rank : dim),
           compares = weft_cost_elems(op->operands[0]) * (n > 1 ? log2(n) : 0);
    if (op->region_count) return weft_cost_body(op, 0, compares, out);
    out->flops = compares;
    return WEFT_OK;
}

/* 5 n log2 n per transform: Cooley and Tukey's radix 2, n the product of fft_length. */
weft_status weft_cost_fft(const weft_op *op, weft_op_cost *out) {
    weft_ints length = weft_op_ints(op, WEFT_A_fft_length);
    double n = 1, elems = weft_cost_elems(op->operands[0]), res = weft_cost_elems(&op->results[0]);
    for (uint32_t i = 0; i < length.n; i++) n *= (double)length.v[i];
    if (res > elems) elems = res;
    out->flops = n > 1 ? 5 * elems * log2(n) : 0;
    return WEFT_OK;
}

/* n^3/3 to factor, n^2 per right-hand side to solve. Golub and Van Loan, Matrix Computations, 3.1 and 4.2. */
weft_status weft_cost_linalg(const weft_op *op, weft_op_cost *out) {
    const weft_type *a = op->operands[0]->type;
    double n = dim_of(a, (int64_t)a->rank - 1);
    out->flops =
        op->operand_count == 1 ? weft_cost_elems(op->operands[0]) * n / 3 : weft_cost_elems(op->operands[1]) * n;
    return WEFT_OK;
}
