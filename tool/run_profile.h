/* run_profile.h: `weft run --profile` and `--trace`: what takes the time of a step, as measured. */
#ifndef WEFT_TOOL_RUN_PROFILE_H
#define WEFT_TOOL_RUN_PROFILE_H

#include "cost/tune.h"
#include "runtime/execute.h"
#include "tool/tool.h"

/* What gives each line its least time: a machine, else what was measured here; neither: none is printed. */
typedef struct run_rates {
    const weft_machine *machine;
    const weft_tune_rates *measured;
    int cores;                 /* of a device */
} run_rates;

/* Prints p, of device `device`. */
weft_status run_profile_print(tool *t, const weft_executable *x, const weft_profile *p, int device,
                              const run_rates *rates);

/* The last step of all devices, for Perfetto and chrome://tracing: by each process, process 0 writes the file. */
weft_status run_trace_write(tool *t, const weft_executable *x, weft_session *s, const char *path);

#endif
