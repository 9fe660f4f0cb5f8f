/* fft.h: discrete Fourier transforms of complex numbers, of any length, in the precision of the numbers.
 *
 *   X[k] = sum over j of x[j] exp(-2 pi i j k / n)
 *
 * A length goes one of three ways, which follows from it and from how many lines an op has. So a line's result does not
 * depend on the lines beside it, nor on how many threads share them:
 *
 *   DIRECT  Passes of small radix that leave the result in order (Stockham; Van Loan, Computational Frameworks for the
 *           Fast Fourier Transform, 1992, 1.7), a line in each lane of a vector.
 *   SPLIT   n = n1 n2: n2 transforms of n1 numbers, side by side in the line, products with roots of unity, n1
 *           transforms of n2 (Bailey, FFTs in external or hierarchical memory, J. Supercomputing 4, 1990): a line is
 *           lanes of its own, and each part stays in the first-level cache.
 *   CHIRP   A length with a large prime factor becomes a convolution of a length without (Bluestein, IEEE Trans. Audio
 *           Electroacoust. 18(4), 1970), so that no length costs more than O(n log n).
 *
 * Roots of unity are computed one by one in double precision from reduced angles, each right to a unit in the last
 * place or so, and rounded. An error grows as the root of log n.
 *
 * Why not a packaged library: FFTW's licence does not fit, KISS FFT is quadratic in prime lengths, and oneDNN has none.
 */
#ifndef WEFT_KERNELS_FFT_H
#define WEFT_KERNELS_FFT_H

#include "base/context.h"

enum { WEFT_FFT_RADIX = 127, WEFT_FFT_PASSES = 64 }; /* the largest prime that is a pass; passes of a length at most */

typedef enum weft_fft_type { WEFT_FFT_F32, WEFT_FFT_F64 } weft_fft_type;
typedef enum weft_fft_way { WEFT_FFT_DIRECT, WEFT_FFT_SPLIT, WEFT_FFT_CHIRP } weft_fft_way;

/* How lines lie: the numbers of one after another; side by side; otherwise. */
typedef enum weft_fft_lie { WEFT_FFT_ROWS, WEFT_FFT_COLUMNS, WEFT_FFT_ANYHOW } weft_fft_lie;

typedef struct weft_fft_plan {
    weft_fft_type type;
    weft_fft_way way;
    int64_t n;
    int64_t m;          /* of the passes: n, or of CHIRP the length of the convolution */
    int64_t n1, n2;     /* m = n1 n2; n2 = 1: passes of all of m */
} weft_fft_plan;

/* lines: as many as are transformed together. */
weft_fft_plan weft_fft_plan_of(weft_fft_type t, weft_fft_lie lie, int64_t n, int64_t lines);

/* Reals of the plan's type in its table, and in the room that transforms of `lines` lines need. */
int64_t weft_fft_table_size(const weft_fft_plan *p);
int64_t weft_fft_work_size(const weft_fft_plan *p, weft_fft_lie lie, int64_t lines);
weft_status weft_fft_table(weft_context *cx, const weft_fft_plan *p, void *table);

/* Numbers of lines, in complex numbers (pairs of reals): `step` to the next one of a line, `line` to the next line. */
typedef struct weft_fft_task {
    const weft_fft_plan *plan;
    const void *table, *in;
    void *out, *work;       /* out may be in, with the same steps */
    int64_t in_step, in_line, out_step, out_line, lines;
    bool inverse;           /* exp(2 pi i j k / n) */
    double scale;           /* of the result */
} weft_fft_task;

void weft_fft(const weft_fft_task *t);

/* A row of n reals, n even, whose pairs are h = n / 2 complex numbers z, and the numbers X[0] to X[h] of its transform:
 * with the transforms E and O of the even and the odd reals, z's is E + i O, and X[k] = E[k] + w_n^k O[k]. E and O are
 * symmetric. table: w_n^k for k up to n / 4, doubles, whose count weft_fft_real_table_size is. */
int64_t weft_fft_real_table_size(int64_t n);
void weft_fft_real_table(int64_t n, double *table);
void weft_fft_unfold(weft_fft_type t, int64_t n, const double *table, void *x); /* z's transform to X, in place */
void weft_fft_fold(weft_fft_type t, int64_t n, const double *table, const void *x, void *z); /* X to twice z's */

/* What transforms lines of a type on this machine (fft_lines.h): a vector has `lanes` numbers, of which lane i is
 * number at[i] in memory. */
typedef struct weft_fft_code {
    int lanes;
    const int *at;
    void (*run)(const weft_fft_task *t);
    void (*unfold)(int64_t n, const double *table, void *x);
    void (*fold)(int64_t n, const double *table, const void *x, void *z);
} weft_fft_code;
const weft_fft_code *weft_fft_code_f32(void);
const weft_fft_code *weft_fft_code_f64(void);

/* Radices of n: eights, fours, a two, then odd primes in rising order. 0 when a prime is too large for a pass: up to
 * about a hundred sums of products are faster than a convolution, and are rounded less. */
int weft_fft_radices(int64_t n, int64_t *out);

#endif
