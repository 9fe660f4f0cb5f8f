/* placement_manual.c: manual axes, and groups of devices, as atoms; see placement.h. */
#include "ir/process.h"
#include "partitioner/layout/placement.h"

weft_status weft_manual_atoms(weft_placements *t, const weft_op *op, weft_atoms *out) {
    const weft_attr *axes = op->kind == WEFT_OP_sdy_manual_computation ? weft_op_attr(op, WEFT_A_manual_axes) : NULL;
    uint8_t atoms[WEFT_MAX_ATOMS];
    uint32_t n;
    *out = 0;
    if (!axes || axes->kind != WEFT_ATTR_AXES || !axes->axes.n) return WEFT_OK;
    weft_status st = weft_atoms_from_refs(t, axes->axes, op->loc, atoms, &n);
    for (uint32_t i = 0; st == WEFT_OK && i < n; i++) *out |= (weft_atoms)weft_bit(atoms[i]);
    return st;
}

weft_status weft_placement_inside(weft_placements *t, weft_placement_id id, weft_atoms manual,
                                  weft_placement_id *inside) {
    weft_placement l = *weft_placement_of(t, id);
    *inside = id;
    if (!((l.used | l.unreduced) & manual)) return WEFT_OK;
    for (uint32_t i = l.n; i-- > 0;)
        if (weft_bits_has(manual, l.at[i].atom)) weft_placement_remove(&l, i, 1);
    l.unreduced &= ~manual;
    if (!l.n && !l.unreduced) l.order = 0;
    return weft_placement_intern(t, &l, inside);
}

static weft_status atoms_of_axes(weft_placements *t, const weft_attr *groups, const weft_op *op, weft_atoms *out) {
    uint8_t atoms[WEFT_MAX_ATOMS];
    uint32_t n;
    weft_status st = weft_atoms_from_refs(t, groups->mesh_axes.axes, op->loc, atoms, &n);
    for (uint32_t i = 0; st == WEFT_OK && i < n; i++) *out |= (weft_atoms)weft_bit(atoms[i]);
    return st;
}

/* place[device] in the mesh, or NULL when they are in order. */
static weft_status places(const weft_placements *t, const int64_t **out) {
    const weft_mesh *mesh = weft_placements_mesh(t);
    weft_context *cx = weft_placements_context(t);
    *out = NULL;
    if (!mesh->device_ids.n) return WEFT_OK;
    int64_t *v = weft_scratch_array(cx, int64_t, mesh->device_count);
    if (!v) return weft_oom();
    for (uint32_t i = 0; i < mesh->device_ids.n; i++)
        if (mesh->device_ids.v[i] >= 0 && mesh->device_ids.v[i] < mesh->device_count) v[mesh->device_ids.v[i]] = i;
    *out = v;
    return WEFT_OK;
}

weft_status weft_group_atoms(weft_placements *t, const weft_module *m, const weft_op *op, weft_atoms *out) {
    const weft_attr *groups = weft_op_attr(op, WEFT_A_replica_groups);
    weft_context *cx = weft_placements_context(t);
    weft_process_groups g;
    weft_grid grid;
    const int64_t *place;
    *out = 0;
    if (!weft_placements_mesh(t)) return WEFT_OK;
    if (groups && groups->kind == WEFT_ATTR_MESH_AXES) return atoms_of_axes(t, groups, op, out);
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_status st =
        weft_grid_of(m, weft_placements_devices(t) * weft_op_int(m->root, WEFT_A_mhlo_num_replicas, 1), &grid);
    if (st == WEFT_OK) st = weft_process_groups_of(m, op, grid, &cx->scratch, &g);
    if (st == WEFT_OK) st = places(t, &place);
    for (int64_t i = 0; st == WEFT_OK && i < g.count; i++) {
        int64_t first = g.ids[i * g.size] % grid.partitions;
        for (int64_t k = 1; k < g.size && g.ids[i * g.size + k] >= 0; k++) {
            int64_t other = g.ids[i * g.size + k] % grid.partitions, x = place ? place[first] : first,
                    y = place ? place[other] : other;
            for (uint32_t a = 0; a < weft_placements_atom_count(t); a++)
                if (x / weft_atom_stride(t, a) % weft_atom_size(t, a) !=
                    y / weft_atom_stride(t, a) % weft_atom_size(t, a))
                    *out |= (weft_atoms)weft_bit(a);
        }
    }
    weft_arena_reset(&cx->scratch, mark);
    return st;
}
