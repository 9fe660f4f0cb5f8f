/* tcp_connect: how two processes of a world come to their one connection; see tcp.h.
 *
 * Whoever has the first message calls, at one address of the other's after the other, and says who it is; the other answers, and from then on
 * both send frames. Two may call each other at once: then the connection of the lower number counts. Nothing here waits.
 */
#include "collectives/tcp.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAGIC 0x74666577u           /* "weft", and what another byte order would not send */
#define VERSION 1u
#define NEXT_NS 2000000000          /* for an address while there are others to try */
#define OUT_NS 2000000000           /* without a descriptor for who calls, before that is given up: others of this process may close some */
#define CALL_OUT_NS 100000000       /* for one address of those who are told of a failure */
#define SILENT_NS 1000000000        /* for a guest while others wait at the door */

typedef struct hello {
    uint32_t magic, version;
    uint64_t token;                 /* of who is called */
    uint32_t process;               /* who calls */
    uint32_t word_bytes;            /* not 0: no connection is wanted; the world has failed, and so many bytes say why */
    uint64_t zero;
} hello;
_Static_assert(sizeof(hello) == WEFT_TCP_HELLO, "a guest's hello has room");

typedef enum verdict { WELCOME = 1, CROSSED = 2 } verdict; /* crossed: it is called back */

typedef struct answer {
    uint32_t magic, verdict;
} answer;

/* --- the processes there is something with ------------------------------------------------------------------------------------------------ */

static bool is_opening(const weft_tcp_peer *q) { return q->state == WEFT_TCP_CALLING || q->state == WEFT_TCP_GREETED || q->state == WEFT_TCP_EXPECTED; }
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

/* --- calling ------------------------------------------------------------------------------------------------------------------------------ */

/* Tries the ways that are left; the reason of the last one that failed is why none is. */
static void call_next(weft_tcp *t, int process, int why) {
    weft_tcp_peer *q = &t->peers[process];
    drop(&q->fd);
    while (q->tried < q->ways) {
        const struct sockaddr_in6 *way = &q->way[q->tried++];
        q->fd = socket(way->sin6_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (q->fd >= 0 && (connect(q->fd, (const struct sockaddr *)(const void *)way, weft_tcp_length(way)) == 0 || errno == EINPROGRESS)) {
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

static hello hello_to(const weft_tcp *t, int process, size_t word_bytes) {
    return (hello){ MAGIC, VERSION, t->cards[process].token, (uint32_t)t->world->process, (uint32_t)word_bytes, 0 };
}

/* Connected, or not: says who this is. */
static void greet(weft_tcp *t, int process) {
    weft_tcp_peer *q = &t->peers[process];
    hello h = hello_to(t, process, 0);
    int why = 0;
    socklen_t n = sizeof why;
    if (getsockopt(q->fd, SOL_SOCKET, SO_ERROR, &why, &n) != 0) why = errno;
    if (!why && weft_tcp_meets_itself(q->fd)) why = ECONNREFUSED; /* it would take its own hello for an answer */
    if (!why && send(q->fd, &h, sizeof h, MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof h) why = errno ? errno : EPROTO; /* the first bytes have room */
    if (why) call_next(t, process, why);
    else set_state(t, process, WEFT_TCP_GREETED);
}

/* Whether somebody at this address takes it, until that time. */
static bool drop_word(const struct sockaddr_in6 *way, const char *p, size_t bytes, int64_t end_ns) {
    int fd = socket(way->sin6_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct pollfd open = { .fd = fd, .events = POLLOUT };
    int64_t left_ns = end_ns - weft_now_ns();
    if (fd < 0) return false;
    bool called = left_ns > 0 && (connect(fd, (const struct sockaddr *)(const void *)way, weft_tcp_length(way)) == 0 || errno == EINPROGRESS);
    bool taken = called && poll(&open, 1, (int)(left_ns / 1000000)) == 1 && send(fd, p, bytes, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)bytes; /* the first bytes have room */
    close(fd);
    return taken;
}

/* The system keeps it for who does not listen yet, also when this process is gone. */
void weft_tcp_call_out(weft_world *w, int process, const char *text, size_t bytes, int64_t end_ns) {
    weft_tcp *t = w->messages_state;
    struct sockaddr_in6 way[WEFT_TCP_ADDRESSES + 1];
    char all[WEFT_TCP_HELLO + WEFT_REASON_BYTES];
    hello h = hello_to(t, process, bytes);
    if (t->peers[process].state == WEFT_TCP_OPEN || bytes > WEFT_REASON_BYTES) return;
    memcpy(all, &h, sizeof h);
    memcpy(all + sizeof h, text, bytes);
    int ways = weft_tcp_ways(&t->mine, &t->cards[process], way);
    for (int i = 0; i < ways && !drop_word(&way[i], all, sizeof h + bytes, weft_min_i64(end_ns, weft_now_ns() + CALL_OUT_NS)); i++) continue;
}

/* It has answered, or is no process of ours, or has taken another connection and closed this one: then that one will be there soon. */
static void hear_answer(weft_tcp *t, int process) {
    weft_tcp_peer *q = &t->peers[process];
    answer a;
    ssize_t n = recv(q->fd, &a, sizeof a, MSG_DONTWAIT | MSG_PEEK);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
    if (n > 0 && (size_t)n < sizeof a) return; /* the rest is on its way */
    if (n == sizeof a) n = recv(q->fd, &a, sizeof a, MSG_DONTWAIT);
    if (n != sizeof a || a.magic != MAGIC || (a.verdict != WELCOME && a.verdict != CROSSED)) {
        call_next(t, process, n < 0 ? errno : ECONNRESET);
    } else if (a.verdict == CROSSED) {
        drop(&q->fd);
        q->until_ns = weft_now_ns() + NEXT_NS;
        set_state(t, process, WEFT_TCP_EXPECTED);
    } else {
        int fd = q->fd;
        opened(t, process, fd);
    }
}

/* An address that nobody is at is given up while there are others: not one that has taken the call, whose process may be computing and answers when it
 * waits. Who was to call and has not may have run out of ways, or know that this process is lost: that is found by calling it again. */
static void look_at_clock(weft_tcp *t, int process, int64_t now) {
    weft_tcp_peer *q = &t->peers[process];
    if (now <= q->until_ns) return;
    if (q->state == WEFT_TCP_CALLING && q->tried < q->ways) call_next(t, process, ETIMEDOUT);
    if (q->state != WEFT_TCP_EXPECTED) return;
    q->tried = 0;
    call_next(t, process, 0);
}

/* --- being called --------------------------------------------------------------------------------------------------------------------------- */

static void tell(int fd, verdict v) {
    answer a = { MAGIC, v };
    (void)send(fd, &a, sizeof a, MSG_NOSIGNAL | MSG_DONTWAIT); /* the first bytes have room; who is gone is found so later */
}

static bool is_of_this_world(const weft_tcp *t, const hello *h) {
    return h->magic == MAGIC && h->version == VERSION && h->token == t->mine.token && h->process < (uint32_t)t->world->processes;
}

/* A guest has said who it is. */
static void receive_guest(weft_tcp *t, int fd, const hello *h) {
    int process = (int)h->process;
    weft_tcp_peer *q = is_of_this_world(t, h) ? &t->peers[process] : NULL;
    bool calls = q && q->state == WEFT_TCP_GREETED; /* one that has not got through has said nothing yet, and may never */
    if (!q || q->state == WEFT_TCP_OPEN || q->state == WEFT_TCP_LOST) {
        close(fd);
    } else if (calls && t->world->process < process) {
        tell(fd, CROSSED);
        close(fd);
    } else {
        drop(&q->fd);
        tell(fd, WELCOME);
        opened(t, process, fd);
    }
}

/* How long what a guest says is, as far as is known. */
static size_t hello_bytes(const weft_tcp_guest *g) {
    hello h = { 0 };
    if (g->got >= sizeof h) memcpy(&h, g->hello, sizeof h);
    return sizeof h + (h.word_bytes <= WEFT_REASON_BYTES ? h.word_bytes : 0);
}

/* Takes what has come from a guest; true: it is none any more. */
static bool hear_guest(weft_tcp *t, weft_tcp_guest *g) {
    ssize_t n = recv(g->fd, g->hello + g->got, hello_bytes(g) - g->got, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return false;
    if (n <= 0) {
        close(g->fd);
        return true;
    }
    g->got += (size_t)n;
    if (g->got < hello_bytes(g)) return false;
    hello h;
    char more;
    memcpy(&h, g->hello, sizeof h);
    if (h.word_bytes) {
        if (is_of_this_world(t, &h) && h.word_bytes <= WEFT_REASON_BYTES) weft_words_hear_failed(&t->words, g->hello + sizeof h, h.word_bytes);
        close(g->fd);
        return true;
    }
    n = recv(g->fd, &more, sizeof more, MSG_DONTWAIT | MSG_PEEK);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) receive_guest(t, g->fd, &h);
    else close(g->fd); /* it has given up meanwhile, or does not wait for an answer */
    return true;
}

/* When all places are taken, the one who has been silent for longest goes. */
static void drop_silent(weft_tcp *t, int64_t now) {
    int oldest = 0;
    for (int i = 1; i < t->guest_count; i++)
        if (t->guests[i].since_ns < t->guests[oldest].since_ns) oldest = i;
    if (now - t->guests[oldest].since_ns < SILENT_NS) return;
    close(t->guests[oldest].fd);
    t->guests[oldest] = t->guests[--t->guest_count];
}

/* Nobody can come any more: who calls is refused, and this process's ranks, and those that it has connections with, hear why. A caller that is out of
 * descriptors fails as soon. */
static void shut_door(weft_tcp *t, int why) {
    char text[128];
    snprintf(text, sizeof text, "process %d cannot take connections: %s", t->world->process, strerror(why));
    weft_words_hear_failed(&t->words, text, strlen(text) + 1);
    drop(&t->listener);
}

static void open_door(weft_tcp *t, int64_t now) {
    int fd = 0, before = t->guest_count;
    while (t->guest_count < WEFT_TCP_GUESTS && (fd = accept4(t->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0)
        t->guests[t->guest_count++] = (weft_tcp_guest){ .fd = fd, .since_ns = now };
    bool is_out = fd < 0 && weft_tcp_is_out(errno);
    if (!is_out || t->guest_count > before) t->out_since_ns = 0; /* accept asks for a descriptor before it knows whether anybody waits */
    else if (!t->out_since_ns) t->out_since_ns = now;
    else if (now - t->out_since_ns > OUT_NS) shut_door(t, errno);
    if (t->guest_count == WEFT_TCP_GUESTS) drop_silent(t, now);
}

/* --- looking -------------------------------------------------------------------------------------------------------------------------------- */

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

/* The list of connections changes while they are served, so what poll says is found by the socket's process, kept beside it. */
void weft_tcp_look_around(weft_tcp *t) {
    struct pollfd *p = t->polled, *of_guests = p + 1, *of_peers;
    int *process_of = (int *)(void *)(p + 1 + WEFT_TCP_GUESTS + t->world->processes);
    int guests = t->guest_count, live = t->live_count;
    p[0] = (struct pollfd){ .fd = t->listener, .events = POLLIN };
    for (int i = 0; i < guests; i++) of_guests[i] = (struct pollfd){ .fd = t->guests[i].fd, .events = POLLIN };
    of_peers = of_guests + guests;
    for (int i = 0; i < live; i++) {
        const weft_tcp_peer *q = &t->peers[process_of[i] = t->live[i]];
        of_peers[i] = (struct pollfd){ .fd = q->fd, .events = weft_tcp_interest(q) }; /* poll passes by who has no socket: -1 */
    }
    int ready = poll(p, (nfds_t)(1 + guests + live), 0);
    int64_t now = t->opening || t->guest_count || (ready > 0 && p[0].revents) ? weft_now_ns() : 0;
    for (int i = 0; ready > 0 && i < live; i++)
        if (of_peers[i].revents && t->peers[process_of[i]].fd == of_peers[i].fd) serve(t, process_of[i]);
    for (int i = guests; ready > 0 && i-- > 0;)
        if (of_guests[i].revents && hear_guest(t, &t->guests[i])) t->guests[i] = t->guests[--t->guest_count];
    if (ready > 0 && p[0].revents) open_door(t, now);
    else t->out_since_ns = 0;
    for (int i = 0; t->opening && i < live; i++) look_at_clock(t, process_of[i], now);
}

/* --- the door ------------------------------------------------------------------------------------------------------------------------------- */

/* For both families where there are both. */
static int listen_on(int family, uint16_t *port) {
    struct sockaddr_in6 a = { .sin6_family = (sa_family_t)family };
    socklen_t n = weft_tcp_length(&a);
    int none = 0, fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    if ((family == AF_INET || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &none, sizeof none) == 0) && bind(fd, (struct sockaddr *)(void *)&a, n) == 0 &&
        listen(fd, SOMAXCONN) == 0 && getsockname(fd, (struct sockaddr *)(void *)&a, &n) == 0) {
        *port = a.sin6_port; /* which lies where IPv4's does */
        return fd;
    }
    int why = errno;
    close(fd);
    errno = why;
    return -1;
}

weft_status weft_tcp_listen(weft_tcp *t, char *why, size_t room) {
    t->listener = listen_on(AF_INET6, &t->mine.port);
    if (t->listener < 0) t->listener = listen_on(AF_INET, &t->mine.port);
    if (t->listener >= 0) return WEFT_OK;
    snprintf(why, room, "process %d cannot listen for connections: %s", t->world->process, strerror(errno));
    return WEFT_ERR_IO;
}

void weft_tcp_hang_up(weft_tcp *t) {
    const weft_allocator *a = &t->world->alloc;
    drop(&t->listener);
    while (t->guest_count) close(t->guests[--t->guest_count].fd);
    for (int p = 0; t->peers && p < t->world->processes; p++) {
        weft_tcp_peer *q = &t->peers[p];
        drop(&q->fd);
        if (q->ahead) a->resize(a->user, q->ahead, WEFT_TCP_AHEAD, 0);
        q->ahead = NULL;
    }
}
