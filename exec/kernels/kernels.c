/* kernels.c: the set of all kernels. */
#include "exec/kernels/kernels.h"

static const weft_kernel *const all[] = {
#define KERNEL(id) &weft_kernel_##id,
#include "exec/kernels/kernels.def"
};

const weft_kernel_set weft_kernels = { all, WEFT_COUNT(all), NULL };
