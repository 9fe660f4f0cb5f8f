/* fft.c: see fft.h. */
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "exec/kernels/fft.h"

enum { LARGEST_RADIX = 31, MAX_PASSES = 64 };
static const double PI = 3.14159265358979323846;

typedef struct number { double re, im; } number;

static inline number add(number a, number b) { return (number){ a.re + b.re, a.im + b.im }; }
static inline number sub(number a, number b) { return (number){ a.re - b.re, a.im - b.im }; }
static inline number mul(number a, number b) {
    return (number){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}
static inline number times_minus_i(number a) { return (number){ a.im, -a.re }; }
static inline number scaled(number a, double f) { return (number){ a.re * f, a.im * f }; }

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

/* Radices of n: fours, then primes in rising order. 0 when a prime is too large for a pass. */
static int radices(int64_t n, int64_t *out) {
    int count = 0;
    while (n % 4 == 0) out[count++] = 4, n /= 4;
    for (int64_t p = 2; p <= LARGEST_RADIX && n > 1; p++)
        while (n % p == 0) out[count++] = p, n /= p;
    return n == 1 ? count : 0;
}

static bool is_smooth(int64_t n) {
    int64_t r[MAX_PASSES];
    return n == 1 || radices(n, r) > 0;
}

/* The length of Bluestein's convolution: the smallest of 2^a, 3 2^a, 5 2^a that is at least 2 n - 1. */
static int64_t convolution_length(int64_t n) {
    int64_t best = INT64_MAX;
    for (int64_t odd = 1; odd <= 5; odd += 2) {
        int64_t m = odd;
        while (m < 2 * n - 1) m *= 2;
        if (m < best) best = m;
    }
    return best;
}

int64_t weft_fft_table_size(int64_t n) { return is_smooth(n) ? 2 * n : 2 * n + 6 * convolution_length(n); }
int64_t weft_fft_work_size(int64_t n, int64_t inner) {
    return is_smooth(n) ? 2 * n * inner : 4 * convolution_length(n);
}

/* ---- passes ----
 *
 * A pass of radix r over lengths n = r m, s numbers side by side: y[r p + i] = w_n^(p i) sum over j of w_r^(i j) x[p +
 * m j]. w is the table of the whole length's roots, `step` of whose entries make one of w_n. */

typedef struct pass { int64_t r, m, s, step; const number *w; } pass;

static void pass2(const pass *a, const number *x, number *y) {
    for (int64_t p = 0; p < a->m; p++) {
        const number w1 = a->w[a->step * p], *x0 = x + a->s * p, *x1 = x0 + a->s * a->m;
        number *y0 = y + a->s * 2 * p, *y1 = y0 + a->s;
        for (int64_t q = 0; q < a->s; q++) {
            y0[q] = add(x0[q], x1[q]);
            y1[q] = mul(w1, sub(x0[q], x1[q]));
        }
    }
}

static void pass3(const pass *a, const number *x, number *y) {
    const double half = -0.5, sine = 0.86602540378443864676;
    for (int64_t p = 0; p < a->m; p++) {
        const number w1 = a->w[a->step * p], w2 = a->w[2 * a->step * p], *x0 = x + a->s * p, *x1 = x0 + a->s * a->m,
                     *x2 = x1 + a->s * a->m;
        number *y0 = y + a->s * 3 * p, *y1 = y0 + a->s, *y2 = y1 + a->s;
        for (int64_t q = 0; q < a->s; q++) {
            const number sum = add(x1[q], x2[q]), turn = scaled(times_minus_i(sub(x1[q], x2[q])), sine),
                         mid = add(x0[q], scaled(sum, half));
            y0[q] = add(x0[q], sum);
            y1[q] = mul(w1, add(mid, turn));
            y2[q] = mul(w2, sub(mid, turn));
        }
    }
}

static void pass4(const pass *a, const number *x, number *y) {
    const int64_t far = a->s * a->m;
    for (int64_t p = 0; p < a->m; p++) {
        const number w1 = a->w[a->step * p], w2 = a->w[2 * a->step * p], w3 = a->w[3 * a->step * p], *x0 = x + a->s * p;
        number *y0 = y + a->s * 4 * p;
        for (int64_t q = 0; q < a->s; q++) {
            const number even = add(x0[q], x0[q + 2 * far]), odd = add(x0[q + far], x0[q + 3 * far]);
            const number low = sub(x0[q], x0[q + 2 * far]), turn = times_minus_i(sub(x0[q + far], x0[q + 3 * far]));
            y0[q] = add(even, odd);
            y0[q + a->s] = mul(w1, add(low, turn));
            y0[q + 2 * a->s] = mul(w2, sub(even, odd));
            y0[q + 3 * a->s] = mul(w3, sub(low, turn));
        }
    }
}

/* Any radix: sums of pairs that lie symmetrically, as w_r^(i j) and w_r^(-i j) are conjugates (r is odd). */
static void pass_any(const pass *a, const number *x, number *y) {
    const int64_t r = a->r, far = a->s * a->m, h = r / 2, whole = a->step * a->m * r; /* table's length */
    for (int64_t p = 0; p < a->m; p++)
        for (int64_t q = 0; q < a->s; q++) {
            const number *x0 = x + a->s * p + q;
            number plus[LARGEST_RADIX / 2 + 1], minus[LARGEST_RADIX / 2 + 1], *y0 = y + a->s * r * p + q, first = x0[0];
            for (int64_t j = 1; j <= h; j++) {
                plus[j] = add(x0[far * j], x0[far * (r - j)]);
                minus[j] = times_minus_i(sub(x0[far * j], x0[far * (r - j)]));
                first = add(first, plus[j]);
            }
            y0[0] = first;
            for (int64_t i = 1; i <= h; i++) {
                number mid = x0[0], turn = { 0, 0 };
                for (int64_t j = 1; j <= h; j++) {
                    const number w = a->w[whole / r * (i * j % r)];
                    mid = add(mid, scaled(plus[j], w.re));
                    turn = add(turn, scaled(minus[j], -w.im));
                }
                y0[a->s * i] = mul(a->w[a->step * p * i], add(mid, turn));
                y0[a->s * (r - i)] = mul(a->w[a->step * p * (r - i)], sub(mid, turn));
            }
        }
}

static void smooth(int64_t n, int64_t inner, const number *w, number *x, number *work) {
    int64_t r[MAX_PASSES], left = n, s = inner;
    const int count = radices(n, r);
    number *from = x, *to = work;
    for (int i = 0; i < count; i++) {
        const pass a = { r[i], left / r[i], s, s / inner, w };
        if (a.r == 2) pass2(&a, from, to);
        else if (a.r == 3) pass3(&a, from, to);
        else if (a.r == 4) pass4(&a, from, to);
        else pass_any(&a, from, to);
        number *swap = from;
        from = to, to = swap;
        left = a.m;
        s *= a.r;
    }
    if (from != x) memcpy(x, from, (size_t)(n * inner) * sizeof *x);
}

/* ---- Bluestein: j k = (j^2 + k^2 - (k - j)^2) / 2 ---- */

/* table: n numbers exp(-pi i k^2 / n); the transform of their conjugates for k of both signs, over m; m roots; room to
 * make it. */
static void chirp_table(int64_t n, number *chirp) {
    const int64_t m = convolution_length(n);
    number *hat = chirp + n, *w = hat + m, *room = w + m;
    int64_t square = 0; /* k^2 modulo 2 n */
    for (int64_t k = 0; k < n; k++) {
        chirp[k] = root(square, 2 * n);
        square = (square + 2 * k + 1) % (2 * n);
    }
    for (int64_t k = 0; k < m; k++) {
        w[k] = root(k, m);
        hat[k] = (number){ 0, 0 };
    }
    for (int64_t k = 0; k < n; k++)
        hat[k] = hat[k ? m - k : 0] = (number){ chirp[k].re / (double)m, -chirp[k].im / (double)m };
    smooth(m, 1, w, hat, room);
}

static void rough(int64_t n, int64_t inner, const double *table, number *x, number *work) {
    const int64_t m = convolution_length(n);
    const number *chirp = (const number *)(const void *)table, *hat = chirp + n, *w = hat + m;
    number *a = work, *room = work + m;
    for (int64_t q = 0; q < inner; q++) {
        for (int64_t k = 0; k < n; k++) a[k] = mul(x[k * inner + q], chirp[k]);
        memset(a + n, 0, (size_t)(m - n) * sizeof *a);
        smooth(m, 1, w, a, room);
        for (int64_t k = 0; k < m; k++) {
            const number v = mul(a[k], hat[k]);
            a[k] = (number){ v.im, v.re }; /* to go back */
        }
        smooth(m, 1, w, a, room);
        for (int64_t k = 0; k < n; k++) x[k * inner + q] = mul((number){ a[k].im, a[k].re }, chirp[k]);
    }
}

void weft_fft_table(int64_t n, double *table) {
    number *t = (number *)(void *)table;
    if (is_smooth(n))
        for (int64_t k = 0; k < n; k++) t[k] = root(k, n);
    else chirp_table(n, t);
}

void weft_fft(int64_t n, int64_t inner, const double *table, double *x, double *work) {
    if (n < 2) return;
    if (is_smooth(n))
        smooth(n, inner, (const number *)(const void *)table, (number *)(void *)x, (number *)(void *)work);
    else rough(n, inner, table, (number *)(void *)x, (number *)(void *)work);
}
