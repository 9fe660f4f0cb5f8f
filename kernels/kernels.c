/* kernels.c: the set of all kernels. */
#include "kernels/kernels.h"

static const weft_kernel *const all[] = {
#define KERNEL(id) &weft_kernel_##id,
#include "kernels/kernels.def"
};

const weft_kernel_set weft_kernels = { all, WEFT_COUNT(all), NULL };
