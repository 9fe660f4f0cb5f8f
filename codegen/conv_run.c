/* conv_run.c: convolutions by oneDNN.
 *
 * oneDNN has fast code for some layouts only: features side by side, or blocks of 16 of them. Each tensor is offered as
 * it lies first, the kernel in any layout, as it is small; then all in any layout, with copies before and behind. What
 * oneDNN would do by its reference code, or as one product per image (gemm), is only taken when nothing else is there.
 */
#include "codegen/dnn.h"

typedef struct convolution {
    cg_library *s;
    const cg_conv_task *task;
    cg_dnn_arg user[3];     /* lhs, rhs, result as they lie */
    dnnl_memory_desc_t offer[3]; /* the same, in the type that is computed with */
    dnnl_primitive_desc_t pd;
    int rank;               /* of pd: how it computes */
} convolution;

/* Per kind: how the primitive calls lhs, rhs and result, and which of them is the kernel. */
static const struct { int id[3]; dnnl_query_t md[3]; uint32_t kernel; } args_of[] = {
    [CG_CONV_FORWARD] = { { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST }, { dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md }, 1 },
    [CG_CONV_DATA] = { { DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_SRC }, { dnnl_query_diff_dst_md, dnnl_query_weights_md, dnnl_query_diff_src_md }, 1 },
    [CG_CONV_WEIGHTS] = { { DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS }, { dnnl_query_src_md, dnnl_query_diff_dst_md, dnnl_query_diff_weights_md }, 2 },
};

/* oneDNN's arrays of numbers are all of one length. */
static void copy_dims(dnnl_dims_t out, const int64_t *v, uint32_t n) {
    memset(out, 0, sizeof(dnnl_dims_t));
    memcpy(out, v, n * sizeof *v);
}

/* One group needs no dimension of its own. */
static dnnl_status_t describe(const cg_conv_task *c, uint32_t i, dnnl_data_type_t type, cg_dnn_arg *a) {
    const cg_conv_tensor *t = &c->tensors[i];
    const uint32_t skip = i == args_of[c->kind].kernel && t->dims[0] == 1;
    dnnl_dims_t dims, strides;
    copy_dims(dims, t->dims + skip, t->rank - skip);
    copy_dims(strides, t->strides + skip, t->rank - skip);
    a->id = args_of[c->kind].id[i];
    a->buffer = i;
    a->offset = t->offset * (int64_t)weft_dtype_bytes(i < 2 ? c->dtype : c->result);
    return dnnl_memory_desc_init_by_strides(&a->md, (int)(t->rank - skip), dims, type, strides);
}

static dnnl_memory_desc_t any(const dnnl_memory_desc_t *md) {
    dnnl_memory_desc_t out = *md;
    out.format_kind = dnnl_format_kind_any;
    memset(&out.format_desc, 0, sizeof out.format_desc);
    return out;
}

typedef enum freedom { KERNEL_ANY, ALL_ANY, NONE_ANY } freedom;

static dnnl_status_t init(const convolution *x, freedom f, dnnl_convolution_desc_t *desc) {
    const cg_conv_task *c = x->task;
    dnnl_memory_desc_t md[3];
    dnnl_dims_t stride, dilation, low, high;
    copy_dims(stride, c->stride, c->spatial), copy_dims(dilation, c->dilation, c->spatial);
    copy_dims(low, c->low, c->spatial), copy_dims(high, c->high, c->spatial);
    for (uint32_t i = 0; i < 3; i++) md[i] = f == ALL_ANY || (f == KERNEL_ANY && i == args_of[c->kind].kernel) ? any(&x->offer[i]) : x->offer[i];
    for (uint32_t d = 0; d < c->spatial; d++) dilation[d]--;
    switch (c->kind) {
    case CG_CONV_FORWARD:
        return dnnl_dilated_convolution_forward_desc_init(desc, dnnl_forward_inference, dnnl_convolution_direct, &md[0], &md[1], NULL, &md[2],
                                                          stride, dilation, low, high);
    case CG_CONV_DATA:
        return dnnl_dilated_convolution_backward_data_desc_init(desc, dnnl_convolution_direct, &md[2], &md[1], &md[0], stride, dilation, low, high);
    case CG_CONV_WEIGHTS:
        return dnnl_dilated_convolution_backward_weights_desc_init(desc, dnnl_convolution_direct, &md[0], &md[2], NULL, &md[1], stride, dilation, low, high);
    }
    return dnnl_invalid_arguments;
}

/* 0: code made for the shape; 1: one product per image; 2: the reference. */
static int rank_of(const_dnnl_primitive_desc_t pd) {
    const char *name = NULL;
    if (dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name) != dnnl_success || !name || strstr(name, "ref")) return 2;
    return strstr(name, "gemm") ? 1 : 0;
}

/* The best of the implementations that oneDNN offers for each freedom, the least copying first. */
static dnnl_status_t choose(convolution *x) {
    dnnl_primitive_attr_t attr = NULL;
    dnnl_status_t st = cg_dnn_attr(&attr), last = dnnl_unimplemented;
    x->rank = 3;
    for (freedom f = KERNEL_ANY; f <= NONE_ANY && st == dnnl_success && x->rank; f++) {
        dnnl_convolution_desc_t desc;
        dnnl_primitive_desc_t pd = NULL;
        last = init(x, f, &desc);
        if (last == dnnl_success) last = dnnl_primitive_desc_create(&pd, &desc, attr, cg_dnn_engine(x->s), NULL);
        if (last == dnnl_out_of_memory) st = last;
        if (last != dnnl_success) continue;
        const int rank = rank_of(pd);
        if (rank < x->rank) {
            if (x->pd) dnnl_primitive_desc_destroy(x->pd);
            x->pd = pd;
            x->rank = rank;
        } else dnnl_primitive_desc_destroy(pd);
    }
    if (attr) dnnl_primitive_attr_destroy(attr);
    return st != dnnl_success || x->pd ? st : last;
}

/* Copies of what the primitive wants laid out otherwise; the primitive; a copy back. */
static dnnl_status_t assemble(convolution *x) {
    cg_dnn_arg arg[3];
    dnnl_status_t st = dnnl_success;
    bool moved = false;
    for (uint32_t i = 0; i < 3 && st == dnnl_success; i++) {
        const dnnl_memory_desc_t *want = dnnl_primitive_desc_query_md(x->pd, args_of[x->task->kind].md[i], 0);
        arg[i] = x->user[i];
        if (dnnl_memory_desc_equal(want, &x->user[i].md)) continue;
        arg[i].md = *want;
        arg[i].buffer = CG_LIBRARY_SCRATCH;
        arg[i].offset = cg_dnn_room(x->s, (int64_t)dnnl_memory_desc_get_size(want));
        if (i < 2) st = cg_dnn_copy(x->s, &x->user[i], &arg[i]);
        else moved = true;
    }
    if (st == dnnl_success) st = cg_dnn_add(x->s, x->pd, arg, 3);
    if (st == dnnl_success && moved) st = cg_dnn_copy(x->s, &arg[2], &x->user[2]);
    return st;
}

weft_status cg_library_conv(weft_context *cx, const cg_conv_task *c, const weft_loc *loc, cg_library **out) {
    dnnl_status_t st;
    dnnl_data_type_t in = dnnl_f32, result = dnnl_f32;
    convolution x = { .s = cg_dnn_new(cx, &st), .task = c };
    if (x.s && (!cg_dnn_data_type(c->dtype, &in) || !cg_dnn_data_type(c->result, &result))) st = dnnl_unimplemented;
    for (uint32_t i = 0; i < 3 && st == dnnl_success; i++) {
        st = describe(c, i, i < 2 ? in : result, &x.user[i]);
        x.offer[i] = x.user[i].md;
        if (!cg_dnn_multiplies_bf16()) x.offer[i].data_type = dnnl_f32;
    }
    if (st == dnnl_success) st = choose(&x);
    if (st == dnnl_success) st = assemble(&x);
    if (x.pd) dnnl_primitive_desc_destroy(x.pd);
    if (st == dnnl_success) {
        cg_dnn_add_zeros(x.s, c);
        *out = x.s;
        return WEFT_OK;
    }
    cg_library_free(x.s);
    if (st == dnnl_out_of_memory) return weft_oom();
    return weft_report(cx, WEFT_D_unsupported, loc, "oneDNN cannot convolve these shapes (status %d)", (int)st);
}
