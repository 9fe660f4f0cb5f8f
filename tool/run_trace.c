/* run_trace.c: `weft run --trace`: the last step, a track for each thread of each device. */
#include "tool/run_profile.h"

#include <string.h>
#include "tool/trace.h"

/* Helpers come after all devices. */
static int track_of(int device, uint64_t thread) { return thread ? (device + 1) * 10000 + (int)thread : device; }

static json_t *track(int process, int device, uint64_t thread) {
    char name[64];
    if (thread) (void)snprintf(name, sizeof name, "device %d, thread %d", device, (int)thread);
    else (void)snprintf(name, sizeof name, "device %d", device);
    return tool_trace_name("thread_name", process + 1, track_of(device, thread), name);
}

static json_t *group(int process) {
    char name[32];
    (void)snprintf(name, sizeof name, "process %d", process);
    return tool_trace_name("process_name", process + 1, 0, name);
}

/* As debuggers name its code (exec/symbols.h): fusion.12[train.py:42:8] */
static json_t *name_of(tool *t, const weft_step *s, const char *place) {
    const char *file = strrchr(place, '/');
    weft_buf b;
    weft_buf_init(&b, &t->cx->alloc);
    weft_buf_printf(&b, "%s[%s]", s->label ? s->label : "code", file ? file + 1 : place);
    json_t *name = b.failed ? NULL : tool_json_text((weft_str){ b.p, b.n });
    weft_buf_free(&b);
    return name;
}

static json_t *event(tool *t, const weft_executable *x, const weft_trace_event *e, int process, int device) {
    const weft_step *s = &x->steps[e->step];
    const char *place = weft_loc_text(&t->cx->arena, s->loc);
    if (!place) place = "";
    json_t *args = json_pack("{s:o}", "location", tool_json_text(weft_str_from(place)));
    if (!args) return NULL;
    if (s->coll) {
        const weft_plan_collective *c = &x->plan.collectives[s->coll->plan_index];
        json_object_set_new(args, "axes", tool_json_text(c->axes));
        if (s->kind != WEFT_STEP_DONE) json_object_set_new(args, "wire_bytes", json_integer((json_int_t)e->did.bytes));
        if (*e->algorithm) json_object_set_new(args, "algorithm", json_string(e->algorithm));
    } else if (!e->thread) {
        json_object_set_new(args, "flops", json_real(e->did.flops));
        json_object_set_new(args, "bytes", json_real(e->did.bytes));
    }
    const char *category = s->kind == WEFT_STEP_DONE ? "wait" : s->coll ? "collective" : "kernel";
    const tool_trace_at at = { process + 1, track_of(device, e->thread), e->begin_s, e->end_s };
    return tool_trace_span(name_of(t, s, place), category, &at, args);
}

weft_status run_trace_write(tool *t, const weft_executable *x, weft_session *s, const char *path) {
    weft_trace *v;
    weft_status st = weft_session_trace(s, &t->cx->arena, &v);
    if (st != WEFT_OK || !v) return st;
    json_t *list = json_array();
    bool failed = !list, is_cut = false;
    for (int r = 0; r < weft_session_ranks(s) && !failed; r++) {
        const int process = v[r].process;
        if (!r || v[r - 1].process != process) failed = json_array_append_new(list, group(process)) != 0;
        for (uint64_t k = 0; k < v[r].count && !failed; k++) {
            const weft_trace_event *e = &v[r].events[k];
            if (!k || e->thread != e[-1].thread)
                failed = json_array_append_new(list, track(process, r, e->thread)) != 0;
            failed |= json_array_append_new(list, event(t, x, e, process, r)) != 0;
        }
        is_cut |= v[r].is_cut;
    }
    if (failed) json_decref(list);
    json_t *top = failed ? NULL : json_pack("{s:s, s:o}", "displayTimeUnit", "ms", "traceEvents", list);
    st = tool_trace_write(t, top, path);
    if (st == WEFT_OK && is_cut)
        weft_note(t->cx, NULL, "the step has more parts than a trace keeps; '%s' has its first ones", path);
    return st;
}
