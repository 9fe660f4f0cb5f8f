/* algorithm.h: what an algorithm is: one function, in a file of its own, named in cost/algorithms.def.
 *
 * The call has noted its job in the rank's slot. An algorithm that needs SMALL makes the first rendezvous itself, with
 * weft_meet_first; the others start after it. When it returns WEFT_OK the rank's outputs are complete and its inputs and
 * posts may be changed.
 */
#ifndef WEFT_COLLECTIVES_ALGORITHM_H
#define WEFT_COLLECTIVES_ALGORITHM_H

#include "collectives/comm.h"
#include "collectives/geometry.h"
#include "collectives/reduce.h"

typedef weft_status (*weft_run_fn)(weft_comm *c, const weft_job *job, weft_alg_needs needs);

#define ALG(kind, name, run, needs, order, rounds, sent, reduced, copied) \
    weft_status weft_run_##run(weft_comm *c, const weft_job *job, weft_alg_needs needs);
#include "cost/algorithms.def"

/* Adds up bytes [from, to) of the window that starts at `at`, where rank i's lie at c->base[i] + from, into stage + from. */
void weft_window_add(weft_comm *c, const weft_job *job, weft_cursor at, size_t capacity, size_t from, size_t to, char *stage);

/* --- messages.c: calls of groups that span nodes -------------------------------------------------------------------------- */

/* The messages of one call, and room for what they carry. */
typedef struct weft_mail {
    weft_comm *c;
    size_t capacity;         /* of a window, alike on all ranks */
    weft_request *requests;  /* [2 * size] */
    int count;               /* requests under way */
    char *in, *out;          /* `room` bytes each */
    size_t room;
} weft_mail;

/* room: bytes for incoming, and as much for outgoing messages. */
weft_status weft_mail_open(weft_mail *m, weft_comm *c, size_t capacity, size_t room);
void weft_mail_close(weft_mail *m, weft_status st);
/* Meets all members, those of other nodes by messages, and compares notes: the first rendezvous of such a call. */
weft_status weft_mail_meet(weft_mail *m);
weft_status weft_mail_send(weft_mail *m, int to, const void *p, size_t bytes);
weft_status weft_mail_receive(weft_mail *m, int from, void *p, size_t bytes);
weft_status weft_mail_wait(weft_mail *m); /* for all of them */

/* --- block_mail.c: windows of blocks to those whom they are for ------------------------------------------------------------ */

/* One operand's part of a window, once everyone's block of it for this rank has come. */
typedef struct weft_block_piece {
    const weft_mail *mail;
    const weft_job *job;
    weft_piece piece;
    size_t in_message;  /* where the piece begins in a message */
    uint64_t window;
} weft_block_piece;

typedef void (*weft_block_take)(const weft_block_piece *b);

/* A whole call: window by window the blocks go round, then `take` puts what came for each piece where it belongs. */
weft_status weft_block_run(weft_comm *c, const weft_job *job, weft_block_take take);
/* Rank `from`'s block for this rank, dense. */
const char *weft_block_from(const weft_block_piece *b, int from);

#endif
