/* print_plan: the partitioner's plan as text, or compared with a stored plan.
 *
 * Pass weft-print-plan. Needs: as weft-insert-reshards. Leaves: the module unchanged; the plan that
 * weft-insert-reshards would write, with runners-up, goes to `file`, or to standard error.
 */
#include <errno.h>
#include <stdio.h>

#include "cost/environment.h"
#include "partitioner/plan/plan_text.h"
#include "pipeline/print_plan.h"

weft_status weft_pass_print_plan(weft_pass *p, const weft_module *in, weft_module **out);

static weft_status write_text(weft_context *cx, weft_str path, const weft_buf *text) {
    if (!path.n) return fwrite(text->p, 1, text->n, stderr) == text->n ? WEFT_OK : WEFT_ERR_IO;
    char *name = weft_arena_strdup(&cx->scratch, path.p, path.n);
    if (!name) return weft_oom();
    FILE *f = fopen(name, "wb");
    bool good = f && fwrite(text->p, 1, text->n, f) == text->n;
    if (f) good = !fclose(f) && good;
    return good ? WEFT_OK : weft_report(cx, WEFT_D_file, NULL, "'%s' cannot be written: %s", name, strerror(errno));
}

weft_status weft_plan_tell(weft_context *cx, const weft_module *m, const weft_plan_question *q, weft_buf *text) {
    weft_layout_planner s;
    weft_layout_plan *plan = NULL, *stored = NULL;
    weft_forced_plan *forced = NULL, *against = NULL;
    weft_status st = weft_layout_planner_open(cx, m, q->machine, &s);
    if (st == WEFT_OK) st = weft_plan_read_file(q->plan, m, s.t, &s.arena, &forced);
    if (st == WEFT_OK) st = weft_plan_read_file(q->against, m, s.t, &s.arena, &against);
    if (st == WEFT_OK) st = weft_plan_search(&s, forced, !against, &plan);
    if (st == WEFT_OK && against) st = weft_plan_search(&s, against, false, &stored);
    if (st == WEFT_OK)
        st = against ? weft_plan_print_difference(plan, stored, s.t, text) : weft_plan_print(plan, s.t, text);
    weft_layout_planner_close(&s);
    return st;
}

weft_status weft_pass_print_plan(weft_pass *p, const weft_module *in, weft_module **out) {
    const weft_str none = { NULL, 0 };
    const weft_plan_question q = { .machine = weft_pass_machine(p), .plan = weft_pass_text(p, "plan", none) };
    weft_buf text;
    weft_buf_init(&text, &p->cx->alloc);
    weft_status st = weft_plan_tell(p->cx, in, &q, &text);
    if (st == WEFT_OK) st = write_text(p->cx, weft_pass_text(p, "file", none), &text);
    weft_buf_free(&text);
    *out = NULL;
    return st;
}
