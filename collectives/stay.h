/* stay.h: ranks of a world that carries one job after another.
 *
 * A rank without handles has left, and who waits for it gets an error. Between two jobs of a world that is given to them a rank has no handle,
 * and another, which is ahead, may wait for it in the next job already: so such a rank stays until the world ends.
 */
#ifndef WEFT_COLLECTIVES_STAY_H
#define WEFT_COLLECTIVES_STAY_H

#include <weft/coll.h>

/* From here on the rank has not left, however few handles it has. By the rank's thread, while it has a handle. */
void weft_world_stay(weft_world *w, int rank);

/* All that stayed have left: at the world's end. */
void weft_world_leave(weft_world *w);

#endif
