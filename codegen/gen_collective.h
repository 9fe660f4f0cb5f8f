/* gen_collective.h: what the makers of collectives share. For codegen/gen_*.c only.
 *
 * A collective is one node with the operands of a call and a part per result (CG_COLLECTIVE; cg_coll says which
 * devices).
 */
#ifndef WEFT_CODEGEN_GEN_COLLECTIVE_H
#define WEFT_CODEGEN_GEN_COLLECTIVE_H

#include "codegen/import.h"
#include "cost/plan.h"

/* A new cg_coll of this kind with op's groups, and the groups alone into one that is there. */
weft_status cg_coll_begin(cg_import *im, const weft_op *op, weft_coll_kind_plan kind, cg_coll **out);
weft_status cg_coll_groups(cg_import *im, const weft_op *op, cg_coll *c);
/* Every device is a group of its own, so that results are operands. */
bool cg_coll_alone(const cg_import *im, const cg_coll *c);
/* The first n operands of op in the element types of its results, in a list with room for all operands. */
weft_status cg_coll_operands(cg_import *im, const weft_op *op, uint32_t n, cg_node ***out);
/* The step: n operands, c->tables among them, and one result each of types[] into out[]. */
weft_status cg_coll_step(cg_import *im, cg_coll *c, cg_node *const *in, uint32_t n, const weft_type *const *types,
                         cg_node **out);
/* An all_reduce or reduce_scatter (c->kind) by op's body: a step that adds by it, or else a fold. */
weft_status cg_coll_reduce(cg_import *im, const weft_op *op, cg_coll *c, cg_node *const *in,
                           const weft_type *const *types, cg_node **out);
/* The same by any body: every device gets what there is to combine and does so, in the order of the group. */
weft_status cg_coll_fold(cg_import *im, const weft_op *op, const cg_coll *c, const cg_block *body, cg_node *const *in,
                         cg_node **out);

#endif
