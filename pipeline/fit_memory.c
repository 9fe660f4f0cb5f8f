/* fit_memory.c: see fit_memory.h. What a plan takes is known when it is made, after fusion, the order of steps and the
 * reuse of buffers; the pass goes by an estimate. So the pass gets a limit, the plan is made, and the limit goes down
 * by a step until the plan fits. The steps do not depend on what is asked for: a caller that asks for the least memory
 * of a refusal gets a program. */
#include "pipeline/fit_memory.h"

#include "partitioner/memory/rematerialize.h"

#define STEP 0.9 /* of the limit before */

static weft_status plan_peak(weft_context *cx, const weft_module *local, const weft_compile_options *opt,
                             int64_t *peak) {
    weft_compile_options only = *opt;
    weft_executable *x = NULL;
    only.flags |= WEFT_COMPILE_PLAN_ONLY;
    only.cache = NULL;
    only.dump = WEFT_COMPILE_DUMP_NONE;
    only.dumped = NULL;
    weft_status st = weft_codegen_compile(cx, local, &only, &x);
    if (st != WEFT_OK) return st;
    *peak = weft_plan_peak_bytes(&x->plan);
    weft_executable_free(x);
    return WEFT_OK;
}

weft_status weft_refuse_memory(weft_context *cx, const weft_module *local, int64_t least, int64_t bytes) {
    const weft_loc *loc = weft_module_main(local)->loc;
    weft_status st = weft_report(cx, WEFT_D_usage, loc,
                                 "the program takes %lld bytes of a device's memory at least, and may take %lld",
                                 (long long)least, (long long)bytes);
    weft_note(cx, loc, "no more of its values can be computed again: its arguments and results stay, and what is read "
                       "where most is held; shard it over more devices, or ask for %lld bytes",
              (long long)least);
    return st;
}

weft_status weft_fit_memory(weft_context *cx, weft_module *local, const weft_compile_options *opt, int64_t bytes,
                            int64_t *first, int64_t *least) {
    const weft_machine *machine = opt->machine ? opt->machine : &weft_machine_default;
    weft_rematerialized done = { 0 };
    int64_t limit = INT64_MAX; /* the first is above all: the pass only says what is held */
    *first = *least = INT64_MAX;
    do {
        int64_t peak = 0;
        weft_status st = weft_rematerialize(local, machine, limit, false, &done);
        if (st == WEFT_OK) st = plan_peak(cx, local, opt, &peak);
        if (st != WEFT_OK) return st;
        if (limit == INT64_MAX) *first = peak;
        if (peak < *least) *least = peak;
        if (peak <= bytes) return WEFT_OK;
        if (done.after > limit && !done.values) break; /* nor for less */
        limit = (int64_t)(STEP * (double)(limit == INT64_MAX ? done.before : limit));
    } while (limit > 0);
    return WEFT_OK;
}
