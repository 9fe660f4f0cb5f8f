/* fft_blocks.c: see fft_blocks.h. */
#include <string.h>
#include "base/context.h"
#include "exec/kernels/fft.h"
#include "exec/kernels/fft_blocks.h"

/* TOGETHER: rows of reals that are in scratch memory at a time; lines of a grain where vectors hold several lines. */
enum { TOGETHER = 8 };

static bool is_inverse(const weft_fft_state *s) { return s->kind == WEFT_FFT_IFFT || s->kind == WEFT_FFT_IRFFT; }
static bool is_real(const weft_fft_state *s) { return s->kind == WEFT_FFT_RFFT || s->kind == WEFT_FFT_IRFFT; }
static int64_t half(int64_t n) { return n / 2 + 1; }
static weft_fft_type type_of(const weft_fft_state *s) { return s->wide ? WEFT_FFT_F64 : WEFT_FFT_F32; }
static int64_t real_bytes(const weft_fft_state *s) { return (int64_t)(s->wide ? sizeof(double) : sizeof(float)); }
/* Rows of a block, complex numbers along the last dimension, and of a block. */
static int64_t rows(const weft_fft_state *s) { return s->length[0] * s->length[1]; }
static int64_t last(const weft_fft_state *s) { return is_real(s) ? half(s->length[2]) : s->length[2]; }
static int64_t block_elems(const weft_fft_state *s) { return rows(s) * last(s); }
static bool is_folded(const weft_fft_state *s) { return is_real(s) && s->length[2] % 2 == 0; }

/* Lines along a dimension that one call transforms; of one dimension alone, those of all the op. */
static int64_t lines(const weft_fft_state *s, int axis) {
    if (axis == 2) return rows(s) == 1 ? s->batch : rows(s);
    return axis == 1 ? last(s) : s->length[1] * last(s);
}

static weft_fft_lie lie_of(int axis) { return axis == 2 ? WEFT_FFT_ROWS : WEFT_FFT_COLUMNS; }

static weft_fft_plan plan_of(const weft_fft_state *s, int axis) {
    const int64_t n = axis == 2 && is_folded(s) ? s->length[2] / 2 : s->length[axis];
    return weft_fft_plan_of(type_of(s), lie_of(axis), n, lines(s, axis));
}

/* Scratch memory: room for a transform; rows of reals as complex numbers; a block of an IRFFT of several
 * dimensions. */
static int64_t work_reals(const weft_fft_state *s) {
    int64_t work = 0;
    for (int i = 0; i < 3; i++) {
        const weft_fft_plan p = plan_of(s, i);
        work = weft_max_i64(work, weft_fft_work_size(&p, lie_of(i), lines(s, i)));
    }
    return work;
}
static int64_t line_reals(const weft_fft_state *s) {
    if (!is_real(s) || (s->kind == WEFT_FFT_RFFT && is_folded(s))) return 0;
    return (is_folded(s) ? s->length[2] : 2 * s->length[2]) * weft_min_i64(lines(s, 2), TOGETHER);
}

int64_t weft_fft_scratch_bytes(const weft_fft_state *s) {
    const int64_t block = s->kind == WEFT_FFT_IRFFT && rows(s) > 1 ? 2 * block_elems(s) : 0;
    return (work_reals(s) + line_reals(s) + block) * real_bytes(s);
}

/* A state with its plans and tables. */
typedef struct fft_ready {
    weft_fft_state s;
    weft_allocator alloc;
    size_t bytes;
    weft_fft_plan plan[3];
    int64_t table[3];       /* where each begins, in bytes, after that of rows of reals */
    double tables[];
} fft_ready;

static void fft_release(void *prepared) {
    fft_ready *r = prepared;
    const weft_allocator alloc = r->alloc;
    alloc.resize(alloc.user, r, r->bytes, 0);
}

static weft_status fft_prepare(weft_context *cx, const void *state, size_t bytes, int parts, const weft_loc *loc,
                               void **out) {
    fft_ready like = { .s = *(const weft_fft_state *)state, .alloc = cx->alloc }, *r;
    const bool folded = is_folded(&like.s);
    weft_status st = WEFT_OK;
    int64_t at = folded ? weft_fft_real_table_size(like.s.length[2]) * (int64_t)sizeof(double) : 0;
    (void)bytes, (void)parts, (void)loc;
    for (int i = 0; i < 3; i++) {
        like.plan[i] = plan_of(&like.s, i);
        like.table[i] = at;
        at += weft_fft_table_size(&like.plan[i]) * real_bytes(&like.s);
    }
    like.bytes = sizeof *r + (size_t)at;
    r = cx->alloc.resize(cx->alloc.user, NULL, 0, like.bytes);
    if (!r) return weft_oom();
    memcpy(r, &like, sizeof like);
    for (int i = 0; i < 3 && st == WEFT_OK; i++) st = weft_fft_table(cx, &r->plan[i], (char *)r->tables + r->table[i]);
    if (folded) weft_fft_real_table(r->s.length[2], r->tables);
    if (st == WEFT_OK) *out = r;
    else fft_release(r);
    return st;
}

/* A call's buffers; b is a block's place in them, in bytes. */
typedef struct room { const fft_ready *ready; char *work, *line, *block; double scale; } room;

/* Transforms along a dimension. */
static void along(const room *r, int axis, const void *in, int64_t in_line, void *out, int64_t out_line, int64_t n,
                  double scale) {
    const weft_fft_state *s = &r->ready->s;
    const int64_t step = axis == 2 ? 1 : lines(s, axis);
    if (s->length[axis] == 1 && in == out && scale == 1) return;
    const char *table = (const char *)r->ready->tables + r->ready->table[axis];
    weft_fft(&(weft_fft_task){ .plan = &r->ready->plan[axis], .table = table, .in = in, .out = out, .work = r->work,
                               .in_step = step, .in_line = in_line, .out_step = step,
                               .out_line = out_line, .lines = n, .inverse = is_inverse(s), .scale = scale });
}

/* The dimensions before the last, of one block. */
static void along_others(const room *r, const void *in, void *out) {
    const weft_fft_state *s = &r->ready->s;
    const int64_t plane = lines(s, 0), bytes = 2 * plane * real_bytes(s);
    for (int64_t i = 0; i < s->length[0]; i++)
        along(r, 1, (const char *)in + i * bytes, 1, (char *)out + i * bytes, 1, lines(s, 1), 1);
    along(r, 0, out, 1, out, 1, plane, 1);
}

/* Complex numbers from reals and back: n of them, at every second place. */
static void widen(const weft_fft_state *s, const void *in, void *out, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (s->wide) ((double *)out)[2 * i] = ((const double *)in)[i], ((double *)out)[2 * i + 1] = 0;
        else ((float *)out)[2 * i] = ((const float *)in)[i], ((float *)out)[2 * i + 1] = 0;
}
static void narrow(const weft_fft_state *s, const void *in, void *out, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (s->wide) ((double *)out)[i] = ((const double *)in)[2 * i];
        else ((float *)out)[i] = ((const float *)in)[2 * i];
}

/* The whole of a row from the half that its symmetry leaves; imaginary parts that a real row cannot have do not
 * count. */
static void mirror(const weft_fft_state *s, const void *in, void *out) {
    const int64_t n = s->length[2], h = half(n);
    for (int64_t i = 0; i < n; i++) {
        const int64_t k = i < h ? i : n - i;
        if (s->wide) {
            const double *x = (const double *)in + 2 * k;
            ((double *)out)[2 * i] = x[0], ((double *)out)[2 * i + 1] = k == 0 ? 0 : i < h ? x[1] : -x[1];
        } else {
            const float *x = (const float *)in + 2 * k;
            ((float *)out)[2 * i] = x[0], ((float *)out)[2 * i + 1] = k == 0 ? 0 : i < h ? x[1] : -x[1];
        }
    }
}

/* count rows of reals to the first halves of their transforms. */
static void forward_rows(const room *r, const char *in, char *out, int64_t count) {
    const weft_fft_state *s = &r->ready->s;
    const int64_t n = s->length[2], h = half(n), bytes = real_bytes(s);
    if (is_folded(s)) {
        along(r, 2, in, n / 2, out, h, count, r->scale);
        for (int64_t i = 0; i < count; i++)
            weft_fft_unfold(type_of(s), n, r->ready->tables, out + i * 2 * h * bytes);
        return;
    }
    for (int64_t i = 0; i < count; i += TOGETHER) {
        const int64_t some = weft_min_i64(count - i, TOGETHER);
        widen(s, in + i * n * bytes, r->line, some * n);
        along(r, 2, r->line, n, r->line, n, some, r->scale);
        for (int64_t k = 0; k < some; k++)
            memcpy(out + (i + k) * 2 * h * bytes, r->line + k * 2 * n * bytes, (size_t)(2 * h * bytes));
    }
}

/* The other way. */
static void inverse_rows(const room *r, const char *in, char *out, int64_t count) {
    const weft_fft_state *s = &r->ready->s;
    const int64_t n = s->length[2], h = half(n), bytes = real_bytes(s);
    for (int64_t i = 0; i < count; i += TOGETHER) {
        const int64_t some = weft_min_i64(count - i, TOGETHER);
        for (int64_t k = 0; k < some; k++) {
            const char *from = in + (i + k) * 2 * h * bytes;
            if (is_folded(s)) weft_fft_fold(type_of(s), n, r->ready->tables, from, r->line + k * n * bytes);
            else mirror(s, from, r->line + k * 2 * n * bytes);
        }
        if (is_folded(s)) along(r, 2, r->line, n / 2, out + i * n * bytes, n / 2, some, r->scale);
        else {
            along(r, 2, r->line, n, r->line, n, some, r->scale);
            narrow(s, r->line, out + i * n * bytes, some * n);
        }
    }
}

/* Where the op has one dimension, a grain is as many lines as a vector holds, if it holds several. */
static int64_t grain_lines(const fft_ready *r) {
    return rows(&r->s) == 1 && r->plan[2].way == WEFT_FFT_DIRECT ? TOGETHER : 1;
}
static int64_t fft_grains(const void *ready) {
    const fft_ready *r = ready;
    return weft_ceil_div(r->s.batch, grain_lines(r));
}

static weft_status fft_run(const void *state, void *const *b, const weft_run_env *env) {
    const fft_ready *ready = state;
    const weft_fft_state *s = &ready->s;
    const int64_t reals = rows(s) * s->length[2], bytes = real_bytes(s), elems = block_elems(s),
                  in_bytes = (s->kind == WEFT_FFT_RFFT ? reals : 2 * elems) * bytes,
                  out_bytes = (s->kind == WEFT_FFT_IRFFT ? reals : 2 * elems) * bytes,
                  end = weft_min_i64(env->end_grain, fft_grains(ready));
    room r = { .ready = ready, .work = b[2], .scale = is_inverse(s) ? 1.0 / (double)reals : 1 };
    r.line = r.work + work_reals(s) * bytes;
    r.block = r.line + line_reals(s) * bytes;
    const int64_t each = rows(s) == 1 ? grain_lines(ready) * (end - env->first_grain) : 1; /* blocks at a time */
    for (int64_t i = env->first_grain * grain_lines(ready); i < weft_min_i64(end * grain_lines(ready), s->batch);
         i += each) {
        const char *in = (const char *)b[0] + i * in_bytes;
        char *out = (char *)b[1] + i * out_bytes;
        const int64_t count = rows(s) == 1 ? weft_min_i64(each, s->batch - i) : rows(s);
        if (s->kind == WEFT_FFT_IRFFT) {
            if (rows(s) > 1) along_others(&r, in, r.block);
            inverse_rows(&r, rows(s) > 1 ? r.block : in, out, count);
            continue;
        }
        if (s->kind == WEFT_FFT_RFFT) forward_rows(&r, in, out, count);
        else along(&r, 2, in, last(s), out, last(s), count, r.scale);
        if (rows(s) > 1) along_others(&r, out, out);
    }
    return WEFT_OK;
}

const weft_kernel weft_kernel_fft = { .name = "fft", .run = fft_run, .state_bytes = sizeof(weft_fft_state),
                                      .prepare = fft_prepare, .release = fft_release, .grains = fft_grains };
