/* latecomer.h: who waits for whom: three ranks, on one node or on three, make the same call again and again, and to the
 * last one a rank comes late. */
#ifndef WEFT_TESTS_COLLECTIVES_LATECOMER_H
#define WEFT_TESTS_COLLECTIVES_LATECOMER_H

#include "collectives/world.h"

#define LATECOMERS 3 /* ranks */

/* The root of a permute is ignored: it goes up the line. check: as the world's. */
typedef struct latecomer { weft_coll_kind kind; int root, last, check; } latecomer;

/* Rank `last` comes to the last of `rounds` calls only when all others have returned from it: so who gives to it, or
 * takes nothing from it, cannot have waited for it. Where the world checks all calls none of them returns before it
 * comes. Results are checked; a failure fails the test. */
void latecomer_run(weft_world *const world[LATECOMERS], latecomer late, int rounds);

#endif
