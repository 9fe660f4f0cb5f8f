/* steps.h: loads an executable and walks its steps on one device, without a runtime and without a compiler. */
#ifndef WEFT_TESTS_EXEC_STEPS_H
#define WEFT_TESTS_EXEC_STEPS_H

#include "exec/executable.h"
#include "exec/kernel.h"

/* One run. args and results are buffers of the sizes that x says, aligned to WEFT_BUFFER_ALIGN; a result that aliases
 * an argument is at that argument's address. Collectives give WEFT_ERR_UNSUPPORTED. Each of the rest may be NULL. */
typedef struct steps_run {
    const weft_executable *x;
    void *const *args, *const *results;
    double *step_s;                 /* room for a time per step, to which this run's is added */
    weft_failure *why;              /* what a step that fails has to say */
    const weft_step **where;        /* that step */
    struct weft_team *team;         /* does what can be split (exec/team.h); NULL: this thread, in pieces */
    const _Atomic uint32_t *stop;   /* not 0: code that may run without end returns WEFT_ERR_PEER */
} steps_run;

/* Loads the program with these kernels, runs it once, unloads it. Load errors are reported in cx. */
weft_status steps_walk(weft_context *cx, const weft_kernel_set *sets, const steps_run *r);

/* Memory aligned as buffers are; zeroed. Aborts when there is none. */
void *steps_buffer(size_t bytes);

#endif
