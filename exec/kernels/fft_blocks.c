/* fft_blocks.c: see fft_blocks.h. */
#include <string.h>
#include "base/context.h"
#include "exec/kernels/fft.h"
#include "exec/kernels/fft_blocks.h"

static bool is_inverse(const weft_fft_state *s) { return s->kind == WEFT_FFT_IFFT || s->kind == WEFT_FFT_IRFFT; }
static bool is_real(const weft_fft_state *s) { return s->kind == WEFT_FFT_RFFT || s->kind == WEFT_FFT_IRFFT; }
static int64_t half(int64_t n) { return n / 2 + 1; }
/* Complex numbers along the last dimension. */
static int64_t last(const weft_fft_state *s) { return is_real(s) ? half(s->length[2]) : s->length[2]; }
static int64_t block_elems(const weft_fft_state *s) { return s->length[0] * s->length[1] * last(s); }

int64_t weft_fft_scratch_bytes(const weft_fft_state *s) {
    const int64_t inner[3] = { s->length[1] * last(s), last(s), 1 };
    int64_t work = 0;
    for (int i = 0; i < 3; i++) work = weft_max_i64(work, weft_fft_work_size(s->length[i], inner[i]));
    return (2 * block_elems(s) + (is_real(s) ? 2 * s->length[2] : 0) + work) * (int64_t)sizeof(double);
}

static int64_t table_at(const weft_fft_state *s, int axis) {
    int64_t at = 0;
    for (int i = 0; i < axis; i++) at += weft_fft_table_size(s->length[i]);
    return at;
}

/* A state with its tables. */
typedef struct fft_ready {
    weft_fft_state s;
    weft_allocator alloc;
    size_t bytes;
    double tables[];
} fft_ready;

static weft_status fft_prepare(weft_context *cx, const void *state, size_t bytes, int parts, const weft_loc *loc,
                               void **out) {
    const weft_fft_state *s = state;
    const size_t all = sizeof(fft_ready) + (size_t)table_at(s, 3) * sizeof(double);
    fft_ready *r = cx->alloc.resize(cx->alloc.user, NULL, 0, all);
    (void)bytes, (void)parts, (void)loc;
    if (!r) return weft_oom();
    *r = (fft_ready){ .s = *s, .alloc = cx->alloc, .bytes = all };
    for (int i = 0; i < 3; i++) weft_fft_table(s->length[i], r->tables + table_at(s, i));
    *out = r;
    return WEFT_OK;
}

static void fft_release(void *prepared) {
    fft_ready *r = prepared;
    const weft_allocator alloc = r->alloc;
    alloc.resize(alloc.user, r, r->bytes, 0);
}

static double load(const weft_fft_state *s, const void *p, int64_t i) {
    return s->wide ? ((const double *)p)[i] : (double)((const float *)p)[i];
}
static void store(const weft_fft_state *s, void *p, int64_t i, double v) {
    if (s->wide) ((double *)p)[i] = v;
    else ((float *)p)[i] = (float)v;
}

/* The inverse is the forward transform with real and imaginary parts exchanged: both ways in and out of the block. */
static void load_complex(const weft_fft_state *s, const void *p, int64_t from, double *block, int64_t n) {
    const int swap = is_inverse(s);
    for (int64_t i = 0; i < n; i++) {
        block[2 * i + swap] = load(s, p, 2 * (from + i));
        block[2 * i + !swap] = load(s, p, 2 * (from + i) + 1);
    }
}

static void store_complex(const weft_fft_state *s, void *p, int64_t from, const double *block, int64_t n,
                          double scale) {
    const int swap = is_inverse(s);
    for (int64_t i = 0; i < n; i++) {
        store(s, p, 2 * (from + i), block[2 * i + swap] * scale);
        store(s, p, 2 * (from + i) + 1, block[2 * i + !swap] * scale);
    }
}

typedef struct room { double *block, *line, *work; const double *table[3]; } room;

/* Rows of reals to the first half of their transforms. */
static void forward_rows(const weft_fft_state *s, const room *r, const void *in, int64_t from) {
    const int64_t n = s->length[2], h = half(n), rows = s->length[0] * s->length[1];
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t i = 0; i < n; i++) {
            r->line[2 * i] = load(s, in, from + row * n + i);
            r->line[2 * i + 1] = 0;
        }
        weft_fft(n, 1, r->table[2], r->line, r->work);
        memcpy(r->block + 2 * row * h, r->line, (size_t)h * 2 * sizeof *r->line);
    }
}

/* The other way: the second half is the first one's conjugate; imaginary parts that a real row cannot have do not
 * count. The block is exchanged, and so is the line. */
static void inverse_rows(const weft_fft_state *s, const room *r, void *out, int64_t to, double scale) {
    const int64_t n = s->length[2], h = half(n), rows = s->length[0] * s->length[1];
    for (int64_t row = 0; row < rows; row++) {
        const double *b = r->block + 2 * row * h;
        for (int64_t i = 0; i < n; i++) {
            const int64_t k = i < h ? i : n - i;
            const bool alone = k == 0 || 2 * k == n;
            r->line[2 * i] = alone ? 0 : i < h ? b[2 * k] : -b[2 * k];
            r->line[2 * i + 1] = b[2 * k + 1];
        }
        weft_fft(n, 1, r->table[2], r->line, r->work);
        for (int64_t i = 0; i < n; i++) store(s, out, to + row * n + i, r->line[2 * i + 1] * scale);
    }
}

/* Dimensions before the last; all of them for complex transforms. */
static void transform_block(const weft_fft_state *s, const room *r) {
    const int64_t inner = last(s), plane = s->length[1] * inner;
    if (!is_real(s))
        for (int64_t row = 0; row < s->length[0] * s->length[1]; row++)
            weft_fft(s->length[2], 1, r->table[2], r->block + 2 * row * inner, r->work);
    for (int64_t i = 0; i < s->length[0]; i++)
        weft_fft(s->length[1], inner, r->table[1], r->block + 2 * i * plane, r->work);
    weft_fft(s->length[0], plane, r->table[0], r->block, r->work);
}

static int64_t fft_grains(const void *ready) { return ((const fft_ready *)ready)->s.batch; }

static weft_status fft_run(const void *state, void *const *b, const weft_run_env *env) {
    const fft_ready *ready = state;
    const weft_fft_state *s = &ready->s;
    const int64_t elems = block_elems(s), reals = s->length[0] * s->length[1] * s->length[2];
    const double scale = is_inverse(s) ? 1.0 / (double)reals : 1;
    room r = { .block = b[2] };
    r.line = r.block + 2 * elems;
    r.work = r.line + (is_real(s) ? 2 * s->length[2] : 0);
    for (int i = 0; i < 3; i++) r.table[i] = ready->tables + table_at(s, i);
    for (int64_t i = env->first_grain; i < weft_min_i64(env->end_grain, s->batch); i++) {
        if (s->kind == WEFT_FFT_RFFT) forward_rows(s, &r, b[0], i * reals);
        else load_complex(s, b[0], i * elems, r.block, elems);
        transform_block(s, &r);
        if (s->kind == WEFT_FFT_IRFFT) inverse_rows(s, &r, b[1], i * reals, scale);
        else store_complex(s, b[1], i * elems, r.block, elems, scale);
    }
    return WEFT_OK;
}

const weft_kernel weft_kernel_fft = { .name = "fft", .run = fft_run, .state_bytes = sizeof(weft_fft_state),
                                      .prepare = fft_prepare, .release = fft_release, .grains = fft_grains };
