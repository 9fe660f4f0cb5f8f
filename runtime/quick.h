/* quick.h: the work of an execution by its plan, and whether it is done before another thread could be woken. */
#ifndef WEFT_RUNTIME_QUICK_H
#define WEFT_RUNTIME_QUICK_H

#include "exec/executable.h"

typedef struct weft_work {
    double flops, bytes;       /* of one device: arithmetic, and what its steps read and write */
    bool known;                /* false: a loop's trips are not, and are taken to be plan->assumed_trips */
} weft_work;
weft_work weft_plan_work(const weft_plan *p);
/* How long a core takes for it, at rates that are low for one. */
double weft_work_s(const weft_work *w);

/* Of one device, with Weft's own kernels only, of which none calls back, and whose work takes less (weft_work_s) than
 * waking another thread does: the thread that calls may run it (weft_execute_options.here). Its stack then has the rows
 * of a kernel, up to 256 KiB (cost `row`). */
bool weft_executable_is_quick(const weft_executable *x);

#endif
