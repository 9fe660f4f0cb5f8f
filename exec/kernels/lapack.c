/* lapack.c: what LAPACK needs from the thread that calls it. */
#include "exec/kernels/lapack.h"
#include "exec/kernels/threads.h"

void weft_lapack_begin(void) { (void)weft_threads_take_one(); }
