/* autotune.h: the costs with which a program is fastest on this machine, found by compiling it with others and timing
 * its steps.
 *
 * Passes decide by comparing costs of the machine (topology/costs.def), so another cost is another decision, which any
 * pass then carries out as usual. autotune.def lists what is tried, one cost at a time, beside what is the best so far
 * (a coordinate search). What compiles to a program that has been seen is not run. A program runs beside the best one,
 * on the same arguments: its first results are compared with those of the program as it was, then steps of both are
 * timed in turns (race.h), each round from the arguments on. At last the best one is timed once more beside the program
 * as it was, with new threads and memory: the gain that is reported is not from the races by which it was chosen.
 *
 * All devices are threads of this process. One thread at a time.
 */
#ifndef WEFT_PIPELINE_AUTOTUNE_H
#define WEFT_PIPELINE_AUTOTUNE_H

#include "pipeline/pipeline.h"
#include "pipeline/race.h"
#include "runtime/execute.h"

typedef enum weft_trial_end {
    WEFT_TRIAL_KNOWN,            /* compiles to a program that was tried before */
    WEFT_TRIAL_FASTER,           /* it is the best now */
    WEFT_TRIAL_NOT_FASTER,
    WEFT_TRIAL_DIFFERS,          /* its results differ by more than is allowed */
    WEFT_TRIAL_FAILED            /* it cannot be compiled or run: out of memory, or a limit of a pass */
} weft_trial_end;

typedef struct weft_trial {
    size_t cost;                 /* WEFT_COST_* */
    const weft_costs *costs;     /* with it */
    const char *about;           /* the decision: autotune.def */
    weft_trial_end end;
    weft_race race;              /* beside the best so far, where it ran */
} weft_trial;

typedef struct weft_autotune_options {
    /* Of the program as it is; with its machine, which is not NULL. Its cache makes trials faster. */
    weft_build_options build;
    weft_built_program *built;   /* m by these options, which the caller frees; NULL: it is built here */
    weft_processes processes;    /* one process; threads of a device, binding, timeout */
    double seconds;              /* no trial begins later, and one under way ends */
    bool exact;                  /* results are equal bit by bit; else by the digits of their types (verify.h) */
    /* Gives the program its arguments, the same at each call. */
    weft_status (*load)(void *user, const weft_built_program *p, weft_session *s);
    void (*tell)(void *user, const weft_trial *t); /* after each trial; may be NULL */
    void *user;
} weft_autotune_options;

typedef struct weft_autotune_result {
    weft_costs costs;            /* the best; those of the machine if nothing is faster */
    bool wins;                   /* something is */
    double before_s, after_s;    /* of a step: the median of the last race */
    weft_race last;              /* the best beside the program as it was; without pairs: it is the same */
    size_t tried, ran, count;    /* alternatives tried, those that were run, and all for so many devices */
} weft_autotune_result;

/* m is as weft_program_build takes it. Reports errors; warnings are not said again, since the caller has built m. A
 * trial that fails is no failure of the search; a failure of the program itself is. */
weft_status weft_autotune(weft_context *cx, const weft_module *m, const weft_autotune_options *opt,
                          weft_autotune_result *out);

#endif
