/* condition.c: see condition.h. */
#include "pipeline/dryrun/condition.h"

#include <math.h>

weft_status weft_condition_read(weft_context *cx, const char *text, weft_condition *out) {
    const size_t n = strcspn(text, "<>");
    const char *p = text + n + 1;
    char *end = NULL;
    weft_condition c = { .text = weft_str_from(text), .key = { text, n }, .kind = WEFT_BOUND_VALUE };
    if (n && text[n]) {
        const bool is_change = *p == '+' || *p == '-';
        c.above = text[n] == '>';
        c.bound = weft_read_double(p, &end);
        if (is_change) c.kind = end && *end == '%' ? WEFT_BOUND_SHARE : WEFT_BOUND_CHANGE;
        if (end != p && c.kind == WEFT_BOUND_SHARE) {
            c.bound /= 100;
            end++;
        }
    }
    if (!end || end == p || *end || !isfinite(c.bound))
        return weft_report(cx, WEFT_D_usage, NULL,
                           "'%s' is no condition such as 'wire_bytes>+1%%', 'vendor.mfu<-2%%' or 'peak_memory_bytes>80e9'",
                           text);
    *out = c;
    return WEFT_OK;
}

/* Of 0 every change is larger than any share. */
bool weft_condition_fails(const weft_condition *c, double before, double now) {
    const double bound = c->kind == WEFT_BOUND_SHARE    ? before + c->bound * fabs(before)
                         : c->kind == WEFT_BOUND_CHANGE ? before + c->bound
                                                        : c->bound;
    return c->above ? now > bound : now < bound;
}
