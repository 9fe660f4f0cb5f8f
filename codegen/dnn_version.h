/* dnn_version.h: what differs between oneDNN 2 and 3, behind one interface.
 *
 * A tensor's description is a struct with fields in version 2, an object with an owner in version 3. Here it is a
 * value, cg_md, that is copied and never freed: what version 3 makes for it lives in the cg_mds that it was made with.
 * What a function of oneDNN takes for a description is cg_md_ref. Operations have descriptions of their own in version
 * 2 only; here a primitive's description is made in one call.
 */
#ifndef WEFT_CODEGEN_DNN_VERSION_H
#define WEFT_CODEGEN_DNN_VERSION_H

#include <oneapi/dnnl/dnnl.h>
#include "codegen/conv.h"

typedef dnnl_memory_desc_t cg_md;

#if DNNL_VERSION_MAJOR >= 3
typedef const_dnnl_memory_desc_t cg_md_ref;
static inline cg_md_ref cg_md_ref_of(const cg_md *md) { return *md; }
#else
typedef const dnnl_memory_desc_t *cg_md_ref;
static inline cg_md_ref cg_md_ref_of(const cg_md *md) { return md; }
#endif

/* The objects behind descriptions: none in version 2. Zero bytes are an empty one. */
enum { CG_MDS = 48 }; /* the most that a list of primitives needs is some 24 */
typedef struct cg_mds {
    dnnl_memory_desc_t made[DNNL_VERSION_MAJOR >= 3 ? CG_MDS : 1];
    uint32_t count;
} cg_mds;
void cg_mds_free(cg_mds *of);

/* n dimensions, strides in elements. */
dnnl_status_t cg_md_strided(cg_mds *of, int n, const dnnl_dim_t *dims, dnnl_data_type_t type, const dnnl_dim_t *strides,
                            cg_md *out);
/* md's dimensions and type, in any layout that oneDNN likes. */
dnnl_status_t cg_md_any(cg_mds *of, const cg_md *md, cg_md *out);
/* A copy of a description that oneDNN owns. */
dnnl_status_t cg_md_keep(cg_mds *of, cg_md_ref md, cg_md *out);

typedef struct cg_md_view {
    int n;
    const dnnl_dim_t *dims, *strides; /* both md's own; strides NULL: any layout */
    dnnl_data_type_t type;
    bool blocks;            /* elements lie in blocks, which the strides are between */
} cg_md_view;
cg_md_view cg_md_look(const cg_md *md);

/* c = a b. */
dnnl_status_t cg_pd_product(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, const cg_md *a, const cg_md *b,
                            const cg_md *c, dnnl_primitive_desc_t *out);
/* The convolution `c`, where md describes lhs, rhs and result (conv.h). */
dnnl_status_t cg_pd_convolution(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr, const cg_conv_task *c,
                                const cg_md md[3], dnnl_primitive_desc_t *out);

#endif
