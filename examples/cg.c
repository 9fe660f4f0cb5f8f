/* cg.c: conjugate gradients for Poisson's equation on a square, on a mesh of devices, from C.
 *
 *     cc cg.c $(pkg-config --cflags --libs weft) -lm -o cg
 *     ./cg                                         # four devices, threads of one process
 *     mpirun -n 4 ./cg                             # four processes of one device each
 *     ./cg "rows=2, columns=2"                     # another mesh, the same program
 *
 * A x = b, where A is the five-point stencil 4 x - (its neighbours) on 64 x 64 cells, and b is known. A is not stored:
 * its product with a vector is shifts and sums, as a program for MPI would write it with a halo. The loop ends when the
 * residual has shrunk by TOLERANCE; its test, and the two sums of products of an iteration, are the all-reduces.
 * Process 0 compares with a plain loop: exit status 1 when the solutions differ.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/control.h>
#include <weft/ops.h>

enum { N = 64, MOST = 1000 };
#define TOLERANCE 1e-10 /* of the residual's norm */

/* ---- the program ---- */

static weft_tensor *stencil(weft_graph *g, weft_tensor *x) {
    weft_tensor *sum = weft_graph_add(g, weft_graph_shift(g, x, 0, 1, 0), weft_graph_shift(g, x, 0, -1, 0));
    sum = weft_graph_add(g, sum, weft_graph_shift(g, x, 1, 1, 0));
    sum = weft_graph_add(g, sum, weft_graph_shift(g, x, 1, -1, 0));
    return weft_graph_subtract(g, weft_graph_scale(g, x, 4), sum);
}

static weft_tensor *dot(weft_graph *g, weft_tensor *a, weft_tensor *b) {
    return weft_graph_reduce(g, "add", weft_graph_multiply(g, a, b), WEFT_DIMS(0, 1));
}

/* x + alpha p; alpha is a scalar. */
static weft_tensor *along(weft_graph *g, weft_tensor *x, weft_tensor *alpha, weft_tensor *p) {
    return weft_graph_add(g, x, weft_graph_multiply(g, weft_graph_broadcast_like(g, alpha, p, WEFT_NO_DIMS), p));
}

enum { X, R, P, RR, STEP, LIMIT, CARRIED }; /* x, residual, direction, r.r, iterations, the r.r to reach */

static void goes_on(weft_graph *g, weft_tensor *const *v, weft_tensor **y, void *user) {
    (void)user;
    weft_tensor *large = weft_graph_compare(g, "GT", v[RR], v[LIMIT]);
    y[0] = weft_graph_and(g, large, weft_graph_compare(g, "LT", v[STEP], weft_graph_fill_like(g, v[STEP], MOST)));
}

static void iterate(weft_graph *g, weft_tensor *const *v, weft_tensor **y, void *user) {
    (void)user;
    weft_tensor *ap = stencil(g, v[P]);
    weft_tensor *alpha = weft_graph_divide(g, v[RR], dot(g, v[P], ap));
    y[X] = along(g, v[X], alpha, v[P]);
    y[R] = along(g, v[R], weft_graph_negate(g, alpha), ap);
    y[RR] = dot(g, y[R], y[R]);
    y[P] = along(g, y[R], weft_graph_divide(g, y[RR], v[RR]), v[P]);
    y[STEP] = weft_graph_add(g, v[STEP], weft_graph_fill_like(g, v[STEP], 1));
    y[LIMIT] = v[LIMIT];
}

static void build(weft_graph *g, const char *axes) {
    const weft_device_mesh *mesh = weft_graph_mesh(g, axes);
    weft_tensor *b = weft_graph_input(g, "b", "64x64xf64"), *out[CARRIED];
    b = weft_shard(g, b, mesh, strstr(axes, "columns") ? "rows, columns" : "rows, -");
    weft_tensor *bb = dot(g, b, b);
    weft_tensor *const init[CARRIED] = { [X] = weft_graph_fill_like(g, b, 0), [R] = b, [P] = b, [RR] = bb,
                                         [STEP] = weft_graph_fill(g, "i32", 0),
                                         [LIMIT] = weft_graph_scale(g, bb, TOLERANCE * TOLERANCE) };
    weft_graph_while(g, init, CARRIED, goes_on, iterate, NULL, out);
    weft_graph_output(g, "x", out[X]);
    weft_graph_output(g, "iterations", out[STEP]);
}

/* ---- the same by a plain loop ---- */

typedef double grid[N + 2][N + 2]; /* with a frame of zeros */

static double by_cell(grid a, grid b) {
    double sum = 0;
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++) sum += a[i][j] * b[i][j];
    return sum;
}

static int by_hand(const double *b, grid x) {
    static grid r, p, ap;
    int n = 0;
    for (int i = 0; i < N * N; i++) r[i / N + 1][i % N + 1] = p[i / N + 1][i % N + 1] = b[i];
    double rr = by_cell(r, r);
    for (const double limit = rr * TOLERANCE * TOLERANCE; rr > limit && n < MOST; n++) {
        for (int i = 1; i <= N; i++)
            for (int j = 1; j <= N; j++)
                ap[i][j] = 4 * p[i][j] - (p[i - 1][j] + p[i + 1][j] + p[i][j - 1] + p[i][j + 1]);
        const double alpha = rr / by_cell(p, ap), before = rr;
        for (int i = 1; i <= N; i++)
            for (int j = 1; j <= N; j++) x[i][j] += alpha * p[i][j], r[i][j] -= alpha * ap[i][j];
        rr = by_cell(r, r);
        for (int i = 1; i <= N; i++)
            for (int j = 1; j <= N; j++) p[i][j] = r[i][j] + rr / before * p[i][j];
    }
    return n;
}

/* On process 0: whether x is a plain loop's solution. Sums in another order may end an iteration sooner or later. */
static int compare(const double *b, const double *x, int32_t iterations) {
    static grid want;
    const int n = by_hand(b, want);
    double apart = 0, most = 0;
    for (int i = 0; i < N * N; i++) {
        apart = fmax(apart, fabs(x[i] - want[i / N + 1][i % N + 1]));
        most = fmax(most, fabs(want[i / N + 1][i % N + 1]));
    }
    printf("%d iterations; a plain loop: %d, solutions %.1g apart of at most %.3g\n", (int)iterations, n, apart, most);
    return abs(n - iterations) <= 1 && apart <= 1e-8 * most;
}

static void print_diagnostic(void *user, const weft_diag *d) {
    (void)user;
    if (d->file) fprintf(stderr, "%s:%lld: ", d->file, (long long)d->line);
    fprintf(stderr, "%s: %s\n", weft_severity_name(d->severity), d->message);
}

int main(int argc, char **argv) {
    static double b[N * N], x[N * N];
    int32_t iterations = 0;
    weft_context *cx = weft_context_new(NULL);
    weft_graph *g = cx ? weft_graph_new(cx, "cg") : NULL;
    weft_job *job = NULL;
    weft_status st = WEFT_ERR_MEMORY;
    if (!g) goto out;
    weft_context_set_handler(cx, print_diagnostic, NULL);
    for (int i = 0; i < N * N; i++) b[i] = sin(0.1 * (i % N)) + (i / N == N / 3); /* no symmetry */
    build(g, argc > 1 ? argv[1] : "rows=4");
    st = weft_job_open(cx, g, NULL, &job);
    if (st == WEFT_OK) st = weft_job_write(job, "b", b, sizeof b);
    if (st == WEFT_OK) st = weft_job_step(job);
    if (st == WEFT_OK) st = weft_job_read(job, "x", x, sizeof x);
    if (st == WEFT_OK) st = weft_job_read(job, "iterations", &iterations, sizeof iterations);
    if (st == WEFT_OK && weft_job_process(job) == 0 && !compare(b, x, iterations)) st = WEFT_ERR_MISMATCH;
out:
    weft_job_close(job);
    weft_graph_free(g);
    weft_context_free(cx);
    return st == WEFT_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
