/* rendezvous_tcp: processes find each other at process 0, which listens. In each exchange it takes what all the others send, and sends all
 * of it to all. Only it sees who is missing when the time is over, and tells the others in words; so these wait a little longer.
 *
 * Nothing here blocks but poll, so that a connection of somebody else's cannot hold the world up: who does not say hello is not heard.
 */
#include "collectives/comm.h"
#include "collectives/rendezvous.h"
#include "collectives/tcp.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAGIC 0x77656674u          /* "weft", and what another byte order would not send */
#define VERSION 2u
#define GRACE_NS 3000000000        /* what the others wait longer for process 0's word */
#define RETRY_MS 50
#define GUESTS 64                  /* connections that have not said hello, at once: then those that are silent give way */
#define SILENT_NS 1000000000

typedef struct hello {
    uint32_t magic, version;
    int32_t process, processes;
} hello;

/* Before what is exchanged, both ways; or before a text that says why there will be nothing more. */
typedef struct frame {
    uint32_t magic, failed, bytes;
} frame;

typedef struct star {
    weft_meeting_place *place;
    int listener;                  /* of process 0, else -1 */
    int links;                     /* [processes] of process 0, by number; else 1 */
    int link[];                    /* -1: none */
} star;

typedef struct guest {
    int fd;
    size_t got;
    hello said;
    int64_t since_ns;
} guest;

static weft_status fail(star *s, const char *fmt, ...) WEFT_PRINTF(2, 3);
static weft_status fail(star *s, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(s->place->trouble, sizeof s->place->trouble, fmt, ap);
    va_end(ap);
    return WEFT_ERR_IO;
}

/* --- bytes --------------------------------------------------------------------------------------------------------------------------- */

typedef enum outcome { DONE, LATE, GONE } outcome;

static bool ready(int fd, short what, int64_t end) {
    struct pollfd p = { .fd = fd, .events = what };
    int left;
    while ((left = weft_meeting_left(end, 1000)) > 0)
        if (poll(&p, 1, left) > 0) return true;
    return poll(&p, 1, 0) > 0;
}

static outcome send_all(int fd, const void *p, size_t bytes, int64_t end) {
    for (size_t at = 0; at < bytes;) {
        ssize_t n = send(fd, (const char *)p + at, bytes - at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0) at += (size_t)n;
        else if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return GONE;
        else if (!ready(fd, POLLOUT, end)) return LATE;
    }
    return DONE;
}

static outcome receive_all(int fd, void *p, size_t bytes, int64_t end) {
    for (size_t at = 0; at < bytes;) {
        ssize_t n = recv(fd, (char *)p + at, bytes - at, MSG_DONTWAIT);
        if (n > 0) at += (size_t)n;
        else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) return GONE;
        else if (!ready(fd, POLLIN, end)) return LATE;
    }
    return DONE;
}

/* --- process 0: who comes ------------------------------------------------------------------------------------------------------------- */

/* Tells all who are there why there will be no world. */
static weft_status give_up(star *s) {
    const char *why = s->place->trouble;
    frame f = { MAGIC, 1, (uint32_t)strlen(why) + 1 };
    int64_t end = weft_now_ns() + 100000000;
    for (int i = 0; i < s->links; i++) {
        if (s->link[i] < 0) continue;
        if (send_all(s->link[i], &f, sizeof f, end) == DONE) (void)send_all(s->link[i], why, f.bytes, end);
    }
    return WEFT_ERR_IO;
}

/* The time is over; of the connections from number `first` on only those count that have sent something. */
static weft_status missed(star *s, int first) {
    weft_allocator *a = &s->place->alloc;
    size_t n = (size_t)s->place->processes;
    char *came = a->resize(a->user, NULL, 0, n);
    if (!came) return WEFT_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) came[i] = i == 0 || (s->link[i] >= 0 && ((int)i < first || ready(s->link[i], POLLIN, 0)));
    (void)weft_meeting_missed(s->place, came);
    a->resize(a->user, came, n, 0);
    return give_up(s);
}

/* A guest has said hello. */
static weft_status welcome(star *s, guest *g) {
    int process = g->said.process, fd = g->fd;
    if (g->said.magic != MAGIC || g->said.version != VERSION) {
        close(fd);
        return WEFT_OK; /* not one of ours */
    }
    weft_status st = WEFT_OK;
    if (g->said.processes != s->place->processes)
        st = fail(s, "process %d counts %d processes where process 0 counts %d", process, (int)g->said.processes, s->place->processes);
    else if (process <= 0 || process >= s->place->processes || s->link[process] >= 0)
        st = fail(s, "two processes say that they are process %d of %s", process, s->place->at);
    if (st == WEFT_OK) {
        s->link[process] = fd;
        return WEFT_OK;
    }
    (void)give_up(s);
    s->link[0] = fd; /* the newcomer is told too, and closed with the others */
    for (int i = 1; i < s->links; i++) {
        if (s->link[i] >= 0) close(s->link[i]);
        s->link[i] = -1;
    }
    return give_up(s);
}

/* Takes what has come from a guest; true: it is no guest any more. */
static bool hear(star *s, guest *g, weft_status *st) {
    ssize_t n = recv(g->fd, (char *)&g->said + g->got, sizeof g->said - g->got, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return false;
    if (n <= 0) {
        close(g->fd);
        return true;
    }
    g->got += (size_t)n;
    if (g->got < sizeof g->said) return false;
    *st = welcome(s, g);
    return true;
}

/* One more may come when the one that came first has had time enough to say hello. */
static int drop_silent(guest *guests, int count) {
    int oldest = 0;
    for (int i = 1; i < count; i++)
        if (guests[i].since_ns < guests[oldest].since_ns) oldest = i;
    if (weft_now_ns() - guests[oldest].since_ns < SILENT_NS) return count;
    close(guests[oldest].fd);
    guests[oldest] = guests[--count];
    return count;
}

static int missing(const star *s) {
    int n = 0;
    for (int i = 1; i < s->links; i++) n += s->link[i] < 0;
    return n;
}

/* One that has no descriptor left for who is at the door would find it there for ever. */
static weft_status open_door(star *s, guest *guests, int *count) {
    int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0) guests[(*count)++] = (guest){ .fd = fd, .since_ns = weft_now_ns() };
    if (fd >= 0 || !weft_tcp_is_out(errno)) return WEFT_OK;
    (void)fail(s, "process 0 cannot take connections at %s: %s", s->place->at, strerror(errno));
    return give_up(s);
}

static weft_status receive_guests(star *s) {
    guest guests[GUESTS];
    int count = 0;
    weft_status st = WEFT_OK;
    int64_t end = weft_meeting_end(s->place);
    while (st == WEFT_OK && missing(s)) {
        struct pollfd p[GUESTS + 1];
        int left = weft_meeting_left(end, 1000);
        if (!left) {
            st = missed(s, s->links);
            break;
        }
        if (count == GUESTS) count = drop_silent(guests, count);
        p[0] = (struct pollfd){ .fd = count < GUESTS ? s->listener : -1, .events = POLLIN };
        for (int i = 0; i < count; i++) p[i + 1] = (struct pollfd){ .fd = guests[i].fd, .events = POLLIN };
        if (poll(p, (nfds_t)count + 1, left) <= 0) continue;
        for (int i = count; i-- > 0 && st == WEFT_OK;)
            if (p[i + 1].revents && hear(s, &guests[i], &st)) guests[i] = guests[--count];
        if (st == WEFT_OK && p[0].revents & POLLIN && count < GUESTS) st = open_door(s, guests, &count);
    }
    while (count) close(guests[--count].fd);
    return st;
}

/* --- process 0: exchanges --------------------------------------------------------------------------------------------------------------- */

static weft_status serve(const weft_bootstrap *b, const void *in, size_t bytes, void *out) {
    star *s = b->state;
    int64_t end = weft_meeting_end(s->place);
    frame f = { MAGIC, 0, (uint32_t)(bytes * (size_t)b->size) };
    memcpy(out, in, bytes);
    for (int i = 1; i < b->size; i++) {
        frame theirs;
        outcome o = s->link[i] < 0 ? GONE : receive_all(s->link[i], &theirs, sizeof theirs, end);
        if (o == LATE) return missed(s, i);
        if (o == DONE && (theirs.magic != MAGIC || theirs.bytes != bytes)) {
            (void)fail(s, "process %d is of another Weft than process 0", i);
            return give_up(s);
        }
        if (o == DONE) o = receive_all(s->link[i], (char *)out + (size_t)i * bytes, bytes, end);
        if (o == DONE) continue;
        (void)fail(s, "process %d has left before the world was made", i);
        return give_up(s);
    }
    for (int i = 1; i < b->size; i++)
        if (send_all(s->link[i], &f, sizeof f, end) != DONE || send_all(s->link[i], out, f.bytes, end) != DONE) {
            (void)fail(s, "process %d has left before the world was made", i);
            return give_up(s);
        }
    return WEFT_OK;
}

/* --- the others ---------------------------------------------------------------------------------------------------------------------------- */

static weft_status exchange(const weft_bootstrap *b, const void *in, size_t bytes, void *out) {
    star *s = b->state;
    int fd = s->link[0];
    int64_t end = weft_meeting_end(s->place);
    frame f = { MAGIC, 0, (uint32_t)bytes };
    if (end != INT64_MAX) end += GRACE_NS;
    /* Where sending fails, process 0 may still have said why. */
    if (send_all(fd, &f, sizeof f, end) == DONE) (void)send_all(fd, in, bytes, end);
    outcome o = receive_all(fd, &f, sizeof f, end);
    if (o == DONE && f.magic != MAGIC) return fail(s, "who listens at %s is not process 0 of this Weft", s->place->at);
    if (o == DONE && f.failed) {
        char why[WEFT_RENDEZVOUS_TROUBLE] = "";
        if (f.bytes > sizeof why || receive_all(fd, why, f.bytes, end) != DONE) why[0] = 0;
        why[sizeof why - 1] = 0;
        return fail(s, "%s", why[0] ? why : "process 0 has given up");
    }
    if (o == DONE && f.bytes != bytes * (size_t)b->size) return fail(s, "process 0 is of another Weft than process %d", b->rank);
    if (o == DONE) o = receive_all(fd, out, f.bytes, end);
    if (o == GONE) return fail(s, "process 0 has left before the world was made");
    return o == DONE ? WEFT_OK : fail(s, "process 0 at %s is silent", s->place->at);
}

/* --- sockets ------------------------------------------------------------------------------------------------------------------------------- */

/* A service's name, or a number that the others can call: getaddrinfo takes 99999 for 34463, and 0 for any. */
static bool is_port(const char *text) {
    size_t n = strspn(text, "0123456789");
    return *text && (text[n] || (n <= 5 && atol(text) > 0 && atol(text) < 65536));
}

#define HOST_BYTES 256

/* 0, or what getaddrinfo would say of what nobody can ever look up. */
static int misspelt(const char *where) {
    const char *colon = strrchr(where, ':');
    if (!colon || colon - where >= HOST_BYTES) return EAI_NONAME;
    return is_port(colon + 1) ? 0 : EAI_SERVICE;
}

/* "host:port" or "[address]:port", not misspelt; 0, or getaddrinfo's error. */
static int look_up(const char *where, int flags, struct addrinfo **out) {
    char host[HOST_BYTES];
    const char *colon = strrchr(where, ':');
    size_t n = (size_t)(colon - where);
    *out = NULL;
    if (n >= 2 && where[0] == '[' && where[n - 1] == ']') where++, n -= 2;
    memcpy(host, where, n);
    host[n] = 0;
    struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = flags };
    return getaddrinfo(n ? host : NULL, colon + 1, &hints, out);
}

/* A listening socket on one of the addresses; -1 and errno. */
static int listen_on(const struct addrinfo *list) {
    int why = EADDRNOTAVAIL;
    for (const struct addrinfo *a = list; a; a = a->ai_next) {
        int one = 1, fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol);
        if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 && bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, 128) == 0)
            return fd;
        why = errno;
        if (fd >= 0) close(fd);
    }
    errno = why;
    return -1;
}

static weft_status listen_at(star *s, const char *where) {
    struct addrinfo *list;
    int e = misspelt(where);
    if (!e) e = look_up(where, AI_PASSIVE, &list);
    if (e) return fail(s, "%s is no address to listen at: %s", s->place->at, gai_strerror(e));
    s->listener = listen_on(list);
    int why = errno;
    freeaddrinfo(list);
    return s->listener >= 0 ? WEFT_OK : fail(s, "process 0 cannot listen at %s: %s", s->place->at, strerror(why));
}

/* One attempt at one address; -1 and errno. */
static int connect_to(const struct addrinfo *a, int64_t end) {
    int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol), why = 0;
    socklen_t n = sizeof why;
    if (fd < 0) return -1;
    if (connect(fd, a->ai_addr, a->ai_addrlen) != 0) {
        why = errno;
        if (why == EINPROGRESS) why = ready(fd, POLLOUT, end) ? 0 : ETIMEDOUT;
        if (!why && getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &n) != 0) why = errno;
    }
    if (!why && weft_tcp_meets_itself(fd)) { /* without a word of farewell, after which the port, process 0's, would be taken for a minute */
        (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){ .l_onoff = 1 }, sizeof(struct linger));
        why = ECONNREFUSED;
    }
    if (!why) return fd;
    close(fd);
    errno = why;
    return -1;
}

/* Process 0 may come later than this one, and so may the name that it has; not what it can have none of. */
static weft_status connect_at(star *s, const char *where) {
    int64_t end = weft_meeting_end(s->place);
    int bad = misspelt(where);
    if (bad) return fail(s, "%s is no address to call: %s", s->place->at, gai_strerror(bad));
    for (;;) {
        struct addrinfo *list;
        int e = look_up(where, 0, &list), fd = -1, why = 0;
        for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next) {
            int64_t soon = weft_now_ns() + 2000000000;
            fd = connect_to(a, soon < end ? soon : end);
            why = errno;
        }
        if (list) freeaddrinfo(list);
        if (fd >= 0) {
            s->link[0] = fd;
            return WEFT_OK;
        }
        int left = weft_meeting_left(end, RETRY_MS);
        if (!left)
            return fail(s, "process 0 did not come to %s within %.3g s: %s", s->place->at, (double)s->place->timeout_ns * 1e-9, e ? gai_strerror(e) : strerror(why));
        (void)poll(NULL, 0, left);
    }
}

static weft_status say_hello(star *s) {
    hello h = { MAGIC, VERSION, s->place->process, s->place->processes };
    return send_all(s->link[0], &h, sizeof h, weft_meeting_end(s->place)) == DONE ? WEFT_OK : fail(s, "process 0 has left before the world was made");
}

weft_status weft_rendezvous_tcp_open(weft_meeting_place *place, const char *where, weft_bootstrap *out) {
    int serves = place->process == 0, links = serves ? place->processes : 1, one = 1;
    star *s = place->alloc.resize(place->alloc.user, NULL, 0, sizeof *s + (size_t)links * sizeof(int));
    if (!s) return WEFT_ERR_MEMORY;
    *s = (star){ .place = place, .listener = -1, .links = links };
    for (int i = 0; i < links; i++) s->link[i] = -1;
    *out = (weft_bootstrap){ .rank = place->process, .size = place->processes, .allgather = serves ? serve : exchange, .state = s, .trouble = place->trouble };
    weft_status st = serves ? listen_at(s, where) : connect_at(s, where);
    if (st == WEFT_OK) st = serves ? receive_guests(s) : say_hello(s);
    for (int i = 0; i < links; i++)
        if (s->link[i] >= 0) (void)setsockopt(s->link[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (st != WEFT_OK) weft_rendezvous_tcp_close(out);
    return st;
}

void weft_rendezvous_tcp_close(weft_bootstrap *b) {
    star *s = b->state;
    const weft_allocator a = s->place->alloc;
    for (int i = 0; i < s->links; i++)
        if (s->link[i] >= 0) close(s->link[i]);
    if (s->listener >= 0) close(s->listener);
    a.resize(a.user, s, sizeof *s + (size_t)s->links * sizeof(int), 0);
    *b = (weft_bootstrap){ 0 };
}
