/* heat.c: what examples/heat.c does, as a program for MPI: the rows of the plate are split, with a halo of a row.
 *
 *     mpirun -n 4 ./heat                  # 96 x 64 cells
 *     mpirun -n 2 ./heat 1024 1024 1000   # rows, columns, iterations at most
 */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-4
#define EDGE 1.0 /* the temperature above the first row */

/* The part of a process: `rows` rows of `columns` cells, within a frame of one cell. */
typedef struct plate { int rank, size; int64_t rows, columns; double *u, *next; } plate;

static double *row(const plate *p, double *u, int64_t i) { return u + i * (p->columns + 2); }

static double *new_part(const plate *p) {
    double *u = calloc((size_t)((p->rows + 2) * (p->columns + 2)), sizeof *u);
    if (!u) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int64_t j = 1; j <= p->columns && p->rank == 0; j++) u[j] = EDGE;
    return u;
}

/* The first and last row go to the neighbours' frames. */
static void exchange(const plate *p) {
    const int above = p->rank ? p->rank - 1 : MPI_PROC_NULL, n = (int)p->columns;
    const int below = p->rank + 1 < p->size ? p->rank + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(row(p, p->u, 1) + 1, n, MPI_DOUBLE, above, 0, row(p, p->u, p->rows + 1) + 1, n, MPI_DOUBLE, below, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(row(p, p->u, p->rows) + 1, n, MPI_DOUBLE, below, 1, row(p, p->u, 0) + 1, n, MPI_DOUBLE, above, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* One iteration; returns the largest change of a cell of this process. */
static double spread(plate *p) {
    double change = 0;
    for (int64_t i = 1; i <= p->rows; i++) {
        const double *restrict here = row(p, p->u, i), *restrict up = here - (p->columns + 2),
                     *restrict down = here + (p->columns + 2);
        double *restrict out = row(p, p->next, i);
        for (int64_t j = 1; j <= p->columns; j++) {
            out[j] = 0.25 * (up[j] + down[j] + here[j - 1] + here[j + 1]);
            const double moved = fabs(out[j] - here[j]);
            change = moved > change ? moved : change;
        }
    }
    double *old = p->u;
    p->u = p->next;
    p->next = old;
    return change;
}

int main(int argc, char **argv) {
    const int64_t rows = argc > 1 ? strtoll(argv[1], NULL, 10) : 96,
                  columns = argc > 2 ? strtoll(argv[2], NULL, 10) : 64,
                  most = argc > 3 ? strtoll(argv[3], NULL, 10) : 2000;
    plate p = { .columns = columns };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p.size);
    if (rows < p.size || columns < 1 || columns > INT32_MAX || most < 1) MPI_Abort(MPI_COMM_WORLD, 2);
    p.rows = rows * (p.rank + 1) / p.size - rows * p.rank / p.size;
    p.u = new_part(&p);
    p.next = new_part(&p);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    int64_t n = 0;
    double change = 1, sum = 0, all = 0;
    for (; change > TOLERANCE && n < most; n++) {
        exchange(&p);
        const double own = spread(&p);
        MPI_Allreduce(&own, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    const double took = MPI_Wtime() - begun;
    for (int64_t i = 1; i <= p.rows; i++)
        for (int64_t j = 1; j <= columns; j++) sum += row(&p, p.u, i)[j];
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (p.rank == 0)
        printf("%lld iterations in %.2f ms, the last changes a cell by %.2g; mean %.9f\n", (long long)n, took * 1e3,
               change, all / (double)(rows * columns));
    free(p.next);
    free(p.u);
    MPI_Finalize();
    return 0;
}
