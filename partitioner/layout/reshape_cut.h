/* reshape_cut.h: what a reshape leaves where it is.
 *
 * A reshape keeps the elements in the order in which they lie in memory. So a sharding of its operand and one of its
 * result may be the same cut of that order: 8 over "x" and 2x4 over "x":(1)2 and "x":(2)2, say. And its dimensions fall
 * into groups, each a run of operand dimensions and a run of result dimensions of one product, which have nothing to do
 * with each other. Source: Shardy, isShardingEquivalentAcrossReshapes (dialect/sdy/ir/utils.cc) and ReshapeGroupInfo
 * (transforms/export/utils.h).
 */
#ifndef WEFT_PARTITIONER_RESHAPE_CUT_H
#define WEFT_PARTITIONER_RESHAPE_CUT_H

#include "sharding/sharding.h"

typedef enum weft_cut_match {
    WEFT_CUT_EXACTLY,       /* every device has the same elements */
    WEFT_CUT_UP_TO_PADDING  /* the same parts in the same order; where they do not divide a dimension they may begin
                            * elsewhere: 6 over 4 devices is 2 2 2 0, 2x3 over 2 and 2 is 2 1 2 1 */
} weft_cut_match;

bool weft_cut_alike(const weft_sharding *a, const weft_type *ta, const weft_sharding *b, const weft_type *tb,
                    weft_cut_match match);

typedef struct weft_reshape_group {
    uint32_t in, in_end, out, out_end;   /* dimensions [in, in_end) and [out, out_end) */
    uint32_t in_wide, out_wide;          /* how many of them are not 1 */
} weft_reshape_group;

static inline bool weft_reshape_group_keeps(const weft_reshape_group *g) { return g->in_wide <= 1 && g->out_wide <= 1; }
static inline bool weft_reshape_group_splits(const weft_reshape_group *g) { return g->in_wide <= 1 && g->out_wide > 1; }

/* The finest groups, in order; groups has room for one per dimension of both. Shapes are static and not empty. Returns
 * how many. */
uint32_t weft_reshape_groups(const weft_type *in, const weft_type *out, weft_reshape_group *groups);

#endif
