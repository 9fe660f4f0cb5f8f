/* words.c: control messages between processes; see words.h. */
#include "collectives/words.h"

#include <stdio.h>
#include <time.h>

#define FAREWELL_NS 2000000000 /* how long the processes of a failed world wait for each other: 2 s */
#define CALL_OUT_NS 500000000  /* a failed process takes so long to tell others: 0.5 s */
#define LEAVE_LOOK_NS 50000    /* between two checks of leaving processes: 50 us */

static size_t peers_bytes(const weft_world *w, const weft_words *k) { return (size_t)w->processes * sizeof *k->peers; }

weft_status weft_words_open(weft_world *w, weft_words *k, const weft_voice *voice) {
    *k = (weft_words){ .voice = voice, .peers = w->alloc.resize(w->alloc.user, NULL, 0, peers_bytes(w, k)) };
    if (!k->peers) return WEFT_ERR_MEMORY;
    memset(k->peers, 0, peers_bytes(w, k));
    return WEFT_OK;
}

void weft_words_close(weft_world *w, weft_words *k) {
    if (k->peers) w->alloc.resize(w->alloc.user, k->peers, peers_bytes(w, k), 0);
    k->peers = NULL;
}

/* --- the world has failed ----------------------------------------------------------------------------------------- */

static void say_failed(weft_world *w, const weft_words *k, int process) {
    k->voice->say(w, process, WEFT_WORD_FAILED, k->reason, strlen(k->reason) + 1);
}

static void spread(weft_world *w, weft_words *k) {
    k->telling = true;
    for (int p = 0; p < w->processes; p++) say_failed(w, k, p);
    k->voice->move(w);
}

void weft_words_meet(weft_world *w, int process) {
    const weft_words *k = w->messages_state;
    if (k->telling) say_failed(w, k, process);
}

/* In all, however many processes there are. */
static void call_out(weft_world *w, const weft_words *k) {
    int64_t end = weft_now_ns() + CALL_OUT_NS;
    for (int p = 0; p < w->processes; p++)
        if (w->seat_of[p] == 0 && w->node_of[p] != w->node_of[w->process])
            k->voice->call_out(w, p, k->reason, strlen(k->reason) + 1, end);
}

void weft_words_tell_failed(weft_world *w, weft_hearers who) {
    weft_words *k = w->messages_state;
    char reason[WEFT_REASON_BYTES];
    weft_node_reason(&w->node, reason);
    k->voice->enter(w);
    if (!k->telling) {
        memcpy(k->reason, reason, sizeof reason);
        spread(w, k);
    }
    if (who == WEFT_HEARERS_ALL) call_out(w, k);
    k->voice->leave(w);
}

void weft_words_hear_failed(weft_words *k, const char *text, size_t bytes) {
    if (k->heard || k->telling || !bytes) return;
    size_t n = bytes < sizeof k->reason ? bytes : sizeof k->reason;
    memcpy(k->reason, text, n);
    k->reason[n - 1] = 0;
    k->heard = true;
}

bool weft_words_heard_failed(weft_world *w, char *reason, size_t bytes) {
    weft_words *k = w->messages_state;
    k->voice->enter(w);
    k->voice->move(w);
    bool heard = k->heard;
    if (heard) {
        snprintf(reason, bytes, "%s", k->reason);
        if (!k->telling) spread(w, k);
    }
    k->voice->leave(w);
    return heard;
}

/* --- signs of life ------------------------------------------------------------------------------------------------ */

bool weft_words_answers(weft_world *w, int rank) {
    weft_words *k = w->messages_state;
    int process = weft_process_of(w, rank);
    weft_words_peer *p = &k->peers[process];
    k->voice->enter(w);
    if (!p->asked) k->voice->say(w, process, WEFT_WORD_ASKS, NULL, 0);
    p->asked = true;
    k->voice->move(w);
    bool answered = p->answered;
    k->voice->leave(w);
    return answered;
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

void weft_words_take_leave(weft_world *w) {
    weft_words *k = w->messages_state;
    const weft_voice *v = k->voice;
    int64_t wait_ns = w->node.note && weft_node_failed(&w->node) ? FAREWELL_NS : w->timeout_ns, since = weft_now_ns();
    k->leaving = true;
    for (v->move(w); !v->all_leave(w) && (wait_ns < 0 || weft_now_ns() - since < wait_ns); v->move(w))
        nanosleep(&(struct timespec){ .tv_nsec = LEAVE_LOOK_NS }, NULL);
    v->move(w);
}
