/* syntax.c: the column expanded, and `generic`. */
#include "mlir/syntax.h"

/* Ops without a pretty form. Several named results give their names to the values. */
const weft_syntax weft_syntax_generic = { 0 };
const weft_syntax weft_syntax_batch_norm_grad = { .results = { PR_WORD_grad_operand, PR_WORD_grad_scale,
                                                               PR_WORD_grad_offset } };
const weft_syntax weft_syntax_batch_norm_training = { .results = { PR_WORD_output, PR_WORD_batch_mean,
                                                                   PR_WORD_batch_var } };

const weft_syntax *const weft_syntax_of[WEFT_OP_COUNT] = {
#define OP(id, text, operands, results, regions, attrs, traits, syntax, infer, rule, local, gen, cost, grad) \
    [WEFT_OP_##id] = &weft_syntax_##syntax,
#include "ir/ops.def"
};

bool pr_has(const weft_op *op, weft_attr_name name, weft_attr_kind kind) {
    const weft_attr *a = weft_op_attr(op, name);
    return a && a->kind == kind;
}

bool pr_has_or_lacks(const weft_op *op, weft_attr_name name, weft_attr_kind kind) {
    const weft_attr *a = weft_op_attr(op, name);
    return !a || a->kind == kind;
}

bool pr_keyword_of(const weft_op *op, weft_attr_name name, weft_enum_set set) {
    const weft_attr *a = weft_op_attr(op, name);
    return !a || weft_attr_is_keyword(a, set);
}

