/* ffi.c: see ffi.h. */
#include "exec/kernels/ffi.h"

bool weft_ffi_is_whole(const void *state, size_t bytes) {
    const int64_t *words = state;
    return bytes >= sizeof *words && bytes % sizeof *words == 0 && words[0] == (int64_t)(bytes / sizeof *words);
}

weft_ffi_reader weft_ffi_read(const void *state) {
    const int64_t *words = state;
    return (weft_ffi_reader){ words + 1, words + words[0], words[0] < 1 };
}

int64_t weft_ffi_read_number(weft_ffi_reader *r) {
    r->bad = r->bad || r->at >= r->end;
    return r->bad ? 0 : *r->at++;
}

weft_str weft_ffi_read_text(weft_ffi_reader *r) {
    const int64_t n = weft_ffi_read_number(r), left = r->bad ? 0 : (r->end - r->at) * (int64_t)sizeof *r->at;
    r->bad = r->bad || n < 0 || n > left;
    if (r->bad) return (weft_str){ "", 0 };
    const weft_str text = { (const char *)r->at, (size_t)n };
    r->at += weft_ceil_div(n, (int64_t)sizeof *r->at);
    return text;
}

weft_str weft_ffi_name(const void *state) {
    weft_ffi_reader r = weft_ffi_read(state);
    return weft_ffi_read_text(&r);
}

static weft_status ffi_run(const void *state, void *const *b, const weft_run_env *env) {
    const weft_str name = weft_ffi_name(state);
    if (env->host && env->host->foreign) return env->host->foreign(state, b, env);
    return weft_step_fail(env, WEFT_ERR_UNSUPPORTED,
                          "the program calls '%.*s', a function of the process that wrote it: only such a process can run it",
                          WEFT_STR_ARG(name));
}

const weft_kernel weft_kernel_ffi = { .name = "ffi", .run = ffi_run, .flags = WEFT_KERNEL_CALLS_BACK };
