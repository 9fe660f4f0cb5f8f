/* cmd_dryrun: `weft dryrun`: a program's traffic, memory, arithmetic and time, without running it.
 *
 * The program is partitioned and scheduled as for a run, but no code is made and none of its data is allocated. Bytes
 * and memory are those that a run counts; the time is an estimate for the named machine.
 */
#include "tool/dryrun.h"

typedef struct dryrun_settings {
    const char *mesh, *topology, *order, *plan, *attention;
    const char *cpu;
    bool json, list, blocking, obey;
    int64_t trips;
    tool_list custom_calls;
    tool_compiling compiling;
} dryrun_settings;

static const tool_option options[] = {
    { "mesh", "AXIS=SIZE,...", TOOL_TEXT, offsetof(dryrun_settings, mesh), "sizes of mesh axes to use instead of the program's" },
    { "topology", "FILE|NAME[:N]", TOOL_TEXT, offsetof(dryrun_settings, topology), "the machine for the plan and the estimates, with N nodes; see above" },
    { "machine", "FILE|NAME[:N]", TOOL_TEXT, offsetof(dryrun_settings, topology), "the same" },
    { "order", "AXES|auto", TOOL_TEXT, offsetof(dryrun_settings, order), "device order: these axes, the slowest first; auto: the cheapest" },
    { "json", NULL, TOOL_FLAG, offsetof(dryrun_settings, json), "print JSON" },
    { "list", NULL, TOOL_FLAG, offsetof(dryrun_settings, list), "print every collective, not sums by kind and axes" },
    { "custom-call", "TARGET[/KERNEL]=COST", TOOL_LIST, offsetof(dryrun_settings, custom_calls), "the cost of a custom call without code; see above" },
    { "obey-constraints", NULL, TOOL_FLAG, offsetof(dryrun_settings, obey), "reshard values to their sharding constraints, as XLA does; see above" },
    { "plan", "FILE", TOOL_TEXT, offsetof(dryrun_settings, plan), "follow the plan in FILE, printed by 'weft explain --plan', for the ops in it" },
    { "trips", "N", TOOL_NUMBER, offsetof(dryrun_settings, trips), "iterations of loops with unknown trip count (default 1)" },
    { "cpu", "NAME", TOOL_TEXT, offsetof(dryrun_settings, cpu), "the processor that the program is compiled for (x86-64-v3, znver4, ...; default: this one)" },
    { "attention", "fused|unfused", TOOL_TEXT, offsetof(dryrun_settings, attention), "whether an accelerator's compiler keeps the scores of attention on the chip (default fused)" },
    { "no-overlap", NULL, TOOL_FLAG, offsetof(dryrun_settings, blocking), "finish each collective before the next step" },
    TOOL_COMPILING_OPTIONS(dryrun_settings, compiling),
};

char *dryrun_place_text(weft_context *cx, const weft_loc *loc) {
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    weft_loc_print(&b, loc ? loc : &weft_loc_unknown);
    char *text = weft_arena_strdup(&cx->arena, b.p ? b.p : "", b.n);
    weft_buf_free(&b);
    return text;
}

static weft_status add_row(weft_context *cx, dryrun_report *r, const weft_plan_collective *c, int64_t count,
                           bool by_place) {
    char *place = by_place ? dryrun_place_text(cx, c->loc) : "";
    if (!place) return weft_oom();
    for (size_t i = 0; i < r->row_count; i++) {
        dryrun_row *x = &r->rows[i];
        if (x->kind != c->kind || x->at_most != c->at_most || !weft_str_equal(x->axes, c->axes) ||
            strcmp(x->place, place)) continue;
        x->count = weft_add_times_i64(x->count, count, 1);
        x->bytes = weft_add_times_i64(x->bytes, count, c->bytes);
        x->wire_bytes = weft_add_times_i64(x->wire_bytes, count, c->wire_bytes);
        return WEFT_OK;
    }
    r->rows[r->row_count++] = (dryrun_row){ c->kind, c->axes, place, count, weft_add_times_i64(0, count, c->bytes),
                                            weft_add_times_i64(0, count, c->wire_bytes), c->at_most };
    return WEFT_OK;
}

/* The reach of each collective's groups, and their cost on r's machine. */
static weft_status estimate(weft_context *cx, const weft_built_program *p, const dryrun_report *r,
                            weft_estimate_call *calls,
                            weft_estimate *out) {
    const weft_plan *plan = &p->exec->plan;
    weft_reach *reaches = weft_arena_array(&cx->arena, weft_reach, plan->collective_count);
    int64_t *counts = weft_arena_array(&cx->arena, int64_t, plan->collective_count);
    weft_estimate_case *cases = weft_arena_array(&cx->arena, weft_estimate_case, plan->case_count);
    weft_loads loads;
    if (!reaches || !counts || !cases) return weft_oom();
    for (uint32_t i = 0; i < plan->collective_count; i++) counts[i] = 1;
    weft_status st = weft_program_loads(cx, &cx->arena, p, counts, &loads);
    if (st == WEFT_OK) st = weft_load_reaches(cx, &r->order.machine, &loads, NULL, reaches);
    if (st == WEFT_OK) weft_simulate(plan, &r->order.machine, reaches, calls, cases, out);
    return st;
}

static weft_status fill(weft_context *cx, const weft_built_program *p, bool by_place, dryrun_report *r) {
    const weft_plan *plan = &p->exec->plan;
    weft_estimate_call *calls = weft_arena_array(&cx->arena, weft_estimate_call, plan->collective_count);
    r->program = p;
    r->plan = plan;
    r->devices = p->device_count;
    r->rows = weft_arena_array(&cx->arena, dryrun_row, plan->collective_count);
    if (!calls || !r->rows) return weft_oom();
    weft_status st = estimate(cx, p, r, calls, &r->estimate);
    for (uint32_t i = 0; st == WEFT_OK && i < plan->collective_count; i++)
        if (calls[i].count) st = add_row(cx, r, &plan->collectives[i], calls[i].count, by_place);
    return st;
}

/* The figures of the program without its constraints. */
static weft_status compare(weft_context *cx, const weft_module *m, const weft_build_options *build, dryrun_report *r,
                           dryrun_other *out) {
    weft_build_options wishes = *build;
    weft_built_program *p = NULL;
    wishes.obey_constraints = false;
    bool was[WEFT_D_COUNT]; /* silent; the plan that obeys has given the warnings */
    for (unsigned i = 0; i < WEFT_D_COUNT; i++) was[i] = weft_warning_silence(cx, (weft_diag_class)i, true);
    weft_status st = weft_program_build(cx, m, &wishes, &p);
    for (unsigned i = 0; i < WEFT_D_COUNT; i++) (void)weft_warning_silence(cx, (weft_diag_class)i, was[i]);
    if (st != WEFT_OK) return st;
    weft_estimate_call *calls = weft_arena_array(&cx->arena, weft_estimate_call, p->exec->plan.collective_count);
    st = calls ? estimate(cx, p, r, calls, &out->estimate) : weft_oom();
    out->peak_bytes = weft_plan_peak_bytes(&p->exec->plan);
    r->other = out;
    weft_built_program_free(p);
    return st;
}

static weft_status read_costs(tool *t, const tool_list *texts, weft_build_options *build) {
    weft_custom_cost *v = weft_arena_array(&t->cx->arena, weft_custom_cost, texts->n);
    weft_status st = v ? WEFT_OK : weft_oom();
    for (size_t i = 0; i < texts->n && st == WEFT_OK; i++) st = weft_custom_cost_read(t->cx, texts->v[i], &v[i]);
    build->custom_costs = v;
    build->custom_cost_count = texts->n;
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

static weft_status read_attention(tool *t, const char *text, weft_attention *out) {
    *out = WEFT_ATTENTION_FUSED;
    if (!text || !strcmp(text, "fused")) return WEFT_OK;
    *out = WEFT_ATTENTION_UNFUSED;
    if (!strcmp(text, "unfused")) return WEFT_OK;
    return weft_report(t->cx, WEFT_D_usage, NULL, "--attention is fused or unfused, not '%s'", text);
}

static tool_exit run(tool *t, const void *settings, char *const *arguments, size_t count) {
    const dryrun_settings *s = settings;
    dryrun_report r = { .order = { .order = s->order, .topology = s->topology } };
    weft_build_options build = { .compile_flags = WEFT_COMPILE_PLAN_ONLY | (s->blocking ? WEFT_COMPILE_NO_OVERLAP : 0),
                                 .mesh = s->mesh, .obey_constraints = s->obey, .plan = s->plan,
                                 .assumed_trips = s->trips, .cpu = s->cpu };
    weft_module *m = NULL;
    weft_built_program *p = NULL;
    dryrun_how how = { .overlap = s->blocking ? WEFT_OVERLAP_NOTHING : WEFT_OVERLAP_COLLECTIVES, .trips = s->trips };
    (void)count;
    weft_status st = tool_compiling_set(t, &s->compiling);
    if (st == WEFT_OK) st = read_attention(t, s->attention, &how.attention);
    if (st == WEFT_OK) st = read_costs(t, &s->custom_calls, &build);
    if (st == WEFT_OK) st = tool_module_read(t, arguments[0], &s->compiling, &m);
    if (st == WEFT_OK) st = tool_program_build(t, m, &build, TOOL_ADVISE_ALWAYS, &r.order, &p);
    if (st == WEFT_OK && !s->trips) st = warn_loops(t->cx, &p->exec->plan);
    if (st == WEFT_OK) st = fill(t->cx, p, s->list || s->json, &r);
    if (st == WEFT_OK && r.order.machine.compiler == WEFT_COMPILER_VENDOR) st = dryrun_vendor(t->cx, p, &how, &r);
    dryrun_other other;
    if (st == WEFT_OK && s->obey) st = compare(t->cx, m, &build, &r, &other);
    r.m = m;
    if (st == WEFT_OK) st = weft_memory_held_whole(&t->cx->arena, p, &r.held, &r.held_count);
    if (st == WEFT_OK) st = weft_memory_warn(t->cx, m, p, &r.order.machine);
    if (st == WEFT_OK && s->json) st = dryrun_print_json(t, &r);
    else if (st == WEFT_OK) dryrun_print_text(t, &r);
    weft_built_program_free(p);
    weft_module_free(m);
    return tool_exit_of(st);
}

const tool_command tool_cmd_dryrun = {
    .name = "dryrun",
    .arguments = "FILE|-",
    .summary = "predict bytes, memory, arithmetic and time of a program",
    .description =
        "Partitions and schedules the program as for a run, without making code, running it or allocating its data, and prints\n"
        "its collectives, the bytes that a device sends, its peak memory, its arithmetic and an estimate of the\n"
        "time of one step. Bytes and memory are exactly those of a run, with three exceptions. A ragged_all_to_all sends at\n"
        "most all of its operand, unless rows go to several devices; such a line has 'at most' (in JSON: at_most). If a program\n"
        "has branches (stablehlo.case, if) whose index is no constant, the figures are those of the most expensive branch (time of\n"
        "the slowest, bytes and collectives of the one that sends most), and the range down to the cheapest is printed. A\n"
        "loop whose trip count is not a constant is counted once, or --trips times, and a warning [cost] names it.\n\n"
        "In JSON, each of `collectives` is one place of the program with its sums over a step: kind, axes, count, bytes (of the\n"
        "full tensors), wire_bytes, at_most, location; least_wire_bytes, least_collective_calls and least_step_time_s are the cheapest\n"
        "branches' figures.\n\n"
        "If the machine's description has the memory of a device, the report says whether the program fits and by how much, and\n"
        "a warning [memory] reports that it does not. The same warning names large replicated arguments and results, and\n"
        "intermediate values that no axis of the mesh shards.\n\n"
        "A machine is a name that `weft topo --list` prints, with N for its nodes or the sizes of its torus, a file that describes\n"
        "one, or the description itself, like 'nodes 64 { gpu 8 nvlink 450GB/s 2us } fabric 50GB/s 5us' (docs/topology.md).\n\n"
        "On a machine whose compiler is the vendor's (GPUs, TPUs: 'vendor' in its description) the time is that of kernels as such\n"
        "compilers fuse them, by class and size, and of the vendor's collectives, run as events over the device and its links\n"
        "(docs/dryrun.md). Temporaries are then those of these kernels, in their order. The report adds what takes the time, by class\n"
        "and by source line, and the largest values at the peak of memory. HFU is the share of the data sheet's rate that all products\n"
        "of a step make, attention under a triangular mask counted as half; MFU leaves out what JAX's rematerialisation repeats.\n"
        "Attention is taken to keep its scores on the chip, unless --attention unfused says that it does not. In JSON: `vendor`.\n\n"
        "A sharding constraint is one more layout in which a value may be read; a plan that is cheaper without it ignores it, with a\n"
        "warning [constraint] that gives the saving. XLA always reshards the value: with --obey-constraints the plan does so\n"
        "too, and the figures of the plan without constraints are printed beside it (in JSON: without_constraints).\n\n"
        "Custom calls for which Weft has no code (Pallas, Triton, cuDNN) move the bytes of their operands and results and have no\n"
        "arithmetic, unless the program gives more (the cost_estimate of Pallas' TPU kernels) or --custom-call gives the cost of one\n"
        "call on one device: 'TARGET=flops:SUM,bytes:SUM', where a SUM is products of numbers and of sizes on the device joined by +:\n"
        "iK.D is dimension D of operand K, oK.D that of result K. 'TARGET/KERNEL=...' is for one kernel of the target, by the name\n"
        "that Pallas and Triton give it. --rule sets how such calls are sharded.\n\n"
        "Device i of the machine is place i of the mesh, unless --order lists the mesh's axes, or parts of them (\"data\":(1)2 is\n"
        "the slower half), from the slowest to the fastest digit of the device number. The order is printed with each axis's\n"
        "bytes and link, and with a cheaper order if there is one; --order auto uses it.",
    .examples =
        "weft dryrun gpt.mlir\n"
        "weft dryrun --mesh data=64,model=8 gpt.mlir        # for 512 devices\n"
        "weft dryrun --json --topology dgx-h100 gpt.mlir\n"
        "weft dryrun --cpu znver4 gpt.mlir                  # the same memory on every host\n"
        "weft dryrun --topology 'tpu-v5e:2x(16x16)' --attention unfused gpt.mlir    # two slices\n"
        "weft dryrun --custom-call 'tpu_custom_call=flops:4*i0.0*i0.1*i0.2*i1.2*i0.3' flash.mlir    # products of queries, keys, values\n"
        "weft dryrun --topology tpu-v4:4x4x8 --mesh data=16,model=8 --order auto gpt.mlir",
    .options = options,
    .option_count = WEFT_COUNT(options),
    .settings_bytes = sizeof(dryrun_settings),
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
