/* custom_factor.c: LAPACK's factorisations and solvers, a batch at a time, on memory as custom_lapack.c has checked it.
 *
 * Each routine: its function in the four types, plan (letters, workspace), run. Workspace is what the routine asks for.
 */
#include "codegen/custom_lapack.h"
#include "codegen/lapack.h"

#define EACH(real, complex) { s##real##_, d##real##_, c##complex##_, z##complex##_ }

/* Element i * elems of p. */
static void *entry(const cg_lapack_state *s, void *p, int64_t i, int64_t elems) {
    return (char *)p + (size_t)(i * elems) * cg_lapack_bytes(s);
}
static void *real_entry(const cg_lapack_state *s, void *p, int64_t i, int64_t elems) {
    return (char *)p + (size_t)(i * elems) * cg_lapack_real_bytes(s);
}
static size_t bytes_of(const cg_lapack_state *s, int64_t elems) {
    return (size_t)(s->batch * elems) * cg_lapack_bytes(s);
}

/* ---- trsm: x y = y ---- */

static void (*const trsm[])(cg_opt, cg_opt, cg_opt, cg_opt, cg_int_in, cg_int_in, const void *, const void *, cg_int_in,
                            void *, cg_int_in, size_t, size_t, size_t, size_t) = EACH(trsm, trsm);

static weft_status trsm_plan(cg_custom *c, cg_lapack_state *s) {
    weft_status st = cg_lapack_letter(c, "side", "LR", &s->opt[0]);
    if (st == WEFT_OK) st = cg_lapack_letter(c, "uplo", "LU", &s->opt[1]);
    if (st == WEFT_OK) st = cg_lapack_letter(c, "trans_x", "NTC", &s->opt[2]);
    if (st == WEFT_OK) st = cg_lapack_letter(c, "diag", "NU", &s->opt[3]);
    if (st != WEFT_OK || s->s == (s->opt[0] == 'L' ? s->m : s->n)) return st;
    return cg_custom_bad(c, "a triangular matrix that fits the side it stands on");
}

static weft_status trsm_run(const void *state, void *const *b, const weft_run_env *env) {
    const cg_lapack_state *s = state;
    const int64_t x_elems = (int64_t)s->s * s->s, y_elems = (int64_t)s->m * s->n;
    const int ldx = cg_lapack_ld(s->s), ldy = cg_lapack_ld(s->m);
    static const union { float f; double d[2]; } ones[] = { { .f = 1 }, { .d = { 1, 0 } } };
    const float one_c[2] = { 1, 0 };
    const void *one = s->type == 2 ? (const void *)one_c : (const void *)&ones[s->type & 1];
    (void)env;
    cg_lapack_begin();
    cg_lapack_copy(b[2], b[1], bytes_of(s, y_elems));
    for (int64_t i = 0; i < s->batch && y_elems; i++)
        trsm[s->type](&s->opt[0], &s->opt[1], &s->opt[2], &s->opt[3], &s->m, &s->n, one, entry(s, b[0], i, x_elems),
                      &ldx, entry(s, b[2], i, y_elems), &ldy, 1, 1, 1, 1);
    return WEFT_OK;
}

const weft_kernel weft_kernel_trsm = { .name = "trsm", .run = trsm_run, .state_bytes = sizeof(cg_lapack_state) };
const struct cg_lapack cg_lapack_trsm = { trsm_plan, &weft_kernel_trsm, 0 };

/* ---- potrf: Cholesky ---- */

static void (*const potrf[])(cg_opt, cg_int_in, void *, cg_int_in, int *, size_t) = EACH(potrf, potrf);

static weft_status potrf_plan(cg_custom *c, cg_lapack_state *s) {
    return cg_lapack_letter(c, "uplo", "LU", &s->opt[0]);
}

static weft_status potrf_run(const void *state, void *const *b, const weft_run_env *env) {
    const cg_lapack_state *s = state;
    const int64_t elems = (int64_t)s->n * s->n;
    const int ld = cg_lapack_ld(s->n);
    (void)env;
    cg_lapack_begin();
    cg_lapack_copy(b[1], b[0], bytes_of(s, elems));
    for (int64_t i = 0; i < s->batch; i++)
        potrf[s->type](&s->opt[0], &s->n, entry(s, b[1], i, elems), &ld, (int *)b[2] + i, 1);
    return WEFT_OK;
}

const weft_kernel weft_kernel_potrf = { .name = "potrf", .run = potrf_run, .state_bytes = sizeof(cg_lapack_state) };
const struct cg_lapack cg_lapack_potrf = { potrf_plan, &weft_kernel_potrf, 1 };

/* ---- getrf: LU ---- */

static void (*const getrf[])(cg_int_in, cg_int_in, void *, cg_int_in, int *, int *) = EACH(getrf, getrf);

static weft_status no_plan(cg_custom *c, cg_lapack_state *s) {
    (void)c, (void)s;
    return WEFT_OK;
}

static weft_status getrf_run(const void *state, void *const *b, const weft_run_env *env) {
    const cg_lapack_state *s = state;
    const int64_t elems = (int64_t)s->m * s->n;
    const int ld = cg_lapack_ld(s->m), p = cg_lapack_min(s->m, s->n);
    (void)env;
    cg_lapack_begin();
    cg_lapack_copy(b[1], b[0], bytes_of(s, elems));
    for (int64_t i = 0; i < s->batch; i++)
        getrf[s->type](&s->m, &s->n, entry(s, b[1], i, elems), &ld, (int *)b[2] + i * p, (int *)b[3] + i);
    return WEFT_OK;
}

const weft_kernel weft_kernel_getrf = { .name = "getrf", .run = getrf_run, .state_bytes = sizeof(cg_lapack_state) };
const struct cg_lapack cg_lapack_getrf = { no_plan, &weft_kernel_getrf, 1 };

/* ---- geqrf: QR ---- */

static void (*const geqrf[])(cg_int_in, cg_int_in, void *, cg_int_in, void *, void *, cg_int_in, int *) = EACH(geqrf,
                                                                                                               geqrf);

static weft_status geqrf_plan(cg_custom *c, cg_lapack_state *s) {
    double work[2] = { 0 }, none[2];
    const int ld = cg_lapack_ld(s->m), ask = -1;
    int info = 0;
    (void)c;
    geqrf[s->type](&s->m, &s->n, none, &ld, none, work, &ask, &info);
    s->lwork = cg_lapack_answer(s, work);
    return WEFT_OK;
}

static weft_status geqrf_run(const void *state, void *const *b, const weft_run_env *env) {
    const cg_lapack_state *s = state;
    const int64_t elems = (int64_t)s->m * s->n;
    const int ld = cg_lapack_ld(s->m), p = cg_lapack_min(s->m, s->n);
    int info;
    (void)env;
    cg_lapack_begin();
    cg_lapack_copy(b[1], b[0], bytes_of(s, elems));
    for (int64_t i = 0; i < s->batch; i++)
        geqrf[s->type](&s->m, &s->n, entry(s, b[1], i, elems), &ld, entry(s, b[2], i, p), b[3], &s->lwork, &info);
    return WEFT_OK;
}

const weft_kernel weft_kernel_geqrf = { .name = "geqrf", .run = geqrf_run, .state_bytes = sizeof(cg_lapack_state) };
const struct cg_lapack cg_lapack_geqrf = { geqrf_plan, &weft_kernel_geqrf, 1 };

/* ---- geqp3: QR with columns exchanged ---- */

static void (*const geqp3_real[])(cg_int_in, cg_int_in, void *, cg_int_in, int *, void *, void *, cg_int_in,
                                  int *) = { sgeqp3_, dgeqp3_ };
static void (*const geqp3_complex[])(cg_int_in, cg_int_in, void *, cg_int_in, int *, void *, void *, cg_int_in, void *,
                                     int *) = { cgeqp3_, zgeqp3_ };

static void geqp3(const cg_lapack_state *s, void *a, int *jpvt, void *tau, void *work, const int *lwork, void *rwork) {
    const int ld = cg_lapack_ld(s->m);
    int info;
    if (s->type < 2) geqp3_real[s->type](&s->m, &s->n, a, &ld, jpvt, tau, work, lwork, &info);
    else geqp3_complex[s->type - 2](&s->m, &s->n, a, &ld, jpvt, tau, work, lwork, rwork, &info);
}

static weft_status geqp3_plan(cg_custom *c, cg_lapack_state *s) {
    double work[2] = { 0 }, none[2];
    int jpvt = 0;
    (void)c;
    geqp3(s, none, &jpvt, none, work, &(int){ -1 }, none);
    s->lwork = cg_lapack_answer(s, work);
    s->lrwork = s->type < 2 ? 0 : 2 * s->n + 1;
    return WEFT_OK;
}

static weft_status geqp3_run(const void *state, void *const *b, const weft_run_env *env) {
    const cg_lapack_state *s = state;
    const int64_t elems = (int64_t)s->m * s->n;
    (void)env;
    cg_lapack_begin();
    cg_lapack_copy(b[2], b[0], bytes_of(s, elems));
    cg_lapack_copy(b[3], b[1], (size_t)(s->batch * s->n) * sizeof(int));
    for (int64_t i = 0; i < s->batch; i++)
        geqp3(s, entry(s, b[2], i, elems), (int *)b[3] + i * s->n, entry(s, b[4], i, cg_lapack_min(s->m, s->n)), b[5],
              &s->lwork, (char *)b[5] + s->rwork_at);
    return WEFT_OK;
}

const weft_kernel weft_kernel_geqp3 = { .name = "geqp3", .run = geqp3_run, .state_bytes = sizeof(cg_lapack_state) };
const struct cg_lapack cg_lapack_geqp3 = { geqp3_plan, &weft_kernel_geqp3, 3 };

/* ---- orgqr, ungqr: Q of a QR ---- */

static void (*const orgqr[])(cg_int_in, cg_int_in, cg_int_in, void *, cg_int_in, const void *, void *, cg_int_in,
                             int *) = EACH(orgqr, ungqr);

static weft_status orgqr_plan(cg_custom *c, cg_lapack_state *s) {
    double work[2] = { 0 }, none[2] = { 0 };
    const int ld = cg_lapack_ld(s->m), ask = -1;
    int info = 0;
    if (s->n > s->m || s->k > s->n)
        return cg_custom_bad(c, "no more columns than rows and no more reflectors than columns");
    orgqr[s->type](&s->m, &s->n, &s->k, none, &ld, none, work, &ask, &info);
    s->lwork = cg_lapack_answer(s, work);
    return WEFT_OK;
}

static weft_status orgqr_run(const void *state, void *const *b, const weft_run_env *env) {
    const cg_lapack_state *s = state;
    const int64_t elems = (int64_t)s->m * s->n;
    const int ld = cg_lapack_ld(s->m);
    int info;
    (void)env;
    cg_lapack_begin();
    cg_lapack_copy(b[2], b[0], bytes_of(s, elems));
    for (int64_t i = 0; i < s->batch; i++)
        orgqr[s->type](&s->m, &s->n, &s->k, entry(s, b[2], i, elems), &ld, entry(s, b[1], i, s->k), b[3], &s->lwork,
                       &info);
    return WEFT_OK;
}

const weft_kernel weft_kernel_orgqr = { .name = "orgqr", .run = orgqr_run, .state_bytes = sizeof(cg_lapack_state) };
const struct cg_lapack cg_lapack_orgqr = { orgqr_plan, &weft_kernel_orgqr, 1 };

/* ---- ormqr, unmqr: a matrix times Q ---- */

static void (*const ormqr[])(cg_opt, cg_opt, cg_int_in, cg_int_in, cg_int_in, const void *, cg_int_in, const void *,
                             void *, cg_int_in, void *, cg_int_in, int *, size_t, size_t) = EACH(ormqr, unmqr);

static weft_status ormqr_plan(cg_custom *c, cg_lapack_state *s) {
    const weft_attr *left = cg_custom_attr(c, "left"), *transpose = cg_custom_attr(c, "transpose");
    double work[2] = { 0 }, none[2] = { 0 };
    const int lda = cg_lapack_ld(s->s), ldc = cg_lapack_ld(s->m), ask = -1;
    int info = 0;
    if (!left || left->kind != WEFT_ATTR_BOOL || !transpose || transpose->kind != WEFT_ATTR_BOOL)
        return cg_custom_bad(c, "'left' and 'transpose' in its backend_config");
    s->opt[0] = left->i ? 'L' : 'R';
    s->opt[1] = !transpose->i ? 'N' : s->type < 2 ? 'T' : 'C';
    if (s->s != (left->i ? s->m : s->n) || s->k > s->s)
        return cg_custom_bad(c, "reflectors that fit the side they stand on");
    ormqr[s->type](&s->opt[0], &s->opt[1], &s->m, &s->n, &s->k, none, &lda, none, none, &ldc, work, &ask, &info, 1, 1);
    s->lwork = cg_lapack_answer(s, work);
    return WEFT_OK;
}

static weft_status ormqr_run(const void *state, void *const *b, const weft_run_env *env) {
    const cg_lapack_state *s = state;
    const int64_t a_elems = (int64_t)s->s * s->k, c_elems = (int64_t)s->m * s->n;
    const int lda = cg_lapack_ld(s->s), ldc = cg_lapack_ld(s->m);
    int info;
    (void)env;
    cg_lapack_begin();
    cg_lapack_copy(b[3], b[2], bytes_of(s, c_elems));
    for (int64_t i = 0; i < s->batch; i++)
        ormqr[s->type](&s->opt[0], &s->opt[1], &s->m, &s->n, &s->k, entry(s, b[0], i, a_elems), &lda,
                       entry(s, b[1], i, s->k), entry(s, b[3], i, c_elems), &ldc, b[4], &s->lwork, &info, 1, 1);
    return WEFT_OK;
}

const weft_kernel weft_kernel_ormqr = { .name = "ormqr", .run = ormqr_run, .state_bytes = sizeof(cg_lapack_state) };
const struct cg_lapack cg_lapack_ormqr = { ormqr_plan, &weft_kernel_ormqr, 0 };

/* ---- gehrd: to Hessenberg form ---- */

static void (*const gehrd[])(cg_int_in, cg_int_in, cg_int_in, void *, cg_int_in, void *, void *, cg_int_in,
                             int *) = EACH(gehrd, gehrd);

static weft_status gehrd_plan(cg_custom *c, cg_lapack_state *s) {
    const weft_attr *low = cg_custom_attr(c, "low"), *high = cg_custom_attr(c, "high");
    double work[2] = { 0 }, none[2];
    const int ld = cg_lapack_ld(s->n), ask = -1;
    int info = 0;
    if (!low || low->kind != WEFT_ATTR_INT || !high || high->kind != WEFT_ATTR_INT || low->i < 1 || high->i > s->n ||
        low->i > high->i + (s->n == 0))
        return cg_custom_bad(c, "'low' and 'high' in its backend_config, from 1 to the matrix's order");
    s->low = (int32_t)low->i, s->high = (int32_t)high->i;
    gehrd[s->type](&s->n, &s->low, &s->high, none, &ld, none, work, &ask, &info);
    s->lwork = cg_lapack_answer(s, work);
    return WEFT_OK;
}

static weft_status gehrd_run(const void *state, void *const *b, const weft_run_env *env) {
    const cg_lapack_state *s = state;
    const int64_t elems = (int64_t)s->n * s->n, taus = s->n > 1 ? s->n - 1 : 0;
    const int ld = cg_lapack_ld(s->n);
    (void)env;
    cg_lapack_begin();
    cg_lapack_copy(b[1], b[0], bytes_of(s, elems));
    for (int64_t i = 0; i < s->batch; i++)
        gehrd[s->type](&s->n, &s->low, &s->high, entry(s, b[1], i, elems), &ld, entry(s, b[2], i, taus), b[4],
                       &s->lwork, (int *)b[3] + i);
    return WEFT_OK;
}

const weft_kernel weft_kernel_gehrd = { .name = "gehrd", .run = gehrd_run, .state_bytes = sizeof(cg_lapack_state) };
const struct cg_lapack cg_lapack_gehrd = { gehrd_plan, &weft_kernel_gehrd, 1 };

/* ---- sytrd, hetrd: to tridiagonal form ---- */

static void (*const sytrd[])(cg_opt, cg_int_in, void *, cg_int_in, void *, void *, void *, void *, cg_int_in, int *,
                             size_t) = EACH(sytrd, hetrd);

static weft_status sytrd_plan(cg_custom *c, cg_lapack_state *s) {
    double work[2] = { 0 }, none[2];
    const int ld = cg_lapack_ld(s->n), ask = -1;
    int info = 0;
    weft_status st = cg_lapack_letter(c, "uplo", "LU", &s->opt[0]);
    if (st != WEFT_OK) return st;
    sytrd[s->type](&s->opt[0], &s->n, none, &ld, none, none, none, work, &ask, &info, 1);
    s->lwork = cg_lapack_answer(s, work);
    return WEFT_OK;
}

static weft_status sytrd_run(const void *state, void *const *b, const weft_run_env *env) {
    const cg_lapack_state *s = state;
    const int64_t elems = (int64_t)s->n * s->n, off = s->n > 1 ? s->n - 1 : 0;
    const int ld = cg_lapack_ld(s->n);
    (void)env;
    cg_lapack_begin();
    cg_lapack_copy(b[1], b[0], bytes_of(s, elems));
    for (int64_t i = 0; i < s->batch; i++)
        sytrd[s->type](&s->opt[0], &s->n, entry(s, b[1], i, elems), &ld, real_entry(s, b[2], i, s->n),
                       real_entry(s, b[3], i, off), entry(s, b[4], i, off), b[6], &s->lwork, (int *)b[5] + i, 1);
    return WEFT_OK;
}

const weft_kernel weft_kernel_sytrd = { .name = "sytrd", .run = sytrd_run, .state_bytes = sizeof(cg_lapack_state) };
const struct cg_lapack cg_lapack_sytrd = { sytrd_plan, &weft_kernel_sytrd, 1 };

/* ---- gtsv: tridiagonal systems; the first element of the lower diagonal and the last of the upper are not used --- */

static void (*const gtsv[])(cg_int_in, cg_int_in, void *, void *, void *, void *, cg_int_in, int *) = EACH(gtsv, gtsv);

static weft_status gtsv_run(const void *state, void *const *b, const weft_run_env *env) {
    const cg_lapack_state *s = state;
    const int64_t elems = (int64_t)s->n * s->k;
    const int ld = cg_lapack_ld(s->n);
    (void)env;
    cg_lapack_begin();
    for (int i = 0; i < 4; i++) cg_lapack_copy(b[4 + i], b[i], bytes_of(s, i < 3 ? s->n : elems));
    for (int64_t i = 0; i < s->batch; i++) {
        char *lower = entry(s, b[4], i, s->n);
        if (s->n > 1) lower += cg_lapack_bytes(s);
        gtsv[s->type](&s->n, &s->k, lower, entry(s, b[5], i, s->n), entry(s, b[6], i, s->n), entry(s, b[7], i, elems),
                      &ld, (int *)b[8] + i);
    }
    return WEFT_OK;
}

const weft_kernel weft_kernel_gtsv = { .name = "gtsv", .run = gtsv_run, .state_bytes = sizeof(cg_lapack_state) };
const struct cg_lapack cg_lapack_gtsv = { no_plan, &weft_kernel_gtsv, 15 };
