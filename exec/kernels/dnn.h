/* dnn.h: how a list of oneDNN primitives is put together. Only the files that call oneDNN include this. */
#ifndef WEFT_KERNELS_DNN_H
#define WEFT_KERNELS_DNN_H

#include "exec/kernels/dnn_version.h"
#include "exec/kernels/library.h"

/* An argument of a primitive: md at offset bytes of one of the step's buffers. */
typedef struct weft_dnn_arg {
    int id;                 /* DNNL_ARG_... */
    weft_md md;
    uint32_t buffer;        /* CG_LIBRARY_... */
    int64_t offset;
} weft_dnn_arg;

/* Primitives divide their work by the threads that they find when they are made: lists are made under
 * weft_threads_take_one. */
/* planned: bytes of the step's scratch memory. NULL: *st says why. */
weft_library *weft_dnn_new(weft_context *cx, int64_t planned, dnnl_status_t *st);
dnnl_engine_t weft_dnn_engine(const weft_library *s);
weft_mds *weft_dnn_mds(weft_library *s); /* for descriptions that live as long as s */

/* Attributes that leave scratch memory to the caller: for every primitive that is added. */
dnnl_status_t weft_dnn_attr(dnnl_primitive_attr_t *out);
/* Offset of so many bytes of scratch memory that no other primitive of the list touches. */
int64_t weft_dnn_room(weft_library *s, int64_t bytes);

/* Appends a primitive, which runs after those added before. n <= 3. pd stays the caller's. */
dnnl_status_t weft_dnn_add(weft_library *s, const_dnnl_primitive_desc_t pd, const weft_dnn_arg *args, uint32_t n);
/* Appends a product that BLAS does (dnn_blas.h). */
struct weft_blas_product;
dnnl_status_t weft_dnn_add_blas(weft_library *s, const struct weft_blas_product *p, const weft_dnn_arg args[3]);
/* Appends a copy of from to to: other strides, other type. */
dnnl_status_t weft_dnn_copy(weft_library *s, const weft_dnn_arg *from, const weft_dnn_arg *to);

/* After all primitives of the list, a convolution: its zeros (conv_zeros.h). */
void weft_dnn_add_zeros(weft_library *s, const weft_conv_task *c);

/* Reports dimensions, of the largest so many elements, that oneDNN cannot count. */
weft_status weft_dnn_check_count(weft_context *cx, const char *what, int64_t most, const weft_loc *loc);

bool weft_dnn_data_type(weft_dtype t, dnnl_data_type_t *out); /* false: oneDNN has no such type on CPUs */
/* Has the machine instructions for products of bf16? Without, operands are copied to f32. */
bool weft_dnn_multiplies_bf16(void);

#endif
