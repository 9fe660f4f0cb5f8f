/* versions.h: the placements in which a plan being made has each value; part of pass weft-insert-reshards.
 *
 * A value is born in one, and gets others as readers ask for them; each is made once. What a body gave to outer values
 * is forgotten at its end.
 */
#ifndef WEFT_PARTITIONER_VERSIONS_H
#define WEFT_PARTITIONER_VERSIONS_H

#include "partitioner/plan/layout_planner.h"

struct weft_placed {
    weft_placement_id id;
    size_t moved;                  /* 1 + its number among the plan's moves; 0: it was born here */
    weft_placed *next;
};

/* Where v is born; and where it was brought, by the move of which `moved` is 1 + the number, or 0. */
weft_status weft_version_add(weft_layout_planner *s, const weft_value *v, weft_placement_id id);
weft_status weft_version_add_moved(weft_layout_planner *s, const weft_value *v, weft_placement_id id, size_t moved);
void weft_versions_forget(weft_layout_planner *s, size_t mark);  /* those added since s->log_count was mark */

/* NULL: it is not there */
const weft_placed *weft_version_find(const weft_layout_planner *s, const weft_value *v, weft_placement_id id);
/* Something reads v. */
void weft_version_read(weft_layout_planner *s, const weft_placed *v);
/* The version of v that is nearest to id, or NULL, and the way from it. */
weft_status weft_version_nearest(weft_layout_planner *s, const weft_value *v, weft_placement_id id, weft_placed **best,
                                 const weft_reshard_plan **way);
/* All of v, the oldest first: where a value was born is where the first proposals look. On scratch memory. */
weft_status weft_versions_list(weft_layout_planner *s, const weft_value *v, const weft_placement_id **ids,
                               uint32_t *n);

#endif
