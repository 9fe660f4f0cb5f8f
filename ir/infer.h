/* infer.h: the families of the column "infer" (inside ir/ only).
 *
 * Each family is one function weft_infer_<x> in ir/infer_*.c. It is called with an op whose operand, result and region
 * counts and attribute kinds already agree with the table; it checks the dialect's rules and fills types[] with the
 * result types. NULL entries are results that the op may choose; the function has then checked the given ones. A family
 * never looks at the ops inside regions except through weft_check_body and the terminator.
 */
#ifndef WEFT_IR_INFER_H
#define WEFT_IR_INFER_H

#include "ir/check.h"

typedef weft_status (*weft_infer_fn)(weft_checker *c, const weft_op *op, const weft_type **types);
extern const weft_infer_fn weft_infer_of[]; /* ir/infer.c; by weft_op_kind */

#define NAME(infer) weft_status weft_infer_##infer(weft_checker *c, const weft_op *op, const weft_type **types);
#include "ir/ops-infer.def"

#endif
