/* transport.h: what a transport is. One const struct of functions each, in a file of its own; transports.def names them.
 *
 * A MEMORY transport gives the ranks of a node common memory. A MESSAGES transport carries bytes between ranks of any
 * processes; messages between two ranks by one channel arrive in the order in which they were sent.
 */
#ifndef WEFT_COLLECTIVES_TRANSPORT_H
#define WEFT_COLLECTIVES_TRANSPORT_H

#include <weft/coll.h>
#include "base/status.h"

/* How the processes of a node, or of the world, find each other. All of them call allgather in the same order. */
typedef struct weft_bootstrap {
    int rank, size;
    /* out[size * bytes] gets everyone's in[bytes]. WEFT_ERR_IO without a diagnostic. */
    weft_status (*allgather)(const struct weft_bootstrap *b, const void *in, size_t bytes, void *out);
    void *state;
} weft_bootstrap;

/* A message under way. */
typedef struct weft_request {
    void *data;          /* the transport's */
    int peer;            /* world rank */
    enum { WEFT_REQUEST_FREE, WEFT_REQUEST_SEND, WEFT_REQUEST_RECEIVE } kind;
} weft_request;

/* Whose message. Groups have channels of their own; two of them may share one. */
typedef struct weft_address {
    int from, to;        /* world ranks */
    uint64_t channel;
} weft_address;

typedef enum weft_transport_offer { WEFT_TRANSPORT_MEMORY, WEFT_TRANSPORT_MESSAGES } weft_transport_offer;

typedef struct weft_transport {
    const char *name;
    weft_transport_offer offer;

    /* MEMORY: makes world->node, heap and segments, over the processes of the node. Collective over them. No diagnostic, since
     * there may be another way: WEFT_ERR_IO puts the reason into world->trouble. */
    weft_status (*open)(weft_world *w, const weft_bootstrap *node);
    void (*close)(weft_world *w);
    /* Whether this process of the node, by its number there, has ended. */
    bool (*ended)(weft_world *w, int seat);

    /* MESSAGES: starts a message from a local rank, or to one. No diagnostic. */
    weft_status (*send)(weft_world *w, weft_address at, const void *p, size_t bytes, weft_request *r);
    weft_status (*receive)(weft_world *w, weft_address at, void *p, size_t bytes, weft_request *r);
    /* Moves all n on; counts into *left those not finished. Finished ones become WEFT_REQUEST_FREE. */
    weft_status (*test)(weft_world *w, weft_request *r, int n, int *left);
    /* Gives up on the messages. */
    void (*cancel)(weft_world *w, weft_request *r, int n);
    /* Tells the other nodes that the world has failed; and looks whether one of them says so. */
    void (*tell_failed)(weft_world *w);
    bool (*heard_failed)(weft_world *w, char *reason, size_t bytes);
} weft_transport;

#define TRANSPORT(name, offer) extern const weft_transport weft_transport_##name;
#include "collectives/transports.def"

#endif
