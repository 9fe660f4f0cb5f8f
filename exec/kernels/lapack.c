/* lapack.c: what LAPACK needs from the thread that calls it. */
#include "exec/kernels/lapack.h"
#include <pthread.h>
#include "exec/kernels/threads.h"

/* 0: built without threads, 1: on threads of its own, 2: on OpenMP. Only OpenBLAS has it, which may stand behind any
 * LAPACK that configure found. */
int openblas_get_parallel(void) __attribute__((weak));

static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;

static int takes_turns(void) { return openblas_get_parallel && openblas_get_parallel() == 0; }

bool weft_lapack_is_openmp(void) { return openblas_get_parallel && openblas_get_parallel() == 2; }

void weft_lapack_begin(void) {
    (void)weft_threads_take_one();
    if (takes_turns()) pthread_mutex_lock(&alone);
}

void weft_lapack_end(void) {
    if (takes_turns()) pthread_mutex_unlock(&alone);
}
