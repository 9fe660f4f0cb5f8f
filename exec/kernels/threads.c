/* threads.c: see threads.h. */
#include "exec/kernels/threads.h"

/* oneDNN and some builds of OpenBLAS bring their OpenMP runtime along; without one there is nothing to set. */
int omp_get_max_threads(void) __attribute__((weak));
void omp_set_num_threads(int n) __attribute__((weak));

int weft_threads_take_one(void) {
    if (!omp_get_max_threads || !omp_set_num_threads) return 0;
    int before = omp_get_max_threads();
    if (before != 1) omp_set_num_threads(1);
    return before;
}

void weft_threads_give(int before) {
    if (before > 1) omp_set_num_threads(before);
}
