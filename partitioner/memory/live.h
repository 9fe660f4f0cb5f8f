/* live.h: the memory that the values of a block hold, op by op, as far as it can be told before code is made.
 *
 * Ops run in the order of the block. Values of one device's program have static types. What code generation computes
 * within its readers has no memory: views (WEFT_TRAIT_VIEW but for concatenations), constants, and a pointwise op's
 * result where one pointwise op or reduction reads it. The operands of such an op are read when its readers run. All
 * other results take memory from their op to their last reader. What the block takes and returns has memory all the
 * time, and is not counted.
 */
#ifndef WEFT_PARTITIONER_MEMORY_LIVE_H
#define WEFT_PARTITIONER_MEMORY_LIVE_H

#include "ir/module.h"

enum { WEFT_LIVE_NEVER = UINT32_MAX };

typedef struct weft_live {
    const weft_block *block;
    weft_uses uses;
    weft_op **ops; uint32_t n;  /* of the block, in order */
    bool *within;               /* by op id: the results are computed within their readers; of ops of the block */
    uint32_t *at;               /* by op id: its place in ops; in a region: that of the op of the block around it */
    int64_t *bytes;             /* by value id: 0 where it has no memory that counts */
    uint32_t *last;             /* by value id: the place of its last reader; WEFT_LIVE_NEVER: it has none */
    int64_t *held;              /* by place: of values that are made before or there, and read there or after */
    int64_t *kept;              /* by place: of these, what is read after it */
    uint32_t peak;              /* the first place where most is held */
} weft_live;

/* Of @main's block. Memory is from arena. */
weft_status weft_live_find(const weft_module *m, const weft_block *block, weft_arena *arena, weft_live *out);

/* next[value id]: the place of its first reader after `place`; WEFT_LIVE_NEVER: there is none. */
void weft_live_next(const weft_live *l, uint32_t place, uint32_t *next);

#endif
