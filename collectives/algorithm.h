/* algorithm.h: the interface of an algorithm: a first turn, in a file of its own, named in cost/algorithms.def.
 *
 * The call has noted its job in the rank's slot. An algorithm that needs SMALL or MESSAGES makes the first rendezvous
 * itself, with weft_run_meet_first or weft_mail_meet; the others start after it. When a turn ends the run with
 * weft_run_end, the rank's outputs are complete and its inputs and posts may be changed.
 */
#ifndef WEFT_COLLECTIVES_ALGORITHM_H
#define WEFT_COLLECTIVES_ALGORITHM_H

#include "collectives/reduce.h"
#include "collectives/run.h"

#define NAME(run) weft_status weft_run_##run(weft_run *r);
#include "cost/algorithms-run.def"

/* select.c: the algorithm for a call that meets these needs (weft_alg_needs); the same on all ranks. */
weft_alg_id weft_call_choose(weft_run *r, unsigned can);

/* sum_place.c: bytes [first, last) of the sums of all members' inputs, which are at c->base, into the first `outputs`
 * of c->dst, which may be inputs. */
typedef struct weft_sum_part {
    weft_reduce_fn reduce;
    size_t elem_bytes;
    int outputs;
    weft_copy_way way;
} weft_sum_part;
void weft_sum_place(weft_comm *c, const weft_sum_part *p, size_t first, size_t last);

/* The kind of copy for the current call, in which this rank writes so many bytes. */
static inline weft_copy_way weft_run_way(const weft_run *r, size_t written) {
    const int64_t forced = r->forced ? r->forced->rules.stream : 0;
    return weft_copy_way_of(written, forced ? (size_t)forced : r->comm->world->cached_bytes, r->comm->slot->calls);
}

/* sum_members.c: dst = the sum of count elements of every member, member i's at c->src[i], node by node. dst overlaps
 * no source. */
void weft_sum_members(weft_comm *c, const weft_adder *a, void *dst, size_t elem_bytes, int64_t count);

/* The second half of that sum: dst = the finished sum of each node's partial sums, node k's at c->base[k]. */
void weft_sum_nodes(weft_comm *c, const weft_adder *a, char *dst, size_t elem_bytes, int64_t count);

/* Adds up bytes [from, to) of the run's window, rank i's at c->base[i] + from, into stage + from. */
void weft_window_add(weft_run *r, size_t capacity, size_t from, size_t to, char *stage);

/* --- posts.c: where members' buffers are, told before the first rendezvous ---------------------------------------- */

/* Posts where this rank's buffers are, and whether all of them can be read and written in place. */
weft_status weft_posts_write(weft_run *r);
/* After the first rendezvous: how the buffers of all members on this node can be read (weft_flag.visible). */
unsigned weft_posts_seen(const weft_run *r);
/* The block for this rank in this operand of member `from`, as posted. */
weft_view weft_post_block(const weft_run *r, int from, int operand);
/* Uneven all_to_all: agrees on the longest block; reports a pair on this node that does not agree on its counts. */
weft_status weft_posts_agree(weft_run *r);

/* The staging area of an algorithm that runs as SMALL and as STAGED. */
static inline int weft_run_stage_kind(const weft_run *r) {
    return weft_alg_table[r->alg].needs == WEFT_NEEDS_SMALL ? WEFT_STAGE_SMALL : WEFT_STAGE_LARGE;
}

/* --- messages.c: calls of groups that span nodes ------------------------------------------------------------------ */

/* Opens the run's mail. room: bytes for incoming, and as many for outgoing messages. It closes when the run is done.
 * Cards will go to every rank: an algorithm that needs fewer clears the others in mail.peers. */
weft_status weft_mail_open(weft_run *r, size_t capacity, size_t room);
void weft_mail_close(weft_run *r, weft_status st);
/* The first rendezvous of such a call: meets the members of this node, exchanges cards with the peers on other nodes,
 * and compares notes. */
weft_status weft_mail_meet(weft_run *r, weft_turn_fn then);
/* Begin messages, which are complete at the next rendezvous. */
weft_status weft_mail_send(weft_run *r, int to, const void *p, size_t bytes);
weft_status weft_mail_receive(weft_run *r, int from, void *p, size_t bytes);
/* Whether all messages are complete. */
weft_status weft_mail_test(weft_run *r, int *all);
/* The peers whose messages are missing, after this rank has waited for too long. Peers that answer that they wait too
 * are left out, unless this rank has waited for their word as well. */
void weft_mail_print_late(const weft_run *r, int64_t waited_ns, char *text, size_t room);

/* --- block_mail.c: windows of blocks, sent to the ranks that take them -------------------------------------------- */

/* One operand's part of a window, once every member's block of it for this rank has arrived. */
struct weft_block_piece {
    const weft_run *run;
    weft_piece piece;
    size_t in_message;  /* offset of the piece in a message */
    int half;           /* which half of the mail's arrivals */
};

/* A whole call: exchanges the blocks window by window, then `take` stores each received piece. */
weft_status weft_block_run(weft_run *r, weft_block_take take);
/* Rank `from`'s block for this rank, dense; NULL: it was received into the output itself. */
const char *weft_block_from(const weft_block_piece *b, int from);

#endif
