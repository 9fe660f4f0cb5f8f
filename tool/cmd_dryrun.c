/* cmd_dryrun: `weft dryrun`: a program's traffic, memory, arithmetic and time, without running it.
 *
 * The program is partitioned and scheduled as for a run, but no code is made and none of its data is allocated. Bytes
 * and memory are those that a run counts; the time is an estimate for the named machine. One file per part: changes of
 * the program (dryrun_changes.c), figures (dryrun_make.c, dryrun_vendor.c), their forms (dryrun_text.c, ...).
 */
#include "pipeline/dryrun/changes.h"
#include "runtime/processes.h"
#include "tool/dryrun_json.h"
#include "tool/progress.h"

typedef struct dryrun_settings {
    const char *topology, *costs, *order, *plan, *attention;
    const char *cpu, *precision;
    const char *csv, *trace, *html, *diff, *sweep, *memory, *remat;
    bool json, list, blocking, obey;
    int64_t trips, threads;
    double tokens;
    tool_list custom_calls, fail_on;
    dryrun_changes changes;
    tool_compiling compiling;
} dryrun_settings;

static const tool_option options[] = {
    { "mesh", "AXIS=SIZE,...", TOOL_TEXT, offsetof(dryrun_settings, changes.mesh), "sizes of mesh axes to use instead of the program's, or a mesh for a program without one" },
    { "set", "NAME=SIZE,...", TOOL_LIST, offsetof(dryrun_settings, changes.set), "sizes of a program of jax.export that leaves them open, by their names" },
    { "batch", "N", TOOL_NUMBER, offsetof(dryrun_settings, changes.batch), "another batch: the dimension by which the step's data is split" },
    { "bare", NULL, TOOL_FLAG, offsetof(dryrun_settings, changes.bare), "remove the program's meshes and shardings first" },
    { "strategy", "NAME[:AXIS]+...", TOOL_TEXT, offsetof(dryrun_settings, changes.strategy), "shard anew by dp, fsdp, zero1, zero2, tp, sp, ep or cp, or several; see above" },
    { "auto", NULL, TOOL_FLAG, offsetof(dryrun_settings, changes.automatic), "search the shardings with the shortest step that fit, on --mesh or on all meshes of --devices" },
    { "memory", "SIZE", TOOL_TEXT, offsetof(dryrun_settings, memory), "memory of a device, e.g. 80GB, in place of the machine's" },
    { "tactics", "FILE", TOOL_TEXT, offsetof(dryrun_settings, changes.tactics), "shard by the tactics in FILE, and report what each adds and removes; see above" },
    { "shard", "PATTERN=SHARDING|@FILE", TOOL_LIST, offsetof(dryrun_settings, changes.shard), "the sharding of the arguments that PATTERN covers, or a file of such lines; see above" },
    { "remat", "none|dots|full", TOOL_TEXT, offsetof(dryrun_settings, remat), "compute values again rather than hold them: not products, or all that helps (default none)" },
    { "donate", "PATTERN", TOOL_LIST, offsetof(dryrun_settings, changes.donate), "donate the arguments that PATTERN covers" },
    { "write", "FILE", TOOL_TEXT, offsetof(dryrun_settings, changes.write), "write the program with these changes to FILE" },
    { "topology", "FILE|NAME[:N]", TOOL_TEXT, offsetof(dryrun_settings, topology), "the machine for the plan and the estimates, with N nodes; see above" },
    { "machine", "FILE|NAME[:N]", TOOL_TEXT, offsetof(dryrun_settings, topology), "the same" },
    { "costs", "FILE|LIST", TOOL_TEXT, offsetof(dryrun_settings, costs), "costs in place of the machine's, as in run (default: WEFT_COSTS)" },
    { "order", "AXES|auto", TOOL_TEXT, offsetof(dryrun_settings, order), "device order: these axes, the slowest first; auto: the cheapest" },
    { "json", NULL, TOOL_FLAG, offsetof(dryrun_settings, json), "print JSON" },
    { "csv", "collectives|lines", TOOL_TEXT, offsetof(dryrun_settings, csv), "print the collectives, or what the program's lines take, as CSV" },
    { "trace", "FILE", TOOL_TEXT, offsetof(dryrun_settings, trace), "write the step as a trace for Perfetto and chrome://tracing" },
    { "html", "FILE", TOOL_TEXT, offsetof(dryrun_settings, html), "write the report as one HTML file, with drawings and the program" },
    { "tokens", "N", TOOL_REAL, offsetof(dryrun_settings, tokens), "tokens of a step: print tokens per second" },
    { "diff", "REPORT", TOOL_TEXT, offsetof(dryrun_settings, diff), "compare with a report that --json has written" },
    { "fail-on", "CONDITION", TOOL_LIST, offsetof(dryrun_settings, fail_on), "exit with 1 if the comparison shows, e.g., 'wire_bytes>+1%'; see above" },
    { "sweep", "AXIS=N..M,...", TOOL_TEXT, offsetof(dryrun_settings, sweep), "try meshes of these sizes, by powers of two; see above" },
    { "devices", "N", TOOL_NUMBER, offsetof(dryrun_settings, changes.devices), "with --sweep and --auto: meshes of N devices only" },
    { "list", NULL, TOOL_FLAG, offsetof(dryrun_settings, list), "print every collective, not sums by kind and axes" },
    { "custom-call", "TARGET[/KERNEL]=COST", TOOL_LIST, offsetof(dryrun_settings, custom_calls), "the cost of a custom call without code; see above" },
    { "threads", "N", TOOL_NUMBER, offsetof(dryrun_settings, threads), "threads of each device of a CPU machine, which share its loops evenly (default 1)" },
    { "obey-constraints", NULL, TOOL_FLAG, offsetof(dryrun_settings, obey), "reshard values to their sharding constraints, as XLA does; see above" },
    { "plan", "FILE", TOOL_TEXT, offsetof(dryrun_settings, plan), "follow the plan in FILE, printed by 'weft explain --plan', for the ops in it" },
    { "trips", "N", TOOL_NUMBER, offsetof(dryrun_settings, trips), "iterations of loops with unknown trip count (default 1)" },
    { "cpu", "NAME", TOOL_TEXT, offsetof(dryrun_settings, cpu), "the processor that the program is compiled for (x86-64-v3, znver4, ...; default: this one)" },
    { "precision", "f32|bf16", TOOL_TEXT, offsetof(dryrun_settings, precision), "bf16: products of f32 round their operands to it, as in run (default f32)" },
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

static weft_status read_remat(tool *t, const char *text, weft_remat *out) {
    static const char *const names[] = { [WEFT_REMAT_NONE] = "none", [WEFT_REMAT_KEEPS_PRODUCTS] = "dots",
                                         [WEFT_REMAT_FULL] = "full" };
    for (size_t i = 0; text && i < WEFT_COUNT(names); i++)
        if (!strcmp(text, names[i])) {
            *out = (weft_remat)i;
            return WEFT_OK;
        }
    if (!text) return WEFT_OK;
    return weft_report(t->cx, WEFT_D_usage, NULL, "--remat is none, dots or full, not '%s'", text);
}

/* The program at path, with its sizes. All that --sweep and --auto plan is this one program. */
static weft_status read_resized(tool *t, const dryrun_settings *s, const char *path, weft_module **m) {
    const dryrun_changes *c = &s->changes;
    const weft_status st = tool_module_read(t, path, &s->compiling, m);
    return st == WEFT_OK ? weft_module_resize(m, c->set.v, c->set.n, c->batch) : st;
}

/* The program at path, with the changes, as a report in r; *m is to be freed after it. */
static weft_status read_and_make(tool *t, const dryrun_settings *s, weft_dry_how *how, const char *path,
                                 weft_module **m, weft_dry_report *r) {
    tool_progress *progress = tool_progress_begin("planning");
    weft_status st = read_resized(t, s, path, m);
    r->tokens = s->tokens;
    if (st == WEFT_OK) st = dryrun_change(t, &s->changes, how, m, r);
    if (st == WEFT_OK) st = weft_dry_make(t->cx, &t->cx->arena, *m, how, r);
    tool_progress_end(progress);
    return st;
}

/* Everything that one program's report is asked for. */
static weft_status print_one(tool *t, const dryrun_settings *s, const weft_dry_report *r) {
    weft_status st = WEFT_OK;
    if (s->json) st = dryrun_json_put(t, dryrun_json(t, r));
    else if (s->csv) st = dryrun_print_csv(t, r, s->csv);
    else dryrun_print_text(t, r);
    if (st == WEFT_OK && s->trace) st = dryrun_write_trace(t, r, s->trace);
    if (st == WEFT_OK && s->html) st = dryrun_write_html(t, r, s->html);
    return st;
}

/* The report of a program as JSON. */
static weft_status json_of(tool *t, const dryrun_settings *s, const weft_dry_how *how, const weft_ordered *order,
                           const char *path, json_t **out) {
    weft_dry_report r = { .order = *order };
    weft_dry_how of = *how;
    weft_module *m = NULL;
    tool_input_free(t);
    weft_status st = read_and_make(t, s, &of, path, &m, &r);
    *out = st == WEFT_OK ? dryrun_json(t, &r) : NULL;
    if (st == WEFT_OK && !*out) st = weft_oom();
    weft_dry_free(&r);
    weft_module_free(m);
    return st;
}

/* Two programs, or one and an older report. */
static weft_status compare(tool *t, const dryrun_settings *s, const weft_dry_how *how, const weft_ordered *order,
                           char *const *arguments, size_t count) {
    json_t *before = NULL, *now = NULL;
    weft_status st = s->diff ? dryrun_json_load(t, s->diff, &before) : WEFT_OK;
    if (st == WEFT_OK && count == 2) st = json_of(t, s, how, order, arguments[0], &before);
    if (st == WEFT_OK) st = json_of(t, s, how, order, arguments[count - 1], &now);
    if (st == WEFT_OK && s->json) st = dryrun_json_put(t, count == 2 ? json_pack("[O, O]", before,
                                                                                 now) : json_incref(now));
    if (st == WEFT_OK) st = dryrun_compare(t, before, s->diff ? s->diff : arguments[0], now, arguments[count - 1],
                                           &s->fail_on,
                                           s->json ? DRYRUN_JSON : DRYRUN_TEXT);
    json_decref(before);
    json_decref(now);
    return st;
}

static weft_status sweep(tool *t, const dryrun_settings *s, const weft_dry_how *how, const weft_ordered *order,
                         const char *path) {
    const dryrun_sweep what = { .text = s->sweep, .devices = s->changes.devices, .changes = s->changes, .how = *how,
                                .order = *order,
                                .form = s->json ? DRYRUN_JSON : s->csv ? DRYRUN_CSV : DRYRUN_TEXT };
    weft_module *m = NULL;
    weft_status st = read_resized(t, s, path, &m);
    if (st == WEFT_OK) st = dryrun_sweep_run(t, m, &what);
    weft_module_free(m);
    return st;
}

/* Options that have no meaning together. */
static weft_status check_settings(tool *t, const dryrun_settings *s, size_t count) {
    const bool compares = count == 2 || s->diff, finds = s->changes.automatic;
    const char *what = s->csv && strcmp(s->csv, "collectives") && strcmp(s->csv, "lines")
        ? "--csv is collectives or lines"
                       : s->diff && count == 2                   ? "--diff compares one program with a report"
                       : s->sweep && (compares || s->fail_on.n)  ? "--sweep is of one program alone"
                       : s->sweep && s->changes.mesh             ? "--sweep chooses the mesh, and --mesh does too"
                       : s->sweep && s->changes.tactics          ? "--sweep takes --strategy and no --tactics"
                       : s->changes.devices && !s->sweep && !finds       ? "--devices is for --sweep and --auto"
                       : finds && (s->sweep || s->changes.strategy || s->changes.tactics || s->changes.shard.n ||
                                   s->plan)
                       ? "--auto chooses the shardings: it takes no --sweep, --strategy, --tactics, --shard or --plan"
                       : s->changes.devices && s->changes.mesh   ? "--devices is for all meshes, and --mesh for one"
                       : (s->trace || s->html) && (s->sweep || compares) ? "--trace and --html are of one program alone"
                       : s->csv && (s->json || compares)         ? "--csv is of one program alone, in place of --json"
                                                                 : NULL;
    return what ? weft_report(t->cx, WEFT_D_usage, NULL, "%s", what) : WEFT_OK;
}

static tool_exit run(tool *t, const void *settings, char *const *arguments, size_t count) {
    const dryrun_settings *s = settings;
    weft_ordered order = tool_ordered(t, s->order, s->topology);
    order.costs = tool_costs(t, s->costs);
    const bool compares = count == 2 || s->diff || s->fail_on.n;
    weft_dry_how how = {
        .build = { .compile_flags = WEFT_COMPILE_PLAN_ONLY | (s->blocking ? WEFT_COMPILE_NO_OVERLAP : 0),
                   .obey_constraints = s->obey, .plan = s->plan, .assumed_trips = s->trips, .cpu = s->cpu },
        .overlap = s->blocking ? WEFT_OVERLAP_NOTHING : WEFT_OVERLAP_COLLECTIVES,
        .trips = s->trips, .advise = WEFT_ADVISE_ALWAYS, .explains = true,
        .rows = s->list || s->json || s->csv || s->html || compares ? WEFT_DRY_BY_PLACE : WEFT_DRY_BY_KIND
    };
    weft_status st = check_settings(t, s, count);
    if (st == WEFT_OK) st = tool_compiling_set(t, &s->compiling);
    if (st == WEFT_OK) st = read_attention(t, s->attention, &how.attention);
    if (st == WEFT_OK) st = read_remat(t, s->remat, &how.build.remat);
    if (st == WEFT_OK) st = tool_precision_read(t, s->precision, &how.build.precision);
    if (st == WEFT_OK) st = read_costs(t, &s->custom_calls, &how.build);
    if (st == WEFT_OK) st = tool_memory_read(t, s->memory, "80GB", &order.memory_bytes);
    order.threads = s->threads;
    if (st == WEFT_OK && s->threads > WEFT_THREADS_MOST)
        st = weft_report(t->cx, WEFT_D_usage, NULL, "--threads is %lld; a device has at most %d",
                         (long long)s->threads, WEFT_THREADS_MOST);
    if (st != WEFT_OK) return tool_exit_of(st);
    if (s->sweep) return tool_exit_of(sweep(t, s, &how, &order, arguments[0]));
    if (compares) return tool_exit_of(compare(t, s, &how, &order, arguments, count));
    weft_dry_report r = { .order = order };
    weft_module *m = NULL;
    st = read_and_make(t, s, &how, arguments[0], &m, &r);
    if (st == WEFT_OK) st = print_one(t, s, &r);
    weft_dry_free(&r);
    weft_module_free(m);
    return tool_exit_of(st);
}

const tool_command tool_cmd_dryrun = {
    .name = "dryrun",
    .arguments = "FILE|- [FILE]",
    .summary = "predict bytes, memory, arithmetic and time of a program",
    .description = dryrun_description,
    .examples = dryrun_examples,
    .options = options,
    .option_count = WEFT_COUNT(options),
    .settings_bytes = sizeof(dryrun_settings),
    .min_arguments = 1,
    .max_arguments = 2,
    .run = run,
};
