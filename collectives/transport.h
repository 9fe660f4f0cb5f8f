/* transport.h: the interface of a transport: one const struct of functions each, in a file of its own; transports.def
 * names them.
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
    /* out[size * bytes] gets every process's in[bytes]. WEFT_ERR_IO without a diagnostic; trouble, unless it is NULL,
     * then holds the reason. */
    weft_status (*allgather)(const struct weft_bootstrap *b, const void *in, size_t bytes, void *out);
    void *state;
    const char *trouble;
} weft_bootstrap;

/* bootstrap.c: its allgather, whose failure is reported. */
weft_status weft_bootstrap_gather(weft_context *cx, const weft_bootstrap *b, const void *in, size_t bytes, void *out);

/* A process's card about the memory that it shows to the others of its node. */
typedef struct weft_memory_card {
    int64_t pid;
    weft_segment_card heap, node;   /* node: of the node's first process only */
    uint64_t probe;                 /* an address of the process, and its contents (reach.h) */
    uint64_t token;
} weft_memory_card;

/* A message in progress. */
typedef struct weft_request {
    void *data;          /* the transport's */
    int peer;            /* world rank */
    enum { WEFT_REQUEST_FREE, WEFT_REQUEST_SEND, WEFT_REQUEST_RECEIVE } kind;
    bool is_lent;        /* its memory is the caller's, which may free it after the call, successful or not */
    const char *why;     /* why it has failed, for good: a constant text */
} weft_request;

/* The address of a message. Groups have channels of their own; two of them may share one. Within a channel, messages of
 * calls that differ in `call` never match; it has as many bits as the transport carries. */
typedef struct weft_address {
    int from, to;        /* world ranks */
    unsigned call;
    uint64_t channel;
} weft_address;

/* The processes that this one informs of a failure: those with which it has exchanged messages, which inform others; or
 * one process of every node as well, even without messages. */
typedef enum weft_hearers { WEFT_HEARERS_KNOWN, WEFT_HEARERS_ALL } weft_hearers;

typedef enum weft_transport_offer { WEFT_TRANSPORT_MEMORY, WEFT_TRANSPORT_MESSAGES } weft_transport_offer;

/* A transport is opened in two steps, between which the processes exchange the cards of the first (start.c). Neither
 * step reports, since there may be another way: they return WEFT_ERR_IO or WEFT_ERR_UNSUPPORTED with the reason in
 * world->trouble. close follows in any case. */
typedef struct weft_transport {
    const char *name;
    weft_transport_offer offer;
    int call_bits;       /* MESSAGES: of weft_address.call */
    void (*close)(weft_world *w);

    /* MEMORY: makes this process's part of world->node, heap and segments; then maps those of the others of its node,
     * whose cards are among those of all processes. join may be NULL. */
    weft_status (*share)(weft_world *w, weft_memory_card *mine);
    weft_status (*join)(weft_world *w, const weft_memory_card *cards);
    /* Whether this process of the node (by its number there) has ended. */
    bool (*ended)(weft_world *w, int seat);

    /* MESSAGES: makes this process's address, which lives until close; then takes all processes' addresses, `stride`
     * bytes apart, which are lent for the call. */
    weft_status (*listen)(weft_world *w, const void **address, size_t *bytes);
    weft_status (*connect)(weft_world *w, const char *addresses, size_t stride);
    /* Starts a message from a local rank, or to one. No diagnostic; a failure may leave a reason in the request. */
    weft_status (*send)(weft_world *w, weft_address at, const void *p, size_t bytes, weft_request *r);
    weft_status (*receive)(weft_world *w, weft_address at, void *p, size_t bytes, weft_request *r);
    /* Advances all n requests; counts the unfinished ones into *left. Finished ones become WEFT_REQUEST_FREE.
     * WEFT_ERR_IO when one has failed. */
    weft_status (*test)(weft_world *w, weft_request *r, int n, int *left);
    /* Sleeps until a message may have arrived for this process, at most for a millisecond or two. NULL: the transport
     * cannot wait. */
    void (*doze)(weft_world *w);
    /* Whether messages may use the caller's memory. NULL: no. */
    bool (*lends)(const weft_world *w);
    /* Gives up on the messages: those that become WEFT_REQUEST_FREE no longer touch their buffers, and none touches
     * lent memory. */
    void (*cancel)(weft_world *w, weft_request *r, int n);
    /* Informs the other nodes that the world has failed; and checks whether one of them says so. */
    void (*tell_failed)(weft_world *w, weft_hearers who);
    bool (*heard_failed)(weft_world *w, char *reason, size_t bytes);
    /* Asks the process of a rank for a sign of life; returns whether one has arrived since the first question. A
     * process that waits for messages answers; one that computes or is stopped does not. NULL: no process can be
     * asked. */
    bool (*answers)(weft_world *w, int rank);
} weft_transport;

#define TRANSPORT(name, offer) extern const weft_transport weft_transport_##name;
#include "collectives/transports.def"

#endif
