/* mesh_refs.c: meshes named in attributes; see mesh_refs.h. */
#include "propagate/mesh_refs.h"

#include "ir/builder.h"

static const weft_attr *map_list(weft_context *cx, const weft_attr *a, weft_mesh_ref_map map, void *user) {
    bool dict = a->kind == WEFT_ATTR_DICT, changed = false;
    uint32_t n = dict ? a->entries.n : a->items.n;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    const weft_attr **items = weft_scratch_array(cx, const weft_attr *, n);
    weft_named_attr *entries = weft_scratch_array(cx, weft_named_attr, n);
    const weft_attr *out = items && entries ? a : NULL;
    weft_attr copy = *a;
    for (uint32_t i = 0; out && i < n; i++) {
        const weft_attr *old = dict ? a->entries.v[i].value : a->items.v[i];
        if (!(items[i] = weft_map_mesh_refs(cx, old, map, user))) out = NULL;
        if (dict) entries[i] = (weft_named_attr){ a->entries.v[i].name, items[i] };
        changed |= items[i] != old;
    }
    if (dict) copy.entries.v = entries;
    else copy.items.v = items;
    if (out && changed) out = weft_attr_copy(cx, &copy);
    weft_arena_reset(&cx->scratch, mark);
    return out;
}

const weft_attr *weft_map_mesh_refs(weft_context *cx, const weft_attr *a, weft_mesh_ref_map map, void *user) {
    const weft_attr *ref = a->kind == WEFT_ATTR_SHARDING    ? a->sharding.mesh
                           : a->kind == WEFT_ATTR_MESH_AXES ? a->mesh_axes.mesh
                                                            : NULL;
    if (a->kind == WEFT_ATTR_ARRAY || a->kind == WEFT_ATTR_SHARDINGS || a->kind == WEFT_ATTR_DICT)
        return map_list(cx, a, map, user);
    if (!ref) return a;
    const weft_attr *to = map(user, ref);
    if (!to || to == ref) return to ? a : NULL;
    weft_attr copy = *a;
    if (a->kind == WEFT_ATTR_SHARDING) copy.sharding.mesh = to;
    else copy.mesh_axes.mesh = to;
    return weft_attr_copy(cx, &copy);
}

weft_status weft_map_mesh_refs_of(weft_module *m, weft_op *op, weft_mesh_ref_map map, void *user) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->attr_count; i++) {
        const weft_attr *to = weft_map_mesh_refs(m->cx, op->attrs[i].value, map, user);
        if (!to) return weft_oom();
        if (to != op->attrs[i].value) st = weft_op_set_attr(m, op, op->attrs[i].name, to);
    }
    return st;
}
