/* cg.c: what examples/cg.c does, as a program for MPI: the rows of the square are split, with a halo of a row.
 *
 *     mpirun -n 4 ./cg                # 64 x 64 cells
 *     mpirun -n 2 ./cg 1024 200       # cells a side, iterations at most
 */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define TOLERANCE 1e-10 /* of the residual's norm */

/* The part of a process: `rows` rows of n cells, within a frame of zeros. */
typedef struct part { int rank, size; int64_t n, rows, begin; } part;

static double *row(const part *p, double *x, int64_t i) { return x + i * (p->n + 2); }

static double *zeros(const part *p) {
    double *x = calloc((size_t)((p->rows + 2) * (p->n + 2)), sizeof *x);
    if (!x) MPI_Abort(MPI_COMM_WORLD, 1);
    return x;
}

static double dot(const part *p, double *a, double *b) {
    double own = 0, sum = 0;
    for (int64_t i = 1; i <= p->rows; i++) {
        const double *x = row(p, a, i), *y = row(p, b, i);
        for (int64_t j = 1; j <= p->n; j++) own += x[j] * y[j];
    }
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* y = A x: the first and last row of x go to the neighbours' frames first. */
static void multiply(const part *p, double *x, double *y) {
    const int above = p->rank ? p->rank - 1 : MPI_PROC_NULL, n = (int)p->n;
    const int below = p->rank + 1 < p->size ? p->rank + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(row(p, x, 1) + 1, n, MPI_DOUBLE, above, 0, row(p, x, p->rows + 1) + 1, n, MPI_DOUBLE, below, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(row(p, x, p->rows) + 1, n, MPI_DOUBLE, below, 1, row(p, x, 0) + 1, n, MPI_DOUBLE, above, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int64_t i = 1; i <= p->rows; i++) {
        const double *restrict here = row(p, x, i), *restrict up = here - (p->n + 2),
                     *restrict down = here + (p->n + 2);
        double *restrict out = row(p, y, i);
        for (int64_t j = 1; j <= p->n; j++) out[j] = 4 * here[j] - (up[j] + down[j] + here[j - 1] + here[j + 1]);
    }
}

/* y = a x + b y. */
static void combine(const part *p, double a, double *x, double b, double *y) {
    for (int64_t i = 1; i <= p->rows; i++) {
        const double *restrict from = row(p, x, i);
        double *restrict to = row(p, y, i);
        for (int64_t j = 1; j <= p->n; j++) to[j] = a * from[j] + b * to[j];
    }
}

int main(int argc, char **argv) {
    part p = { .n = argc > 1 ? strtoll(argv[1], NULL, 10) : 64 };
    const int64_t most = argc > 2 ? strtoll(argv[2], NULL, 10) : 1000;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p.size);
    if (p.n < p.size || p.n > INT32_MAX || most < 1) MPI_Abort(MPI_COMM_WORLD, 2);
    p.begin = p.n * p.rank / p.size;
    p.rows = p.n * (p.rank + 1) / p.size - p.begin;
    double *x = zeros(&p), *r = zeros(&p), *d = zeros(&p), *ad = zeros(&p);
    for (int64_t i = 0; i < p.rows; i++)
        for (int64_t j = 0; j < p.n; j++)
            row(&p, r, i + 1)[j + 1] = row(&p, d, i + 1)[j + 1] = sin(0.1 * (double)j) + (p.begin + i == p.n / 3);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    double rr = dot(&p, r, r);
    const double limit = rr * TOLERANCE * TOLERANCE;
    int64_t n = 0;
    for (; rr > limit && n < most; n++) {
        multiply(&p, d, ad);
        const double alpha = rr / dot(&p, d, ad), before = rr;
        combine(&p, alpha, d, 1, x);
        combine(&p, -alpha, ad, 1, r);
        rr = dot(&p, r, r);
        combine(&p, 1, r, rr / before, d);
    }
    const double took = MPI_Wtime() - begun, norm = sqrt(dot(&p, x, x));
    if (p.rank == 0) printf("%lld iterations in %.2f ms; norm of the solution %.9g\n", (long long)n, took * 1e3, norm);
    free(ad);
    free(d);
    free(r);
    free(x);
    MPI_Finalize();
    return 0;
}
