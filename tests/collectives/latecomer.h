/* latecomer.h: checks which ranks wait for which: three ranks, on one node or on three, repeat one call, and one rank
 * is late for the last. */
#ifndef WEFT_TESTS_COLLECTIVES_LATECOMER_H
#define WEFT_TESTS_COLLECTIVES_LATECOMER_H

#include "collectives/world.h"

#define LATECOMERS 3 /* ranks */

/* The root of a permute is ignored: data goes up the line. check: as the world's. */
typedef struct latecomer { weft_coll_kind kind; int root, last, check; } latecomer;

/* Rank `last` enters the last of `rounds` calls only after all others have returned from it: so a rank that sends to
 * it, or takes nothing from it, cannot have waited for it. If the world checks all calls, none of them returns before
 * it enters. Results are checked; a failure fails the test. */
void latecomer_run(weft_world *const world[LATECOMERS], latecomer late, int rounds);

#endif
