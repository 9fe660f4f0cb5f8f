/* chlo.h: shared by the files that decompose CHLO's ops (inside legalize/ only). */
#ifndef WEFT_LEGALIZE_CHLO_H
#define WEFT_LEGALIZE_CHLO_H

#include "ir/rewrite.h"
#include "ir/expr.h"

/* Makes the replacement of op's one result; in[] are its operands in the new module. */
typedef weft_value *(*lg_maker)(weft_builder *b, const weft_op *op, weft_value *const *in);

/* For a pass's op function: replaces op by the result of make, which gets op's discardable attributes and name. Does
 * nothing to an op with a dynamic shape. */
weft_status lg_replace(weft_rewrite *r, weft_builder *b, const weft_op *op, lg_maker make, weft_rewritten *did);

/* A pass that offers every op to fn; *out is left NULL if no op of in is wanted. */
weft_status lg_run(const weft_module *in,
                   weft_status (*fn)(weft_rewrite *, weft_builder *, const weft_op *, weft_rewritten *),
                   bool (*wanted)(const weft_op *), weft_module **out);

/* chlo_broadcast.c */
bool lg_is_broadcast(const weft_op *op);
weft_value *lg_expand_broadcast(weft_builder *b, const weft_op *op, weft_value *const *in);

/* One formula. x[]: the operands, converted to the type that the table names. p: LG_FULL for f64, else LG_SHORT. */
typedef enum lg_precision { LG_SHORT, LG_FULL } lg_precision; /* rounded to f32 or less; f64 */
typedef lg_value (*lg_formula)(lg *g, const lg_value *x, lg_precision p);

#define LG_FORMULA(name) lg_value name(lg *g, const lg_value *x, lg_precision p)
LG_FORMULA(lg_acos); LG_FORMULA(lg_acosh); LG_FORMULA(lg_asin); LG_FORMULA(lg_asinh); LG_FORMULA(lg_atan); LG_FORMULA(lg_atanh);
/* chlo_elementary.c */
LG_FORMULA(lg_cosh); LG_FORMULA(lg_sinh); LG_FORMULA(lg_tan);
LG_FORMULA(lg_complex_acos); LG_FORMULA(lg_complex_acosh); LG_FORMULA(lg_complex_asin); LG_FORMULA(lg_complex_asinh);
LG_FORMULA(lg_complex_atan); LG_FORMULA(lg_complex_atanh); LG_FORMULA(lg_complex_cosh); LG_FORMULA(lg_complex_sinh);
LG_FORMULA(lg_complex_kernel);                                                                    /* chlo_complex.c */
LG_FORMULA(lg_erf); LG_FORMULA(lg_erfc); LG_FORMULA(lg_erf_inv); LG_FORMULA(lg_bessel_i1e);       /* chlo_erf.c */
LG_FORMULA(lg_lgamma); LG_FORMULA(lg_digamma); LG_FORMULA(lg_zeta); LG_FORMULA(lg_polygamma);     /* chlo_gamma.c */

#endif
