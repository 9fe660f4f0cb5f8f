/* sharded.h: rewriting a module whose values have shardings, op by op. */
#ifndef WEFT_PARTITIONER_SHARDED_H
#define WEFT_PARTITIONER_SHARDED_H

#include "ir/pass.h"
#include "ir/rewrite.h"
#include "sharding/values.h"

/* weft_rewrite.user of weft_sharded_rewrite. */
typedef struct weft_sharded { weft_context *cx; weft_shardings *shardings; } weft_sharded;

/* Offers each op to `offered`, if there is one that `concerns`; otherwise *out is left alone. */
weft_status weft_sharded_rewrite(weft_pass *p, const weft_module *in, bool (*concerns)(const weft_op *op),
                                 weft_status (*offered)(weft_rewrite *r, weft_builder *b, const weft_op *op,
                                                        weft_rewritten *did),
                                 weft_module **out);

/* op's sharding for v, a value of the same rank; NULL when b has failed. */
weft_value *weft_sharded_like(weft_builder *b, const weft_op *op, weft_value *v);

#define WEFT_NO_DIM UINT32_MAX
/* The sharding of `like` for v, an op's one result: dimension d of v lies as from[d] of `like`, or whole where that is
 * WEFT_NO_DIM. NULL when b has failed. */
weft_value *weft_sharded_as(const weft_sharded *w, weft_builder *b, const weft_value *like, const uint32_t *from,
                            weft_value *v);

#endif
