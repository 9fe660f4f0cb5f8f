/* index_set.h: a set of integers in [0, bound) with fast queries for the next member (a tree of 64-bit words).
 *
 * The lowest level has a bit per number, each higher level a bit per non-zero word of the level below, up to one word.
 * Adding, removing and finding the next member cost one step a level; 2^30 numbers have five levels. Lives in an arena;
 * used by one thread.
 */
#ifndef WEFT_BASE_INDEX_SET_H
#define WEFT_BASE_INDEX_SET_H

#include "base/arena.h"
#include "base/bits.h"

#define WEFT_INDEX_LEVELS 6 /* 64^6 > UINT32_MAX */

typedef struct weft_index_set {
    uint32_t bound;
    uint32_t levels, words[WEFT_INDEX_LEVELS];
    weft_bits *level[WEFT_INDEX_LEVELS]; /* the last is one word */
} weft_index_set;

typedef enum weft_index_fill { WEFT_INDEX_NONE, WEFT_INDEX_ALL } weft_index_fill;
weft_status weft_index_set_open(weft_arena *arena, uint32_t bound, weft_index_fill fill, weft_index_set *out);

void weft_index_set_add(weft_index_set *s, uint32_t i);      /* i < bound; may be a member already */
void weft_index_set_remove(weft_index_set *s, uint32_t i);   /* i < bound; may be absent */
/* the lowest member that is at least `from`, or bound */
uint32_t weft_index_set_next(const weft_index_set *s, uint32_t from);

#endif
