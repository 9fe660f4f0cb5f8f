/* shape_fold.h: integer vectors whose values are known while a program is rewritten, or its open sizes are found.
 *
 * Sizes of dimensions are computed by ordinary ops on small tensors of integers and booleans. Those that depend only on
 * constants and types are evaluated here with the ops' semantics: sums wrap, shifts beyond the width give 0, a quotient
 * by 0 is unknown.
 */
#ifndef WEFT_LEGALIZE_SHAPE_FOLD_H
#define WEFT_LEGALIZE_SHAPE_FOLD_H

#include "ir/module.h"

/* A tensor's elements in row-major order, as 64-bit integers of its type; v is NULL if they are not known. */
typedef struct lg_known {
    weft_dtype dtype;
    uint32_t rank;
    const int64_t *dims, *v;
    int64_t n;
} lg_known;

enum { LG_KNOWN_MOST = 1024 }; /* most elements of a value that is evaluated */

/* A constant's value; its v is NULL if its elements are not integers or too many. */
weft_status lg_known_constant(weft_arena *arena, const weft_attr *dense, lg_known *out);

/* The value of op's one result. in[i] is operand i's value, types[i] its type as far as known; both count where op has
 * old types. out->v stays NULL if the value cannot be computed. */
weft_status lg_fold(weft_arena *arena, const weft_op *op, const lg_known *const *in, const weft_type *const *types,
                    lg_known *out);

#endif
