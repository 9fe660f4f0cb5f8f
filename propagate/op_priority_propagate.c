/* sdy-op-priority-propagate: aggressive propagation in steps, beginning with the ops whose shardings are the most
 * certain (schedule.c). Needs, leaves: as sdy-basic-propagate. Source: Shardy, docs/propagation.md ("Op
 * priorities"). */
#include "propagate/options.h"
#include "propagate/propagate.h"

weft_status weft_propagate_op_priorities(weft_pass *pass, weft_propagation *p) {
    weft_status st = WEFT_OK;
    if (!weft_pass_flag(pass, "run-op-priority-propagation", true))
        return weft_propagate_strategies(pass, p, WEFT_LADDER_TOP);
    for (int ladder = 0; st == WEFT_OK && ladder <= WEFT_LADDER_TOP; ladder++)
        st = weft_propagate_strategies(pass, p, ladder);
    return st;
}

weft_status weft_pass_op_priority_propagate(weft_pass *p, const weft_module *in, weft_module **out) {
    return weft_propagation_pass(p, weft_propagate_op_priorities, in, out);
}
