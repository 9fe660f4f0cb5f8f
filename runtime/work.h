/* work.h: the work of an execution, by its plan. */
#ifndef WEFT_RUNTIME_WORK_H
#define WEFT_RUNTIME_WORK_H

#include "exec/executable.h"

typedef struct weft_work {
    double flops, bytes;       /* of one device: arithmetic, and what its steps read and write */
    double product_flops, product_bytes; /* of that, by libraries' steps in loops that are one function */
    bool known;                /* false: a loop's trips are not, and are taken to be plan->assumed_trips */
} weft_work;

/* Of a case: of the branch that runs, or where only a run knows which, the most of each figure. */
weft_work weft_plan_work(const weft_plan *p);

/* A plan lists the steps of all loops; an executable has one step for a loop that became a function. What that does
 * depends on how often it turned, and which branches it took. */
typedef struct weft_step_work {
    double flops, bytes;                             /* of one call; of such a function, and of collectives, none */
    weft_dtype dtype;                                /* weft_plan_step.dtype; of a function that of its most work */
    const weft_plan_step *loop; uint32_t loop_steps; /* the function's steps; NULL: it is no loop */
    uint32_t turns;                                  /* numbers that it counts (weft_run_env.turns) */
} weft_step_work;

/* Of each step of x, in arena; NULL: memory is out. */
weft_step_work *weft_step_works(weft_arena *arena, const weft_executable *x);

/* What a step did. turns: as a function counted them. */
weft_work weft_step_done(const weft_step_work *w, const int64_t *turns);

#endif
