/* stay.h: ranks of a world that carries one job after another.
 *
 * A rank without handles has left, and who waits for it gets an error. Between two jobs of a world that is given to
 * them a rank has no handle, and another, which is ahead, may wait for it in the next job already: so such a rank stays
 * until the world ends.
 */
#ifndef WEFT_COLLECTIVES_STAY_H
#define WEFT_COLLECTIVES_STAY_H

#include <weft/coll.h>

/* From here on the rank has not left, however few handles it has. By the rank's thread, while it has a handle. */
void weft_world_stay(weft_world *w, int rank);

/* Whether this process is a child of fork and has the world from its parent. Then its ranks are the parent's: there is
 * nothing to free here, and nobody to part from. */
int weft_world_is_inherited(const weft_world *w);

/* All that stayed have left: at the world's end. */
void weft_world_leave(weft_world *w);

#endif
