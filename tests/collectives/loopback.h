/* loopback.h: several nodes in one process: a world for each, with threads as ranks, and messages between them through
 * lists in memory. So code between nodes can be tested under any sanitizer, with any number of ranks on each
 * node.
 */
#ifndef WEFT_TESTS_COLLECTIVES_LOOPBACK_H
#define WEFT_TESTS_COLLECTIVES_LOOPBACK_H

#include "collectives/world.h"

#define LOOPBACK_NODES 8

typedef struct loopback {
    pthread_mutex_t lock;                  /* guards the fields below */
    struct loopback_message *first, *last; /* sent, not received yet */
    struct loopback_wish *wishes, *end;    /* receives without a message, in order */
    char reason[WEFT_REASON_BYTES];        /* why a node has failed; empty: none has failed */
    size_t sent;                           /* bytes, of all ranks */
    unsigned receives;                     /* that found their message already sent */
    weft_world *world[LOOPBACK_NODES];
    int nodes;
} loopback;

/* Makes the worlds: ranks[i] ranks on node i. opt->local_ranks is ignored. */
weft_status loopback_open(weft_context *cx, const weft_world_options *opt, const int *ranks, int nodes, loopback *l);
/* Frees them, and messages that were not received. */
void loopback_close(loopback *l);

#endif
