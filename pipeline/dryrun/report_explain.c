/* report_explain.c: what a device's memory is for, and the smallest change that makes a program fit. */
#include "pipeline/dryrun/relief.h"
#include "pipeline/dryrun/report.h"

/* The plan of one change. */
static weft_status try_change(weft_context *cx, weft_arena *arena, const weft_dry_how *how, const weft_ordered *order,
                              const weft_relief *change, weft_dry_relief *out) {
    weft_dry_report r;
    weft_buf b;
    weft_status st = weft_dry_make_variant(cx, arena, change->m, how, order, &r);
    weft_buf_init(&b, &cx->alloc);
    weft_relief_print(&b, change);
    const char *text = b.failed ? NULL : weft_arena_strdup(arena, b.p, b.n);
    weft_buf_free(&b);
    if (st == WEFT_OK && !text) st = weft_oom();
    if (st == WEFT_OK)
        *out = (weft_dry_relief){ text, weft_dry_margin(&r) >= 0,
                                weft_plan_peak_bytes(r.plan), r.estimate.wire_bytes, r.estimate.step_s };
    weft_dry_free(&r);
    return st;
}

static weft_status find_relief(weft_context *cx, weft_arena *arena, const weft_module *m, const weft_dry_how *how,
                               const weft_roles *roles, weft_dry_report *r) {
    weft_relief changes[WEFT_RELIEFS];
    weft_dry_relief *best = weft_arena_new(arena, weft_dry_relief), one;
    size_t n = 0;
    bool found = false;
    weft_status st = best ? weft_reliefs_find(m, roles, changes, &n) : weft_oom();
    for (size_t i = 0; i < n && st == WEFT_OK && !(found && best->fits); i++) {
        st = try_change(cx, arena, how, &r->order, &changes[i], &one);
        if (st != WEFT_OK || (found && one.peak_bytes >= best->peak_bytes)) continue;
        *best = one;
        found = true;
    }
    weft_reliefs_free(changes, n);
    if (found && best->peak_bytes < weft_plan_peak_bytes(r->plan)) r->relief = best;
    return st;
}

weft_status weft_dry_explain(weft_context *cx, weft_arena *arena, const weft_module *m, const weft_dry_how *how,
                             weft_dry_report *r) {
    const double have = r->order.machine.memory_bytes;
    weft_roles roles;
    weft_status st = weft_module_roles(m, arena, &roles);
    if (st != WEFT_OK) return st;
    weft_memory_use(r->program, &roles, r->is_vendor ? &r->memory : NULL, r->use_bytes);
    st = weft_memory_excess(cx, arena, r->program, &roles, r->excess_bytes, r->padding_bytes);
    if (st != WEFT_OK) return st;
    r->is_explained = true;
    /* what the changes do not touch must fit: trying them takes as long as the report itself, each */
    const double rest = r->use_bytes[WEFT_USE_ACTIVATIONS] + r->use_bytes[WEFT_USE_TEMPORARIES] +
                        r->use_bytes[WEFT_USE_CONSTANTS] + r->use_bytes[WEFT_USE_DATA];
    const bool may_help = have > 0 && (double)weft_plan_peak_bytes(r->plan) > have && rest < have;
    return may_help ? find_relief(cx, arena, m, how, &roles, r) : WEFT_OK;
}
