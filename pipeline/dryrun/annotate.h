/* annotate.h: a program with other annotations than its author's: what if?
 *
 * Functions change m in place unless they have an out. m is a program that was read (func.func @main with a body).
 * Mistakes in texts are reported at loc, which is NULL for texts of a command line.
 */
#ifndef WEFT_PIPELINE_DRYRUN_ANNOTATE_H
#define WEFT_PIPELINE_DRYRUN_ANNOTATE_H

#include "ir/builder.h"

/* m without meshes and shardings (variants.h). Refuses a manual computation, whose body is for the mesh. */
weft_status weft_module_without_shardings(const weft_module *m, weft_module **out);

/* The mesh "data=8, model=4" as @mesh, for a program that has none. */
weft_status weft_module_add_mesh(weft_module *m, const weft_loc *loc, weft_str spec);
/* "data=8,model=4": the axes of m's first mesh; nothing if it has none. */
void weft_module_mesh_spec(const weft_module *m, weft_buf *b);
/* Whether m has a mesh with a symbol. */
bool weft_module_has_mesh(const weft_module *m);

/* Every argument that the pattern covers (arguments.h) gets the sharding that the text spells (sharding/spelling.h),
 * over the mesh of its old sharding or else m's first; so does the result to which it is donated. change:
 * "PATTERN=SPELLING". */
weft_status weft_module_shard_arguments(weft_module *m, const weft_loc *loc, weft_str change);
/* The same for each line of a file's text; lines that are empty or begin with # say nothing. */
weft_status weft_module_shard_lines(weft_module *m, const char *file, weft_str text);

/* Sets the sharding of an argument or result (side: WEFT_A_arg_attrs or WEFT_A_res_attrs), or of all; NULL removes
 * it. */
weft_status weft_module_set_sharding(weft_module *m, weft_attr_name side, uint32_t i, const weft_attr *sharding);
weft_status weft_module_set_shardings(weft_module *m, weft_attr_name side, const weft_attr *const *shardings);

/* Donates every argument that the pattern covers: a result of its type takes its memory, if one is left. */
weft_status weft_module_donate_arguments(weft_module *m, const weft_loc *loc, weft_str pattern);

#endif
