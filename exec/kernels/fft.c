/* fft.c: see fft.h. Plans and tables; the arithmetic is in fft_lines.h. */
#include <math.h>
#include <string.h>
#include "exec/kernels/fft.h"

static const double PI = 3.14159265358979323846;

/* LEAST: of both factors of a split, and no machine's vectors have more numbers. LONGEST: a line that goes by passes
 * whole, for the cells of eight such lines stay in the second-level cache. MANY: so many lines fill vectors, also where
 * threads share them. */
enum { LEAST = 8, LONGEST = 1024, MANY = 32 };

/* Lanes of the machine with the longest vectors, since a program's memory is the same on all. */
static int64_t most_lanes(weft_fft_type t) { return t == WEFT_FFT_F32 ? 8 : 4; }
static int64_t up(int64_t n, int64_t by) { return (n + by - 1) / by * by; }

typedef struct number { double re, im; } number;

/* exp(-2 pi i k / n), 0 <= k < n: by symmetry from an angle of at most pi / 4. */
static number root(int64_t k, int64_t n) {
    const bool lower = 2 * k < n; /* the half plane below the real axis, where the walk begins */
    if (!lower) k = n - k;
    const bool left = 4 * k > n;
    if (left) k = n - 2 * k; /* twice the angle from the negative real axis, over n */
    else k = 2 * k;
    const bool steep = 4 * k > n;
    const double angle = PI * (double)(steep ? n - 2 * k : 2 * k) / (double)(2 * n);
    double c = steep ? sin(angle) : cos(angle), s = steep ? cos(angle) : sin(angle);
    if (left) c = -c;
    return (number){ c, lower ? -s : s };
}

int weft_fft_radices(int64_t n, int64_t *out) {
    int count = 0;
    int twos = 0;
    while (n % 2 == 0) twos++, n /= 2;
    for (; twos > 4 || twos == 3; twos -= 3) out[count++] = 8;
    for (; twos > 1; twos -= 2) out[count++] = 4;
    if (twos) out[count++] = 2;
    for (int64_t p = 3; p <= WEFT_FFT_RADIX && n > 1; p++)
        while (n % p == 0) out[count++] = p, n /= p;
    return n == 1 ? count : 0;
}

static bool is_smooth(int64_t n) {
    int64_t r[WEFT_FFT_PASSES];
    return n == 1 || weft_fft_radices(n, r) > 0;
}

/* The length of a convolution: the smallest of 2^a, 3 2^a, 5 2^a that is at least 2 n - 1. */
static int64_t convolution_length(int64_t n) {
    int64_t best = INT64_MAX;
    for (int64_t odd = 1; odd <= 5; odd += 2) {
        int64_t m = odd;
        while (m < 2 * n - 1) m *= 2;
        if (m < best) best = m;
    }
    return best;
}

/* The factor of m for which columns and rows, in whole vectors, are the fewest; of equal ones that next to the root.
 * m: none has both factors large enough. */
static int64_t split_of(int64_t m, int64_t lanes) {
    int64_t best = m, least = INT64_MAX;
    for (int64_t a = LEAST; a <= m / a; a++)
        if (m % a == 0) {
            const int64_t work = a * up(m / a, lanes) + m / a * up(a, lanes);
            if (work <= least) best = a, least = work;
        }
    return best;
}

weft_fft_plan weft_fft_plan_of(weft_fft_type t, weft_fft_lie lie, int64_t n, int64_t lines) {
    weft_fft_plan p = { .type = t, .way = WEFT_FFT_DIRECT, .n = n, .m = n, .n1 = n, .n2 = 1 };
    if (n < 2) return p;
    if (!is_smooth(n)) p.way = WEFT_FFT_CHIRP, p.m = convolution_length(n);
    else if ((lie == WEFT_FFT_COLUMNS || lines >= MANY) && n <= LONGEST) return p;
    p.n1 = split_of(p.m, most_lanes(t));
    p.n2 = p.m / p.n1;
    if (p.way == WEFT_FFT_DIRECT && p.n2 > 1) p.way = WEFT_FFT_SPLIT;
    return p;
}

static int64_t split_size(const weft_fft_plan *p) {
    return 2 * (p->n1 + p->n2 + p->n1 * up(p->n2, most_lanes(p->type)));
}

int64_t weft_fft_table_size(const weft_fft_plan *p) {
    switch (p->way) {
    case WEFT_FFT_DIRECT: return 2 * p->n;
    case WEFT_FFT_SPLIT: return split_size(p);
    default: return 2 * (up(p->n, most_lanes(p->type)) + p->m) + split_size(p);
    }
}

int64_t weft_fft_work_size(const weft_fft_plan *p, weft_fft_lie lie, int64_t lines) {
    const int64_t lanes = most_lanes(p->type);
    if (p->way == WEFT_FFT_DIRECT) return 2 * 2 * lanes * p->n;
    int64_t size = 2 * (2 * lanes * weft_max_i64(p->n1, p->n2) + p->n1 * up(p->n2, lanes));
    if (p->way == WEFT_FFT_CHIRP) size += 2 * p->m;
    if (lie == WEFT_FFT_COLUMNS) size += 2 * p->n * weft_min_i64(lines, lanes);
    return size;
}

static const weft_fft_code *code_of(weft_fft_type t) {
    return t == WEFT_FFT_F32 ? weft_fft_code_f32() : weft_fft_code_f64();
}

/* ---- tables ---- */

/* Complex number i of a table. */
static void put(weft_fft_type t, void *table, int64_t i, double re, double im) {
    if (t == WEFT_FFT_F64) ((double *)table)[2 * i] = re, ((double *)table)[2 * i + 1] = im;
    else ((float *)table)[2 * i] = (float)re, ((float *)table)[2 * i + 1] = (float)im;
}
static void put_real(weft_fft_type t, void *table, int64_t i, double x) {
    if (t == WEFT_FFT_F64) ((double *)table)[i] = x;
    else ((float *)table)[i] = (float)x;
}
static void *numbers_on(weft_fft_type t, void *table, int64_t numbers) {
    return (char *)table + 2 * numbers * (int64_t)(t == WEFT_FFT_F64 ? sizeof(double) : sizeof(float));
}

/* The first ones of n. */
static void roots(weft_fft_type t, int64_t n, int64_t count, void *table) {
    for (int64_t k = 0; k < count; k++) {
        const number w = root(k, n);
        put(t, table, k, w.re, w.im);
    }
}

/* Roots of n1, of n2, and for each column of vectors the roots of m by which its n1 cells are multiplied. */
static void fill_split(const weft_fft_plan *p, void *table) {
    const weft_fft_code *code = code_of(p->type);
    void *twist = numbers_on(p->type, table, p->n1 + p->n2);
    int64_t to = 0;
    roots(p->type, p->n1, p->n1, table);
    roots(p->type, p->n2, p->n2, numbers_on(p->type, table, p->n1));
    for (int64_t column = 0; column < p->n2; column += code->lanes)
        for (int64_t i = 0; i < p->n1; i++, to += 2 * code->lanes)
            for (int l = 0; l < code->lanes; l++) {
                const number w = root(i * (weft_min_i64(column, p->n2 - code->lanes) + code->at[l]), p->m);
                put_real(p->type, twist, to + l, w.re);
                put_real(p->type, twist, to + code->lanes + l, w.im);
            }
}

/* The chirp exp(-pi i k^2 / n), zeros up to whole vectors; the transform of its conjugates for k of both signs, over m;
 * the table of m. hat, of m numbers, is transformed in double precision. */
static weft_status fill_chirp(weft_context *cx, const weft_fft_plan *p, void *table) {
    const int64_t n = p->n, m = p->m, whole = up(n, code_of(p->type)->lanes);
    const weft_fft_plan wide = weft_fft_plan_of(WEFT_FFT_F64, WEFT_FFT_ROWS, m, 1);
    const size_t reals = (size_t)(2 * m + weft_fft_table_size(&wide) + weft_fft_work_size(&wide, WEFT_FFT_ROWS, 1)),
                 bytes = reals * sizeof(double);
    double *hat = cx->alloc.resize(cx->alloc.user, NULL, 0, bytes);
    int64_t square = 0; /* k^2 modulo 2 n */
    if (!hat) return weft_oom();
    memset(hat, 0, (size_t)(2 * m) * sizeof *hat);
    for (int64_t k = 0; k < whole; k++) put(p->type, table, k, 0, 0);
    for (int64_t k = 0; k < n; k++) {
        const number w = root(square, 2 * n);
        put(p->type, table, k, w.re, w.im);
        put(WEFT_FFT_F64, hat, k, w.re / (double)m, -w.im / (double)m);
        if (k) put(WEFT_FFT_F64, hat, m - k, w.re / (double)m, -w.im / (double)m);
        square = (square + 2 * k + 1) % (2 * n);
    }
    double *const roots_of_m = hat + 2 * m, *const work = roots_of_m + weft_fft_table_size(&wide);
    fill_split(&wide, roots_of_m);
    weft_fft(&(weft_fft_task){ .plan = &wide, .table = roots_of_m, .in = hat, .out = hat, .work = work, .in_step = 1,
                               .in_line = m, .out_step = 1, .out_line = m, .lines = 1, .scale = 1 });
    void *const to = numbers_on(p->type, table, whole);
    for (int64_t k = 0; k < m; k++) put(p->type, to, k, hat[2 * k], hat[2 * k + 1]);
    fill_split(p, numbers_on(p->type, to, m));
    cx->alloc.resize(cx->alloc.user, hat, bytes, 0);
    return WEFT_OK;
}

weft_status weft_fft_table(weft_context *cx, const weft_fft_plan *p, void *table) {
    if (p->way == WEFT_FFT_CHIRP) return fill_chirp(cx, p, table);
    if (p->way == WEFT_FFT_SPLIT) fill_split(p, table);
    else roots(p->type, p->n, p->n, table);
    return WEFT_OK;
}

int64_t weft_fft_real_table_size(int64_t n) { return 2 * (n / 4 + 1); }

void weft_fft_real_table(int64_t n, double *table) { roots(WEFT_FFT_F64, n, n / 4 + 1, table); }

/* ---- the arithmetic ---- */

void weft_fft(const weft_fft_task *t) { code_of(t->plan->type)->run(t); }

void weft_fft_unfold(weft_fft_type t, int64_t n, const double *table, void *x) { code_of(t)->unfold(n, table, x); }

void weft_fft_fold(weft_fft_type t, int64_t n, const double *table, const void *x, void *z) {
    code_of(t)->fold(n, table, x, z);
}
