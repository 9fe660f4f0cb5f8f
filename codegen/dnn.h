/* dnn.h: how a list of oneDNN primitives is put together. Only the files that call oneDNN include this. */
#ifndef WEFT_CODEGEN_DNN_H
#define WEFT_CODEGEN_DNN_H

#include "codegen/dnn_version.h"
#include "codegen/library.h"

/* An argument of a primitive: md at offset bytes of one of the step's buffers. */
typedef struct cg_dnn_arg {
    int id;                 /* DNNL_ARG_... */
    cg_md md;
    uint32_t buffer;        /* CG_LIBRARY_... */
    int64_t offset;
} cg_dnn_arg;

/* Primitives divide their work by the threads that they find when they are made: lists are made under
 * cg_threads_take_one. */
cg_library *cg_dnn_new(weft_context *cx, dnnl_status_t *st); /* NULL: *st says why */
dnnl_engine_t cg_dnn_engine(const cg_library *s);
cg_mds *cg_dnn_mds(cg_library *s); /* for descriptions that live as long as s */

/* Attributes that leave scratch memory to the caller: for every primitive that is added. */
dnnl_status_t cg_dnn_attr(dnnl_primitive_attr_t *out);
/* Offset of so many bytes of scratch memory that no other primitive of the list touches. */
int64_t cg_dnn_room(cg_library *s, int64_t bytes);

/* Appends a primitive, which runs after those added before. n <= 3. pd stays the caller's. */
dnnl_status_t cg_dnn_add(cg_library *s, const_dnnl_primitive_desc_t pd, const cg_dnn_arg *args, uint32_t n);
/* Appends a copy of from to to: other strides, other type. */
dnnl_status_t cg_dnn_copy(cg_library *s, const cg_dnn_arg *from, const cg_dnn_arg *to);

/* Behind all primitives of the list, a convolution: its zeros (conv_zeros.h). */
void cg_dnn_add_zeros(cg_library *s, const cg_conv_task *c);

bool cg_dnn_data_type(weft_dtype t, dnnl_data_type_t *out); /* false: oneDNN has no such type on CPUs */
/* Has the machine instructions for products of bf16? Without, operands are copied to f32. */
bool cg_dnn_multiplies_bf16(void);

#endif
