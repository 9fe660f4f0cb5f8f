/* callback.c: see callback.h. */
#include "exec/kernels/callback.h"

static weft_status callback_run(const void *state, void *const *b, const weft_run_env *env) {
    const weft_callback_state *s = state;
    if (!env->host || !env->host->call)
        return weft_step_fail(env, WEFT_ERR_UNSUPPORTED,
                              "the program calls back into the process that wrote it: only that process can run it");
    const weft_host_call call = { .id = s->id, .once = s->once != 0, .operands = b, .operand_count = s->operands,
                                  .results = b + s->operands, .result_count = s->results,
                                  .result_bytes = s->result_bytes };
    return env->host->call(env->host->user, &call, env);
}

const weft_kernel weft_kernel_callback = { .name = "callback", .run = callback_run,
                                           .flags = WEFT_KERNEL_CALLS_BACK };
