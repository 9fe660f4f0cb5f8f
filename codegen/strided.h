/* strided.h: a value as memory read with strides: what library calls take, so that views cost them nothing. */
#ifndef WEFT_CODEGEN_STRIDED_H
#define WEFT_CODEGEN_STRIDED_H

#include "codegen/graph.h"

/* Element i of the value at base[offset + sum of i[d] * stride[d]]; strides may be 0 or negative. */
typedef struct cg_strided {
    cg_node *base;          /* in memory */
    int64_t offset, stride[WEFT_MAX_RANK];
} cg_strided;

/* Views and reshapes from n down to the memory below them as strides; false when strides cannot say it, or when there
 * is no memory below: n must then be written out, and lies in row-major order. */
bool cg_follow(cg_node *n, cg_strided *s);

#endif
