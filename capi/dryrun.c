/* dryrun.c: a dry run for a program in C; see weft/dryrun.h. */
#include <weft/dryrun.h>

#include <math.h>
#include "base/options.h"
#include "base/quantity.h"
#include "capi/launch.h"
#include "pipeline/dryrun/annotate.h"
#include "pipeline/dryrun/changes.h"
#include "pipeline/dryrun/report.h"

struct weft_dryrun {
    weft_context *cx;
    weft_arena arena;                /* has all of the lists and texts */
    weft_dryrun_report report;
    weft_dryrun_vendor vendor;
    weft_dryrun_relief relief;
    weft_dryrun_unconstrained unconstrained;
    weft_dryrun_collective *collectives;
    weft_dryrun_use *uses;
    weft_dryrun_whole *wholes;
    weft_dryrun_traffic *traffic;
    weft_dryrun_class *classes;
    weft_dryrun_line *lines;
    weft_dryrun_peak_value *peak_values;
};

/* ---- texts ---- */

static const char *text_of(weft_dryrun *d, weft_str s) { return weft_arena_strdup(&d->arena, s.p ? s.p : "", s.n); }

static const char *place_of(weft_dryrun *d, const weft_loc *loc) { return weft_loc_text(&d->arena, loc); }

/* What was printed to b, which is freed; NULL: no memory. */
static const char *printed(weft_dryrun *d, weft_buf *b) {
    const char *text = b->failed ? NULL : text_of(d, (weft_str){ b->p, b->n });
    weft_buf_free(b);
    return text;
}

/* ---- lists ---- */

static weft_status list_collectives(weft_dryrun *d, const weft_dry_report *r) {
    d->collectives = weft_arena_array(&d->arena, weft_dryrun_collective, r->row_count);
    if (!d->collectives) return weft_oom();
    for (size_t i = 0; i < r->row_count; i++) {
        const weft_dry_row *x = &r->rows[i];
        const char *axes = text_of(d, x->axes);
        if (!axes) return weft_oom();
        d->collectives[i] = (weft_dryrun_collective){ sizeof d->collectives[i], weft_coll_kind_name(x->kind), axes,
                                                      x->place, x->count, x->bytes, x->wire_bytes, x->at_most };
    }
    d->report.collective_count = r->row_count;
    return WEFT_OK;
}

static weft_status list_uses(weft_dryrun *d, const weft_dry_report *r) {
    d->uses = weft_arena_array(&d->arena, weft_dryrun_use, WEFT_USES_OF_MEMORY);
    if (!d->uses) return weft_oom();
    for (int i = 0; i < WEFT_USES_OF_MEMORY; i++)
        d->uses[i] = (weft_dryrun_use){ sizeof d->uses[i], weft_use_of_memory_name((weft_use_of_memory)i),
                                        r->use_bytes[i] };
    d->report.use_count = WEFT_USES_OF_MEMORY;
    return WEFT_OK;
}

static weft_status list_wholes(weft_dryrun *d, const weft_dry_report *r) {
    d->wholes = weft_arena_array(&d->arena, weft_dryrun_whole, r->held_count);
    if (!d->wholes) return weft_oom();
    for (size_t i = 0; i < r->held_count; i++) {
        weft_buf b;
        weft_buf_init(&b, &d->cx->alloc);
        weft_held_whole_print(&b, r->m, r->program, &r->held[i]);
        const char *value = printed(d, &b);
        if (!value) return weft_oom();
        d->wholes[i] = (weft_dryrun_whole){ sizeof d->wholes[i], value, r->held[i].bytes };
    }
    d->report.whole_count = r->held_count;
    return WEFT_OK;
}

static weft_status list_traffic(weft_dryrun *d, const weft_dry_report *r) {
    const weft_order_advice *a = &r->order.advice;
    const weft_order_of has = weft_ordered_has(&r->order);
    d->traffic = weft_arena_array(&d->arena, weft_dryrun_traffic, a->traffic_count);
    if (!d->traffic) return weft_oom();
    for (uint32_t i = 0; i < a->traffic_count; i++) {
        const weft_axes_traffic *t = &a->traffic[i];
        weft_buf b;
        weft_buf_init(&b, &d->cx->alloc);
        weft_reach_print(&b, &r->order.machine, &t->reach[has]);
        const char *link = printed(d, &b), *axes = text_of(d, t->axes);
        if (!link || !axes) return weft_oom();
        const double best_s = t->time_s[a->text[WEFT_ORDER_BEST] ? WEFT_ORDER_BEST : has];
        d->traffic[i] = (weft_dryrun_traffic){ sizeof d->traffic[i], axes, link, t->wire_bytes, t->time_s[has],
                                               best_s };
    }
    d->report.traffic_count = a->traffic_count;
    return WEFT_OK;
}

static weft_status list_classes(weft_dryrun *d, const weft_dry_report *r) {
    d->classes = weft_arena_array(&d->arena, weft_dryrun_class, WEFT_KERNEL_CLASSES);
    if (!d->classes) return weft_oom();
    for (int i = 0; i < WEFT_KERNEL_CLASSES; i++)
        d->classes[i] = (weft_dryrun_class){ sizeof d->classes[i], weft_kernel_class_name((weft_kernel_class)i),
                                             r->timeline.class_s[i] };
    d->vendor.class_count = WEFT_KERNEL_CLASSES;
    return WEFT_OK;
}

static weft_status list_lines(weft_dryrun *d, const weft_dry_report *r) {
    d->lines = weft_arena_array(&d->arena, weft_dryrun_line, r->place_count);
    if (!d->lines) return weft_oom();
    for (size_t i = 0; i < r->place_count; i++) {
        const weft_dry_place *p = &r->places[i];
        d->lines[i] = (weft_dryrun_line){ sizeof d->lines[i], p->what, p->place, p->time_s, p->count };
    }
    d->vendor.line_count = r->place_count;
    return WEFT_OK;
}

static weft_status list_peak_values(weft_dryrun *d, const weft_dry_report *r) {
    d->peak_values = weft_arena_array(&d->arena, weft_dryrun_peak_value, r->memory.live_count);
    if (!d->peak_values) return weft_oom();
    for (size_t i = 0; i < r->memory.live_count; i++) {
        const weft_task_buffer *v = &r->memory.live[i];
        const char *place = place_of(d, v->loc);
        if (!place) return weft_oom();
        d->peak_values[i] = (weft_dryrun_peak_value){ sizeof d->peak_values[i], place, v->bytes };
    }
    d->vendor.peak_value_count = r->memory.live_count;
    return WEFT_OK;
}

/* ---- the report ---- */

static weft_status fill_vendor(weft_dryrun *d, const weft_dry_report *r) {
    const weft_timeline *t = &r->timeline;
    if (!r->is_vendor) return WEFT_OK;
    d->vendor = (weft_dryrun_vendor){ .size = sizeof d->vendor,
                                      .attention = weft_attention_name(r->how.attention),
                                      .exposed_time_s = t->exposed_s,
                                      .mfu = weft_dry_mfu(t),
                                      .hfu = weft_dry_hfu(t),
                                      .product_flops = t->product_flops,
                                      .repeated_flops = t->again_flops,
                                      .kernels = t->kernels };
    d->report.vendor = &d->vendor;
    weft_status st = list_classes(d, r);
    if (st == WEFT_OK) st = list_lines(d, r);
    return st == WEFT_OK ? list_peak_values(d, r) : st;
}

static void fill_memory(weft_dryrun_report *out, const weft_dry_report *r) {
    const weft_plan *p = r->plan;
    const double have = r->order.machine.memory_bytes;
    out->peak_memory_bytes = weft_plan_peak_bytes(p);
    out->argument_bytes = p->argument_bytes;
    out->result_bytes = p->result_bytes;
    out->shared_bytes = p->alias_bytes;
    out->temporary_bytes = p->temp_bytes;
    out->constant_bytes = p->constant_bytes;
    out->fits = -1;
    if (have > 0) {
        out->machine_memory_bytes = (int64_t)have;
        out->memory_margin_bytes = (int64_t)weft_dry_margin(r);
        out->fits = weft_dry_margin(r) >= 0;
    }
    out->replicated_parameter_bytes = r->excess_bytes[WEFT_ROLE_PARAMETER];
    out->replicated_state_bytes = r->excess_bytes[WEFT_ROLE_STATE];
    out->replicated_data_bytes = r->excess_bytes[WEFT_ROLE_DATA];
    out->padding_parameter_bytes = r->padding_bytes[WEFT_ROLE_PARAMETER];
    out->padding_state_bytes = r->padding_bytes[WEFT_ROLE_STATE];
    out->padding_data_bytes = r->padding_bytes[WEFT_ROLE_DATA];
}

/* What only some programs have. Texts are in the arena that r was made in. */
static void fill_others(weft_dryrun *d, const weft_dry_report *r) {
    const weft_dry_relief *f = r->relief;
    const weft_dry_other *o = r->other;
    if (f) {
        d->relief = (weft_dryrun_relief){ sizeof d->relief, f->text, f->fits, f->peak_bytes, f->wire_bytes, f->step_s };
        d->report.relief = &d->relief;
    }
    if (o) {
        const weft_estimate *e = &o->estimate;
        d->unconstrained = (weft_dryrun_unconstrained){ sizeof d->unconstrained, e->wire_bytes, o->peak_bytes,
                                                        e->flops, e->step_s };
        d->report.without_constraints = &d->unconstrained;
    }
}

static weft_status fill(weft_dryrun *d, const weft_dry_report *r) {
    const weft_estimate *e = &r->estimate;
    const weft_ordered *o = &r->order;
    weft_dryrun_report *out = &d->report;
    const char *machine = text_of(d, weft_str_from(o->machine.name));
    const char *order = weft_dry_order(r) ? text_of(d, weft_str_from(weft_dry_order(r))) : NULL;
    if (!machine || (weft_dry_order(r) && !order)) return weft_oom();
    *out = (weft_dryrun_report){ .size = sizeof *out,
                                 .machine = machine,
                                 .devices = r->devices,
                                 .step_time_s = e->step_s,
                                 .least_step_time_s = e->least_step_s,
                                 .collective_time_s = e->collective_s,
                                 .hidden_time_s = e->hidden_s,
                                 .tokens_per_s = weft_dry_tokens_per_s(r),
                                 .flops = e->flops,
                                 .wire_bytes = e->wire_bytes,
                                 .least_wire_bytes = e->least_wire_bytes,
                                 .collective_calls = e->calls,
                                 .least_collective_calls = e->least_calls,
                                 .unknown_loops = e->unknown_loops,
                                 .device_order = order,
                                 .cheapest_order = o->advice.text[WEFT_ORDER_BEST] };
    fill_memory(out, r);
    fill_others(d, r);
    weft_status st = list_collectives(d, r);
    if (st == WEFT_OK) st = list_uses(d, r);
    if (st == WEFT_OK) st = list_wholes(d, r);
    if (st == WEFT_OK) st = list_traffic(d, r);
    return st == WEFT_OK ? fill_vendor(d, r) : st;
}

/* ---- making it ---- */

static weft_status apply_strategy(weft_context *cx, const weft_dryrun_options *o, weft_module **m) {
    weft_strategist *s = NULL;
    weft_arena arena;
    weft_arena_init(&arena, &cx->alloc);
    weft_status st = weft_strategist_begin(o->strategy, o->mesh, m, &arena, &s);
    if (st == WEFT_OK) st = weft_strategist_end(s, m);
    weft_arena_free(&arena);
    return st;
}

/* Lists may be NULL only where they are empty. */
static weft_status check_list(weft_context *cx, const char *const *v, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!v || !v[i]) return weft_report(cx, WEFT_D_usage, NULL, "a text in a list of a dry run's options is NULL");
    return WEFT_OK;
}

static weft_status check(weft_context *cx, const weft_dryrun_options *o) {
    weft_status st = check_list(cx, o->sizes, o->size_count);
    if (st == WEFT_OK) st = check_list(cx, o->shard, o->shard_count);
    if (st == WEFT_OK) st = check_list(cx, o->donate, o->donate_count);
    if (st == WEFT_OK) st = weft_launch_check(cx, "weft_dryrun_options", WEFT_LAUNCH_AUTO, o->threads);
    if (st == WEFT_OK) st = weft_constraints_check(cx, NULL, "weft_dryrun_options", o->constraints);
    if (st != WEFT_OK) return st;
    if (!(o->tokens >= 0 && o->tokens < INFINITY && o->trips >= 0 && o->batch >= 0))
        return weft_report(cx, WEFT_D_usage, NULL, "tokens, trips and batch of a dry run are finite and not negative");
    if (o->memory_bytes != 0 && !weft_quantity_fits(WEFT_SIZE, o->memory_bytes))
        return weft_report(cx, WEFT_D_usage, NULL,
                           "weft_dryrun_options.memory_bytes is %g, not a number of bytes from 1 to 1e18",
                           o->memory_bytes);
    const unsigned known = WEFT_DRYRUN_BARE | WEFT_DRYRUN_UNFUSED | WEFT_DRYRUN_NO_OVERLAP;
    if (o->flags & ~known)
        return weft_report(cx, WEFT_D_usage, NULL, "the flags of a dry run are not known: %#x", o->flags & ~known);
    return WEFT_OK;
}

/* *m becomes what the options make of it; *mesh: the sizes that are left to the build. */
static weft_status change(weft_context *cx, const weft_dryrun_options *o, weft_module **m, const char **mesh) {
    weft_status st = weft_pipeline_run(cx, WEFT_STR("weft-import"), 0, m);
    if (st == WEFT_OK) st = weft_module_resize(m, o->sizes, o->size_count, o->batch);
    if (st == WEFT_OK && (o->flags & WEFT_DRYRUN_BARE)) st = weft_module_make_bare(m);
    *mesh = o->strategy ? NULL : o->mesh;
    if (st == WEFT_OK && o->strategy) st = apply_strategy(cx, o, m);
    if (st == WEFT_OK && *mesh && !weft_module_has_mesh(*m)) {
        st = weft_module_add_mesh(*m, NULL, weft_str_from(*mesh));
        *mesh = NULL;
    }
    for (size_t i = 0; i < o->shard_count && st == WEFT_OK; i++)
        st = weft_module_shard_arguments(*m, NULL, weft_str_from(o->shard[i]));
    for (size_t i = 0; i < o->donate_count && st == WEFT_OK; i++)
        st = weft_module_donate_arguments(*m, NULL, weft_str_from(o->donate[i]));
    return st;
}

static weft_status make(weft_dryrun *d, const weft_module *of, const weft_dryrun_options *o) {
    const bool blocking = o->flags & WEFT_DRYRUN_NO_OVERLAP;
    weft_dry_report *r = weft_arena_new(&d->arena, weft_dry_report);
    weft_module *m = NULL;
    if (!r) return weft_oom();
    *r = (weft_dry_report){ .tokens = o->tokens };
    r->order.order = o->order;
    r->order.topology = o->machine;
    r->order.folders = o->machines;
    r->order.memory_bytes = o->memory_bytes;
    r->order.threads = o->threads;
    weft_dry_how how = {
        .build = { .compile_flags = WEFT_COMPILE_PLAN_ONLY | (blocking ? WEFT_COMPILE_NO_OVERLAP : 0),
                   .obey_constraints = o->constraints == WEFT_CONSTRAINTS_OBEYED, .assumed_trips = o->trips },
        .rows = WEFT_DRY_BY_PLACE, .advise = WEFT_ADVISE_ALWAYS, .explains = true,
        .attention = o->flags & WEFT_DRYRUN_UNFUSED ? WEFT_ATTENTION_UNFUSED : WEFT_ATTENTION_FUSED,
        .overlap = blocking ? WEFT_OVERLAP_NOTHING : WEFT_OVERLAP_COLLECTIVES, .trips = o->trips
    };
    weft_status st = weft_precision_check(d->cx, NULL, "weft_dryrun_options", o->precision, &how.build.precision);
    if (st != WEFT_OK) return st;
    const bool was = o->strategy && weft_warning_silence(d->cx, WEFT_D_constraint, true);
    st = weft_module_clone(of, &m);
    if (st == WEFT_OK) st = change(d->cx, o, &m, &how.build.mesh);
    if (st == WEFT_OK) st = weft_dry_make(d->cx, &d->arena, m, &how, r);
    if (o->strategy) (void)weft_warning_silence(d->cx, WEFT_D_constraint, was);
    if (st == WEFT_OK) st = fill(d, r);
    weft_dry_free(r);
    weft_module_free(m);
    return st;
}

weft_status(weft_dryrun_make)(weft_context *cx, weft_graph *g, const weft_dryrun_options *options, weft_dryrun **out) {
    weft_dryrun_options o;
    if (!out) return weft_report(cx, WEFT_D_usage, NULL, "the dry run has no output pointer: out is NULL");
    *out = NULL;
    if (!g) return weft_report(cx, WEFT_D_usage, NULL, "the graph of a dry run is NULL");
    if (g->cx != cx) return weft_report(cx, WEFT_D_usage, NULL, "the graph of a dry run is of another context");
    weft_status st = WEFT_OPTIONS_READ(cx, NULL, weft_dryrun_options, options, &o);
    if (st == WEFT_OK) st = check(cx, &o);
    if (st == WEFT_OK) st = weft_graph_finish(g);
    if (st != WEFT_OK) return st;
    weft_dryrun *d = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *d);
    if (!d) return weft_oom();
    *d = (weft_dryrun){ .cx = cx };
    weft_arena_init(&d->arena, &cx->alloc);
    st = make(d, g->m, &o);
    if (st == WEFT_OK) *out = d;
    else weft_dryrun_free(d);
    return st;
}

weft_status weft_dryrun_make_at(weft_source at, weft_context *cx, weft_graph *g, const weft_dryrun_options *options,
                                weft_dryrun **out) {
    const weft_call call = weft_call_begin(cx, at);
    return weft_call_end(call, (weft_dryrun_make)(cx, g, options, out));
}

void weft_dryrun_free(weft_dryrun *d) {
    if (!d) return;
    weft_arena_free(&d->arena);
    d->cx->alloc.resize(d->cx->alloc.user, d, sizeof *d, 0);
}

/* ---- reading it ---- */

const weft_dryrun_report *weft_dryrun_get(const weft_dryrun *d) { return d ? &d->report : NULL; }

#define LIST(name, type, list, count) \
    const type *name(const weft_dryrun *d, size_t i) { return d && i < d->count ? &d->list[i] : NULL; }

LIST(weft_dryrun_get_collective, weft_dryrun_collective, collectives, report.collective_count)
LIST(weft_dryrun_get_use, weft_dryrun_use, uses, report.use_count)
LIST(weft_dryrun_get_whole, weft_dryrun_whole, wholes, report.whole_count)
LIST(weft_dryrun_get_traffic, weft_dryrun_traffic, traffic, report.traffic_count)
LIST(weft_dryrun_get_class, weft_dryrun_class, classes, vendor.class_count)
LIST(weft_dryrun_get_line, weft_dryrun_line, lines, vendor.line_count)
LIST(weft_dryrun_get_peak_value, weft_dryrun_peak_value, peak_values, vendor.peak_value_count)
