/* copy.h: the kernel that copies its first buffer to its second. */
#ifndef WEFT_KERNELS_COPY_H
#define WEFT_KERNELS_COPY_H

#include "exec/kernels/kernels.h"

typedef struct weft_copy_state {
    int64_t bytes;
    int64_t number;         /* makes each copy another: two of the same value are not one */
    /* 1: the source is memory of a loop's turn alone, and nothing reads it after: the two may trade places instead */
    int64_t is_last;
} weft_copy_state;

#endif
