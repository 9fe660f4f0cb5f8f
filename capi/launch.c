/* launch.c: see launch.h. */
#include "capi/launch.h"

weft_status weft_launch_check(weft_context *cx, const char *struct_name, weft_launch launch, int threads) {
    if ((unsigned)launch > WEFT_LAUNCH_THREADS)
        return weft_report(cx, WEFT_D_usage, NULL, "%s.launch is %d, which is not a weft_launch", struct_name,
                           (int)launch);
    if (threads >= 0 && threads <= WEFT_THREADS_MOST) return WEFT_OK;
    return weft_report(cx, WEFT_D_usage, NULL, "%s.threads is %d, not a number of threads up to %d", struct_name,
                       threads, WEFT_THREADS_MOST);
}

weft_status weft_constraints_check(weft_context *cx, const weft_loc *place, const char *struct_name,
                                   weft_constraints constraints) {
    if ((unsigned)constraints <= WEFT_CONSTRAINTS_OBEYED) return WEFT_OK;
    return weft_report(cx, WEFT_D_usage, place, "%s.constraints is %d, which is not a weft_constraints", struct_name,
                       (int)constraints);
}

weft_status weft_precision_check(weft_context *cx, const weft_loc *place, const char *struct_name,
                                 weft_precision precision, const char **out) {
    *out = precision == WEFT_PRECISION_BF16 ? "bf16" : NULL;
    if ((unsigned)precision <= WEFT_PRECISION_BF16) return WEFT_OK;
    return weft_report(cx, WEFT_D_usage, place, "%s.precision is %d, which is not a weft_precision", struct_name,
                       (int)precision);
}

weft_processes weft_launch_processes(weft_launch launch, double timeout_s, int threads, const weft_world *world) {
    weft_processes p = world                           ? weft_processes_of_world(world)
                       : launch == WEFT_LAUNCH_THREADS ? (weft_processes){ .processes = 1 }
                                                       : weft_processes_of_launch();
    p.threads = threads;
    if (world) return p;
    p.timeout_s = timeout_s;
    p.bind = true;
    return p;
}

weft_status weft_graph_code(const weft_graph *g, const weft_build_options *opt, weft_kept *out) {
    weft_context *cx = g->cx;
    const weft_mark mark = weft_arena_mark(&cx->scratch);
    const char **args = weft_scratch_array(cx, const char *, g->inputs.n),
               **results = weft_scratch_array(cx, const char *, g->outputs.n);
    weft_port_names names = { NULL, NULL };
    weft_status st = args && results ? WEFT_OK : weft_oom();
    for (size_t i = 0; st == WEFT_OK && i < g->inputs.n; i++) args[i] = g->inputs.v[i].name->text;
    for (size_t i = 0; st == WEFT_OK && i < g->outputs.n; i++) results[i] = g->outputs.v[i].name->text;
    if (st == WEFT_OK) {
        names = (weft_port_names){ args, results };
        st = weft_program_keep(cx, g->m, opt, &names, out);
    }
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

weft_status weft_update_moves(weft_context *cx, const weft_graph_port *input, const char *when) {
    const weft_status st =
        weft_report(cx, WEFT_D_fallback, input->loc,
                    "input '%s' and its update are sharded differently: all of it moves %s", input->name->text, when);
    weft_note(cx, input->loc, "the same sharding on both would avoid it");
    return st;
}
