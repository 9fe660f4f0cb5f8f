/* dryrun_explain.c: what a device's memory is for, and the smallest change that makes a program fit. */
#include "pipeline/dryrun/relief.h"
#include "tool/dryrun.h"

/* The plan of one change, without its warnings. */
static weft_status try_change(tool *t, const dryrun_how *how, const tool_order *order, const weft_relief *change,
                              dryrun_relief *out) {
    dryrun_report r = { .order = { .order = order->order, .topology = order->topology,
                                  .memory_bytes = order->memory_bytes } };
    dryrun_how of = *how;
    weft_buf b;
    bool was[WEFT_D_COUNT];
    of.rows = DRYRUN_BY_KIND;
    of.advise = TOOL_ADVISE_NEVER;
    of.explains = of.build.obey_constraints = false;
    for (unsigned i = 0; i < WEFT_D_COUNT; i++) was[i] = weft_warning_silence(t->cx, (weft_diag_class)i, true);
    weft_status st = dryrun_make(t, change->m, &of, &r);
    for (unsigned i = 0; i < WEFT_D_COUNT; i++) (void)weft_warning_silence(t->cx, (weft_diag_class)i, was[i]);
    weft_buf_init(&b, &t->cx->alloc);
    weft_relief_print(&b, change);
    const char *text = b.failed ? NULL : weft_arena_strdup(&t->cx->arena, b.p, b.n);
    weft_buf_free(&b);
    if (st == WEFT_OK && !text) st = weft_oom();
    if (st == WEFT_OK)
        *out = (dryrun_relief){ text, (double)weft_plan_peak_bytes(r.plan) <= r.order.machine.memory_bytes,
                                weft_plan_peak_bytes(r.plan), r.estimate.wire_bytes, r.estimate.step_s };
    dryrun_free(&r);
    return st;
}

static weft_status find_relief(tool *t, const weft_module *m, const dryrun_how *how, const weft_roles *roles,
                               dryrun_report *r) {
    weft_relief changes[WEFT_RELIEFS];
    dryrun_relief *best = weft_arena_new(&t->cx->arena, dryrun_relief), one;
    size_t n = 0;
    bool found = false;
    weft_status st = best ? weft_reliefs_find(m, roles, changes, &n) : weft_oom();
    for (size_t i = 0; i < n && st == WEFT_OK && !(found && best->fits); i++) {
        st = try_change(t, how, &r->order, &changes[i], &one);
        if (st != WEFT_OK || (found && one.peak_bytes >= best->peak_bytes)) continue;
        *best = one;
        found = true;
    }
    weft_reliefs_free(changes, n);
    if (found && best->peak_bytes < weft_plan_peak_bytes(r->plan)) r->relief = best;
    return st;
}

weft_status dryrun_explain(tool *t, const weft_module *m, const dryrun_how *how, dryrun_report *r) {
    const double have = r->order.machine.memory_bytes;
    weft_roles roles;
    weft_status st = weft_module_roles(m, &t->cx->arena, &roles);
    if (st != WEFT_OK) return st;
    weft_memory_use(r->program, &roles, r->is_vendor ? &r->memory : NULL, r->use_bytes);
    weft_memory_excess(r->program, &roles, r->excess_bytes);
    r->is_explained = true;
    /* what the changes do not touch must fit: trying them takes as long as the report itself, each */
    const double rest = r->use_bytes[WEFT_USE_ACTIVATIONS] + r->use_bytes[WEFT_USE_TEMPORARIES] +
                        r->use_bytes[WEFT_USE_CONSTANTS] + r->use_bytes[WEFT_USE_DATA];
    const bool may_help = have > 0 && (double)weft_plan_peak_bytes(r->plan) > have && rest < have;
    return may_help ? find_relief(t, m, how, &roles, r) : WEFT_OK;
}

/* What replication costs. */
static void print_excess(tool *t, const dryrun_report *r) {
    bool first = true;
    if (r->devices < 2) return;
    for (int i = 0; i < WEFT_ROLES; i++) {
        if (r->excess_bytes[i] < WEFT_PLAN_LARGE) continue;
        printf("%s%s ", first ? "held beyond its share      " : ", ", weft_role_name((weft_role)i));
        tool_print_size(t, 0, r->excess_bytes[i]);
        first = false;
    }
    if (!first) printf(" (replicated, on each device)\n");
}

void dryrun_print_explained(tool *t, const dryrun_report *r) {
    if (r->is_explained) {
        bool first = true;
        printf("memory is for              ");
        for (int i = 0; i < WEFT_USES_OF_MEMORY; i++) {
            if (r->use_bytes[i] < 1) continue;
            printf("%s%s ", first ? "" : ", ", weft_use_of_memory_name((weft_use_of_memory)i));
            tool_print_size(t, 0, r->use_bytes[i]);
            first = false;
        }
        putchar('\n');
        print_excess(t, r);
    }
    if (r->relief) {
        printf("%-26s %s: ", r->relief->fits ? "smallest change that fits" : "what takes most away", r->relief->text);
        tool_print_size(t, 0, (double)r->relief->peak_bytes);
        printf(", step %.4g ms%s\n", 1e3 * r->relief->step_s, r->relief->fits ? "" : "; still too much");
    }
    if (r->tokens > 0 && r->estimate.step_s > 0)
        printf("%-26s %16.6g /s    (%.4g of each device)\n", "tokens", r->tokens / r->estimate.step_s,
               r->tokens / r->estimate.step_s / (double)r->devices);
}
