/* sdy-remove-size-one-axes: removes axes of size 1 from every sharding; they have no effect and could only conflict.
 * The meshes keep them. Needs: nothing. Source: Shardy, docs/sdy_import_passes.md. */
#include "propagate/propagate.h"
#include "propagate/transform.h"

static weft_axes keep_large(weft_axes a, weft_axis *store, uint32_t *used) {
    uint32_t first = *used;
    for (uint32_t i = 0; i < a.n; i++)
        if (a.v[i].size > 1) store[(*used)++] = a.v[i];
    return weft_axes_at(store + first, *used - first);
}

static const weft_sharding *drop_ones(weft_shardings *t, const weft_sharding *s, void *user) {
    weft_axis store[WEFT_MAX_MESH_AXES + 32];
    weft_dim dims[WEFT_MAX_RANK];
    uint32_t used = 0;
    (void)user;
    for (uint32_t d = 0; d < s->rank; d++) {
        dims[d] = s->dims[d];
        dims[d].axes = keep_large(s->dims[d].axes, store, &used);
        /* an empty closed dimension has none */
        if (!dims[d].axes.n && !dims[d].open) dims[d].priority = WEFT_NO_PRIORITY;
    }
    weft_axes replicated = keep_large(s->replicated, store, &used), unreduced = keep_large(s->unreduced, store, &used);
    unreduced.by = s->unreduced.by;
    return weft_sharding_make(t, s->mesh, s->rank, dims, replicated, unreduced);
}

static bool has_axis_of_one(const weft_module *in) {
    WEFT_EACH_OP(op, weft_module_body(in)) {
        const weft_attr *mesh = op->kind == WEFT_OP_sdy_mesh ? weft_op_attr(op, WEFT_A_mesh) : NULL;
        for (uint32_t i = 0; mesh && i < mesh->mesh.axis_count; i++)
            if (mesh->mesh.axes[i].size == 1) return true;
    }
    return false;
}

weft_status weft_pass_remove_size_one_axes(weft_pass *p, const weft_module *in, weft_module **out) {
    return has_axis_of_one(in) ? weft_transform_shardings(p, in, drop_ones, NULL, out) : WEFT_OK;
}
