/* sdy-drop-sharding-and-mesh: no op, argument or result carries sdy.sharding any more, and there is no sdy.mesh.
 * Source: Shardy, docs/sdy_export_passes.md. */
#include "propagate/copy.h"
#include "propagate/drop_attrs.h"
#include "propagate/propagate.h"

static weft_status drop_sharding(weft_copy *c, const weft_op *op, weft_op *copy) {
    weft_name name = weft_name_at(c->b.m->cx, WEFT_A_sdy_sharding);
    (void)op;
    return weft_drop_attrs(c->out, copy, &name, 1);
}

static weft_status drop_mesh(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    (void)c;
    if (op->kind == WEFT_OP_sdy_mesh) *answer = WEFT_COPY_DONE;
    return WEFT_OK;
}

weft_status weft_pass_drop_sharding_and_mesh(weft_pass *p, const weft_module *in, weft_module **out) {
    return weft_edit_module(p, in, &(weft_copy_hooks){ .visit = drop_mesh, .after = drop_sharding }, NULL, out);
}
