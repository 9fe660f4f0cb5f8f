/* heat.c: heat spreads over a plate until it is still, on a mesh of devices, from C.
 *
 *     cc heat.c $(pkg-config --cflags --libs weft) -o heat
 *     ./heat                                       # four devices, threads of one process
 *     mpirun -n 4 ./heat                           # four processes of one device each
 *     ./heat "rows=2, columns=2"                   # another mesh, the same program
 *     ./heat "rows=2" 1024 1024 1000               # a larger plate, at most so many iterations, and their time
 *
 * A plate of 96 x 64 cells, hot at one edge and cold at the others. In each iteration a cell moves towards the mean of
 * its four neighbours; the loop ends when no cell changes by more than TOLERANCE. A program for MPI has a halo, two
 * sends and receives an iteration, and an all-reduce for the test (mpi/heat.c); here the rows and columns are sharded,
 * and the partitioner finds the same. Process 0 compares with a plain loop: exit status 1 when they differ.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <weft/control.h>
#include <weft/ops.h>

#include "examples/example.h"

typedef struct plate { int64_t rows, columns, most; } plate;
#define TOLERANCE 1e-4
#define EDGE 1.0 /* the temperature above the first row */

/* The plate after one more iteration: beyond its edges it is cold, and hot above the first row. */
static weft_tensor *spread(weft_graph *g, weft_tensor *u) {
    weft_tensor *sum = weft_graph_add(g, weft_graph_shift(g, u, 0, 1, EDGE), weft_graph_shift(g, u, 0, -1, 0));
    sum = weft_graph_add(g, sum, weft_graph_shift(g, u, 1, 1, 0));
    sum = weft_graph_add(g, sum, weft_graph_shift(g, u, 1, -1, 0));
    return weft_graph_scale(g, sum, 0.25);
}

/* x: the plate, the largest change of a cell, the number of iterations. */
static void goes_on(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    const plate *p = user;
    weft_tensor *moves = weft_graph_compare(g, "GT", x[1], weft_graph_fill_like(g, x[1], TOLERANCE));
    weft_tensor *few = weft_graph_compare(g, "LT", x[2], weft_graph_fill_like(g, x[2], (double)p->most));
    y[0] = weft_graph_and(g, moves, few);
}

static void iterate(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    y[0] = spread(g, x[0]);
    y[1] = weft_graph_reduce(g, "maximum", weft_graph_abs(g, weft_graph_subtract(g, y[0], x[0])), WEFT_DIMS(0, 1));
    y[2] = weft_graph_add(g, x[2], weft_graph_fill_like(g, x[2], 1));
}

static void build(weft_graph *g, const char *axes, plate *p) {
    char type[64];
    snprintf(type, sizeof type, "%lldx%lldxf64", (long long)p->rows, (long long)p->columns);
    const weft_device_mesh *mesh = weft_graph_mesh(g, axes);
    weft_tensor *u = weft_graph_input(g, "u", type), *out[3];
    u = weft_shard(g, u, mesh, strstr(axes, "columns") ? "rows, columns" : "rows, -");
    weft_tensor *const init[] = { u, weft_graph_fill(g, "f64", 1), weft_graph_fill(g, "i32", 0) };
    weft_graph_while(g, init, 3, goes_on, iterate, p, out);
    weft_graph_output(g, "u", out[0]);
    weft_graph_output(g, "change", out[1]);
    weft_graph_output(g, "iterations", out[2]);
}

/* The same by a plain loop, on plates u and next with a frame. Returns the number of iterations. */
static int64_t by_hand(const plate *p, double *u, double *next) {
    const int64_t wide = p->columns + 2;
    int64_t n = 0;
    for (int64_t j = 1; j <= p->columns; j++) u[j] = EDGE;
    for (double change = 1; change > TOLERANCE && n < p->most; n++) {
        change = 0;
        for (int64_t i = 1; i <= p->rows; i++)
            for (int64_t at = i * wide + 1; at <= i * wide + p->columns; at++) {
                next[at] = 0.25 * (u[at - wide] + u[at + wide] + u[at - 1] + u[at + 1]);
                change = fmax(change, fabs(next[at] - u[at]));
            }
        for (int64_t i = 1; i <= p->rows; i++)
            memcpy(u + i * wide + 1, next + i * wide + 1, (size_t)p->columns * sizeof *u);
    }
    return n;
}

/* On process 0: whether the plate and the number of iterations are those of a plain loop. */
static int compare(const plate *p, const double *u, int32_t iterations, double change, double took) {
    const size_t cells = (size_t)((p->rows + 2) * (p->columns + 2));
    double *want = calloc(2 * cells, sizeof *want), apart = 0;
    const int64_t n = want ? by_hand(p, want, want + cells) : -1;
    for (int64_t i = 0; i < p->rows && want; i++)
        for (int64_t j = 0; j < p->columns; j++)
            apart = fmax(apart, fabs(u[i * p->columns + j] - want[(i + 1) * (p->columns + 2) + j + 1]));
    printf("%d iterations in %.2f ms, the last changes a cell by %.2g; a plain loop: %lld, %.1g apart\n",
           (int)iterations, took * 1e3, change, (long long)n, apart);
    free(want);
    return n == iterations && apart < 1e-12;
}

static double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char help[] =
    "[MESH [ROWS COLUMNS [ITERATIONS]]]\n"
    "\n"
    "  MESH          axes rows and, if there is one, columns (\"rows=4\")\n"
    "  ROWS COLUMNS  cells of the plate (96 64)\n"
    "  ITERATIONS    at most (2000); their time is printed\n"
    "\n"
    "  heat \"rows=2, columns=2\" 1024 1024 1000    on threads of this process\n"
    "  mpirun -n 4 heat                            four processes of one device each\n";

int main(int argc, char **argv) {
    const int ends = example_ends(argc, argv, 4, help);
    if (ends >= 0) return ends;
    plate p = { argc > 2 ? strtoll(argv[2], NULL, 10) : 96, argc > 3 ? strtoll(argv[3], NULL, 10) : 64,
                argc > 4 ? strtoll(argv[4], NULL, 10) : 2000 };
    if (p.rows < 1 || p.columns < 1 || p.rows > INT32_MAX || p.columns > INT32_MAX / p.rows || p.most < 1 ||
        p.most > INT32_MAX) {
        fputs("usage: heat [MESH [ROWS COLUMNS [ITERATIONS]]]\n", stderr);
        return 2;
    }
    const size_t bytes = (size_t)(p.rows * p.columns) * sizeof(double);
    double *u = calloc(1, bytes), change = 0, took = 0;
    int32_t iterations = 0;
    weft_context *cx = weft_context_new(NULL);
    weft_graph *g = cx ? weft_graph_new(cx, "heat") : NULL;
    weft_job *job = NULL;
    weft_status st = WEFT_ERR_MEMORY;
    if (!g || !u) goto out;
    weft_context_set_handler(cx, example_print, NULL);
    build(g, argc > 1 ? argv[1] : "rows=4", &p);
    st = weft_job_open(cx, g, NULL, &job);
    if (st == WEFT_OK) st = weft_job_write(job, "u", u, bytes); /* cold */
    took = now();
    if (st == WEFT_OK) st = weft_job_step(job);
    took = now() - took;
    if (st == WEFT_OK) st = weft_job_read(job, "u", u, bytes);
    if (st == WEFT_OK) st = weft_job_read(job, "change", &change, sizeof change);
    if (st == WEFT_OK) st = weft_job_read(job, "iterations", &iterations, sizeof iterations);
    if (st == WEFT_OK && weft_job_process(job) == 0 && !compare(&p, u, iterations, change, took))
        st = WEFT_ERR_MISMATCH;
out:
    weft_job_close(job);
    weft_graph_free(g);
    weft_context_free(cx);
    free(u);
    return st == WEFT_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
