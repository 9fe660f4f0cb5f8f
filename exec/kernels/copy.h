/* copy.h: the kernel that copies its first buffer to its second. */
#ifndef WEFT_KERNELS_COPY_H
#define WEFT_KERNELS_COPY_H

#include "exec/kernels/kernels.h"

/* The number makes each copy another: two of the same value are not one. */
typedef struct weft_copy_state { int64_t bytes, number; } weft_copy_state;

#endif
