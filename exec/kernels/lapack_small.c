/* lapack_small.c: see lapack_small.h. One function for each type, by macro: real and complex numbers of C.
 *
 * Golub and Van Loan, Matrix Computations, 3.1 and 3.4: elimination column by column, substitution row by row.
 */
#include <complex.h>
#include <math.h>
#include "exec/kernels/lapack_small.h"

/* |re| + |im|, by which LAPACK chooses pivots of complex numbers. */
#define SIZE_OF_float(x) fabsf(x)
#define SIZE_OF_double(x) fabs(x)
#define SIZE_OF_c64(x) (fabsf(crealf(x)) + fabsf(cimagf(x)))
#define SIZE_OF_c128(x) (fabs(creal(x)) + fabs(cimag(x)))
#define CONJ_OF_float(x) (x)
#define CONJ_OF_double(x) (x)
#define CONJ_OF_c64(x) conjf(x)
#define CONJ_OF_c128(x) conj(x)
typedef float complex c64;
typedef double complex c128;

#define FACTOR(number, real) \
    static void factor_##number(int m, int n, number *a, int *pivot, int *info) { \
        *info = 0; \
        for (int j = 0; j < m && j < n; j++) { \
            number *column = a + (long)j * m; \
            int p = j; \
            real most = SIZE_OF_##number(column[j]); \
            for (int i = j + 1; i < m; i++) { \
                const real size = SIZE_OF_##number(column[i]); \
                if (size > most) p = i, most = size; \
            } \
            pivot[j] = p + 1; \
            if (column[p] == 0) { \
                if (!*info) *info = j + 1; \
                continue; \
            } \
            for (int k = 0; k < n && p != j; k++) { \
                const number kept = a[(long)k * m + j]; \
                a[(long)k * m + j] = a[(long)k * m + p]; \
                a[(long)k * m + p] = kept; \
            } \
            for (int i = j + 1; i < m; i++) column[i] /= column[j]; \
            for (int k = j + 1; k < n; k++) { \
                number *to = a + (long)k * m; \
                for (int i = j + 1; i < m; i++) to[i] -= column[i] * to[j]; \
            } \
        } \
    }
FACTOR(float, float)
FACTOR(double, double)
FACTOR(c64, float)
FACTOR(c128, double)

/* T x = b, T's element i, k at a[i * row + k * step]. */
#define SOLVE(number) \
    static void solve_##number(const weft_small_solve *s, const number *a, number *x) { \
        for (int at = 0; at < s->order; at++) { \
            const int i = s->ascending ? at : s->order - 1 - at, from = s->ascending ? 0 : i + 1, \
                      to = s->ascending ? i : s->order; \
            for (int r = 0; r < s->others; r++) { \
                number sum = x[i * s->unknown + r * s->other]; \
                for (int k = from; k < to; k++) { \
                    const number t = a[i * s->row + k * s->step]; \
                    sum -= (s->conjugate ? CONJ_OF_##number(t) : t) * x[k * s->unknown + r * s->other]; \
                } \
                const number d = a[i * (s->row + s->step)]; \
                if (!s->unit) sum /= s->conjugate ? CONJ_OF_##number(d) : d; \
                x[i * s->unknown + r * s->other] = sum; \
            } \
        } \
    }
SOLVE(float)
SOLVE(double)
SOLVE(c64)
SOLVE(c128)

void weft_small_factor(int32_t type, int m, int n, void *a, int *pivot, int *info) {
    switch (type) {
    case 0: factor_float(m, n, a, pivot, info); break;
    case 1: factor_double(m, n, a, pivot, info); break;
    case 2: factor_c64(m, n, a, pivot, info); break;
    default: factor_c128(m, n, a, pivot, info);
    }
}

void weft_small_solve_with(int32_t type, const weft_small_solve *s, const void *a, void *x) {
    switch (type) {
    case 0: solve_float(s, a, x); break;
    case 1: solve_double(s, a, x); break;
    case 2: solve_c64(s, a, x); break;
    default: solve_c128(s, a, x);
    }
}
