/* support: the op table for users, one row per op with the support in each room. */
#include "pipeline/pipeline.h"

static const weft_op_support table[] = {
#define OP(id, text, operands, results, regions, attrs, traits, syntax, infer, rule, local, gen, cost, grad) \
    { text, #syntax, #infer, #rule, #local, #gen, #cost },
#include "ir/ops.def"
};

size_t weft_op_support_count(void) { return WEFT_COUNT(table); }
const weft_op_support *weft_op_support_at(size_t i) { return i < WEFT_COUNT(table) ? &table[i] : NULL; }
