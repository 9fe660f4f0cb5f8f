/* sdy-drop-sharding-rules: no op carries a sharding rule any more; with keep-custom, none but what its writer gave it, which the
 * partitioner goes by too. Source: Shardy, docs/sdy_export_passes.md. */
#include "propagate/copy.h"
#include "propagate/presence.h"
#include "propagate/propagate.h"

static bool is_custom(const weft_op *op) {
    const weft_attr *rule = weft_op_attr(op, WEFT_A_sdy_sharding_rule);
    return rule && rule->kind == WEFT_ATTR_RULE && rule->rule.custom;
}

static weft_status drop_other_rule(weft_copy *c, const weft_op *op, weft_op *copy) {
    return is_custom(op) ? WEFT_OK : weft_op_set(c->out, copy, WEFT_A_sdy_sharding_rule, NULL);
}

static weft_status drop_rule(weft_copy *c, const weft_op *op, weft_op *copy) {
    (void)op;
    return weft_op_set(c->out, copy, WEFT_A_sdy_sharding_rule, NULL);
}

static bool has_rule(const weft_op *op) { return weft_op_attr(op, WEFT_A_sdy_sharding_rule) != NULL; }

weft_status weft_pass_drop_sharding_rules(weft_pass *p, const weft_module *in, weft_module **out) {
    if (!weft_module_has(in, has_rule)) return WEFT_OK;
    return weft_copy_module(in, &(weft_copy_hooks){ .after = weft_pass_flag(p, "keep-custom", false) ? drop_other_rule : drop_rule }, NULL, out);
}
