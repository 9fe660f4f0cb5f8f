/* tcp.h: connections between the processes of a world by TCP, for transport_tcp.c.
 *
 * One connection per pair of processes, made with the first message between them, by either of the two. It carries a
 * sequence of frames: a head, and as many bytes as the head says. A message of up to WEFT_TCP_EAGER bytes is one frame.
 * A longer one begins with a frame of that size; the rest follows in frames when the receiver, which by then knows its
 * place, asks for it. So messages that no rank waits for take bounded memory, and asking takes no time if a rank
 * already waits. A process reads whatever arrives, so no message blocks another.
 *
 * Ranks of one process, which may be nodes of their own, copy out of each other's memory.
 *
 * Everything here is under the lock of weft_tcp, except the flag that a message has finished.
 */
#ifndef WEFT_COLLECTIVES_TCP_H
#define WEFT_COLLECTIVES_TCP_H

#include "collectives/door.h"
#include "collectives/words.h"

#include <netinet/in.h>

#define WEFT_TCP_EAGER ((size_t)256 << 10)
#define WEFT_TCP_ADDRESSES 8       /* of one process, at most */
#define WEFT_TCP_NO_MEMORY "no memory is left for messages" /* why a message or a connection is lost */

/* --- the cards of processes at start: tcp_address.c --------------------------------------------------------------- */

typedef struct weft_tcp_address {
    uint8_t family;                /* 4 or 6 */
    uint8_t prefix;                /* bits that all of its network have in common */
    uint16_t zero;
    uint32_t mbit_s;               /* of its interface; 0: not known */
    uint8_t bytes[16];
} weft_tcp_address;

typedef struct weft_tcp_card {
    uint8_t token[WEFT_PROOF_BYTES]; /* callers prove that they know it, so that strangers are refused */
    uint64_t host;                 /* the same for processes that reach each other at 127.0.0.1 */
    uint16_t port;                 /* network order */
    uint16_t count;
    uint32_t zero;
    weft_tcp_address at[WEFT_TCP_ADDRESSES];
} weft_tcp_card;

/* This process's addresses: those of the interfaces in the list WEFT_TCP_INTERFACES, else of the existing ones in
 * UCX_NET_DEVICES. WEFT_ERR_IO with a reason in why[room]. */
weft_status weft_tcp_addresses(weft_tcp_card *mine, char *why, size_t room);
/* The addresses of a process, the most promising first: those of a shared network before others, faster ones before
 * slower ones. At most WEFT_TCP_ADDRESSES + 1; returns their number. */
int weft_tcp_ways(const weft_tcp_card *mine, const weft_tcp_card *theirs, struct sockaddr_in6 *out);
/* Whether a socket is connected to itself. If no process listens at a port that the system also assigns to callers, a
 * caller may be assigned that very port; its call then meets itself, as two simultaneous calls do (RFC 9293, 3.5). */
bool weft_tcp_meets_itself(int fd);
/* The length of the address, whose family may be AF_INET too. */
socklen_t weft_tcp_length(const struct sockaddr_in6 *a);

/* --- messages: tcp_message.c -------------------------------------------------------------------------------------- */

typedef enum weft_tcp_kind {
    WEFT_TCP_MESSAGE,              /* of a rank to a rank: all of it or its beginning */
    WEFT_TCP_GO,                   /* the rest of that message may come */
    WEFT_TCP_REST,                 /* a part of the rest */
    WEFT_TCP_WORD,                 /* the first of the control messages: words.h */
    WEFT_TCP_KINDS = WEFT_TCP_WORD + WEFT_WORDS
} weft_tcp_kind;

typedef struct weft_tcp_frame {
    uint32_t kind;
    uint32_t call;                 /* these four: of a message, as in weft_address */
    int32_t from, to;
    uint64_t channel;
    uint64_t bytes;                /* of the whole message */
    uint64_t here;                 /* bytes after this head */
    uint64_t id;                   /* its sender's number for it */
} weft_tcp_frame;

/* A message that is sent, received, waited for, or arrived before a rank waited for it. */
typedef struct weft_tcp_message {
    struct weft_tcp_message *next; /* in its list */
    weft_tcp_frame head;           /* of the current frame, or the message that is waited for */
    char *p;                       /* its bytes: the caller's, or own */
    size_t done;                   /* bytes sent or received */
    size_t head_done;              /* outgoing: bytes of the frame's head that are sent, */
    size_t until, total;           /* and the ends of the frame and of the message */
    char *own;                     /* memory of the transport's, own_bytes; NULL: none */
    size_t own_bytes;
    bool is_wanted;                /* incoming: its rank waits for it */
    bool may_go;                   /* outgoing: the receiver has asked for the rest */
    bool is_orphan;                /* no rank waits for its end */
    const char *why;               /* it has failed: a constant text; published by finished */
    _Atomic int finished;          /* written under the lock; read by its owner */
} weft_tcp_message;

typedef struct weft_tcp_list {
    weft_tcp_message *first, *last;
} weft_tcp_list;

typedef enum weft_tcp_state {
    WEFT_TCP_NONE,
    WEFT_TCP_CALLING,              /* this process calls it: connecting, */
    WEFT_TCP_GREETED,              /* then waiting for its challenge and its verdict */
    WEFT_TCP_EXPECTED,             /* the peer calls, and has the right of way */
    WEFT_TCP_OPEN,
    WEFT_TCP_LOST
} weft_tcp_state;

/* bytes that are read ahead, before it is known to which message they belong */
#define WEFT_TCP_AHEAD ((size_t)8 << 10)

typedef struct weft_tcp_peer {
    weft_tcp_state state;
    int fd;
    const char *lost;              /* why */
    /* Calling: */
    struct sockaddr_in6 way[WEFT_TCP_ADDRESSES + 1];
    int ways, tried;
    int calls;                     /* that were closed without an answer */
    weft_secret secret;            /* of connections to it */
    weft_caller caller;
    bool is_challenged;            /* its challenge has been answered */
    /* then the next address is tried, if there is one; an expected peer is called */
    int64_t until_ns;
    /* Coming in: */
    char *ahead;                   /* WEFT_TCP_AHEAD bytes */
    weft_tcp_frame head;           /* of the incoming frame; head_got bytes of it have arrived */
    size_t head_got;
    size_t left;                   /* bytes of the frame that have not arrived yet */
    weft_tcp_message *into;        /* their message; NULL: they are dropped */
    weft_tcp_list awaited;         /* ranks wait for them; nothing has arrived */
    weft_tcp_list early;           /* arrived before a rank waited for them */
    weft_tcp_list granted;         /* more frames of them may arrive */
    /* Going out: */
    weft_tcp_list out;             /* frames, in order */
    weft_tcp_list held;            /* messages whose rest the receiver has not asked for yet */
    size_t queue_bytes;            /* size of the system's send buffer; 0: its own choice */
    bool is_broken;                /* nothing is sent any more */
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
    int live_count, opening;       /* opening: those of them that are not connected yet */
    int64_t out_since_ns;          /* since when there is no descriptor for callers; 0: there is one */
    void *polled;                  /* memory for poll's list of all connections */
    size_t polled_bytes;
    unsigned ticks;
    uint64_t moves, seen;          /* system calls that moved anything; at the last look */
    uint64_t ids;
    weft_tcp_message *spare;       /* messages that are not in use */
} weft_tcp;

/* Queues a message to a process; p is the caller's until it has finished. NULL: memory is out.
 */
weft_tcp_message *weft_tcp_send(weft_tcp *t, int process, weft_tcp_frame head, const void *p);
/* weft_voice's say. */
void weft_tcp_say(weft_world *w, int process, weft_word word, const char *text, size_t bytes);
/* A message that is to arrive from a process: head.from, to, call, channel and bytes. */
weft_tcp_message *weft_tcp_receive(weft_tcp *t, int process, weft_tcp_frame head, void *p);
/* Whether such a message has arrived as a whole. */
bool weft_tcp_has_come(const weft_tcp *t, int process, const weft_tcp_frame *head);
/* Sends and receives all that is possible without waiting. */
void weft_tcp_step(weft_tcp *t, int process);
/* Ends the use of the message's bytes; m belongs to t again. */
void weft_tcp_forget(weft_tcp *t, int process, weft_tcp_message *m);
/* Returns a finished message. */
void weft_tcp_recycle(weft_tcp *t, weft_tcp_message *m);
/* Frees all messages, in progress and spare. */
void weft_tcp_messages_free(weft_tcp *t);

/* --- the size of the system's send buffers: tcp_queue.c ----------------------------------------------------------- */

#define WEFT_TCP_QUEUE_LEAST ((size_t)256 << 10)
#define WEFT_TCP_QUEUE_MOST ((size_t)1 << 20) /* beyond this size the system decides */

/* The best size for a connection of this rate and round-trip time that has carried so many bytes; 0: not known
 * yet. */
size_t weft_tcp_queue_wanted(uint64_t bytes_s, uint32_t rtt_us, uint64_t sent);
/* Sets it. */
void weft_tcp_bound_queue(weft_tcp_peer *q);

/* --- connections: tcp_connect.c ----------------------------------------------------------------------------------- */

/* Starts a connection if there is none. Returns why there is none and will not be; NULL otherwise. */
const char *weft_tcp_reach(weft_tcp *t, int process);
/* weft_voice's call_out. */
void weft_tcp_call_out(weft_world *w, int process, const char *text, size_t bytes, int64_t end_ns);
/* Gives the connection up for ever; the reason is a constant text. */
void weft_tcp_lose(weft_tcp *t, int process, const char *why);
/* The events to poll its socket for. */
short weft_tcp_interest(const weft_tcp_peer *q);
/* Serves all connections, and new callers. */
void weft_tcp_look_around(weft_tcp *t);
weft_status weft_tcp_listen(weft_tcp *t, char *why, size_t room);
void weft_tcp_hang_up(weft_tcp *t);

#endif
