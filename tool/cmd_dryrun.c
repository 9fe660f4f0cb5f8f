/* cmd_dryrun: `weft dryrun`: a program's traffic, memory, arithmetic and time, without running it.
 *
 * The program is partitioned and scheduled as for a run, but no code is made and none of its data is allocated. Bytes
 * and memory are those that a run counts; the time is an estimate for the named machine. One file per part: changes of
 * the program (dryrun_changes.c), figures (dryrun_make.c, dryrun_vendor.c), their forms (dryrun_text.c, ...).
 */
#include "tool/dryrun.h"

typedef struct dryrun_settings {
    const char *topology, *order, *plan, *attention;
    const char *cpu;
    bool json, list, blocking, obey;
    int64_t trips;
    tool_list custom_calls;
    dryrun_changes changes;
    tool_compiling compiling;
} dryrun_settings;

static const tool_option options[] = {
    { "mesh", "AXIS=SIZE,...", TOOL_TEXT, offsetof(dryrun_settings, changes.mesh), "sizes of mesh axes to use instead of the program's, or a mesh for a program without one" },
    { "bare", NULL, TOOL_FLAG, offsetof(dryrun_settings, changes.bare), "remove the program's meshes and shardings first" },
    { "strategy", "NAME[:AXIS]+...", TOOL_TEXT, offsetof(dryrun_settings, changes.strategy), "shard anew by dp, fsdp, zero1, zero2, tp, sp, ep or cp, or several; see above" },
    { "tactics", "FILE", TOOL_TEXT, offsetof(dryrun_settings, changes.tactics), "shard by the tactics in FILE, and report what each adds and removes; see above" },
    { "shard", "PATTERN=SHARDING|@FILE", TOOL_LIST, offsetof(dryrun_settings, changes.shard), "the sharding of the arguments that PATTERN covers, or a file of such lines; see above" },
    { "donate", "PATTERN", TOOL_LIST, offsetof(dryrun_settings, changes.donate), "donate the arguments that PATTERN covers" },
    { "write", "FILE", TOOL_TEXT, offsetof(dryrun_settings, changes.write), "write the program with these changes to FILE" },
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

static weft_status read_costs(tool *t, const tool_list *texts, weft_build_options *build) {
    weft_custom_cost *v = weft_arena_array(&t->cx->arena, weft_custom_cost, texts->n);
    weft_status st = v ? WEFT_OK : weft_oom();
    for (size_t i = 0; i < texts->n && st == WEFT_OK; i++) st = weft_custom_cost_read(t->cx, texts->v[i], &v[i]);
    build->custom_costs = v;
    build->custom_cost_count = texts->n;
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
    dryrun_how how = {
        .build = { .compile_flags = WEFT_COMPILE_PLAN_ONLY | (s->blocking ? WEFT_COMPILE_NO_OVERLAP : 0),
                   .obey_constraints = s->obey, .plan = s->plan, .assumed_trips = s->trips, .cpu = s->cpu },
        .overlap = s->blocking ? WEFT_OVERLAP_NOTHING : WEFT_OVERLAP_COLLECTIVES,
        .trips = s->trips, .rows = s->list || s->json ? DRYRUN_BY_PLACE : DRYRUN_BY_KIND
    };
    weft_module *m = NULL;
    (void)count;
    weft_status st = tool_compiling_set(t, &s->compiling);
    if (st == WEFT_OK) st = read_attention(t, s->attention, &how.attention);
    if (st == WEFT_OK) st = read_costs(t, &s->custom_calls, &how.build);
    if (st == WEFT_OK) st = tool_module_read(t, arguments[0], &s->compiling, &m);
    if (st == WEFT_OK) st = dryrun_change(t, &s->changes, &how, &m, &r);
    if (st == WEFT_OK) st = dryrun_make(t, m, &how, &r);
    if (st == WEFT_OK && s->json) st = dryrun_print_json(t, &r);
    else if (st == WEFT_OK) dryrun_print_text(t, &r);
    dryrun_free(&r);
    weft_module_free(m);
    return tool_exit_of(st);
}

const tool_command tool_cmd_dryrun = {
    .name = "dryrun",
    .arguments = "FILE|-",
    .summary = "predict bytes, memory, arithmetic and time of a program",
    .description = dryrun_description,
    .examples = dryrun_examples,
    .options = options,
    .option_count = WEFT_COUNT(options),
    .settings_bytes = sizeof(dryrun_settings),
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
