/* tcp.h: connections between the processes of a world by TCP, for transport_tcp.c.
 *
 * One connection per pair of processes, made with the first message between them, by either of the two. What goes over
 * it is a row of frames: a head, and as many bytes as that says. Messages up to WEFT_TCP_EAGER bytes are one frame. Of
 * longer ones the first frame has as many; the rest follows in frames when the receiver, which by then knows where to
 * put it, says that it may: so that what nobody waits for yet takes bounded memory, and the question takes no time
 * where somebody does. A process reads whatever comes, so that no message waits behind another.
 *
 * Ranks of one process, which may be nodes of their own, copy out of each other's memory.
 *
 * Everything here is under the lock of weft_tcp, but for whether a message has finished.
 */
#ifndef WEFT_COLLECTIVES_TCP_H
#define WEFT_COLLECTIVES_TCP_H

#include "collectives/door.h"
#include "collectives/words.h"

#include <netinet/in.h>

#define WEFT_TCP_EAGER ((size_t)256 << 10)
#define WEFT_TCP_ADDRESSES 8       /* of one process, at most */
#define WEFT_TCP_NO_MEMORY "no memory is left for messages" /* why a message or a connection is lost */

/* --- what processes say of themselves at start: tcp_address.c ----------------------------------------------------- */

typedef struct weft_tcp_address {
    uint8_t family;                /* 4 or 6 */
    uint8_t prefix;                /* bits that all of its network have in common */
    uint16_t zero;
    uint32_t mbit_s;               /* of its interface; 0: not known */
    uint8_t bytes[16];
} weft_tcp_address;

typedef struct weft_tcp_card {
    uint8_t token[WEFT_PROOF_BYTES]; /* whoever calls proves that it has heard it, so that strangers are not heard */
    uint64_t host;                 /* the same for processes that reach each other at 127.0.0.1 */
    uint16_t port;                 /* network order */
    uint16_t count;
    uint32_t zero;
    weft_tcp_address at[WEFT_TCP_ADDRESSES];
} weft_tcp_card;

/* This process's addresses, those of the interfaces that WEFT_TCP_INTERFACES names (a list; else those of
 * UCX_NET_DEVICES that there are). WEFT_ERR_IO with a reason in why[room]. */
weft_status weft_tcp_addresses(weft_tcp_card *mine, char *why, size_t room);
/* The most promising ways to a process, that first: those of a network that both are in before others, faster ones
 * before slower ones. At most WEFT_TCP_ADDRESSES + 1; returns how many. */
int weft_tcp_ways(const weft_tcp_card *mine, const weft_tcp_card *theirs, struct sockaddr_in6 *out);
/* Whether a socket is connected to itself. Where nobody listens at a port of those that the system gives to callers,
 * one who calls it may be given that port; then the two calls of a connection that both sides make at once (RFC
 * 9293, 3.5) are one. */
bool weft_tcp_meets_itself(int fd);
/* The length of the address, whose family may be AF_INET too. */
socklen_t weft_tcp_length(const struct sockaddr_in6 *a);

/* --- messages: tcp_message.c -------------------------------------------------------------------------------------- */

typedef enum weft_tcp_kind {
    WEFT_TCP_MESSAGE,              /* of a rank to a rank: all of it or its beginning */
    WEFT_TCP_GO,                   /* the rest of that message may come */
    WEFT_TCP_REST,                 /* some of it */
    WEFT_TCP_WORD,                 /* the first of what processes say to each other: words.h */
    WEFT_TCP_KINDS = WEFT_TCP_WORD + WEFT_WORDS
} weft_tcp_kind;

typedef struct weft_tcp_frame {
    uint32_t kind;
    uint32_t call;                 /* these four: of a message, as in weft_address */
    int32_t from, to;
    uint64_t channel;
    uint64_t bytes;                /* of the whole message */
    uint64_t here;                 /* of them behind this head */
    uint64_t id;                   /* its sender's number for it */
} weft_tcp_frame;

/* One that goes, comes, is waited for, or came before somebody waited. */
typedef struct weft_tcp_message {
    struct weft_tcp_message *next; /* in the list that it is in */
    weft_tcp_frame head;           /* of the frame under way, or what is waited for */
    char *p;                       /* its bytes: the caller's, or own */
    size_t done;                   /* of them sent or received */
    size_t head_done;              /* of one that goes: bytes of the frame's head that are sent, */
    size_t until, total;           /* and where the frame ends, and the message */
    char *own;                     /* memory of the transport's, own_bytes; NULL: none */
    size_t own_bytes;
    bool is_wanted;                /* of one that comes: its rank waits for it */
    bool may_go;                   /* of one that goes: the receiver has asked for the rest */
    bool is_orphan;                /* nobody waits for its end */
    const char *why;               /* it has failed: a constant text; published by finished */
    _Atomic int finished;          /* by whoever holds the lock; read by its owner */
} weft_tcp_message;

typedef struct weft_tcp_list {
    weft_tcp_message *first, *last;
} weft_tcp_list;

typedef enum weft_tcp_state {
    WEFT_TCP_NONE,
    WEFT_TCP_CALLING,              /* it is called: connecting, */
    WEFT_TCP_GREETED,              /* and then its challenge and its verdict are waited for */
    WEFT_TCP_EXPECTED,             /* it calls itself, and has the right of way */
    WEFT_TCP_OPEN,
    WEFT_TCP_LOST
} weft_tcp_state;

/* read at once where it is not known to whom they go, or more than that may come */
#define WEFT_TCP_AHEAD ((size_t)8 << 10)

typedef struct weft_tcp_peer {
    weft_tcp_state state;
    int fd;
    const char *lost;              /* why */
    /* Calling: */
    struct sockaddr_in6 way[WEFT_TCP_ADDRESSES + 1];
    int ways, tried;
    int calls;                     /* that were sent away without a word */
    weft_secret secret;            /* of connections to it */
    weft_caller caller;
    bool is_challenged;            /* it has been answered */
    /* then the next way is tried, if there is one; of one that is expected, it is called again */
    int64_t until_ns;
    /* Coming in: */
    char *ahead;                   /* WEFT_TCP_AHEAD bytes */
    weft_tcp_frame head;           /* of the frame that comes; head_got bytes of it are there */
    size_t head_got;
    size_t left;                   /* of its bytes, not come yet */
    weft_tcp_message *into;        /* where these go; NULL: nowhere */
    weft_tcp_list awaited;         /* by ranks; nothing has come */
    weft_tcp_list early;           /* came before somebody waited */
    weft_tcp_list granted;         /* more frames of them may come */
    /* Going out: */
    weft_tcp_list out;             /* frames, in order */
    weft_tcp_list held;            /* messages whose rest waits for the receiver's word */
    size_t queue_bytes;            /* that the system may hold; 0: its own choice */
    bool is_broken;                /* nothing goes out any more */
} weft_tcp_peer;

typedef struct weft_tcp {
    weft_words words;              /* first: words.h */
    weft_world *world;
    pthread_mutex_t lock;
    weft_door door;
    weft_tcp_card mine;
    weft_tcp_card *cards;          /* [processes]; NULL: not connected */
    weft_tcp_peer *peers;          /* [processes] */
    int *live;                     /* [live_count] processes that are called or connected */
    int live_count, opening;       /* and those of them that are not connected yet */
    int64_t out_since_ns;          /* there has been no descriptor for who calls; 0: there is */
    void *polled;                  /* room for poll's list of all of them */
    size_t polled_bytes;
    unsigned ticks;
    uint64_t moves, seen;          /* system calls that moved anything; at the last look */
    uint64_t ids;
    weft_tcp_message *spare;       /* messages that are not in use */
} weft_tcp;

/* A message that goes to a process, behind those before it; p is the caller's until it has finished. NULL: no memory.
 */
weft_tcp_message *weft_tcp_send(weft_tcp *t, int process, weft_tcp_frame head, const void *p);
/* weft_voice's say. */
void weft_tcp_say(weft_world *w, int process, weft_word word, const char *text, size_t bytes);
/* A message that is to come from a process: head.from, to, call, channel and bytes. */
weft_tcp_message *weft_tcp_receive(weft_tcp *t, int process, weft_tcp_frame head, void *p);
/* Whether such a message is there, all of it. */
bool weft_tcp_has_come(const weft_tcp *t, int process, const weft_tcp_frame *head);
/* Sends and takes what can be sent and taken without waiting. */
void weft_tcp_step(weft_tcp *t, int process);
/* Nothing touches the message's bytes any more; m is t's again. */
void weft_tcp_forget(weft_tcp *t, int process, weft_tcp_message *m);
/* Gives back one that has finished. */
void weft_tcp_recycle(weft_tcp *t, weft_tcp_message *m);
/* All that is under way, and spare ones. */
void weft_tcp_messages_free(weft_tcp *t);

/* --- what the system holds of what goes out: tcp_queue.c ---------------------------------------------------------- */

#define WEFT_TCP_QUEUE_LEAST ((size_t)256 << 10)
#define WEFT_TCP_QUEUE_MOST ((size_t)1 << 20) /* from here on it is left to itself */

/* What it should hold of a connection with this rate and this time to the other side and back, over which so many bytes
 * have gone; 0: nobody knows yet. */
size_t weft_tcp_queue_wanted(uint64_t bytes_s, uint32_t rtt_us, uint64_t sent);
/* Sees to it. */
void weft_tcp_bound_queue(weft_tcp_peer *q);

/* --- connections: tcp_connect.c ----------------------------------------------------------------------------------- */

/* Sees to it that there will be a connection. Returns why there is none and will not be; NULL otherwise. */
const char *weft_tcp_reach(weft_tcp *t, int process);
/* weft_voice's call_out. */
void weft_tcp_call_out(weft_world *w, int process, const char *text, size_t bytes, int64_t end_ns);
/* There will be none any more; the reason is a constant text. */
void weft_tcp_lose(weft_tcp *t, int process, const char *why);
/* What to wait for on its socket: poll's events. */
short weft_tcp_interest(const weft_tcp_peer *q);
/* Looks at all connections, and at who calls. */
void weft_tcp_look_around(weft_tcp *t);
weft_status weft_tcp_listen(weft_tcp *t, char *why, size_t room);
void weft_tcp_hang_up(weft_tcp *t);

#endif
