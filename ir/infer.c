/* infer.c: the column "infer" of the op table. */
#include "ir/infer.h"

const weft_infer_fn weft_infer_of[WEFT_OP_COUNT] = {
#define OP(id, text, operands, results, regions, attrs, traits, syntax, infer, rule, local, gen, cost, grad) \
    [WEFT_OP_##id] = weft_infer_##infer,
#include "ir/ops.def"
};
