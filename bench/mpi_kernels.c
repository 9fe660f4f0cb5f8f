/* mpi_kernels: what libweft_mpi saves a program: mpirun -n 2 -x LD_PRELOAD=libweft_mpi.so bench/mpi_kernels. Four
 * kernels as MPI programs have them, each with its collectives as the program makes them and, in turns in the same run,
 * by MPI's second names, which pass the library by. A line is a kernel's time with both, and whether its result is the
 * same (sums of floats to rounding). Without the library both are MPI's.
 *
 *   gradients     training with data on all processes: eight parts of a gradient, each summed while the next is made
 *                 (MPI_Iallreduce of 512 KiB)
 *   conjugate     conjugate gradients on a grid split by rows: the vector is gathered, the products summed
 *                 (MPI_Allgather of 256 KiB, MPI_Allreduce of 8 B)
 *   transpose     the exchange of a Fourier transform in two dimensions, 512 x 512 (MPI_Alltoall of 1 MiB with 2
 *                 processes)
 *   clusters      k-means of 64 clusters in 16 dimensions (MPI_Allreduce of 8.5 KiB)
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALL(name, ...) (second ? PMPI_##name(__VA_ARGS__) : MPI_##name(__VA_ARGS__))

static int rank, size;

static double *numbers(size_t n) {
    double *x = calloc(n, sizeof *x);
    if (!x) MPI_Abort(MPI_COMM_WORLD, 2);
    return x;
}

static double gradients(int second) {
    enum { PARTS = 8, N = 1 << 16, STEPS = 20 };
    static double *g, *sum;
    double check = 0;
    MPI_Request q[PARTS];
    if (!g) g = numbers(PARTS * N), sum = numbers(PARTS * N);
    for (int step = 0; step < STEPS; step++) {
        for (int part = 0; part < PARTS; part++) {
            double *to = g + (size_t)part * N;
            for (int i = 0; i < N; i++) to[i] = (double)((i * 31 + part + step) % 17 + rank) * 0.125;
            CALL(Iallreduce, to, sum + (size_t)part * N, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q[part]);
        }
        PMPI_Waitall(PARTS, q, MPI_STATUSES_IGNORE);
        check += sum[(step * 7919) % (PARTS * N)];
    }
    return check;
}

static double product(const double *a, const double *b, int n, int second) {
    double mine = 0, all;
    for (int i = 0; i < n; i++) mine += a[i] * b[i];
    CALL(Allreduce, &mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static double conjugate(int second) {
    enum { ROW = 128, ROWS = 256, STEPS = 60 };
    int rows = ROWS / size, n = rows * ROW, whole = n * size, first = rank * n;
    static double *x, *r, *p, *ap, *all;
    if (!x) x = numbers((size_t)n), r = numbers((size_t)n), p = numbers((size_t)n), ap = numbers((size_t)n),
            all = numbers((size_t)whole);
    for (int i = 0; i < n; i++) x[i] = 0, p[i] = r[i] = 1.0 + (first + i) % 5;
    double rr = product(r, r, n, second);
    for (int step = 0; step < STEPS; step++) {
        CALL(Allgather, p, n, MPI_DOUBLE, all, n, MPI_DOUBLE, MPI_COMM_WORLD);
        for (int i = 0; i < n; i++) {
            int at = first + i, column = at % ROW;
            ap[i] = 4.5 * all[at] - (column ? all[at - 1] : 0) - (column < ROW - 1 ? all[at + 1] : 0) -
                    (at >= ROW ? all[at - ROW] : 0) - (at < whole - ROW ? all[at + ROW] : 0);
        }
        double a = rr / product(p, ap, n, second), before = rr;
        for (int i = 0; i < n; i++) x[i] += a * p[i], r[i] -= a * ap[i];
        rr = product(r, r, n, second);
        for (int i = 0; i < n; i++) p[i] = r[i] + rr / before * p[i];
    }
    return product(x, x, n, second);
}

static double transpose(int second) {
    enum { SIDE = 512, STEPS = 40 };
    int rows = SIDE / size, block = rows * rows;
    static double *mine, *out, *in;
    double check = 0;
    if (!mine)
        mine = numbers((size_t)rows * SIDE), out = numbers((size_t)rows * SIDE), in = numbers((size_t)rows * SIDE);
    for (int i = 0; i < rows * SIDE; i++) mine[i] = rank * rows * SIDE + i;
    for (int step = 0; step < STEPS; step++) {
        for (int k = 0; k < size; k++)
            for (int i = 0; i < rows; i++)
                memcpy(out + (size_t)(k * block + i * rows), mine + (size_t)(i * SIDE + k * rows),
                       (size_t)rows * sizeof *out);
        CALL(Alltoall, out, block, MPI_DOUBLE, in, block, MPI_DOUBLE, MPI_COMM_WORLD);
        for (int k = 0; k < size; k++)
            for (int i = 0; i < rows; i++)
                for (int j = 0; j < rows; j++)
                    mine[(size_t)(i * SIDE + k * rows + j)] = in[(size_t)(k * block + j * rows + i)];
        check += mine[(step * 131) % (rows * SIDE)];
    }
    return check;
}

static double clusters(int second) {
    enum { POINTS = 2000, D = 16, K = 64, STEPS = 20 };
    static double *at, centre[K][D];
    double sums[K][D + 1], all[K][D + 1];
    if (!at) at = numbers(POINTS * D);
    for (int i = 0; i < POINTS * D; i++) at[i] = (double)((i * 7919 + rank * 104729) % 1009) / 1009;
    for (int k = 0; k < K; k++)
        for (int d = 0; d < D; d++) centre[k][d] = (double)((k * D + d) * 31 % 101) / 101;
    for (int step = 0; step < STEPS; step++) {
        memset(sums, 0, sizeof sums);
        for (int i = 0; i < POINTS; i++) {
            int best = 0;
            double least = HUGE_VAL;
            for (int k = 0; k < K; k++) {
                double far = 0;
                for (int d = 0; d < D; d++) far += (at[i * D + d] - centre[k][d]) * (at[i * D + d] - centre[k][d]);
                if (far < least) least = far, best = k;
            }
            for (int d = 0; d < D; d++) sums[best][d] += at[i * D + d];
            sums[best][D]++;
        }
        CALL(Allreduce, sums, all, K * (D + 1), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        for (int k = 0; k < K; k++)
            for (int d = 0; d < D; d++) centre[k][d] = all[k][D] > 0 ? all[k][d] / all[k][D] : centre[k][d];
    }
    return centre[3][5] + centre[K - 1][1];
}

static const struct { const char *name; double (*run)(int second); } kernels[] = {
    { "gradients", gradients }, { "conjugate", conjugate }, { "transpose", transpose }, { "clusters", clusters },
};

int main(int argc, char **argv) {
    int bad = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (256 % size) {
        if (rank == 0) fprintf(stderr, "mpi_kernels: the number of processes divides 256\n");
        MPI_Finalize();
        return 2;
    }
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        double least[2] = { HUGE_VAL, HUGE_VAL }, got[2];
        for (int turn = -1; turn < 15; turn++)
            for (int second = 0; second < 2; second++) {
                PMPI_Barrier(MPI_COMM_WORLD);
                double t = -MPI_Wtime();
                got[second] = kernels[k].run(second);
                PMPI_Barrier(MPI_COMM_WORLD);
                t += MPI_Wtime();
                if (turn >= 0 && t < least[second]) least[second] = t;
            }
        int same = fabs(got[0] - got[1]) <= 1e-12 * fabs(got[1]);
        bad |= !same;
        if (rank) continue;
        printf("%-12s P=%d %9.3f ms   MPI %9.3f ms  ratio %5.2f  %s\n", kernels[k].name, size, least[0] * 1e3,
               least[1] * 1e3, least[1] / least[0], same ? "same result" : "ANOTHER RESULT");
    }
    MPI_Finalize();
    return bad;
}
