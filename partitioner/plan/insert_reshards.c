/* insert_reshards: every op gets operands that fit the cheapest way to share its work.
 *
 * Pass weft-insert-reshards. Needs a propagated module: shardings on functions and on ops where they are known. Leaves
 * a module in which the placements of each op's operands and results follow from one assignment of mesh axes to the
 * factors of its rule: where a value is not where its reader wants it, an sdy.reshard brings it there; where a loop
 * that sums is shared, the result is marked unreduced and finished by the reshard of its reader; maxima and minima are
 * finished by an sdy.all_reduce after the op. Global shapes, all locations; a reshard carries the place of the op that
 * needs it.
 *
 * The plan is found first (plan_search.c) and then written (write_plan.c). The choice is Weft's own; Shardy's way is
 * explicit_reshards.c. Option plan: a file with a plan (plan_text.h) that is followed in what it says.
 */
#include "cost/environment.h"
#include "partitioner/partition.h"
#include "partitioner/plan/plan_text.h"

weft_status weft_pass_insert_reshards(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_layout_planner s;
    weft_layout_plan *plan = NULL;
    weft_forced_plan *forced = NULL;
    weft_module *made = NULL;
    weft_status st = weft_layout_planner_open(p->cx, in, weft_pass_machine(p), &s);
    if (st == WEFT_OK)
        st = weft_plan_read_file(weft_pass_text(p, "plan", (weft_str){ NULL, 0 }), in, s.t, &s.arena, &forced);
    if (st == WEFT_OK) st = weft_plan_search(&s, forced, false, &plan);
    if (st == WEFT_OK) st = weft_plan_write(plan, s.t, &made);
    /* what somebody asked for is no accident */
    if (st == WEFT_OK && !forced && weft_warning_wanted(p->cx, WEFT_D_replicate))
        st = weft_report_replicated(&s, plan);
    if (st == WEFT_OK && weft_warning_wanted(p->cx, WEFT_D_constraint)) st = weft_report_unfollowed(&s, plan);
    if (st == WEFT_OK) *out = made;
    else weft_module_free(made);
    weft_layout_planner_close(&s);
    return st;
}
