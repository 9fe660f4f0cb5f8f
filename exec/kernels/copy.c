/* copy.c: bytes from one buffer to another. */
#include <string.h>
#include "exec/kernels/copy.h"

enum { GRAIN = 1 << 16 }; /* bytes that are worth handing to a thread */

static int64_t grains(const void *state) { return weft_ceil_div(((const weft_copy_state *)state)->bytes, GRAIN); }

/* Buffers are the same memory, or apart: so parts may be copied in any order. */
static weft_status run(const void *state, void *const *b, const weft_run_env *env) {
    const weft_copy_state *s = state;
    const int64_t first = env->first_grain * GRAIN,
                  end = env->end_grain < grains(s) ? env->end_grain * GRAIN : s->bytes;
    if (b[0] != b[1]) memmove((char *)b[1] + first, (const char *)b[0] + first, (size_t)(end - first));
    return WEFT_OK;
}

const weft_kernel weft_kernel_copy = { .name = "copy", .run = run, .state_bytes = sizeof(weft_copy_state),
                                       .grains = grains };
