/* watch.h: failures of peers, seen from outside of calls.
 *
 * Ranks look at their peers while they wait in a call. A rank that computes looks at nobody, and a loop may have no
 * end: code that runs for long reads the world's flag, and a thread of the process that has nothing else to do watches
 * the peers and sets it.
 */
#ifndef WEFT_COLLECTIVES_WATCH_H
#define WEFT_COLLECTIVES_WATCH_H

#include <stdatomic.h>
#include <weft/coll.h>

/* Not 0 once this process knows that the world has failed. Lives as long as the world. */
const _Atomic uint32_t *weft_world_flag(const weft_world *w);

/* Why it has failed, as a text that is cut to the room. */
void weft_world_reason(const weft_world *w, char *out, size_t room);

/* Looks once, without waiting, whether a process of this node has ended with ranks that have not left, or another node
 * says that the world has failed: then the world is marked as failed. Any thread may watch, one at a time. Processes of
 * other nodes that end without a word are found by calls only. */
void weft_world_watch(weft_world *w);

#endif
