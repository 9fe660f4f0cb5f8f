/* condition.h: when a comparison of two dry runs fails: "wire_bytes>+1%".
 *
 * KEY is a number of the report's JSON, with dots into its objects (memory.temporaries, vendor.mfu). After > or < comes
 * a bound: a change of the first report's number in per cent (+1%, -5%), a change in its unit (+1e6), or without a sign
 * the number itself (80e9).
 */
#ifndef WEFT_PIPELINE_DRYRUN_CONDITION_H
#define WEFT_PIPELINE_DRYRUN_CONDITION_H

#include "base/context.h"

typedef struct weft_condition {
    weft_str text, key;
    enum { WEFT_BOUND_SHARE, WEFT_BOUND_CHANGE, WEFT_BOUND_VALUE } kind;
    bool above;                /* fails above the bound; else below it */
    double bound;              /* a share is 0.01 for 1% */
} weft_condition;

/* Reports a text that is none. text is kept. */
weft_status weft_condition_read(weft_context *cx, const char *text, weft_condition *out);

/* Whether it fails for a number that was `before` and is `now`. */
bool weft_condition_fails(const weft_condition *c, double before, double now);

#endif
