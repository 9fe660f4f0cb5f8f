/* words.h: control messages between the processes of a world, beside their ranks' messages: that the world has failed,
 * and why; that a process leaves; whether a process is alive. All message transports that keep connections of their own
 * (tcp, ucx) share this code; each sends words in its own way.
 *
 * A failure is told to all processes with which there are connections, also later ones, and they tell their own. A
 * process that fails outside of any call also tells one process of each other node, which informs its node by shared
 * memory. A process that waits for messages hears and answers questions; one that computes or is stopped does not.
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

/* How a transport sends words. say and move are called between enter and leave. */
typedef struct weft_voice {
    void (*enter)(weft_world *w);
    void (*leave)(weft_world *w);
    /* Queues a word after all that is queued for the process; its end is not waited for. Only to processes with a
     * connection. The text lives as long as the transport. */
    void (*say)(weft_world *w, int process, weft_word word, const char *text, size_t bytes);
    /* Tells a process, to which there may be no connection yet, that the world has failed, until that time
     * (weft_now_ns). A process may be told twice. */
    void (*call_out)(weft_world *w, int process, const char *text, size_t bytes, int64_t end_ns);
    /* Sends and receives all that is possible without waiting. */
    void (*move)(weft_world *w);
    /* Whether all connected processes have said that they leave, or are gone; tells them that this process
     * leaves. */
    bool (*all_leave)(weft_world *w);
} weft_voice;

typedef struct weft_words_peer {
    bool leaves, told;             /* it has said that it leaves; it was told that this process leaves */
    bool asked, answered;
} weft_words_peer;

/* The beginning of such a transport's world->messages_state. Under the lock of enter. */
typedef struct weft_words {
    const weft_voice *voice;
    weft_words_peer *peers;        /* [processes] */
    bool leaving;                  /* a process that leaves answers nothing: it waits for nothing */
    bool heard, telling;           /* that the world has failed */
    char reason[WEFT_REASON_BYTES]; /* sent or received; constant once telling is set */
} weft_words;

weft_status weft_words_open(weft_world *w, weft_words *k, const weft_voice *voice);
void weft_words_close(weft_world *w, weft_words *k);

/* A process has connected: it is told all that the others have been told. Between enter and leave. */
void weft_words_meet(weft_world *w, int process);
/* Another process says that the world has failed; the first reason is kept. */
void weft_words_hear_failed(weft_words *k, const char *text, size_t bytes);
/* Tells the others that this process leaves, and waits for them to leave, so that no process closes while another may
 * still need its messages. At most as long as calls wait; in a failed world for a moment. */
void weft_words_take_leave(weft_world *w);

/* Entries of weft_transport. */
void weft_words_tell_failed(weft_world *w, weft_hearers who);
bool weft_words_heard_failed(weft_world *w, char *reason, size_t bytes);
bool weft_words_answers(weft_world *w, int rank);

#endif
