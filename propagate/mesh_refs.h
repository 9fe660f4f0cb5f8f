/* mesh_refs.h: maps the meshes named in an attribute: in shardings and in replica groups by mesh axes, at any depth of
 * lists and dictionaries. */
#ifndef WEFT_PROPAGATE_MESH_REFS_H
#define WEFT_PROPAGATE_MESH_REFS_H

#include "ir/module.h"

/* The replacement of ref, a SYMBOL or a MESH; ref itself to keep it, NULL when memory is out. */
typedef const weft_attr *(*weft_mesh_ref_map)(void *user, const weft_attr *ref);

/* a with every mesh mapped; a itself when nothing changes; NULL when memory is out. */
const weft_attr *weft_map_mesh_refs(weft_context *cx, const weft_attr *a, weft_mesh_ref_map map, void *user);
/* The same for all attributes of op, a copy under construction. */
weft_status weft_map_mesh_refs_of(weft_module *m, weft_op *op, weft_mesh_ref_map map, void *user);

#endif
