/* lapack_factor.c: LAPACK's factorisations and solvers, a batch at a time, on memory as the compiler has checked it.
 *
 * Each routine: its function in the four types, ask (for its workspace), run.
 */
#include "exec/kernels/lapack.h"
#include "exec/kernels/lapack_small.h"
#include "exec/kernels/lapack_step.h"

#define EACH(real, complex) { s##real##_, d##real##_, c##complex##_, z##complex##_ }

/* ---- trsm: x y = y ---- */

static void (*const trsm[])(la_opt, la_opt, la_opt, la_opt, la_int, la_int, const void *, const void *, la_int,
                            void *, la_int, size_t, size_t, size_t, size_t) = EACH(trsm, trsm);

/* By rows of what stands before the unknowns: op(A), or where they are on its left its transpose. */
static void small_trsm(const weft_lapack_state *s, const void *a, void *y) {
    const bool right = s->opt[0] == 'R', transposed = (s->opt[2] != 'N') != right;
    const weft_small_solve how = {
        .order = s->s, .others = right ? s->m : s->n, .row = transposed ? s->s : 1, .step = transposed ? 1 : s->s,
        .unknown = right ? s->m : 1, .other = right ? 1 : s->m, .ascending = (s->opt[1] == 'L') != transposed,
        .unit = s->opt[3] == 'U', .conjugate = s->opt[2] == 'C'
    };
    weft_small_solve_with(s->type, &how, a, y);
}

static void trsm_one(const weft_lapack_state *s, void *const *b, int64_t i) {
    const int64_t x_elems = (int64_t)s->s * s->s, y_elems = (int64_t)s->m * s->n;
    const int ldx = weft_lapack_ld(s->s), ldy = weft_lapack_ld(s->m);
    static const union { float f; double d[2]; } ones[] = { { .f = 1 }, { .d = { 1, 0 } } };
    const float one_c[2] = { 1, 0 };
    const void *one = s->type == 2 ? (const void *)one_c : (const void *)&ones[s->type & 1];
    void *x = weft_lapack_entry(s, b[0], i, x_elems), *y = weft_lapack_copied(s, b[2], b[1], i, y_elems);
    if (s->m <= WEFT_SMALL_ORDER && s->n <= WEFT_SMALL_ORDER) small_trsm(s, x, y);
    else if (y_elems)
        trsm[s->type](&s->opt[0], &s->opt[1], &s->opt[2], &s->opt[3], &s->m, &s->n, one, x, &ldx, y, &ldy, 1, 1, 1, 1);
}

WEFT_LAPACK_KERNEL(trsm, NULL);

/* ---- potrf: Cholesky ---- */

static void (*const potrf[])(la_opt, la_int, void *, la_int, int *, size_t) = EACH(potrf, potrf);

static void potrf_one(const weft_lapack_state *s, void *const *b, int64_t i) {
    const int ld = weft_lapack_ld(s->n);
    void *a = weft_lapack_copied(s, b[1], b[0], i, (int64_t)s->n * s->n);
    potrf[s->type](&s->opt[0], &s->n, a, &ld, (int *)b[2] + i, 1);
}

WEFT_LAPACK_KERNEL(potrf, NULL);

/* ---- getrf: LU ---- */

static void (*const getrf[])(la_int, la_int, void *, la_int, int *, int *) = EACH(getrf, getrf);

static void getrf_one(const weft_lapack_state *s, void *const *b, int64_t i) {
    const int ld = weft_lapack_ld(s->m), p = weft_lapack_min(s->m, s->n);
    void *a = weft_lapack_copied(s, b[1], b[0], i, (int64_t)s->m * s->n);
    int *pivots = (int *)b[2] + i * p, *info = (int *)b[3] + i;
    if (s->m <= WEFT_SMALL_ORDER && s->n <= WEFT_SMALL_ORDER)
        weft_small_factor(s->type, s->m, s->n, a, pivots, info);
    else getrf[s->type](&s->m, &s->n, a, &ld, pivots, info);
}

WEFT_LAPACK_KERNEL(getrf, NULL);

/* ---- geqrf: QR ---- */

static void (*const geqrf[])(la_int, la_int, void *, la_int, void *, void *, la_int, int *) = EACH(geqrf,
                                                                                                               geqrf);

static void geqrf_ask(weft_lapack_state *s) {
    double work[2] = { 0 }, none[2];
    const int ld = weft_lapack_ld(s->m), ask = -1;
    int info = 0;
    geqrf[s->type](&s->m, &s->n, none, &ld, none, work, &ask, &info);
    s->lwork = weft_lapack_answer(s, work);
}

static void geqrf_one(const weft_lapack_state *s, void *const *b, int64_t i) {
    const int ld = weft_lapack_ld(s->m);
    void *a = weft_lapack_copied(s, b[1], b[0], i, (int64_t)s->m * s->n),
         *tau = weft_lapack_entry(s, b[2], i, weft_lapack_min(s->m, s->n));
    int info;
    geqrf[s->type](&s->m, &s->n, a, &ld, tau, b[3], &s->lwork, &info);
}

WEFT_LAPACK_KERNEL(geqrf, geqrf_ask);

/* ---- geqp3: QR with columns exchanged ---- */

static void (*const geqp3_real[])(la_int, la_int, void *, la_int, int *, void *, void *, la_int,
                                  int *) = { sgeqp3_, dgeqp3_ };
static void (*const geqp3_complex[])(la_int, la_int, void *, la_int, int *, void *, void *, la_int, void *,
                                     int *) = { cgeqp3_, zgeqp3_ };

static void geqp3(const weft_lapack_state *s, void *a, int *jpvt, void *tau, void *work, const int *lwork,
                  void *rwork) {
    const int ld = weft_lapack_ld(s->m);
    int info;
    if (s->type < 2) geqp3_real[s->type](&s->m, &s->n, a, &ld, jpvt, tau, work, lwork, &info);
    else geqp3_complex[s->type - 2](&s->m, &s->n, a, &ld, jpvt, tau, work, lwork, rwork, &info);
}

static void geqp3_ask(weft_lapack_state *s) {
    double work[2] = { 0 }, none[2];
    int jpvt = 0;
    geqp3(s, none, &jpvt, none, work, &(int){ -1 }, none);
    s->lwork = weft_lapack_answer(s, work);
    s->lrwork = s->type < 2 ? 0 : 2 * s->n + 1;
}

static void geqp3_one(const weft_lapack_state *s, void *const *b, int64_t i) {
    void *a = weft_lapack_copied(s, b[2], b[0], i, (int64_t)s->m * s->n),
         *tau = weft_lapack_entry(s, b[4], i, weft_lapack_min(s->m, s->n));
    int *pivots = (int *)b[3] + i * s->n;
    if (b[3] != b[1] && s->n) memcpy(pivots, (const int *)b[1] + i * s->n, (size_t)s->n * sizeof *pivots);
    geqp3(s, a, pivots, tau, b[5], &s->lwork, (char *)b[5] + s->rwork_at);
}

WEFT_LAPACK_KERNEL(geqp3, geqp3_ask);

/* ---- orgqr, ungqr: Q of a QR ---- */

static void (*const orgqr[])(la_int, la_int, la_int, void *, la_int, const void *, void *, la_int,
                             int *) = EACH(orgqr, ungqr);

static void orgqr_ask(weft_lapack_state *s) {
    double work[2] = { 0 }, none[2] = { 0 };
    const int ld = weft_lapack_ld(s->m), ask = -1;
    int info = 0;
    orgqr[s->type](&s->m, &s->n, &s->k, none, &ld, none, work, &ask, &info);
    s->lwork = weft_lapack_answer(s, work);
}

static void orgqr_one(const weft_lapack_state *s, void *const *b, int64_t i) {
    const int ld = weft_lapack_ld(s->m);
    void *a = weft_lapack_copied(s, b[2], b[0], i, (int64_t)s->m * s->n), *tau = weft_lapack_entry(s, b[1], i, s->k);
    int info;
    orgqr[s->type](&s->m, &s->n, &s->k, a, &ld, tau, b[3], &s->lwork, &info);
}

WEFT_LAPACK_KERNEL(orgqr, orgqr_ask);

/* ---- ormqr, unmqr: a matrix times Q ---- */

static void (*const ormqr[])(la_opt, la_opt, la_int, la_int, la_int, const void *, la_int, const void *,
                             void *, la_int, void *, la_int, int *, size_t, size_t) = EACH(ormqr, unmqr);

static void ormqr_ask(weft_lapack_state *s) {
    double work[2] = { 0 }, none[2] = { 0 };
    const int lda = weft_lapack_ld(s->s), ldc = weft_lapack_ld(s->m), ask = -1;
    int info = 0;
    ormqr[s->type](&s->opt[0], &s->opt[1], &s->m, &s->n, &s->k, none, &lda, none, none, &ldc, work, &ask, &info, 1, 1);
    s->lwork = weft_lapack_answer(s, work);
}

static void ormqr_one(const weft_lapack_state *s, void *const *b, int64_t i) {
    const int lda = weft_lapack_ld(s->s), ldc = weft_lapack_ld(s->m);
    void *a = weft_lapack_entry(s, b[0], i, (int64_t)s->s * s->k), *tau = weft_lapack_entry(s, b[1], i, s->k),
         *c = weft_lapack_copied(s, b[3], b[2], i, (int64_t)s->m * s->n);
    int info;
    ormqr[s->type](&s->opt[0], &s->opt[1], &s->m, &s->n, &s->k, a, &lda, tau, c, &ldc, b[4], &s->lwork, &info, 1, 1);
}

WEFT_LAPACK_KERNEL(ormqr, ormqr_ask);

/* ---- gehrd: to Hessenberg form ---- */

static void (*const gehrd[])(la_int, la_int, la_int, void *, la_int, void *, void *, la_int,
                             int *) = EACH(gehrd, gehrd);

static void gehrd_ask(weft_lapack_state *s) {
    double work[2] = { 0 }, none[2];
    const int ld = weft_lapack_ld(s->n), ask = -1;
    int info = 0;
    gehrd[s->type](&s->n, &s->low, &s->high, none, &ld, none, work, &ask, &info);
    s->lwork = weft_lapack_answer(s, work);
}

static void gehrd_one(const weft_lapack_state *s, void *const *b, int64_t i) {
    const int64_t taus = s->n > 1 ? s->n - 1 : 0;
    const int ld = weft_lapack_ld(s->n);
    void *a = weft_lapack_copied(s, b[1], b[0], i, (int64_t)s->n * s->n), *tau = weft_lapack_entry(s, b[2], i, taus);
    gehrd[s->type](&s->n, &s->low, &s->high, a, &ld, tau, b[4], &s->lwork, (int *)b[3] + i);
}

WEFT_LAPACK_KERNEL(gehrd, gehrd_ask);

/* ---- sytrd, hetrd: to tridiagonal form ---- */

static void (*const sytrd[])(la_opt, la_int, void *, la_int, void *, void *, void *, void *, la_int, int *,
                             size_t) = EACH(sytrd, hetrd);

static void sytrd_ask(weft_lapack_state *s) {
    double work[2] = { 0 }, none[2];
    const int ld = weft_lapack_ld(s->n), ask = -1;
    int info = 0;
    sytrd[s->type](&s->opt[0], &s->n, none, &ld, none, none, none, work, &ask, &info, 1);
    s->lwork = weft_lapack_answer(s, work);
}

static void sytrd_one(const weft_lapack_state *s, void *const *b, int64_t i) {
    const int64_t off = s->n > 1 ? s->n - 1 : 0;
    const int ld = weft_lapack_ld(s->n);
    void *a = weft_lapack_copied(s, b[1], b[0], i, (int64_t)s->n * s->n),
         *d = weft_lapack_real_entry(s, b[2], i, s->n), *e = weft_lapack_real_entry(s, b[3], i, off),
         *tau = weft_lapack_entry(s, b[4], i, off);
    sytrd[s->type](&s->opt[0], &s->n, a, &ld, d, e, tau, b[6], &s->lwork, (int *)b[5] + i, 1);
}

WEFT_LAPACK_KERNEL(sytrd, sytrd_ask);

/* ---- gtsv: tridiagonal systems; the first element of the lower diagonal and the last of the upper are not used --- */

static void (*const gtsv[])(la_int, la_int, void *, void *, void *, void *, la_int, int *) = EACH(gtsv, gtsv);

static void gtsv_one(const weft_lapack_state *s, void *const *b, int64_t i) {
    const int ld = weft_lapack_ld(s->n);
    char *lower = weft_lapack_copied(s, b[4], b[0], i, s->n);
    void *diagonal = weft_lapack_copied(s, b[5], b[1], i, s->n), *upper = weft_lapack_copied(s, b[6], b[2], i, s->n),
         *x = weft_lapack_copied(s, b[7], b[3], i, (int64_t)s->n * s->k);
    if (s->n > 1) lower += weft_lapack_bytes(s);
    gtsv[s->type](&s->n, &s->k, lower, diagonal, upper, x, &ld, (int *)b[8] + i);
}

WEFT_LAPACK_KERNEL(gtsv, NULL);
