/* shape_fold.h: values of integer vectors that are known while a program is rewritten (inside legalize/ only).
 *
 * Sizes of dimensions are computed by ordinary ops on small tensors of integers and booleans. What of that depends on
 * constants and on types alone is computed here, as the ops would: sums wrap, shifts beyond the width give 0, a
 * quotient by 0 is unknown.
 */
#ifndef WEFT_LEGALIZE_SHAPE_FOLD_H
#define WEFT_LEGALIZE_SHAPE_FOLD_H

#include "ir/module.h"

/* A tensor's elements in row-major order, as 64-bit integers of its type; v is NULL where nothing is known. */
typedef struct lg_known {
    weft_dtype dtype;
    uint32_t rank;
    const int64_t *dims, *v;
    int64_t n;
} lg_known;

enum { LG_KNOWN_MOST = 1024 }; /* elements that are worth following */

/* A constant's value; its v is NULL when it is none of integers or too large. */
weft_status lg_known_constant(weft_arena *arena, const weft_attr *dense, lg_known *out);

/* op's one result. in[i] is operand i's value, types[i] its type as far as it is known; both count where op is of old
 * types. out->v stays NULL when the value cannot be found. */
weft_status lg_fold(weft_arena *arena, const weft_op *op, const lg_known *const *in, const weft_type *const *types,
                    lg_known *out);

#endif
