/* rendezvous.h: how processes find each other without a launcher; see weft/coll.h.
 *
 * Both ways give a bootstrap for the time that the world is made. What goes wrong is in the bootstrap's trouble, in
 * words that name the processes that did not come.
 */
#ifndef WEFT_COLLECTIVES_RENDEZVOUS_H
#define WEFT_COLLECTIVES_RENDEZVOUS_H

#include "base/context.h"
#include "collectives/proof.h"
#include "collectives/transport.h"

#define WEFT_RENDEZVOUS_TROUBLE 640

/* What both have in common. */
typedef struct weft_meeting_place {
    weft_allocator alloc;
    const char *at;              /* as its user wrote it; lent */
    int process, processes;
    int64_t timeout_ns;          /* of each exchange; negative: none */
    int is_keyed;                /* the user has given a key; */
    /* it, or what a rendezvous makes that only the job's processes can read; not set: there is none */
    weft_secret secret;
    /* why somebody was sent away who said that it is of the job; "": nobody was */
    char refused[WEFT_RENDEZVOUS_TROUBLE / 2];
    char trouble[WEFT_RENDEZVOUS_TROUBLE];
} weft_meeting_place;

/* place: alloc, at, process, processes and timeout_ns are set. where: `at` after its scheme. WEFT_ERR_IO with
 * place->trouble, or WEFT_ERR_MEMORY. What was opened is closed by its close, also after an exchange that failed. */
weft_status weft_rendezvous_tcp_open(weft_meeting_place *place, const char *where, weft_bootstrap *out);
void weft_rendezvous_tcp_close(weft_bootstrap *b);
weft_status weft_rendezvous_file_open(weft_meeting_place *place, const char *where, weft_bootstrap *out);
void weft_rendezvous_file_close(weft_bootstrap *b);

/* The moment at which an exchange that begins now is over, in weft_now_ns's time. */
int64_t weft_meeting_end(const weft_meeting_place *p);
/* Milliseconds until then, at most `most`, for poll; 0: it is over. */
int weft_meeting_left(int64_t end, int most);
/* "processes 1 and 3 did not come to tcp:a:1 within 30 s" of those whose byte in came[processes] is 0; returns
 * WEFT_ERR_IO. */
weft_status weft_meeting_missed(weft_meeting_place *p, const char *came);

#endif
