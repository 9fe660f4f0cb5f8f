/* explain_plan: the plan of a program as it was read; see print_plan.h. */
#include "ir/builder.h"
#include "pipeline/pipeline.h"
#include "pipeline/print_plan.h"

static bool comes_before_plan(void *user, const char *pass) {
    (void)user;
    return strcmp(pass, "weft-insert-reshards") != 0;
}

weft_status weft_plan_explain(weft_context *cx, const weft_module *m, const weft_plan_question *q, weft_buf *text) {
    const weft_pipeline_observer observer = { .before = comes_before_plan };
    const weft_environment environment = { .machine = q->machine };
    const weft_pipeline_call call = { .spec = WEFT_STR("weft-partition"), .environment = &environment,
                                      .observer = &observer };
    weft_module *local = NULL;
    weft_status st = weft_module_clone(m, &local);
    if (st == WEFT_OK) st = weft_pipeline_run(cx, WEFT_STR("weft-import"), 0, &local);
    if (st == WEFT_OK) st = weft_module_sum_unreduced(local);
    if (st == WEFT_OK) st = weft_pipeline_call_run(cx, &call, &local);
    if (st == WEFT_OK) st = weft_plan_tell(cx, local, q, text);
    weft_module_free(local);
    return st;
}
