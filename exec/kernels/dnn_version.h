/* dnn_version.h: one interface to oneDNN 2 and 3.
 *
 * A tensor's description is a struct with fields in version 2, an object with an owner in version 3. Here it is a
 * value, weft_md, that is copied and never freed: what version 3 makes for it lives in the weft_mds that it was made
 * with. What a function of oneDNN takes for a description is weft_md_ref. Operations have descriptions of their own in
 * version 2 only; here a primitive's description is made in one call.
 */
#ifndef WEFT_KERNELS_DNN_VERSION_H
#define WEFT_KERNELS_DNN_VERSION_H

#include <oneapi/dnnl/dnnl.h>
#include "exec/kernels/convolution.h"

typedef dnnl_memory_desc_t weft_md;

#if DNNL_VERSION_MAJOR >= 3
typedef const_dnnl_memory_desc_t weft_md_ref;
static inline weft_md_ref weft_md_ref_of(const weft_md *md) { return *md; }
#else
typedef const dnnl_memory_desc_t *weft_md_ref;
static inline weft_md_ref weft_md_ref_of(const weft_md *md) { return md; }
#endif

/* The objects of descriptions: none in version 2. Zero bytes are an empty one. */
enum { WEFT_MDS = 48 }; /* the most that a list of primitives needs is some 24 */
typedef struct weft_mds {
    dnnl_memory_desc_t made[DNNL_VERSION_MAJOR >= 3 ? WEFT_MDS : 1];
    uint32_t count;
} weft_mds;
void weft_mds_free(weft_mds *of);

/* n dimensions, strides in elements. */
dnnl_status_t weft_md_strided(weft_mds *of, int n, const dnnl_dim_t *dims, dnnl_data_type_t type,
                              const dnnl_dim_t *strides, weft_md *out);
/* md's dimensions and type, in any layout that oneDNN likes. */
dnnl_status_t weft_md_any(weft_mds *of, const weft_md *md, weft_md *out);
/* A copy of a description that oneDNN owns. */
dnnl_status_t weft_md_keep(weft_mds *of, weft_md_ref md, weft_md *out);

typedef struct weft_md_view {
    int n;
    const dnnl_dim_t *dims, *strides; /* both md's own; strides NULL: any layout */
    dnnl_data_type_t type;
    bool blocks;            /* elements lie in blocks, which the strides are between */
} weft_md_view;
weft_md_view weft_md_look(const weft_md *md);

/* Whether oneDNN's code for it has a name that begins so: "ref" is its reference, "gemm" its older code. */
bool weft_pd_is_by(const_dnnl_primitive_desc_t pd, const char *name);

/* c = a b. */
dnnl_status_t weft_pd_product(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, const weft_md *a,
                              const weft_md *b, const weft_md *c, dnnl_primitive_desc_t *out);
/* The convolution `c`, where md describes lhs, rhs and result (conv.h). */
dnnl_status_t weft_pd_convolution(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, const weft_conv_task *c,
                                  const weft_md md[3], dnnl_primitive_desc_t *out);

#endif
