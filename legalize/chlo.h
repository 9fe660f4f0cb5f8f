/* chlo.h: shared by the files that decompose CHLO's ops (inside legalize/ only). */
#ifndef WEFT_LEGALIZE_CHLO_H
#define WEFT_LEGALIZE_CHLO_H

#include "ir/rewrite.h"
#include "legalize/expr.h"

/* Makes the value that takes the place of op's one result; in[] are its operands in the new module. */
typedef weft_value *(*lg_maker)(weft_builder *b, const weft_op *op, weft_value *const *in);

/* For a pass's op function: replaces op by what make makes, which gets op's discardable attributes and name. Does nothing to an
 * op with a dynamic shape. */
weft_status lg_replace(weft_rewrite *r, weft_builder *b, const weft_op *op, lg_maker make, weft_rewritten *did);

/* A pass that offers every op to fn; *out is left alone when no op of in is wanted. */
weft_status lg_run(const weft_module *in, weft_status (*fn)(weft_rewrite *, weft_builder *, const weft_op *, weft_rewritten *),
                   bool (*wanted)(const weft_op *), weft_module **out);

/* chlo_broadcast.c */
bool lg_is_broadcast(const weft_op *op);
weft_value *lg_expand_broadcast(weft_builder *b, const weft_op *op, weft_value *const *in);

/* One formula: x[] are the operands, of one type, after conversion to the type the table names. */
typedef lg_value (*lg_formula)(lg *g, const lg_value *x);

/* chlo_elementary.c: real */
lg_value lg_acos(lg *g, const lg_value *x);
lg_value lg_acosh(lg *g, const lg_value *x);
lg_value lg_asin(lg *g, const lg_value *x);
lg_value lg_asinh(lg *g, const lg_value *x);
lg_value lg_atan(lg *g, const lg_value *x);
lg_value lg_atanh(lg *g, const lg_value *x);
lg_value lg_cosh(lg *g, const lg_value *x);
lg_value lg_sinh(lg *g, const lg_value *x);
lg_value lg_tan(lg *g, const lg_value *x);     /* complex too */

#endif
