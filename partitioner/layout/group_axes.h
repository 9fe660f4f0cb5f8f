/* group_axes.h: the mesh axes along which the groups of a collective lie, where it says its groups so. */
#ifndef WEFT_PARTITIONER_GROUP_AXES_H
#define WEFT_PARTITIONER_GROUP_AXES_H

#include "sharding/mesh.h"

typedef struct weft_group_axes {
    weft_mesh mesh;
    weft_axis store[WEFT_MAX_MESH_AXES];
    weft_axes axes;      /* major to minor */
    int64_t stride;      /* how far neighbours of a group lie apart in device order */
} weft_group_axes;

/* Of op, an op of m. *found is false where its groups list their devices, or name axes of no mesh of m. Reports a mesh
 * that is too large. */
weft_status weft_group_axes_of(const weft_module *m, const weft_op *op, weft_group_axes *out, bool *found);

#endif
