/* custom_sparse.c: custom calls of jaxlib on matrices that are mostly zeros: a matrix by rows times a dense one, and
 * tridiagonal systems that may be singular.
 *
 * Sources: jax.experimental.sparse (cpu_csr_sparse_dense_ffi); LAPACK's xLAGTF and xLAGTS, J. J. Dongarra et al., after
 * J. H. Wilkinson, for what jax.lax.linalg.tridiagonal_solve calls perturb_singular.
 */
#include <complex.h>
#include <float.h>
#include <math.h>
#include "codegen/custom_call.h"
#include "codegen/lapack.h"

static weft_status make(cg_custom *c, const cg_call_spec *spec, const void *state, size_t bytes) {
    cg_call_spec s = *spec;
    s.state = state;
    s.state_bytes = bytes;
    return cg_custom_call(c, &s);
}

/* ---- rows of (value, column) times a vector or matrix ---- */

typedef struct csr_state {
    int64_t rows, columns, width, stored; /* width: columns of the dense operand */
    int32_t dtype;
    int32_t wide_index;
} csr_state;

static int64_t index_at(const csr_state *s, const void *p, int64_t i) {
    return s->wide_index ? ((const int64_t *)p)[i] : ((const int32_t *)p)[i];
}

/* One row of the result: entries [from, to) of the matrix, those that lie in it. */
#define CSR_ROW(name, number) \
    static void name(const csr_state *s, void *const *b, int64_t row, int64_t from, int64_t to) { \
        const number *value = b[0], *dense = b[3]; \
        number *out = (number *)b[4] + row * s->width; \
        for (int64_t j = 0; j < s->width; j++) out[j] = 0; \
        for (int64_t k = from; k < to; k++) { \
            const int64_t column = index_at(s, b[2], k); \
            if (column < 0 || column >= s->columns) continue; \
            for (int64_t j = 0; j < s->width; j++) \
                out[j] = (number)(out[j] + value[k] * dense[column * s->width + j]); \
        } \
    }
CSR_ROW(csr_f32, float)
CSR_ROW(csr_f64, double)
CSR_ROW(csr_c64, float complex)
CSR_ROW(csr_c128, double complex)
CSR_ROW(csr_i32, uint32_t)
CSR_ROW(csr_i64, uint64_t)

static void (*csr_row(weft_dtype t))(const csr_state *, void *const *, int64_t, int64_t, int64_t) {
    switch (t) {
    case WEFT_F32: return csr_f32;
    case WEFT_F64: return csr_f64;
    case WEFT_C64: return csr_c64;
    case WEFT_C128: return csr_c128;
    case WEFT_I32: return csr_i32;
    case WEFT_I64: return csr_i64;
    default: return NULL;
    }
}

static weft_status csr_run(const void *state, void *const *b, const weft_run_env *env) {
    const csr_state *s = state;
    (void)env;
    for (int64_t i = 0; i < s->rows; i++) {
        const int64_t from = index_at(s, b[1], i), to = index_at(s, b[1], i + 1);
        csr_row((weft_dtype)s->dtype)(s, b, i, weft_max_i64(from, 0), weft_min_i64(to, s->stored));
    }
    return WEFT_OK;
}

const weft_kernel weft_kernel_csr = { .name = "csr", .run = csr_run, .state_bytes = sizeof(csr_state) };

weft_status cg_custom_csr(cg_custom *c) {
    cg_node *const *in = c->in;
    const weft_type *out = c->types[0];
    csr_state s;
    memset(&s, 0, sizeof s);
    bool fits = in[0]->rank == 1 && in[1]->rank == 1 && in[2]->rank == 1 && in[1]->dims[0] >= 1 &&
                in[0]->dims[0] == in[2]->dims[0] && in[1]->dtype == in[2]->dtype &&
                (in[1]->dtype == WEFT_I32 || in[1]->dtype == WEFT_I64) && (in[3]->rank == 1 || in[3]->rank == 2) &&
                out->rank == in[3]->rank;
    fits = fits && in[0]->dtype == in[3]->dtype && out->dtype == (weft_dtype)in[0]->dtype &&
           out->dims[0] == in[1]->dims[0] - 1 && (out->rank == 1 || out->dims[1] == in[3]->dims[1]);
    if (!fits)
        return cg_custom_bad(c, "values, where each row begins, columns, and a dense operand of the values' type");
    if (!csr_row(out->dtype)) return cg_custom_bad(c, "elements of f32, f64, complex numbers of these, i32 or i64");
    s.rows = out->dims[0];
    s.columns = in[3]->dims[0];
    s.width = out->rank == 2 ? out->dims[1] : 1;
    s.stored = in[0]->dims[0];
    s.dtype = out->dtype;
    s.wide_index = in[1]->dtype == WEFT_I64;
    return make(c, &(cg_call_spec){ .kernel = &weft_kernel_csr }, &s, sizeof s);
}

/* ---- tridiagonal systems, right-hand sides column by column ---- */

typedef struct tridiagonal_state {
    int64_t batch, n, width;
    int32_t type;           /* cg_lapack_type */
    int32_t zero;
} tridiagonal_state;

typedef double complex number;

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
static weft_status tridiagonal_run(const void *state, void *const *b, const weft_run_env *env) {
    const tridiagonal_state *s = state;
    number *room = b[5];
    system y = { .n = s->n, .width = s->width, .wide = s->type & 1 };
    (void)env;
    for (int64_t i = 0; i < s->batch && s->n; i++) {
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
                                              .state_bytes = sizeof(tridiagonal_state) };

weft_status cg_custom_tridiagonal(cg_custom *c) {
    cg_node *const *in = c->in;
    const weft_type *x = c->op->operands[3]->type, *out = c->op->results[0].type;
    tridiagonal_state s;
    memset(&s, 0, sizeof s);
    bool fits = in[3]->rank >= 2 && x == out && cg_lapack_type(x->dtype) >= 0;
    for (int i = 0; i < 3 && fits; i++)
        fits = in[i]->rank + 1 == x->rank && in[i]->dtype == in[3]->dtype &&
               !memcmp(in[i]->dims, x->dims, in[i]->rank * sizeof *x->dims);
    if (!fits)
        return cg_custom_bad(c, "three diagonals, and right-hand sides in columns, of one float or complex type");
    s.batch = 1;
    for (uint32_t d = 0; d + 2 < x->rank; d++) s.batch *= x->dims[d];
    s.n = x->dims[x->rank - 2];
    s.width = x->dims[x->rank - 1];
    s.type = cg_lapack_type(x->dtype);
    return make(c,
                &(cg_call_spec){ .kernel = &weft_kernel_tridiagonal,
                                 .scratch_bytes = s.n * (6 + s.width) * (int64_t)sizeof(number) },
                &s, sizeof s);
}
