/* run_profile.h: `weft run --profile` and `--trace`: what takes the time of a step, as measured. */
#ifndef WEFT_TOOL_RUN_PROFILE_H
#define WEFT_TOOL_RUN_PROFILE_H

#include "runtime/execute.h"
#include "tool/tool.h"

/* Kinds of steps: products and convolutions of a library, other library calls, generated code, collectives, and the
 * waits for collectives that were started before. */
typedef enum run_kind { RUN_PRODUCT, RUN_LIBRARY, RUN_CODE, RUN_COLLECTIVE, RUN_WAIT, RUN_KINDS } run_kind;

/* Prints p, of device `device`. machine: whose rates give each line's least time; NULL: none is printed. */
weft_status run_profile_print(tool *t, const weft_executable *x, const weft_profile *p, int device,
                              const weft_machine *machine);

/* The last step of this process's devices, for Perfetto and chrome://tracing. */
weft_status run_trace_write(tool *t, const weft_executable *x, const weft_session *s, const char *path);

#endif
