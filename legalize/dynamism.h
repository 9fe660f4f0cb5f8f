/* dynamism.h: replaces dynamic ops by static ones (inside legalize/ only). */
#ifndef WEFT_LEGALIZE_DYNAMISM_H
#define WEFT_LEGALIZE_DYNAMISM_H

#include "ir/rewrite.h"
#include "legalize/shape_fold.h"

/* Whether op takes its shape as an operand, or returns a shape. */
bool lg_is_dynamic_op(const weft_op *op);

/* The static op that replaces a dynamic op, if its shape operands are known and its result type is static; else, or
 * after a failure (b->status), NULL. in[i] are the new operands, known[i] their values. */
weft_value *lg_static_form(weft_builder *b, const weft_op *op, weft_value *const *in, const lg_known *const *known,
                           const weft_type *type);

/* The result dimensions of op that its shape operands determine: dims[] has the rank of the result and is refined in
 * place. types[i] are the operands' types so far. */
weft_status lg_refine_dims(weft_context *cx, const weft_op *op, const lg_known *const *known,
                           const weft_type *const *types, int64_t *dims);

/* dynamic_call.c: the same for custom calls that represent such ops. */
bool lg_is_dynamic_call(const weft_op *op);
/* Fills in the unknown ones of a result's dims[]. */
void lg_refine_call(weft_context *cx, const weft_op *op, const lg_known *const *known, const weft_type *const *types,
                    uint32_t result, int64_t *dims);
weft_status lg_static_call(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did);

#endif
