/* rewrite.h: a new module from an old one, op by op. What most passes have in common: blocks and arguments are copied,
 * every op is offered to the pass, and ops that it leaves alone are cloned. */
#ifndef WEFT_IR_REWRITE_H
#define WEFT_IR_REWRITE_H

#include "ir/builder.h"

typedef enum weft_rewritten { WEFT_KEEP, WEFT_DONE } weft_rewritten;

typedef struct weft_rewrite weft_rewrite;
struct weft_rewrite {
    void *user;
    /* Sets *did to WEFT_DONE when it has mapped op's results itself (r->map.to[result id] = a value of the new module;
     * an op is dropped by mapping its results to values that are there already). Otherwise op is cloned and its regions
     * are rewritten. */
    weft_status (*op)(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did);
    /* The type of a value in the new module; NULL: as it was. May return NULL only when memory is out. */
    const weft_type *(*type)(weft_rewrite *r, const weft_value *old);
    /* Called when a block has been opened; may be NULL. */
    weft_status (*enter)(weft_rewrite *r, const weft_block *old, weft_block *made);
    /* The ops of a block in the order in which they are offered; NULL: as they stand. */
    weft_status (*order)(weft_rewrite *r, const weft_block *old, const weft_op *const **ops, uint32_t *count);
    weft_map map;
    const weft_module *in; /* has all symbols, of which `out` has those so far */
    weft_module *out;
};

/* Runs r over in. *out is a new module. Temporary memory comes from arena. */
weft_status weft_rewrite_module(weft_rewrite *r, const weft_module *in, weft_arena *arena, weft_module **out);
/* For a pass that makes the op itself: the regions of old go to made. */
weft_status weft_rewrite_regions(weft_rewrite *r, const weft_op *old, weft_op *made);
/* And for one that makes the block too: the ops of from are offered for to. */
weft_status weft_rewrite_block(weft_rewrite *r, const weft_block *from, weft_block *to);
/* For a pass that does without an op around a block: the block's ops but its last go to b, its arguments being mapped.
 */
weft_status weft_rewrite_inline(weft_rewrite *r, weft_builder *b, const weft_block *blk);

#endif
