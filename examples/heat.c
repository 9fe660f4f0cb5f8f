/* heat.c: heat spreads over a plate until it is still, on a mesh of devices, from C.
 *
 *     cc heat.c $(pkg-config --cflags --libs weft) -o heat
 *     ./heat                                       # four devices, threads of one process
 *     mpirun -n 4 ./heat                           # four processes of one device each
 *     ./heat "rows=2, columns=2"                   # another mesh, the same program
 *
 * A plate of 96 x 64 cells, hot at one edge and cold at the others. In each iteration a cell moves towards the mean of
 * its four neighbours; the loop ends when no cell changes by more than TOLERANCE. A program for MPI would have a halo,
 * two sends and receives an iteration, and an all-reduce for the test; here the rows and columns are sharded, and the
 * partitioner finds the same. Process 0 compares with a plain loop: exit status 1 when they differ.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/control.h>
#include <weft/ops.h>

enum { ROWS = 96, COLUMNS = 64, MOST = 2000 };
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
    (void)user;
    weft_tensor *moves = weft_graph_compare(g, "GT", x[1], weft_graph_fill_like(g, x[1], TOLERANCE));
    weft_tensor *few = weft_graph_compare(g, "LT", x[2], weft_graph_fill_like(g, x[2], MOST));
    y[0] = weft_graph_and(g, moves, few);
}

static void iterate(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    y[0] = spread(g, x[0]);
    y[1] = weft_graph_reduce(g, "maximum", weft_graph_abs(g, weft_graph_subtract(g, y[0], x[0])), WEFT_DIMS(0, 1));
    y[2] = weft_graph_add(g, x[2], weft_graph_fill_like(g, x[2], 1));
}

static void build(weft_graph *g, const char *axes) {
    const weft_device_mesh *mesh = weft_graph_mesh(g, axes);
    weft_tensor *u = weft_graph_input(g, "u", "96x64xf64"), *out[3];
    u = weft_shard(g, u, mesh, strstr(axes, "columns") ? "rows, columns" : "rows, -");
    weft_tensor *const init[] = { u, weft_graph_fill(g, "f64", 1), weft_graph_fill(g, "i32", 0) };
    weft_graph_while(g, init, 3, goes_on, iterate, NULL, out);
    weft_graph_output(g, "u", out[0]);
    weft_graph_output(g, "change", out[1]);
    weft_graph_output(g, "iterations", out[2]);
}

/* The same by a plain loop, on a plate with a frame. Returns the number of iterations. */
static int by_hand(double u[ROWS + 2][COLUMNS + 2]) {
    static double next[ROWS + 2][COLUMNS + 2];
    int n = 0;
    memset(u, 0, sizeof(double[ROWS + 2][COLUMNS + 2]));
    for (int j = 1; j <= COLUMNS; j++) u[0][j] = EDGE;
    for (double change = 1; change > TOLERANCE && n < MOST; n++) {
        change = 0;
        for (int i = 1; i <= ROWS; i++)
            for (int j = 1; j <= COLUMNS; j++) {
                next[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
                change = fmax(change, fabs(next[i][j] - u[i][j]));
            }
        for (int i = 1; i <= ROWS; i++) memcpy(&u[i][1], &next[i][1], COLUMNS * sizeof(double));
    }
    return n;
}

/* On process 0: whether the plate and the number of iterations are those of a plain loop. */
static int compare(const double *u, int32_t iterations, double change) {
    static double want[ROWS + 2][COLUMNS + 2];
    const int n = by_hand(want);
    double apart = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) apart = fmax(apart, fabs(u[i * COLUMNS + j] - want[i + 1][j + 1]));
    printf("%d iterations, the last changes a cell by %.2g; a plain loop: %d, %.1g apart\n", (int)iterations, change, n,
           apart);
    return n == iterations && apart < 1e-12;
}

static void print_diagnostic(void *user, const weft_diag *d) {
    (void)user;
    if (d->file) fprintf(stderr, "%s:%lld: ", d->file, (long long)d->line);
    fprintf(stderr, "%s: %s\n", weft_severity_name(d->severity), d->message);
}

int main(int argc, char **argv) {
    static double u[ROWS * COLUMNS];
    double change = 0;
    int32_t iterations = 0;
    weft_context *cx = weft_context_new(NULL);
    weft_graph *g = cx ? weft_graph_new(cx, "heat") : NULL;
    weft_job *job = NULL;
    weft_status st = WEFT_ERR_MEMORY;
    if (!g) goto out;
    weft_context_set_handler(cx, print_diagnostic, NULL);
    build(g, argc > 1 ? argv[1] : "rows=4");
    st = weft_job_open(cx, g, NULL, &job); /* the plate is zeros: cold */
    if (st == WEFT_OK) st = weft_job_step(job);
    if (st == WEFT_OK) st = weft_job_read(job, "u", u, sizeof u);
    if (st == WEFT_OK) st = weft_job_read(job, "change", &change, sizeof change);
    if (st == WEFT_OK) st = weft_job_read(job, "iterations", &iterations, sizeof iterations);
    if (st == WEFT_OK && weft_job_process(job) == 0 && !compare(u, iterations, change)) st = WEFT_ERR_MISMATCH;
out:
    weft_job_close(job);
    weft_graph_free(g);
    weft_context_free(cx);
    return st == WEFT_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
