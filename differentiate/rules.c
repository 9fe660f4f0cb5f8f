/* rules.c: the column "grad" of ops.def. */
#include "differentiate/rules.h"

const gd_rule gd_rules[WEFT_OP_COUNT] = {
#define OP(id, text, operands, results, regions, attrs, traits, syntax, infer, rule, local, gen, cost, grad) \
    [WEFT_OP_##id] = gd_rule_##grad,
#include "ir/ops.def"
};
