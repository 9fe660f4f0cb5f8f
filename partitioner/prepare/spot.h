/* spot.h: where the elements of a piece lie in a whole of equal rank.
 *
 * Element j of the piece along dimension d is the whole's element at[d] + j * step[d]. A concatenation, a pad without
 * negative edges, an update of a slice and a scatter at places that follow each other evenly put pieces into spots.
 */
#ifndef WEFT_PARTITIONER_SPOT_H
#define WEFT_PARTITIONER_SPOT_H

#include "partitioner/prepare/sharded.h"

typedef struct weft_spot {
    int64_t at[WEFT_MAX_RANK], step[WEFT_MAX_RANK], n[WEFT_MAX_RANK]; /* step: 1 and more, and 1 where n is 1 */
} weft_spot;

/* Whether the piece has all of the whole along d. */
bool weft_spot_is_full(const weft_spot *s, const weft_type *whole, uint32_t d);

/* Values of the whole's type: inside where the spot's elements are, outside elsewhere. Lies as op's result, whose
 * sharding is s. */
weft_value *weft_spot_select(weft_shardings *t, weft_builder *b, const weft_op *op, const weft_sharding *s,
                             const weft_spot *spot, weft_value *inside, weft_value *outside);

#endif
