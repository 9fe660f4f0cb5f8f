/* cg.c: conjugate gradients for Poisson's equation on a square, on a mesh of devices, from C.
 *
 *     cc cg.c $(pkg-config --cflags --libs weft) -lm -o cg
 *     ./cg                                         # four devices, threads of one process
 *     mpirun -n 4 ./cg                             # four processes of one device each
 *     ./cg "rows=2, columns=2"                     # another mesh, the same program
 *     ./cg "rows=2" 1024 200                       # cells a side, iterations at most, and their time
 *
 * A x = b, where A is the five-point stencil 4 x - (its neighbours) on 64 x 64 cells, and b is known. A is not stored:
 * its product with a vector is shifts and sums, as a program for MPI writes it with a halo (mpi/cg.c). The loop ends
 * when the residual has shrunk by TOLERANCE; its test, and the two sums of products of an iteration, are the
 * all-reduces.
 * Process 0 compares with a plain loop: exit status 1 when the solutions differ.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <weft/control.h>
#include <weft/ops.h>

#include "examples/example.h"

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

/* user: the most iterations. */
static void goes_on(weft_graph *g, weft_tensor *const *v, weft_tensor **y, void *user) {
    const int64_t *most = user;
    weft_tensor *large = weft_graph_compare(g, "GT", v[RR], v[LIMIT]);
    weft_tensor *few = weft_graph_compare(g, "LT", v[STEP], weft_graph_fill_like(g, v[STEP], (double)*most));
    y[0] = weft_graph_and(g, large, few);
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

static void build(weft_graph *g, const char *axes, int64_t side, int64_t most) {
    char type[64];
    snprintf(type, sizeof type, "%lldx%lldxf64", (long long)side, (long long)side);
    const weft_device_mesh *mesh = weft_graph_mesh(g, axes);
    weft_tensor *b = weft_graph_input(g, "b", type), *out[CARRIED];
    b = weft_shard(g, b, mesh, strstr(axes, "columns") ? "rows, columns" : "rows, -");
    weft_tensor *bb = dot(g, b, b);
    weft_tensor *const init[CARRIED] = { [X] = weft_graph_fill_like(g, b, 0), [R] = b, [P] = b, [RR] = bb,
                                         [STEP] = weft_graph_fill(g, "i32", 0),
                                         [LIMIT] = weft_graph_scale(g, bb, TOLERANCE * TOLERANCE) };
    weft_graph_while(g, init, CARRIED, goes_on, iterate, &most, out);
    weft_graph_output(g, "x", out[X]);
    weft_graph_output(g, "iterations", out[STEP]);
}

/* ---- the same by a plain loop ---- */

/* Of squares with a frame of zeros. */
static double by_cell(const double *a, const double *b, int64_t n) {
    double sum = 0;
    for (int64_t i = 1; i <= n; i++)
        for (int64_t at = i * (n + 2) + 1; at <= i * (n + 2) + n; at++) sum += a[at] * b[at];
    return sum;
}

/* work: x, r, p and A p, zeros. Returns the number of iterations, with the solution in x. */
static int64_t by_hand(const double *b, double *work, int64_t n, int64_t most) {
    const int64_t wide = n + 2, cells = wide * wide;
    double *x = work, *r = x + cells, *p = r + cells, *ap = p + cells;
    int64_t k = 0;
    for (int64_t i = 0; i < n * n; i++) r[(i / n + 1) * wide + i % n + 1] = p[(i / n + 1) * wide + i % n + 1] = b[i];
    double rr = by_cell(r, r, n);
    for (const double limit = rr * TOLERANCE * TOLERANCE; rr > limit && k < most; k++) {
        for (int64_t i = 1; i <= n; i++)
            for (int64_t at = i * wide + 1; at <= i * wide + n; at++)
                ap[at] = 4 * p[at] - (p[at - wide] + p[at + wide] + p[at - 1] + p[at + 1]);
        const double alpha = rr / by_cell(p, ap, n), before = rr;
        for (int64_t i = 1; i <= n; i++)
            for (int64_t at = i * wide + 1; at <= i * wide + n; at++) x[at] += alpha * p[at], r[at] -= alpha * ap[at];
        rr = by_cell(r, r, n);
        for (int64_t i = 1; i <= n; i++)
            for (int64_t at = i * wide + 1; at <= i * wide + n; at++) p[at] = r[at] + rr / before * p[at];
    }
    return k;
}

/* On process 0: whether x is a plain loop's solution. Sums in another order may end an iteration sooner or later. */
static int compare(const double *b, const double *x, int64_t n, int64_t most, int32_t iterations, double took) {
    double *want = calloc(4 * (size_t)((n + 2) * (n + 2)), sizeof *want), apart = 0, largest = 0;
    const int64_t k = want ? by_hand(b, want, n, most) : -2;
    for (int64_t i = 0; i < n * n && want; i++) {
        apart = fmax(apart, fabs(x[i] - want[(i / n + 1) * (n + 2) + i % n + 1]));
        largest = fmax(largest, fabs(want[(i / n + 1) * (n + 2) + i % n + 1]));
    }
    printf("%d iterations in %.2f ms; a plain loop: %lld, solutions %.1g apart of at most %.3g\n", (int)iterations,
           took * 1e3, (long long)k, apart, largest);
    free(want);
    return llabs(k - iterations) <= 1 && apart <= 1e-8 * largest;
}

static double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char help[] =
    "[MESH [CELLS A SIDE [ITERATIONS]]]\n"
    "\n"
    "  MESH          axes rows and, if there is one, columns (\"rows=4\")\n"
    "  CELLS A SIDE  of the square (64)\n"
    "  ITERATIONS    at most (1000); their time is printed\n"
    "\n"
    "  cg \"rows=2, columns=2\" 1024 200    on threads of this process\n"
    "  mpirun -n 4 cg                      four processes of one device each\n";

int main(int argc, char **argv) {
    const int ends = example_ends(argc, argv, 3, help);
    if (ends >= 0) return ends;
    const int64_t side = argc > 2 ? strtoll(argv[2], NULL, 10) : 64;
    int64_t most = argc > 3 ? strtoll(argv[3], NULL, 10) : 1000;
    if (side < 1 || side > 46340 || most < 1 || most > INT32_MAX) {
        fputs("usage: cg [MESH [CELLS A SIDE [ITERATIONS]]]\n", stderr);
        return 2;
    }
    const size_t bytes = (size_t)(side * side) * sizeof(double);
    double *b = malloc(bytes), *x = malloc(bytes), took = 0;
    int32_t iterations = 0;
    weft_context *cx = weft_context_new(NULL);
    weft_graph *g = cx ? weft_graph_new(cx, "cg") : NULL;
    weft_job *job = NULL;
    weft_status st = WEFT_ERR_MEMORY;
    if (!g || !b || !x) goto out;
    weft_context_set_handler(cx, example_print, NULL);
    for (int64_t i = 0; i < side * side; i++) /* no symmetry */
        b[i] = sin(0.1 * (double)(i % side)) + (i / side == side / 3);
    build(g, argc > 1 ? argv[1] : "rows=4", side, most);
    st = weft_job_open(cx, g, NULL, &job);
    if (st == WEFT_OK) st = weft_job_write(job, "b", b, bytes);
    took = now();
    if (st == WEFT_OK) st = weft_job_step(job);
    took = now() - took;
    if (st == WEFT_OK) st = weft_job_read(job, "x", x, bytes);
    if (st == WEFT_OK) st = weft_job_read(job, "iterations", &iterations, sizeof iterations);
    if (st == WEFT_OK && weft_job_process(job) == 0 && !compare(b, x, side, most, iterations, took))
        st = WEFT_ERR_MISMATCH;
out:
    weft_job_close(job);
    weft_graph_free(g);
    weft_context_free(cx);
    free(x);
    free(b);
    return st == WEFT_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
