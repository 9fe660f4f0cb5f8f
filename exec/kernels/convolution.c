/* convolution.c: convolutions by oneDNN.
 *
 * oneDNN has fast code for some layouts only: features side by side, or blocks of 16 of them. Each tensor is offered as
 * it lies first, the kernel in any layout, as it is small; then all in any layout, with copies before and after. What
 * oneDNN would do by its reference code, or as one product per image (gemm), is only taken when nothing else is there.
 */
#include "exec/kernels/dnn.h"
#include "exec/kernels/threads.h"

typedef struct convolution {
    weft_library *s;
    const weft_conv_task *task;
    weft_dnn_arg user[3];     /* lhs, rhs, result as they lie */
    weft_md offer[3];         /* the same, in the type that is computed with */
    dnnl_primitive_desc_t pd;
    int rank;               /* of pd: how it computes */
} convolution;

/* Per kind: how the primitive calls lhs, rhs and result, and which of them is the kernel. */
static const struct { int id[3]; dnnl_query_t md[3]; uint32_t kernel; } args_of[] = {
    [WEFT_CONV_FORWARD] = { { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST }, { dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md }, 1 },
    [WEFT_CONV_DATA] = { { DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_SRC }, { dnnl_query_diff_dst_md, dnnl_query_weights_md, dnnl_query_diff_src_md }, 1 },
    [WEFT_CONV_WEIGHTS] = { { DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS }, { dnnl_query_src_md, dnnl_query_diff_dst_md, dnnl_query_diff_weights_md }, 2 },
};

/* oneDNN's arrays of numbers are all of one length. */
static void copy_dims(dnnl_dims_t out, const int64_t *v, uint32_t n) {
    memset(out, 0, sizeof(dnnl_dims_t));
    memcpy(out, v, n * sizeof *v);
}

/* One group needs no dimension of its own. */
static dnnl_status_t describe(weft_mds *of, const weft_conv_task *c, uint32_t i, dnnl_data_type_t type,
                              weft_dnn_arg *a) {
    const weft_conv_tensor *t = &c->tensors[i];
    const uint32_t skip = i == args_of[c->kind].kernel && t->dims[0] == 1;
    dnnl_dims_t dims, strides;
    copy_dims(dims, t->dims + skip, t->rank - skip);
    copy_dims(strides, t->strides + skip, t->rank - skip);
    a->id = args_of[c->kind].id[i];
    a->buffer = i;
    a->offset = t->offset * (int64_t)weft_dtype_bytes(i < 2 ? c->dtype : c->result);
    return weft_md_strided(of, (int)(t->rank - skip), dims, type, strides, &a->md);
}

typedef enum freedom { KERNEL_ANY, ALL_ANY, NONE_ANY } freedom;

static dnnl_status_t describe_all(const convolution *x, freedom f, const_dnnl_primitive_attr_t attr,
                                  dnnl_primitive_desc_t *pd) {
    const weft_conv_task *c = x->task;
    weft_md md[3];
    dnnl_status_t st = dnnl_success;
    for (uint32_t i = 0; i < 3 && st == dnnl_success; i++) {
        md[i] = x->offer[i];
        if (f == ALL_ANY || (f == KERNEL_ANY && i == args_of[c->kind].kernel))
            st = weft_md_any(weft_dnn_mds(x->s), &x->offer[i], &md[i]);
    }
    return st == dnnl_success ? weft_pd_convolution(weft_dnn_engine(x->s), attr, c, md, pd) : st;
}

/* 0: code made for the shape; 1: one product per image; 2: the reference. */
static int rank_of(const_dnnl_primitive_desc_t pd) {
    const char *name = NULL;
    if (dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name) != dnnl_success || !name ||
        strstr(name, "ref"))
        return 2;
    return strstr(name, "gemm") ? 1 : 0;
}

/* The best of the implementations that oneDNN offers for each freedom, the least copying first. */
static dnnl_status_t choose(convolution *x) {
    dnnl_primitive_attr_t attr = NULL;
    dnnl_status_t st = weft_dnn_attr(&attr), last = dnnl_unimplemented;
    x->rank = 3;
    for (freedom f = KERNEL_ANY; f <= NONE_ANY && st == dnnl_success && x->rank; f++) {
        dnnl_primitive_desc_t pd = NULL;
        last = describe_all(x, f, attr, &pd);
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
    weft_dnn_arg arg[3];
    dnnl_status_t st = dnnl_success;
    bool moved = false;
    for (uint32_t i = 0; i < 3 && st == dnnl_success; i++) {
        const weft_md_ref want = dnnl_primitive_desc_query_md(x->pd, args_of[x->task->kind].md[i], 0);
        arg[i] = x->user[i];
        if (dnnl_memory_desc_equal(want, weft_md_ref_of(&x->user[i].md))) continue;
        st = weft_md_keep(weft_dnn_mds(x->s), want, &arg[i].md);
        arg[i].buffer = WEFT_LIBRARY_SCRATCH;
        arg[i].offset = weft_dnn_room(x->s, (int64_t)dnnl_memory_desc_get_size(want));
        if (i == 2) moved = true;
        else if (st == dnnl_success) st = weft_dnn_copy(x->s, &x->user[i], &arg[i]);
    }
    if (st == dnnl_success) st = weft_dnn_add(x->s, x->pd, arg, 3);
    if (st == dnnl_success && moved) st = weft_dnn_copy(x->s, &arg[2], &x->user[2]);
    return st;
}

static weft_status make(weft_context *cx, const weft_conv_task *c, const weft_loc *loc, weft_library **out) {
    dnnl_status_t st;
    dnnl_data_type_t in = dnnl_f32, result = dnnl_f32;
    convolution x = { .s = weft_dnn_new(cx, c->scratch_bytes, &st), .task = c };
    if (x.s && (!weft_dnn_data_type(c->dtype, &in) || !weft_dnn_data_type(c->result, &result))) st = dnnl_unimplemented;
    for (uint32_t i = 0; i < 3 && st == dnnl_success; i++) {
        st = describe(weft_dnn_mds(x.s), c, i, i < 2 ? in : result, &x.user[i]);
        x.offer[i] = x.user[i].md;
        if (st != dnnl_success || (!c->widens && weft_dnn_multiplies_bf16())) continue;
        const weft_md_view v = weft_md_look(&x.user[i].md);
        st = weft_md_strided(weft_dnn_mds(x.s), v.n, v.dims, dnnl_f32, v.strides, &x.offer[i]);
    }
    if (st == dnnl_success) st = choose(&x);
    if (st == dnnl_success) st = assemble(&x);
    if (x.pd) dnnl_primitive_desc_destroy(x.pd);
    if (st == dnnl_success) {
        weft_dnn_add_zeros(x.s, c);
        *out = x.s;
        return WEFT_OK;
    }
    weft_library_free(x.s);
    if (st == dnnl_out_of_memory) return weft_oom();
    return weft_report(cx, WEFT_D_unsupported, loc, "oneDNN cannot convolve these shapes (status %d)", (int)st);
}

weft_status weft_library_accepts_conv(weft_context *cx, const weft_conv_task *c, const weft_loc *loc) {
    int64_t most = 0;
    for (uint32_t i = 0; i < 3; i++)
        for (int64_t d = 0; d < c->tensors[i].rank; d++) most = weft_max_i64(most, c->tensors[i].dims[d]);
    return weft_dnn_check_count(cx, "convolution", most, loc);
}

weft_status weft_library_conv(weft_context *cx, const weft_conv_task *c, const weft_loc *loc, weft_library **out) {
    const weft_status counted = weft_library_accepts_conv(cx, c, loc);
    if (counted != WEFT_OK) return counted;
    int threads = weft_threads_take_one();
    weft_status st = make(cx, c, loc, out);
    weft_threads_give(threads);
    return st;
}
