/* build.c: see build.h. */
#include "tool/build.h"
#include "tool/data.h"

static weft_status build(tool *t, const tool_build_settings *s, const tool_build_request *r, tool_built *b) {
    b->options = (weft_build_options){ .devices = s->devices,
                                       .compile_flags = (s->blocking ? WEFT_COMPILE_NO_OVERLAP : 0) |
                                                        (r->dump ? WEFT_COMPILE_PLAN_ONLY : 0),
                                       .obey_constraints = s->obey,
                                       .plan = s->plan,
                                       .dump = r->dump,
                                       .cpu = s->cpu,
                                       .cache = r->cache,
                                       .process = r->leads ? 0 : t->launch.process,
                                       .processes = r->leads ? 0 : t->launch.processes,
                                       .waiting = r->leads ? t->launch.processes - 1 : 0,
                                       .dumped = r->dumped };
    double memory_bytes = 0;
    weft_status st = tool_memory_read(t, s->memory, "8GiB", &memory_bytes);
    if (st == WEFT_OK) st = tool_precision_read(t, s->precision, &b->options.precision);
    b->options.memory_bytes = (int64_t)memory_bytes; /* at most 1e18 */
    if (st == WEFT_OK) st = tool_types_choose(t, &b->m, s->types, r->inputs);
    if (st == WEFT_OK) st = tool_mesh_choose(t, b->m, s->mesh, s->devices, b->mesh, sizeof b->mesh, &b->options.mesh);
    const double start = tool_now_s();
    b->order = tool_ordered(t, s->order, s->topology);
    b->order.costs = tool_costs(t, s->costs);
    if (st == WEFT_OK)
        st = weft_ordered_build(t->cx, &t->cx->arena, b->m, &b->options, WEFT_ADVISE_NEVER, &b->order, &b->p);
    b->compile_s = tool_now_s() - start;
    if (st == WEFT_OK && s->devices && s->devices != b->p->device_count)
        return weft_report(t->cx, WEFT_D_usage, NULL, "--devices %lld, but the mesh has %lld", (long long)s->devices,
                           (long long)b->p->device_count);
    return st;
}

weft_status tool_build(tool *t, const tool_build_settings *s, const tool_build_request *r, tool_built *out) {
    weft_status st = tool_compiling_set(t, &s->compiling);
    *out = (tool_built){ .m = NULL };
    if (st == WEFT_OK) st = tool_module_parse(t, &s->compiling, &out->m);
    return st == WEFT_OK ? build(t, s, r, out) : st;
}

void tool_built_free(tool_built *b) {
    weft_built_program_free(b->p);
    weft_module_free(b->m);
    *b = (tool_built){ .m = NULL };
}
