/* copy.h: the frame of a pass that copies a module and changes some of its ops.
 *
 * weft_copy_module walks the old module in order and offers each op to the pass's visit function. It either makes the
 * replacement (mapping the results with weft_copy_map) and returns WEFT_COPY_DONE, or leaves the op to be copied, with
 * its regions walked the same way. In visit, c->b is at the place of the op.
 */
#ifndef WEFT_PROPAGATE_COPY_H
#define WEFT_PROPAGATE_COPY_H

#include "ir/builder.h"
#include "ir/pass.h"

typedef enum weft_copy_answer { WEFT_COPY_AS_IS, WEFT_COPY_DONE } weft_copy_answer;

typedef struct weft_copy weft_copy;
typedef struct weft_copy_hooks {
    /* May be NULL. */
    weft_status (*visit)(weft_copy *c, const weft_op *op, weft_copy_answer *answer);
    /* May be NULL. Called after op was copied as copy, with its regions. */
    weft_status (*after)(weft_copy *c, const weft_op *op, weft_op *copy);
    /* May be NULL: the copy of the operand. The value of the new module for operand i of op. */
    weft_value *(*operand)(weft_copy *c, const weft_op *op, uint32_t i);
    /* May be NULL. Arguments of the copy of blk, a block of op, are made and mapped; c->b is at its beginning. */
    weft_status (*entered)(weft_copy *c, const weft_op *op, const weft_block *blk, weft_block *copy);
    /* The hooks only change ops in the module's own block: edits skip the ops inside these. */
    bool outermost;
} weft_copy_hooks;

struct weft_copy {
    weft_builder b;
    /* while a module is edited: NULL for a value without replacement; allocated with the first one */
    weft_map map;
    weft_arena *arena;             /* the map's: it outlives scratch marks inside visit */
    const weft_module *in;
    weft_module *out;
    const weft_copy_hooks *hooks;
    void *user;
    bool mapped;                   /* the map is allocated */
    bool removed;                  /* while a module is edited: an op was removed */
};

weft_status weft_copy_module(const weft_module *in, const weft_copy_hooks *hooks, void *user, weft_module **out);

/* The same result from hooks that need no copies: if p owns in, it is edited (edit.c), and *out is in itself; otherwise
 * it is copied. In such hooks op and its copy may be one op, with the operands that the copy would have after `visit`.
 * visit makes another op in op's place, maps its results to existing values, or removes it. An op that is copied anyway
 * must replace one that is removed, or be made in `after` of the root: during the walk a value has at most one
 * replacement. Ops made by hooks have ids that in did not have. p NULL: in is not owned. */
weft_status weft_edit_module(const weft_pass *p, const weft_module *in, const weft_copy_hooks *hooks, void *user,
                             weft_module **out);

/* The module that weft_edit_module edits; NULL: it copies. */
static inline weft_module *weft_edited(const weft_pass *p, const weft_module *in) {
    return p && p->own == in ? p->own : NULL;
}

/* For visit functions. A copy of op, with its regions walked and after called. NULL with c->b.status set on failure. */
weft_op *weft_copy_op(weft_copy *c, const weft_op *op);
/* Replaces op by an op of another kind: with op's operands and results, which are mapped, no attributes, and as many
 * empty regions. */
weft_op *weft_copy_as(weft_copy *c, const weft_op *op, weft_op_kind kind, uint32_t region_count);
/* A copy of op's regions into to, which has as many empty ones. */
weft_status weft_copy_regions(weft_copy *c, const weft_op *op, weft_op *to);
/* If the module is edited, moves the regions themselves and walks them in their new place: for an op that is removed.
 * The hooks for them must not depend on the surrounding op. */
weft_status weft_copy_take_regions(weft_copy *c, const weft_op *op, weft_op *to);
static inline weft_value *weft_copy_of(const weft_copy *c, const weft_value *old) {
    weft_value *to = c->mapped ? c->map.to[old->id] : NULL;
    return to || c->in != c->out ? to : (weft_value *)old;
}
/* False with c->b.status set when memory is out. */
static inline bool weft_copy_begin_map(weft_copy *c) {
    if (!c->mapped && c->b.status == WEFT_OK) c->b.status = weft_map_init(&c->map, c->arena, c->in);
    return c->mapped = c->b.status == WEFT_OK;
}
static inline void weft_copy_map(weft_copy *c, const weft_value *old, weft_value *to) {
    if (c->mapped || weft_copy_begin_map(c)) c->map.to[old->id] = to;
}

#endif
