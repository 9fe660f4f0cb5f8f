/* layout: a sharding of the program as the numbers by which the runtime splits arrays.
 *
 * Axis i of a mesh has in a mesh position the stride = product of the sizes after it; the sub-axis (pre)size of an
 * axis of n has stride n / (pre * size) within it (Shardy, docs/sharding_representation.md).
 */
#include "pipeline/pipeline.h"

/* The digit of a mesh position for an axis reference; false if the mesh has no such axis. */
static bool axis_digit(const weft_mesh_attr *mesh, weft_axis_ref ref, weft_layout_axis *out) {
    int64_t stride = 1;
    for (uint32_t i = mesh->axis_count; i-- > 0; stride *= mesh->axes[i].size) {
        if (mesh->axes[i].name != ref.name) continue;
        int64_t size = ref.size ? ref.size : mesh->axes[i].size, pre = ref.size ? ref.pre_size : 1;
        *out = (weft_layout_axis){ stride * (mesh->axes[i].size / (pre * size)), size };
        return true;
    }
    return false;
}

static weft_status digits(weft_context *cx, weft_arena *arena, const weft_mesh_attr *mesh, weft_axis_refs refs,
                          const weft_loc *loc, const weft_layout_axis **out) {
    weft_layout_axis *axes = weft_arena_array(arena, weft_layout_axis, refs.n);
    if (!axes) return weft_oom();
    for (uint32_t a = 0; a < refs.n; a++)
        if (!axis_digit(mesh, refs.v[a], &axes[a]))
            return weft_report(cx, WEFT_D_sharding, loc, "the mesh has no axis \"%s\"", refs.v[a].name->text);
    *out = axes;
    return WEFT_OK;
}

static weft_status cut_dim(weft_context *cx, weft_arena *arena, const weft_mesh_attr *mesh, weft_axis_refs refs,
                           const weft_loc *loc, weft_layout_dim *dim) {
    int64_t shards = 1;
    weft_status st = digits(cx, arena, mesh, refs, loc, &dim->axes);
    if (st != WEFT_OK) return st;
    dim->axis_count = refs.n;
    for (uint32_t a = 0; a < refs.n; a++) shards *= dim->axes[a].size;
    dim->local = weft_ceil_div(dim->global, shards);
    return WEFT_OK;
}

/* The mesh position of each device, the inverse of the mesh's device ids. */
static weft_status positions(weft_context *cx, weft_arena *arena, weft_ints ids, int64_t device_count,
                             const weft_loc *loc, const int64_t **out) {
    int64_t *position = weft_arena_array(arena, int64_t, device_count);
    if (!position) return weft_oom();
    for (uint32_t i = 0; i < ids.n; i++) {
        if (ids.v[i] < 0 || ids.v[i] >= device_count)
            return weft_report(cx, WEFT_D_sharding, loc, "the mesh names device %lld of %lld", (long long)ids.v[i],
                               (long long)device_count);
        /* replica by replica */
        for (int64_t first = 0; first + ids.v[i] < device_count; first += ids.n) position[first + ids.v[i]] = first + i;
    }
    *out = position;
    return WEFT_OK;
}

static weft_status check_local(weft_context *cx, const weft_layout *l, const weft_exec_value *local,
                               const weft_loc *loc) {
    bool same = l->dtype == local->dtype && l->rank == local->rank;
    for (uint32_t d = 0; same && d < l->rank; d++) same = l->dims[d].local == local->dims[d];
    return same ? WEFT_OK
                : weft_report(cx, WEFT_D_internal, loc,
                              "the partitioned program's shapes are not those of its shardings");
}

weft_status weft_io_layout(weft_context *cx, weft_arena *arena, const weft_io *io, const weft_exec_value *local,
                           int64_t device_count, const weft_loc *loc, weft_layout *out) {
    const weft_type *type = io->global;
    const weft_sharding_attr *sharding = io->sharding ? &io->sharding->sharding : NULL;
    /* data of one device is replicated on all */
    const weft_mesh_attr *mesh = io->mesh && io->mesh->mesh.axis_count ? &io->mesh->mesh : NULL;
    weft_status st = WEFT_OK;
    if (!weft_type_is_tensor(type) || !weft_type_is_static(type))
        return weft_report(cx, WEFT_D_unsupported, loc, "arguments and results must be tensors of static shape");
    weft_layout_dim *dims = weft_arena_array(arena, weft_layout_dim, type->rank);
    if (!dims) return weft_oom();
    *out = (weft_layout){ .dtype = type->dtype, .rank = type->rank, .dims = dims, .device_count = device_count };
    for (uint32_t d = 0; st == WEFT_OK && d < type->rank; d++) {
        dims[d].global = dims[d].local = type->dims[d];
        if (sharding && mesh) st = cut_dim(cx, arena, mesh, sharding->dims[d].axes, loc, &dims[d]);
    }
    if (st == WEFT_OK && sharding && mesh && sharding->unreduced.n) {
        st = digits(cx, arena, mesh, sharding->unreduced, loc, &out->terms);
        out->term_axis_count = sharding->unreduced.n;
    }
    if (st == WEFT_OK && sharding && mesh && mesh->device_ids.n)
        st = positions(cx, arena, mesh->device_ids, device_count, loc, &out->position);
    return st == WEFT_OK && local ? check_local(cx, out, local, loc) : st;
}
