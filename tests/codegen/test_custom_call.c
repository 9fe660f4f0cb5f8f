/* Custom calls: jaxlib's LAPACK targets in four types, in batches, checked by the equations that they must satisfy;
 * hints; the first k; refusals. */
#include <math.h>
#include <stdio.h>
#include "tests/codegen/tensor.h"
#include "tests/codegen/walk.h"
#include "tests/support/suite.h"

enum { BATCH = 2, M = 6, N = 4 };

static const weft_dtype types[] = { WEFT_F32, WEFT_F64, WEFT_C64, WEFT_C128 };
static const char letters[] = "sdcz";

static bool is_complex(int t) { return t >= 2; }
static weft_dtype real_of(int t) { return t & 1 ? WEFT_F64 : WEFT_F32; }
static weft_dtype complex_of(int t) { return t & 1 ? WEFT_C128 : WEFT_C64; }
static double limit(int t) { return 200 * tensor_epsilon(types[t]); }

/* ---- programs: one call; values are "Tmn", "Rn", "I": a type and its dimensions after the batch ---- */

typedef struct value { char kind; int dims[2], n; } value;

static value word(const char *p) {
    value v = { .kind = p[0] };
    for (p++; *p >= '0' && *p <= '9'; p++) v.dims[v.n++] = *p - '0';
    return v;
}

static weft_dtype dtype_of(const value *v, int t) {
    return v->kind == 'I' ? WEFT_I32 : v->kind == 'R' ? real_of(t) : v->kind == 'C' ? complex_of(t) : types[t];
}

static void put_type(char *out, const value *v, int t) {
    char *p = out + sprintf(out, "tensor<%dx", BATCH);
    for (int i = 0; i < v->n; i++) p += sprintf(p, "%dx", v->dims[i]);
    sprintf(p, "%s>", weft_dtype_of(dtype_of(v, t))->name);
}

static const char *layout(const value *v) {
    return v->n == 2   ? "dense<[1, 2, 0]> : tensor<3xindex>"
           : v->n == 1 ? "dense<[1, 0]> : tensor<2xindex>"
                       : "dense<0> : tensor<1xindex>";
}

/* What is between two words of a list: types, layouts or names, separated by commas. */
static void list(char *out, const char *words, int t, int what) {
    out[0] = 0;
    for (int i = 0; *words; i++, words += strcspn(words, " "), words += strspn(words, " ")) {
        const value v = word(words);
        out += sprintf(out, "%s", i ? ", " : "");
        if (what == 0) put_type(out, &v, t);
        else if (what == 1) sprintf(out, "%s", layout(&v));
        else if (what == 2) sprintf(out, "%%a%d", i);
        else sprintf(out, "%%a%d: ", i), put_type(out + strlen(out), &v, t);
        out += strlen(out);
    }
}

static void program(char *text, size_t size, const char *target, int t, const char *in, const char *out,
                    const char *config) {
    char types_in[512], types_out[512], layouts_in[512], layouts_out[512], names[64], args[512], returned[128] = "";
    int results = 0;
    for (const char *p = out; *p; p += strcspn(p, " "), p += strspn(p, " "))
        sprintf(returned + strlen(returned), "%s%%r#%d", results ? ", " : "", results), results++;
    list(types_in, in, t, 0), list(types_out, out, t, 0), list(layouts_in, in, t, 1), list(layouts_out, out, t, 1),
        list(names, in, t, 2), list(args, in, t, 3);
    snprintf(
        text, size,
        "func.func @main(%s) -> (%s) {\n %%r:%d = stablehlo.custom_call @%s(%s) {backend_config = \"\", mhlo.backend_config = {%s}, operand_layouts = [%s], result_layouts = [%s]} : (%s) -> (%s)\n"
        " return %s : %s\n}\n",
        args, types_out, results, target, names, config, layouts_in, layouts_out, types_in, types_out, returned,
        types_out);
}

static void call(const char *real, const char *complex_name, int t, const char *in, const char *out, const char *config,
                 void *const *args, void **results) {
    char text[4096], target[64];
    snprintf(target, sizeof target, "lapack_%c%s_ffi", letters[t], is_complex(t) ? complex_name : real);
    program(text, sizeof text, target, t, in, out, config);
    tensor_run(text, args, results);
}

static void drop(void **p, int n) {
    for (int i = 0; i < n; i++) free(p[i]);
}

/* ---- small matrices, row by row ---- */

typedef struct mat { int m, n; num v[9 * 9]; } mat;

static mat matrix(weft_dtype t, const void *p, int batch, int m, int n) {
    mat a = { .m = m, .n = n };
    for (int i = 0; i < m * n; i++) a.v[i] = tensor_get(t, p, batch * m * n + i);
    return a;
}
static mat product(const mat *a, const mat *b) {
    mat c = { .m = a->m, .n = b->n };
    for (int i = 0; i < c.m; i++)
        for (int j = 0; j < c.n; j++)
            for (int k = 0; k < a->n; k++) c.v[i * c.n + j] += a->v[i * a->n + k] * b->v[k * b->n + j];
    return c;
}
static mat adjoint(const mat *a) {
    mat c = { .m = a->n, .n = a->m };
    for (int i = 0; i < a->m; i++)
        for (int j = 0; j < a->n; j++) c.v[j * c.n + i] = conj(a->v[i * a->n + j]);
    return c;
}
static mat diagonal(const num *d, int m, int n) {
    mat c = { .m = m, .n = n };
    for (int i = 0; i < m && i < n; i++) c.v[i * n + i] = d[i];
    return c;
}
static mat triangle(const mat *a, int m, bool upper, bool unit) {
    mat c = { .m = m, .n = a->n };
    for (int i = 0; i < m; i++)
        for (int j = 0; j < a->n; j++)
            if (i == j && unit) c.v[i * c.n + j] = 1;
            else if (upper ? j >= i : j <= i) c.v[i * c.n + j] = a->v[i * a->n + j];
    return c;
}
static mat columns(const mat *a, int n) {
    mat c = { .m = a->m, .n = n };
    for (int i = 0; i < a->m; i++)
        for (int j = 0; j < n; j++) c.v[i * n + j] = a->v[i * a->n + j];
    return c;
}
static mat rows(const mat *a, int m) {
    mat c = *a;
    c.m = m;
    return c;
}
static void vector(weft_dtype t, const void *p, int batch, int n, num *out) {
    for (int i = 0; i < n; i++) out[i] = tensor_get(t, p, batch * n + i);
}
static void same(const char *what, int t, const mat *a, const mat *b) {
    ck_assert_msg(a->m == b->m && a->n == b->n, "%s: %dx%d and %dx%d", what, a->m, a->n, b->m, b->n);
    for (int i = 0; i < a->m * a->n; i++)
        ck_assert_msg(cabs(a->v[i] - b->v[i]) <= limit(t), "%s, %s, number %d: %g%+gi and %g%+gi", what,
                      weft_dtype_of(types[t])->name, i, creal(a->v[i]), cimag(a->v[i]), creal(b->v[i]), cimag(b->v[i]));
}
static void unitary(const char *what, int t, const mat *q) {
    const num ones[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    const mat h = adjoint(q), p = product(&h, q), one = diagonal(ones, q->n, q->n);
    same(what, t, &p, &one);
}
static int info(const void *p, int batch) { return ((const int32_t *)p)[batch]; }
static double norm(const mat *a) {
    double sum = 0;
    for (int i = 0; i < a->m * a->n; i++) sum += creal(a->v[i] * conj(a->v[i]));
    return sqrt(sum);
}

/* a + a^H, plus n on the diagonal where it is to be positive. */
static void *hermitian(int t, int n, bool is_positive) {
    void *a = tensor_random(types[t], BATCH * n * n, 11);
    for (int b = 0; b < BATCH; b++) {
        const mat x = matrix(types[t], a, b, n, n), h = adjoint(&x);
        for (int i = 0; i < n * n; i++)
            tensor_put(types[t], a, b * n * n + i, x.v[i] + h.v[i] + (is_positive && i % (n + 1) == 0 ? 3.0 * n : 0));
    }
    return a;
}

START_TEST(test_potrf) {
    void *a = hermitian(_i, N, true), *r[2];
    for (int upper = 0; upper < 2; upper++) {
        call("potrf", "potrf", _i, "T44", "T44 I", upper ? "uplo = 85 : ui8" : "uplo = 76 : ui8", (void *[]){ a }, r);
        for (int b = 0; b < BATCH; b++) {
            const mat x = matrix(types[_i], a, b, N, N), f = matrix(types[_i], r[0], b, N, N),
                      l = triangle(&f, N, upper, false), h = adjoint(&l), p = upper ? product(&h, &l) : product(&l, &h);
            ck_assert_int_eq(info(r[1], b), 0);
            same("potrf", _i, &p, &x);
        }
        drop(r, 2);
    }
    free(a);
    a = hermitian(_i, N, false);
    tensor_put(types[_i], a, 0, -1); /* the leading minor of order 1 is not positive */
    call("potrf", "potrf", _i, "T44", "T44 I", "uplo = 76 : ui8", (void *[]){ a }, r);
    ck_assert_int_eq(info(r[1], 0), 1);
    drop(r, 2), free(a);
}
END_TEST

static void check_lu(int t, int m, int n, const char *in, const char *out) {
    void *a = tensor_random(types[t], BATCH * m * n, 3), *r[3];
    const int p = m < n ? m : n;
    call("getrf", "getrf", t, in, out, "", (void *[]){ a }, r);
    for (int b = 0; b < BATCH; b++) {
        const mat x = matrix(types[t], a, b, m, n), f = matrix(types[t], r[0], b, m, n), left = columns(&f, p),
                  l = triangle(&left, m, false, true), u = triangle(&f, p, true, false);
        mat y = product(&l, &u);
        ck_assert_int_eq(info(r[2], b), 0);
        for (int i = p; i-- > 0;) { /* exchanges, last first */
            const int k = ((const int32_t *)r[1])[b * p + i] - 1;
            ck_assert(k >= i && k < m);
            for (int j = 0; j < n; j++) {
                const num v = y.v[i * n + j];
                y.v[i * n + j] = y.v[k * n + j], y.v[k * n + j] = v;
            }
        }
        same("getrf", t, &y, &x);
    }
    drop(r, 3), free(a);
}

START_TEST(test_getrf) {
    check_lu(_i, M, N, "T64", "T64 I4 I");
    check_lu(_i, N, M, "T46", "T46 I4 I");
    check_lu(_i, 9, 9, "T99", "T99 I9 I"); /* larger than those of lapack_small.h */
    check_lu(_i, 9, 3, "T93", "T93 I3 I");
    check_lu(_i, 1, 1, "T11", "T11 I1 I");
}
END_TEST

START_TEST(test_qr) {
    void *a = tensor_random(types[_i], BATCH * M * N, 4), *f[3], *q[1], *pivots = walk_buffer(BATCH * N * 4),
         *c = tensor_random(types[_i], BATCH * M * 3, 5), *qc[1];
    for (int pivoted = 0; pivoted < 2; pivoted++) {
        if (pivoted) call("geqp3", "geqp3", _i, "T64 I4", "T64 I4 T4", "", (void *[]){ a, pivots }, f);
        else call("geqrf", "geqrf", _i, "T64", "T64 T4", "", (void *[]){ a }, f);
        void *tau = f[pivoted ? 2 : 1];
        call("orgqr", "ungqr", _i, "T64 T4", "T64", "", (void *[]){ f[0], tau }, q);
        call("ormqr", "unmqr", _i, "T64 T4 T63", "T63", "left = true, transpose = true", (void *[]){ f[0], tau, c },
             qc);
        for (int b = 0; b < BATCH; b++) {
            const mat x = matrix(types[_i], a, b, M, N), fb = matrix(types[_i], f[0], b, M, N),
                      qb = matrix(types[_i], q[0], b, M, N), r = triangle(&fb, N, true, false), p = product(&qb, &r);
            mat want = x;
            for (int i = 0; pivoted && i < M; i++)
                for (int j = 0; j < N; j++) want.v[i * N + j] = x.v[i * N + ((const int32_t *)f[1])[b * N + j] - 1];
            unitary("orgqr", _i, &qb);
            same("geqrf", _i, &p, &want);
            const mat cb = matrix(types[_i], c, b, M, 3), h = adjoint(&qb), hc = product(&h, &cb),
                      got = matrix(types[_i], qc[0], b, M, 3), top = rows(&got, N);
            same("ormqr", _i, &top, &hc);
        }
        drop(f, pivoted ? 3 : 2), drop(q, 1), drop(qc, 1);
    }
    free(a), free(pivots), free(c);
}
END_TEST

static void check_svd(int t, const char *name, int m, int n, bool whole) {
    const int p = m < n ? m : n, u_columns = whole ? m : p, v_rows = whole ? n : p;
    char in[16], out[64];
    void *a = tensor_random(types[t], BATCH * m * n, 7), *r[5];
    sprintf(in, "T%d%d", m, n);
    sprintf(out, "T%d%d R%d T%d%d T%d%d I", m, n, p, m, u_columns, v_rows, n);
    call(name, name, t, in, out, whole ? "mode = 65 : ui8" : "mode = 83 : ui8", (void *[]){ a }, r);
    for (int b = 0; b < BATCH; b++) {
        num s[8];
        vector(real_of(t), r[1], b, p, s);
        const mat x = matrix(types[t], a, b, m, n), u = matrix(types[t], r[2], b, m, u_columns),
                  vt = matrix(types[t], r[3], b, v_rows, n), v = adjoint(&vt);
        const mat d = diagonal(s, u_columns, v_rows), us = product(&u, &d), y = product(&us, &vt);
        ck_assert_int_eq(info(r[4], b), 0);
        unitary(name, t, &u), unitary(name, t, &v);
        same(name, t, &y, &x);
        for (int i = 0; i + 1 < p; i++) ck_assert(creal(s[i]) >= creal(s[i + 1]) && creal(s[i + 1]) >= 0);
    }
    drop(r, 5), free(a);
}

START_TEST(test_svd) {
    static const char *const names[] = { "gesdd", "gesvd" };
    for (int i = 0; i < 2; i++)
        for (int whole = 0; whole < 2; whole++)
            check_svd(_i, names[i], M, N, whole), check_svd(_i, names[i], N, M, whole),
                check_svd(_i, names[i], N, N, whole);
}
END_TEST

START_TEST(test_syevd) {
    void *a = hermitian(_i, N, false), *r[3];
    call("syevd", "heevd", _i, "T44", "T44 R4 I", "mode = 86 : ui8, uplo = 76 : ui8", (void *[]){ a }, r);
    for (int b = 0; b < BATCH; b++) {
        num w[N];
        vector(real_of(_i), r[1], b, N, w);
        const mat x = matrix(types[_i], a, b, N, N), v = matrix(types[_i], r[0], b, N, N), d = diagonal(w, N, N),
                  xv = product(&x, &v), vd = product(&v, &d);
        ck_assert_int_eq(info(r[2], b), 0);
        unitary("syevd", _i, &v);
        same("syevd", _i, &xv, &vd);
    }
    drop(r, 3), free(a);
}
END_TEST

START_TEST(test_geev) {
    void *a = tensor_random(types[_i], BATCH * N * N, 8), *r[5];
    const bool z = is_complex(_i);
    call("geev", "geev", _i, "T44", z ? "T4 T44 T44 I" : "T4 T4 C44 C44 I",
         "compute_left = 86 : ui8, compute_right = 86 : ui8", (void *[]){ a }, r);
    for (int b = 0; b < BATCH; b++) {
        num w[N], wi[N] = { 0 };
        vector(types[_i], r[0], b, N, w);
        if (!z) vector(types[_i], r[1], b, N, wi);
        for (int i = 0; i < N; i++) w[i] += I * wi[i];
        const mat x = matrix(types[_i], a, b, N, N), d = diagonal(w, N, N),
                  l = matrix(complex_of(_i), r[z ? 1 : 2], b, N, N), v = matrix(complex_of(_i), r[z ? 2 : 3], b, N, N);
        const mat xv = product(&x, &v), vd = product(&v, &d), h = adjoint(&l), hx = product(&h, &x),
                  dh = product(&d, &h);
        ck_assert_int_eq(info(r[z ? 3 : 4], b), 0);
        same("geev, right", _i, &xv, &vd);
        same("geev, left", _i, &hx, &dh);
        for (int j = 0; j < N; j++) { /* of length 1 */
            double length = 0;
            for (int i = 0; i < N; i++) length += creal(v.v[i * N + j] * conj(v.v[i * N + j]));
            ck_assert(fabs(length - 1) < limit(_i));
        }
    }
    drop(r, z ? 4 : 5), free(a);
}
END_TEST

START_TEST(test_gees) {
    void *a = tensor_random(types[_i], BATCH * N * N, 8), *r[6];
    const bool z = is_complex(_i);
    call("gees", "gees", _i, "T44", z ? "T44 T44 T4 I I" : "T44 T44 T4 T4 I I", "mode = 86 : ui8, sort = 78 : ui8",
         (void *[]){ a }, r);
    for (int b = 0; b < BATCH; b++) {
        const mat x = matrix(types[_i], a, b, N, N), s = matrix(types[_i], r[0], b, N, N),
                  q = matrix(types[_i], r[1], b, N, N), h = adjoint(&q), qs = product(&q, &s), y = product(&qs, &h);
        ck_assert_int_eq(info(r[z ? 4 : 5], b), 0);
        ck_assert_int_eq(info(r[z ? 3 : 4], b), 0);
        unitary("gees", _i, &q);
        same("gees", _i, &y, &x);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < i - (z ? 0 : 1); j++) ck_assert(s.v[i * N + j] == 0);
    }
    drop(r, z ? 5 : 6), free(a);
}
END_TEST

/* Similarity keeps the trace and the norm. */
START_TEST(test_reductions) {
    void *a = tensor_random(types[_i], BATCH * N * N, 9), *s = hermitian(_i, N, false), *r[5];
    call("gehrd", "gehrd", _i, "T44", "T44 T3 I", "low = 1 : i32, high = 4 : i32", (void *[]){ a }, r);
    for (int b = 0; b < BATCH; b++) {
        const mat x = matrix(types[_i], a, b, N, N);
        mat h = matrix(types[_i], r[0], b, N, N);
        num trace = 0;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                if (j + 1 < i) h.v[i * N + j] = 0;
        for (int i = 0; i < N; i++) trace += h.v[i * N + i] - x.v[i * N + i];
        ck_assert_int_eq(info(r[2], b), 0);
        ck_assert(cabs(trace) < limit(_i) && fabs(norm(&h) - norm(&x)) < limit(_i));
    }
    drop(r, 3);
    call("sytrd", "hetrd", _i, "T44", "T44 R4 R3 T3 I", "uplo = 76 : ui8", (void *[]){ s }, r);
    for (int b = 0; b < BATCH; b++) {
        const mat x = matrix(types[_i], s, b, N, N);
        num d[N], e[N - 1], trace = 0;
        double squares = 0;
        vector(real_of(_i), r[1], b, N, d), vector(real_of(_i), r[2], b, N - 1, e);
        for (int i = 0; i < N; i++) trace += d[i] - x.v[i * N + i], squares += creal(d[i] * d[i]);
        for (int i = 0; i < N - 1; i++) squares += 2 * creal(e[i] * e[i]);
        ck_assert_int_eq(info(r[4], b), 0);
        ck_assert(cabs(trace) < limit(_i) && fabs(sqrt(squares) - norm(&x)) < limit(_i));
    }
    drop(r, 5), free(a), free(s);
}
END_TEST

/* The second of the batch has a column of zeros: the number of the first pivot that is 0, and the rest is done. */
START_TEST(test_singular) {
    for (int n = 3; n <= 9; n += 6) {
        void *a = tensor_random(types[_i], BATCH * n * n, 19), *r[3];
        for (int i = 0; i < n; i++) tensor_put(types[_i], a, (n + i) * n + 1, 0);
        call("getrf", "getrf", _i, n == 3 ? "T33" : "T99", n == 3 ? "T33 I3 I" : "T99 I9 I", "", (void *[]){ a }, r);
        ck_assert_int_eq(info(r[2], 0), 0);
        ck_assert_int_eq(info(r[2], 1), 2);
        for (int i = 0; i < n * n; i++) ck_assert(isfinite(creal(tensor_get(types[_i], r[0], i))));
        drop(r, 3), free(a);
    }
}
END_TEST

/* Every letter, for orders of both ways. */
static void check_trsm(int t, int n, bool right, bool upper, int trans, bool unit) {
    char in[16], out[8], config[128];
    void *a = tensor_random(types[t], BATCH * n * n, 20), *y = tensor_random(types[t], BATCH * n * 3, 21), *r[1];
    const int m = right ? 3 : n, k = right ? n : 3;
    for (int i = 0; i < BATCH * n * n; i++)
        tensor_put(types[t], a, i,
                   i % (n * n) % (n + 1) == 0 ? 2 + tensor_get(types[t], a, i) : tensor_get(types[t], a, i) / n);
    sprintf(in, "T%d%d T%d%d", n, n, m, k), sprintf(out, "T%d%d", m, k);
    sprintf(config, "side = %d : ui8, uplo = %d : ui8, trans_x = %d : ui8, diag = %d : ui8", right ? 'R' : 'L',
            upper ? 'U' : 'L', "NTC"[trans], unit ? 'U' : 'N');
    call("trsm", "trsm", t, in, out, config, (void *[]){ a, y }, r);
    for (int b = 0; b < BATCH; b++) {
        const mat x = matrix(types[t], a, b, n, n), s = matrix(types[t], r[0], b, m, k),
                  want = matrix(types[t], y, b, m, k);
        mat l = triangle(&x, n, upper, unit);
        if (trans) l = adjoint(&l);
        for (int i = 0; i < n * n && trans == 1; i++) l.v[i] = conj(l.v[i]);
        const mat got = right ? product(&s, &l) : product(&l, &s);
        same("trsm", t, &got, &want);
    }
    drop(r, 1), free(a), free(y);
}

START_TEST(test_trsm) {
    for (int way = 0; way < 48; way++)
        check_trsm(_i, way & 1 ? 9 : 5, way >> 1 & 1, way >> 2 & 1, way / 16, way >> 3 & 1);
}
END_TEST

START_TEST(test_solvers) {
    void *a = tensor_random(types[_i], BATCH * N * N, 13), *y = tensor_random(types[_i], BATCH * N * 3, 14), *d[3],
         *r[5];
    for (int i = 0; i < BATCH * N * N; i++)
        if (i % (N * N) % (N + 1) == 0) tensor_put(types[_i], a, i, 3 + tensor_get(types[_i], a, i));
    call("trsm", "trsm", _i, "T44 T43", "T43", "side = 76 : ui8, uplo = 76 : ui8, trans_x = 67 : ui8, diag = 78 : ui8",
         (void *[]){ a, y }, r);
    for (int b = 0; b < BATCH; b++) {
        const mat x = matrix(types[_i], a, b, N, N), l = triangle(&x, N, false, false), h = adjoint(&l),
                  s = matrix(types[_i], r[0], b, N, 3), got = product(&h, &s), want = matrix(types[_i], y, b, N, 3);
        same("trsm", _i, &got, &want);
    }
    drop(r, 1);
    for (int i = 0; i < 3; i++) d[i] = tensor_random(types[_i], BATCH * N, 15 + (uint64_t)i);
    for (int i = 0; i < BATCH * N; i++) tensor_put(types[_i], d[1], i, 4 + tensor_get(types[_i], d[1], i));
    call("gtsv", "gtsv", _i, "T4 T4 T4 T43", "T4 T4 T4 T43 I", "", (void *[]){ d[0], d[1], d[2], y }, r);
    for (int b = 0; b < BATCH; b++) {
        mat x = { .m = N, .n = N };
        for (int i = 0; i < N; i++) {
            x.v[i * N + i] = tensor_get(types[_i], d[1], b * N + i);
            if (i) x.v[i * N + i - 1] = tensor_get(types[_i], d[0], b * N + i);
            if (i + 1 < N) x.v[i * N + i + 1] = tensor_get(types[_i], d[2], b * N + i);
        }
        const mat s = matrix(types[_i], r[3], b, N, 3), got = product(&x, &s), want = matrix(types[_i], y, b, N, 3);
        ck_assert_int_eq(info(r[4], b), 0);
        same("gtsv", _i, &got, &want);
    }
    drop(r, 5), drop(d, 3), free(a), free(y);
}
END_TEST

/* Routines that would not end are not begun: one entry of the batch says so, the other is computed. */
START_TEST(test_not_finite) {
    static const struct { const char *real, *complex_name, *out[2], *config; int results; } calls[] = {
        { "gesdd", "gesdd", { "T44 R4 T44 T44 I", "T44 R4 T44 T44 I" }, "mode = 83 : ui8", 5 },
        { "gesvd", "gesvd", { "T44 R4 T44 T44 I", "T44 R4 T44 T44 I" }, "mode = 83 : ui8", 5 },
        { "syevd", "heevd", { "T44 R4 I", "T44 R4 I" }, "mode = 86 : ui8, uplo = 76 : ui8", 3 },
        { "geev", "geev", { "T4 T4 C44 C44 I", "T4 T44 T44 I" }, "compute_left = 86 : ui8, compute_right = 78 : ui8", 5 },
        { "gees", "gees", { "T44 T44 T4 T4 I I", "T44 T44 T4 I I" }, "mode = 86 : ui8, sort = 78 : ui8", 6 },
    };
    for (size_t i = 0; i < WEFT_COUNT(calls); i++) {
        void *a = hermitian(_i, N, true), *r[6];
        const int last = calls[i].results - 1 - (is_complex(_i) && i >= 3);
        tensor_put(types[_i], a, N * N + 5, i & 1 ? INFINITY : NAN);
        call(calls[i].real, calls[i].complex_name, _i, "T44", calls[i].out[is_complex(_i)], calls[i].config,
             (void *[]){ a }, r);
        ck_assert_int_eq(info(r[last], 0), 0);
        ck_assert_int_eq(info(r[last], 1), -4);
        drop(r, last + 1), free(a);
    }
}
END_TEST

/* ---- the others ---- */

START_TEST(test_hints) {
    float *x = walk_buffer(8);
    void *r[2];
    x[0] = 3, x[1] = -2;
    tensor_run(
        "func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<3xi8>) {\n stablehlo.custom_call @dce_sink(%x) {has_side_effect = true} : (tensor<2xf32>) -> ()\n"
        " %a = stablehlo.custom_call @annotate_device_placement(%x) {has_side_effect = true} : (tensor<2xf32>) -> tensor<2xf32>\n"
        " %b = stablehlo.custom_call @LayoutConstraint(%a) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<2xf32>) -> tensor<2xf32>\n"
        " %c = stablehlo.custom_call @AllocateBuffer() : () -> tensor<3xi8>\n return %b, %c : tensor<2xf32>, tensor<3xi8>\n}\n",
        (void *[]){ x }, r);
    ck_assert_mem_eq(r[0], x, 8);
    ck_assert_mem_eq(r[1], "\0\0\0", 3);
    drop(r, 2), free(x);
}
END_TEST

START_TEST(test_first_k) {
    static const float given[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };
    float *x = walk_buffer(sizeof given);
    void *r[4];
    memcpy(x, given, sizeof given);
    tensor_run(
        "func.func @less(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %k: tensor<i32>) -> tensor<i1> {\n %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
        " return %c : tensor<i1>\n}\nfunc.func @main(%x: tensor<8xf32>) -> (tensor<3xf32>, tensor<3xi32>, tensor<2xf32>, tensor<2xi32>) {\n %i = stablehlo.iota dim = 0 : tensor<8xi32>\n"
        " %z = stablehlo.constant dense<0.0> : tensor<f32>\n %n = stablehlo.constant dense<-1> : tensor<i32>\n"
        " %r:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %z, %n) {called_computations = [@less], mhlo.backend_config = {reduction_dim = 0 : i64, top_k = 3 : i64}} :"
        " (tensor<8xf32>, tensor<8xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)\n"
        " %s:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.backend_config = {k = 2 : i64, largest = true}} : (tensor<8xf32>) -> (tensor<2xf32>, tensor<2xi32>)\n"
        " return %r#0, %r#1, %s#0, %s#1 : tensor<3xf32>, tensor<3xi32>, tensor<2xf32>, tensor<2xi32>\n}\n",
        (void *[]){ x }, r);
    ck_assert_mem_eq(r[0], ((const float[]){ 1, 1, 2 }), 12);
    ck_assert_mem_eq(r[1], ((const int32_t[]){ 1, 3, 6 }), 12);
    ck_assert_mem_eq(r[2], ((const float[]){ 9, 6 }), 8);
    ck_assert_mem_eq(r[3], ((const int32_t[]){ 5, 7 }), 8);
    drop(r, 4), free(x);
}
END_TEST

static const struct { const char *target, *in, *out, *config, *why; } refused[] = {
    { "lapack_spotrf_ffi", "T44", "T44 I", "", "backend_config of custom call 'lapack_spotrf_ffi' has no 'uplo' that is the number of one of the letters 'LU'" },
    { "lapack_spotrf_ffi", "T44", "T44 I", "uplo = 65 : ui8", "backend_config of custom call 'lapack_spotrf_ffi' has no 'uplo' that is the number of one of the letters 'LU'" },
    { "lapack_spotrf_ffi", "T34", "T34 I", "uplo = 76 : ui8", "operand 0 of custom call 'lapack_spotrf_ffi' does not have the type 'Tnn' of 'Tnn > Tnn I'" },
    { "lapack_dpotrf_ffi", "T44", "T44 I", "uplo = 76 : ui8", "operand 0 of custom call 'lapack_dpotrf_ffi' does not have the type 'Tnn' of 'Tnn > Tnn I'" },
    { "lapack_spotrf_ffi", "T44", "T44", "uplo = 76 : ui8", "custom call 'lapack_spotrf_ffi' has 1 operands and 1 results, expected 'Tnn > Tnn I'" },
    { "lapack_sgetrf_ffi", "T64", "T64 I6 I", "", "result 1 of custom call 'lapack_sgetrf_ffi' does not have the type 'Ip' of 'Tmn > Tmn Ip I'" },
    { "lapack_sgetrf_ffi", "T64", "T64 R4 I", "", "result 1 of custom call 'lapack_sgetrf_ffi' does not have the type 'Ip' of 'Tmn > Tmn Ip I'" },
    { "lapack_sgesdd_ffi", "T64", "T64 R4 T64 T44 I", "mode = 65 : ui8", "custom call 'lapack_sgesdd_ffi' needs vectors as its mode says" },
    { "lapack_sgesdd_ffi", "T64", "T64 R4 T65 T44 I", "mode = 78 : ui8", "custom call 'lapack_sgesdd_ffi' needs vectors that are whole or thin" },
    { "lapack_sorgqr_ffi", "T46 T4", "T46", "", "custom call 'lapack_sorgqr_ffi' needs no more columns than rows and no more reflectors than columns" },
    { "lapack_sormqr_ffi", "T64 T4 T63", "T63", "left = false, transpose = false", "custom call 'lapack_sormqr_ffi' needs reflectors that fit the side they stand on" },
    { "lapack_sgehrd_ffi", "T44", "T44 T3 I", "low = 1 : i32, high = 5 : i32", "custom call 'lapack_sgehrd_ffi' needs 'low' and 'high' in its backend_config, from 1 to the matrix's order" },
    { "lapack_sgees_ffi", "T44", "T44 T44 T4 T4 I I", "mode = 86 : ui8, sort = 83 : ui8", "backend_config of custom call 'lapack_sgees_ffi' has no 'sort' that is the number of one of the letters 'N'" },
    { "lapack_strsm_ffi", "T44 T63", "T63", "side = 76 : ui8, uplo = 76 : ui8, trans_x = 78 : ui8, diag = 78 : ui8", "custom call 'lapack_strsm_ffi' needs a triangular matrix that fits the side it stands on" },
    { "lapack_sfoo_ffi", "T44", "T44", "", "no code for custom call target 'lapack_sfoo_ffi'" },
    { "cpu_csr_sparse_dense_ffi", "T5 I4 I4 T3", "T3", "", "custom call 'cpu_csr_sparse_dense_ffi' needs values, where each row begins, columns, and a dense operand of the values' type" },
    { "tridiagonal_solve_perturbed_ffi", "T4 T4 T4 T4", "T4", "", "custom call 'tridiagonal_solve_perturbed_ffi' needs three diagonals, and right-hand sides in columns, of one float or complex type" },
    { "xla_ffi_python_cpu_callback", "T4", "T4", "", "no code for custom call target 'xla_ffi_python_cpu_callback'" },
    { "LayoutConstraint", "T44", "T43", "", "custom call 'LayoutConstraint' needs a result of its operand's type" },
    { "ApproxTopK", "T4 I4 T4 I4", "T3 I3", "reduction_dim = 1 : i64", "custom call 'ApproxTopK' needs a comparator as its only called computation" },
    { "ApproxTopK", "T4 I4 T4 I4", "T6 I6", "reduction_dim = 1 : i64", "custom call 'ApproxTopK' needs results that are the operands, shorter along 'reduction_dim' of its backend_config" },
};

START_TEST(test_refused) {
    char text[4096], why[512];
    program(text, sizeof text, refused[_i].target, 0, refused[_i].in, refused[_i].out, refused[_i].config);
    tensor_error(text, why, sizeof why);
    ck_assert_str_eq(why, refused[_i].why);
}
END_TEST

/* What cannot be here, with the way out; of calls into Python wherever the name says so. */
static const struct { const char *target, *note; } elsewhere[] = {
    { "xla_ffi_python_cpu_callback", "it calls a function of the Python process that wrote the program" },
    { "python_callback", "it calls a function of the Python process" },
    { "tpu_custom_call", "it is a kernel compiled for a TPU" },
    { "mosaic_gpu_v2", "it is a kernel compiled for a GPU" },
    { "__gpu$xla.gpu.triton", "it is code for a GPU" },
    { "cu_threefry2x32", "targets of CUDA's libraries begin so" },
    { "cusolver_getrf", "targets of CUDA's libraries begin so" },
    { "hipsolver_geqrf", "targets of ROCm's libraries begin so" },
    { "tf.call_tf_function", "it calls a function of the TensorFlow process" },
    { "CustomSPMDPartitioning", "it is partitioned by a Python function" },
    { "my_cu_kernel", NULL },
    { "pytho", NULL },
};

START_TEST(test_elsewhere) {
    char text[4096];
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL;
    program(text, sizeof text, elsewhere[_i].target, 0, "T4", "T4", "");
    ck_assert_int_eq(walk_compile(cx, text, NULL, &x), WEFT_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 0)->message, "no code for custom call target"));
    ck_assert_uint_eq(weft_context_diag_count(cx), elsewhere[_i].note ? 2 : 1);
    if (elsewhere[_i].note) ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 1)->message, elsewhere[_i].note));
    weft_context_free(cx);
}
END_TEST

/* Memory is what a target sees: of rows, LAPACK sees the transpose. The lower factor in columns is the upper one in
 * rows, and the other triangle stays as it was. */
START_TEST(test_row_major) {
    static const float given[9] = { 4, 9, 9, 2, 5, 9, 2, 3, 6 };
    float *a = tensor_random(WEFT_F32, 9, 1);
    void *r[4];
    memcpy(a, given, sizeof given);
    tensor_run(
        "func.func @main(%a: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>, tensor<3x3xf32>, tensor<i32>) {\n"
        " %r:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 85 : ui8}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)\n"
        " %c:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>],"
        " result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)\n"
        " return %r#0, %r#1, %c#0, %c#1 : tensor<3x3xf32>, tensor<i32>, tensor<3x3xf32>, tensor<i32>\n}\n",
        (void *[]){ a }, r);
    const float want[9] = { 2, 9, 9, 1, 2, 9, 1, 1, 2 };
    ck_assert_mem_eq(r[0], want, sizeof want);
    ck_assert_mem_eq(r[2], want, sizeof want);
    ck_assert_int_eq(*(int32_t *)r[1], 0);
    drop(r, 4), free(a);
}
END_TEST

/* A row at a time from its stored values; what names no column does not count. */
START_TEST(test_csr) {
    float *v = walk_buffer(5 * sizeof *v), *x = walk_buffer(6 * sizeof *x);
    int32_t *starts = walk_buffer(4 * sizeof *starts), *columns = walk_buffer(5 * sizeof *columns);
    void *r[2];
    memcpy(v, ((const float[]){ 1, 2, 3, 4, 5 }), 20);
    memcpy(x, ((const float[]){ 1, 10, 2, 20, 3, 30 }), 24);
    memcpy(starts, ((const int32_t[]){ 0, 2, 2, 5 }), 16);
    memcpy(columns, ((const int32_t[]){ 0, 2, 1, 2, 3 }), 20);
    tensor_run(
        "func.func @main(%v: tensor<5xf32>, %s: tensor<4xi32>, %c: tensor<5xi32>, %x: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3xf32>) {\n"
        " %r = stablehlo.custom_call @cpu_csr_sparse_dense_ffi(%v, %s, %c, %x) : (tensor<5xf32>, tensor<4xi32>, tensor<5xi32>, tensor<3x2xf32>) -> tensor<3x2xf32>\n"
        " %h = stablehlo.slice %x [0:3, 0:1] : (tensor<3x2xf32>) -> tensor<3x1xf32>\n %y = stablehlo.reshape %h : (tensor<3x1xf32>) -> tensor<3xf32>\n"
        " %q = stablehlo.custom_call @cpu_csr_sparse_dense_ffi(%v, %s, %c, %y) : (tensor<5xf32>, tensor<4xi32>, tensor<5xi32>, tensor<3xf32>) -> tensor<3xf32>\n"
        " return %r, %q : tensor<3x2xf32>, tensor<3xf32>\n}\n",
        (void *[]){ v, starts, columns, x }, r);
    ck_assert_mem_eq(r[0], ((const float[]){ 7, 70, 0, 0, 18, 180 }), 24);
    ck_assert_mem_eq(r[1], ((const float[]){ 7, 0, 18 }), 12);
    drop(r, 2), free(v), free(x), free(starts), free(columns);
}
END_TEST

/* Residuals of systems of every size; a matrix that is singular gives what is large but finite. */
START_TEST(test_tridiagonal) {
    static const int orders[] = { 1, 2, 3, 17 };
    enum { WIDTH = 2, BATCH = 3 };
    const weft_dtype t = types[_i];
    for (size_t k = 0; k < WEFT_COUNT(orders); k++)
        for (int singular = 0; singular < 2; singular++) {
            const int n = orders[k];
            const char *const type = weft_dtype_of(t)->name;
            char text[1024];
            void *a[4], *r[1];
            for (int i = 0; i < 4; i++) a[i] = tensor_random(t, BATCH * n * (i == 3 ? WIDTH : 1), 7 + (uint64_t)i);
            for (int i = 0; i < BATCH * n && singular; i++) /* an empty row and column in the middle */
                for (int d = 0; d < 3; d++)
                    if (i % n == n / 2 || (d == 0 && i % n == n / 2 + 1) || (d == 2 && i % n == n / 2 - 1))
                        tensor_put(t, a[d], i, 0);
            snprintf(
                text, sizeof text,
                "func.func @main(%%l: tensor<3x%dx%s>, %%d: tensor<3x%dx%s>, %%u: tensor<3x%dx%s>, %%b: tensor<3x%dx2x%s>) -> tensor<3x%dx2x%s> {\n"
                " %%x = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%%l, %%d, %%u, %%b) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> :"
                " tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>]} : (tensor<3x%dx%s>,"
                " tensor<3x%dx%s>, tensor<3x%dx%s>, tensor<3x%dx2x%s>) -> tensor<3x%dx2x%s>\n return %%x : tensor<3x%dx2x%s>\n}\n",
                n, type, n, type, n, type, n, type, n, type, n, type, n, type, n, type, n, type, n, type, n, type);
            tensor_run(text, a, r);
            for (int i = 0; i < BATCH * n; i++)
                for (int j = 0; j < WIDTH; j++) {
                    const num below = i % n ? tensor_get(t, a[0], i) * tensor_get(t, r[0], (i - 1) * WIDTH + j) : 0,
                              own = tensor_get(t, a[1], i) * tensor_get(t, r[0], i * WIDTH + j);
                    const num above =
                                  i % n + 1 < n ? tensor_get(t, a[2], i) * tensor_get(t, r[0], (i + 1) * WIDTH + j) : 0,
                              b = tensor_get(t, a[3], i * WIDTH + j);
                    const double size = cabs(below) + cabs(own) + cabs(above) + cabs(b);
                    ck_assert(isfinite(cabs(tensor_get(t, r[0], i * WIDTH + j))));
                    if (!singular || i % n != n / 2)
                        ck_assert_msg(cabs(below + own + above - b) <= 8 * n * tensor_epsilon(t) * size,
                                      "%s, order %d, row %d: %g of %g", type, n, i, cabs(below + own + above - b),
                                      size);
                }
            drop(a, 4), drop(r, 1);
        }
}
END_TEST

/* What depends on an argument is asked when the program runs. */
START_TEST(test_assertion) {
    char why[512];
    bool *holds = walk_buffer(1);
    *holds = true;
    tensor_run(
        "func.func @main(%p: tensor<i1>) {\n stablehlo.custom_call @shape_assertion(%p) {error_message = \"no\", has_side_effect = true} : (tensor<i1>) -> ()\n return\n}\n",
        (void *[]){ holds }, NULL);
    tensor_error(
        "func.func @main(%p: tensor<4xi1>) {\n stablehlo.custom_call @shape_assertion(%p) {error_message = \"no\", has_side_effect = true} : (tensor<4xi1>) -> ()\n return\n}\n",
        why, sizeof why);
    ck_assert_str_eq(
        why, "custom call 'shape_assertion' needs an i1 and whole numbers of i32 or i64, and an 'error_message'");
    free(holds);
}
END_TEST

int main(void) {
    const TTest *const by_type[] = { test_potrf,   test_getrf,      test_qr,         test_svd,
                                     test_syevd,   test_geev,       test_gees,       test_reductions,
                                     test_solvers, test_not_finite, test_tridiagonal, test_singular,
                                     test_trsm };
    Suite *s = suite_create("codegen/custom_call");
    TCase *tc = tcase_create("custom_call");
    tcase_set_timeout(tc, 60);
    for (size_t i = 0; i < WEFT_COUNT(by_type); i++) tcase_add_loop_test(tc, by_type[i], 0, WEFT_COUNT(types));
    tcase_add_test(tc, test_hints);
    tcase_add_test(tc, test_first_k);
    tcase_add_loop_test(tc, test_elsewhere, 0, (int)WEFT_COUNT(elsewhere));
    tcase_add_loop_test(tc, test_refused, 0, WEFT_COUNT(refused));
    tcase_add_test(tc, test_row_major);
    tcase_add_test(tc, test_csr);
    tcase_add_test(tc, test_assertion);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
