/* expand.h: shared by the files of weft-expand-ops (inside legalize/ only). */
#ifndef WEFT_LEGALIZE_EXPAND_H
#define WEFT_LEGALIZE_EXPAND_H

#include "ir/rewrite.h"
#include "ir/expr.h"

/* Makes the replacements of op's results, out[op->result_count]; in[] are its operands in the new module.
 */
typedef weft_status (*lg_expander)(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in,
                                   weft_value **out);

/* batch_norm.c */
weft_status lg_batch_norm_inference(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in,
                                    weft_value **out);
weft_status lg_batch_norm_training(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in,
                                   weft_value **out);
weft_status lg_batch_norm_grad(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in,
                               weft_value **out);

/* scan.c */
weft_status lg_scan(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in, weft_value **out);

/* ragged_all_to_all.c */
bool lg_is_ragged_all_to_all(const weft_op *op);
weft_status lg_ragged_all_to_all(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in,
                                 weft_value **out);

/* expand.c: the pass's op function, for ops inside of the op that is replaced. */
weft_status lg_offer(weft_rewrite *r, weft_builder *b, const weft_op *op);

#endif
