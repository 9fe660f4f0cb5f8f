/* print_plan.h: the partitioner's plan of a program as text: `weft explain --plan`. */
#ifndef WEFT_PIPELINE_PRINT_PLAN_H
#define WEFT_PIPELINE_PRINT_PLAN_H

#include "cost/machine.h"
#include "ir/module.h"

typedef struct weft_plan_question {
    const weft_machine *machine; /* by whose costs plans are compared */
    weft_str plan;               /* a file with a plan to follow, or empty */
    weft_str against;            /* a file with a plan to compare with, or empty */
} weft_plan_question;

/* Appends the plan of m, a module ready for weft-insert-reshards, with runners-up; or its differences from the other
 * plan. */
weft_status weft_plan_tell(weft_context *cx, const weft_module *m, const weft_plan_question *q, weft_buf *text);

/* explain_plan.c: the same for a module as it was read. m is not changed. */
weft_status weft_plan_explain(weft_context *cx, const weft_module *m, const weft_plan_question *q, weft_buf *text);

#endif
