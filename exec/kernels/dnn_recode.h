/* dnn_recode.h: copies between bf16 and f32 of tensors with strides. */
#ifndef WEFT_KERNELS_DNN_RECODE_H
#define WEFT_KERNELS_DNN_RECODE_H

#include "exec/kernels/dnn_version.h"
#include "exec/kernels/library.h"

/* The dimensions to copy, from slowest to fastest. */
typedef struct weft_recode {
    uint32_t rank;
    int64_t dims[DNNL_MAX_NDIMS], from[DNNL_MAX_NDIMS], to[DNNL_MAX_NDIMS];
    bool widens;            /* bf16 to f32; else f32 to bf16 */
} weft_recode;

/* The copy between two tensors of equal dimensions; false when one is laid out in blocks, or their types are the same.
 */
bool weft_recode_of(const weft_md *from, const weft_md *to, weft_recode *out);
void weft_recode_run(const weft_recode *c, const void *from, void *to);

#endif
