/* gspmd_manual.h: manual computations in programs with GSPMD annotations.
 *
 * In GSPMD a manual computation has no op of its own: @SPMDFullToShardShape gives a device's part of a value, ops work
 * on such parts, and @SPMDShardToFullShape makes a global value of them again. manual_regions_find determines, for each
 * block, the ops of each manual computation: the ops reached from a FullToShard without passing a ShardToFull, and
 * every FullToShard and ShardToFull next to these. Ops that depend on no FullToShard (constants, the device's number)
 * are computed where they are read, also inside the manual computation.
 */
#ifndef WEFT_PROPAGATE_GSPMD_MANUAL_H
#define WEFT_PROPAGATE_GSPMD_MANUAL_H

#include "ir/module.h"

#define WEFT_NO_REGION UINT32_MAX

typedef struct manual_region {
    const weft_block *block;
    const weft_op **inputs, **outputs, **members;  /* FullToShard; ShardToFull; the ops between, in program order */
    uint32_t input_count, output_count, member_count;
    const weft_op *place;                          /* the op that the manual computation replaces */
    const char *unread;                            /* why it cannot become one, or NULL */
} manual_region;

typedef struct manual_regions {
    manual_region *v;
    uint32_t count;
    /* [op ids]: the region of a FullToShard, a ShardToFull or an op that only one region needs, or WEFT_NO_REGION */
    uint32_t *of_op;
} manual_regions;

bool manual_is_begin(const weft_op *op); /* @SPMDFullToShardShape */
bool manual_is_end(const weft_op *op);   /* @SPMDShardToFullShape */

/* All manual computations of m, in arena. */
weft_status manual_regions_find(const weft_module *m, weft_arena *arena, manual_regions *out);

#endif
