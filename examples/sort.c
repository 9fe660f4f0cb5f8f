/* sort.c: a distributed sort and selection, on a mesh of devices, from C.
 *
 *     cc sort.c $(pkg-config --cflags --libs weft) -o sort
 *     ./sort                                       # four devices, threads of one process
 *     mpirun -n 4 ./sort                           # four processes of one device each
 *     ./sort "part=8" 1000003 20                   # another mesh, so many numbers, the time of so many sorts
 *
 * A line of numbers lies in parts on the devices. The program sorts it, so that device j gets its part of the sorted
 * line, and takes the median and the numbers that are largest, with their places. mpi/sort.c is what a program for MPI
 * does: samples, splitters, an exchange of as many numbers as go to each process, a merge, and a second exchange for
 * equal parts. Here it is two ops, and the partitioner finds the exchange. Process 0 compares with qsort: exit status 1
 * when they differ.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <weft/control.h>
#include <weft/ops.h>

#include "examples/example.h"

enum { LARGEST = 8 };

static void build(weft_graph *g, const char *axes, int64_t n) {
    char type[32];
    snprintf(type, sizeof type, "%lldxf64", (long long)n);
    const weft_device_mesh *mesh = weft_graph_mesh(g, axes);
    weft_tensor *x = weft_shard(g, weft_graph_input(g, "x", type), mesh, "part"), *largest[2];
    weft_tensor *sorted = weft_shard(g, weft_graph_sort(g, x, 0), mesh, "part");
    weft_graph_top_k(g, x, LARGEST, largest);
    weft_graph_output(g, "sorted", sorted);
    weft_graph_output(g, "median", weft_graph_slice(g, sorted, WEFT_DIMS(n / 2), WEFT_DIMS(n / 2 + 1), WEFT_NO_DIMS));
    weft_graph_output(g, "largest", largest[0]);
    weft_graph_output(g, "places", largest[1]);
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Numbers of which few are equal, the same on every process. */
static void fill(double *x, int64_t n) {
    uint64_t state = 1;
    for (int64_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[i] = (double)(state >> 44) / 1024 - 500;
    }
}

/* On process 0: whether the results are those of qsort. x is sorted. */
static int compare(double *x, int64_t n, const double *sorted, double median, const double *largest,
                   const int32_t *places) {
    int same = 1;
    for (int i = 0; i < LARGEST; i++) same = same && x[places[i]] == largest[i];
    qsort(x, (size_t)n, sizeof *x, by_value);
    for (int64_t i = 0; i < n; i++) same = same && x[i] == sorted[i];
    for (int i = 0; i < LARGEST; i++) same = same && x[n - 1 - i] == largest[i];
    return same && x[n / 2] == median;
}

static double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char help[] =
    "[MESH [NUMBERS [TIMES]]]\n"
    "\n"
    "  MESH     an axis part (\"part=4\")\n"
    "  NUMBERS  how many are sorted, at least 8 (100000)\n"
    "  TIMES    how often (1); the time of one is printed\n"
    "\n"
    "  sort \"part=8\" 1000003 20    on threads of this process\n"
    "  mpirun -n 4 sort             four processes of one device each\n";

int main(int argc, char **argv) {
    const int ends = example_ends(argc, argv, 3, help);
    if (ends >= 0) return ends;
    const char *axes = argc > 1 ? argv[1] : "part=4";
    const int64_t n = argc > 2 ? strtoll(argv[2], NULL, 10) : 100000, times = argc > 3 ? strtoll(argv[3], NULL, 10) : 1;
    if (n < LARGEST || n > INT32_MAX || times < 1) {
        fprintf(stderr, "usage: sort [MESH [NUMBERS [TIMES]]], at least %d numbers\n", LARGEST);
        return 2;
    }
    double *x = malloc((size_t)n * sizeof *x), *sorted = malloc((size_t)n * sizeof *x), median, largest[LARGEST];
    int32_t places[LARGEST];
    weft_context *cx = weft_context_new(NULL);
    weft_graph *g = cx ? weft_graph_new(cx, "sort") : NULL;
    weft_job *job = NULL;
    weft_status st = WEFT_ERR_MEMORY;
    if (!g || !x || !sorted) goto out;
    weft_context_set_handler(cx, example_print, NULL);
    fill(x, n);
    build(g, axes, n);
    st = weft_job_open(cx, g, NULL, &job);
    if (st == WEFT_OK) st = weft_job_write(job, "x", x, (size_t)n * sizeof *x);
    if (st == WEFT_OK) st = weft_job_step(job); /* the first one also finds memory */
    const double begun = now();
    for (int64_t i = 0; i < times && st == WEFT_OK; i++) st = weft_job_step(job);
    const double took = (now() - begun) / (double)times;
    if (st == WEFT_OK) st = weft_job_read(job, "sorted", sorted, (size_t)n * sizeof *x);
    if (st == WEFT_OK) st = weft_job_read(job, "median", &median, sizeof median);
    if (st == WEFT_OK) st = weft_job_read(job, "largest", largest, sizeof largest);
    if (st == WEFT_OK) st = weft_job_read(job, "places", places, sizeof places);
    if (st != WEFT_OK || weft_job_process(job) != 0) goto out;
    printf("%lld numbers sorted in %.2f ms, median %.6g, largest %.6g\n", (long long)n, took * 1e3, median, largest[0]);
    if (!compare(x, n, sorted, median, largest, places)) st = WEFT_ERR_MISMATCH;
out:
    weft_job_close(job);
    weft_graph_free(g);
    weft_context_free(cx);
    free(sorted);
    free(x);
    return st == WEFT_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
