/* run_trace.c: `weft run --trace`: the last step, a track for each device of this process. */
#include "tool/run_profile.h"

#include <string.h>
#include "tool/trace.h"

static json_t *track(int device) {
    char name[32];
    (void)snprintf(name, sizeof name, "device %d", device);
    return tool_trace_name("thread_name", device, name);
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

static json_t *event(tool *t, const weft_executable *x, const weft_step_event *e, int device, double from_s) {
    const weft_step *s = &x->steps[e->step];
    const char *place = weft_loc_text(&t->cx->arena, s->loc);
    if (!place) place = "";
    json_t *args = json_pack("{s:o}", "location", tool_json_text(weft_str_from(place)));
    if (!args) return NULL;
    if (s->coll) {
        const weft_plan_collective *c = &x->plan.collectives[s->coll->plan_index];
        json_object_set_new(args, "axes", tool_json_text(c->axes));
        if (s->kind != WEFT_STEP_DONE) json_object_set_new(args, "wire_bytes", json_integer((json_int_t)e->did.bytes));
        if (e->algorithm) json_object_set_new(args, "algorithm", json_string(e->algorithm));
    } else {
        json_object_set_new(args, "flops", json_real(e->did.flops));
        json_object_set_new(args, "bytes", json_real(e->did.bytes));
    }
    const char *category = s->kind == WEFT_STEP_DONE ? "wait" : s->coll ? "collective" : "kernel";
    return tool_trace_span(name_of(t, s, place), category, device, e->begin_s - from_s, e->end_s - from_s, args);
}

static double first_of(const weft_session *s) {
    double first = 0;
    for (int i = 0; i < weft_session_devices(s); i++) {
        const weft_profile *p = weft_session_profile(s, i);
        if (p && p->event_count && (first <= 0 || p->events[0].begin_s < first)) first = p->events[0].begin_s;
    }
    return first;
}

weft_status run_trace_write(tool *t, const weft_executable *x, const weft_session *s, const char *path) {
    json_t *list = json_array();
    const double from_s = first_of(s);
    bool failed = !list, is_cut = false;
    for (int i = 0; i < weft_session_devices(s) && !failed; i++) {
        const weft_profile *p = weft_session_profile(s, i);
        const int device = weft_session_first(s) + i;
        failed = json_array_append_new(list, track(device)) != 0;
        for (uint32_t k = 0; p && k < p->event_count && !failed; k++)
            failed = json_array_append_new(list, event(t, x, &p->events[k], device, from_s)) != 0;
        is_cut |= p && p->is_cut;
    }
    if (failed) json_decref(list);
    json_t *top = failed ? NULL : json_pack("{s:s, s:o}", "displayTimeUnit", "ms", "traceEvents", list);
    const weft_status st = tool_trace_write(t, top, path);
    if (st == WEFT_OK && is_cut)
        weft_note(t->cx, NULL, "the step has more parts than a trace keeps; '%s' has its first ones", path);
    return st;
}
