/* executable.c: an executable's life; no compiler needed for that. */
#include <stdarg.h>
#include <stdio.h>
#include "codegen/executable.h"

weft_executable *weft_executable_new(const weft_allocator *alloc) {
    weft_arena arena;
    weft_arena_init(&arena, alloc);
    weft_executable *x = weft_arena_new(&arena, weft_executable);
    if (x) x->arena = arena;
    return x;
}

void weft_executable_free(weft_executable *x) {
    if (!x) return;
    if (x->destroy) x->destroy(x->code);
    weft_arena arena = x->arena; /* x lives in it */
    weft_arena_free(&arena);
}

weft_status weft_step_fail(const weft_run_env *env, weft_status st, const char *fmt, ...) {
    va_list args;
    if (!env->failure) return st;
    va_start(args, fmt);
    vsnprintf(env->failure->text, sizeof env->failure->text, fmt, args);
    va_end(args);
    return st;
}
