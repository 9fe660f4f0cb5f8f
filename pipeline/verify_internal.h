/* verify_internal.h: shared by verify.c and verify_locate.c. */
#ifndef WEFT_PIPELINE_VERIFY_INTERNAL_H
#define WEFT_PIPELINE_VERIFY_INTERNAL_H

#include "pipeline/pipeline.h"
#include "pipeline/variants.h"
#include "pipeline/verify.h"

/* The results of one run; owned, from the context's allocator. */
typedef struct weft_outcome {
    weft_host_array *arrays;
    uint32_t count;
    int64_t devices;
} weft_outcome;

struct weft_verify {
    weft_context *cx;
    weft_verify_options opt;
    weft_outcome want;
};

/* nudge.c: the distance from 1 to the next number of a float type; changes n numbers of that type by a few units in the
 * last place, up or down; and makes a program with its constants changed so, or else with what it converts to narrower
 * floats changed by half a unit of these: changes of wide arguments by their own units are lost there. *out is NULL
 * where a program has no such conversion. */
#define WEFT_VERIFY_NUDGE 8 /* units in the last place; a difference of so many times their effect is allowed */
double weft_verify_epsilon(weft_dtype t);
void weft_numbers_nudge(void *data, size_t n, weft_dtype part);
weft_status weft_module_nudge(const weft_module *m, bool constants, weft_module **out);

/* peel.c: m, with the loop stopped after so many iterations (STOP), and with one more iteration of its body after it
 * (NEXT). *made: the loop in the new module. loop is in @main's block. */
typedef enum weft_peeled { WEFT_PEEL_STOP, WEFT_PEEL_NEXT } weft_peeled;
weft_status weft_module_peel(const weft_module *m, const weft_op *loop, int64_t turns, weft_peeled how,
                             weft_module **out, weft_op **made);

/* Builds m, runs it once on its devices with v's arguments, unchanged or with all floats changed by a few units
 * (without float arguments: all constants), and what is rounded on the way, and returns all results. */
typedef enum weft_verify_data { WEFT_VERIFY_AS_GIVEN, WEFT_VERIFY_NUDGED } weft_verify_data;
weft_status weft_verify_execute(const weft_verify *v, const weft_module *m, weft_verify_data data, weft_outcome *out);
/* Result i of p, and all of them, after a step of s. What is fetched is freed also after a failure. */
weft_status weft_result_fetch(weft_context *cx, const weft_built_program *p, weft_session *s, uint32_t i,
                              weft_host_array *out);
weft_status weft_outcome_fetch(weft_context *cx, const weft_built_program *p, weft_session *s, weft_outcome *out);
void weft_result_free(weft_context *cx, weft_host_array *a);
void weft_outcome_free(weft_context *cx, weft_outcome *o); /* a zeroed one is fine */

/* By value of @main's block: its precision, as the distance from 1 to the next number in the narrowest type on its way.
 * NULL when memory is out. */
double *weft_verify_digits(const weft_module *m, weft_arena *arena);

/* The allowed difference from `want`: by the options, else by its digits; plus slack: a few times the effect of changed
 * arguments. */
void weft_verify_tolerance(const weft_verify *v, const weft_host_array *want, double digits, double slack, double *rtol,
                           double *atol);
double weft_verify_slack(const weft_host_array *moved, const weft_host_array *want);

/* WEFT_ERR_MISMATCH and the first index, row-major, of a difference; no diagnostic. */
weft_status weft_verify_compare(const weft_verify *v, const weft_host_array *got, const weft_host_array *want,
                                double digits,
                                double slack, int64_t *at);

/* Result r of m, run as got, differs by more than slack: reports the first op that does. WEFT_ERR_MISMATCH, or why the
 * search failed. */
weft_status weft_verify_locate(const weft_verify *v, const weft_module *m, uint32_t r, double slack,
                               const weft_outcome *got);

#endif
