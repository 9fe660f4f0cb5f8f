/* work.h: the work of an execution, by its plan. */
#ifndef WEFT_RUNTIME_WORK_H
#define WEFT_RUNTIME_WORK_H

#include "exec/executable.h"

typedef struct weft_work {
    double flops, bytes;       /* of one device: arithmetic, and what its steps read and write */
    bool known;                /* false: a loop's trips are not, and are taken to be plan->assumed_trips */
} weft_work;
weft_work weft_plan_work(const weft_plan *p);

/* Of each step of x, in arena; NULL: memory is out. A plan lists the steps of all loops; x has one step for a loop that
 * became a function, whose work is that of all its iterations. */
weft_work *weft_step_works(weft_arena *arena, const weft_executable *x);

#endif
