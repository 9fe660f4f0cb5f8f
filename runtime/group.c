/* group: resolves a step's group, given by mesh axes or as a list, for one device. */
#include "runtime/group.h"

static int dense_members(const weft_group *g, int64_t device, int *members) {
    for (int64_t row = 0; row < g->group_count; row++) {
        const int64_t *m = g->members + row * g->size;
        bool found = false;
        int n = 0;
        for (; n < g->size && m[n] >= 0; n++) found |= m[n] == device;
        for (int i = 0; found && i < n; i++) members[i] = (int)m[i];
        if (found) return n;
    }
    return 0;
}

static int64_t position_of(const weft_exec_mesh *mesh, int64_t device) {
    int64_t count = 1;
    if (!mesh->device_ids) return device;
    for (uint32_t k = 0; k < mesh->axis_count; k++) count *= mesh->sizes[k];
    for (int64_t p = 0; p < count; p++)
        if (mesh->device_ids[p] == device) return p;
    return -1;
}

int weft_group_members(const weft_executable *x, const weft_group *g, int64_t device, int *members) {
    if (g->members) return dense_members(g, device, members);
    const weft_exec_mesh *mesh = &x->meshes[g->mesh];
    int64_t partition = device % x->partition_count, replica = device - partition;
    int64_t position = position_of(mesh, partition), first = position;
    if (position < 0) return 0;
    for (uint32_t a = 0; a < g->axis_count; a++) {
        int64_t stride = weft_group_axis_stride(mesh, &g->axes[a]);
        first -= position / stride % g->axes[a].size * stride;
    }
    for (int64_t i = 0; i < g->size; i++) {
        int64_t p = first, rest = i;
        for (uint32_t a = g->axis_count; a-- > 0; rest /= g->axes[a].size)
            p += rest % g->axes[a].size * weft_group_axis_stride(mesh, &g->axes[a]);
        members[i] = (int)(replica + (mesh->device_ids ? mesh->device_ids[p] : p));
    }
    return (int)g->size;
}

void weft_group_partners(const weft_group *g, int64_t device, int *source, int *target) {
    *source = *target = -1;
    for (int64_t i = 0; i < g->pair_count; i++) {
        if (g->pairs[2 * i + 1] == device) *source = (int)g->pairs[2 * i];
        if (g->pairs[2 * i] == device) *target = (int)g->pairs[2 * i + 1];
    }
}
