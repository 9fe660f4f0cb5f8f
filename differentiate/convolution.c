/* convolution.c: the rule of convolution.
 *
 * The cotangent of the image is a convolution of the result's cotangent with the reversed kernel, that of the kernel
 * one of the image with the result's cotangent as kernel; strides and dilations change places. Groups of features of
 * one become groups of the batch of the other. Source of the paddings and groups: Dumoulin and Visin, A guide to
 * convolution arithmetic for deep learning, sections 4 and 5; https://arxiv.org/abs/1603.07285.
 */
#include "differentiate/grad.h"

typedef struct conv {
    const weft_op *op;
    const weft_conv_dims *dims;
    uint32_t n;              /* spatial dimensions */
    int64_t image[WEFT_MAX_RANK], kernel[WEFT_MAX_RANK], out[WEFT_MAX_RANK]; /* sizes with dilation */
    int64_t groups, batch_groups;
} conv;

static int64_t dilated(int64_t size, int64_t by) { return size ? (size - 1) * by + 1 : 0; }
static int64_t at(const conv *v, weft_attr_name name, uint32_t i) { return weft_op_int_at(v->op, name, i, 1); }

static conv read(const weft_op *op) {
    conv v = { .op = op, .dims = &weft_op_attr(op, WEFT_A_dimension_numbers)->conv,
               .groups = weft_op_int(op, WEFT_A_feature_group_count, 1),
               .batch_groups = weft_op_int(op, WEFT_A_batch_group_count, 1) };
    v.n = v.dims->input_spatial.n;
    for (uint32_t i = 0; i < v.n; i++) {
        v.image[i] = dilated(op->operands[0]->type->dims[v.dims->input_spatial.v[i]], at(&v, WEFT_A_lhs_dilation, i));
        v.kernel[i] = dilated(op->operands[1]->type->dims[v.dims->kernel_spatial.v[i]], at(&v, WEFT_A_rhs_dilation, i));
        v.out[i] = dilated(op->results[0].type->dims[v.dims->output_spatial.v[i]], at(&v, WEFT_A_window_strides, i));
    }
    return v;
}

/* What differs between the two. */
typedef struct plan {
    weft_conv_dims dims;
    weft_attr_name strides, image_dilation, kernel_dilation; /* where the new op's are among the old one's */
    int64_t padding[2 * WEFT_MAX_RANK];
    enum { AS_IT_WAS, REVERSED, PLAIN } reversal;
    int64_t groups, batch_groups;
} plan;

static weft_value *build(gd *g, const conv *v, const plan *p, weft_value *image, weft_value *kernel,
                         const weft_type *t) {
    int64_t strides[WEFT_MAX_RANK], image_by[WEFT_MAX_RANK], kernel_by[WEFT_MAX_RANK], reversed[WEFT_MAX_RANK];
    const int64_t shape[] = { v->n, 2 };
    for (uint32_t i = 0; i < v->n; i++) {
        const bool was = weft_op_int_at(v->op, WEFT_A_window_reversal, i, 0) != 0;
        strides[i] = at(v, p->strides, i);
        image_by[i] = at(v, p->image_dilation, i);
        kernel_by[i] = at(v, p->kernel_dilation, i);
        reversed[i] = p->reversal == REVERSED ? !was : 0;
    }
    weft_attr node = { .kind = WEFT_ATTR_CONV, .conv = p->dims };
    const weft_attr *precision = weft_op_attr(v->op, WEFT_A_precision_config);
    const weft_attr_pair attrs[] = {
        { WEFT_A_window_strides, weft_attr_ints(g->cx, WEFT_I64, strides, v->n) },
        { WEFT_A_padding, weft_attr_dense_i64(g->cx, 2, shape, p->padding) },
        { WEFT_A_lhs_dilation, weft_attr_ints(g->cx, WEFT_I64, image_by, v->n) },
        { WEFT_A_rhs_dilation, weft_attr_ints(g->cx, WEFT_I64, kernel_by, v->n) },
        { WEFT_A_window_reversal, weft_attr_ints(g->cx, WEFT_I1, reversed, v->n) },
        { WEFT_A_dimension_numbers, weft_attr_copy(g->cx, &node) },
        { WEFT_A_feature_group_count, weft_attr_i64(g->cx, p->groups) },
        { WEFT_A_batch_group_count, weft_attr_i64(g->cx, p->batch_groups) },
        { WEFT_A_precision_config, precision },
    };
    weft_value *in[] = { image, kernel };
    return weft_build_1(gd_b(g), WEFT_OP_convolution, t, in, 2, attrs, precision ? 9 : 8);
}

/* x with dimension `from` split into groups, which become the major part of dimension `to`. */
static weft_value *regroup(gd *g, weft_value *x, int64_t from, int64_t to, int64_t groups) {
    int64_t dims[WEFT_MAX_RANK + 1], permutation[WEFT_MAX_RANK + 1], merged[WEFT_MAX_RANK];
    uint32_t n = 0, k = 0;
    if (!x || x->type->rank == WEFT_MAX_RANK) return NULL;
    for (uint32_t d = 0; d < x->type->rank; d++) {
        merged[d] = x->type->dims[d];
        if ((int64_t)d == from) {
            dims[n++] = groups;
            dims[n++] = x->type->dims[d] / groups;
        } else {
            dims[n++] = x->type->dims[d];
        }
    }
    merged[from] /= groups;
    merged[to] *= groups;
    for (uint32_t d = 0; d < x->type->rank; d++) {
        if ((int64_t)d == to) permutation[k++] = from;
        permutation[k++] = (int64_t)d < from ? d : d + 1;
    }
    const weft_dtype t = x->type->dtype;
    weft_value *split = gd_reshape(g, x, weft_type_tensor(g->cx, t, n, dims));
    return gd_reshape(g, gd_transpose(g, split, permutation), weft_type_tensor(g->cx, t, n - 1, merged));
}

static void of_image(gd *g, const conv *v) {
    const weft_conv_dims *d = v->dims;
    weft_value *c = gd_ct(g, v->op, 0), *kernel = gd_as(g, gd_in(g, v->op, 1), c);
    const weft_type *image = v->op->operands[0]->type;
    int64_t dims[WEFT_MAX_RANK];
    plan p = { .dims = { .input_batch = d->output_batch, .input_feature = d->output_feature,
                         .kernel_input_feature = d->kernel_output_feature,
                         .kernel_output_feature = d->kernel_input_feature, .output_batch = d->input_batch,
                         .output_feature = d->input_feature, .input_spatial = d->output_spatial,
                         .kernel_spatial = d->kernel_spatial, .output_spatial = d->input_spatial },
               .strides = WEFT_A_lhs_dilation, .image_dilation = WEFT_A_window_strides,
               .kernel_dilation = WEFT_A_rhs_dilation, .reversal = REVERSED,
               .groups = v->groups * v->batch_groups, .batch_groups = 1 };
    for (uint32_t i = 0; i < v->n; i++) {
        p.padding[2 * i] = v->kernel[i] - 1 - weft_op_padding_at(v->op, i, 0);
        p.padding[2 * i + 1] = v->image[i] + v->kernel[i] - 1 - v->out[i] - p.padding[2 * i];
    }
    if (p.groups > 1) kernel = regroup(g, kernel, d->kernel_output_feature, d->kernel_input_feature, p.groups);
    for (uint32_t i = 0; i < image->rank; i++) dims[i] = image->dims[i];
    dims[d->input_batch] /= v->batch_groups;
    dims[d->input_feature] *= v->batch_groups;
    weft_value *made = build(g, v, &p, c, kernel, weft_type_tensor(g->cx, c->type->dtype, image->rank, dims));
    if (v->batch_groups > 1) made = regroup(g, made, d->input_feature, d->input_batch, v->batch_groups);
    gd_give(g, v->op, 0, gd_as(g, made, v->op->operands[0]));
}

static void of_kernel(gd *g, const conv *v) {
    const weft_conv_dims *d = v->dims;
    weft_value *c = gd_ct(g, v->op, 0), *image = gd_as(g, gd_in(g, v->op, 0), c);
    const weft_type *kernel = v->op->operands[1]->type;
    int64_t reversed[WEFT_MAX_RANK];
    uint32_t n = 0;
    plan p = { .dims = { .input_batch = d->input_feature, .input_feature = d->input_batch,
                         .kernel_input_feature = d->output_batch, .kernel_output_feature = d->output_feature,
                         .output_batch = d->kernel_input_feature, .output_feature = d->kernel_output_feature,
                         .input_spatial = d->input_spatial, .kernel_spatial = d->output_spatial,
                         .output_spatial = d->kernel_spatial },
               .strides = WEFT_A_rhs_dilation, .image_dilation = WEFT_A_lhs_dilation,
               .kernel_dilation = WEFT_A_window_strides, .reversal = PLAIN, .groups = v->batch_groups,
               .batch_groups = v->groups };
    for (uint32_t i = 0; i < v->n; i++) {
        p.padding[2 * i] = weft_op_padding_at(v->op, i, 0);
        p.padding[2 * i + 1] = v->out[i] - v->image[i] + v->kernel[i] - 1 - p.padding[2 * i];
        if (weft_op_int_at(v->op, WEFT_A_window_reversal, i, 0)) reversed[n++] = d->kernel_spatial.v[i];
    }
    weft_value *made = build(g, v, &p, image, c, weft_type_with_dtype(g->cx, kernel, c->type->dtype));
    weft_attr_pair along = { WEFT_A_dimensions, weft_attr_ints(g->cx, WEFT_I64, reversed, n) };
    if (n && made) made = weft_build_1(gd_b(g), WEFT_OP_reverse, made->type, &made, 1, &along, 1);
    gd_give(g, v->op, 1, gd_as(g, made, v->op->operands[1]));
}

void gd_rule_convolution(gd *g, const weft_op *op) {
    const conv v = read(op);
    if (gd_wants(g, op, 0)) of_image(g, &v);
    if (gd_wants(g, op, 1)) of_kernel(g, &v);
}
