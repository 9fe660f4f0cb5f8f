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
    const char *mesh, *topology, *order;
    bool json, list, blocking;
    tool_list custom_calls;
    tool_compiling compiling;
} dryrun_settings;

static const tool_option options[] = {
    { "mesh", "AXIS=SIZE,...", TOOL_TEXT, offsetof(dryrun_settings, mesh), "sizes of mesh axes to use instead of the program's" },
    { "topology", "FILE|NAME[:N]", TOOL_TEXT, offsetof(dryrun_settings, topology), "the machine to estimate for, of N nodes; see above" },
    { "machine", "FILE|NAME[:N]", TOOL_TEXT, offsetof(dryrun_settings, topology), "the same" },
    { "order", "AXES|auto", TOOL_TEXT, offsetof(dryrun_settings, order), "devices in the order of these axes, the slowest first; auto: the cheapest" },
    { "json", NULL, TOOL_FLAG, offsetof(dryrun_settings, json), "print JSON" },
    { "list", NULL, TOOL_FLAG, offsetof(dryrun_settings, list), "print every collective, not sums by kind and axes" },
    { "custom-call", "TARGET=COST", TOOL_LIST, offsetof(dryrun_settings, custom_calls), "what a custom call without code costs; see above" },
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
    tool_order order;
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
        x->count = weft_add_times_i64(x->count, count, 1);
        x->bytes = weft_add_times_i64(x->bytes, count, c->bytes);
        x->wire_bytes = weft_add_times_i64(x->wire_bytes, count, c->wire_bytes);
        return WEFT_OK;
    }
    r->rows[r->row_count++] = (row){ c->kind, c->axes, place, count, weft_add_times_i64(0, count, c->bytes), weft_add_times_i64(0, count, c->wire_bytes) };
    return WEFT_OK;
}

/* Where each collective's groups lie, and what that costs. */
static weft_status estimate(weft_context *cx, const weft_program *p, report *r, weft_estimate_call *calls) {
    const weft_plan *plan = &p->exec->plan;
    weft_reach *reaches = weft_arena_array(&cx->arena, weft_reach, plan->collective_count);
    int64_t *counts = weft_arena_array(&cx->arena, int64_t, plan->collective_count);
    weft_estimate_case *cases = weft_arena_array(&cx->arena, weft_estimate_case, plan->case_count);
    weft_loads loads;
    if (!reaches || !counts || !cases) return weft_oom();
    for (uint32_t i = 0; i < plan->collective_count; i++) counts[i] = 1;
    weft_status st = weft_program_loads(cx, &cx->arena, p, counts, &loads);
    if (st == WEFT_OK) st = weft_load_reaches(cx, &r->order.machine, &loads, NULL, reaches);
    if (st == WEFT_OK) weft_simulate(plan, &r->order.machine, reaches, calls, cases, &r->estimate);
    return st;
}

static weft_status fill(weft_context *cx, const weft_program *p, bool by_place, report *r) {
    const weft_plan *plan = &p->exec->plan;
    weft_estimate_call *calls = weft_arena_array(&cx->arena, weft_estimate_call, plan->collective_count);
    r->plan = plan;
    r->devices = p->device_count;
    r->rows = weft_arena_array(&cx->arena, row, plan->collective_count);
    if (!calls || !r->rows) return weft_oom();
    weft_status st = estimate(cx, p, r, calls);
    for (uint32_t i = 0; st == WEFT_OK && i < plan->collective_count; i++)
        if (calls[i].count) st = add_row(cx, r, &plan->collectives[i], calls[i].count, by_place);
    return st;
}

/* JSON is UTF-8, and what names axes and files need not be. */
static json_t *text_json(weft_str s) {
    char *text = malloc(s.n + 1);
    json_t *o = text ? json_stringn(text, weft_utf8_copy(text, s.n + 1, s)) : NULL;
    free(text);
    return o;
}

/* "nvlink 450GB/s 2us" */
static json_t *reach_json(tool *t, const weft_machine *m, const weft_reach *reach) {
    weft_buf b;
    weft_buf_init(&b, &t->cx->alloc);
    tool_reach_print(&b, m, reach);
    json_t *text = b.failed ? NULL : text_json((weft_str){ b.p, b.n });
    weft_buf_free(&b);
    return text;
}

/* What each axis sends over which link, in each of the orders. */
static json_t *traffic_json(tool *t, const tool_order *o) {
    static const struct { const char *link, *time; } keys[WEFT_ORDER_COUNT] = {
        [WEFT_ORDER_CONTIGUOUS] = { "contiguous_link", "contiguous_time_s" },
        [WEFT_ORDER_ASKED] = { "asked_link", "asked_time_s" },
        [WEFT_ORDER_BEST] = { "cheapest_link", "cheapest_time_s" },
    };
    json_t *list = json_array();
    bool failed = !list;
    for (uint32_t i = 0; !failed && i < o->advice.traffic_count; i++) {
        const weft_axes_traffic *a = &o->advice.traffic[i];
        json_t *one = json_pack("{s:o, s:f}", "axes", text_json(a->axes), "wire_bytes", a->wire_bytes);
        for (int k = 0; one && k < WEFT_ORDER_COUNT; k++) {
            if (!o->advice.text[k]) continue;
            failed |= json_object_set_new(one, keys[k].link, reach_json(t, &o->machine, &a->reach[k])) != 0;
            failed |= json_object_set_new(one, keys[k].time, json_real(a->time_s[k])) != 0;
        }
        failed |= json_array_append_new(list, one) != 0;
    }
    if (failed) json_decref(list);
    return failed ? NULL : list;
}

static json_t *rows_json(const report *r) {
    json_t *list = json_array();
    bool failed = !list;
    for (size_t i = 0; !failed && i < r->row_count; i++) {
        const row *x = &r->rows[i];
        failed = json_array_append_new(list, json_pack("{s:s, s:o, s:I, s:I, s:I, s:o}", "kind", weft_coll_kind_name(x->kind), "axes", text_json(x->axes), "count",
                                                       (json_int_t)x->count, "bytes", (json_int_t)x->bytes, "wire_bytes", (json_int_t)x->wire_bytes, "location",
                                                       text_json(weft_str_from(x->place)))) != 0;
    }
    if (failed) json_decref(list);
    return failed ? NULL : list;
}

/* Of what may be absent. */
static weft_status add_text(json_t *to, const char *key, const char *text) {
    return !text || json_object_set_new(to, key, text_json(weft_str_from(text))) == 0 ? WEFT_OK : WEFT_ERR_MEMORY;
}

static weft_status print_json(tool *t, const report *r) {
    const char *order = r->order.chosen ? r->order.chosen : r->order.advice.text[WEFT_ORDER_CONTIGUOUS];
    json_t *top = json_pack("{s:I, s:I, s:f, s:f, s:f, s:f, s:I, s:s}", "wire_bytes", (json_int_t)r->estimate.wire_bytes, "peak_memory_bytes",
                            (json_int_t)weft_plan_peak_bytes(r->plan), "flops", r->estimate.flops, "step_time_s", r->estimate.step_s, "collective_time_s",
                            r->estimate.collective_s, "hidden_time_s", r->estimate.hidden_s, "devices", (json_int_t)r->devices, "machine", r->order.machine.name);
    const weft_estimate *e = &r->estimate;
    bool whole = top && json_object_update_new(top, json_pack("{s:I, s:f, s:I, s:I}", "least_wire_bytes", (json_int_t)e->least_wire_bytes,
                                                              "least_step_time_s", e->least_step_s, "collective_calls", (json_int_t)e->calls,
                                                              "least_collective_calls", (json_int_t)e->least_calls)) == 0;
    whole = whole && add_text(top, "device_order", order) == WEFT_OK && add_text(top, "cheapest_order", r->order.advice.text[WEFT_ORDER_BEST]) == WEFT_OK;
    whole = whole && json_object_set_new(top, "order_traffic", traffic_json(t, &r->order)) == 0 && json_object_set_new(top, "collectives", rows_json(r)) == 0;
    char *text = whole ? json_dumps(top, JSON_INDENT(1)) : NULL;
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

/* What depends on which branches run. */
static void print_range(const weft_estimate *e) {
    if (e->least_wire_bytes == e->wire_bytes && e->least_calls == e->calls && e->least_step_s == e->step_s) return;
    printf("\nwhich branches run is not known: the figures are those of the dearest; others give\n");
    printf("  %-24s %16lld to %lld B\n", "bytes on the wire", (long long)e->least_wire_bytes, (long long)e->wire_bytes);
    printf("  %-24s %16lld to %lld calls\n", "collectives", (long long)e->least_calls, (long long)e->calls);
    printf("  %-24s %16.4g to %.4g ms\n", "estimated step time", 1e3 * e->least_step_s, 1e3 * e->step_s);
}

static void print_table(tool *t, const report *r) {
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
           1e3 * r->estimate.compute_s, 1e3 * r->estimate.collective_s, 1e3 * r->estimate.hidden_s, r->order.machine.name);
    tool_order_print(t, &r->order);
    if (r->order.machine.rates == WEFT_RATES_DEFAULT) printf("machine '%s' does not say how fast a device computes: that is %s's\n", r->order.machine.name, weft_machine_default.name);
    print_range(&r->estimate);
    if (r->estimate.unknown_loops) printf("%lld loops have an unknown trip count and were counted once\n", (long long)r->estimate.unknown_loops);
}

static weft_status read_costs(tool *t, const tool_list *texts, weft_build_options *build) {
    weft_custom_cost *v = weft_arena_array(&t->cx->arena, weft_custom_cost, texts->n);
    weft_status st = v ? WEFT_OK : weft_oom();
    for (size_t i = 0; i < texts->n && st == WEFT_OK; i++) st = weft_custom_cost_read(t->cx, texts->v[i], &v[i]);
    build->custom_costs = v;
    build->custom_cost_count = texts->n;
    return st;
}

static tool_exit run(tool *t, const void *settings, char *const *arguments, size_t count) {
    const dryrun_settings *s = settings;
    report r = { .order = { .order = s->order, .topology = s->topology } };
    weft_build_options build = { .compile_flags = WEFT_COMPILE_PLAN_ONLY | (s->blocking ? WEFT_COMPILE_NO_OVERLAP : 0), .mesh = s->mesh };
    weft_module *m = NULL;
    weft_program *p = NULL;
    (void)count;
    weft_status st = tool_compiling_set(t, &s->compiling);
    if (st == WEFT_OK) st = read_costs(t, &s->custom_calls, &build);
    if (st == WEFT_OK) st = tool_module_read(t, arguments[0], &m);
    if (st == WEFT_OK) st = tool_program_build(t, m, &build, TOOL_ADVISE_ALWAYS, &r.order, &p);
    if (st == WEFT_OK) st = fill(t->cx, p, s->list || s->json, &r);
    if (st == WEFT_OK && s->json) st = print_json(t, &r);
    else if (st == WEFT_OK) print_table(t, &r);
    weft_program_free(p);
    weft_module_free(m);
    return tool_exit_of(st);
}

const tool_command tool_cmd_dryrun = {
    .name = "dryrun",
    .arguments = "FILE|-",
    .summary = "predict bytes, memory, arithmetic and time of a program",
    .description = "Partitions and schedules the program as for a run, without making code, running it or allocating its data, and prints\n"
                   "its collectives, the bytes that a device sends, the most memory it holds, its arithmetic and an estimate of the\n"
                   "time of one step. Bytes and memory are exactly those of a run. Two things are known to a run only. Where a program\n"
                   "has branches (stablehlo.case, if) whose index is no constant, the figures are those of the dearest branch (time of\n"
                   "the slowest, bytes and collectives of the one that sends most), and the range down to the cheapest is printed. A\n"
                   "loop whose trip count is not a constant is counted once, and the report says so. In JSON, each of `collectives` is\n"
                   "one place of the program with its sums over a step: kind, axes, count, bytes (of the full tensors), wire_bytes,\n"
                   "location; least_wire_bytes, least_collective_calls and least_step_time_s are the cheapest branches' figures.\n\n"
                   "A machine is a name that `weft topo --list` prints, with N for its nodes or the sizes of its torus, a file that describes\n"
                   "one, or the description itself, like 'nodes 64 { gpu 8 nvlink 450GB/s 2us } fabric 50GB/s 5us' (docs/topology.md).\n\n"
                   "Custom calls that Weft has no code for (Pallas, Triton, cuDNN) move the bytes of their operands and results and have no\n"
                   "arithmetic, unless --custom-call says what one call on one device costs: 'TARGET=flops:SUM,bytes:SUM', where a SUM is\n"
                   "products of numbers and of sizes on the device joined by +: iK.D is dimension D of operand K, oK.D that of result K.\n"
                   "--rule says how such calls are sharded.\n\n"
                   "Device i of the machine is place i of the mesh, unless --order lists the mesh's axes, or parts of them (\"data\":(1)2 is\n"
                   "the slower half), from the slowest to the fastest digit of the device number. The order is printed with what each axis\n"
                   "sends over which link, and a cheaper one where there is one; --order auto takes it.",
    .examples = "weft dryrun gpt.mlir\n"
                "weft dryrun --mesh data=64,model=8 gpt.mlir        # on 512 devices that are not here\n"
                "weft dryrun --json --topology dgx-h100 gpt.mlir\n"
                "weft dryrun --custom-call 'tpu_custom_call=flops:4*i0.0*i0.1*i0.2*i1.2*i0.3' flash.mlir    # products of queries, keys, values\n"
                "weft dryrun --topology tpu-v4:4x4x8 --mesh data=16,model=8 --order auto gpt.mlir",
    .options = options,
    .option_count = WEFT_COUNT(options),
    .settings_bytes = sizeof(dryrun_settings),
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
