/* sdy-drop-sharding-and-mesh: removes sdy.sharding from ops, arguments and results, and every sdy.mesh.
 * Source: Shardy, docs/sdy_export_passes.md. */
#include "propagate/copy.h"
#include "propagate/drop_attrs.h"
#include "propagate/propagate.h"

/* An op of sdy with a sharding attribute of its own, and a collective with mesh axes as groups, have no meaning without
 * the mesh. */
static weft_status refuse_layout(weft_context *cx, const weft_op *op) {
    static const weft_attr_name own[] = { WEFT_A_sharding, WEFT_A_out_sharding, WEFT_A_in_shardings,
                                          WEFT_A_out_shardings };
    const weft_attr *groups = weft_op_attr(op, WEFT_A_replica_groups);
    bool needs = groups && groups->kind == WEFT_ATTR_MESH_AXES && groups->mesh_axes.mesh->kind == WEFT_ATTR_SYMBOL;
    for (size_t i = 0; i < WEFT_COUNT(own); i++)
        needs |= weft_op_kind_has_attr((weft_op_kind)op->kind, own[i]) && weft_op_attr(op, own[i]);
    return needs ? weft_report(cx, WEFT_D_sharding, op->loc, "'%s' names a mesh, which cannot be dropped",
                               op->name->text)
                 : WEFT_OK;
}

static weft_status drop_sharding(weft_copy *c, const weft_op *op, weft_op *copy) {
    weft_name name = weft_name_at(c->b.m->cx, WEFT_A_sdy_sharding);
    weft_status st = refuse_layout(c->b.m->cx, op);
    return st != WEFT_OK ? st : weft_drop_attrs(c->out, copy, &name, 1);
}

static weft_status drop_mesh(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    (void)c;
    if (op->kind == WEFT_OP_sdy_mesh) *answer = WEFT_COPY_DONE;
    return WEFT_OK;
}

weft_status weft_pass_drop_sharding_and_mesh(weft_pass *p, const weft_module *in, weft_module **out) {
    return weft_edit_module(p, in, &(weft_copy_hooks){ .visit = drop_mesh, .after = drop_sharding }, NULL, out);
}
