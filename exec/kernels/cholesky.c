/* cholesky.c: see cholesky.h. LAPACK reads memory column by column: a row-major matrix is its transpose to it. */
#include <math.h>
#include <string.h>
#include "exec/kernels/cholesky.h"
#include "exec/kernels/lapack.h"

static size_t element_bytes(int32_t type) { return type == 0 ? 4 : type == 3 ? 16 : 8; }

static void (*const potrf[])(la_opt, la_int, void *, la_int, int *, size_t) = { spotrf_, dpotrf_, cpotrf_,
                                                                                      zpotrf_ };

static void fill(void *p, int64_t reals, bool wide, double v) {
    for (int64_t i = 0; i < reals; i++) {
        if (wide) ((double *)p)[i] = v;
        else ((float *)p)[i] = (float)v;
    }
}

/* The other triangle is 0, as XLA has it. */
static void clear_other(const weft_cholesky_state *s, char *a, size_t bytes) {
    const int64_t n = s->order;
    for (int64_t i = 0; i < n; i++) {
        const int64_t from = s->uplo[0] == 'U' ? i + 1 : 0, to = s->uplo[0] == 'U' ? n : i;
        if (from < to) memset(a + (size_t)(i * n + from) * bytes, 0, (size_t)(to - from) * bytes);
    }
}

static void factor(const weft_cholesky_state *s, void *const *b, int64_t i) {
    const int64_t elems = (int64_t)s->order * s->order;
    const size_t bytes = element_bytes(s->type), all = (size_t)elems * bytes;
    char *a = (char *)b[1] + (size_t)i * all;
    int info = 0;
    if (b[0] != b[1]) memcpy(a, (const char *)b[0] + (size_t)i * all, all);
    potrf[s->type](&s->uplo[0], &s->order, a, &s->order, &info, 1);
    if (info) fill(a, elems * (s->type >= 2 ? 2 : 1), s->type & 1, NAN); /* not positive definite */
    else clear_other(s, a, bytes);
}

static int64_t cholesky_grains(const void *state) {
    const weft_cholesky_state *s = state;
    return s->order ? s->batch : 0;
}

static weft_status cholesky_run(const void *state, void *const *b, const weft_run_env *env) {
    const int64_t end = weft_min_i64(env->end_grain, cholesky_grains(state));
    weft_lapack_begin();
    for (int64_t i = env->first_grain; i < end; i++) factor(state, b, i);
    weft_lapack_end();
    return WEFT_OK;
}

const weft_kernel weft_kernel_cholesky = { .name = "cholesky", .run = cholesky_run,
                                           .state_bytes = sizeof(weft_cholesky_state), .grains = cholesky_grains };
