/* report.c: the figures of a dry run of a module. */
#include "pipeline/dryrun/report.h"

#include <string.h>
#include "base/str.h"

static weft_status add_row(weft_arena *arena, weft_dry_report *r, const weft_plan_collective *c, int64_t count,
                           bool by_place) {
    char *place = by_place ? weft_loc_text(arena, c->loc) : "";
    if (!place) return weft_oom();
    for (size_t i = 0; i < r->row_count; i++) {
        weft_dry_row *x = &r->rows[i];
        if (x->kind != c->kind || x->at_most != c->at_most || !weft_str_equal(x->axes, c->axes) ||
            strcmp(x->place, place)) continue;
        x->count = weft_add_times_i64(x->count, count, 1);
        x->bytes = weft_add_times_i64(x->bytes, count, c->bytes);
        x->wire_bytes = weft_add_times_i64(x->wire_bytes, count, c->wire_bytes);
        return WEFT_OK;
    }
    r->rows[r->row_count++] = (weft_dry_row){ c->kind, c->axes, place, count, weft_add_times_i64(0, count, c->bytes),
                                            weft_add_times_i64(0, count, c->wire_bytes), c->at_most };
    return WEFT_OK;
}

/* The reach of each collective's groups, and their cost on r's machine. of: the walk's arrays. */
static weft_status estimate(weft_context *cx, weft_arena *arena, const weft_built_program *p,
                            const weft_machine *machine, weft_dry_report *of, weft_estimate *out) {
    const weft_plan *plan = &p->exec->plan;
    weft_reach *reaches = weft_arena_array(arena, weft_reach, plan->collective_count);
    int64_t *counts = weft_arena_array(arena, int64_t, plan->collective_count);
    weft_loads loads;
    of->calls = weft_arena_array(arena, weft_estimate_call, plan->collective_count);
    of->cases = weft_arena_array(arena, weft_estimate_case, plan->case_count);
    of->reaches = reaches;
    if (!reaches || !counts || !of->calls || !of->cases) return weft_oom();
    for (uint32_t i = 0; i < plan->collective_count; i++) counts[i] = 1;
    weft_status st = weft_program_loads(cx, arena, p, counts, &loads);
    if (st == WEFT_OK) st = weft_load_reaches(cx, machine, &loads, NULL, reaches);
    if (st == WEFT_OK) weft_simulate(plan, machine, reaches, of->calls, of->cases, out);
    return st;
}

static weft_status fill(weft_context *cx, weft_arena *arena, const weft_built_program *p, bool by_place,
                        weft_dry_report *r) {
    const weft_plan *plan = &p->exec->plan;
    r->plan = plan;
    r->devices = p->device_count;
    r->rows = weft_arena_array(arena, weft_dry_row, plan->collective_count);
    if (!r->rows) return weft_oom();
    weft_status st = estimate(cx, arena, p, &r->order.machine, r, &r->estimate);
    for (uint32_t i = 0; st == WEFT_OK && i < plan->collective_count; i++)
        if (r->calls[i].count) st = add_row(arena, r, &plan->collectives[i], r->calls[i].count, by_place);
    return st;
}

/* The figures of the program without its constraints. */
static weft_status compare(weft_context *cx, weft_arena *arena, const weft_module *m, const weft_build_options *build,
                           weft_dry_report *r) {
    weft_dry_other *out = weft_arena_new(arena, weft_dry_other);
    weft_build_options wishes = *build;
    weft_built_program *p = NULL;
    if (!out) return weft_oom();
    wishes.obey_constraints = false;
    wishes.question = NULL;
    /* the plan that obeys has given the warnings */
    const uint32_t was = weft_warnings_silence(cx, WEFT_EVERY_WARNING);
    weft_status st = weft_program_build(cx, m, &wishes, &p);
    (void)weft_warnings_silence(cx, was);
    if (st != WEFT_OK) return st;
    weft_dry_report walk;
    st = estimate(cx, arena, p, &r->order.machine, &walk, &out->estimate);
    out->peak_bytes = weft_plan_peak_bytes(&p->exec->plan);
    r->other = out;
    weft_built_program_free(p);
    return st;
}

/* Reports loops with unknown trip counts, by line, unless the user has given one. */
static weft_status warn_loops(weft_context *cx, const weft_plan *plan) {
    enum { MOST_NAMED = 8 };
    const weft_loc *named[MOST_NAMED];
    uint32_t n = 0;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < plan->step_count && n < MOST_NAMED && st == WEFT_OK; i++) {
        const weft_plan_step *s = &plan->steps[i];
        bool known = s->kind != WEFT_PLAN_LOOP || s->trip_count >= 0;
        for (uint32_t k = 0; k < n && !known; k++) known = weft_loc_place(named[k]) == weft_loc_place(s->loc);
        if (known) continue;
        named[n++] = s->loc;
        if (n == 1)
            st = weft_report(cx, WEFT_D_cost, s->loc,
                             "the number of iterations of this loop is not known: its body is counted once");
        else if (weft_warning_wanted(cx, WEFT_D_cost)) weft_note(cx, s->loc, "and this loop");
    }
    if (n && st == WEFT_OK) weft_help(cx, NULL, "--trips N counts such loops N times");
    return st;
}

typedef struct asking { weft_arena *arena; const weft_dry_how *how; weft_sweep_cost least; } asking;

/* A plan that cannot be less than what is to be beaten is not compiled. */
static weft_status ask(void *user, const weft_built_program *p, const weft_machine *machine, bool *wanted) {
    asking *a = user;
    const weft_status st = weft_dry_vendor_bound(a->arena, p, machine, a->how, &a->least);
    *wanted = !a->least.at_least || weft_cost_is_less(&a->least, a->how->beat);
    return st;
}

weft_status weft_dry_make(weft_context *cx, weft_arena *arena, const weft_module *m, const weft_dry_how *how,
                          weft_dry_report *r) {
    weft_build_options build = how->build;
    weft_built_program *p = NULL;
    asking a = { .arena = arena, .how = how };
    const weft_build_question question = { ask, &a };
    if (how->beat) build.question = &question;
    weft_status st = weft_ordered_build(cx, arena, m, &build, how->advise, &r->order, &p);
    r->m = m;
    r->program = p;
    if (st == WEFT_OK && !p->exec) {
        r->least = a.least;
        return st;
    }
    if (st == WEFT_OK && !how->trips) st = warn_loops(cx, &p->exec->plan);
    if (st == WEFT_OK) st = fill(cx, arena, p, how->rows == WEFT_DRY_BY_PLACE, r);
    if (st == WEFT_OK && r->order.machine.compiler == WEFT_COMPILER_VENDOR) st = weft_dry_vendor(arena, p, how, r);
    if (st == WEFT_OK && build.obey_constraints) st = compare(cx, arena, m, &build, r);
    if (st == WEFT_OK) st = weft_memory_held_whole(arena, p, &r->held, &r->held_count);
    if (st == WEFT_OK && how->explains) st = weft_dry_explain(cx, arena, m, how, r);
    if (st == WEFT_OK) st = weft_memory_warn(cx, m, p, &r->order.machine);
    return st;
}

/* `how` without what only the report of one program tells. */
static weft_dry_how plain(const weft_dry_how *how) {
    weft_dry_how x = *how;
    x.rows = WEFT_DRY_BY_KIND;
    x.advise = WEFT_ADVISE_NEVER;
    x.explains = false;
    return x;
}

weft_status weft_dry_make_variant(weft_context *cx, weft_arena *arena, const weft_module *m, const weft_dry_how *how,
                                  const weft_ordered *order, weft_dry_report *r) {
    weft_dry_how of = plain(how);
    of.build.obey_constraints = false;
    *r = (weft_dry_report){ .order = *order };
    r->order.advice = (weft_order_advice){ 0 }; /* that of the program it is a variant of */
    const uint32_t was = weft_warnings_silence(cx, WEFT_EVERY_WARNING);
    const weft_status st = weft_dry_make(cx, arena, m, &of, r);
    (void)weft_warnings_silence(cx, was);
    return st;
}

void weft_dry_free(weft_dry_report *r) {
    weft_built_program_free(r->program);
    r->program = NULL;
}

void weft_dry_figures_make(weft_context *cx, weft_status st, const weft_module *m, const weft_dry_how *how,
                           weft_dry_report *r, weft_dry_figures *out) {
    const weft_dry_how of = plain(how);
    weft_arena arena; /* the context's would keep the lists of all plans */
    weft_arena_init(&arena, &cx->chunks);
    weft_floor floor = { 0, 0, 0 };
    if (st == WEFT_OK) st = weft_dry_make(cx, &arena, m, &of, r);
    /* what is computed again may be so on one device only */
    if (st == WEFT_OK && r->is_vendor && r->devices == 1 && !how->build.remat)
        st = weft_dry_floor(&arena, &of, r, &floor);
    if (st == WEFT_OK && !r->program->exec) {
        *out = (weft_dry_figures){ .planned = true, .at_least = true, .has_memory = r->order.machine.memory_bytes > 0,
                                 .step_s = r->least.step_s, .peak_bytes = r->least.bytes,
                                 .memory_bytes = r->order.machine.memory_bytes };
    } else if (st == WEFT_OK) {
        const weft_estimate *e = &r->estimate;
        *out = (weft_dry_figures){ .planned = true, .has_memory = r->order.machine.memory_bytes > 0,
                                 .wire_bytes = e->wire_bytes, .calls = e->calls, .step_s = e->step_s,
                                 .compute_s = e->compute_s, .peak_bytes = (double)weft_plan_peak_bytes(r->plan),
                                 .memory_bytes = r->order.machine.memory_bytes, .floor = floor };
    } else {
        const char *why = cx->error.message ? cx->error.message : "there is not enough memory";
        (void)weft_utf8_copy(out->why, sizeof out->why, weft_str_from(why));
    }
    out->done = true;
    weft_dry_free(r);
    weft_arena_free(&arena);
}

weft_sweep_cost weft_dry_cost(const weft_dry_figures *f) {
    return (weft_sweep_cost){ .step_s = f->step_s, .bytes = f->peak_bytes, .known = f->planned, .at_least = f->at_least,
                              .fits = f->planned && (!f->has_memory || f->peak_bytes <= f->memory_bytes) };
}
