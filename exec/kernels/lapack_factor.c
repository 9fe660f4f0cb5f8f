/* lapack_factor.c: LAPACK's factorisations and solvers, a batch at a time, on memory as the compiler has checked it.
 *
 * Each routine: its function in the four types, ask (for its workspace), run.
 */
#include "exec/kernels/lapack.h"
#include "exec/kernels/lapack_step.h"

#define EACH(real, complex) { s##real##_, d##real##_, c##complex##_, z##complex##_ }

/* Element i * elems of p. */
static void *entry(const weft_lapack_state *s, void *p, int64_t i, int64_t elems) {
    return (char *)p + (size_t)(i * elems) * weft_lapack_bytes(s);
}
static void *real_entry(const weft_lapack_state *s, void *p, int64_t i, int64_t elems) {
    return (char *)p + (size_t)(i * elems) * weft_lapack_real_bytes(s);
}
static size_t bytes_of(const weft_lapack_state *s, int64_t elems) {
    return (size_t)(s->batch * elems) * weft_lapack_bytes(s);
}

/* ---- trsm: x y = y ---- */

static void (*const trsm[])(la_opt, la_opt, la_opt, la_opt, la_int, la_int, const void *, const void *, la_int,
                            void *, la_int, size_t, size_t, size_t, size_t) = EACH(trsm, trsm);

static weft_status trsm_run(const void *state, void *const *b, const weft_run_env *env) {
    const weft_lapack_state *s = state;
    const int64_t x_elems = (int64_t)s->s * s->s, y_elems = (int64_t)s->m * s->n;
    const int ldx = weft_lapack_ld(s->s), ldy = weft_lapack_ld(s->m);
    static const union { float f; double d[2]; } ones[] = { { .f = 1 }, { .d = { 1, 0 } } };
    const float one_c[2] = { 1, 0 };
    const void *one = s->type == 2 ? (const void *)one_c : (const void *)&ones[s->type & 1];
    (void)env;
    weft_lapack_begin();
    weft_lapack_copy(b[2], b[1], bytes_of(s, y_elems));
    for (int64_t i = 0; i < s->batch && y_elems; i++)
        trsm[s->type](&s->opt[0], &s->opt[1], &s->opt[2], &s->opt[3], &s->m, &s->n, one, entry(s, b[0], i, x_elems),
                      &ldx, entry(s, b[2], i, y_elems), &ldy, 1, 1, 1, 1);
    weft_lapack_end();
    return WEFT_OK;
}

const weft_kernel weft_kernel_trsm = { .name = "trsm", .run = trsm_run, .state_bytes = sizeof(weft_lapack_state) };
const weft_lapack_routine weft_lapack_trsm = { &weft_kernel_trsm, NULL };

/* ---- potrf: Cholesky ---- */

static void (*const potrf[])(la_opt, la_int, void *, la_int, int *, size_t) = EACH(potrf, potrf);

static weft_status potrf_run(const void *state, void *const *b, const weft_run_env *env) {
    const weft_lapack_state *s = state;
    const int64_t elems = (int64_t)s->n * s->n;
    const int ld = weft_lapack_ld(s->n);
    (void)env;
    weft_lapack_begin();
    weft_lapack_copy(b[1], b[0], bytes_of(s, elems));
    for (int64_t i = 0; i < s->batch; i++)
        potrf[s->type](&s->opt[0], &s->n, entry(s, b[1], i, elems), &ld, (int *)b[2] + i, 1);
    weft_lapack_end();
    return WEFT_OK;
}

const weft_kernel weft_kernel_potrf = { .name = "potrf", .run = potrf_run, .state_bytes = sizeof(weft_lapack_state) };
const weft_lapack_routine weft_lapack_potrf = { &weft_kernel_potrf, NULL };

/* ---- getrf: LU ---- */

static void (*const getrf[])(la_int, la_int, void *, la_int, int *, int *) = EACH(getrf, getrf);

static weft_status getrf_run(const void *state, void *const *b, const weft_run_env *env) {
    const weft_lapack_state *s = state;
    const int64_t elems = (int64_t)s->m * s->n;
    const int ld = weft_lapack_ld(s->m), p = weft_lapack_min(s->m, s->n);
    (void)env;
    weft_lapack_begin();
    weft_lapack_copy(b[1], b[0], bytes_of(s, elems));
    for (int64_t i = 0; i < s->batch; i++)
        getrf[s->type](&s->m, &s->n, entry(s, b[1], i, elems), &ld, (int *)b[2] + i * p, (int *)b[3] + i);
    weft_lapack_end();
    return WEFT_OK;
}

const weft_kernel weft_kernel_getrf = { .name = "getrf", .run = getrf_run, .state_bytes = sizeof(weft_lapack_state) };
const weft_lapack_routine weft_lapack_getrf = { &weft_kernel_getrf, NULL };

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

static weft_status geqrf_run(const void *state, void *const *b, const weft_run_env *env) {
    const weft_lapack_state *s = state;
    const int64_t elems = (int64_t)s->m * s->n;
    const int ld = weft_lapack_ld(s->m), p = weft_lapack_min(s->m, s->n);
    int info;
    (void)env;
    weft_lapack_begin();
    weft_lapack_copy(b[1], b[0], bytes_of(s, elems));
    for (int64_t i = 0; i < s->batch; i++)
        geqrf[s->type](&s->m, &s->n, entry(s, b[1], i, elems), &ld, entry(s, b[2], i, p), b[3], &s->lwork, &info);
    weft_lapack_end();
    return WEFT_OK;
}

const weft_kernel weft_kernel_geqrf = { .name = "geqrf", .run = geqrf_run, .state_bytes = sizeof(weft_lapack_state) };
const weft_lapack_routine weft_lapack_geqrf = { &weft_kernel_geqrf, geqrf_ask };

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

static weft_status geqp3_run(const void *state, void *const *b, const weft_run_env *env) {
    const weft_lapack_state *s = state;
    const int64_t elems = (int64_t)s->m * s->n;
    (void)env;
    weft_lapack_begin();
    weft_lapack_copy(b[2], b[0], bytes_of(s, elems));
    weft_lapack_copy(b[3], b[1], (size_t)(s->batch * s->n) * sizeof(int));
    for (int64_t i = 0; i < s->batch; i++)
        geqp3(s, entry(s, b[2], i, elems), (int *)b[3] + i * s->n, entry(s, b[4], i, weft_lapack_min(s->m, s->n)), b[5],
              &s->lwork, (char *)b[5] + s->rwork_at);
    weft_lapack_end();
    return WEFT_OK;
}

const weft_kernel weft_kernel_geqp3 = { .name = "geqp3", .run = geqp3_run, .state_bytes = sizeof(weft_lapack_state) };
const weft_lapack_routine weft_lapack_geqp3 = { &weft_kernel_geqp3, geqp3_ask };

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

static weft_status orgqr_run(const void *state, void *const *b, const weft_run_env *env) {
    const weft_lapack_state *s = state;
    const int64_t elems = (int64_t)s->m * s->n;
    const int ld = weft_lapack_ld(s->m);
    int info;
    (void)env;
    weft_lapack_begin();
    weft_lapack_copy(b[2], b[0], bytes_of(s, elems));
    for (int64_t i = 0; i < s->batch; i++)
        orgqr[s->type](&s->m, &s->n, &s->k, entry(s, b[2], i, elems), &ld, entry(s, b[1], i, s->k), b[3], &s->lwork,
                       &info);
    weft_lapack_end();
    return WEFT_OK;
}

const weft_kernel weft_kernel_orgqr = { .name = "orgqr", .run = orgqr_run, .state_bytes = sizeof(weft_lapack_state) };
const weft_lapack_routine weft_lapack_orgqr = { &weft_kernel_orgqr, orgqr_ask };

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

static weft_status ormqr_run(const void *state, void *const *b, const weft_run_env *env) {
    const weft_lapack_state *s = state;
    const int64_t a_elems = (int64_t)s->s * s->k, c_elems = (int64_t)s->m * s->n;
    const int lda = weft_lapack_ld(s->s), ldc = weft_lapack_ld(s->m);
    int info;
    (void)env;
    weft_lapack_begin();
    weft_lapack_copy(b[3], b[2], bytes_of(s, c_elems));
    for (int64_t i = 0; i < s->batch; i++)
        ormqr[s->type](&s->opt[0], &s->opt[1], &s->m, &s->n, &s->k, entry(s, b[0], i, a_elems), &lda,
                       entry(s, b[1], i, s->k), entry(s, b[3], i, c_elems), &ldc, b[4], &s->lwork, &info, 1, 1);
    weft_lapack_end();
    return WEFT_OK;
}

const weft_kernel weft_kernel_ormqr = { .name = "ormqr", .run = ormqr_run, .state_bytes = sizeof(weft_lapack_state) };
const weft_lapack_routine weft_lapack_ormqr = { &weft_kernel_ormqr, ormqr_ask };

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

static weft_status gehrd_run(const void *state, void *const *b, const weft_run_env *env) {
    const weft_lapack_state *s = state;
    const int64_t elems = (int64_t)s->n * s->n, taus = s->n > 1 ? s->n - 1 : 0;
    const int ld = weft_lapack_ld(s->n);
    (void)env;
    weft_lapack_begin();
    weft_lapack_copy(b[1], b[0], bytes_of(s, elems));
    for (int64_t i = 0; i < s->batch; i++)
        gehrd[s->type](&s->n, &s->low, &s->high, entry(s, b[1], i, elems), &ld, entry(s, b[2], i, taus), b[4],
                       &s->lwork, (int *)b[3] + i);
    weft_lapack_end();
    return WEFT_OK;
}

const weft_kernel weft_kernel_gehrd = { .name = "gehrd", .run = gehrd_run, .state_bytes = sizeof(weft_lapack_state) };
const weft_lapack_routine weft_lapack_gehrd = { &weft_kernel_gehrd, gehrd_ask };

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

static weft_status sytrd_run(const void *state, void *const *b, const weft_run_env *env) {
    const weft_lapack_state *s = state;
    const int64_t elems = (int64_t)s->n * s->n, off = s->n > 1 ? s->n - 1 : 0;
    const int ld = weft_lapack_ld(s->n);
    (void)env;
    weft_lapack_begin();
    weft_lapack_copy(b[1], b[0], bytes_of(s, elems));
    for (int64_t i = 0; i < s->batch; i++)
        sytrd[s->type](&s->opt[0], &s->n, entry(s, b[1], i, elems), &ld, real_entry(s, b[2], i, s->n),
                       real_entry(s, b[3], i, off), entry(s, b[4], i, off), b[6], &s->lwork, (int *)b[5] + i, 1);
    weft_lapack_end();
    return WEFT_OK;
}

const weft_kernel weft_kernel_sytrd = { .name = "sytrd", .run = sytrd_run, .state_bytes = sizeof(weft_lapack_state) };
const weft_lapack_routine weft_lapack_sytrd = { &weft_kernel_sytrd, sytrd_ask };

/* ---- gtsv: tridiagonal systems; the first element of the lower diagonal and the last of the upper are not used --- */

static void (*const gtsv[])(la_int, la_int, void *, void *, void *, void *, la_int, int *) = EACH(gtsv, gtsv);

static weft_status gtsv_run(const void *state, void *const *b, const weft_run_env *env) {
    const weft_lapack_state *s = state;
    const int64_t elems = (int64_t)s->n * s->k;
    const int ld = weft_lapack_ld(s->n);
    (void)env;
    weft_lapack_begin();
    for (int i = 0; i < 4; i++) weft_lapack_copy(b[4 + i], b[i], bytes_of(s, i < 3 ? s->n : elems));
    for (int64_t i = 0; i < s->batch; i++) {
        char *lower = entry(s, b[4], i, s->n);
        if (s->n > 1) lower += weft_lapack_bytes(s);
        gtsv[s->type](&s->n, &s->k, lower, entry(s, b[5], i, s->n), entry(s, b[6], i, s->n), entry(s, b[7], i, elems),
                      &ld, (int *)b[8] + i);
    }
    weft_lapack_end();
    return WEFT_OK;
}

const weft_kernel weft_kernel_gtsv = { .name = "gtsv", .run = gtsv_run, .state_bytes = sizeof(weft_lapack_state) };
const weft_lapack_routine weft_lapack_gtsv = { &weft_kernel_gtsv, NULL };
