/* body.h: the block of a reducer or comparator as a list of scalar instructions, each computed once.
 *
 * Operands are numbered: the block's arguments first, then the instructions in order. A body may hold any scalars; what
 * is shared is shared here as well, and equal bodies have equal keys.
 */
#ifndef WEFT_CODEGEN_BODY_H
#define WEFT_CODEGEN_BODY_H

#include "codegen/graph.h"

typedef struct cg_body_ins {
    const cg_node *node;    /* CG_SCALAR or CG_SPLAT */
    uint32_t in[3];         /* numbers */
} cg_body_ins;

typedef struct cg_body {
    uint32_t arg_count, count, result_count;
    cg_body_ins *ins;
    uint32_t *results;      /* numbers */
} cg_body;

/* WEFT_ERR_UNSUPPORTED, without a diagnostic and with *culprit set, when b holds something that is not a scalar
 * instruction on its arguments; WEFT_ERR_MEMORY. The list lies in arena. */
weft_status cg_body_read(weft_arena *arena, const cg_block *b, cg_body *out, const cg_node **culprit);

/* The same, reported at the node. */
weft_status cg_body_check(cg_graph *g, const cg_block *b);

/* How a reducer (n values, n others) may be applied to a row: body_commutes.c. */
cg_fold_order cg_body_order(cg_graph *g, const cg_block *b);

/* The body as numbers, appended by put. */
void cg_body_key(const cg_body *b, void (*put)(void *user, int64_t v), void *user);

#endif
