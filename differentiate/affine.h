/* affine.h: integer scalars of a loop's body that grow by a constant in each iteration (inside differentiate/ only).
 * */
#ifndef WEFT_DIFFERENTIATE_AFFINE_H
#define WEFT_DIFFERENTIATE_AFFINE_H

#include "differentiate/grad.h"
#include "ir/trips.h"

typedef struct gd_range {
    gd *g;
    const weft_value *counter;     /* of the body: from, from + by, ... in `trips` iterations */
    int64_t from, by, trips;
} gd_range;

/* Whether slices of this size at index v never meet, and all lie within [0, dim). */
bool gd_disjoint(const gd_range *of, weft_value *v, int64_t size, int64_t dim);

#endif
