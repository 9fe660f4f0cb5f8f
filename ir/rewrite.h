/* rewrite.h: a new module from an old one, op by op; shared by most passes. Blocks and arguments are copied, every op
 * is offered to the pass, and ops that it leaves alone are cloned. */
#ifndef WEFT_IR_REWRITE_H
#define WEFT_IR_REWRITE_H

#include "ir/builder.h"

typedef enum weft_rewritten { WEFT_KEEP, WEFT_DONE } weft_rewritten;

typedef struct weft_rewrite weft_rewrite;
struct weft_rewrite {
    void *user;
    /* Sets *did to WEFT_DONE when it has mapped op's results itself (r->map.to[result id] = a value of the new module;
     * an op is dropped by mapping its results to existing values). Otherwise op is cloned and its regions are
     * rewritten. */
    weft_status (*op)(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did);
    /* The type of a value in the new module; NULL: unchanged. May return NULL only when memory is out. */
    const weft_type *(*type)(weft_rewrite *r, const weft_value *old);
    /* Called when a block has been opened; may be NULL. */
    weft_status (*enter)(weft_rewrite *r, const weft_block *old, weft_block *made);
    /* The order in which a block's ops are offered; NULL: program order. */
    weft_status (*order)(weft_rewrite *r, const weft_block *old, const weft_op *const **ops, uint32_t *count);
    weft_map map;
    const weft_module *in; /* has all symbols, of which `out` has those so far */
    weft_module *out;
};

/* Runs r over in. *out is a new module. Temporary memory is from arena. */
weft_status weft_rewrite_module(weft_rewrite *r, const weft_module *in, weft_arena *arena, weft_module **out);
/* For a pass that makes the op itself: moves the regions of old to made. */
weft_status weft_rewrite_regions(weft_rewrite *r, const weft_op *old, weft_op *made);
/* For a pass that makes the block too: offers the ops of from, for to. */
weft_status weft_rewrite_block(weft_rewrite *r, const weft_block *from, weft_block *to);
/* For a pass that sorts n other operands x than old did: x[i] is compared as operand from[i] of old was, or not looked
 * at. The new sort has these attributes; the pass maps old's results. NULL: b has failed. */
enum { WEFT_NOT_COMPARED = UINT32_MAX };
weft_op *weft_rewrite_sort(weft_rewrite *r, weft_builder *b, const weft_op *old, weft_value *const *x,
                           const uint32_t *from, uint32_t n, const weft_named_attr *attrs, uint32_t attr_count);
/* For a pass that removes an op around a block: the block's ops except its last go to b; its arguments must be mapped.
 */
weft_status weft_rewrite_inline(weft_rewrite *r, weft_builder *b, const weft_block *blk);

#endif
