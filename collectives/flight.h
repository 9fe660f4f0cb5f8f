/* flight.h: the flight recorder: each rank's last calls, in memory that its node shares.
 *
 * A rank writes its own ring; whoever reports trouble, or is asked, reads it, also when the rank's process has ended.
 * Words are relaxed atomics, so that reading while the owner goes on is harmless; an entry whose number changes
 * meanwhile is skipped. The owner takes the number away, writes the words, and puts the next number there; a reader
 * looks at the number before and after (a sequence lock). What a call has come to is one word, written again when it
 * ends, and may be read as it was or as it is.
 */
#ifndef WEFT_COLLECTIVES_FLIGHT_H
#define WEFT_COLLECTIVES_FLIGHT_H

#include "collectives/run.h"

/* One call, as read. */
typedef struct weft_flight {
    uint64_t number;         /* of the rank's calls, from 1 */
    uint64_t group, turn;    /* hash of the group's members; the call's number there */
    int size;                /* of the group */
    uint64_t site;           /* offset of a weft_site_note, 0: none */
    int64_t began_ns;        /* weft_now_ns, to a few ms */
    int64_t bytes;           /* of the full tensor */
    weft_coll_kind kind;
    weft_alg_id alg;         /* WEFT_ALG_COUNT: not chosen yet, or a group of one */
    weft_dtype dtype;
    weft_op_reduce reduce;
    enum { WEFT_FLIGHT_UNDER_WAY, WEFT_FLIGHT_DONE, WEFT_FLIGHT_FAILED } state;
} weft_flight;

/* The run begins; ends, well or not. */
void weft_flight_begin(const weft_run *r);
void weft_flight_end(const weft_run *r);
/* The rank's call that is `back` before its last one: false when it is not kept. */
bool weft_flight_read(const weft_node *n, const weft_rank_note *rank, uint64_t back, weft_flight *out);

/* --- flight_write.c: files that `weft doctor` reads, where weft_world_options.flight asks for them --- */

/* The world has failed, as a rank of this process has heard: writes once. */
void weft_flight_failed(weft_world *w);
/* By a rank that waits: writes when the process was sent SIGUSR1, which the thread that makes the world holds back for
 * that, until it frees the world. */
void weft_flight_asked(weft_world *w);
void weft_flight_listen(weft_world *w);
void weft_flight_unlisten(const weft_world *w);

#endif
