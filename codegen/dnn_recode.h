/* dnn_recode.h: copies between bf16 and f32 of tensors with strides. */
#ifndef WEFT_CODEGEN_DNN_RECODE_H
#define WEFT_CODEGEN_DNN_RECODE_H

#include "codegen/dnn_version.h"
#include "codegen/library.h"

/* What is to be copied, dimensions from slowest to fastest. */
typedef struct cg_recode {
    uint32_t rank;
    int64_t dims[DNNL_MAX_NDIMS], from[DNNL_MAX_NDIMS], to[DNNL_MAX_NDIMS];
    bool widens;            /* bf16 to f32; else f32 to bf16 */
} cg_recode;

/* The copy between two tensors of equal dimensions; false when one is laid out in blocks, or their types are the same.
 */
bool cg_recode_of(const cg_md *from, const cg_md *to, cg_recode *out);
void cg_recode_run(const cg_recode *c, const void *from, void *to);

#endif
