/* gen_table.c: the column "gen" of the op table. */
#include "codegen/import.h"

const cg_gen weft_gen_of[WEFT_OP_COUNT] = {
#define OP(id, text, operands, results, regions, attrs, traits, syntax, infer, rule, local, gen, cost, grad) \
    [WEFT_OP_##id] = weft_gen_##gen,
#include "ir/ops.def"
};
