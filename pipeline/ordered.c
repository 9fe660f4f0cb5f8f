/* ordered.c: see ordered.h. */
#include "pipeline/ordered.h"

#include <string.h>
#include "cost/simulate.h"

/* The plan of a contiguous build, and the result of the search for it. */
static weft_status advise(weft_context *cx, weft_arena *arena, const weft_module *m, const weft_build_options *opt,
                          const weft_built_program *p, weft_ordered *o) {
    const weft_plan *plan = &p->exec->plan;
    weft_estimate estimate;
    weft_estimate_call *calls = weft_arena_array(arena, weft_estimate_call, plan->collective_count);
    int64_t *counts = weft_arena_array(arena, int64_t, plan->collective_count);
    weft_estimate_case *cases = weft_arena_array(arena, weft_estimate_case, plan->case_count);
    if (!calls || !counts || !cases) return weft_oom();
    weft_simulate(plan, &o->machine, NULL, calls, cases, &estimate);
    for (uint32_t i = 0; i < plan->collective_count; i++) counts[i] = calls[i].count;
    return weft_program_order(cx, arena, m, opt->mesh, p, &o->machine, counts, o->chosen, &o->advice);
}

/* A machine's text has the rates of one core, and its share of the memory's. Threads of a device share its loops
 * (exec/team.h): evenly, as far as an estimate knows. */
static void give_cores(weft_machine *m, double n) {
    if (m->compiler == WEFT_COMPILER_VENDOR) return;
    m->flops_per_s *= n;
    m->bytes_per_s *= n;
}

weft_status weft_ordered_build(weft_context *cx, weft_arena *arena, const weft_module *m, weft_build_options *opt,
                               weft_advise when, weft_ordered *o, weft_built_program **p) {
    const char *order = o->order && strcmp(o->order, "contiguous") ? o->order : NULL;
    bool find = order && !strcmp(order, "auto"), compare = order && !find && when == WEFT_ADVISE_ALWAYS;
    o->machine = weft_machine_default;
    weft_status st = o->topology ? weft_machine_open(cx, o->topology, o->folders, &o->machine) : WEFT_OK;
    if (st == WEFT_OK && o->costs) st = weft_costs_open(cx, o->costs, &o->machine);
    if (o->memory_bytes > 0) o->machine.memory_bytes = o->memory_bytes;
    if (o->threads > 1) give_cores(&o->machine, (double)o->threads);
    opt->order = o->chosen = find ? NULL : order;
    opt->machine = &o->machine;
    weft_build_options first = *opt;
    /* the search only needs a plan */
    if (find || compare)
        first.question = NULL, first.order = NULL, first.compile_flags |= WEFT_COMPILE_PLAN_ONLY,
        first.dump = WEFT_COMPILE_DUMP_NONE;
    if (st == WEFT_OK) st = weft_program_build(cx, m, &first, p);
    if (st == WEFT_OK) st = weft_machine_hold(cx, &o->machine, (*p)->device_count);
    if (st == WEFT_OK && (*p)->exec && (find || when == WEFT_ADVISE_ALWAYS)) st = advise(cx, arena, m, opt, *p, o);
    if (st != WEFT_OK) return st;
    if (find && !weft_advice_is_contiguous(&o->advice)) opt->order = o->chosen = o->advice.text[WEFT_ORDER_BEST];
    if (opt->order == first.order && first.compile_flags == opt->compile_flags && first.dump == opt->dump) return st;
    weft_built_program_free(*p);
    *p = NULL;
    const bool followed = weft_warning_silence(cx, WEFT_D_constraint, true); /* reported by the first build */
    st = weft_program_build(cx, m, opt, p);
    (void)weft_warning_silence(cx, WEFT_D_constraint, followed);
    return st;
}

weft_order_of weft_ordered_has(const weft_ordered *o) {
    if (!o->chosen) return WEFT_ORDER_CONTIGUOUS;
    return o->advice.text[WEFT_ORDER_ASKED] ? WEFT_ORDER_ASKED : WEFT_ORDER_BEST;
}
