/* group_axes.c: see group_axes.h. */
#include "partitioner/layout/group_axes.h"

weft_status weft_group_axes_of(const weft_module *m, const weft_op *op, weft_group_axes *out, bool *found) {
    *found = false;
    const weft_attr *groups = weft_op_attr(op, WEFT_A_replica_groups);
    if (!groups || groups->kind != WEFT_ATTR_MESH_AXES || groups->mesh_axes.mesh->kind != WEFT_ATTR_SYMBOL)
        return WEFT_OK;
    const weft_axis_refs refs = groups->mesh_axes.axes;
    const weft_op *mesh = weft_module_symbol(m, weft_name_str(groups->mesh_axes.mesh->names.v[0]));
    const weft_attr *attr = mesh ? weft_op_attr(mesh, WEFT_A_mesh) : NULL;
    if (!attr || !refs.n || refs.n > WEFT_MAX_MESH_AXES) return WEFT_OK;
    weft_status st = weft_mesh_init(m->cx, NULL, attr, mesh->loc, &out->mesh);
    if (st != WEFT_OK) return st;
    for (uint32_t i = 0; i < refs.n; i++)
        if (!weft_axis_from_ref(&out->mesh, refs.v[i], &out->store[i])) return WEFT_OK;
    out->axes = weft_axes_at(out->store, refs.n);
    out->stride = weft_mesh_stride(&out->mesh, out->store[refs.n - 1]);
    *found = true;
    return WEFT_OK;
}
