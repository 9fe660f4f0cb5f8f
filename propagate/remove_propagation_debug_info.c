/* sdy-remove-propagation-debug-info: removes propagation's notes on the origins of shardings. The names of origins
 * stay. Source: Shardy, docs/sdy_export_passes.md. */
#include "propagate/copy.h"
#include "propagate/drop_attrs.h"
#include "propagate/propagate.h"

static const char *const noted[] = { "sdy.propagation_edges",          "sdy.block_arg_propagation_edges",
                                     "sdy.result_propagation_edges",   "sdy.sharding_origins",
                                     "sdy.block_arg_sharding_origins", "sdy.result_sharding_origins" };

static weft_status drop_notes(weft_copy *c, const weft_op *op, weft_op *copy) {
    (void)op;
    return weft_drop_attrs(c->out, copy, c->user, WEFT_COUNT(noted));
}

weft_status weft_pass_remove_propagation_debug_info(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_name names[WEFT_COUNT(noted)];
    for (size_t i = 0; i < WEFT_COUNT(noted); i++)
        if (!(names[i] = weft_name_from(p->cx, noted[i]))) return weft_oom();
    return weft_edit_module(p, in, &(weft_copy_hooks){ .after = drop_notes }, names, out);
}
