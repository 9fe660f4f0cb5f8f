/* Gradients of graphs: against central differences of the same graph's loss, and mistakes at their lines. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <weft/control.h>
#include <weft/gradients.h>
#include <weft/ops.h>
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

enum { B = 3, N = 4, L = 3 };
static const weft_job_options threads = { .launch = WEFT_LAUNCH_THREADS };
#define COUNT(a) (sizeof(a) / sizeof *(a))
#define OK(call) ck_assert_int_eq((call), WEFT_OK)

static weft_context *cx;
static weft_graph *g;

static void setup(void) {
    cx = weft_context_new(NULL);
    g = weft_graph_new(cx, "gradients");
}
static void teardown(void) {
    weft_graph_free(g);
    weft_context_free(cx);
}

typedef struct inputs { weft_tensor *x, *w; } inputs; /* 3x4xf64, 3x4x4xf64 */

static void layer(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    y[0] = weft_graph_tanh(gr, weft_graph_einsum(gr, "bi,io->bo", x[0], x[1]));
    y[1] = y[0];
}

static weft_tensor *by_scan(weft_graph *gr, const inputs *in) {
    weft_tensor *out[2];
    weft_graph_scan(gr, L, &in->x, 1, &in->w, 1, 1, layer, NULL, out);
    weft_tensor *squares = weft_graph_multiply(gr, out[1], out[1]);
    weft_tensor *ys = weft_graph_reduce(gr, "add", squares, WEFT_DIMS(0, 1, 2));
    return weft_graph_add(gr, ys, weft_graph_reduce(gr, "add", out[0], WEFT_DIMS(0, 1)));
}

static weft_tensor *by_products(weft_graph *gr, const inputs *in) {
    weft_tensor *w = weft_graph_reduce(gr, "add", in->w, WEFT_DIMS(0));
    weft_tensor *y = weft_graph_tanh(gr, weft_graph_einsum(gr, "bi,io->bo", in->x, w));
    return weft_graph_reduce(gr, "add", weft_graph_multiply(gr, y, y), WEFT_DIMS(0, 1));
}

/* What a filter over frequencies and a solver of triangular systems give, summed. */
static weft_tensor *by_algebra(weft_graph *gr, const inputs *in) {
    weft_tensor *z = weft_graph_fft(gr, "RFFT", in->x, WEFT_DIMS(N));
    weft_tensor *y = weft_graph_fft(gr, "IRFFT", weft_graph_multiply(gr, z, z), WEFT_DIMS(N));
    weft_tensor *w = weft_graph_slice(gr, in->w, WEFT_DIMS(0, 0, 0), WEFT_DIMS(1, N, N), WEFT_NO_DIMS);
    w = weft_graph_reshape(gr, w, WEFT_DIMS(N, N));
    weft_tensor *row = weft_graph_iota(gr, "4x4xf64", 0), *column = weft_graph_iota(gr, "4x4xf64", 1);
    weft_tensor *on = weft_graph_convert(gr, weft_graph_compare(gr, "EQ", row, column), "f64");
    weft_tensor *a = weft_graph_add(gr, weft_graph_einsum(gr, "ij,kj->ik", w, w), on);
    weft_tensor *l = weft_graph_cholesky(gr, a, WEFT_MATRIX_UPPER);
    y = weft_graph_triangular_solve(gr, l, y, WEFT_MATRIX_UPPER | WEFT_MATRIX_RIGHT | WEFT_MATRIX_TRANSPOSED);
    const int32_t at[] = { 2, 0 };
    const weft_gather_numbers dims = { .window = WEFT_DIMS(1), .collapsed = WEFT_DIMS(0), .places = WEFT_DIMS(0),
                                       .vector = 1 };
    y = weft_graph_gather(gr, y, weft_graph_constant(gr, "2x1xi32", at, sizeof at), dims, WEFT_DIMS(1, N));
    return weft_graph_reduce(gr, "add", weft_graph_multiply(gr, y, y), WEFT_DIMS(0, 1));
}

static const struct { const char *name; weft_tensor *(*loss)(weft_graph *, const inputs *); } programs[] = {
    { "products", by_products },
    { "scan", by_scan },
    { "algebra", by_algebra },
};

typedef struct data { double x[B * N], w[L * N * N]; } data;

static void fill(data *d) {
    for (int i = 0; i < B * N; i++) d->x[i] = sin(i + 1) / 2;
    for (int i = 0; i < L * N * N; i++) d->w[i] = cos(3 * i + 1) / 2;
}

static double loss_of(weft_job *j, const data *d) {
    double loss;
    OK(weft_job_write(j, "x", d->x, sizeof d->x));
    OK(weft_job_write(j, "w", d->w, sizeof d->w));
    OK(weft_job_step(j));
    OK(weft_job_read(j, "loss", &loss, sizeof loss));
    return loss;
}

static void compare(weft_job *j, data *d, double *v, const double *got, int n, const char *name) {
    for (int i = 0; i < n; i++) {
        const double old = v[i], h = 1e-5;
        v[i] = old + h;
        const double above = loss_of(j, d);
        v[i] = old - h;
        const double want = (above - loss_of(j, d)) / (2 * h);
        v[i] = old;
        ck_assert_msg(fabs(got[i] - want) <= 1e-7, "%s: element %d is %g, expected %g", name, i, got[i], want);
    }
}

START_TEST(test_program) {
    inputs in = { weft_graph_input(g, "x", "3x4xf64"), weft_graph_input(g, "w", "3x4x4xf64") };
    weft_tensor *loss = programs[_i].loss(g, &in), *gradient[2];
    weft_tensor *of[] = { in.x, in.w };
    weft_graph_gradients(g, loss, of, 2, gradient);
    weft_graph_output(g, "loss", loss);
    weft_graph_output(g, "dx", gradient[0]);
    weft_graph_output(g, "dw", gradient[1]);
    weft_job *job;
    data d;
    double dx[B * N], dw[L * N * N];
    fill(&d);
    ck_assert_msg(weft_graph_status(g) == WEFT_OK, "%s", weft_context_diag(cx, 0)->message);
    OK(weft_job_open(cx, g, &threads, &job));
    loss_of(job, &d);
    OK(weft_job_read(job, "dx", dx, sizeof dx));
    OK(weft_job_read(job, "dw", dw, sizeof dw));
    compare(job, &d, d.x, dx, B * N, programs[_i].name);
    compare(job, &d, d.w, dw, L * N * N, programs[_i].name);
    weft_job_close(job);
}
END_TEST

/* Derivatives of x^4, each in the array of what it was made from: by gradients, and along a tangent of 1. */
START_TEST(test_again) {
    weft_tensor *x = weft_graph_input(g, "x", "f64"), *one = weft_graph_fill_like(g, x, 1);
    weft_tensor *square = weft_graph_multiply(g, x, x), *along = weft_graph_multiply(g, square, square);
    weft_tensor *by[1] = { along };
    for (int i = 0; i < 2; i++) {
        weft_tensor *of[] = { x };
        weft_graph_gradients(g, by[0], of, 1, of);
        by[0] = of[0];
        weft_graph_tangents(g, &along, 1, &x, &one, 1, &along);
    }
    weft_graph_output(g, "by gradients", by[0]);
    weft_graph_output(g, "along", along);
    ck_assert_msg(weft_graph_status(g) == WEFT_OK, "%s", weft_context_diag(cx, 0)->message);
    weft_job *job;
    double v = 1.5, got;
    OK(weft_job_open(cx, g, &threads, &job));
    OK(weft_job_write(job, "x", &v, sizeof v));
    OK(weft_job_step(job));
    OK(weft_job_read(job, "by gradients", &got, sizeof got));
    ck_assert_double_eq_tol(got, 12 * v * v, 1e-12);
    OK(weft_job_read(job, "along", &got, sizeof got));
    ck_assert_double_eq_tol(got, 12 * v * v, 1e-12);
    weft_job_close(job);
}
END_TEST

/* Along tangents the loss changes by the product of its gradient and the tangents, and the gradient by the product of
 * the second derivatives and the tangents: by central differences of gradients. */
START_TEST(test_tangents) {
    inputs in = { weft_graph_input(g, "x", "3x4xf64"), weft_graph_input(g, "w", "3x4x4xf64") };
    weft_tensor *tx = weft_graph_input(g, "tx", "3x4xf64"), *tw = weft_graph_input(g, "tw", "3x4x4xf64");
    weft_tensor *of[3] = { programs[_i].loss(g, &in) }, *wrt[] = { in.x, in.w }, *along[] = { tx, tw }, *out[3];
    weft_graph_gradients(g, of[0], wrt, 2, of + 1);
    weft_graph_tangents(g, of, 3, wrt, along, 2, out);
    weft_graph_output(g, "loss", of[0]);
    weft_graph_output(g, "dx", of[1]);
    weft_graph_output(g, "loss along", out[0]);
    weft_graph_output(g, "dx along", out[1]);
    weft_job *job;
    data d, t, moved;
    double dx[3][B * N], along_loss, along_dx[B * N], loss[2];
    fill(&d);
    for (int i = 0; i < B * N; i++) t.x[i] = cos(i) / 3;
    for (int i = 0; i < L * N * N; i++) t.w[i] = sin(2 * i) / 3;
    ck_assert_msg(weft_graph_status(g) == WEFT_OK, "%s", weft_context_diag(cx, 0)->message);
    OK(weft_job_open(cx, g, &threads, &job));
    OK(weft_job_write(job, "tx", t.x, sizeof t.x));
    OK(weft_job_write(job, "tw", t.w, sizeof t.w));
    loss_of(job, &d);
    OK(weft_job_read(job, "loss along", &along_loss, sizeof along_loss));
    OK(weft_job_read(job, "dx along", along_dx, sizeof along_dx));
    const double h = 1e-5;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < B * N; i++) moved.x[i] = d.x[i] + (side ? -h : h) * t.x[i];
        for (int i = 0; i < L * N * N; i++) moved.w[i] = d.w[i] + (side ? -h : h) * t.w[i];
        loss[side] = loss_of(job, &moved);
        OK(weft_job_read(job, "dx", dx[side], sizeof dx[side]));
    }
    ck_assert_double_eq_tol(along_loss, (loss[0] - loss[1]) / (2 * h), 1e-7);
    for (int i = 0; i < B * N; i++) ck_assert_double_eq_tol(along_dx[i], (dx[0][i] - dx[1][i]) / (2 * h), 1e-7);
    weft_job_close(job);
}
END_TEST

static void grows(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    y[0] = weft_graph_compare(gr, "LT", x[0], weft_graph_fill_like(gr, x[0], 9));
}
static void squares(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    y[0] = weft_graph_multiply(gr, x[0], x[0]);
}

/* Gradients in a body, with respect to a value of the body and to one from outside: descent to w. */
static void descend(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    weft_tensor *of[] = { x[0], user }, *gradient[2];
    weft_tensor *far = weft_graph_subtract(gr, x[0], user);
    weft_tensor *loss = weft_graph_reduce(gr, "add", weft_graph_multiply(gr, far, far), WEFT_DIMS(0));
    weft_graph_gradients(gr, loss, of, 2, gradient);
    y[0] = weft_graph_subtract(gr, x[0], weft_graph_scale(gr, gradient[0], 0.25));
    y[1] = weft_graph_add(gr, x[1], gradient[1]);
}

static void counted(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    descend(gr, x + 1, y, user);
}

START_TEST(test_in_body) {
    weft_tensor *x = weft_graph_input(g, "x", "2xf64"), *w = weft_graph_input(g, "w", "2xf64"), *out[2];
    weft_tensor *const begin[] = { x, weft_graph_fill(g, "2xf64", 0) };
    if (_i) weft_graph_scan(g, 3, begin, 2, NULL, 0, 0, descend, w, out);
    else weft_graph_for(g, 0, 3, 1, begin, 2, counted, w, out);
    weft_graph_output(g, "end", out[0]);
    weft_graph_output(g, "sum", out[1]);
    ck_assert_msg(weft_graph_status(g) == WEFT_OK, "%s", weft_context_diag(cx, 0)->message);
    weft_job *job;
    const double xs[] = { 4, -1 }, ws[] = { 2, 3 };
    double end[2], sum[2];
    OK(weft_job_open(cx, g, &threads, &job));
    OK(weft_job_write(job, "x", xs, sizeof xs));
    OK(weft_job_write(job, "w", ws, sizeof ws));
    OK(weft_job_step(job));
    OK(weft_job_read(job, "end", end, sizeof end));
    OK(weft_job_read(job, "sum", sum, sizeof sum));
    /* x - w halves with each step; the gradient by w is -2 (x - w). */
    for (int i = 0; i < 2; i++) {
        ck_assert_double_eq_tol(end[i], ws[i] + (xs[i] - ws[i]) / 8, 1e-12);
        ck_assert_double_eq_tol(sum[i], -2 * (xs[i] - ws[i]) * 1.75, 1e-12);
    }
    weft_job_close(job);
}
END_TEST

static const char *const mistakes[] = {
    "gradients are of a scalar of floats",
    "the number of its iterations is not known, nor a bound, which the option 'bound' gives",
    "gradients: keep or bound is not valid",
    "gradients: keep or bound is not valid",
    "gradients: value 1 is of neither floats nor complex numbers",
    "gradients: out is NULL",
    "tangents: tangent 0 has not the type of its value",
    "tangents: value 1 is of neither floats nor complex numbers",
    "tangents: out is NULL",
};

START_TEST(test_mistakes) {
    weft_tensor *x = weft_graph_input(g, "x", "f64"), *v = weft_graph_input(g, "v", "4xf64"),
                *n = weft_graph_input(g, "n", "i32"), *y, *both[] = { x, n }, *out[2] = { x, x };
    const weft_gradient_options negative = { .bound = -1 }, unknown = { .keep = (weft_gradient_keep)7 };
    weft_graph_while(g, &x, 1, grows, squares, NULL, &y);
    if (_i == 0) weft_graph_gradients(g, v, &x, 1, out);
    if (_i == 1) weft_graph_gradients(g, y, &x, 1, out);
    if (_i == 2) weft_graph_gradients_with(g, y, &x, 1, &negative, out);
    if (_i == 3) weft_graph_gradients_with(g, y, &x, 1, &unknown, out);
    if (_i == 4) weft_graph_gradients(g, y, both, 2, out);
    if (_i == 5) weft_graph_gradients(g, y, &x, 1, NULL);
    if (_i == 6) weft_graph_tangents(g, &y, 1, &v, &x, 1, out);
    if (_i == 7) weft_graph_tangents(g, both, 2, &x, &x, 1, out);
    if (_i == 8) weft_graph_tangents(g, &y, 1, &x, &x, 1, NULL);
    if (_i < 5 || _i == 6 || _i == 7) ck_assert_ptr_null(out[0]);
    ck_assert_int_ne(weft_graph_status(g), WEFT_OK);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    const char *said = weft_context_diag(cx, 0)->message;
    ck_assert_msg(strstr(said, mistakes[_i]) != NULL, "said: %s", said);
}
END_TEST

int main(void) {
    Suite *s = suite_create("capi/gradients");
    TCase *tc = tcase_create("gradients");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, test_program, 0, (int)COUNT(programs));
    tcase_add_loop_test(tc, test_tangents, 0, COUNT(programs));
    tcase_add_test(tc, test_again);
    tcase_add_loop_test(tc, test_in_body, 0, 2);
    tcase_add_loop_test(tc, test_mistakes, 0, (int)COUNT(mistakes));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
