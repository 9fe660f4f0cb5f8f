/* load.h: an executable made ready to run in this process.
 *
 * Loading maps the machine code and finds the kernels; it needs no compiler. A loaded program is immutable and may be
 * run by many threads at once, each with its own weft_run_env.
 */
#ifndef WEFT_EXEC_LOAD_H
#define WEFT_EXEC_LOAD_H

#include "exec/executable.h"
#include "exec/kernel.h"

typedef struct weft_loaded weft_loaded;

/* sets: where kernels are looked for; threads: of a device, among which kernels may split their work, 1 or more; x is
 * lent until weft_unload. Reported: code for another machine, a kernel that no set has, a state that its kernel
 * refuses. */
weft_status weft_load(weft_context *cx, const weft_executable *x, const weft_kernel_set *sets, int threads,
                      weft_loaded **out);
void weft_unload(weft_loaded *p); /* NULL is fine */
const weft_loaded_step *weft_loaded_steps(const weft_loaded *p); /* one for each step of the executable */

/* A kernel that a loop's function calls (weft_code.calls), and the state of such a function, as machine code reads
 * them. run makes the call and says where it was, if it failed. */
typedef struct weft_loop_call {
    weft_loaded_step code;
    const weft_loc *loc;
} weft_loop_call;

typedef struct weft_loop_state {
    weft_status (*run)(const weft_loop_call *c, void *const *buffers, const weft_run_env *env);
    const weft_loop_call *calls;
} weft_loop_state;

#endif
