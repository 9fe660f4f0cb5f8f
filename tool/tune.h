/* tune.h: measures this machine's links and algorithms, in seconds. */
#ifndef WEFT_TOOL_TUNE_H
#define WEFT_TOOL_TUNE_H

#include "cost/tune.h"
#include "tool/tool.h"

#define TOOL_TUNE_LEAST 256 /* bytes of the smallest full tensor for timing algorithms */

#define TOOL_TUNE_RANKS 1024  /* of one process, as of `weft bench`; a rank has two buffers of 4 MiB and more */

typedef struct tool_tune_job {
    tool *t;
    const weft_topology *node; /* all of it, regardless of bindings */
    /* ranks of this process; 0: the number below, or one if there are several processes. Bytes of the largest tensor */
    int64_t ranks, most;
    /* ranks of this process that may run at once: more would wait for each other's cores while being timed */
    int room;
    weft_sums sums;            /* FAST: also algorithms that change the order of sums */
    /* not OK: this process cannot take part, and has reported why; the others are told */
    weft_status ready;
} tool_tune_job;

/* Collective over the processes of the launch; the measurements are process 0's *found. */
weft_status tool_tune_measure(const tool_tune_job *job, weft_tune *found);

#endif
