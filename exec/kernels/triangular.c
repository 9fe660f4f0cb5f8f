/* triangular.c: see triangular.h. A and its inverse in A's own orientation, right-hand sides a tile at a time, packed
 * so that unknowns are rows: what is on the right side or transposed only changes how these are read. */
#include <complex.h>
#include "exec/kernels/lapack.h"
#include "exec/kernels/rows.h"
#include "exec/kernels/triangular.h"
#include "exec/kernels/kernels.h"

enum { BLOCK = WEFT_TRIANGULAR_BLOCK, TILE = 64, SUMS = 4 };

static void (*const gemm[])(la_opt, la_opt, la_int, la_int, la_int, const void *, const void *, la_int,
                            const void *, la_int, const void *, void *, la_int, size_t,
                            size_t) = { sgemm_, dgemm_, cgemm_, zgemm_ };

/* One entry of the batch. Scratch memory is in numbers of the type, two of which make a complex element. */
typedef struct solver {
    const weft_triangular *t;
    const char *a;
    char *x;
    int64_t parts;          /* numbers per element */
    int64_t bytes;          /* per element */
    bool wide;              /* numbers are f64 */
    weft_rows_fn sum;
    char *inverse;          /* BLOCK rows of BLOCK elements */
    char *row, *diagonal;   /* BLOCK elements */
    char *tile;             /* BLOCK rows of TILE elements */
    char *sums;             /* SUMS rows of TILE elements */
} solver;

static int64_t element_bytes(int32_t type) { return type == 0 ? 4 : type == 3 ? 16 : 8; }
int64_t weft_triangular_scratch_bytes(const weft_triangular *t) {
    return (BLOCK * BLOCK + 2 * BLOCK + BLOCK * TILE + SUMS * TILE) * element_bytes(t->type);
}

static void divide(int32_t type, const void *x, const void *y, void *out) {
    switch (type) {
    case 0: *(float *)out = *(const float *)x / *(const float *)y; break;
    case 1: *(double *)out = *(const double *)x / *(const double *)y; break;
    case 2: *(float complex *)out = *(const float complex *)x / *(const float complex *)y; break;
    default: *(double complex *)out = *(const double complex *)x / *(const double complex *)y; break;
    }
}

static void put_one(const solver *s, char *p) {
    static const float one_f[2] = { 1, 0 };
    static const double one_d[2] = { 1, 0 };
    memcpy(p, s->wide ? (const void *)one_d : one_f, (size_t)s->bytes);
}

static double number(const solver *s, const char *p, int64_t i) {
    return s->wide ? ((const double *)p)[i] : (double)((const float *)p)[i];
}
static void put_number(const solver *s, char *p, int64_t i, double v) {
    if (s->wide) ((double *)p)[i] = v;
    else ((float *)p)[i] = (float)v;
}

/* ---- sums ---- */

/* out = sum over every jump-th k from `from` to `to` of c[k] rows[k]; c and rows step elements. spare: two rows like
 * out. */
typedef struct terms {
    int64_t from, to, jump;
    const char *c;
    int64_t step;
    const char *rows;
    int64_t stride, width;
} terms;

static void add_up(const solver *s, const terms *t, char *out, char *spare) {
    const int64_t n = t->to > t->from ? (t->to - t->from + t->jump - 1) / t->jump : 0,
                  width = weft_rows_width(t->width * s->parts);
    const int64_t part = s->bytes / s->parts, step = t->step * t->jump * s->parts,
                  stride = t->stride * t->jump * s->parts;
    const char *c = t->c + t->from * t->step * s->bytes, *rows = t->rows + t->from * t->stride * s->bytes;
    s->sum(n, c, step, rows, stride, width, out);
    if (s->parts == 1) return;
    s->sum(n, c + part, step, rows, stride, width, spare);
    for (int64_t j = 0; j < t->width; j++) { /* u + i v, of complex u and v */
        put_number(s, out, 2 * j, number(s, out, 2 * j) - number(s, spare, 2 * j + 1));
        put_number(s, out, 2 * j + 1, number(s, out, 2 * j + 1) + number(s, spare, 2 * j));
    }
}

/* ---- the inverse of a block ---- */

static const char *element(const solver *s, int64_t i, int64_t k) { return s->a + (i * s->t->order + k) * s->bytes; }
static char *inverse_at(const solver *s, int64_t i, int64_t k) { return s->inverse + (i * BLOCK + k) * s->bytes; }

/* Row i of the inverse of the unit triangle: -(row i without the diagonal) times the rows that are there. */
static void invert_row(const solver *s, int64_t at, int64_t n, int64_t i) {
    const bool lower = s->t->flags & WEFT_TRIANGULAR_LOWER;
    const terms t = { lower ? 0 : i + 1, lower ? i : n, 1, s->row, 1, s->inverse, BLOCK, n };
    for (int64_t k = t.from; k < t.to; k++)
        divide(s->t->type, element(s, at + i, at + k), s->diagonal + k * s->bytes, s->row + k * s->bytes);
    char *out = inverse_at(s, i, 0);
    add_up(s, &t, out, s->sums);
    for (int64_t k = 0; k < n * s->parts; k++) put_number(s, out, k, -number(s, out, k));
    put_one(s, inverse_at(s, i, i));
}

static void invert(const solver *s, int64_t at, int64_t n) {
    const bool lower = s->t->flags & WEFT_TRIANGULAR_LOWER;
    memset(s->inverse, 0, (size_t)(BLOCK * BLOCK * s->bytes));
    for (int64_t i = 0; i < n; i++) {
        if (s->t->flags & WEFT_TRIANGULAR_UNIT) put_one(s, s->diagonal + i * s->bytes);
        else memcpy(s->diagonal + i * s->bytes, element(s, at + i, at + i), (size_t)s->bytes);
    }
    for (int64_t i = 0; i < n; i++) invert_row(s, at, n, lower ? i : n - 1 - i);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = lower ? 0 : i; k < (lower ? i + 1 : n); k++) {
            char *e = inverse_at(s, i, k);
            divide(s->t->type, e, s->diagonal + i * s->bytes, e);
            if (s->t->flags & WEFT_TRIANGULAR_CONJUGATE && s->parts == 2) put_number(s, e, 1, -number(s, e, 1));
        }
}

/* ---- right-hand sides ---- */

/* Unknown i of right-hand side r. */
static char *unknown(const solver *s, int64_t i, int64_t r) {
    return s->x + (s->t->flags & WEFT_TRIANGULAR_LEFT ? i * s->t->others + r : r * s->t->order + i) * s->bytes;
}

/* Are unknowns found from the first to the last? */
static bool forward(const weft_triangular *t) {
    /* unknowns' own matrix is A */
    const bool turned = !(t->flags & WEFT_TRIANGULAR_TRANSPOSED) != !(t->flags & WEFT_TRIANGULAR_LEFT);
    return turned == !!(t->flags & WEFT_TRIANGULAR_LOWER);
}

/* Takes the products with unknowns [from, to), which are known, from the right-hand sides of n unknowns at `at`. BLAS
 * reads columns, so it sees everything transposed. */
static void subtract(const solver *s, int64_t at, int64_t n, int64_t from, int64_t to) {
    static const float one_f[2] = { 1, 0 }, minus_f[2] = { -1, 0 };
    static const double one_d[2] = { 1, 0 }, minus_d[2] = { -1, 0 };
    const weft_triangular *t = s->t;
    const int rows = (int)n, known = (int)(to - from);
    const void *one = s->wide ? (const void *)one_d : one_f, *minus = s->wide ? (const void *)minus_d : minus_f;
    const char *op = t->flags & WEFT_TRIANGULAR_CONJUGATE ? "C" : t->flags & WEFT_TRIANGULAR_TRANSPOSED ? "T" : "N";
    const bool left = t->flags & WEFT_TRIANGULAR_LEFT, by_rows = left == !(t->flags & WEFT_TRIANGULAR_TRANSPOSED);
    const char *a = by_rows ? element(s, at, from) : element(s, from, at);
    if (!known) return;
    if (left)
        gemm[t->type]("N", op, &t->others, &rows, &known, minus, unknown(s, from, 0), &t->others, a, &t->order, one,
                      unknown(s, at, 0), &t->others, 1, 1);
    else
        gemm[t->type](op, "N", &rows, &t->others, &known, minus, a, &t->order, unknown(s, from, 0), &t->order, one,
                      unknown(s, at, 0), &t->order, 1, 1);
}

/* Unknowns at `at` from the inverse, for `width` right-hand sides from r on: the sums of even and of odd terms, added.
 */
static void multiply(const solver *s, int64_t at, int64_t n, int64_t r, int64_t width) {
    const bool ascending = forward(s->t),
               by_rows = !(s->t->flags & WEFT_TRIANGULAR_TRANSPOSED) == !!(s->t->flags & WEFT_TRIANGULAR_LEFT);
    char *sum[SUMS];
    for (int64_t i = 0; i < SUMS; i++) sum[i] = s->sums + i * TILE * s->bytes;
    memset(s->tile, 0, (size_t)(BLOCK * TILE * s->bytes));
    for (int64_t k = 0; k < n; k++)
        for (int64_t j = 0; j < width; j++)
            memcpy(s->tile + (k * TILE + j) * s->bytes, unknown(s, at + k, r + j), (size_t)s->bytes);
    for (int64_t i = 0; i < n; i++) {
        terms t = { 0, ascending ? i + 1 : n, 2, by_rows ? inverse_at(s, i, 0) : inverse_at(s, 0, i),
                    by_rows ? 1 : BLOCK, s->tile, TILE, width };
        for (int odd = 0; odd < 2; odd++) {
            t.from = odd;
            if (!ascending) t.from += (i - odd + 1) / 2 * 2; /* no term before the diagonal */
            add_up(s, &t, sum[odd], sum[2]);
        }
        for (int64_t j = 0; j < width * s->parts; j++)
            put_number(s, sum[0], j, number(s, sum[0], j) + number(s, sum[1], j));
        for (int64_t j = 0; j < width; j++) memcpy(unknown(s, at + i, r + j), sum[0] + j * s->bytes, (size_t)s->bytes);
    }
}

/* A block of one unknown is a division. */
static void divide_by_diagonal(const solver *s, int64_t at) {
    char d[16];
    if (s->t->flags & WEFT_TRIANGULAR_UNIT) return;
    memcpy(d, element(s, at, at), (size_t)s->bytes);
    if (s->t->flags & WEFT_TRIANGULAR_CONJUGATE && s->parts == 2) put_number(s, d, 1, -number(s, d, 1));
    for (int64_t r = 0; r < s->t->others; r++) divide(s->t->type, unknown(s, at, r), d, unknown(s, at, r));
}

static void solve(const solver *s) {
    const int64_t order = s->t->order, blocks = (order + BLOCK - 1) / BLOCK;
    const bool ascending = forward(s->t);
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t at = (ascending ? b : blocks - 1 - b) * BLOCK, n = weft_min_i64(BLOCK, order - at);
        if (ascending) subtract(s, at, n, 0, at);
        else subtract(s, at, n, at + n, order);
        if (n == 1) {
            divide_by_diagonal(s, at);
            continue;
        }
        invert(s, at, n);
        for (int64_t r = 0; r < s->t->others; r += TILE) multiply(s, at, n, r, weft_min_i64(TILE, s->t->others - r));
    }
}

static int64_t triangular_grains(const void *state) {
    const weft_triangular *t = state;
    return t->order && t->others ? t->batch : 0;
}

static weft_status triangular_run(const void *state, void *const *b, const weft_run_env *env) {
    const weft_triangular *t = state;
    const int64_t bytes = element_bytes(t->type), a_bytes = (int64_t)t->order * t->order * bytes,
                  x_bytes = (int64_t)t->order * t->others * bytes;
    solver s = { .t = t, .parts = t->type >= 2 ? 2 : 1, .bytes = bytes, .wide = t->type & 1,
                 .sum = weft_rows_sum(t->type & 1 ? WEFT_F64 : WEFT_F32) };
    const int64_t end = weft_min_i64(env->end_grain, triangular_grains(t));
    weft_lapack_begin();
    s.inverse = b[3];
    s.row = s.inverse + BLOCK * BLOCK * bytes;
    s.diagonal = s.row + BLOCK * bytes;
    s.tile = s.diagonal + BLOCK * bytes;
    s.sums = s.tile + BLOCK * TILE * bytes;
    for (int64_t i = env->first_grain; i < end; i++) {
        s.a = (const char *)b[0] + i * a_bytes;
        s.x = (char *)b[2] + i * x_bytes;
        if (b[1] != b[2]) memcpy(s.x, (const char *)b[1] + i * x_bytes, (size_t)x_bytes);
        solve(&s);
    }
    weft_lapack_end();
    return WEFT_OK;
}

const weft_kernel weft_kernel_triangular_solve = { .name = "triangular_solve", .run = triangular_run,
                                                   .state_bytes = sizeof(weft_triangular),
                                                   .grains = triangular_grains };
