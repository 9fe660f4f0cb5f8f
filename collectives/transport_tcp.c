/* transport_tcp: messages between ranks of any processes by TCP, for networks that offer only sockets; see tcp.h.
 *
 * A lock lets one of the process's ranks at a time advance messages, and a rank that waits advances those of all. The
 * message itself has a flag that it is done, which its owner may read without the lock.
 *
 * A process that ends, or that cannot be connected to, is lost: from then on messages with it fail with the system's
 * words. A process that only stays silent is found by the time-out of a rank that waits for it.
 */
#include "collectives/wire.h"

#include <poll.h>
#include <stdio.h>
#include <time.h>

/* connections, at most, that are polled one by one, without asking first which of them has data, */
#define FEW 4
#define LOOK_AROUND 64             /* except every so many polls: that is a system call for which messages wait */
#define DOZE_SOCKETS 64            /* waited for at once by an idle rank, */
#define DOZE_NS 1000000            /* for so long: 1 ms; */
#define GLIMPSE_NS 20000           /* if sockets do not show all events: 20 us */

/* --- opening ------------------------------------------------------------------------------------------------------ */

static void *draw(weft_world *w, size_t bytes) {
    void *p = w->alloc.resize(w->alloc.user, NULL, 0, bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

static void give(weft_world *w, void *p, size_t bytes) {
    if (p) w->alloc.resize(w->alloc.user, p, bytes, 0);
}

static weft_status make(weft_world *w, weft_tcp *t) {
    size_t n = (size_t)w->processes;
    t->polled_bytes = (1 + WEFT_DOOR_GUESTS + n) * sizeof(struct pollfd) + n * sizeof(int);
    t->peers = draw(w, n * sizeof *t->peers);
    for (size_t p = 0; t->peers && p < n; p++) t->peers[p].fd = -1;
    t->live = draw(w, n * sizeof *t->live);
    t->polled = draw(w, t->polled_bytes);
    return t->peers && t->live && t->polled ? WEFT_OK : WEFT_ERR_MEMORY;
}

static void enter(weft_world *w) { pthread_mutex_lock(&((weft_tcp *)w->messages_state)->lock); }
static void leave(weft_world *w) { pthread_mutex_unlock(&((weft_tcp *)w->messages_state)->lock); }
static void move(weft_world *w) { weft_tcp_look_around(w->messages_state); }
static bool all_leave(weft_world *w);

static weft_status listen_tcp(weft_world *w, const void **address, size_t *bytes) {
    weft_tcp *t = draw(w, sizeof *t);
    if (!t) return WEFT_ERR_MEMORY;
    t->world = w;
    t->door.listener = -1;
    pthread_mutex_init(&t->lock, NULL);
    w->messages_state = t;
    static const weft_voice voice = { .enter = enter, .leave = leave, .say = weft_tcp_say,
                                      .call_out = weft_tcp_call_out, .move = move, .all_leave = all_leave };
    weft_status st = weft_words_open(w, &t->words, &voice);
    if (st == WEFT_OK) st = make(w, t);
    if (st == WEFT_OK) st = weft_tcp_addresses(&t->mine, w->trouble, sizeof w->trouble);
    if (st == WEFT_OK) st = weft_tcp_listen(t, w->trouble, sizeof w->trouble);
    *address = &t->mine;
    *bytes = sizeof t->mine;
    return st;
}

static weft_status connect_tcp(weft_world *w, const char *addresses, size_t stride) {
    weft_tcp *t = w->messages_state;
    t->cards = draw(w, (size_t)w->processes * sizeof *t->cards);
    if (!t->cards) return WEFT_ERR_MEMORY;
    for (int p = 0; p < w->processes; p++) {
        struct sockaddr_in6 ways[WEFT_TCP_ADDRESSES + 1];
        if (stride >= sizeof *t->cards) memcpy(&t->cards[p], addresses + (size_t)p * stride, sizeof *t->cards);
        if (!weft_tcp_card_is_sound(&t->cards[p])) {
            snprintf(w->trouble, sizeof w->trouble, "process %d sent invalid addresses", p);
            return WEFT_ERR_IO;
        }
        if (p == w->process || weft_tcp_ways(&t->mine, &t->cards[p], ways)) continue;
        /* another transport may have a way */
        snprintf(w->trouble, sizeof w->trouble, "process %d has no address that process %d can call", p, w->process);
        return WEFT_ERR_UNSUPPORTED;
    }
    return WEFT_OK;
}

/* --- advancing ---------------------------------------------------------------------------------------------------- */

static bool has_business(const weft_tcp_peer *q) {
    return q->state == WEFT_TCP_OPEN &&
           (q->awaited.first || q->granted.first || q->out.first || q->held.first || q->left || q->head_got);
}

/* Reading a socket holds its lock. With constant polling, arriving data has to wait for the lock: 1 KiB from host to
 * host took 6.6 us instead of 3.6, 32 KiB 17 instead of 9 (veth, Linux 6.18). */
static void breathe(void) {
#if defined(__x86_64__) || defined(__i386__)
    for (int i = 0; i < 16; i++) __builtin_ia32_pause();
#elif defined(__aarch64__)
    for (int i = 0; i < 16; i++) __asm__ volatile("isb"); /* yield takes no time there */
#endif
}

static void progress(weft_tcp *t) {
    if (t->moves == t->seen) breathe();
    t->seen = t->moves;
    if (t->opening || t->door.count || t->live_count > FEW || t->ticks++ % LOOK_AROUND == 0) {
        weft_tcp_look_around(t);
        return;
    }
    for (int i = t->live_count; i-- > 0;) { /* backwards: a lost one leaves the list */
        int p = t->live[i];
        if (has_business(&t->peers[p])) weft_tcp_step(t, p);
    }
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

static weft_tcp_frame head_of(weft_address at, size_t bytes) {
    return (weft_tcp_frame){
        .kind = WEFT_TCP_MESSAGE, .call = at.call, .from = at.from, .to = at.to, .channel = at.channel, .bytes = bytes
    };
}

static bool is_done(const weft_request *r) {
    const weft_tcp_message *m = r->data;
    /* pairs with the release in finish(), tcp_message.c */
    return atomic_load_explicit(&m->finished, memory_order_acquire);
}

/* Releases a finished message, under the lock. */
static const char *let_go(weft_tcp *t, weft_request *r) {
    weft_tcp_message *m = r->data;
    const char *why = m->why;
    weft_tcp_recycle(t, m);
    r->data = NULL;
    r->kind = WEFT_REQUEST_FREE;
    return why;
}

static bool has_come(const weft_tcp *t, int process, weft_address at) {
    weft_tcp_frame head = head_of(at, 0); /* of whatever length */
    return weft_tcp_has_come(t, process, &head);
}

typedef weft_tcp_message *begin_fn(weft_tcp *t, int process, weft_address at, void *p, size_t bytes);
static weft_tcp_message *begin_send(weft_tcp *t, int process, weft_address at, void *p, size_t bytes) {
    return weft_tcp_send(t, process, head_of(at, bytes), p);
}
static weft_tcp_message *begin_receive(weft_tcp *t, int process, weft_address at, void *p, size_t bytes) {
    return weft_tcp_receive(t, process, head_of(at, bytes), p);
}

static weft_status start(weft_world *w, begin_fn *begin, weft_address at, int kind, void *p, size_t bytes,
                         weft_request *r) {
    weft_tcp *t = w->messages_state;
    int rank = kind == WEFT_REQUEST_SEND ? at.to : at.from, process = weft_process_of(w, rank);
    *r = (weft_request){ .peer = rank };
    pthread_mutex_lock(&t->lock);
    /* Also for a message to be received, so that this process notices when the other one ends. */
    r->why = weft_tcp_reach(t, process);
    if (r->why && kind == WEFT_REQUEST_RECEIVE && has_come(t, process, at))
        r->why = NULL; /* it has left since */
    r->data = r->why ? NULL : begin(t, process, at, p, bytes);
    if (!r->why && !r->data) r->why = WEFT_TCP_NO_MEMORY;
    r->kind = r->data ? kind : WEFT_REQUEST_FREE;
    if (r->data && is_done(r)) r->why = let_go(t, r);
    pthread_mutex_unlock(&t->lock);
    return r->why ? WEFT_ERR_IO : WEFT_OK;
}

static weft_status send_message(weft_world *w, weft_address at, const void *p, size_t bytes, weft_request *r) {
    return start(w, begin_send, at, WEFT_REQUEST_SEND, (void *)(uintptr_t)p, bytes, r);
}

static weft_status receive_message(weft_world *w, weft_address at, void *p, size_t bytes, weft_request *r) {
    return start(w, begin_receive, at, WEFT_REQUEST_RECEIVE, p, bytes, r);
}

/* The finished ones, and those of lost peers; under the lock. */
static weft_status sort_out(weft_tcp *t, weft_request *r, int n, int *left) {
    weft_status st = WEFT_OK;
    *left = 0;
    for (int i = 0; i < n; i++) {
        if (r[i].kind == WEFT_REQUEST_FREE) continue;
        const char *why = is_done(&r[i]) ? let_go(t, &r[i]) : t->peers[weft_process_of(t->world, r[i].peer)].lost;
        if (r[i].kind != WEFT_REQUEST_FREE) ++*left;
        if (!why) continue;
        r[i].why = why;
        st = WEFT_ERR_IO;
    }
    return st;
}

static weft_status test_messages(weft_world *w, weft_request *r, int n, int *left) {
    weft_tcp *t = w->messages_state;
    int open = 0;
    for (int i = 0; i < n; i++) open += r[i].kind != WEFT_REQUEST_FREE && !is_done(&r[i]);
    *left = open;
    if (!open) pthread_mutex_lock(&t->lock);
    else if (pthread_mutex_trylock(&t->lock) != 0) return WEFT_OK; /* another rank is advancing all messages */
    else progress(t);
    weft_status st = sort_out(t, r, n, left);
    pthread_mutex_unlock(&t->lock);
    return st;
}

/* Waits for all sockets without the lock. A socket that is closed or made meanwhile does no harm, but data that another
 * thread of this process reads wakes no one: with such threads the sleep is short. */
static void doze(weft_world *w) {
    weft_tcp *t = w->messages_state;
    struct pollfd p[1 + WEFT_DOOR_GUESTS + DOZE_SOCKETS];
    bool alone = w->local == 1 && !w->progress.wanted;
    size_t n = 0;
    pthread_mutex_lock(&t->lock);
    if (t->live_count < DOZE_SOCKETS) {
        n = (size_t)weft_door_interest(&t->door, p);
        for (int i = 0; i < t->live_count; i++)
            p[n++] =
                (struct pollfd){ .fd = t->peers[t->live[i]].fd, .events = weft_tcp_interest(&t->peers[t->live[i]]) };
    }
    pthread_mutex_unlock(&t->lock);
    (void)ppoll(p, (nfds_t)n, &(struct timespec){ .tv_nsec = alone && n ? DOZE_NS : GLIMPSE_NS }, NULL);
}

static bool lends(const weft_world *w) {
    (void)w;
    return true; /* only this process's own system calls touch the memory of messages */
}

static void cancel_messages(weft_world *w, weft_request *r, int n) {
    weft_tcp *t = w->messages_state;
    pthread_mutex_lock(&t->lock);
    for (int i = 0; i < n; i++) {
        if (r[i].kind == WEFT_REQUEST_FREE) continue;
        if (is_done(&r[i])) (void)let_go(t, &r[i]);
        else weft_tcp_forget(t, weft_process_of(w, r[i].peer), r[i].data);
        r[i].kind = WEFT_REQUEST_FREE;
    }
    pthread_mutex_unlock(&t->lock);
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

/* Closing a connection while data arrives makes the system discard data that the other side has not read
 * yet. */
static bool all_leave(weft_world *w) {
    weft_tcp *t = w->messages_state;
    bool all = true;
    for (int i = t->live_count; i-- > 0;) {
        int p = t->live[i];
        const weft_tcp_peer *q = &t->peers[p];
        weft_words_peer *k = &t->words.peers[p];
        if (q->state != WEFT_TCP_OPEN) continue; /* a calling peer has nothing that is waited for */
        if (!k->told) weft_tcp_say(w, p, WEFT_WORD_LEAVES, NULL, 0);
        k->told = true;
        all &= q->state == WEFT_TCP_LOST || (k->leaves && !q->out.first);
    }
    return all;
}

static void close_tcp(weft_world *w) {
    weft_tcp *t = w->messages_state;
    size_t n = (size_t)w->processes;
    if (!t) return;
    pthread_mutex_lock(&t->lock);
    if (t->cards) weft_words_take_leave(w);
    weft_tcp_hang_up(t);
    weft_tcp_messages_free(t);
    pthread_mutex_unlock(&t->lock);
    pthread_mutex_destroy(&t->lock);
    give(w, t->peers, n * sizeof *t->peers);
    give(w, t->live, n * sizeof *t->live);
    give(w, t->polled, t->polled_bytes);
    give(w, t->cards, n * sizeof *t->cards);
    weft_words_close(w, &t->words);
    give(w, t, sizeof *t);
    w->messages_state = NULL;
}

const weft_transport weft_transport_tcp = {
    .name = "tcp",
    .offer = WEFT_TRANSPORT_MESSAGES,
    .call_bits = 32,
    .close = close_tcp,
    .listen = listen_tcp,
    .connect = connect_tcp,
    .send = send_message,
    .receive = receive_message,
    .test = test_messages,
    .doze = doze,
    .lends = lends,
    .cancel = cancel_messages,
    .tell_failed = weft_words_tell_failed,
    .heard_failed = weft_words_heard_failed,
    .answers = weft_words_answers,
};
