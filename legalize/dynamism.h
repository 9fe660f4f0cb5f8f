/* dynamism.h: dynamic ops in terms of static ones (inside legalize/ only). */
#ifndef WEFT_LEGALIZE_DYNAMISM_H
#define WEFT_LEGALIZE_DYNAMISM_H

#include "ir/rewrite.h"
#include "legalize/shape_fold.h"

/* Whether op is one whose shape is an operand, or one that asks for a shape. */
bool lg_is_dynamic_op(const weft_op *op);

/* Where the shape operands of a dynamic op are known and its result type is static, the static op in its place; NULL
 * where that is not so, or after a failure (b->status). in[i] are the new operands, known[i] their values. */
weft_value *lg_static_form(weft_builder *b, const weft_op *op, weft_value *const *in, const lg_known *const *known,
                           const weft_type *type);

/* What is known of op's result dimensions by its shape operands: dims[] has the rank of the result and is refined in
 * place. types[i] are the operands' types so far. */
weft_status lg_refine_dims(weft_context *cx, const weft_op *op, const lg_known *const *known,
                           const weft_type *const *types, int64_t *dims);

/* dynamic_call.c: the same for custom calls that stand for such ops. */
bool lg_is_dynamic_call(const weft_op *op);
/* dims[] are those of a result, of which what is not known yet is filled in. */
void lg_refine_call(weft_context *cx, const weft_op *op, const lg_known *const *known, const weft_type *const *types,
                    uint32_t result, int64_t *dims);
weft_status lg_static_call(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did);

#endif
