/* combine.h: what combine_collectives and its helpers share. */
#ifndef WEFT_PARTITIONER_COMBINE_H
#define WEFT_PARTITIONER_COMBINE_H

#include "ir/rewrite.h"

#define WEFT_MAX_COMBINED 256 /* calls that become one */

/* Writes the members (reduce_scatter ops of the old module with equal groups, reducers and element types) as one call
 * at b and maps their results. b has the location. */
weft_status weft_pack_reduce_scatters(weft_rewrite *r, weft_builder *b, const weft_op *const *members, uint32_t n);

#endif
