/* import.h: from a module to a graph, op by op. Column `gen` of ops.def names the function that imports an op. */
#ifndef WEFT_CODEGEN_IMPORT_H
#define WEFT_CODEGEN_IMPORT_H

#include "codegen/compile.h"
#include "codegen/graph.h"

typedef struct cg_priced cg_priced;

typedef struct cg_import cg_import;

/* Makes the op's nodes and records them with cg_set. Reports what it cannot do, at the op. */
typedef weft_status (*cg_gen)(cg_import *im, const weft_op *op);

struct cg_import {
    cg_graph *g;
    const cg_gen *gen_of;   /* by weft_op_kind: what imports an op */
    const weft_compile_options *opt;
    const weft_module *m;
    weft_grid grid;         /* what the program runs on */
    weft_group_list groups; /* of its collectives, in the graph's arena */
    cg_node **value;        /* by value id */
    uint32_t depth;         /* of calls */
    uint32_t draws;         /* ops that draw random numbers so far */
    cg_node *turn;          /* how many turns loops that draw have taken, a ui64; NULL: none yet */
    cg_priced *priced, *last_priced; /* calls without code: custom_priced.h */
};

extern const cg_gen weft_gen_of[]; /* gen_table.c */

#define NAME(gen) weft_status weft_gen_##gen(cg_import *im, const weft_op *op);
#include "ir/ops-gen.def"

/* The whole of @main into the graph's first block. */
weft_status cg_import_main(cg_graph *g, const weft_module *m, const weft_compile_options *opt, weft_grid grid,
                           cg_block **main);

/* The ops of b into the graph's current block; the terminator's operands are then the block's results. */
weft_status cg_import_ops(cg_import *im, const weft_block *b);
/* A region as a block of its own, its arguments as CG_ARGUMENT nodes. */
weft_status cg_import_region(cg_import *im, const weft_region *r, cg_block **out);
/* The same for regions that draw random numbers: the count of turns is one more argument, or one more result, of which
 * NEXT is one more. im->turn is then that of the region's end. */
typedef enum cg_turn { CG_TURN_ARGUMENT = 1 << 0, CG_TURN_RESULT = 1 << 1, CG_TURN_NEXT = 1 << 2 } cg_turn;
weft_status cg_import_block(cg_import *im, const weft_region *r, unsigned turn, cg_block **out);
/* The same for a region that combines scalars: its block holds scalar instructions only, or that is reported. */
weft_status cg_import_body(cg_import *im, const weft_region *r, cg_block **out);
/* Gives each result of b memory of its own. */
typedef enum cg_results_of { CG_OF_MAIN, CG_OF_REGION } cg_results_of;
weft_status cg_own_results(cg_graph *g, cg_block *b, cg_results_of of);
/* The value of body for these arguments, element by element: body of scalars, arguments of equal shape. */
cg_node *cg_inline_body(cg_graph *g, const cg_block *body, cg_node *const *args, uint32_t result);

static inline cg_node *cg_of(const cg_import *im, const weft_op *op, uint32_t operand) {
    return im->value[op->operands[operand]->id];
}
/* The status of the graph when n is NULL. */
weft_status cg_set(cg_import *im, const weft_op *op, uint32_t result, cg_node *n);

#endif
