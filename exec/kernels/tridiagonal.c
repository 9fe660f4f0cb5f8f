/* tridiagonal.c: see tridiagonal.h.
 *
 * Sources: LAPACK's xLAGTF and xLAGTS, J. J. Dongarra et al., after J. H. Wilkinson, for what
 * jax.lax.linalg.tridiagonal_solve calls perturb_singular.
 */
#include <complex.h>
#include <float.h>
#include <math.h>
#include "exec/kernels/tridiagonal.h"

typedef double complex number;

int64_t weft_tridiagonal_scratch_bytes(const weft_tridiagonal_state *s) {
    return s->n * (6 + s->width) * (int64_t)sizeof(number);
}

static number get(int32_t type, const void *p, int64_t i) {
    switch (type) {
    case 0: return ((const float *)p)[i];
    case 1: return ((const double *)p)[i];
    case 2: return ((const float complex *)p)[i];
    default: return ((const double complex *)p)[i];
    }
}

static void put(int32_t type, void *p, int64_t i, number v) {
    switch (type) {
    case 0: ((float *)p)[i] = (float)creal(v); break;
    case 1: ((double *)p)[i] = creal(v); break;
    case 2: ((float complex *)p)[i] = (float complex)v; break;
    default: ((double complex *)p)[i] = v; break;
    }
}

/* A pivot that would make the row of right-hand sides overflow is moved away from zero, by twice as much each time. */
static number safe_pivot(number pivot, double by, number *row, int64_t width, bool wide) {
    const double least = wide ? DBL_MIN : (double)FLT_MIN, most = 1 / least;
    double largest = 0;
    by = copysign(fmax(fabs(by), least), creal(pivot));
    for (int64_t j = 0; j < width; j++) largest = fmax(largest, cabs(row[j]));
    for (;;) {
        const double size = cabs(pivot);
        if (size >= 1 || isnan(size)) return pivot;
        if (size < least && size > 0 && largest * least <= size) { /* tiny, but so is the row */
            for (int64_t j = 0; j < width; j++) row[j] *= most;
            return pivot * most;
        }
        if (size >= least && largest <= size * most) return pivot;
        pivot += by;
        by *= 2;
    }
}

/* u: the diagonal and the two above it; x: n rows of right-hand sides, which become the solution. d and below are as
 * given. */
typedef struct system { int64_t n, width; bool wide; const number *lower, *diagonal, *upper; number *u[3], *x; } system;

/* Rows k and k + 1, of which the second is still as given: the one with the larger pivot, for its size, eliminates the
 * other. */
static void eliminate(const system *s, int64_t k, double *scale) {
    number *x = s->x + k * s->width, *y = x + s->width;
    const number below = s->lower[k + 1], pivot = s->u[0][k];
    const number diagonal = s->diagonal[k + 1], above = k + 2 < s->n ? s->upper[k + 1] : 0;
    const double next = cabs(below) + cabs(diagonal) + cabs(above);
    if (below == 0 || (pivot != 0 && cabs(below) / next <= cabs(pivot) / *scale)) {
        const number f = below == 0 ? 0 : below / pivot;
        s->u[0][k + 1] = diagonal - f * s->u[1][k];
        s->u[1][k + 1] = above;
        for (int64_t j = 0; j < s->width && f != 0; j++) y[j] -= f * x[j];
        *scale = next;
        return;
    }
    const number f = pivot / below, beside = s->u[1][k];
    s->u[0][k] = below;
    s->u[1][k] = diagonal;
    s->u[2][k] = above;
    s->u[0][k + 1] = beside - f * diagonal;
    s->u[1][k + 1] = -f * above;
    for (int64_t j = 0; j < s->width; j++) {
        const number old = x[j];
        x[j] = y[j];
        y[j] = old - f * y[j];
    }
    *scale = cabs(s->u[0][k + 1]) + cabs(s->u[1][k + 1]);
}

static void solve(const system *s) {
    double scale, largest = 0;
    for (int64_t k = 0; k < s->n; k++) s->u[2][k] = 0;
    s->u[0][0] = s->diagonal[0];
    s->u[1][0] = s->n > 1 ? s->upper[0] : 0;
    scale = cabs(s->u[0][0]) + cabs(s->u[1][0]);
    for (int64_t k = 0; k + 1 < s->n; k++) eliminate(s, k, &scale);
    for (int64_t k = 0; k < s->n; k++)
        for (int i = 0; i < 3; i++) largest = fmax(largest, cabs(s->u[i][k]));
    const double by = largest * (s->wide ? DBL_EPSILON : (double)FLT_EPSILON);
    for (int64_t k = s->n; k-- > 0;) {
        number *x = s->x + k * s->width;
        for (int64_t j = 0; j < s->width; j++) {
            if (k + 1 < s->n) x[j] -= s->u[1][k] * x[s->width + j];
            if (k + 2 < s->n) x[j] -= s->u[2][k] * x[2 * s->width + j];
        }
        const number pivot = safe_pivot(s->u[0][k], by, x, s->width, s->wide);
        for (int64_t j = 0; j < s->width; j++) x[j] /= pivot;
    }
}

/* In double complex whatever the type: three numbers per row and one per right-hand side are all that there is to do.
 */
static int64_t tridiagonal_grains(const void *state) {
    const weft_tridiagonal_state *s = state;
    return s->n ? s->batch : 0;
}

static weft_status tridiagonal_run(const void *state, void *const *b, const weft_run_env *env) {
    const weft_tridiagonal_state *s = state;
    number *room = b[5];
    system y = { .n = s->n, .width = s->width, .wide = s->type & 1 };
    const int64_t end = weft_min_i64(env->end_grain, tridiagonal_grains(s));
    for (int64_t i = env->first_grain; i < end; i++) {
        for (int64_t k = 0; k < s->n; k++)
            for (int r = 0; r < 3; r++) room[r * s->n + k] = get(s->type, b[r], i * s->n + k);
        y.lower = room, y.diagonal = room + s->n, y.upper = room + 2 * s->n;
        for (int r = 0; r < 3; r++) y.u[r] = room + (3 + r) * s->n;
        y.x = room + 6 * s->n;
        for (int64_t k = 0; k < s->n; k++)
            for (int64_t j = 0; j < s->width; j++)
                y.x[k * s->width + j] = get(s->type, b[3], i * s->n * s->width + j * s->n + k);
        solve(&y);
        for (int64_t k = 0; k < s->n; k++)
            for (int64_t j = 0; j < s->width; j++)
                put(s->type, b[4], i * s->n * s->width + j * s->n + k, y.x[k * s->width + j]);
    }
    return WEFT_OK;
}

const weft_kernel weft_kernel_tridiagonal = { .name = "tridiagonal", .run = tridiagonal_run,
                                              .state_bytes = sizeof(weft_tridiagonal_state),
                                              .grains = tridiagonal_grains };
