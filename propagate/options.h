/* options.h: the options of the propagation passes. */
#ifndef WEFT_PROPAGATE_OPTIONS_H
#define WEFT_PROPAGATE_OPTIONS_H

#include "ir/pass.h"
#include "propagate/state.h"

static inline weft_rule_mode weft_option_mode(const weft_pass *p) {
    return weft_pass_flag(p, "conservative-propagation", false) ? WEFT_RULE_CONSERVATIVE : WEFT_RULE_LIBERAL;
}

static inline weft_emit_rules weft_option_rules(const weft_pass *p) {
    return weft_pass_flag(p, "keep-sharding-rules", false) ? WEFT_EMIT_RULES : WEFT_EMIT_NO_RULES;
}

/* Opens in, or its rewritten form if sharding groups need one; *loosened must be freed after p is closed. */
weft_status weft_propagation_open_loose(weft_pass *pass, const weft_module *in, weft_propagation *p,
                                        weft_module **loosened);
/* The step of a pass between opening a propagation, with its groups in step, and writing the module. */
typedef weft_status (*weft_propagation_body)(weft_pass *pass, weft_propagation *p);
weft_status weft_propagation_pass(weft_pass *pass, weft_propagation_body body, const weft_module *in,
                                  weft_module **out);

/* sdy-user-priority-propagate without options, kept open with its history instead of written; see history.h. *loosened
 * is the module of p if that is not `in`, and must be freed after p is closed, also after a failure. */
weft_status weft_propagation_explain(weft_context *cx, const weft_module *in, weft_propagation *p,
                                     weft_module **loosened);

/* The option propagation-strategy: rounds of these strategies, one after another. */
weft_status weft_propagate_strategies(weft_pass *pass, weft_propagation *p, int ladder);
/* The same at each op priority, unless run-op-priority-propagation is off. */
weft_status weft_propagate_op_priorities(weft_pass *pass, weft_propagation *p);

#endif
