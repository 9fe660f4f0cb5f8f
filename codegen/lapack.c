/* lapack.c: what LAPACK needs from the thread that calls it. */
#include "codegen/lapack.h"
#include "codegen/threads.h"

void cg_lapack_begin(void) { (void)cg_threads_take_one(); }
