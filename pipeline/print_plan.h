/* print_plan.h: the partitioner's plan of a program as text: `weft explain --plan`. */
#ifndef WEFT_PIPELINE_PRINT_PLAN_H
#define WEFT_PIPELINE_PRINT_PLAN_H

#include "ir/module.h"

typedef struct weft_plan_question {
    weft_str plan;             /* a file with a plan to be followed, or empty */
    weft_str against;          /* a file with a plan to be compared with, or empty */
} weft_plan_question;

/* Appends the plan of m, as it is before weft-insert-reshards, with runners-up; or how it differs from the one that it
 * is compared with. */
weft_status weft_plan_tell(weft_context *cx, const weft_module *m, const weft_plan_question *q, weft_buf *text);

/* explain_plan.c: the same of a module as it was read. m is not changed. */
weft_status weft_plan_explain(weft_context *cx, const weft_module *m, const weft_plan_question *q, weft_buf *text);

#endif
