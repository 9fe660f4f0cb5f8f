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

/* What uneven shards waste, if it is a hundredth of what a device holds of them. */
static void print_padding(tool *t, const weft_dry_report *r) {
    static const weft_use_of_memory use[] = { [WEFT_ROLE_PARAMETER] = WEFT_USE_PARAMETERS,
                                              [WEFT_ROLE_STATE] = WEFT_USE_STATE, [WEFT_ROLE_DATA] = WEFT_USE_DATA };
    bool first = true;
    for (int i = 0; i < WEFT_ROLES; i++) {
        const double held = r->use_bytes[use[i]];
        if (held <= 0 || r->padding_bytes[i] < 0.01 * held) continue;
        printf("%s%s ", first ? "padding                    " : ", ", weft_role_name((weft_role)i));
        tool_print_size(t, 0, r->padding_bytes[i]);
        printf(" (%.0f%% of it)", 100 * r->padding_bytes[i] / held);
        first = false;
    }
    if (!first) printf(", for axes that do not divide a dimension\n");
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
        print_padding(t, r);
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
