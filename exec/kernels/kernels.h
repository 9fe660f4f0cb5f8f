/* kernels.h: the steps in C that Weft has (exec/kernel.h). */
#ifndef WEFT_KERNELS_KERNELS_H
#define WEFT_KERNELS_KERNELS_H

#include "exec/kernel.h"

#define KERNEL(id) extern const weft_kernel weft_kernel_##id;
#include "exec/kernels/kernels.def"

/* All of them. */
extern const weft_kernel_set weft_kernels;

#endif
