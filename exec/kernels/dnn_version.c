/* dnn_version.c: see dnn_version.h. */
#include "exec/kernels/dnn_version.h"

typedef struct window {
    dnnl_dims_t stride, dilation, low, high;
} window;

/* oneDNN's arrays of numbers are all of one length; its dilations count the elements that are left out. */
static void window_of(const weft_conv_task *c, window *w) {
    memset(w, 0, sizeof *w);
    for (uint32_t d = 0; d < c->spatial; d++) {
        w->stride[d] = c->stride[d], w->dilation[d] = c->dilation[d] - 1;
        w->low[d] = c->low[d], w->high[d] = c->high[d];
    }
}

#if DNNL_VERSION_MAJOR >= 3

void weft_mds_free(weft_mds *of) {
    while (of->count) dnnl_memory_desc_destroy(of->made[--of->count]);
}

static dnnl_status_t own(weft_mds *of, dnnl_memory_desc_t made, weft_md *out) {
    if (of->count == WEFT_MDS) {
        dnnl_memory_desc_destroy(made);
        return dnnl_runtime_error;
    }
    *out = of->made[of->count++] = made;
    return dnnl_success;
}

dnnl_status_t weft_md_strided(weft_mds *of, int n, const dnnl_dim_t *dims, dnnl_data_type_t type,
                              const dnnl_dim_t *strides, weft_md *out) {
    dnnl_memory_desc_t made;
    const dnnl_status_t st = dnnl_memory_desc_create_with_strides(&made, n, dims, type, strides);
    return st == dnnl_success ? own(of, made, out) : st;
}

dnnl_status_t weft_md_any(weft_mds *of, const weft_md *md, weft_md *out) {
    const weft_md_view v = weft_md_look(md);
    dnnl_memory_desc_t made;
    const dnnl_status_t st = dnnl_memory_desc_create_with_tag(&made, v.n, v.dims, v.type, dnnl_format_tag_any);
    return st == dnnl_success ? own(of, made, out) : st;
}

dnnl_status_t weft_md_keep(weft_mds *of, weft_md_ref md, weft_md *out) {
    dnnl_memory_desc_t made;
    const dnnl_status_t st = dnnl_memory_desc_clone(&made, md);
    return st == dnnl_success ? own(of, made, out) : st;
}

/* These questions have an answer for every description but the last two, which only those in strides or blocks have. */
weft_md_view weft_md_look(const weft_md *md) {
    weft_md_view v = { 0 };
    const dnnl_dims_t *dims = NULL, *strides = NULL;
    int blocks = 0;
    dnnl_memory_desc_query(*md, dnnl_query_ndims_s32, &v.n);
    dnnl_memory_desc_query(*md, dnnl_query_dims, &dims);
    dnnl_memory_desc_query(*md, dnnl_query_data_type, &v.type);
    if (dnnl_memory_desc_query(*md, dnnl_query_strides, &strides) != dnnl_success) strides = NULL;
    if (strides) dnnl_memory_desc_query(*md, dnnl_query_inner_nblks_s32, &blocks);
    v.dims = dims ? *dims : NULL;
    v.strides = strides ? *strides : NULL;
    v.blocks = blocks > 0;
    return v;
}

dnnl_status_t weft_pd_product(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, const weft_md *a,
                              const weft_md *b, const weft_md *c, dnnl_primitive_desc_t *out) {
    return dnnl_matmul_primitive_desc_create(out, engine, *a, *b, NULL, *c, attr);
}

dnnl_status_t weft_pd_convolution(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, const weft_conv_task *c,
                                  const weft_md md[3], dnnl_primitive_desc_t *out) {
    const dnnl_alg_kind_t direct = dnnl_convolution_direct;
    window w;
    window_of(c, &w);
    switch (c->kind) {
    case WEFT_CONV_FORWARD:
        return dnnl_convolution_forward_primitive_desc_create(out, engine, dnnl_forward_inference, direct, md[0], md[1],
                                                              NULL, md[2], w.stride, w.dilation, w.low, w.high, attr);
    case WEFT_CONV_DATA:
        return dnnl_convolution_backward_data_primitive_desc_create(out, engine, direct, md[2], md[1], md[0], w.stride,
                                                                    w.dilation, w.low, w.high, NULL, attr);
    case WEFT_CONV_WEIGHTS:
        return dnnl_convolution_backward_weights_primitive_desc_create(out, engine, direct, md[0], md[2], NULL, md[1],
                                                                       w.stride, w.dilation, w.low, w.high, NULL, attr);
    }
    return dnnl_invalid_arguments;
}

#else

void weft_mds_free(weft_mds *of) { (void)of; }

dnnl_status_t weft_md_strided(weft_mds *of, int n, const dnnl_dim_t *dims, dnnl_data_type_t type,
                              const dnnl_dim_t *strides, weft_md *out) {
    (void)of;
    return dnnl_memory_desc_init_by_strides(out, n, dims, type, strides);
}

dnnl_status_t weft_md_any(weft_mds *of, const weft_md *md, weft_md *out) {
    (void)of;
    *out = *md;
    out->format_kind = dnnl_format_kind_any;
    memset(&out->format_desc, 0, sizeof out->format_desc);
    return dnnl_success;
}

dnnl_status_t weft_md_keep(weft_mds *of, weft_md_ref md, weft_md *out) {
    (void)of;
    *out = *md;
    return dnnl_success;
}

weft_md_view weft_md_look(const weft_md *md) {
    const bool lies = md->format_kind == dnnl_blocked;
    return (weft_md_view){ md->ndims, md->dims, lies ? md->format_desc.blocking.strides : NULL, md->data_type,
                         lies && md->format_desc.blocking.inner_nblks > 0 };
}

/* Version 2.6's code for AMX makes tiles of shapes that the processor refuses (SIGILL) for some sums of 32 n + 31 terms
 * and columns that no tile divides. Some 5,000 other products of up to 2,600 terms were right. */
static bool has_bad_tiles(const weft_md *b) {
    return b->dims[b->ndims - 2] % 32 == 31 && b->dims[b->ndims - 1] % 16;
}

/* The first code that is not for AMX. */
static dnnl_status_t without_amx(const dnnl_matmul_desc_t *desc, dnnl_engine_t engine, const_dnnl_primitive_attr_t attr,
                                 dnnl_primitive_desc_t *out) {
    dnnl_primitive_desc_iterator_t it = NULL;
    dnnl_status_t st = dnnl_primitive_desc_iterator_create(&it, desc, attr, engine, NULL);
    for (; st == dnnl_success; st = dnnl_primitive_desc_iterator_next(it)) {
        *out = dnnl_primitive_desc_iterator_fetch(it);
        if (!*out) st = dnnl_out_of_memory;
        if (!*out || !weft_pd_is_by(*out, "brg:avx512_core_amx")) break;
        dnnl_primitive_desc_destroy(*out);
        *out = NULL;
    }
    if (it) dnnl_primitive_desc_iterator_destroy(it);
    return st;
}

dnnl_status_t weft_pd_product(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, const weft_md *a,
                              const weft_md *b, const weft_md *c, dnnl_primitive_desc_t *out) {
    dnnl_matmul_desc_t desc;
    const dnnl_status_t st = dnnl_matmul_desc_init(&desc, a, b, NULL, c);
    if (st == dnnl_success && has_bad_tiles(b)) return without_amx(&desc, engine, attr, out);
    return st == dnnl_success ? dnnl_primitive_desc_create(out, &desc, attr, engine, NULL) : st;
}

dnnl_status_t weft_pd_convolution(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, const weft_conv_task *c,
                                  const weft_md md[3], dnnl_primitive_desc_t *out) {
    const dnnl_alg_kind_t direct = dnnl_convolution_direct;
    dnnl_convolution_desc_t desc;
    dnnl_status_t st = dnnl_invalid_arguments;
    window w;
    window_of(c, &w);
    switch (c->kind) {
    case WEFT_CONV_FORWARD:
        st = dnnl_dilated_convolution_forward_desc_init(&desc, dnnl_forward_inference, direct, &md[0], &md[1], NULL,
                                                        &md[2], w.stride, w.dilation, w.low, w.high);
        break;
    case WEFT_CONV_DATA:
        st = dnnl_dilated_convolution_backward_data_desc_init(&desc, direct, &md[2], &md[1], &md[0], w.stride,
                                                              w.dilation, w.low, w.high);
        break;
    case WEFT_CONV_WEIGHTS:
        st = dnnl_dilated_convolution_backward_weights_desc_init(&desc, direct, &md[0], &md[2], NULL, &md[1], w.stride,
                                                                 w.dilation, w.low, w.high);
        break;
    }
    return st == dnnl_success ? dnnl_primitive_desc_create(out, &desc, attr, engine, NULL) : st;
}

#endif

bool weft_pd_is_by(const_dnnl_primitive_desc_t pd, const char *name) {
    const char *own = NULL;
    return dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &own) == dnnl_success && own &&
           !strncmp(own, name, strlen(name));
}
