/* run_profile.h: `weft run --profile` and `--trace`: what takes the time of a step, as measured. */
#ifndef WEFT_TOOL_RUN_PROFILE_H
#define WEFT_TOOL_RUN_PROFILE_H

#include "runtime/execute.h"
#include "tool/tool.h"

/* Prints p, of device `device`. machine: whose rates give each line's least time; NULL: none is printed. */
weft_status run_profile_print(tool *t, const weft_executable *x, const weft_profile *p, int device,
                              const weft_machine *machine);

/* The last step of all devices, for Perfetto and chrome://tracing: by each process, process 0 writes the file. */
weft_status run_trace_write(tool *t, const weft_executable *x, weft_session *s, const char *path);

#endif
