/* verify_internal.h: between verify.c and verify_locate.c. */
#ifndef WEFT_PIPELINE_VERIFY_INTERNAL_H
#define WEFT_PIPELINE_VERIFY_INTERNAL_H

#include "pipeline/pipeline.h"
#include "pipeline/variants.h"
#include "pipeline/verify.h"

/* The results of one run; owned, from the context's allocator. */
typedef struct weft_outcome {
    weft_array *arrays;
    uint32_t count;
    int64_t devices;
} weft_outcome;

struct weft_verify {
    weft_context *cx;
    weft_verify_options opt;
    weft_outcome want;
};

/* Builds m, runs it once on its devices with v's arguments, as they are or all floats off by a few units, and takes all results. */
typedef enum weft_verify_data { WEFT_VERIFY_AS_GIVEN, WEFT_VERIFY_NUDGED } weft_verify_data;
weft_status weft_verify_execute(const weft_verify *v, const weft_module *m, weft_verify_data data, weft_outcome *out);
void weft_outcome_free(weft_context *cx, weft_outcome *o); /* a zeroed one is fine */

/* By value of @main's block: how coarse its numbers are, as the distance from 1 to the next in the narrowest type that it has been
 * through. NULL when memory is out. */
double *weft_verify_digits(const weft_module *m, weft_arena *arena);

/* What is allowed of `want`: as the options say, else by its digits; and slack besides: a few times what nudged arguments move. */
void weft_verify_tolerance(const weft_verify *v, const weft_array *want, double digits, double slack, double *rtol, double *atol);
double weft_verify_slack(const weft_array *moved, const weft_array *want);

/* WEFT_ERR_MISMATCH and the first index, row-major, where they differ; no diagnostic. */
weft_status weft_verify_compare(const weft_verify *v, const weft_array *got, const weft_array *want, double digits, double slack, int64_t *at);

/* Result r of m, run as got, differs by more than slack: reports the first op that does. WEFT_ERR_MISMATCH, or why it could not look. */
weft_status weft_verify_locate(const weft_verify *v, const weft_module *m, uint32_t r, double slack, const weft_outcome *got);

#endif
