/* step.h: what runs when a step of an executable is called.
 *
 * Code of a step is a function of machine code (image.h) or a kernel in C (kernel.h). It gets a state, which it does
 * not change, the addresses of its buffers, and the device that runs it. One function runs on many threads at once.
 */
#ifndef WEFT_EXEC_STEP_H
#define WEFT_EXEC_STEP_H

#include "base/diag.h"

#define WEFT_BUFFER_ALIGN 64 /* of every buffer and of every offset in the arena */

/* Why a step failed, in words, for the diagnostic that its caller reports: at loc, or where that is NULL at the step's
 * place. */
typedef struct weft_failure {
    char text[400];
    const weft_loc *loc;
    int code;                  /* a host's own number for the reason; 0: the status says all */
} weft_failure;

/* A call of a function of the process that runs the program (kernels/callback.h). */
typedef struct weft_host_call {
    int64_t id;
    bool once;                 /* for one partition of a replica, on behalf of all */
    void *const *operands; int operand_count;
    void *const *results; int result_count;
    const int64_t *result_bytes;
} weft_host_call;

struct weft_run_env;
struct weft_loaded_step;
/* The functions that get such calls, and those of kernels/ffi.h, whose state and buffers they see: on the device's
 * thread, and several devices' at the same time. A failure's words go into env->failure. */
typedef struct weft_host {
    weft_status (*call)(void *user, const weft_host_call *c, const struct weft_run_env *env);
    void *user;
    weft_status (*foreign)(const void *state, void *const *buffers, const struct weft_run_env *env);
} weft_host;

/* What a step's code may know of the device that runs it. */
typedef struct weft_run_env {
    int64_t partition_id, replica_id;
    void *user;                /* the runtime's device */
    weft_failure *failure;     /* where weft_step_fail writes; NULL: not wanted */
    /* not 0: code that may run without end returns WEFT_ERR_PEER soon. Set by any thread; NULL: never */
    const _Atomic uint32_t *stop;
    const weft_host *host;     /* NULL: the process has no functions to call */
    int64_t partition_count;   /* of a replica */
    uint64_t execution;        /* a number that is alike on all devices, and no other execution's */
    void *front;               /* what the program's user keeps with it (weft_load_options), or NULL */
    /* Of code whose work can be split (weft_split): the grains that this call does, first_grain to end_grain, which may
     * be past the last. Code of one grain does not look. */
    int64_t first_grain, end_grain;
    /* Does all grains of s on the device's threads, for code that calls other code. NULL: the device has one thread */
    weft_status (*divide)(const struct weft_run_env *env, const struct weft_loaded_step *s, void *const *buffers);
    /* Of a loop that is one function: to these numbers it adds how often it and the loops in it turned, and how often
     * each branch of the cases in it ran, in the order of the plan's steps (runtime/work.h). NULL: not wanted */
    int64_t *turns;
} weft_run_env;

/* Code of a step: buffers[i] is the address of the step's slice i. Returns WEFT_OK or why it failed; the words, if
 * there are any, go into env->failure. */
typedef weft_status (*weft_step_fn)(const void *state, void *const *buffers, const weft_run_env *env);

/* How a step's work may be split among the threads of a device: into `grains` parts that may run at the same time, in
 * any order, with the same results. It is not worth a thread to do fewer than `least` of them. grains 0 or 1: it is
 * not split. */
typedef struct weft_split {
    int64_t grains, least;
    bool apart;              /* a piece for each thread and no more: pieces read the same, or in between others */
    uint32_t scratch;        /* the buffer that is scratch memory, of which each thread has its own; 0: none is */
    int64_t scratch_bytes;
} weft_split;

/* A step's code: fn(state, buffers, env). fn is NULL where the step calls none. */
typedef struct weft_loaded_step {
    weft_step_fn fn;
    const void *state;
    weft_split split;
} weft_loaded_step;

/* Does all grains of s: on the device's threads, if there are several and s can be split. */
static inline weft_status weft_loaded_step_run(const weft_loaded_step *s, void *const *buffers,
                                               const weft_run_env *env) {
    return env->divide && s->split.grains > 1 ? env->divide(env, s, buffers) : s->fn(s->state, buffers, env);
}

/* The grains of a call that does all of them. */
#define WEFT_ALL_GRAINS .first_grain = 0, .end_grain = INT64_MAX

/* Elements in and out of a kernel's body (a comparator, a reducer): in[i] and out[r] point to one element each, as they
 * lie in memory. */
typedef void (*weft_body_fn)(const void *const *in, void *const *out);

/* For a step's code: returns st, having left the text, shortened where it is too long, for the diagnostic. */
weft_status weft_step_fail(const weft_run_env *env, weft_status st, const char *fmt, ...) WEFT_PRINTF(3, 4);

#endif
