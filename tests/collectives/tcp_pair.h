/* tcp_pair.h: two processes of transport_tcp, both in this process. */
#ifndef WEFT_TESTS_COLLECTIVES_TCP_PAIR_H
#define WEFT_TESTS_COLLECTIVES_TCP_PAIR_H

#include "collectives/tcp.h"

/* Ranks 0 and 1 are in process 0, 2 and 3 in process 1. */
typedef struct tcp_pair {
    weft_world w[2];
} tcp_pair;

/* One of them, without connections to others yet. */
weft_world tcp_pair_world(int process);
/* NULL: malloc's. Returns the first status that is not WEFT_OK; also then it must be closed. */
weft_status tcp_pair_try(tcp_pair *p, const weft_allocator *alloc);
void tcp_pair_open(tcp_pair *p);  /* fails the test */
void tcp_pair_close(tcp_pair *p); /* each side waits for the other */
void tcp_pair_drop(tcp_pair *p);  /* neither side waits */

static inline weft_tcp *tcp_pair_of(tcp_pair *p, int process) { return p->w[process].messages_state; }

#endif
