/* trace.c: see trace.h. */
#include "tool/trace.h"
#include <stdlib.h>
#include <string.h>

json_t *tool_trace_name(const char *kind, int process, int track, const char *name) {
    return json_pack("{s:s, s:i, s:i, s:s, s:{s:o}}", "ph", "M", "pid", process, "tid", track, "name", kind, "args",
                     "name", tool_json_text(weft_str_from(name)));
}

json_t *tool_trace_span(json_t *name, const char *category, const tool_trace_at *at, json_t *args) {
    return json_pack("{s:s, s:i, s:i, s:o, s:s, s:f, s:f, s:o}", "ph", "X", "pid", at->process, "tid", at->track,
                     "name", name, "cat", category, "ts", 1e6 * at->start_s, "dur", 1e6 * (at->end_s - at->start_s),
                     "args", args);
}

weft_status tool_trace_write(tool *t, json_t *top, const char *path) {
    char *text = top ? json_dumps(top, JSON_COMPACT) : NULL;
    json_decref(top);
    const weft_status st = text ? tool_output_write(t, path, text, strlen(text))
                                : weft_report(t->cx, WEFT_D_system, NULL, "there is not enough memory");
    free(text);
    return st;
}
