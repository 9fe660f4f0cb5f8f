/* called.h: computations that a custom call names, as regions of the op that takes its place (inside legalize/ only).
 */
#ifndef WEFT_LEGALIZE_CALLED_H
#define WEFT_LEGALIZE_CALLED_H

#include "ir/rewrite.h"

/* The body of the function that is the call's one called computation, or NULL. */
const weft_block *lg_called_body(const weft_op *op);

/* The first region of made, which is empty: a copy of body. The builder's status says whether that went well. */
void lg_copy_body(weft_rewrite *r, weft_builder *at, weft_op *made, const weft_block *body);

#endif
