/* lapack.c: what LAPACK needs from the process. */
#include <pthread.h>
#include "codegen/lapack.h"

/* OpenBLAS built with threads of its own would start them on every device; other libraries have no such function. */
void openblas_set_num_threads(int n) __attribute__((weak));

static pthread_once_t begin_once = PTHREAD_ONCE_INIT;
static void begin(void) {
    if (openblas_set_num_threads) openblas_set_num_threads(1);
}

void cg_lapack_begin(void) { pthread_once(&begin_once, begin); }
