/* sdy-drop-sharding-rules: no op carries a sharding rule any more. Source: Shardy, docs/sdy_export_passes.md. */
#include "propagate/copy.h"
#include "propagate/presence.h"
#include "propagate/propagate.h"

static weft_status drop_rule(weft_copy *c, const weft_op *op, weft_op *copy) {
    (void)op;
    return weft_op_set(c->out, copy, WEFT_A_sdy_sharding_rule, NULL);
}

static bool has_rule(const weft_op *op) { return weft_op_attr(op, WEFT_A_sdy_sharding_rule) != NULL; }

weft_status weft_pass_drop_sharding_rules(weft_pass *p, const weft_module *in, weft_module **out) {
    (void)p;
    if (!weft_module_has(in, has_rule)) return WEFT_OK;
    return weft_copy_module(in, &(weft_copy_hooks){ .after = drop_rule }, NULL, out);
}
