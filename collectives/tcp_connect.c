/* tcp_connect: how two processes of a world make their one connection; see tcp.h.
 *
 * The process with the first message calls, trying one address of the other after another, and sends its number; the
 * other answers, and from then on both send frames. Two may call each other at once: then the connection of the lower
 * number counts. Nothing here waits.
 */
#include "collectives/tcp.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define NEXT_NS 2000000000          /* for an address while there are others to try */
/* without a descriptor for callers, before the door is closed: other threads may close some */
#define OUT_NS 2000000000
#define CALLS_MOST 100              /* of one process without an answer: strangers may crowd the door */
#define CALL_OUT_NS 100000000       /* for one address of a process that is told of a failure */

/* --- the connected processes -------------------------------------------------------------------------------------- */

static bool is_opening(const weft_tcp_peer *q) {
    return q->state == WEFT_TCP_CALLING || q->state == WEFT_TCP_GREETED || q->state == WEFT_TCP_EXPECTED;
}
static bool is_live(const weft_tcp_peer *q) { return is_opening(q) || q->state == WEFT_TCP_OPEN; }

static void set_state(weft_tcp *t, int process, weft_tcp_state state) {
    weft_tcp_peer *q = &t->peers[process];
    bool was = is_live(q);
    t->opening -= is_opening(q);
    q->state = state;
    t->opening += is_opening(q);
    if (!was && is_live(q)) t->live[t->live_count++] = process;
    for (int i = 0; was && !is_live(q) && i < t->live_count; i++)
        if (t->live[i] == process) t->live[i--] = t->live[--t->live_count];
}

static void drop(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

void weft_tcp_lose(weft_tcp *t, int process, const char *why) {
    weft_tcp_peer *q = &t->peers[process];
    if (q->state == WEFT_TCP_LOST) return;
    drop(&q->fd);
    q->lost = why;
    set_state(t, process, WEFT_TCP_LOST);
}

static void opened(weft_tcp *t, int process, int fd) {
    weft_tcp_peer *q = &t->peers[process];
    const weft_allocator *a = &t->world->alloc;
    int one = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    q->fd = fd;
    q->ahead = a->resize(a->user, NULL, 0, WEFT_TCP_AHEAD);
    if (!q->ahead) {
        weft_tcp_lose(t, process, WEFT_TCP_NO_MEMORY);
        return;
    }
    set_state(t, process, WEFT_TCP_OPEN);
    weft_words_meet(t->world, process);
    weft_tcp_step(t, process);
}

/* --- calling ------------------------------------------------------------------------------------------------------ */

/* Tries the remaining addresses; if none is left, the last failure is the reason. */
static void call_next(weft_tcp *t, int process, int why) {
    weft_tcp_peer *q = &t->peers[process];
    drop(&q->fd);
    while (q->tried < q->ways) {
        const struct sockaddr_in6 *way = &q->way[q->tried++];
        q->fd = socket(way->sin6_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (q->fd >= 0 && (connect(q->fd, (const struct sockaddr *)(const void *)way, weft_tcp_length(way)) == 0 ||
                           errno == EINPROGRESS)) {
            q->until_ns = weft_now_ns() + NEXT_NS;
            set_state(t, process, WEFT_TCP_CALLING);
            return;
        }
        why = errno;
        drop(&q->fd);
    }
    weft_tcp_lose(t, process, why ? strerror(why) : "it has no address");
}

const char *weft_tcp_reach(weft_tcp *t, int process) {
    weft_tcp_peer *q = &t->peers[process];
    if (process == t->world->process) return NULL;
    if (q->state == WEFT_TCP_NONE) {
        q->ways = weft_tcp_ways(&t->mine, &t->cards[process], q->way);
        call_next(t, process, 0);
    }
    return q->state == WEFT_TCP_LOST ? q->lost : NULL;
}

/* Equal on both sides: of the job's key, if there is one, and of the number that the called process has told those of
 * the world. */
static void secret_to(const weft_tcp *t, int process, weft_secret *out) {
    weft_secret_derive(&t->world->secret, "connection",
                       process == t->world->process ? t->mine.token : t->cards[process].token, out);
}

/* Connected, or not: sends the hello. */
static void greet(weft_tcp *t, int process) {
    weft_tcp_peer *q = &t->peers[process];
    const weft_hello *h = &q->caller.hello;
    int why = 0;
    socklen_t n = sizeof why;
    if (getsockopt(q->fd, SOL_SOCKET, SO_ERROR, &why, &n) != 0) why = errno;
    if (!why && weft_tcp_meets_itself(q->fd)) why = ECONNREFUSED; /* it would read its own hello as an answer */
    secret_to(t, process, &q->secret);
    q->is_challenged = false;
    if (!why && weft_caller_begin(&q->caller, WEFT_DOOR_MESSAGES, &q->secret, t->world->process, t->world->processes) !=
                    WEFT_OK)
        why = errno;
    /* there is room for the first bytes */
    if (!why && send(q->fd, h, sizeof *h, MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof *h) why = errno ? errno : EPROTO;
    if (why) call_next(t, process, why);
    else set_state(t, process, WEFT_TCP_GREETED);
}

/* Whether a process at this address takes the word, until that time. */
static bool drop_word(const struct sockaddr_in6 *way, const char *p, size_t bytes, int64_t end_ns) {
    int fd = socket(way->sin6_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct pollfd open = { .fd = fd, .events = POLLOUT };
    int64_t left_ns = end_ns - weft_now_ns();
    if (fd < 0) return false;
    bool called = left_ns > 0 && (connect(fd, (const struct sockaddr *)(const void *)way, weft_tcp_length(way)) == 0 ||
                                  errno == EINPROGRESS);
    /* there is room for the first bytes */
    bool taken = called && poll(&open, 1, (int)(left_ns / 1000000)) == 1 &&
                 send(fd, p, bytes, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)bytes;
    close(fd);
    return taken;
}

/* The system keeps it until the receiver listens, also after this process has ended. */
void weft_tcp_call_out(weft_world *w, int process, const char *text, size_t bytes, int64_t end_ns) {
    weft_tcp *t = w->messages_state;
    struct sockaddr_in6 way[WEFT_TCP_ADDRESSES + 1];
    char all[sizeof(weft_hello) + WEFT_DOOR_WORD];
    weft_secret secret;
    secret_to(t, process, &secret);
    size_t n = weft_caller_word(&secret, w->process, w->processes, text, bytes, all);
    if (t->peers[process].state == WEFT_TCP_OPEN || !n) return;
    int ways = weft_tcp_ways(&t->mine, &t->cards[process], way);
    for (int i = 0; i < ways && !drop_word(&way[i], all, n, weft_min_i64(end_ns, weft_now_ns() + CALL_OUT_NS)); i++)
        continue;
}

/* The door asks for a proof that this process is of its world. */
static void answer_challenge(weft_tcp *t, int process, const weft_reply *challenge) {
    weft_tcp_peer *q = &t->peers[process];
    uint8_t proof[WEFT_PROOF_BYTES];
    weft_caller_prove(&q->caller, challenge, proof);
    q->is_challenged = true;
    if (send(q->fd, proof, sizeof proof, MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof proof)
        call_next(t, process, errno ? errno : EPROTO);
}

/* The peer has closed the connection without an answer: it has ended, or strangers at its door have displaced this
 * call. */
static void call_again(weft_tcp *t, int process, int why) {
    weft_tcp_peer *q = &t->peers[process];
    if (q->calls++ < CALLS_MOST) q->tried -= q->tried > 0;
    call_next(t, process, why);
}

/* The peer has answered, or is no process of this world, or has taken another connection and closed this one: that one
 * will then be ready soon. */
static void hear_answer(weft_tcp *t, int process) {
    weft_tcp_peer *q = &t->peers[process];
    weft_reply r;
    ssize_t n = recv(q->fd, &r, sizeof r, MSG_DONTWAIT | MSG_PEEK);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
    if (n > 0 && (size_t)n < sizeof r) return; /* the rest will follow */
    if (n == sizeof r) n = recv(q->fd, &r, sizeof r, MSG_DONTWAIT);
    bool sound = n == sizeof r && weft_reply_is_sound(&r);
    if (sound && !q->is_challenged && r.verdict == WEFT_VERDICT_CHALLENGE) {
        answer_challenge(t, process, &r);
    } else if (n == 0 || (n < 0 && errno == ECONNRESET)) {
        call_again(t, process, ECONNRESET);
    } else if (!sound || !q->is_challenged || !weft_caller_believes(&q->caller, &r)) {
        call_next(t, process, n < 0 ? errno : ECONNRESET);
    } else if (r.verdict == WEFT_VERDICT_CROSSED) {
        drop(&q->fd);
        q->until_ns = weft_now_ns() + NEXT_NS;
        set_state(t, process, WEFT_TCP_EXPECTED);
    } else if (r.verdict == WEFT_VERDICT_WELCOME) {
        int fd = q->fd;
        opened(t, process, fd);
    } else {
        call_next(t, process, ECONNRESET);
    }
}

/* An address without an answer is given up while there are others; not one that has accepted the call: its process may
 * be computing and answers when it waits. If the peer that should have called does not, it may have no route left, or
 * think this process lost; calling it tells which. */
static void look_at_clock(weft_tcp *t, int process, int64_t now) {
    weft_tcp_peer *q = &t->peers[process];
    if (now <= q->until_ns) return;
    if (q->state == WEFT_TCP_CALLING && q->tried < q->ways) call_next(t, process, ETIMEDOUT);
    if (q->state != WEFT_TCP_EXPECTED) return;
    q->tried = 0;
    call_next(t, process, 0);
}

/* --- being called ------------------------------------------------------------------------------------------------- */

/* A caller of this world; others get no answer. */
static int admits(void *user, const weft_hello *h, char *why) {
    const weft_tcp *t = user;
    (void)why;
    return t->cards && h->layout == weft_wire_layout() && h->processes == t->world->processes && h->process >= 0 &&
           h->process < t->world->processes && h->process != t->world->process;
}

static weft_verdict judges(void *user, const weft_hello *h, char *why) {
    const weft_tcp *t = user;
    const weft_tcp_peer *q = &t->peers[h->process];
    (void)why;
    if (q->state == WEFT_TCP_OPEN || q->state == WEFT_TCP_LOST) return WEFT_VERDICT_REFUSED;
    /* A call that is not admitted yet has carried nothing, and may never. */
    return q->state == WEFT_TCP_GREETED && t->world->process < h->process ? WEFT_VERDICT_CROSSED : WEFT_VERDICT_WELCOME;
}

static void enters(void *user, const weft_hello *h, int fd) {
    weft_tcp *t = user;
    drop(&t->peers[h->process].fd);
    opened(t, h->process, fd);
}

static void hears(void *user, const char *text, size_t bytes) {
    weft_words_hear_failed(&((weft_tcp *)user)->words, text, bytes);
}

static const weft_doorkeeper keeper = { .admits = admits, .judges = judges, .enters = enters, .hears = hears };

/* The door is closed: callers are refused, and this process's ranks and connected processes learn why. A caller that
 * is out of descriptors fails as soon. */
static void shut_door(weft_tcp *t, int why) {
    char text[128];
    snprintf(text, sizeof text, "process %d cannot take connections: %s", t->world->process, strerror(why));
    weft_words_hear_failed(&t->words, text, strlen(text) + 1);
    drop(&t->door.listener);
}

/* why: the result of weft_door_look(). */
static void mind_the_door(weft_tcp *t, int why, int64_t now) {
    if (!why) t->out_since_ns = 0;
    else if (!t->out_since_ns) t->out_since_ns = now;
    else if (now - t->out_since_ns > OUT_NS) shut_door(t, why);
}

/* --- polling ------------------------------------------------------------------------------------------------------ */

short weft_tcp_interest(const weft_tcp_peer *q) {
    if (q->state == WEFT_TCP_CALLING) return POLLOUT;
    return (short)(POLLIN | (q->state == WEFT_TCP_OPEN && q->out.first ? POLLOUT : 0));
}

static void serve(weft_tcp *t, int process) {
    const weft_tcp_peer *q = &t->peers[process];
    if (q->state == WEFT_TCP_CALLING) greet(t, process);
    else if (q->state == WEFT_TCP_GREETED) hear_answer(t, process);
    else if (q->state == WEFT_TCP_OPEN) weft_tcp_step(t, process);
}

/* The list of connections changes while they are served, so poll's results are found by the socket's process, kept
 * beside them. */
void weft_tcp_look_around(weft_tcp *t) {
    struct pollfd *p = t->polled, *of_peers;
    int *process_of = (int *)(void *)(p + 1 + WEFT_DOOR_GUESTS + t->world->processes);
    int at_door = weft_door_interest(&t->door, p), live = t->live_count;
    of_peers = p + at_door;
    for (int i = 0; i < live; i++) {
        const weft_tcp_peer *q = &t->peers[process_of[i] = t->live[i]];
        /* poll ignores entries without a socket: -1 */
        of_peers[i] = (struct pollfd){ .fd = q->fd, .events = weft_tcp_interest(q) };
    }
    int ready = poll(p, (nfds_t)(at_door + live), 0);
    int64_t now = t->opening || t->door.count || (ready > 0 && p[0].revents) ? weft_now_ns() : 0;
    for (int i = 0; ready > 0 && i < live; i++)
        if (of_peers[i].revents && t->peers[process_of[i]].fd == of_peers[i].fd) serve(t, process_of[i]);
    mind_the_door(t, weft_door_look(&t->door, p, at_door, now), now);
    for (int i = 0; t->opening && i < live; i++) look_at_clock(t, process_of[i], now);
}

/* --- the door ----------------------------------------------------------------------------------------------------- */

/* For both families if both exist. */
static int listen_on(int family, uint16_t *port) {
    struct sockaddr_in6 a = { .sin6_family = (sa_family_t)family };
    socklen_t n = weft_tcp_length(&a);
    int none = 0, fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    if ((family == AF_INET || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &none, sizeof none) == 0) &&
        bind(fd, (struct sockaddr *)(void *)&a, n) == 0 && listen(fd, SOMAXCONN) == 0 &&
        getsockname(fd, (struct sockaddr *)(void *)&a, &n) == 0) {
        *port = a.sin6_port; /* at the same offset as IPv4's */
        return fd;
    }
    int why = errno;
    close(fd);
    errno = why;
    return -1;
}

weft_status weft_tcp_listen(weft_tcp *t, char *why, size_t room) {
    int fd = listen_on(AF_INET6, &t->mine.port);
    if (fd < 0) fd = listen_on(AF_INET, &t->mine.port);
    t->door = (weft_door){ .kind = WEFT_DOOR_MESSAGES, .keeper = &keeper, .user = t, .listener = fd };
    secret_to(t, t->world->process, &t->door.secret);
    if (fd >= 0) return WEFT_OK;
    snprintf(why, room, "process %d cannot listen for connections: %s", t->world->process, strerror(errno));
    return WEFT_ERR_IO;
}

void weft_tcp_hang_up(weft_tcp *t) {
    const weft_allocator *a = &t->world->alloc;
    weft_door_close(&t->door);
    for (int p = 0; t->peers && p < t->world->processes; p++) {
        weft_tcp_peer *q = &t->peers[p];
        drop(&q->fd);
        if (q->ahead) a->resize(a->user, q->ahead, WEFT_TCP_AHEAD, 0);
        q->ahead = NULL;
    }
}
