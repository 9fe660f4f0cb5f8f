/* lapack_eigen.c: LAPACK's singular and eigenvalue routines, as lapack_factor.c has the others. They iterate, and some
 * of them for ever on what is not finite, so that is looked for before. */
#include "exec/kernels/lapack.h"
#include "exec/kernels/lapack_step.h"

static uint32_t reals_of(const weft_lapack_state *s) { return s->type < 2 ? 1 : 2; }

/* ---- gesdd, gesvd: singular values; letter: A whole, S thin, N none ---- */

typedef void (*svd_call)(const weft_lapack_state *s, void *a, void *values, void *u, void *vt, void *work,
                         const int *lwork, void *rwork, int *iwork, int *info);

static void (*const gesdd_real[])(la_opt, la_int, la_int, void *, la_int, void *, void *, la_int, void *,
                                  la_int, void *, la_int, int *, int *, size_t) = { sgesdd_, dgesdd_ };
static void (*const gesdd_complex[])(la_opt, la_int, la_int, void *, la_int, void *, void *, la_int, void *,
                                     la_int, void *, la_int, void *, int *, int *, size_t) = { cgesdd_, zgesdd_ };

static void gesdd(const weft_lapack_state *s, void *a, void *values, void *u, void *vt, void *work, const int *lwork,
                  void *rwork, int *iwork, int *info) {
    const int lda = weft_lapack_ld(s->m), ldvt = weft_lapack_ld(s->v);
    if (s->type < 2)
        gesdd_real[s->type](&s->opt[0], &s->m, &s->n, a, &lda, values, u, &lda, vt, &ldvt, work, lwork, iwork, info, 1);
    else
        gesdd_complex[s->type - 2](&s->opt[0], &s->m, &s->n, a, &lda, values, u, &lda, vt, &ldvt, work, lwork, rwork,
                                   iwork, info, 1);
}

static void (*const gesvd_real[])(la_opt, la_opt, la_int, la_int, void *, la_int, void *, void *, la_int,
                                  void *, la_int, void *, la_int, int *, size_t, size_t) = { sgesvd_, dgesvd_ };
static void (*const gesvd_complex[])(la_opt, la_opt, la_int, la_int, void *, la_int, void *, void *, la_int,
                                     void *, la_int, void *, la_int, void *, int *, size_t,
                                     size_t) = { cgesvd_, zgesvd_ };

static void gesvd(const weft_lapack_state *s, void *a, void *values, void *u, void *vt, void *work, const int *lwork,
                  void *rwork, int *iwork, int *info) {
    const int lda = weft_lapack_ld(s->m), ldvt = weft_lapack_ld(s->v);
    (void)iwork;
    if (s->type < 2)
        gesvd_real[s->type](&s->opt[0], &s->opt[0], &s->m, &s->n, a, &lda, values, u, &lda, vt, &ldvt, work, lwork,
                            info, 1, 1);
    else
        gesvd_complex[s->type - 2](&s->opt[0], &s->opt[0], &s->m, &s->n, a, &lda, values, u, &lda, vt, &ldvt, work,
                                   lwork, rwork, info, 1, 1);
}

/* gesdd's documentation says how many reals it wants: max(5 mn mn + 5 mn, 2 mx mn + 2 mn mn + mn), 7 mn without
 * vectors. */
int64_t weft_lapack_gesdd_reals(const weft_lapack_state *s) {
    const int64_t small = weft_lapack_min(s->m, s->n), large = weft_max_i64(s->m, s->n);
    return s->opt[0] == 'N'
               ? 7 * small
               : weft_max_i64(5 * small * small + 5 * small, 2 * large * small + 2 * small * small + small);
}

int64_t weft_lapack_gesvd_reals(const weft_lapack_state *s) { return 5 * (int64_t)weft_lapack_min(s->m, s->n); }

static void svd_ask(weft_lapack_state *s, svd_call call, int64_t reals) {
    double work[2] = { 0 }, none[2];
    int info = 0, iwork = 0;
    call(s, none, none, none, none, work, &(int){ -1 }, none, &iwork, &info);
    s->lwork = weft_lapack_answer(s, work);
    s->lrwork = s->type < 2 ? 0 : (int32_t)reals + 1;
    s->liwork = 8 * weft_lapack_min(s->m, s->n) + 1;
}

static void gesdd_ask(weft_lapack_state *s) { svd_ask(s, gesdd, weft_lapack_gesdd_reals(s)); }
static void gesvd_ask(weft_lapack_state *s) { svd_ask(s, gesvd, weft_lapack_gesvd_reals(s)); }

static void svd_one(const weft_lapack_state *s, void *const *b, int64_t i, svd_call call) {
    const int64_t a_elems = (int64_t)s->m * s->n, u_elems = (int64_t)s->m * s->u, v_elems = (int64_t)s->v * s->n,
                  p = weft_lapack_min(s->m, s->n);
    const bool none = s->opt[0] == 'N';
    char *scratch = b[6];
    int *info = (int *)b[5] + i;
    void *a = weft_lapack_copied(s, b[1], b[0], i, a_elems), *values = weft_lapack_real_entry(s, b[2], i, p),
         *u = none ? weft_lapack_zeroed(s, b[3], i, u_elems) : weft_lapack_entry(s, b[3], i, u_elems),
         *vt = none ? weft_lapack_zeroed(s, b[4], i, v_elems) : weft_lapack_entry(s, b[4], i, v_elems);
    const weft_lapack_out out[] = { { values, p, 1 }, { u, u_elems, reals_of(s) }, { vt, v_elems, reals_of(s) } };
    if (weft_lapack_finite(s, a, a_elems, info, out, 3))
        call(s, a, values, u, vt, scratch, &s->lwork, scratch + s->rwork_at, (int *)(void *)(scratch + s->iwork_at),
             info);
}

static void gesdd_one(const weft_lapack_state *s, void *const *b, int64_t i) { svd_one(s, b, i, gesdd); }
static void gesvd_one(const weft_lapack_state *s, void *const *b, int64_t i) { svd_one(s, b, i, gesvd); }

WEFT_LAPACK_KERNEL(gesdd, gesdd_ask);
WEFT_LAPACK_KERNEL(gesvd, gesvd_ask);

/* ---- syevd, heevd: symmetric and Hermitian ---- */

static void (*const syevd_real[])(la_opt, la_opt, la_int, void *, la_int, void *, void *, la_int, int *,
                                  la_int, int *, size_t, size_t) = { ssyevd_, dsyevd_ };
static void (*const heevd_complex[])(la_opt, la_opt, la_int, void *, la_int, void *, void *, la_int, void *,
                                     la_int, int *, la_int, int *, size_t, size_t) = { cheevd_, zheevd_ };

typedef struct spaces { void *work, *rwork; int *iwork; int lwork, lrwork, liwork; } spaces;

static void syevd(const weft_lapack_state *s, void *a, void *w, const spaces *x, int *info) {
    const int ld = weft_lapack_ld(s->n);
    if (s->type < 2)
        syevd_real[s->type](&s->opt[0], &s->opt[1], &s->n, a, &ld, w, x->work, &x->lwork, x->iwork, &x->liwork, info, 1,
                            1);
    else
        heevd_complex[s->type - 2](&s->opt[0], &s->opt[1], &s->n, a, &ld, w, x->work, &x->lwork, x->rwork, &x->lrwork,
                                   x->iwork, &x->liwork, info, 1, 1);
}

static void syevd_ask(weft_lapack_state *s) {
    double work[2] = { 0 }, rwork[2] = { 0 }, none[2];
    int info = 0, iwork = 1;
    syevd(s, none, none, &(spaces){ work, rwork, &iwork, -1, -1, -1 }, &info);
    s->lwork = weft_lapack_answer(s, work);
    s->lrwork = s->type < 2 ? 0 : weft_lapack_answer(s, rwork);
    s->liwork = iwork;
}

static void syevd_one(const weft_lapack_state *s, void *const *b, int64_t i) {
    const int64_t elems = (int64_t)s->n * s->n;
    char *scratch = b[4];
    const spaces x = { scratch,  scratch + s->rwork_at, (int *)(void *)(scratch + s->iwork_at), s->lwork, s->lrwork,
                       s->liwork };
    void *a = weft_lapack_copied(s, b[1], b[0], i, elems), *w = weft_lapack_real_entry(s, b[2], i, s->n);
    const weft_lapack_out out[] = { { w, s->n, 1 }, { a, elems, reals_of(s) } };
    if (weft_lapack_finite(s, a, elems, (int *)b[3] + i, out, 2)) syevd(s, a, w, &x, (int *)b[3] + i);
}

WEFT_LAPACK_KERNEL(syevd, syevd_ask);

/* ---- geev: any square matrix; letters: V vectors, N none, left and right ---- */

static void (*const geev_real[])(la_opt, la_opt, la_int, void *, la_int, void *, void *, void *, la_int,
                                 void *, la_int, void *, la_int, int *, size_t, size_t) = { sgeev_, dgeev_ };
static void (*const geev_complex[])(la_opt, la_opt, la_int, void *, la_int, void *, void *, la_int, void *,
                                    la_int, void *, la_int, void *, int *, size_t, size_t) = { cgeev_, zgeev_ };

static void geev_ask(weft_lapack_state *s) {
    double work[2] = { 0 }, none[2];
    const int ld = weft_lapack_ld(s->n), ask = -1;
    int info = 0;
    if (s->type < 2)
        geev_real[s->type](&s->opt[0], &s->opt[1], &s->n, none, &ld, none, none, none, &ld, none, &ld, work, &ask,
                           &info, 1, 1);
    else
        geev_complex[s->type - 2](&s->opt[0], &s->opt[1], &s->n, none, &ld, none, none, &ld, none, &ld, work, &ask,
                                  none, &info, 1, 1);
    s->lwork = weft_lapack_answer(s, work);
    s->lrwork = s->type < 2 ? 0 : 2 * s->n + 1;
    /* the matrix; real vectors, packed */
    s->spare_bytes = (s->type < 2 ? 3 : 1) * (int64_t)s->n * s->n * (int64_t)weft_lapack_bytes(s);
}

static double real_at(const weft_lapack_state *s, const void *p, int64_t i) {
    return s->type & 1 ? ((const double *)p)[i] : (double)((const float *)p)[i];
}
static void put_complex(const weft_lapack_state *s, void *p, int64_t i, double re, double im) {
    if (s->type & 1) ((double *)p)[2 * i] = re, ((double *)p)[2 * i + 1] = im;
    else ((float *)p)[2 * i] = (float)re, ((float *)p)[2 * i + 1] = (float)im;
}

/* A pair of complex eigenvalues has the real and the imaginary part of the first's vector in two columns; the second's
 * is its conjugate (LAPACK, dgeev). */
static void unpack(const weft_lapack_state *s, const void *wi, const void *packed, void *out) {
    for (int64_t j = 0; j < s->n; j++) {
        const bool pair = real_at(s, wi, j) != 0 && j + 1 < s->n;
        for (int64_t i = 0; i < s->n; i++) {
            const double re = real_at(s, packed, j * s->n + i), im = pair ? real_at(s, packed, (j + 1) * s->n + i) : 0;
            put_complex(s, out, j * s->n + i, re, im);
            if (pair) put_complex(s, out, (j + 1) * s->n + i, re, -im);
        }
        j += pair;
    }
}

static void geev_real_one(const weft_lapack_state *s, void *const *b, int64_t i, char *scratch) {
    const int64_t n = s->n, elems = n * n, bytes = (int64_t)weft_lapack_bytes(s);
    const int ld = weft_lapack_ld(s->n);
    char *a = scratch + s->spare_at, *left = a + elems * bytes, *right = left + elems * bytes;
    void *wr = weft_lapack_entry(s, b[1], i, n), *wi = weft_lapack_entry(s, b[2], i, n),
         *vl = (char *)b[3] + 2 * i * elems * bytes, *vr = (char *)b[4] + 2 * i * elems * bytes;
    const weft_lapack_out out[] = { { wr, n, 1 }, { wi, n, 1 }, { vl, elems, 2 }, { vr, elems, 2 } };
    int *info = (int *)b[5] + i;
    if (elems) memcpy(a, weft_lapack_entry(s, b[0], i, elems), (size_t)(elems * bytes));
    if (!weft_lapack_finite(s, a, elems, info, out, 4)) return;
    geev_real[s->type](&s->opt[0], &s->opt[1], &s->n, a, &ld, wr, wi, left, &ld, right, &ld, scratch, &s->lwork, info,
                       1, 1);
    if (s->opt[0] == 'V') unpack(s, wi, left, vl);
    if (s->opt[1] == 'V') unpack(s, wi, right, vr);
}

static void geev_complex_one(const weft_lapack_state *s, void *const *b, int64_t i, char *scratch) {
    const int64_t n = s->n, elems = n * n;
    const int ld = weft_lapack_ld(s->n);
    void *a = scratch + s->spare_at, *w = weft_lapack_entry(s, b[1], i, n), *vl = weft_lapack_entry(s, b[2], i, elems),
         *vr = weft_lapack_entry(s, b[3], i, elems);
    const weft_lapack_out out[] = { { w, n, 2 }, { vl, elems, 2 }, { vr, elems, 2 } };
    int *info = (int *)b[4] + i;
    if (elems) memcpy(a, weft_lapack_entry(s, b[0], i, elems), (size_t)elems * weft_lapack_bytes(s));
    if (!weft_lapack_finite(s, a, elems, info, out, 3)) return;
    geev_complex[s->type - 2](&s->opt[0], &s->opt[1], &s->n, a, &ld, w, vl, &ld, vr, &ld, scratch, &s->lwork,
                              scratch + s->rwork_at, info, 1, 1);
}

static void geev_one(const weft_lapack_state *s, void *const *b, int64_t i) {
    const int64_t reals = 2 * (int64_t)s->n * s->n;
    const size_t bytes = (size_t)reals * weft_lapack_real_bytes(s);
    const int first = s->type < 2 ? 3 : 2;
    for (int side = 0; side < 2; side++)
        if (s->opt[side] == 'N' && bytes) memset((char *)b[first + side] + (size_t)i * bytes, 0, bytes);
    if (s->type < 2) geev_real_one(s, b, i, b[6]);
    else geev_complex_one(s, b, i, b[5]);
}

WEFT_LAPACK_KERNEL(geev, geev_ask);

/* ---- gees: Schur form; letter: V vectors, N none ---- */

static void (*const gees_real[])(la_opt, la_opt, void *, la_int, void *, la_int, int *, void *, void *, void *,
                                 la_int, void *, la_int, int *, int *, size_t, size_t) = { sgees_, dgees_ };
static void (*const gees_complex[])(la_opt, la_opt, void *, la_int, void *, la_int, int *, void *, void *,
                                    la_int, void *, la_int, void *, int *, int *, size_t,
                                    size_t) = { cgees_, zgees_ };

static void gees_ask(weft_lapack_state *s) {
    double work[2] = { 0 }, none[2];
    const int ld = weft_lapack_ld(s->n), ask = -1;
    int info = 0, sdim = 0, bwork = 0;
    if (s->type < 2)
        gees_real[s->type](&s->opt[0], &s->opt[1], NULL, &s->n, none, &ld, &sdim, none, none, none, &ld, work, &ask,
                           &bwork, &info, 1, 1);
    else
        gees_complex[s->type - 2](&s->opt[0], &s->opt[1], NULL, &s->n, none, &ld, &sdim, none, none, &ld, work, &ask,
                                  none, &bwork, &info, 1, 1);
    s->lwork = weft_lapack_answer(s, work);
    s->lrwork = s->type < 2 ? 0 : s->n + 1;
    s->liwork = s->n + 1;
}

static void gees_one(const weft_lapack_state *s, void *const *b, int64_t i) {
    const int64_t elems = (int64_t)s->n * s->n;
    const int ld = weft_lapack_ld(s->n), at = s->type < 2 ? 5 : 4; /* of sdim */
    char *scratch = b[at + 2];
    int *bwork = (int *)(void *)(scratch + s->iwork_at), *sdim = (int *)b[at] + i, *info = (int *)b[at + 1] + i;
    void *a = weft_lapack_copied(s, b[1], b[0], i, elems),
         *vs = s->opt[0] == 'N' ? weft_lapack_zeroed(s, b[2], i, elems) : weft_lapack_entry(s, b[2], i, elems),
         *w = weft_lapack_entry(s, b[3], i, s->n), *wi = s->type < 2 ? weft_lapack_entry(s, b[4], i, s->n) : NULL;
    const weft_lapack_out out[] = {
        { a, elems, reals_of(s) }, { vs, elems, reals_of(s) }, { w, s->n, reals_of(s) }, { wi, s->n, 1 }
    };
    *sdim = 0;
    if (!weft_lapack_finite(s, a, elems, info, out, s->type < 2 ? 4 : 3)) return;
    if (s->type < 2)
        gees_real[s->type](&s->opt[0], &s->opt[1], NULL, &s->n, a, &ld, sdim, w, wi, vs, &ld, scratch, &s->lwork,
                           bwork, info, 1, 1);
    else
        gees_complex[s->type - 2](&s->opt[0], &s->opt[1], NULL, &s->n, a, &ld, sdim, w, vs, &ld, scratch, &s->lwork,
                                  scratch + s->rwork_at, bwork, info, 1, 1);
}

WEFT_LAPACK_KERNEL(gees, gees_ask);
