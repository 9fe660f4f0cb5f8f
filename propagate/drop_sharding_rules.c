/* sdy-drop-sharding-rules: removes sharding rules from ops, except those that the user wrote, which the partitioner
 * also uses. Source: Shardy, docs/sdy_export_passes.md and shardy/dialect/sdy/ir/utils.cc. */
#include "propagate/copy.h"
#include "propagate/presence.h"
#include "propagate/propagate.h"

static bool has_rule(const weft_op *op) {
    const weft_attr *rule = weft_op_attr(op, WEFT_A_sdy_sharding_rule);
    return rule && !(rule->kind == WEFT_ATTR_RULE && rule->rule.custom);
}

static weft_status drop_rule(weft_copy *c, const weft_op *op, weft_op *copy) {
    return has_rule(op) ? weft_op_set(c->out, copy, WEFT_A_sdy_sharding_rule, NULL) : WEFT_OK;
}

weft_status weft_pass_drop_sharding_rules(weft_pass *p, const weft_module *in, weft_module **out) {
    if (!weft_module_has(in, has_rule)) return WEFT_OK;
    return weft_edit_module(p, in, &(weft_copy_hooks){ .after = drop_rule }, NULL, out);
}
