/* dryrun_json.c: the dry run's report as JSON. */
#include "tool/dryrun_json.h"

#include <stdlib.h>

/* JSON is UTF-8, and names of axes and files may not be. */
/* "nvlink 450GB/s 2us" */
static json_t *reach_json(tool *t, const weft_machine *m, const weft_reach *reach) {
    weft_buf b;
    weft_buf_init(&b, &t->cx->alloc);
    weft_reach_print(&b, m, reach);
    json_t *text = b.failed ? NULL : tool_json_text((weft_str){ b.p, b.n });
    weft_buf_free(&b);
    return text;
}

/* The bytes and the link of each axis, in each of the orders. */
static json_t *traffic_json(tool *t, const weft_ordered *o) {
    static const struct { const char *link, *time; } keys[WEFT_ORDER_COUNT] = {
        [WEFT_ORDER_CONTIGUOUS] = { "contiguous_link", "contiguous_time_s" },
        [WEFT_ORDER_ASKED] = { "asked_link", "asked_time_s" },
        [WEFT_ORDER_BEST] = { "cheapest_link", "cheapest_time_s" },
    };
    json_t *list = json_array();
    bool failed = !list;
    for (uint32_t i = 0; !failed && i < o->advice.traffic_count; i++) {
        const weft_axes_traffic *a = &o->advice.traffic[i];
        json_t *one = json_pack("{s:o, s:f}", "axes", tool_json_text(a->axes), "wire_bytes", a->wire_bytes);
        for (int k = 0; one && k < WEFT_ORDER_COUNT; k++) {
            if (!o->advice.text[k]) continue;
            failed |= json_object_set_new(one, keys[k].link, reach_json(t, &o->machine, &a->reach[k])) != 0;
            failed |= json_object_set_new(one, keys[k].time, json_real(a->time_s[k])) != 0;
        }
        failed |= json_array_append_new(list, one) != 0;
    }
    if (failed) json_decref(list);
    return failed ? NULL : list;
}

static json_t *rows_json(const weft_dry_report *r) {
    json_t *list = json_array();
    bool failed = !list;
    for (size_t i = 0; !failed && i < r->row_count; i++) {
        const weft_dry_row *x = &r->rows[i];
        json_t *one = json_pack("{s:s, s:o, s:I, s:I, s:I, s:o}", "kind", weft_coll_kind_name(x->kind), "axes",
                                tool_json_text(x->axes), "count", (json_int_t)x->count, "bytes", (json_int_t)x->bytes,
                                "wire_bytes", (json_int_t)x->wire_bytes, "location",
                                tool_json_text(weft_str_from(x->place)));
        failed = x->at_most && json_object_set_new(one, "at_most", json_true());
        failed |= json_array_append_new(list, one) != 0;
    }
    if (failed) json_decref(list);
    return failed ? NULL : list;
}

/* Adds a text that may be absent. */
static weft_status add_text(json_t *to, const char *key, const char *text) {
    return !text || json_object_set_new(to, key, tool_json_text(weft_str_from(text))) == 0
        ? WEFT_OK : WEFT_ERR_MEMORY;
}

/* The memory of a device by use, and whether it fits the machine: null if its description has no size. */
static bool add_memory(json_t *top, const weft_dry_report *r) {
    const weft_plan *p = r->plan;
    const double have = r->order.machine.memory_bytes, margin = weft_dry_margin(r);
    const bool known = have > 0;
    json_t *parts = json_pack("{s:I, s:I, s:I, s:I, s:I}", "arguments", (json_int_t)p->argument_bytes, "results",
                              (json_int_t)p->result_bytes, "shared", (json_int_t)p->alias_bytes, "temporaries",
                              (json_int_t)p->temp_bytes, "constants", (json_int_t)p->constant_bytes);
    return json_object_set_new(top, "memory", parts) == 0 &&
           json_object_set_new(top, "machine_memory_bytes", known ? json_integer((json_int_t)have) : json_null()) ==
               0 &&
           json_object_set_new(top, "memory_margin_bytes",
                               known ? json_integer((json_int_t)margin) : json_null()) == 0 &&
           json_object_set_new(top, "fits", known ? json_boolean(margin >= 0) : json_null()) == 0;
}

static json_t *held_json(tool *t, const weft_dry_report *r) {
    json_t *list = json_array();
    bool failed = !list;
    for (size_t i = 0; !failed && i < r->held_count; i++) {
        weft_buf b;
        weft_buf_init(&b, &t->cx->alloc);
        weft_held_whole_print(&b, r->m, r->program, &r->held[i]);
        json_t *value = b.failed ? NULL : tool_json_text((weft_str){ b.p, b.n });
        json_t *one = json_pack("{s:o, s:I}", "value", value, "bytes", (json_int_t)r->held[i].bytes);
        failed = json_array_append_new(list, one) != 0;
        weft_buf_free(&b);
    }
    if (failed) json_decref(list);
    return failed ? NULL : list;
}

/* Of a vendor's machine: the time by class and by line, utilisation, the largest values at the peak. */
static json_t *vendor_json(tool *t, const weft_dry_report *r) {
    const weft_timeline *l = &r->timeline;
    json_t *classes = json_object(), *lines = json_array(), *values = json_array();
    bool failed = !classes || !lines || !values;
    for (int i = 0; !failed && i < WEFT_KERNEL_CLASSES; i++)
        failed = json_object_set_new(classes, weft_kernel_class_name((weft_kernel_class)i),
                                     json_real(l->class_s[i])) != 0;
    for (size_t i = 0; !failed && i < r->place_count; i++) {
        const weft_dry_place *p = &r->places[i];
        json_t *one = json_pack("{s:s, s:o, s:f, s:I}", "what", p->what, "location",
                                tool_json_text(weft_str_from(p->place)),
                                "time_s", p->time_s, "count", (json_int_t)p->count);
        failed = json_array_append_new(lines, one) != 0;
    }
    for (size_t i = 0; !failed && i < r->memory.live_count; i++) {
        const weft_task_buffer *v = &r->memory.live[i];
        const char *place = weft_loc_text(&t->cx->arena, v->loc);
        json_t *where = place ? tool_json_text(weft_str_from(place)) : NULL;
        failed = json_array_append_new(values, json_pack("{s:o, s:f}", "location", where, "bytes", v->bytes)) != 0;
    }
    if (failed) {
        json_decref(classes);
        json_decref(lines);
        json_decref(values);
        return NULL;
    }
    return json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:I, s:o, s:o, s:o}", "attention",
                     weft_attention_name(r->how.attention), "exposed_time_s", l->exposed_s, "mfu", weft_dry_mfu(l),
                     "hfu", weft_dry_hfu(l), "product_flops", l->product_flops, "repeated_flops", l->again_flops,
                     "kernels", (json_int_t)l->kernels, "class_time_s", classes, "lines", lines, "peak_values", values);
}

static json_t *by_role(const double *bytes) {
    return json_pack("{s:I, s:I, s:I}", "parameters", (json_int_t)bytes[WEFT_ROLE_PARAMETER], "state",
                     (json_int_t)bytes[WEFT_ROLE_STATE], "data", (json_int_t)bytes[WEFT_ROLE_DATA]);
}

/* The uses of memory, the change with which the program fits, and tokens per second. */
static bool add_explained(json_t *top, const weft_dry_report *r) {
    json_t *use = json_object();
    bool whole = use != NULL;
    for (int i = 0; whole && i < WEFT_USES_OF_MEMORY; i++)
        whole = json_object_set_new(use, weft_use_of_memory_name((weft_use_of_memory)i),
                                    json_integer((json_int_t)r->use_bytes[i])) == 0;
    if (!r->is_explained) json_decref(use);
    else
        whole = whole && json_object_set_new(top, "memory_use", use) == 0 &&
                json_object_set_new(top, "replicated_bytes", by_role(r->excess_bytes)) == 0 &&
                json_object_set_new(top, "padding_bytes", by_role(r->padding_bytes)) == 0;
    if (r->relief) {
        const weft_dry_relief *f = r->relief;
        json_t *one = json_pack("{s:o, s:b, s:I, s:I, s:f}", "change", tool_json_text(weft_str_from(f->text)), "fits",
                                f->fits, "peak_memory_bytes", (json_int_t)f->peak_bytes, "wire_bytes",
                                (json_int_t)f->wire_bytes, "step_time_s", f->step_s);
        whole = whole && json_object_set_new(top, "relief", one) == 0;
    }
    const double tokens_per_s = weft_dry_tokens_per_s(r);
    if (tokens_per_s > 0) whole = whole && json_object_set_new(top, "tokens_per_s", json_real(tokens_per_s)) == 0;
    return whole;
}

static void add_change(void *user, const char *kind, weft_str axes, int64_t more) {
    json_t *list = user;
    (void)json_array_append_new(list, json_pack("{s:s, s:o, s:I}", "kind", kind, "axes", tool_json_text(axes),
                                                "count",
                                                (json_int_t)more));
}

/* What each tactic of a file changes. */
static json_t *tactics_json(const weft_dry_report *r) {
    json_t *list = json_array();
    for (size_t i = 0; list && i < r->stage_count; i++) {
        const weft_dry_stage *s = &r->stages[i];
        json_t *changes = json_array();
        if (changes && i) dryrun_stage_changes(&r->stages[i - 1], s, add_change, changes);
        if (json_array_append_new(list, json_pack("{s:o, s:I, s:I, s:f, s:o}", "tactic",
                                                  tool_json_text(weft_str_from(s->text)), "wire_bytes",
                                                  (json_int_t)s->wire_bytes, "peak_memory_bytes",
                                                  (json_int_t)s->peak_bytes, "step_time_s", s->step_s, "changes",
                                                  changes)) == 0)
            continue;
        json_decref(list);
        return NULL;
    }
    return list;
}

static json_t *name_json(const char *text) { return text ? tool_json_text(weft_str_from(text)) : json_null(); }

/* What --auto has chosen, and the usual strategies. */
static json_t *auto_json(const weft_dry_auto *a, int64_t devices, double step_s) {
    json_t *rows = json_array(), *moves = json_array();
    for (size_t i = 0; rows && i < a->row_count; i++) {
        const weft_dry_auto_row *r = &a->rows[i];
        (void)json_array_append_new(rows, json_pack("{s:o, s:o, s:f, s:I, s:I, s:b}", "mesh", name_json(r->mesh),
                                                    "strategy", name_json(r->strategy), "step_time_s", r->step_s,
                                                    "peak_memory_bytes", (json_int_t)r->peak_bytes, "wire_bytes",
                                                    (json_int_t)r->wire_bytes, "fits", r->fits));
    }
    for (size_t i = 0; moves && i < a->move_count; i++) (void)json_array_append_new(moves, name_json(a->moves[i]));
    return json_pack("{s:o, s:o, s:o, s:o, s:I, s:f, s:f, s:f, s:f}", "mesh", name_json(a->mesh), "strategy",
                     name_json(a->strategy), "moves", moves, "strategies", rows, "tried", (json_int_t)a->tried,
                     "one_device_time_s", a->one_device_s, "bound_s", a->bound_s, "gap", weft_dry_gap(a, step_s),
                     "floor_s", weft_floor_s(&a->floor, devices));
}

/* Goes up when a key goes or changes its meaning; a further key does not change it (docs/dryrun.md). */
enum { SCHEMA = 1 };

json_t *dryrun_json(tool *t, const weft_dry_report *r) {
    json_t *top =
        json_pack("{s:i, s:I, s:I, s:f, s:f, s:f, s:f, s:I, s:s}", "schema", SCHEMA, "wire_bytes",
                  (json_int_t)r->estimate.wire_bytes, "peak_memory_bytes", (json_int_t)weft_plan_peak_bytes(r->plan),
                  "flops", r->estimate.flops, "step_time_s", r->estimate.step_s, "collective_time_s",
                  r->estimate.collective_s, "hidden_time_s", r->estimate.hidden_s, "devices", (json_int_t)r->devices,
                  "machine", r->order.machine.name);
    const weft_estimate *e = &r->estimate;
    bool whole = top && json_object_update_new(top, json_pack("{s:I, s:f, s:I, s:I, s:I}", "least_wire_bytes",
                                                              (json_int_t)e->least_wire_bytes, "least_step_time_s",
                                                              e->least_step_s, "collective_calls", (json_int_t)e->calls,
                                                              "least_collective_calls", (json_int_t)e->least_calls,
                                                              "unknown_loops", (json_int_t)e->unknown_loops)) == 0;
    whole = whole && add_text(top, "device_order", weft_dry_order(r)) == WEFT_OK &&
            add_text(top, "cheapest_order", r->order.advice.text[WEFT_ORDER_BEST]) == WEFT_OK;
    whole = whole && add_memory(top, r) && json_object_set_new(top, "held_whole", held_json(t, r)) == 0;
    if (r->is_vendor) whole = whole && json_object_set_new(top, "vendor", vendor_json(t, r)) == 0;
    whole = whole && add_explained(top, r);
    if (r->chosen)
        whole = whole && json_object_set_new(top, "auto", auto_json(r->chosen, r->devices, r->estimate.step_s)) == 0;
    if (r->stage_count) whole = whole && json_object_set_new(top, "tactics", tactics_json(r)) == 0;
    const weft_dry_other *o = r->other;
    if (o)
        whole = whole &&
                json_object_set_new(top, "without_constraints",
                                    json_pack("{s:I, s:I, s:f, s:f}", "wire_bytes", (json_int_t)o->estimate.wire_bytes,
                                              "peak_memory_bytes", (json_int_t)o->peak_bytes, "flops",
                                              o->estimate.flops, "step_time_s", o->estimate.step_s)) == 0;
    whole = whole && json_object_set_new(top, "order_traffic", traffic_json(t, &r->order)) == 0 &&
            json_object_set_new(top, "collectives", rows_json(r)) == 0;

    if (whole) return top;
    json_decref(top);
    return NULL;
}

weft_status dryrun_json_put(tool *t, json_t *value) {
    char *text = value ? json_dumps(value, JSON_INDENT(1)) : NULL;
    json_decref(value);
    if (!text) return weft_report(t->cx, WEFT_D_system, NULL, "there is not enough memory");
    puts(text);
    free(text);
    return WEFT_OK;
}
