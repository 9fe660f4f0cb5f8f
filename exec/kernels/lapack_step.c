/* lapack_step.c: what the kernels that call LAPACK share. */
#include <math.h>
#include <string.h>
#include "exec/kernels/lapack.h"
#include "exec/kernels/lapack_step.h"

/* Single precision cannot say every whole number: a little more is asked for. */
int32_t weft_lapack_answer(const weft_lapack_state *s, const double *work) {
    float single;
    memcpy(&single, work, sizeof single);
    const double v = s->type & 1 ? *work : (double)single;
    return v >= 1 && v < 2e9 ? (int32_t)(v * (1 + 1e-6)) + 1 : 1;
}

weft_status weft_lapack_each(const void *state, void *const *b, const weft_run_env *env, weft_lapack_one *one) {
    const weft_lapack_state *s = state;
    const int64_t end = weft_min_i64(env->end_grain, s->batch);
    weft_lapack_begin();
    for (int64_t i = env->first_grain; i < end; i++) one(s, b, i);
    weft_lapack_end();
    return WEFT_OK;
}

int64_t weft_lapack_grains(const void *state) { return ((const weft_lapack_state *)state)->batch; }

void *weft_lapack_copied(const weft_lapack_state *s, void *to, const void *from, int64_t i, int64_t elems) {
    const size_t bytes = (size_t)elems * weft_lapack_bytes(s), at = (size_t)i * bytes;
    char *entry = (char *)to + at;
    if (to != from && bytes) memcpy(entry, (const char *)from + at, bytes);
    return entry;
}

void *weft_lapack_zeroed(const weft_lapack_state *s, void *to, int64_t i, int64_t elems) {
    const size_t bytes = (size_t)elems * weft_lapack_bytes(s);
    char *entry = (char *)to + (size_t)i * bytes;
    if (bytes) memset(entry, 0, bytes);
    return entry;
}

static bool all_finite(const void *p, int64_t n, size_t bytes) {
    const float *f = p;
    const double *d = p;
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(bytes == 4 ? (double)f[i] : d[i])) return false;
    return true;
}

bool weft_lapack_finite(const weft_lapack_state *s, const void *a, int64_t elems, int *info, const weft_lapack_out *out,
                        uint32_t n) {
    const size_t bytes = weft_lapack_real_bytes(s);
    if (all_finite(a, elems * (s->type >= 2 ? 2 : 1), bytes)) return true;
    *info = -4;
    for (uint32_t i = 0; i < n; i++)
        for (int64_t k = 0; k < out[i].elems * out[i].reals; k++) {
            if (bytes == 4) ((float *)out[i].p)[k] = NAN;
            else ((double *)out[i].p)[k] = NAN;
        }
    return false;
}
