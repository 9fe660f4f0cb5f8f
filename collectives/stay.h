/* stay.h: ranks of a world that carries one job after another.
 *
 * Between two jobs of a world that was given to them a rank has no handle. It stays: should its process end there, the
 * others hear of it as they do during a job. A rank without handles that has not stayed may have done its work.
 */
#ifndef WEFT_COLLECTIVES_STAY_H
#define WEFT_COLLECTIVES_STAY_H

#include <weft/coll.h>

/* From here on the rank stays, however few handles it has. Called by the rank's thread, while it has a handle. */
void weft_world_stay(weft_world *w, int rank);

/* Whether this process is a child of fork and has the world from its parent. Its ranks are then the parent's: it must
 * free nothing, and leave no peer. */
int weft_world_is_inherited(const weft_world *w);

/* All ranks of this process have left, so that no peer waits for them: at the world's end. */
void weft_world_leave(weft_world *w);

#endif
