/* door.h: how one process comes to a connection with another by TCP, at both places where Weft listens: process 0's
 * rendezvous, and each process's door for messages (tcp.h).
 *
 *     caller                        door
 *     hello: who it is, a nonce  ->
 *                                <- CHALLENGE: a nonce
 *     a proof of both            -> <- WELCOME, CROSSED or REFUSED: a verdict, with a proof of its own, and of a
 *                                refusal the reason in words
 *
 * With a secret (proof.h) each side so knows that the other has it before anything that it says counts. Without one the
 * proofs are zeros, and whoever speaks Weft's language is believed. A caller whose hello is none of this Weft's is
 * refused; one that says nothing, or only a part, takes a place of WEFT_DOOR_GUESTS. When all are taken, a new caller
 * gets the place of the one that has said no whole hello for the longest time, or else, if it has said its own, of the
 * one that has not proved anything for the longest time. So a process may be sent away without a word, and calls again.
 * Nothing here waits.
 *
 * A hello may bring a word instead, that the world has failed and why, which wants no answer: it is proved by a hash of
 * itself. Said again it changes nothing.
 */
#ifndef WEFT_COLLECTIVES_DOOR_H
#define WEFT_COLLECTIVES_DOOR_H

#include "collectives/node.h"
#include "collectives/proof.h"

#include <netinet/in.h>
#include <poll.h>

#define WEFT_DOOR_GUESTS 64          /* who have come and not got through yet, at once */
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

/* What goes over the wire. */
typedef struct weft_hello {
    uint32_t magic, kind;
    uint64_t layout;                 /* of all that processes tell each other: wire.h */
    int32_t process, processes;      /* as the caller counts */
    uint32_t is_keyed;               /* the caller's secret is its user's key */
    uint32_t word_bytes;             /* not 0: a word of so many bytes follows, and nothing more */
    uint8_t nonce[WEFT_NONCE_BYTES];
    uint8_t proof[WEFT_PROOF_BYTES]; /* of a word; else zeros */
} weft_hello;

typedef struct weft_reply {
    uint32_t magic, verdict;
    uint32_t is_keyed;
    uint32_t text_bytes;             /* of a refusal, which follow */
    uint8_t nonce[WEFT_NONCE_BYTES]; /* of a challenge */
    uint8_t proof[WEFT_PROOF_BYTES]; /* of a verdict for whom the door believes */
} weft_reply;
_Static_assert(sizeof(weft_hello) == 80 && sizeof(weft_reply) == 64,
               "no bytes between the fields: all of them are hashed");

/* --- the caller's side -------------------------------------------------------------------------------------------- */

typedef struct weft_caller {
    const weft_secret *secret;
    weft_hello hello;
    weft_reply challenge;
} weft_caller;

/* What there is to say first; WEFT_ERR_IO: no random numbers. */
weft_status weft_caller_begin(weft_caller *c, weft_door_kind kind, const weft_secret *secret, int process,
                              int processes);
/* Whether a reply is one of this Weft's at all. */
int weft_reply_is_sound(const weft_reply *r);
/* The answer to a challenge. */
void weft_caller_prove(weft_caller *c, const weft_reply *challenge, uint8_t proof[WEFT_PROOF_BYTES]);
/* Whether this verdict is of somebody who knows the secret. */
int weft_caller_believes(const weft_caller *c, const weft_reply *verdict);
/* A hello with a word, both to be sent at once: out[sizeof(weft_hello) + WEFT_DOOR_WORD]; returns how many bytes. 0:
 * the word is too long. */
size_t weft_caller_word(const weft_secret *secret, int process, int processes, const char *text, size_t bytes,
                        char *out);

/* --- the door ----------------------------------------------------------------------------------------------------- */

typedef struct weft_guest {
    int fd;
    size_t got;                      /* of what is expected now: the hello, with its word, or the proof */
    int is_challenged;
    weft_hello hello;
    char word[WEFT_DOOR_WORD];
    uint8_t nonce[WEFT_NONCE_BYTES], proof[WEFT_PROOF_BYTES];
    int64_t since_ns;
} weft_guest;

/* What its owner does; not to the door itself. */
typedef struct weft_doorkeeper {
    /* Before anything is proved. 0: refused, why[WEFT_DOOR_TEXT] says why, or is empty: then it hears nothing. */
    int (*admits)(void *user, const weft_hello *h, char *why);
    /* One that is believed. The verdict is told; of WELCOME the connection is then the owner's, by `enters`. */
    weft_verdict (*judges)(void *user, const weft_hello *h, char *why);
    void (*enters)(void *user, const weft_hello *h, int fd);
    /* One that has not the secret. */
    void (*doubts)(void *user, const weft_hello *h);
    /* A word that is proved. NULL: nobody wants any. */
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

/* Fills p[1 + WEFT_DOOR_GUESTS] with what to wait for; returns how many. */
int weft_door_interest(const weft_door *d, struct pollfd *p);
/* After poll on these n, also where nothing has come: hears guests and lets in who is at the door. 0, or an errno:
 * there is no descriptor or memory left for who is at the door (EMFILE, ENFILE, ENOBUFS, ENOMEM), nobody came in, and
 * there is no guest to take one from. */
int weft_door_look(weft_door *d, const struct pollfd *p, int n, int64_t now_ns);
/* Sends those away who have not got through. */
void weft_door_dismiss(weft_door *d);
/* Closes it, and those who have not got through. */
void weft_door_close(weft_door *d);

/* The layout that both sides must have in common: of every struct that processes send each other (wire.c). */
uint64_t weft_wire_layout(void);

#endif
