/* flight.h: the flight recorder: each rank's last calls, in memory that its node shares.
 *
 * A rank writes its own ring. A rank that reports trouble, or the thread that writes the file, reads it, also after the
 * rank's process has ended. Words are relaxed atomics, so reading while the owner goes on is harmless; an entry whose
 * number changes meanwhile is skipped. The owner clears the number, writes the words, and stores the next number; a
 * reader compares the number before and after (a sequence lock). The state of a call is one word, written again when
 * the call ends; a reader may see either value.
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

/* The run begins; the run ends, with or without success. */
void weft_flight_begin(const weft_run *r);
void weft_flight_end(const weft_run *r);
/* The rank's call that is `back` calls before its last one. false: it is not kept any more. */
bool weft_flight_read(const weft_node *n, const weft_rank_note *rank, uint64_t back, weft_flight *out);

/* --- flight_write.c: files that `weft doctor` reads, if weft_world_options.flight asks for them --- */

/* Writes the file once, when a rank of this process learns that the world has failed. */
void weft_flight_failed(weft_world *w);
/* Called by a rank that waits: writes the file if the process has received SIGUSR1. For this the thread that makes the
 * world blocks the signal until it frees the world. */
void weft_flight_asked(weft_world *w);
void weft_flight_listen(weft_world *w);
void weft_flight_unlisten(const weft_world *w);

#endif
