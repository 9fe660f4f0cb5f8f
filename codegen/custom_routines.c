/* custom_routines.c: LAPACK's routines as custom calls have them: the letters of backend_config, and dimensions that
 * fit. Workspace is what the routine asks for (exec/kernels/lapack_factor.c, lapack_eigen.c). */
#include "codegen/custom_lapack.h"
#include "ir/signature.h"

static weft_status trsm_plan(cg_custom *c, weft_lapack_state *s) {
    weft_status st = cg_lapack_letter(c, "side", "LR", &s->opt[0]);
    if (st == WEFT_OK) st = cg_lapack_letter(c, "uplo", "LU", &s->opt[1]);
    if (st == WEFT_OK) st = cg_lapack_letter(c, "trans_x", "NTC", &s->opt[2]);
    if (st == WEFT_OK) st = cg_lapack_letter(c, "diag", "NU", &s->opt[3]);
    if (st != WEFT_OK || s->s == (s->opt[0] == 'L' ? s->m : s->n)) return st;
    return cg_custom_bad(c, "a triangular matrix that fits the side it stands on");
}

static weft_status potrf_plan(cg_custom *c, weft_lapack_state *s) {
    return cg_lapack_letter(c, "uplo", "LU", &s->opt[0]);
}

static weft_status orgqr_plan(cg_custom *c, weft_lapack_state *s) {
    if (s->n <= s->m && s->k <= s->n) return WEFT_OK;
    return cg_custom_bad(c, "no more columns than rows and no more reflectors than columns");
}

static weft_status ormqr_plan(cg_custom *c, weft_lapack_state *s) {
    const weft_attr *left = weft_custom_call_config(c->op, "left"),
                    *transpose = weft_custom_call_config(c->op, "transpose");
    if (!left || left->kind != WEFT_ATTR_BOOL || !transpose || transpose->kind != WEFT_ATTR_BOOL)
        return cg_custom_bad(c, "'left' and 'transpose' in its backend_config");
    s->opt[0] = left->i ? 'L' : 'R';
    s->opt[1] = !transpose->i ? 'N' : s->type < 2 ? 'T' : 'C';
    if (s->s == (left->i ? s->m : s->n) && s->k <= s->s) return WEFT_OK;
    return cg_custom_bad(c, "reflectors that fit the side they stand on");
}

static weft_status gehrd_plan(cg_custom *c, weft_lapack_state *s) {
    const weft_attr *low = weft_custom_call_config(c->op, "low"), *high = weft_custom_call_config(c->op, "high");
    if (!low || low->kind != WEFT_ATTR_INT || !high || high->kind != WEFT_ATTR_INT || low->i < 1 || high->i > s->n ||
        low->i > high->i + (s->n == 0))
        return cg_custom_bad(c, "'low' and 'high' in its backend_config, from 1 to the matrix's order");
    s->low = (int32_t)low->i, s->high = (int32_t)high->i;
    return WEFT_OK;
}

static weft_status sytrd_plan(cg_custom *c, weft_lapack_state *s) {
    return cg_lapack_letter(c, "uplo", "LU", &s->opt[0]);
}

/* letter: A whole, S thin, N none */
static weft_status svd_plan(cg_custom *c, weft_lapack_state *s, int64_t (*reals)(const weft_lapack_state *s)) {
    const weft_status st = cg_lapack_letter(c, "mode", "ASN", &s->opt[0]);
    if (st != WEFT_OK) return st;
    const int32_t p = weft_lapack_min(s->m, s->n);
    const bool whole = s->u == s->m && s->v == s->n, thin = s->u == p && s->v == p;
    if (!whole && !thin) return cg_custom_bad(c, "vectors that are whole or thin");
    if ((s->opt[0] == 'A' && !whole) || (s->opt[0] == 'S' && !thin))
        return cg_custom_bad(c, "vectors as its mode says");
    return reals(s) > INT32_MAX ? cg_custom_bad(c, "smaller matrices") : WEFT_OK;
}

static weft_status gesdd_plan(cg_custom *c, weft_lapack_state *s) {
    return svd_plan(c, s, weft_lapack_gesdd_reals);
}

static weft_status gesvd_plan(cg_custom *c, weft_lapack_state *s) {
    return svd_plan(c, s, weft_lapack_gesvd_reals);
}

static weft_status syevd_plan(cg_custom *c, weft_lapack_state *s) {
    const weft_status st = cg_lapack_letter(c, "mode", "VN", &s->opt[0]);
    return st == WEFT_OK ? cg_lapack_letter(c, "uplo", "LU", &s->opt[1]) : st;
}

static weft_status geev_plan(cg_custom *c, weft_lapack_state *s) {
    const weft_status st = cg_lapack_letter(c, "compute_left", "VN", &s->opt[0]);
    return st == WEFT_OK ? cg_lapack_letter(c, "compute_right", "VN", &s->opt[1]) : st;
}

static weft_status gees_plan(cg_custom *c, weft_lapack_state *s) {
    const weft_status st = cg_lapack_letter(c, "mode", "VN", &s->opt[0]);
    /* sorting needs a function, which a program cannot name */
    return st == WEFT_OK ? cg_lapack_letter(c, "sort", "N", &s->opt[1]) : st;
}

/* ---- flops of one matrix; complex ones take four times as many ---- */

/* Golub and Van Loan, Matrix Computations, 4th edition, 3.1, 3.2, 4.2, 5.2, 7.4, 7.5, 8.3, 8.6. */
typedef struct sizes { double m, n, k, s, p, times; } sizes;

static sizes sizes_of(const weft_lapack_state *s) {
    return (sizes){ s->m, s->n, s->k, s->s, weft_lapack_min(s->m, s->n), s->type < 2 ? 1 : 4 };
}
static double cube(const weft_lapack_state *s, double factor) {
    const sizes z = sizes_of(s);
    return z.times * factor * z.n * z.n * z.n;
}

static double trsm_flops(const weft_lapack_state *s) {
    const sizes z = sizes_of(s);
    return z.times * z.s * z.m * z.n;
}
static double potrf_flops(const weft_lapack_state *s) { return cube(s, 1.0 / 3); }
static double getrf_flops(const weft_lapack_state *s) {
    const sizes z = sizes_of(s);
    return z.times * (2 * z.m * z.n * z.p - (z.m + z.n) * z.p * z.p + 2 * z.p * z.p * z.p / 3);
}
static double geqrf_flops(const weft_lapack_state *s) { return 2 * getrf_flops(s); }
static double geqp3_flops(const weft_lapack_state *s) { return geqrf_flops(s); }
static double orgqr_flops(const weft_lapack_state *s) {
    const sizes z = sizes_of(s);
    return z.times * (4 * z.m * z.n * z.k - 2 * (z.m + z.n) * z.k * z.k + 4 * z.k * z.k * z.k / 3);
}
static double ormqr_flops(const weft_lapack_state *s) {
    const sizes z = sizes_of(s);
    return z.times * 2 * z.m * z.n * z.k * (2 - (z.s > 0 ? z.k / z.s : 0));
}
static double gehrd_flops(const weft_lapack_state *s) { return cube(s, 10.0 / 3); }
static double sytrd_flops(const weft_lapack_state *s) { return cube(s, 4.0 / 3); }
static double gtsv_flops(const weft_lapack_state *s) {
    const sizes z = sizes_of(s);
    return z.times * z.n * (4 + 5 * z.k);
}
/* 8.6.3, with m the larger */
static double gesdd_flops(const weft_lapack_state *s) {
    const sizes z = sizes_of(s);
    const double most = z.m + z.n - z.p;
    if (s->opt[0] == 'N') return z.times * (4 * most * z.p * z.p - 4 * z.p * z.p * z.p / 3);
    return z.times * (s->opt[0] == 'A' ? 4 * most * most * z.p + 22 * z.p * z.p * z.p
                                       : 14 * most * z.p * z.p + 8 * z.p * z.p * z.p);
}
static double gesvd_flops(const weft_lapack_state *s) { return gesdd_flops(s); }
static double syevd_flops(const weft_lapack_state *s) { return cube(s, s->opt[0] == 'V' ? 9 : 4.0 / 3); }
static double geev_flops(const weft_lapack_state *s) {
    return cube(s, s->opt[0] == 'V' || s->opt[1] == 'V' ? 25 : 10);
}
static double gees_flops(const weft_lapack_state *s) { return cube(s, s->opt[0] == 'V' ? 25 : 10); }

#define ROUTINE(name, plan, in_place) \
    const struct cg_lapack cg_lapack_##name = { plan, &weft_lapack_##name, name##_flops, in_place };
ROUTINE(trsm, trsm_plan, 0)
ROUTINE(potrf, potrf_plan, 1)
ROUTINE(getrf, NULL, 1)
ROUTINE(geqrf, NULL, 1)
ROUTINE(geqp3, NULL, 3)
ROUTINE(orgqr, orgqr_plan, 1)
ROUTINE(ormqr, ormqr_plan, 0)
ROUTINE(gehrd, gehrd_plan, 1)
ROUTINE(sytrd, sytrd_plan, 1)
ROUTINE(gtsv, NULL, 15)
ROUTINE(gesdd, gesdd_plan, 1)
ROUTINE(gesvd, gesvd_plan, 1)
ROUTINE(syevd, syevd_plan, 1)
ROUTINE(geev, geev_plan, 0)
ROUTINE(gees, gees_plan, 1)
