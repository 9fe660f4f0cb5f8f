/* lapack_small.h: LU and triangular solves of matrices so small that a call of LAPACK takes longer than their work.
 *
 * Column-major without gaps, types as in lapack_step.h; results as getrf and trsm have them, but for rounding. OpenBLAS
 * takes memory for each call, under a lock that the device's threads share.
 */
#ifndef WEFT_KERNELS_LAPACK_SMALL_H
#define WEFT_KERNELS_LAPACK_SMALL_H

#include <stdbool.h>
#include <stdint.h>

enum { WEFT_SMALL_ORDER = 8 }; /* up to this */

void weft_small_factor(int32_t type, int m, int n, void *a, int *pivot, int *info);

/* T x = b for `others` right-hand sides: element i, k of T at a[i * row + k * step], unknown i of side r at
 * x[i * unknown + r * other]. ascending: T is lower triangular. */
typedef struct weft_small_solve {
    int order, others;
    int row, step, unknown, other;
    bool ascending, unit, conjugate;
} weft_small_solve;
void weft_small_solve_with(int32_t type, const weft_small_solve *s, const void *a, void *x);

#endif
