/* run_profile.c: the table of `weft run --profile`. */
#include "tool/run_profile.h"

#include <stdio.h>
#include "cost/machine.h"
#include "runtime/profile_lines.h"

enum { MOST_LINES = 20 };

/* "12.3G", or "-" for nothing. */
static void print_rate(double v) {
    static const char units[] = " kMGTP";
    int u = 0;
    for (; v >= 999.5 && units[u + 1]; u++) v /= 1000;
    if (v > 0) printf(" %6.3g%c", v, units[u]);
    else printf(" %7s", "-");
}

static void print_figures(const weft_profile_line *l, double step_s, bool has_machine) {
    printf("%10.4g ms  %5.1f %%  %6.4g", 1e3 * l->time_s, step_s > 0 ? 100 * l->time_s / step_s : 0, l->calls);
    print_rate(l->time_s > 0 ? l->flops / l->time_s : 0);
    print_rate(l->time_s > 0 ? l->bytes / l->time_s : 0);
    if (has_machine && l->least_s > 0 && l->time_s > 0) printf("  %5.0f %%", 100 * l->least_s / l->time_s);
    else if (has_machine) printf("  %7s", "-");
}

static void print_table(const weft_profile *p, int device, const weft_profile_line *v, size_t n,
                        const weft_profile_line *kinds, bool has_machine) {
    const double step_s = p->total_s / (double)p->executions;
    const char *bound = has_machine ? "  of rate" : "";
    double inside_s = 0, product_flops = 0, other_bytes = 0;
    for (int k = 0; k < WEFT_STEP_CLASSES; k++) inside_s += kinds[k].time_s;
    printf("profile of device %d: %lld step%s of %.4g ms, of which %.4g ms (%.1f %%) are between the kernels\n\n",
           device, (long long)p->executions, p->executions == 1 ? "" : "s", 1e3 * step_s, 1e3 * (step_s - inside_s),
           step_s > 0 ? 100 * (step_s - inside_s) / step_s : 0);
    printf("%-16s%13s  %7s  %6s %7s %7s%s\n", "", "time", "share", "calls", "flop/s", "bytes/s", bound);
    for (int k = 0; k < WEFT_STEP_CLASSES; k++) {
        if (!(kinds[k].calls > 0)) continue;
        printf("%-16s", weft_step_class_name((weft_step_class)k));
        print_figures(&kinds[k], step_s, has_machine);
        putchar('\n');
        product_flops += kinds[k].product_flops;
        other_bytes += kinds[k].bytes - kinds[k].product_bytes;
    }
    printf("\nproducts of libraries, in loops too: %.10g flop in a step; all else: %.10g bytes\n", product_flops,
           other_bytes);
    printf("\n%13s  %7s  %6s %7s %7s%s\n", "time", "share", "calls", "flop/s", "bytes/s", bound);
    for (size_t i = 0; i < n && i < MOST_LINES; i++) {
        print_figures(&v[i], step_s, has_machine);
        printf("  %s%.*s  %s\n", v[i].kind == WEFT_CLASS_WAIT ? "wait for " : "", WEFT_STR_ARG(v[i].name), v[i].place);
    }
    double rest_s = 0;
    for (size_t i = MOST_LINES; i < n; i++) rest_s += v[i].time_s;
    if (n > MOST_LINES)
        printf("%10.4g ms  %5.1f %%  in %zu others\n", 1e3 * rest_s, 100 * rest_s / step_s, n - MOST_LINES);
}

static double least_time(const void *user, weft_dtype dtype, double flops, int64_t bytes) {
    const run_rates *r = user;
    return r->machine ? weft_machine_kernel_time_s(r->machine, flops, bytes)
                      : weft_tune_least_s(r->measured, r->cores, dtype, flops, (double)bytes);
}

weft_status run_profile_print(tool *t, const weft_executable *x, const weft_profile *p, int device,
                              const run_rates *rates) {
    weft_profile_line kinds[WEFT_STEP_CLASSES], *v;
    size_t n;
    if (!p->executions) return WEFT_OK;
    const bool has_rates = rates->machine || rates->measured;
    const weft_status st = weft_profile_lines(&t->cx->arena, x, p, has_rates ? least_time : NULL, rates, &v, &n,
                                              kinds);
    if (st == WEFT_OK) print_table(p, device, v, n, kinds, has_rates);
    return st;
}
