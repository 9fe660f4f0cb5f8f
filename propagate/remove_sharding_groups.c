/* sdy-remove-sharding-groups: removes sharding groups after propagation. Source: Shardy,
 * docs/sdy_export_passes.md. */
#include "propagate/copy.h"
#include "propagate/presence.h"
#include "propagate/propagate.h"

static weft_status drop_group(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    (void)c;
    if (op->kind == WEFT_OP_sdy_sharding_group) *answer = WEFT_COPY_DONE;
    return WEFT_OK;
}

weft_status weft_pass_remove_sharding_groups(weft_pass *p, const weft_module *in, weft_module **out) {
    if (!weft_module_has_kind(in, WEFT_OP_sdy_sharding_group)) return WEFT_OK;
    return weft_edit_module(p, in, &(weft_copy_hooks){ .visit = drop_group }, NULL, out);
}
