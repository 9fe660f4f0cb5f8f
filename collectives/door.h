/* door.h: how two processes open and authenticate a TCP connection. Used at both places where Weft listens: process 0's
 * rendezvous, and each process's door for messages (tcp.h).
 *
 *     caller                        door
 *     hello: its number, a nonce ->
 *                                <- CHALLENGE: a nonce
 *     a proof of both            -> <- WELCOME, CROSSED or REFUSED: a verdict, with a proof of its own, and of a
 *                                refusal the reason in words
 *
 * With a secret (proof.h) each side knows that the other has it before it believes anything else. Without one the
 * proofs are zeros, and every peer that follows the protocol is believed. A caller whose hello is of another layout is
 * refused. A caller that sends nothing, or only a part, occupies one of WEFT_DOOR_GUESTS places. When all are taken, a
 * new caller gets the place of the one that has gone longest without a whole hello, or else, if it has sent its own, of
 * the one that has gone longest without a proof. So a process may be disconnected without a word, and calls again.
 * Nothing here waits.
 *
 * Instead of asking for a connection, a hello may carry a word: that the world has failed, and why. It needs no answer,
 * and is proved by a hash of itself. A repeated word changes nothing.
 */
#ifndef WEFT_COLLECTIVES_DOOR_H
#define WEFT_COLLECTIVES_DOOR_H

#include "collectives/node.h"
#include "collectives/proof.h"

#include <netinet/in.h>
#include <poll.h>

#define WEFT_DOOR_GUESTS 64          /* connections that are not admitted yet, at once */
#define WEFT_DOOR_TEXT 256           /* bytes of a refusal, with its 0 */
#define WEFT_DOOR_WORD WEFT_REASON_BYTES

typedef enum weft_door_kind { WEFT_DOOR_RENDEZVOUS = 1, WEFT_DOOR_MESSAGES } weft_door_kind;
/* crossed: the door calls back */
typedef enum weft_verdict {
    WEFT_VERDICT_CHALLENGE = 1,
    WEFT_VERDICT_WELCOME,
    WEFT_VERDICT_CROSSED,
    WEFT_VERDICT_REFUSED
} weft_verdict;

/* The messages on the wire. */
typedef struct weft_hello {
    uint32_t magic, kind;
    uint64_t layout;                 /* of all structs that processes exchange: wire.h */
    int32_t process, processes;      /* by the caller's count */
    uint32_t is_keyed;               /* the caller's secret is its user's key */
    uint32_t word_bytes;             /* not 0: a word of so many bytes follows, and nothing else */
    uint8_t nonce[WEFT_NONCE_BYTES];
    uint8_t proof[WEFT_PROOF_BYTES]; /* of a word; else zeros */
} weft_hello;

typedef struct weft_reply {
    uint32_t magic, verdict;
    uint32_t is_keyed;
    uint32_t text_bytes;             /* length of a refusal's text, which follows */
    uint8_t nonce[WEFT_NONCE_BYTES]; /* of a challenge */
    uint8_t proof[WEFT_PROOF_BYTES]; /* of a verdict, for a caller that the door believes */
} weft_reply;
_Static_assert(sizeof(weft_hello) == 80 && sizeof(weft_reply) == 64,
               "no bytes between the fields: all of them are hashed");

/* --- the caller's side -------------------------------------------------------------------------------------------- */

typedef struct weft_caller {
    const weft_secret *secret;
    weft_hello hello;
    weft_reply challenge;
} weft_caller;

/* The caller's first message; WEFT_ERR_IO: no random numbers. */
weft_status weft_caller_begin(weft_caller *c, weft_door_kind kind, const weft_secret *secret, int process,
                              int processes);
/* Whether a reply follows this Weft's protocol. */
int weft_reply_is_sound(const weft_reply *r);
/* The answer to a challenge. */
void weft_caller_prove(weft_caller *c, const weft_reply *challenge, uint8_t proof[WEFT_PROOF_BYTES]);
/* Whether the sender of this verdict knows the secret. */
int weft_caller_believes(const weft_caller *c, const weft_reply *verdict);
/* A hello with a word, both to be sent at once: out[sizeof(weft_hello) + WEFT_DOOR_WORD]; returns the number of bytes.
 * 0: the word is too long. */
size_t weft_caller_word(const weft_secret *secret, int process, int processes, const char *text, size_t bytes,
                        char *out);

/* --- the door ----------------------------------------------------------------------------------------------------- */

typedef struct weft_guest {
    int fd;
    size_t got;                      /* bytes of the expected message: the hello, with its word, or the proof */
    int is_challenged;
    weft_hello hello;
    char word[WEFT_DOOR_WORD];
    uint8_t nonce[WEFT_NONCE_BYTES], proof[WEFT_PROOF_BYTES];
    int64_t since_ns;
} weft_guest;

/* Callbacks of the door's owner. They must not call the door. */
typedef struct weft_doorkeeper {
    /* Before any proof. 0: refused; why[WEFT_DOOR_TEXT] is the reason, or empty for a refusal without an answer. */
    int (*admits)(void *user, const weft_hello *h, char *why);
    /* A caller that is believed. It is sent the verdict; after WELCOME the connection belongs to the owner
     * (`enters`). */
    weft_verdict (*judges)(void *user, const weft_hello *h, char *why);
    void (*enters)(void *user, const weft_hello *h, int fd);
    /* A caller without the secret. */
    void (*doubts)(void *user, const weft_hello *h);
    /* A word that is proved. NULL: words are ignored. */
    void (*hears)(void *user, const char *text, size_t bytes);
} weft_doorkeeper;

typedef struct weft_door {
    weft_door_kind kind;
    const weft_doorkeeper *keeper;
    void *user;
    weft_secret secret;
    int is_keyed;                    /* the secret is the user's key */
    int listener;                    /* -1: closed */
    int count;
    weft_guest guests[WEFT_DOOR_GUESTS];
} weft_door;

/* Fills p[1 + WEFT_DOOR_GUESTS] with the descriptors to poll; returns their number. */
int weft_door_interest(const weft_door *d, struct pollfd *p);
/* After poll on these n, also when nothing has arrived: reads from guests and accepts new callers. 0, or an errno: no
 * descriptor or memory is left for a new caller (EMFILE, ENFILE, ENOBUFS, ENOMEM), nothing was accepted, and there is
 * no guest to evict. */
int weft_door_look(weft_door *d, const struct pollfd *p, int n, int64_t now_ns);
/* Disconnects the guests that are not admitted yet. */
void weft_door_dismiss(weft_door *d);
/* Closes the door, and the connections of guests that are not admitted yet. */
void weft_door_close(weft_door *d);

/* The layout that both sides must share: a hash over every struct that processes exchange (wire.c). */
uint64_t weft_wire_layout(void);

#endif
