/* kernel.h: a step in C, found by its name when an executable is loaded.
 *
 * What an executable holds of such a step is the kernel's name and a state: plain bytes without addresses and without
 * undefined padding. A loader makes of the state what `run` gets. Kernels are static: sets of them are never freed.
 */
#ifndef WEFT_EXEC_KERNEL_H
#define WEFT_EXEC_KERNEL_H

#include "exec/step.h"

typedef enum weft_kernel_flags {
    /* The state begins with a weft_body_fn, zero in an executable: the loader gives run a copy with the body's address
     * there. */
    WEFT_KERNEL_HAS_BODY = 1 << 0,
    /* Runs code that is not Weft's, which may wait for other threads: how long it takes is not known. */
    WEFT_KERNEL_CALLS_BACK = 1 << 1
} weft_kernel_flags;

typedef struct weft_kernel {
    const char *name;
    weft_step_fn run;
    size_t state_bytes;        /* of every state; 0: they differ, and the kernel's prepare or run can tell */
    unsigned flags;
    /* NULL: run gets the state as it is. Otherwise what run gets instead, made once per loaded step, for all devices;
     * release frees it. parts: into how many parts at most its work is to be split, 1 or more. A failure is reported at
     * loc. Not with WEFT_KERNEL_HAS_BODY. */
    weft_status (*prepare)(weft_context *cx, const void *state, size_t state_bytes, int parts, const weft_loc *loc,
                           void **out);
    void (*release)(void *prepared);
    /* Of what run gets: how many parts its work has, of which run does those of its call (weft_run_env). NULL: one. */
    int64_t (*grains)(const void *state);
} weft_kernel;

/* Kernels, in any order, and the next set to look in. */
typedef struct weft_kernel_set {
    const weft_kernel *const *kernels;
    size_t count;
    const struct weft_kernel_set *next;
} weft_kernel_set;

/* NULL: no set of the list has a kernel of that name. */
const weft_kernel *weft_kernel_find(const weft_kernel_set *sets, const char *name);

#endif
