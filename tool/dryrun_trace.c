/* dryrun_trace.c: a step as a trace for Perfetto and chrome://tracing: the device, each link, and memory over time. */
#include "tool/dryrun_events.h"
#include "tool/trace.h"

static json_t *span(tool *t, const dryrun_event *e) {
    static const char *const categories[] = { "kernel", "collective", "loop" };
    const char *place = weft_loc_text(&t->cx->arena, e->loc);
    json_t *args = json_pack("{s:o}", "location", tool_json_text(weft_str_from(place ? place : "")));
    if (!args) return NULL;
    if (e->category == DRYRUN_LOOP) json_object_set_new(args, "iterations", json_integer((json_int_t)e->iterations));
    else json_object_set_new(args, "bytes", json_real(e->bytes));
    if (e->category == DRYRUN_KERNEL) json_object_set_new(args, "flops", json_real(e->flops));
    if (e->category == DRYRUN_COLLECTIVE) {
        json_object_set_new(args, "axes", tool_json_text(e->axes));
        json_object_set_new(args, "wire_bytes", json_integer((json_int_t)e->wire_bytes));
    }
    const tool_trace_at at = { 1, (int)e->track, e->start_s, e->end_s };
    return tool_trace_span(json_string(e->name), categories[e->category], &at, args);
}

static json_t *memory(const dryrun_memory_point *p) {
    return json_pack("{s:s, s:i, s:s, s:f, s:{s:f}}", "ph", "C", "pid", 1, "name", "memory", "ts", 1e6 * p->at_s,
                     "args",
                     "bytes", p->bytes);
}

static json_t *events_json(tool *t, const weft_dry_report *r, const dryrun_events *e) {
    json_t *list = json_array();
    bool failed =
        !list || json_array_append_new(list, tool_trace_name("process_name", 1, 0, r->order.machine.name)) != 0;
    for (uint32_t i = 0; i < e->track_count && !failed; i++)
        failed = json_array_append_new(list, tool_trace_name("thread_name", 1, (int)i, e->track[i])) != 0;
    for (size_t i = 0; i < e->n && !failed; i++) failed = json_array_append_new(list, span(t, &e->v[i])) != 0;
    for (size_t i = 0; i < e->memory_count && !failed; i++)
        failed = json_array_append_new(list, memory(&e->memory[i])) != 0;
    if (failed) json_decref(list);
    return failed ? NULL : list;
}

weft_status dryrun_write_trace(tool *t, const weft_dry_report *r, const char *path) {
    dryrun_events events;
    weft_status st = dryrun_events_of(t, r, &events);
    if (st != WEFT_OK) return st;
    json_t *list = events_json(t, r, &events);
    json_t *top = json_pack("{s:s, s:o, s:{s:f, s:I}}", "displayTimeUnit", "ms", "traceEvents", list, "otherData",
                            "step_time_s", r->estimate.step_s, "wire_bytes", (json_int_t)r->estimate.wire_bytes);
    return tool_trace_write(t, top, path);
}
