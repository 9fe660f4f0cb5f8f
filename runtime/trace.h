/* trace.h: the last execution of all processes' devices, step by step, at one of them. */
#ifndef WEFT_RUNTIME_TRACE_H
#define WEFT_RUNTIME_TRACE_H

#include "runtime/client.h"
#include "runtime/profile.h"

enum { WEFT_TRACE_NAME = 24 }; /* bytes of an algorithm's name, with its end */

typedef struct weft_trace_event {
    double begin_s, end_s;     /* from the begin of the first event of all */
    weft_step_figures did;
    uint64_t step;             /* of the executable */
    uint64_t thread;           /* 0: the device's own, which does all steps; else a helper, which did a part of this */
    char algorithm[WEFT_TRACE_NAME]; /* of a collective; "": it has none */
} weft_trace_event;

typedef struct weft_trace {
    int process;
    bool is_cut;               /* it had more events than there was room for */
    weft_trace_event *events; uint64_t count; /* thread after thread */
} weft_trace;

/* Collective over the processes. of[i]: what device i of this process measured. *out: of each device, in arena, on
 * process 0; NULL on the others. Nodes have clocks of their own: of each node the first event begins at 0. */
weft_status weft_client_trace(weft_client *c, weft_arena *arena, const weft_profile *const *of, weft_trace **out);

#endif
