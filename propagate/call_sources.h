/* call_sources.h: the sources of a function's edge, one per call, grouped by their few different shardings.
 *
 * The edge's rule treats all sources alike, and equal shardings count once: a source with the sharding of an earlier
 * one changes nothing (factors_basic.c), and of equals the first counts (factors_aggressive.c). So a visit looks at
 * each different sharding once, in the order of the first source that has it. The table is updated as slots change, so
 * the cost of a visit depends on the changes and the different shardings, not on the number of calls.
 */
#ifndef WEFT_PROPAGATE_CALL_SOURCES_H
#define WEFT_PROPAGATE_CALL_SOURCES_H

#include "sharding/sharding.h"

typedef struct weft_call_sources weft_call_sources;

/* slots: of the n sources, of[slot] their shardings; both outlive the table, which lives in arena. NULL: memory is
 * out. */
weft_call_sources *weft_call_sources_open(weft_arena *arena, const uint32_t *slots, uint32_t n,
                                          const weft_sharding *const *of);
/* The slot of this source has changed. Numbers from n on are ignored. */
void weft_call_sources_changed(weft_call_sources *c, uint32_t source);
/* The different shardings, NULL among them if some source has none. Valid until the next change. */
weft_status weft_call_sources_now(weft_call_sources *c, const weft_sharding *const **few, uint32_t *count);
/* The sources whose sharding changes, in ascending order: those with few[which] where after[which] differs from
 * it. */
typedef struct weft_source_change { uint32_t source, which; } weft_source_change;
weft_status weft_call_sources_becoming(weft_call_sources *c, const weft_sharding *const *after,
                                       const weft_source_change **out, uint32_t *count);

#endif
