/* random_sharding.c: random meshes and shardings. */
#include "tests/support/random_internal.h"

/* devices as a product of one to three factors over 1, rarely with an axis of size 1. */
static uint32_t split_devices(gen *g, int64_t *sizes) {
    uint32_t n = 0;
    for (int64_t left = g->opt.devices; left > 1; left /= sizes[n++]) {
        int64_t divisors[64];
        uint32_t count = 0;
        for (int64_t d = 2; d <= left && count < 64; d++)
            if (left % d == 0) divisors[count++] = d;
        sizes[n] = n == 2 ? left : divisors[weft_rng_below(&g->rng, count)];
    }
    if (!n || weft_rng_chance(&g->rng, g->opt.flags & WEFT_RANDOM_MIXED ? 0.3 : 0.05)) sizes[n++] = 1;
    return n;
}

weft_status random_mesh(gen *g) {
    static const char *const names[][4] = { { "x", "y", "z", "w" }, { "data", "model", "seq", "expert" },
                                            { "b", "a", "d", "c" } };
    int64_t sizes[4];
    uint32_t n = split_devices(g, sizes), style = weft_rng_below(&g->rng, WEFT_COUNT(names));
    weft_mesh_axis axes[4];
    for (uint32_t i = 0; i < n; i++) {
        axes[i] = (weft_mesh_axis){ weft_name_from(g->cx, names[style][i]), sizes[i] };
        if (!axes[i].name) return WEFT_ERR_MEMORY;
    }
    int64_t ids[64];
    uint32_t id_count = 0;
    if (g->opt.flags & WEFT_RANDOM_MIXED && g->opt.devices <= 64 && weft_rng_chance(&g->rng, 0.4))
        shuffle(g, ids, id_count = (uint32_t)g->opt.devices);
    uint32_t in_order = 0;
    while (in_order < id_count && ids[in_order] == in_order) in_order++;
    if (in_order == id_count) id_count = 0; /* as it is written */
    const weft_attr *mesh =
        weft_attr_copy(g->cx, &(weft_attr){ .kind = WEFT_ATTR_MESH, .mesh = { axes, n, { ids, id_count } } });
    weft_name mesh_name = weft_name_from(g->cx, "mesh"), sym_name = weft_name_from(g->cx, "sym_name");
    g->mesh_ref = mesh_name ? weft_attr_symbol(g->cx, mesh_name) : NULL;
    if (!mesh || !mesh_name || !sym_name || !g->mesh_ref) return WEFT_ERR_MEMORY;
    g->axes = mesh->mesh.axes;
    g->axis_count = n;
    const weft_named_attr attrs[] = { { sym_name, weft_attr_string(g->cx, WEFT_STR("mesh")) }, { mesh_name, mesh } };
    weft_build_op(&g->b, &(weft_op_spec){ .kind = WEFT_OP_sdy_mesh, .attrs = attrs, .attr_count = 2 });
    return g->b.status;
}

/* The whole axis, or its first or last half when that is asked for and possible. */
static weft_axis_ref random_axis(gen *g, uint32_t i, int64_t *size) {
    const weft_mesh_axis *a = &g->axes[i];
    *size = a->size;
    if (!(g->opt.flags & WEFT_RANDOM_SUB_AXES) || a->size % 4 || weft_rng_chance(&g->rng, 0.6))
        return (weft_axis_ref){ a->name, 0, 0 };
    bool first = weft_rng_chance(&g->rng, 0.5);
    *size = first ? 2 : a->size / 2;
    return (weft_axis_ref){ a->name, first ? 1 : 2, *size };
}

const weft_attr *random_sharding(gen *g, const weft_type *t, evenness e) {
    weft_axis_ref refs[4], replicated[4];
    weft_dim_sharding dims[WEFT_MAX_RANK];
    int64_t order[4], parts[WEFT_MAX_RANK], owner[4];
    uint32_t n_replicated = 0, at = 0;
    shuffle(g, order, g->axis_count);
    for (uint32_t d = 0; d < t->rank; d++) parts[d] = 1;
    for (uint32_t i = 0; i < g->axis_count; i++) { /* which dimension gets the i-th axis; -1: none */
        owner[i] = t->rank && weft_rng_chance(&g->rng, 0.7) ? (int64_t)weft_rng_below(&g->rng, t->rank) : -1;
        int64_t size = g->axes[order[i]].size;
        if (owner[i] < 0) continue;
        if (t->dims[owner[i]] % (parts[owner[i]] * size) && !(e == UNEVEN_TOO && t->dims[owner[i]] >= 2)) owner[i] = -1;
        else parts[owner[i]] *= size;
    }
    for (uint32_t d = 0; d < t->rank; d++) {
        uint32_t first = at;
        for (uint32_t i = 0; i < g->axis_count; i++) {
            int64_t size;
            if (owner[i] == d) refs[at++] = random_axis(g, (uint32_t)order[i], &size);
        }
        dims[d] = (weft_dim_sharding){ { refs + first, at - first }, weft_rng_chance(&g->rng, 0.4), WEFT_NO_PRIORITY };
        if ((g->opt.flags & WEFT_RANDOM_PRIORITIES) && (dims[d].open || dims[d].axes.n) &&
            weft_rng_chance(&g->rng, 0.3))
            dims[d].priority = (int32_t)weft_rng_below(&g->rng, 3);
    }
    for (uint32_t a = 0; a < g->axis_count; a++) /* in mesh order */
        for (uint32_t i = 0; i < g->axis_count; i++)
            if (order[i] == a && owner[i] < 0 && weft_rng_chance(&g->rng, 0.15))
                replicated[n_replicated++] = (weft_axis_ref){ g->axes[a].name, 0, 0 };
    return weft_attr_copy(g->cx, &(weft_attr){ .kind = WEFT_ATTR_SHARDING,
                                               .sharding = { .mesh = g->mesh_ref, .dims = dims, .rank = t->rank,
                                                             .replicated = { replicated, n_replicated } } });
}
