/* run_profile.c: the table of `weft run --profile`. */
#include "tool/run_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cost/machine.h"
#include "tool/json_text.h"

enum { MOST_LINES = 20 };

/* Steps of one kind, name and place of the program, in an average execution. */
typedef struct line {
    run_kind kind;
    weft_str name;             /* the label without its number */
    const char *place;
    double time_s, calls, flops, bytes, least_s;
} line;

static run_kind kind_of(const weft_step *s) {
    if (s->kind == WEFT_STEP_DONE) return RUN_WAIT;
    if (s->kind == WEFT_STEP_COLLECTIVE || s->kind == WEFT_STEP_START) return RUN_COLLECTIVE;
    if (!s->code.kernel) return RUN_CODE;
    return !strcmp(s->code.kernel, "product") || !strcmp(s->code.kernel, "convolution") ? RUN_PRODUCT : RUN_LIBRARY;
}

/* "fusion" of "fusion.12" */
static weft_str name_of(const char *label) {
    size_t n = strlen(label), end = n;
    while (end && label[end - 1] >= '0' && label[end - 1] <= '9') end--;
    return (weft_str){ label, end && end < n && label[end - 1] == '.' ? end - 1 : n };
}

static double bytes_of(const weft_plan *plan, const weft_plan_step *s, run_kind kind) {
    if (kind == RUN_COLLECTIVE) return (double)plan->collectives[s->collective].wire_bytes;
    return (double)s->read_bytes + (double)s->write_bytes;
}

static void add(line *to, double executions, const weft_step_time *time, double flops, double bytes, double least_s) {
    const double calls = (double)time->calls / executions;
    to->time_s += time->total_s / executions;
    to->calls += calls;
    to->flops += calls * flops;
    to->bytes += calls * bytes;
    to->least_s += calls * least_s;
}

static line *find(line *v, size_t *n, const line *like) {
    for (size_t i = 0; i < *n; i++)
        if (v[i].kind == like->kind && weft_str_equal(v[i].name, like->name) && !strcmp(v[i].place, like->place))
            return &v[i];
    v[*n] = *like;
    return &v[(*n)++];
}

static int by_time(const void *a, const void *b) {
    const line *x = a, *y = b;
    return (x->time_s < y->time_s) - (x->time_s > y->time_s);
}

/* Lines by name and place, the slowest first, and sums by kind. */
static weft_status collect(tool *t, const weft_executable *x, const weft_profile *p, const weft_machine *machine,
                           line *v, size_t *n, line *kinds) {
    *n = 0;
    for (uint32_t i = 0; i < x->step_count; i++) {
        const weft_step *s = &x->steps[i];
        const weft_plan_step *plan = &x->plan.steps[i];
        if (!p->steps[i].calls || s->kind == WEFT_STEP_WHILE || s->kind == WEFT_STEP_CASE) continue;
        line like = { .kind = kind_of(s), .name = name_of(s->label ? s->label : "") };
        like.place = tool_place_text(t->cx, s->loc);
        if (!like.place) return weft_oom();
        const bool is_code = like.kind < RUN_COLLECTIVE;
        const double flops = is_code ? plan->flops : 0;
        const double bytes = like.kind == RUN_WAIT ? 0 : bytes_of(&x->plan, plan, like.kind);
        const double least_s = is_code && machine ? weft_machine_kernel_time_s(machine, flops, (int64_t)bytes) : 0;
        add(find(v, n, &like), (double)p->executions, &p->steps[i], flops, bytes, least_s);
        add(&kinds[like.kind], (double)p->executions, &p->steps[i], flops, bytes, least_s);
    }
    if (*n) qsort(v, *n, sizeof *v, by_time);
    return WEFT_OK;
}

/* "12.3G", or "-" for nothing. */
static void print_rate(double v) {
    static const char units[] = " kMGTP";
    int u = 0;
    for (; v >= 999.5 && units[u + 1]; u++) v /= 1000;
    if (v > 0) printf(" %6.3g%c", v, units[u]);
    else printf(" %7s", "-");
}

static void print_figures(const line *l, double step_s, bool has_machine) {
    printf("%10.4g ms  %5.1f %%  %6.4g", 1e3 * l->time_s, step_s > 0 ? 100 * l->time_s / step_s : 0, l->calls);
    print_rate(l->time_s > 0 ? l->flops / l->time_s : 0);
    print_rate(l->time_s > 0 ? l->bytes / l->time_s : 0);
    if (has_machine && l->least_s > 0 && l->time_s > 0) printf("  %5.0f %%", 100 * l->least_s / l->time_s);
    else if (has_machine) printf("  %7s", "-");
}

static void print_table(const weft_profile *p, int device, const line *v, size_t n, const line *kinds,
                        bool has_machine) {
    static const char *const names[] = { "products", "library calls", "generated code", "collectives", "waits" };
    const double step_s = p->total_s / (double)p->executions;
    const char *bound = has_machine ? "  of rate" : "";
    double inside_s = 0;
    for (int k = 0; k < RUN_KINDS; k++) inside_s += kinds[k].time_s;
    printf("profile of device %d: %lld step%s of %.4g ms, of which %.4g ms (%.1f %%) are between the kernels\n\n", device,
           (long long)p->executions, p->executions == 1 ? "" : "s", 1e3 * step_s, 1e3 * (step_s - inside_s),
           step_s > 0 ? 100 * (step_s - inside_s) / step_s : 0);
    printf("%-16s%13s  %7s  %6s %7s %7s%s\n", "", "time", "share", "calls", "flop/s", "bytes/s", bound);
    for (int k = 0; k < RUN_KINDS; k++) {
        if (!(kinds[k].calls > 0)) continue;
        printf("%-16s", names[k]);
        print_figures(&kinds[k], step_s, has_machine);
        putchar('\n');
    }
    printf("\n%13s  %7s  %6s %7s %7s%s\n", "time", "share", "calls", "flop/s", "bytes/s", bound);
    for (size_t i = 0; i < n && i < MOST_LINES; i++) {
        print_figures(&v[i], step_s, has_machine);
        printf("  %s%.*s  %s\n", v[i].kind == RUN_WAIT ? "wait for " : "", WEFT_STR_ARG(v[i].name), v[i].place);
    }
    double rest_s = 0;
    for (size_t i = MOST_LINES; i < n; i++) rest_s += v[i].time_s;
    if (n > MOST_LINES)
        printf("%10.4g ms  %5.1f %%  in %zu others\n", 1e3 * rest_s, 100 * rest_s / step_s, n - MOST_LINES);
}

weft_status run_profile_print(tool *t, const weft_executable *x, const weft_profile *p, int device,
                              const weft_machine *machine) {
    line kinds[RUN_KINDS] = { { 0 } }, *v = weft_arena_array(&t->cx->arena, line, x->step_count + 1u);
    size_t n;
    if (!v) return weft_oom();
    if (!p->executions) return WEFT_OK;
    const weft_status st = collect(t, x, p, machine, v, &n, kinds);
    if (st == WEFT_OK) print_table(p, device, v, n, kinds, machine != NULL);
    return st;
}
