/* transport.h: what a transport is. One const struct of functions each, in a file of its own; transports.def names
 * them.
 *
 * A MEMORY transport gives the ranks of a node common memory. A MESSAGES transport carries bytes between ranks of any
 * processes; messages between two ranks by one channel arrive in the order in which they were sent.
 */
#ifndef WEFT_COLLECTIVES_TRANSPORT_H
#define WEFT_COLLECTIVES_TRANSPORT_H

#include <weft/coll.h>
#include "collectives/segment.h"

/* How all processes of a world find each other. All of them call allgather in the same order, with the same number of
 * bytes. */
typedef struct weft_bootstrap {
    int rank, size;
    /* out[size * bytes] gets everyone's in[bytes]. WEFT_ERR_IO without a diagnostic; then trouble, unless it is NULL,
     * says why. */
    weft_status (*allgather)(const struct weft_bootstrap *b, const void *in, size_t bytes, void *out);
    void *state;
    const char *trouble;
} weft_bootstrap;

/* bootstrap.c: its allgather, whose failure is reported. */
weft_status weft_bootstrap_gather(weft_context *cx, const weft_bootstrap *b, const void *in, size_t bytes, void *out);

/* What a process says of the memory that it shows the others of its node. */
typedef struct weft_memory_card {
    int64_t pid;
    weft_segment_card heap, node;   /* node: of the node's first process only */
    uint64_t probe;                 /* an address of the process, and what stands there (reach.h) */
    uint64_t token;
} weft_memory_card;

/* A message under way. */
typedef struct weft_request {
    void *data;          /* the transport's */
    int peer;            /* world rank */
    enum { WEFT_REQUEST_FREE, WEFT_REQUEST_SEND, WEFT_REQUEST_RECEIVE } kind;
    bool is_lent;        /* its memory is the caller's, who may free it once the call has ended, well or not */
    const char *why;     /* it has failed, and stays so: a constant text */
} weft_request;

/* Whose message. Groups have channels of their own; two of them may share one. Within a channel, calls that differ in
 * `call` do not meet; it has as many bits as the transport carries. */
typedef struct weft_address {
    int from, to;        /* world ranks */
    unsigned call;
    uint64_t channel;
} weft_address;

/* Those that this process has to do with, who tell others; or a process of every node, though there have been no
 * messages yet. */
typedef enum weft_hearers { WEFT_HEARERS_KNOWN, WEFT_HEARERS_ALL } weft_hearers;

typedef enum weft_transport_offer { WEFT_TRANSPORT_MEMORY, WEFT_TRANSPORT_MESSAGES } weft_transport_offer;

/* A transport is opened in two steps, between which the processes exchange what the first one says (start.c). Neither
 * reports, since there may be another way: they return WEFT_ERR_IO or WEFT_ERR_UNSUPPORTED with the reason in
 * world->trouble. close follows in any case. */
typedef struct weft_transport {
    const char *name;
    weft_transport_offer offer;
    int call_bits;       /* MESSAGES: of weft_address.call */
    void (*close)(weft_world *w);

    /* MEMORY: makes this process's part of world->node, heap and segments; then finds the others of its node, whose
     * cards are among those of all processes. join may be NULL. */
    weft_status (*share)(weft_world *w, weft_memory_card *mine);
    weft_status (*join)(weft_world *w, const weft_memory_card *cards);
    /* Whether this process of the node, by its number there, has ended. */
    bool (*ended)(weft_world *w, int seat);

    /* MESSAGES: makes what others can reach, whose address lives until close; then takes all processes' addresses,
     * `stride` bytes apart, which are lent for the call. */
    weft_status (*listen)(weft_world *w, const void **address, size_t *bytes);
    weft_status (*connect)(weft_world *w, const char *addresses, size_t stride);
    /* Starts a message from a local rank, or to one. No diagnostic; a failure may say why in the request. */
    weft_status (*send)(weft_world *w, weft_address at, const void *p, size_t bytes, weft_request *r);
    weft_status (*receive)(weft_world *w, weft_address at, void *p, size_t bytes, weft_request *r);
    /* Moves all n on; counts into *left those not finished. Finished ones become WEFT_REQUEST_FREE. WEFT_ERR_IO when
     * one has failed. */
    weft_status (*test)(weft_world *w, weft_request *r, int n, int *left);
    /* Sleeps until something may have come for this process, or for a while of its own choice, below a millisecond or
     * two. NULL: it cannot tell. */
    void (*doze)(weft_world *w);
    /* Whether messages may be of the caller's memory. NULL: no. */
    bool (*lends)(const weft_world *w);
    /* Gives up on the messages: those that become WEFT_REQUEST_FREE will not touch their buffers any more, and none
     * touches memory that is lent. */
    void (*cancel)(weft_world *w, weft_request *r, int n);
    /* Tells the other nodes that the world has failed; and looks whether one of them says so. */
    void (*tell_failed)(weft_world *w, weft_hearers who);
    bool (*heard_failed)(weft_world *w, char *reason, size_t bytes);
    /* Asks the process of a rank for a sign of life; whether one has come since it was first asked. Who waits for
     * messages gives it, who computes or is stopped does not. NULL: nobody can be asked. */
    bool (*answers)(weft_world *w, int rank);
} weft_transport;

#define TRANSPORT(name, offer) extern const weft_transport weft_transport_##name;
#include "collectives/transports.def"

#endif
