/* lapack_call.h: jaxlib's custom calls to LAPACK, as rules read them and make them again (inside differentiate/ only).
 */
#ifndef WEFT_DIFFERENTIATE_LAPACK_CALL_H
#define WEFT_DIFFERENTIATE_LAPACK_CALL_H

#include "differentiate/matrix.h"

/* A letter of the call's configuration, one of allowed; 0: it has none, and the op is refused. */
char gd_letter(gd *g, const weft_op *op, const char *name, const char *allowed);

/* op's call over other operands of the same types, with results of these types. Up to two letters of its configuration,
 * by name (NULL: none), are `letter` in the new one. */
weft_op *gd_call_again(gd *g, const weft_op *op, weft_value *const *operands, const weft_type *const *types,
                       const char *const names[2], char letter);

#endif
