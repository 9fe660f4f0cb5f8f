/* called.h: the computations that a custom call names, as regions of its replacement (inside legalize/ only).
 */
#ifndef WEFT_LEGALIZE_CALLED_H
#define WEFT_LEGALIZE_CALLED_H

#include "ir/rewrite.h"

/* The body of the function that is the call's one called computation, or NULL. */
const weft_block *lg_called_body(const weft_op *op);

/* Copies body into made's first region, which is empty. The builder's status says whether that succeeded. */
void lg_copy_body(weft_rewrite *r, weft_builder *at, weft_op *made, const weft_block *body);

#endif
