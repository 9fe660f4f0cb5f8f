/* slots.h: which results of a loop's body or of a branch are computed where the results of the loop or branch lie. */
#ifndef WEFT_CODEGEN_SLOTS_H
#define WEFT_CODEGEN_SLOTS_H

#include "codegen/lifetimes.h"

/* Sets l->in_slot; uses are known. */
void cg_keep_slots(const cg_lifetimes *l);

/* What the blocks of a branch do, in the order in which they run. */
typedef struct cg_branches {
    const cg_node *step;
    const cg_lifetimes *of; /* by block: uses, and what is in its slot */
} cg_branches;

weft_status cg_branches_of(const cg_graph *g, const cg_node *step, struct cg_layout *const *inner, weft_arena *a,
                           cg_branches *out);
/* May result w of the branch lie in the memory of old, an argument of the block that the branch stands in? */
bool cg_branches_may_overwrite(const cg_branches *x, const cg_block *outside, const cg_node *old, const cg_node *w);

#endif
