/* cmd_dryrun: `weft dryrun`: what a program would send, hold, compute and take, without running it.
 *
 * The program is partitioned and scheduled as for a run, but no code is made and none of its data is allocated. Bytes and
 * memory are those that a run counts; the time is an estimate for the machine named.
 */
#include <jansson.h>
#include <stdlib.h>
#include "cost/simulate.h"
#include "tool/program.h"

typedef struct dryrun_settings {
    const char *mesh, *machine;
    bool json, list, blocking;
    tool_compiling compiling;
} dryrun_settings;

static const tool_option options[] = {
    { "mesh", "AXIS=SIZE,...", TOOL_TEXT, offsetof(dryrun_settings, mesh), "sizes of mesh axes to use instead of the program's" },
    { "machine", "NAME", TOOL_TEXT, offsetof(dryrun_settings, machine), "the machine to estimate for" },
    { "json", NULL, TOOL_FLAG, offsetof(dryrun_settings, json), "print JSON" },
    { "list", NULL, TOOL_FLAG, offsetof(dryrun_settings, list), "print every collective, not sums by kind and axes" },
    { "no-overlap", NULL, TOOL_FLAG, offsetof(dryrun_settings, blocking), "finish each collective before the next step" },
    TOOL_COMPILING_OPTIONS(dryrun_settings, compiling),
};

/* Collectives that are alike in kind, axes and (in a list or JSON) place, added up over their runs. */
typedef struct row {
    weft_coll_kind_plan kind;
    weft_str axes;
    char *place;
    int64_t count, bytes, wire_bytes;
} row;

typedef struct report {
    const weft_plan *plan;
    const weft_machine *machine;
    weft_estimate estimate;
    int64_t devices;
    row *rows;
    size_t row_count;
} report;

static char *place_of(weft_context *cx, const weft_loc *loc) {
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    weft_loc_print(&b, loc ? loc : &weft_loc_unknown);
    char *text = weft_arena_strdup(&cx->arena, b.p ? b.p : "", b.n);
    weft_buf_free(&b);
    return text;
}

static weft_status add_row(weft_context *cx, report *r, const weft_plan_collective *c, int64_t count, bool by_place) {
    char *place = by_place ? place_of(cx, c->loc) : "";
    if (!place) return weft_oom();
    for (size_t i = 0; i < r->row_count; i++) {
        row *x = &r->rows[i];
        if (x->kind != c->kind || !weft_str_equal(x->axes, c->axes) || strcmp(x->place, place)) continue;
        x->count += count;
        x->bytes += count * c->bytes;
        x->wire_bytes += count * c->wire_bytes;
        return WEFT_OK;
    }
    r->rows[r->row_count++] = (row){ c->kind, c->axes, place, count, count * c->bytes, count * c->wire_bytes };
    return WEFT_OK;
}

static weft_status fill(weft_context *cx, const weft_program *p, bool by_place, report *r) {
    const weft_plan *plan = &p->exec->plan;
    weft_estimate_call *calls = weft_arena_array(&cx->arena, weft_estimate_call, plan->collective_count);
    r->plan = plan;
    r->devices = p->device_count;
    r->rows = weft_arena_array(&cx->arena, row, plan->collective_count);
    if (!calls || !r->rows) return weft_oom();
    weft_simulate(plan, r->machine, calls, &r->estimate);
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < plan->collective_count; i++)
        if (calls[i].count) st = add_row(cx, r, &plan->collectives[i], calls[i].count, by_place);
    return st;
}

static weft_status print_json(tool *t, const report *r) {
    json_t *list = json_array();
    for (size_t i = 0; i < r->row_count; i++) {
        const row *x = &r->rows[i];
        json_array_append_new(list, json_pack("{s:s, s:s%, s:I, s:I, s:I, s:s}", "kind", weft_coll_kind_name(x->kind), "axes", x->axes.p, x->axes.n, "count",
                                              (json_int_t)x->count, "bytes", (json_int_t)x->bytes, "wire_bytes", (json_int_t)x->wire_bytes, "location", x->place));
    }
    json_t *top = json_pack("{s:I, s:I, s:f, s:f, s:f, s:I, s:s, s:o}", "wire_bytes", (json_int_t)r->estimate.wire_bytes, "peak_memory_bytes",
                            (json_int_t)weft_plan_peak_bytes(r->plan), "flops", r->estimate.flops, "step_time_s", r->estimate.step_s, "hidden_time_s", r->estimate.hidden_s, "devices",
                            (json_int_t)r->devices, "machine", r->machine->name, "collectives", list);
    char *text = top ? json_dumps(top, JSON_INDENT(1)) : NULL;
    json_decref(top);
    if (!text) return weft_report(t->cx, WEFT_D_system, NULL, "there is not enough memory");
    puts(text);
    free(text);
    return WEFT_OK;
}

static void print_bytes(const char *what, int64_t bytes) {
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
    double v = (double)bytes;
    size_t u = 0;
    for (; v >= 1024 && u + 1 < WEFT_COUNT(units); u++) v /= 1024;
    printf("%-26s %16lld B  (%.*f %s)\n", what, (long long)bytes, u ? 2 : 0, v, units[u]);
}

static void print_table(const report *r) {
    const weft_plan *p = r->plan;
    printf("%lld devices; all figures are for one device and one step\n\n", (long long)r->devices);
    if (r->row_count) printf("%-20s %-24s %8s %16s %16s\n", "collective", "axes", "count", "bytes", "bytes on wire");
    for (size_t i = 0; i < r->row_count; i++) {
        const row *x = &r->rows[i];
        printf("%-20s %-24.*s %8lld %16lld %16lld%s%s\n", weft_coll_kind_name(x->kind), WEFT_STR_ARG(x->axes), (long long)x->count, (long long)x->bytes,
               (long long)x->wire_bytes, *x->place ? "  " : "", x->place);
    }
    if (r->row_count) putchar('\n');
    print_bytes("bytes on the wire", r->estimate.wire_bytes);
    print_bytes("peak memory", weft_plan_peak_bytes(p));
    print_bytes("  arguments", p->argument_bytes);
    print_bytes("  results", p->result_bytes);
    print_bytes("  shared by both", p->alias_bytes);
    print_bytes("  temporaries", p->temp_bytes);
    print_bytes("  constants", p->constant_bytes);
    printf("%-26s %16.4g flop\n", "arithmetic", r->estimate.flops);
    printf("%-26s %16.4g ms    (%.4g ms computing, %.4g ms in collectives, %.4g ms of both at once, on %s)\n", "estimated step time", 1e3 * r->estimate.step_s,
           1e3 * r->estimate.compute_s, 1e3 * r->estimate.collective_s, 1e3 * r->estimate.hidden_s, r->machine->name);
    if (r->estimate.unknown_loops) printf("%lld loops have an unknown trip count and were counted once\n", (long long)r->estimate.unknown_loops);
}

static tool_exit run(tool *t, const void *settings, char *const *arguments, size_t count) {
    const dryrun_settings *s = settings;
    report r = { .machine = s->machine ? weft_machine_find(weft_str_from(s->machine)) : weft_machine_at(0) };
    weft_build_options build = { .compile_flags = WEFT_COMPILE_PLAN_ONLY | (s->blocking ? WEFT_COMPILE_NO_OVERLAP : 0), .mesh = s->mesh, .machine = r.machine };
    weft_module *m = NULL;
    weft_program *p = NULL;
    (void)count;
    if (!r.machine) return tool_usage(t, "there is no machine '%s'", s->machine);
    weft_status st = tool_compiling_set(t, &s->compiling);
    if (st == WEFT_OK) st = tool_module_read(t, arguments[0], &m);
    if (st == WEFT_OK) st = weft_program_build(t->cx, m, &build, &p);
    if (st == WEFT_OK) st = fill(t->cx, p, s->list || s->json, &r);
    if (st == WEFT_OK && s->json) st = print_json(t, &r);
    else if (st == WEFT_OK) print_table(&r);
    weft_program_free(p);
    weft_module_free(m);
    return tool_exit_of(st);
}

static void list_machines(FILE *out) {
    fprintf(out, "\nMachines (the first is the default):\n");
    for (size_t i = 0; weft_machine_at(i); i++) fprintf(out, "  %-16s %s\n", weft_machine_at(i)->name, weft_machine_at(i)->about);
}

const tool_command tool_cmd_dryrun = {
    .name = "dryrun",
    .arguments = "FILE|-",
    .summary = "predict bytes, memory, arithmetic and time of a program",
    .description = "Partitions and schedules the program as for a run, without making code, running it or allocating its data, and prints\n"
                   "its collectives, the bytes that a device sends, the most memory it holds, its arithmetic and an estimate of the\n"
                   "time of one step. Bytes and memory are exactly those of a run. In JSON, each of `collectives` is one place of the\n"
                   "program with its sums over a step: kind, axes, count, bytes (of the full tensors), wire_bytes, location.",
    .examples = "weft dryrun gpt.mlir\n"
                "weft dryrun --mesh data=64,model=8 gpt.mlir        # on 512 devices that are not here\n"
                "weft dryrun --json --machine dgx-h100 gpt.mlir",
    .options = options,
    .option_count = WEFT_COUNT(options),
    .settings_bytes = sizeof(dryrun_settings),
    .more_help = list_machines,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
