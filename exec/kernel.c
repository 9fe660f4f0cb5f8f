/* kernel.c: kernels by name, and how a step says why it failed. */
#include <stdarg.h>
#include <string.h>
#include "exec/kernel.h"

const weft_kernel *weft_kernel_find(const weft_kernel_set *sets, const char *name) {
    for (; sets; sets = sets->next)
        for (size_t i = 0; i < sets->count; i++)
            if (!strcmp(sets->kernels[i]->name, name)) return sets->kernels[i];
    return NULL;
}

weft_status weft_step_fail(const weft_run_env *env, weft_status st, const char *fmt, ...) {
    va_list args;
    if (!env->failure) return st;
    va_start(args, fmt);
    weft_vformat(env->failure->text, sizeof env->failure->text, fmt, args);
    va_end(args);
    return st;
}
