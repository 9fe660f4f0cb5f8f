/* spelling.h: meshes and shardings that a user writes by hand, in C or on a command line.
 *
 *     mesh      data=2, model=4
 *     sharding  data*model?, -, ? p1; unreduced x              one dimension after another; a part of an axis: x:(1)2
 *               [{"data", "model", ?}, {}, {?}p1], unreduced={"x"}   the same as sdy writes it, without its mesh
 *
 * Mistakes are reported at the given location, with the column in the text. A location with a column is that of the
 * text's first character.
 */
#ifndef WEFT_SHARDING_SPELLING_H
#define WEFT_SHARDING_SPELLING_H

#include "ir/attr.h"

/* A MESH. */
weft_status weft_mesh_spelled(weft_context *cx, const weft_loc *loc, weft_str text, const weft_attr **out);

/* A SHARDING over the mesh with these axes, to which `ref` refers (SYMBOL or MESH). Refuses axes that the mesh has not
 * or that are used twice, and another number of dimensions than rank. */
weft_status weft_sharding_spelled(weft_context *cx, const weft_loc *loc, const weft_attr *ref,
                                  const weft_mesh_attr *mesh, uint32_t rank, weft_str text, const weft_attr **out);

#endif
