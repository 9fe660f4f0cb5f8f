/* call_sources.h: the sources of a function's edge, of which there are as many as calls, by the shardings that they
 * have, which are few.
 *
 * The edge's rule takes all sources alike, and hears none twice: one that is sharded as an earlier one changes nothing
 * (factors_basic.c), and of equals the first counts (factors_aggressive.c). So a visit looks at each different sharding
 * once, in the order of the first source that has it. Which these are is kept up as slots change, so that a visit costs
 * what changed and how many different shardings there are, not how many calls.
 */
#ifndef WEFT_PROPAGATE_CALL_SOURCES_H
#define WEFT_PROPAGATE_CALL_SOURCES_H

#include "sharding/sharding.h"

typedef struct weft_call_sources weft_call_sources;

/* slots: of the n sources, of[slot] their shardings; both outlive the table, which lives in arena. NULL: no memory. */
weft_call_sources *weft_call_sources_open(weft_arena *arena, const uint32_t *slots, uint32_t n,
                                          const weft_sharding *const *of);
/* The slot of this source has changed. A source of n or more is none. */
void weft_call_sources_changed(weft_call_sources *c, uint32_t source);
/* The different shardings now, NULL among them where some source has none. Until the next change. */
weft_status weft_call_sources_now(weft_call_sources *c, const weft_sharding *const **few, uint32_t *count);
/* Sources whose sharding is to become another, in rising order: all that had few[which], where after[which] is not
 * that. */
typedef struct weft_source_change { uint32_t source, which; } weft_source_change;
weft_status weft_call_sources_becoming(weft_call_sources *c, const weft_sharding *const *after,
                                       const weft_source_change **out, uint32_t *count);

#endif
