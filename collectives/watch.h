/* watch.h: failures of peers, noticed outside of calls.
 *
 * Ranks check their peers while they wait in a call. A rank that computes checks none, and a loop may have no end. So
 * code that runs for long reads the world's flag, and an idle thread of the process watches the peers and sets it.
 */
#ifndef WEFT_COLLECTIVES_WATCH_H
#define WEFT_COLLECTIVES_WATCH_H

#include <stdatomic.h>
#include <weft/coll.h>

/* Not 0 once this process knows that the world has failed. Lives as long as the world. */
const _Atomic uint32_t *weft_world_flag(const weft_world *w);

/* The reason of the failure, truncated to the room. */
void weft_world_reason(const weft_world *w, char *out, size_t room);

/* How many threads this rank of this process can keep busy: the cores that it has to itself (weft_world_bind), and the
 * time that control groups grant the process; 1 or more. */
int weft_world_threads(weft_world *w, int rank);

/* Checks once, without waiting, whether a process of this node has ended with ranks that have not left, or another node
 * says that the world has failed; then marks the world as failed. Any thread may watch, one at a time. Processes of
 * other nodes that end without a word are noticed only by calls. */
void weft_world_watch(weft_world *w);

#endif
