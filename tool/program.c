/* program: shared by `run` and `dryrun`: the handling of FILE. */
#include "tool/program.h"

#include "cost/simulate.h"

weft_status tool_module_parse(tool *t, const tool_compiling *how, weft_module **out) {
    weft_module *m;
    weft_status st = tool_input_is_text(t);
    if (st == WEFT_OK) st = weft_read_text(t->cx, (weft_str){ t->input.text, t->input.n }, t->input.name, 0, &m);
    if (st != WEFT_OK) return st;
    st = tool_rules_check(t, m, how);
    /* commands need the number of devices */
    if (st == WEFT_OK) st = weft_pipeline_run(t->cx, WEFT_STR("weft-import"), 0, &m);
    if (st == WEFT_OK) *out = m;
    else weft_module_free(m);
    return st;
}

weft_status tool_module_read(tool *t, const char *path, const tool_compiling *how, weft_module **out) {
    const weft_status st = tool_input_read(t, path);
    return st == WEFT_OK ? tool_module_parse(t, how, out) : st;
}

/* The axes of all meshes, each once, as "x=SIZE,y=SIZE"; returns their number. */
static size_t every_axis(const weft_module *m, int64_t size, char *buf, size_t room) {
    size_t n = 0, count = 0;
    buf[0] = 0;
    WEFT_EACH_OP(op, weft_module_body(m)) {
        const weft_attr *mesh = op->kind == WEFT_OP_sdy_mesh ? weft_op_attr(op, WEFT_A_mesh) : NULL;
        for (uint32_t a = 0; mesh && a < mesh->mesh.axis_count; a++) {
            char one[256];
            int length = snprintf(one, sizeof one, "%s=%lld", mesh->mesh.axes[a].name->text, (long long)size);
            const char *at = strstr(buf, one);
            bool known = at && (at == buf || at[-1] == ',') && (at[length] == ',' || !at[length]);
            if (known || length >= (int)sizeof one || n + (size_t)length + 2 > room) continue;
            n += (size_t)snprintf(buf + n, room - n, "%s%s", count ? "," : "", one);
            count++;
        }
    }
    return count;
}

weft_status tool_mesh_choose(tool *t, const weft_module *m, const char *mesh, int64_t devices, char *buf, size_t room,
                             const char **out) {
    int64_t own = weft_module_devices(m);
    *out = mesh;
    if (devices == 0 || mesh || devices == own) return WEFT_OK;
    size_t axes = every_axis(m, devices, buf, room);
    if (axes == 0) return WEFT_OK;
    if ( devices != 1 && axes != 1)
        return weft_report(t->cx, WEFT_D_usage, NULL,
                           "the program is for %lld devices, not %lld; --mesh gives its axes other sizes",
                           (long long)own, (long long)devices);
    *out = buf;
    return WEFT_OK;
}

/* --- orders of devices -------------------------------------------------------------------------------------------- */

/* The plan of a contiguous build, and the result of the search for it. */
static weft_status advise(tool *t, const weft_module *m, const weft_build_options *opt, const weft_built_program *p,
                          tool_order *o) {
    const weft_plan *plan = &p->exec->plan;
    weft_estimate estimate;
    weft_estimate_call *calls = weft_arena_array(&t->cx->arena, weft_estimate_call, plan->collective_count);
    int64_t *counts = weft_arena_array(&t->cx->arena, int64_t, plan->collective_count);
    weft_estimate_case *cases = weft_arena_array(&t->cx->arena, weft_estimate_case, plan->case_count);
    if (!calls || !counts || !cases) return weft_oom();
    weft_simulate(plan, &o->machine, NULL, calls, cases, &estimate);
    for (uint32_t i = 0; i < plan->collective_count; i++) counts[i] = calls[i].count;
    return weft_program_order(t->cx, &t->cx->arena, m, opt->mesh, p, &o->machine, counts, o->chosen, &o->advice);
}

weft_status tool_program_build(tool *t, const weft_module *m, weft_build_options *opt, tool_advise when, tool_order *o,
                               weft_built_program **p) {
    const char *order = o->order && strcmp(o->order, "contiguous") ? o->order : NULL;
    bool find = order && !strcmp(order, "auto"), compare = order && !find && when == TOOL_ADVISE_ALWAYS;
    o->machine = weft_machine_default;
    weft_status st = o->topology ? tool_machine_open(t, o->topology, &o->machine) : WEFT_OK;
    if (o->memory_bytes > 0) o->machine.memory_bytes = o->memory_bytes;
    opt->order = o->chosen = find ? NULL : order;
    opt->machine = &o->machine;
    weft_build_options first = *opt;
    /* the search only needs a plan */
    if (find || compare)
        first.order = NULL, first.compile_flags |= WEFT_COMPILE_PLAN_ONLY, first.dump = WEFT_COMPILE_DUMP_NONE;
    if (st == WEFT_OK) st = weft_program_build(t->cx, m, &first, p);
    if (st == WEFT_OK) st = weft_machine_hold(t->cx, &o->machine, (*p)->device_count);
    if (st == WEFT_OK && (find || when == TOOL_ADVISE_ALWAYS)) st = advise(t, m, opt, *p, o);
    if (st != WEFT_OK) return st;
    if (find && !weft_advice_is_contiguous(&o->advice)) opt->order = o->chosen = o->advice.text[WEFT_ORDER_BEST];
    if (opt->order == first.order && first.compile_flags == opt->compile_flags && first.dump == opt->dump) return st;
    weft_built_program_free(*p);
    *p = NULL;
    const bool followed = weft_warning_silence(t->cx, WEFT_D_constraint, true); /* reported by the first build */
    st = weft_program_build(t->cx, m, opt, p);
    (void)weft_warning_silence(t->cx, WEFT_D_constraint, followed);
    return st;
}

void tool_reach_print(weft_buf *out, const weft_machine *m, const weft_reach *r) {
    if (r->level < 0) {
        weft_buf_puts(out, "no link");
        return;
    }
    const weft_machine_level *l = &m->levels[r->level];
    weft_buf_printf(out, "%s ", l->link_name[0] ? l->link_name : l->name);
    weft_link_print(out, &r->link);
}

/* The compared order that the program has. */
static weft_order_of order_of(const tool_order *o) {
    if (!o->chosen) return WEFT_ORDER_CONTIGUOUS;
    return o->advice.text[WEFT_ORDER_ASKED] ? WEFT_ORDER_ASKED : WEFT_ORDER_BEST;
}

static void print_time(weft_buf *b, const tool_order *o, const weft_axes_traffic *r, weft_order_of of) {
    tool_reach_print(b, &o->machine, &r->reach[of]);
    weft_buf_printf(b, ", %.4g ms", 1e3 * r->time_s[of]);
}

/* Whether a cheaper order than the program's is known. */
static bool cheaper_is_known(const tool_order *o) {
    return o->advice.time_s[WEFT_ORDER_BEST] < o->advice.time_s[order_of(o)];
}

/* The bytes and links of the axes in the program's order, and in the others if they differ. */
static void print_traffic(tool *t, const tool_order *o, const weft_axes_traffic *r) {
    weft_order_of has = order_of(o);
    weft_buf b;
    weft_buf_init(&b, &t->cx->alloc);
    print_time(&b, o, r, has);
    if (has != WEFT_ORDER_CONTIGUOUS) {
        weft_buf_puts(&b, "; contiguous: ");
        print_time(&b, o, r, WEFT_ORDER_CONTIGUOUS);
    }
    if (cheaper_is_known(o)) {
        weft_buf_puts(&b, "; in the cheapest order: ");
        print_time(&b, o, r, WEFT_ORDER_BEST);
    }
    printf("  %-24.*s %16.0f B  over %s\n", WEFT_STR_ARG(r->axes), r->wire_bytes, b.p ? b.p : "");
    weft_buf_free(&b);
}

void tool_order_print(tool *t, const tool_order *o) {
    const weft_order_advice *a = &o->advice;
    const char *const *text = a->text;
    weft_order_of has = order_of(o);
    double saved_ms = 1e3 * (a->time_s[has] - a->time_s[WEFT_ORDER_BEST]), ms = 1e3 * a->time_s[has],
           contiguous_ms = 1e3 * a->time_s[WEFT_ORDER_CONTIGUOUS];
    printf("%-26s ", "device order");
    if (a->why) printf("%s: %s\n", o->chosen ? o->chosen : "as it is", a->why);
    else if (!text[WEFT_ORDER_CONTIGUOUS]) printf("%s\n", o->chosen ? o->chosen : "contiguous");
    else if (has == WEFT_ORDER_CONTIGUOUS && !cheaper_is_known(o))
        printf("contiguous: %s; none is found to be cheaper\n", text[has]);
    else if (has == WEFT_ORDER_CONTIGUOUS)
        printf("contiguous: %s; --order='%s' would save %.4g ms\n", text[has], text[WEFT_ORDER_BEST], saved_ms);
    else {
        printf("%s, %s: collectives take %.4g ms, in contiguous order %.4g ms", text[has],
               has == WEFT_ORDER_ASKED ? "as asked" : "by cost", ms, contiguous_ms);
        if (cheaper_is_known(o)) printf("; --order='%s' would save %.4g ms", text[WEFT_ORDER_BEST], saved_ms);
        putchar('\n');
    }
    for (uint32_t i = 0; i < a->traffic_count; i++) print_traffic(t, o, &a->traffic[i]);
}
