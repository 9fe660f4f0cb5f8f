/* trace.h: the parts of a trace that the dry run and a run share.
 *
 * Format: "Trace Event Format" (Google, 2016), which Perfetto and chrome://tracing read: complete events (X) in
 * microseconds, names of processes and threads (M).
 */
#ifndef WEFT_TOOL_TRACE_H
#define WEFT_TOOL_TRACE_H

#include "tool/json_text.h"
#include "tool/tool.h"

/* kind: "process_name" or "thread_name"; a thread is a track. */
json_t *tool_trace_name(const char *kind, int process, int track, const char *name);
typedef struct tool_trace_at { int process, track; double start_s, end_s; } tool_trace_at;
/* name and args are taken; NULL of either: memory is out, and NULL is returned. */
json_t *tool_trace_span(json_t *name, const char *category, const tool_trace_at *at, json_t *args);

/* Writes the object, which it takes, to a file; NULL: memory is out. Reports. */
weft_status tool_trace_write(tool *t, json_t *top, const char *path);

#endif
