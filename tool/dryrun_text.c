/* dryrun_text.c: the dry run's report for a terminal. */
#include "tool/dryrun.h"

static void print_bytes(tool *t, const char *what, int64_t bytes) {
    weft_buf b;
    weft_buf_init(&b, &t->cx->alloc);
    weft_buf_bytes(&b, (double)bytes);
    printf("%-26s %16lld B  (%s)\n", what, (long long)bytes, b.failed ? "" : b.p);
    weft_buf_free(&b);
}

/* Whether a device's memory is enough, and by how much. */
static void print_verdict(tool *t, const weft_dry_report *r) {
    const weft_machine *m = &r->order.machine;
    const double margin = weft_dry_margin(r);
    weft_buf b;
    if (m->memory_bytes <= 0) return;
    weft_buf_init(&b, &t->cx->alloc);
    weft_buf_printf(&b, "%-26s %16.0f B  (", margin < 0 ? "memory missing" : "memory left",
                    margin < 0 ? -margin : margin);
    weft_buf_bytes(&b, margin < 0 ? -margin : margin);
    weft_buf_printf(&b, "; %s on a device of %s, which has ", margin < 0 ? "does not fit" : "fits", m->name);
    weft_buf_bytes(&b, m->memory_bytes);
    if (!b.failed) printf("%s)\n", b.p);
    weft_buf_free(&b);
}

/* The figures that depend on the branches. */
static void print_range(const weft_estimate *e) {
    if (e->least_wire_bytes == e->wire_bytes && e->least_calls == e->calls && e->least_step_s == e->step_s) return;
    printf("\nwhich branches run, or how many rows are sent, is not known: the figures are those of the most expensive run; others "
           "give\n");
    printf("  %-24s %16lld to %lld B\n", "bytes on the wire", (long long)e->least_wire_bytes, (long long)e->wire_bytes);
    printf("  %-24s %16lld to %lld calls\n", "collectives", (long long)e->least_calls, (long long)e->calls);
    printf("  %-24s %16.4g to %.4g ms\n", "estimated step time", 1e3 * e->least_step_s, 1e3 * e->step_s);
}

/* The cost of obeying constraints. */
static void print_other(const weft_dry_report *r) {
    const weft_dry_other *o = r->other;
    printf("\nsharding constraints are obeyed; a plan without them has\n");
    printf("  %-24s %16lld B  instead of %lld\n", "bytes on the wire", (long long)o->estimate.wire_bytes,
           (long long)r->estimate.wire_bytes);
    printf("  %-24s %16lld B  instead of %lld\n", "peak memory", (long long)o->peak_bytes,
           (long long)weft_plan_peak_bytes(r->plan));
    printf("  %-24s %16.4g flop  instead of %.4g\n", "arithmetic", o->estimate.flops, r->estimate.flops);
    printf("  %-24s %16.4g ms  instead of %.4g\n", "estimated step time", 1e3 * o->estimate.step_s,
           1e3 * r->estimate.step_s);
}

void dryrun_print_text(tool *t, const weft_dry_report *r) {
    const weft_plan *p = r->plan;
    printf("%lld devices; all figures are for one device and one step\n\n", (long long)r->devices);
    dryrun_print_auto(t, r);
    dryrun_print_stages(t, r);
    if (r->row_count) printf("%-20s %-24s %8s %16s %16s\n", "collective", "axes", "count", "bytes", "bytes on wire");
    for (size_t i = 0; i < r->row_count; i++) {
        const weft_dry_row *x = &r->rows[i];
        printf("%-20s %-24.*s %8lld %16lld %16lld%s%s%s\n", weft_coll_kind_name(x->kind), WEFT_STR_ARG(x->axes),
               (long long)x->count, (long long)x->bytes, (long long)x->wire_bytes, x->at_most ? "  at most" : "",
               *x->place ? "  " : "", x->place);
    }
    if (r->row_count) putchar('\n');
    print_bytes(t, "bytes on the wire", r->estimate.wire_bytes);
    print_bytes(t, "peak memory", weft_plan_peak_bytes(p));
    print_bytes(t, "  arguments", p->argument_bytes);
    print_bytes(t, "  results", p->result_bytes);
    print_bytes(t, "  shared by both", p->alias_bytes);
    print_bytes(t, "  temporaries", p->temp_bytes);
    print_bytes(t, "  constants", p->constant_bytes);
    print_verdict(t, r);
    dryrun_print_explained(t, r);
    printf("%-26s %16.4g flop\n", "arithmetic", r->estimate.flops);
    printf("%-26s %16.4g ms    (%.4g ms computing, %.4g ms in collectives, %.4g ms of both at once, on %s)\n",
           "estimated step time", 1e3 * r->estimate.step_s, 1e3 * r->estimate.compute_s, 1e3 * r->estimate.collective_s,
           1e3 * r->estimate.hidden_s, r->order.machine.name);
    if (r->is_vendor) dryrun_print_vendor(t, r);
    tool_order_print(t, &r->order);
    if (r->order.machine.rates == WEFT_RATES_DEFAULT)
        printf("machine '%s' has no arithmetic rate for a device: %s's is used\n", r->order.machine.name,
               weft_machine_default.name);
    print_range(&r->estimate);
    if (r->other) print_other(r);
    if (r->estimate.unknown_loops)
        printf("%lld loop%s an unknown trip count and %s counted as %lld\n", (long long)r->estimate.unknown_loops,
               r->estimate.unknown_loops == 1 ? " has" : "s have", r->estimate.unknown_loops == 1 ? "is" : "are",
               (long long)p->assumed_trips);
}
