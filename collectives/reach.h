/* reach.h: copies out of another process's memory, by process_vm_readv.
 *
 * A process may read the memory of another one of the same user if it may also trace it; Linux's yama, seccomp filters
 * and missing capabilities of containers forbid that. So it is tried when the world is made: each process shows a
 * number, and all others of its node read it. world->reach is 1 only if each can read each.
 */
#ifndef WEFT_COLLECTIVES_REACH_H
#define WEFT_COLLECTIVES_REACH_H

#include "collectives/comm.h"
#include "collectives/geometry.h"

/* Copies count elements, from element `at` of a block of local member `from`, to element `to_at` of one of this rank's:
 * by process_vm_readv if the ref under the block's view is an address of another process. false: it could not, and
 * errno says why. */
bool weft_reach_copy(const weft_comm *c, int from, weft_ref ref, const weft_view *to, int64_t to_at,
                     const weft_view *block, int64_t at, int64_t count, size_t elem_bytes);
/* Makes the world fail: the memory of rank `from` (of the group) could not be read. */
weft_status weft_reach_failed(weft_comm *c, int from);
/* Whether the rows of a call's blocks are long enough, since each is a transfer of its own, and whether pieces of all
 * ranks' fit. */
bool weft_reach_fits(const weft_job *job);

/* Fills in the card the number that the node's other processes are to read, which is in the world. */
void weft_reach_offer(weft_world *w, weft_memory_card *mine);
/* Reads the numbers of the node's other processes, and sets world->reach. */
void weft_reach_probe(weft_world *w, const weft_memory_card *cards);

#endif
