/* quick.h: whether the work of an execution is done before another thread could be woken. */
#ifndef WEFT_RUNTIME_QUICK_H
#define WEFT_RUNTIME_QUICK_H

#include "runtime/work.h"

/* How long a core takes for it, at rates that are low for one. */
double weft_work_s(const weft_work *w);

/* Without collectives, with Weft's own kernels only, of which none calls back, and whose work on all devices takes less
 * (weft_work_s) than waking another thread does: the thread that calls may run it, for one device after the other
 * (weft_execute_options.here). Its stack then has the rows of a kernel, up to 256 KiB (cost `row`). */
bool weft_executable_is_quick(const weft_executable *x);

#endif
