/* executable.c: an executable's life, and the distances of its groups. */
#include "exec/executable.h"

weft_executable *weft_executable_new(const weft_allocator *alloc) {
    weft_arena arena;
    weft_arena_init(&arena, alloc);
    weft_executable *x = weft_arena_new(&arena, weft_executable);
    if (x) x->arena = arena;
    return x;
}

void weft_executable_free(weft_executable *x) {
    if (!x) return;
    weft_arena arena = x->arena; /* x lives in it */
    weft_arena_free(&arena);
}

int64_t weft_group_axis_stride(const weft_exec_mesh *mesh, const weft_group_axis *a) {
    int64_t stride = mesh->sizes[a->axis] / (a->pre_size * a->size);
    for (uint32_t k = a->axis + 1; k < mesh->axis_count; k++) stride *= mesh->sizes[k];
    return stride;
}

int64_t weft_group_stride(const weft_executable *x, const weft_group *g) {
    int64_t stride = 1;
    if (g->members) stride = g->size > 1 ? g->members[1] - g->members[0] : 1;
    else if (g->axis_count) stride = weft_group_axis_stride(&x->meshes[g->mesh], &g->axes[g->axis_count - 1]);
    return stride > 0 ? stride : -stride;
}
