/* canonicalize.h: one sweep of pass canonicalize, shared by canonicalize.c and canonicalize_reshard.c only. */
#ifndef WEFT_PARTITIONER_CANONICALIZE_H
#define WEFT_PARTITIONER_CANONICALIZE_H

#include "ir/rewrite.h"
#include "sharding/values.h"

/* Which simplifications are wanted: those of Shardy's patterns with a label, or all. */
typedef enum weft_canon_patterns {
    WEFT_CANON_RESHARDS = 1,
    WEFT_CANON_COLLECTIVES = 2,
    WEFT_CANON_OTHERS = 4,
    WEFT_CANON_ALL = 7
} weft_canon_patterns;

/* What a sweep knows of the module that it reads. Values and ops are that module's but for `fused`. */
typedef struct weft_canon {
    weft_context *cx;
    unsigned patterns;          /* weft_canon_patterns */
    weft_arena arena;           /* everything here; freed with the sweep */
    weft_shardings *shardings;
    weft_uses uses;
    bool *live;                 /* by op id: its result is needed */
    uint32_t *place;            /* by op id: rising in each block */
    uint32_t *use_count;        /* by value id: by live ops */
    weft_value **fused;         /* by op id of an all_reduce that became a reduce_scatter: what its slices are now */
    bool changed;
    weft_rewrite rewrite;
} weft_canon;

/* The only result of op is `to`, of the new module. */
static inline void weft_canon_replace(weft_canon *s, const weft_op *op, weft_value *to, weft_rewritten *did) {
    s->rewrite.map.to[op->results[0].id] = to;
    s->changed = true;
    *did = WEFT_DONE;
}

/* An sdy.reshard that repeats an earlier one, up to reshapes and transposes between, is that one;
 * canonicalize_reshard.c. */
weft_status weft_canon_share(weft_canon *s, weft_builder *b, const weft_op *op, weft_rewritten *did);

#endif
