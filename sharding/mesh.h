/* mesh.h: a mesh is an ordered list of named axes over devices, the last axis fastest.
 *
 * Immutable once made. Device i of the mesh (row-major over the axes) is device_ids[i], or i when there are no ids. A
 * mesh without axes and with one device id is maximal: everything on that device. At most 64 axes, so a set of axes is
 * a word. Authority: Shardy, docs/sharding_representation.md.
 */
#ifndef WEFT_SHARDING_MESH_H
#define WEFT_SHARDING_MESH_H

#include "ir/module.h"
#include "sharding/axis.h"

#define WEFT_NO_AXIS UINT32_MAX
#define WEFT_MAX_MESH_AXES 64

typedef struct weft_mesh {
    weft_name name;               /* its symbol; NULL if it is written inside a sharding */
    const weft_attr *attr;        /* MESH */
    const weft_attr *ref;         /* the mesh in a sharding attribute: SYMBOL, or attr */
    const weft_mesh_axis *axes;
    uint32_t axis_count;
    uint32_t id;                  /* dense in its table */
    int64_t device_count;
    weft_ints device_ids;         /* n == 0: iota */
} weft_mesh;

/* Fills *out from a MESH attribute; name may be NULL. Reports too many axes or devices at loc. */
weft_status weft_mesh_init(weft_context *cx, weft_name name, const weft_attr *attr, const weft_loc *loc,
                           weft_mesh *out);

static inline bool weft_mesh_is_empty(const weft_mesh *m) { return m->axis_count == 0 && m->device_ids.n == 0; }
static inline bool weft_mesh_is_maximal(const weft_mesh *m) { return m->axis_count == 0 && m->device_ids.n == 1; }
bool weft_mesh_same_axes(const weft_mesh *a, const weft_mesh *b);    /* same axes; the device orders may differ */
bool weft_mesh_same_order(const weft_mesh *a, const weft_mesh *b);   /* same device ids, over any axes */
/* same axes and same device ids; names may differ */
bool weft_mesh_same_devices(const weft_mesh *a, const weft_mesh *b);

uint32_t weft_mesh_find(const weft_mesh *m, weft_name axis);         /* WEFT_NO_AXIS when absent */
static inline weft_axis weft_mesh_axis_at(const weft_mesh *m, uint32_t i) {
    return (weft_axis){ i, 1, (uint32_t)m->axes[i].size };
}

/* A device's place is its position in the mesh, the last axis fastest. The distance of neighbours along a, in
 * places: */
int64_t weft_mesh_stride(const weft_mesh *m, weft_axis a);
/* The coordinate along axes, major to minor, of a place; and the place that has another coordinate there and is equal
 * elsewhere. */
int64_t weft_mesh_number(const weft_mesh *m, weft_axes axes, int64_t place);
int64_t weft_mesh_place(const weft_mesh *m, weft_axes axes, int64_t place, int64_t number);
static inline int64_t weft_mesh_device_at(const weft_mesh *m, int64_t place) {
    return m->device_ids.n ? m->device_ids.v[place] : place;
}

/* The ref as written, and the inverse. Returns false, with *out unchanged, if the name is not an axis of m. */
bool weft_axis_from_ref(const weft_mesh *m, weft_axis_ref ref, weft_axis *out);
weft_axis_ref weft_axis_to_ref(const weft_mesh *m, weft_axis a);

/* "x", "x":(2)4 with quotes, as sdy writes it; a list is joined by ", " without brackets. */
void weft_axis_print(weft_buf *b, const weft_mesh *m, weft_axis a);
void weft_axes_print(weft_buf *b, const weft_mesh *m, weft_axes a);

#endif
