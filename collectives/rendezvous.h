/* rendezvous.h: how processes find each other without a launcher; see weft/coll.h.
 *
 * Both ways give a bootstrap for the time that the world is made. Errors are in the bootstrap's trouble, in words that
 * name the missing processes.
 */
#ifndef WEFT_COLLECTIVES_RENDEZVOUS_H
#define WEFT_COLLECTIVES_RENDEZVOUS_H

#include "base/context.h"
#include "collectives/proof.h"
#include "collectives/transport.h"

#define WEFT_RENDEZVOUS_TROUBLE 640

/* The state that both have in common. */
typedef struct weft_meeting_place {
    weft_allocator alloc;
    const char *at;              /* as the user wrote it; lent */
    int process, processes;
    int64_t timeout_ns;          /* of each exchange; negative: none */
    int is_keyed;                /* the user has given a key; */
    /* the key, or a secret made by the rendezvous that only the job's processes can read; not set: none */
    weft_secret secret;
    /* why a process that claimed to be of the job was refused; "": none was */
    char refused[WEFT_RENDEZVOUS_TROUBLE / 2];
    char trouble[WEFT_RENDEZVOUS_TROUBLE];
} weft_meeting_place;

/* place: alloc, at, process, processes and timeout_ns are set. where: `at` after its scheme. WEFT_ERR_IO with
 * place->trouble, or WEFT_ERR_MEMORY. The bootstrap's close frees everything, also after a failed exchange. */
weft_status weft_rendezvous_tcp_open(weft_meeting_place *place, const char *where, weft_bootstrap *out);
void weft_rendezvous_tcp_close(weft_bootstrap *b);
weft_status weft_rendezvous_file_open(weft_meeting_place *place, const char *where, weft_bootstrap *out);
void weft_rendezvous_file_close(weft_bootstrap *b);

/* The end of an exchange that begins now, in weft_now_ns's time. */
int64_t weft_meeting_end(const weft_meeting_place *p);
/* Milliseconds until then, at most `most`, for poll; 0: it is over. */
int weft_meeting_left(int64_t end, int most);
/* Writes "processes 1 and 3 did not come to tcp:a:1 within 30 s", naming those whose byte in came[processes] is 0;
 * returns WEFT_ERR_IO. */
weft_status weft_meeting_missed(weft_meeting_place *p, const char *came);

#endif
