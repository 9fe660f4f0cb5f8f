/* words.h: what the processes of a world say to each other beside their ranks' messages: that the world has failed, and
 * why; that one leaves; whether there is somebody. It is the same for all transports of messages that keep connections
 * of their own (tcp, ucx); each says words in its own way.
 *
 * A failure is told to those that a process has to do with, also later, and they tell those that they have to do with.
 * Who gives up outside of any call tells a process of each node besides, which by its node's memory tells all of that.
 * Whoever waits for messages hears what is asked, and answers; who computes or is stopped does not.
 */
#ifndef WEFT_COLLECTIVES_WORDS_H
#define WEFT_COLLECTIVES_WORDS_H

#include "collectives/comm.h"

typedef enum weft_word {
    WEFT_WORD_FAILED,              /* its text says why */
    WEFT_WORD_LEAVES,
    WEFT_WORD_ASKS,
    WEFT_WORD_ANSWERS,
    WEFT_WORDS
} weft_word;

/* How a transport says them. say and move are called between enter and leave. */
typedef struct weft_voice {
    void (*enter)(weft_world *w);
    void (*leave)(weft_world *w);
    /* Behind what goes to the process already; nobody waits for its end. Not to those with whom there is no connection.
     * The text lives as long as the transport. */
    void (*say)(weft_world *w, int process, weft_word word, const char *text, size_t bytes);
    /* Says to a process, with which there may be no connection yet, that the world has failed: until that time
     * (weft_now_ns) at the latest. It does not matter whether the process hears of it twice. */
    void (*call_out)(weft_world *w, int process, const char *text, size_t bytes, int64_t end_ns);
    /* Moves on what goes and what comes, without waiting. */
    void (*move)(weft_world *w);
    /* Whether all with whom there are connections have said that they leave, or are gone; tells them that this process
     * leaves. */
    bool (*all_leave)(weft_world *w);
} weft_voice;

typedef struct weft_words_peer {
    bool leaves, told;             /* it has said so; it has been told that this process does */
    bool asked, answered;
} weft_words_peer;

/* What world->messages_state of such a transport begins with. Under the lock of enter. */
typedef struct weft_words {
    const weft_voice *voice;
    weft_words_peer *peers;        /* [processes] */
    bool leaving;                  /* who leaves does not answer: it waits for nothing */
    bool heard, telling;           /* that the world has failed */
    char reason[WEFT_REASON_BYTES]; /* told or heard; not changed once telling */
} weft_words;

weft_status weft_words_open(weft_world *w, weft_words *k, const weft_voice *voice);
void weft_words_close(weft_world *w, weft_words *k);

/* There is a connection with a process now: it is told what the others have been told. Between enter and leave. */
void weft_words_meet(weft_world *w, int process);
/* Another process says that the world has failed; the first reason stands. */
void weft_words_hear_failed(weft_words *k, const char *text, size_t bytes);
/* Tells the others that this process leaves, and waits for them: so that nobody closes while another may still need its
 * messages. At most as long as calls wait; in a failed world for a moment. */
void weft_words_take_leave(weft_world *w);

/* Of weft_transport. */
void weft_words_tell_failed(weft_world *w, weft_hearers who);
bool weft_words_heard_failed(weft_world *w, char *reason, size_t bytes);
bool weft_words_answers(weft_world *w, int rank);

#endif
