/* dryrun_explain.c: what a device's memory is for, and the smallest change that makes a program fit, as text. */
#include "tool/dryrun.h"

/* What replication costs. */
static void print_excess(tool *t, const weft_dry_report *r) {
    bool first = true;
    if (r->devices < 2) return;
    for (int i = 0; i < WEFT_ROLES; i++) {
        if (r->excess_bytes[i] < WEFT_PLAN_LARGE) continue;
        printf("%s%s ", first ? "held beyond its share      " : ", ", weft_role_name((weft_role)i));
        tool_print_size(t, 0, r->excess_bytes[i]);
        first = false;
    }
    if (!first) printf(" (replicated, on each device)\n");
}

void dryrun_print_explained(tool *t, const weft_dry_report *r) {
    if (r->is_explained) {
        bool first = true;
        printf("memory is for              ");
        for (int i = 0; i < WEFT_USES_OF_MEMORY; i++) {
            if (r->use_bytes[i] < 1) continue;
            printf("%s%s ", first ? "" : ", ", weft_use_of_memory_name((weft_use_of_memory)i));
            tool_print_size(t, 0, r->use_bytes[i]);
            first = false;
        }
        putchar('\n');
        print_excess(t, r);
    }
    if (r->relief) {
        printf("%-26s %s: ", r->relief->fits ? "smallest change that fits" : "what takes most away", r->relief->text);
        tool_print_size(t, 0, (double)r->relief->peak_bytes);
        printf(", step %.4g ms%s\n", 1e3 * r->relief->step_s, r->relief->fits ? "" : "; still too much");
    }
    const double tokens_per_s = weft_dry_tokens_per_s(r);
    if (tokens_per_s > 0)
        printf("%-26s %16.6g /s    (%.4g of each device)\n", "tokens", tokens_per_s,
               tokens_per_s / (double)r->devices);
}
