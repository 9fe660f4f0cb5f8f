/* changes.h: changes of a whole program before it is partitioned. Each makes *m, the caller's, another module; after a
 * failure, which is reported, *m is still to be freed. */
#ifndef WEFT_PIPELINE_DRYRUN_CHANGES_H
#define WEFT_PIPELINE_DRYRUN_CHANGES_H

#include "pipeline/dryrun/strategy.h"

/* Gives sizes that the program leaves open, "seq=8192" (sizes.h; none: as it is), and then another size to its batch
 * (batch.h; 0: as it is). A program without @main is refused. */
weft_status weft_module_resize(weft_module **m, const char *const *sizes, size_t n, int64_t batch);

/* Removes meshes, shardings and constraints. */
weft_status weft_module_make_bare(weft_module **m);

/* One function without shardings, over the mesh "data=8,model=4"; NULL: over the axes of the program's first one. */
weft_status weft_module_make_plain(const char *mesh, weft_module **m);

/* A strategist (strategy.h) of *m, which becomes plain. strategy: "fsdp+tp", or NULL: none yet. In arena.
 * What it decides becomes constraints, of which the user has made none: plan it with warnings of constraints off. */
weft_status weft_strategist_begin(const char *strategy, const char *mesh, weft_module **m, weft_arena *arena,
                                  weft_strategist **s);

/* *m becomes what the strategist has decided. */
weft_status weft_strategist_end(const weft_strategist *s, weft_module **m);

#endif
