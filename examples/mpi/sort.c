/* sort.c: what examples/sort.c does, as a program for MPI: sample sort and selection by hand.
 *
 *     mpirun -n 4 ./sort                  # 100,000 numbers
 *     mpirun -n 4 ./sort 1000003 20       # so many numbers, the time of so many sorts
 *
 * Each process sorts its part and gives as many evenly spaced numbers as there are processes; of all these, sorted,
 * every so manyth is a splitter. Each process sends every other what lies between its splitters, sorts what it got, and
 * a second exchange makes the parts equal. The result is compared on process 0 with qsort: exit status 1 when they
 * differ.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 8 };

typedef struct world { int rank, size; int64_t n, part, begin, mine; } world;
typedef struct ranked { double v; int64_t place; } ranked;

static void *room(size_t bytes) {
    void *p = malloc(bytes ? bytes : 1);
    if (!p) MPI_Abort(MPI_COMM_WORLD, 1);
    return p;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int by_rank(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    return x->v != y->v ? (x->v < y->v) - (x->v > y->v) : (x->place > y->place) - (x->place < y->place);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* The first element of sorted x that is larger than v. */
static int64_t above(const double *x, int64_t n, double v) {
    int64_t low = 0;
    while (low < n) {
        const int64_t middle = (low + n) / 2;
        if (x[middle] > v) n = middle;
        else low = middle + 1;
    }
    return low;
}

static void offsets(const int *count, int *offset, int n) {
    for (int i = 0, at = 0; i < n; at += count[i++]) offset[i] = at;
}

/* Sends count[j] numbers of x, one after another, to each process j; returns what came, and how many in *got. */
static double *exchange(const world *w, const double *x, const int *count, int64_t *got) {
    int *come = room(3 * (size_t)w->size * sizeof *come), *from = come + w->size, *to = from + w->size;
    MPI_Alltoall(count, 1, MPI_INT, come, 1, MPI_INT, MPI_COMM_WORLD);
    offsets(count, from, w->size);
    offsets(come, to, w->size);
    *got = to[w->size - 1] + come[w->size - 1];
    double *y = room((size_t)*got * sizeof *y);
    MPI_Alltoallv(x, count, from, MPI_DOUBLE, y, come, to, MPI_DOUBLE, MPI_COMM_WORLD);
    free(come);
    return y;
}

/* The splitters: size - 1 of them. */
static void split(const world *w, const double *x, double *splitter) {
    double *all = room((size_t)w->size * ((size_t)w->size + 1) * sizeof *all), *own = all + w->size * w->size;
    for (int i = 0; i < w->size; i++) own[i] = w->mine ? x[i * w->mine / w->size] : 0;
    MPI_Allgather(own, w->size, MPI_DOUBLE, all, w->size, MPI_DOUBLE, MPI_COMM_WORLD);
    qsort(all, (size_t)w->size * (size_t)w->size, sizeof *all, by_value);
    for (int i = 1; i < w->size; i++) splitter[i - 1] = all[i * w->size];
    free(all);
}

/* x, this process's part, becomes its part of the sorted line. */
static void sort(const world *w, double *x) {
    int *count = room((size_t)w->size * sizeof *count);
    double *splitter = room((size_t)w->size * sizeof *splitter);
    int64_t got, before = 0, n;
    qsort(x, (size_t)w->mine, sizeof *x, by_value);
    split(w, x, splitter);
    for (int64_t j = 0, at = 0; j < w->size; j++) {
        const int64_t end = j + 1 < w->size ? above(x, w->mine, splitter[j]) : w->mine;
        count[j] = (int)(end - at);
        at = end;
    }
    double *y = exchange(w, x, count, &got);
    qsort(y, (size_t)got, sizeof *y, by_value);
    MPI_Exscan(&got, &before, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (w->rank == 0) before = 0;
    for (int64_t j = 0; j < w->size; j++) { /* of the places before .. before + got, those of process j */
        const int64_t low = least(j * w->part, w->n), high = least((j + 1) * w->part, w->n);
        const int64_t a = low > before ? low : before, b = least(high, before + got);
        count[j] = b > a ? (int)(b - a) : 0;
    }
    double *z = exchange(w, y, count, &n);
    memcpy(x, z, (size_t)n * sizeof *x);
    free(z);
    free(y);
    free(splitter);
    free(count);
}

/* The largest numbers of all parts x, with their places: LARGEST of each part, and of these again. */
static void select_largest(const world *w, const double *x, ranked *out) {
    ranked *all = room(((size_t)w->size + 1) * LARGEST * sizeof *all), *own = all + w->size * LARGEST;
    int count = 0;
    for (int64_t i = 0; i < w->mine; i++) {
        const ranked r = { x[i], w->begin + i };
        if (count == LARGEST && by_rank(&r, &own[LARGEST - 1]) > 0) continue;
        int at = count < LARGEST ? count++ : LARGEST - 1;
        for (; at > 0 && by_rank(&r, &own[at - 1]) < 0; at--) own[at] = own[at - 1];
        own[at] = r;
    }
    for (; count < LARGEST; count++) own[count] = (ranked){ -1e308, INT64_MAX };
    MPI_Allgather(own, LARGEST * sizeof *own, MPI_BYTE, all, LARGEST * sizeof *own, MPI_BYTE, MPI_COMM_WORLD);
    qsort(all, (size_t)w->size * LARGEST, sizeof *all, by_rank);
    memcpy(out, all, LARGEST * sizeof *out);
    free(all);
}

/* The number at a place of the sorted line, from the process that has it. */
static double at_place(const world *w, const double *x, int64_t place) {
    const int owner = (int)(place / w->part);
    double v = owner == w->rank ? x[place - w->begin] : 0;
    MPI_Bcast(&v, 1, MPI_DOUBLE, owner, MPI_COMM_WORLD);
    return v;
}

static void fill(double *x, int64_t n) {
    uint64_t state = 1;
    for (int64_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[i] = (double)(state >> 44) / 1024 - 500;
    }
}

/* On process 0: whether the parts are those of qsort. */
static int compare(const world *w, const double *part, double *all, double median, const ranked *largest) {
    int *count = room(2 * (size_t)w->size * sizeof *count), *offset = count + w->size, same = 1;
    double *sorted = room((size_t)w->n * sizeof *sorted);
    for (int64_t j = 0; j < w->size; j++) {
        offset[j] = (int)least(j * w->part, w->n);
        count[j] = (int)(least((j + 1) * w->part, w->n) - offset[j]);
    }
    MPI_Gatherv(part, count[w->rank], MPI_DOUBLE, sorted, count, offset, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (w->rank == 0) {
        qsort(all, (size_t)w->n, sizeof *all, by_value);
        for (int64_t i = 0; i < w->n; i++) same = same && all[i] == sorted[i];
        for (int i = 0; i < LARGEST; i++) same = same && all[w->n - 1 - i] == largest[i].v;
        same = same && all[w->n / 2] == median;
    }
    free(sorted);
    free(count);
    return same;
}

int main(int argc, char **argv) {
    world w = { .n = argc > 1 ? strtoll(argv[1], NULL, 10) : 100000 };
    const int64_t times = argc > 2 ? strtoll(argv[2], NULL, 10) : 1;
    ranked largest[LARGEST];
    double median = 0, took = 0;
    if (w.n < LARGEST || w.n > INT32_MAX || times < 1) return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &w.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &w.size);
    w.part = (w.n + w.size - 1) / w.size;
    w.begin = least(w.rank * w.part, w.n);
    w.mine = least(w.begin + w.part, w.n) - w.begin;
    double *all = room((size_t)w.n * sizeof *all), *x = room((size_t)w.part * sizeof *x);
    fill(all, w.n);
    for (int64_t i = 0; i <= times; i++) {
        memcpy(x, all + w.begin, (size_t)w.mine * sizeof *x);
        MPI_Barrier(MPI_COMM_WORLD);
        const double begun = MPI_Wtime();
        select_largest(&w, x, largest);
        sort(&w, x);
        median = at_place(&w, x, w.n / 2);
        if (i) took += (MPI_Wtime() - begun) / (double)times; /* the first one also finds memory */
    }
    if (w.rank == 0)
        printf("%lld numbers sorted in %.2f ms, median %.6g, largest %.6g\n", (long long)w.n, took * 1e3, median,
               largest[0].v);
    const int same = compare(&w, x, all, median, largest);
    free(x);
    free(all);
    MPI_Finalize();
    return !same;
}
