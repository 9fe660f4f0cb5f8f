/* rendezvous_tcp: processes find each other at process 0, which listens. In each exchange it receives the data of all
 * others, and sends all of it to all. Only process 0 sees which are missing when the time is over, and tells the others
 * in words; so these wait a little longer.
 *
 * Nothing here blocks except poll, so that a stranger's connection cannot delay the world. The door (door.h) decides
 * which connections are admitted. If the job has a key, a process that knows it and sends impossible numbers (another
 * count, a number that is taken) ends the start for all, at once: that is an error of the user. Without a key the
 * sender may be a stranger: it is refused, with the reason, and the others wait for the right process.
 */
#include "config.h"
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

#define MAGIC 0x77656674u          /* "weft"; also detects another byte order */
#define GRACE_NS 3000000000        /* the others wait so much longer, for process 0's message */
#define RETRY_MS 50
#define CALLS_MOST 40              /* of a process that gets no answer: strangers may crowd the door; */
#define CALL_AGAIN_MS 25           /* and the pause before the next */

/* Sent before exchanged data, both ways; or before a text that says why there will be no more. */
typedef struct frame {
    uint32_t magic, failed, bytes;
} frame;

typedef struct star {
    weft_meeting_place *place;
    weft_door *door;               /* of process 0, else NULL */
    weft_status status;            /* of connections */
    bool sent_away;                /* this process got no answer at its last call */
    int links;                     /* [processes] of process 0, by number; else 1 */
    int link[];                    /* -1: none */
} star;

static weft_status fail(star *s, const char *fmt, ...) WEFT_PRINTF(2, 3);
static weft_status fail(star *s, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    weft_vformat(s->place->trouble, sizeof s->place->trouble, fmt, ap);
    va_end(ap);
    return WEFT_ERR_IO;
}

/* --- bytes -------------------------------------------------------------------------------------------------------- */

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

/* A reason in words that follows; without characters that would move a terminal's cursor. */
static bool receive_text(int fd, size_t bytes, char *out, size_t room, int64_t end) {
    out[0] = 0;
    if (!bytes || bytes > room || receive_all(fd, out, bytes, end) != DONE) out[0] = 0;
    else out[bytes - 1] = 0;
    for (char *p = out; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f) *p = '?';
    return out[0] != 0;
}

/* --- process 0: callers ------------------------------------------------------------------------------------------- */

/* Tells all connected processes why there will be no world. */
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

/* The time is over; of the connections from number `first` on only those that have sent something count. */
static weft_status missed(star *s, int first) {
    weft_allocator *a = &s->place->alloc;
    size_t n = (size_t)s->place->processes;
    char *came = a->resize(a->user, NULL, 0, n);
    if (!came) return WEFT_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        came[i] = i == 0 || (s->link[i] >= 0 && ((int)i < first || ready(s->link[i], POLLIN, 0)));
    (void)weft_meeting_missed(s->place, came);
    a->resize(a->user, came, n, 0);
    return give_up(s);
}

/* Refused; if a process is missing in the end, this may be the reason. */
static int refuse(star *s, const char *why) {
    snprintf(s->place->refused, sizeof s->place->refused, "%s", why);
    return 0;
}

static int admits(void *user, const weft_hello *h, char *why) {
    star *s = user;
    int process = (int)h->process;
    if (h->layout != weft_wire_layout())
        snprintf(why, WEFT_DOOR_TEXT, "process %d is of another Weft than process 0", process);
    else if (s->place->is_keyed && !h->is_keyed)
        snprintf(why, WEFT_DOOR_TEXT, "process 0 has a key (WEFT_RENDEZVOUS_KEY), and process %d has none", process);
    else if (!s->place->is_keyed && h->is_keyed)
        snprintf(why, WEFT_DOOR_TEXT, "process %d has a key (WEFT_RENDEZVOUS_KEY), and process 0 has none", process);
    return *why ? refuse(s, why) : 1;
}

static void doubts(void *user, const weft_hello *h) {
    char why[WEFT_DOOR_TEXT];
    snprintf(why, sizeof why, "a process that claims to be process %d has another key (WEFT_RENDEZVOUS_KEY)", (int)h->process);
    (void)refuse(user, why);
}

static weft_verdict judges(void *user, const weft_hello *h, char *why) {
    star *s = user;
    int process = (int)h->process;
    if (h->processes != s->place->processes)
        snprintf(why, WEFT_DOOR_TEXT, "process %d counts %d processes where process 0 counts %d", process,
                 (int)h->processes, s->place->processes);
    else if (process <= 0 || process >= s->place->processes || s->link[process] >= 0)
        snprintf(why, WEFT_DOOR_TEXT, "two processes claim to be process %d of %s", process, s->place->at);
    if (!*why) return WEFT_VERDICT_WELCOME;
    if (s->place->is_keyed) s->status = fail(s, "%s", why);
    (void)refuse(s, why);
    return WEFT_VERDICT_REFUSED;
}

static void enters(void *user, const weft_hello *h, int fd) { ((star *)user)->link[h->process] = fd; }

static const weft_doorkeeper keeper = { .admits = admits, .judges = judges, .enters = enters, .doubts = doubts };

static int missing(const star *s) {
    int n = 0;
    for (int i = 1; i < s->links; i++) n += s->link[i] < 0;
    return n;
}

static weft_status receive_guests(star *s) {
    struct pollfd p[1 + WEFT_DOOR_GUESTS];
    int64_t end = weft_meeting_end(s->place);
    while (s->status == WEFT_OK && missing(s)) {
        int left = weft_meeting_left(end, 1000), n = weft_door_interest(s->door, p);
        if (!left) return missed(s, s->links);
        if (poll(p, (nfds_t)n, left) < 0) continue;
        int why = weft_door_look(s->door, p, n, weft_now_ns());
        /* Without a descriptor for the caller, it would stay at the door for ever. */
        if (why) s->status = fail(s, "process 0 cannot take connections at %s: %s", s->place->at, strerror(why));
    }
    weft_door_dismiss(s->door);
    return s->status == WEFT_OK ? WEFT_OK : give_up(s);
}

/* --- process 0: exchanges ----------------------------------------------------------------------------------------- */

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

/* --- the others --------------------------------------------------------------------------------------------------- */

static weft_status exchange(const weft_bootstrap *b, const void *in, size_t bytes, void *out) {
    star *s = b->state;
    int fd = s->link[0];
    int64_t end = weft_meeting_end(s->place);
    frame f = { MAGIC, 0, (uint32_t)bytes };
    if (end != INT64_MAX) end += GRACE_NS;
    /* If sending fails, process 0 may still have said why. */
    if (send_all(fd, &f, sizeof f, end) == DONE) (void)send_all(fd, in, bytes, end);
    outcome o = receive_all(fd, &f, sizeof f, end);
    if (o == DONE && f.magic != MAGIC) return fail(s, "the program that listens at %s is not process 0 of this Weft", s->place->at);
    if (o == DONE && f.failed) {
        char why[WEFT_RENDEZVOUS_TROUBLE];
        return fail(s, "%s", receive_text(fd, f.bytes, why, sizeof why, end) ? why : "process 0 has given up");
    }
    if (o == DONE && f.bytes != bytes * (size_t)b->size)
        return fail(s, "process 0 is of another Weft than process %d", b->rank);
    if (o == DONE) o = receive_all(fd, out, f.bytes, end);
    if (o == GONE) return fail(s, "process 0 has left before the world was made");
    return o == DONE ? WEFT_OK : fail(s, "process 0 at %s is silent", s->place->at);
}

/* --- sockets ------------------------------------------------------------------------------------------------------ */

/* A service's name, or a valid port number: getaddrinfo takes 99999 for 34463, and 0 for any. */
static bool is_port(const char *text) {
    size_t n = strspn(text, "0123456789");
    return *text && (text[n] || (n <= 5 && atol(text) > 0 && atol(text) < 65536));
}

#define HOST_BYTES 256

/* 0, or getaddrinfo's error for an address that can never be found. */
static int misspelt(const char *where) {
    const char *colon = strrchr(where, ':');
    if (!colon || colon - where >= HOST_BYTES) return EAI_NONAME;
    return is_port(colon + 1) ? 0 : EAI_SERVICE;
}

#ifdef HAVE_GETADDRINFO_A
/* The state of the system's look-up, which may outlive the rendezvous: so it is from malloc, not from the user's
 * allocator. */
typedef struct search {
    struct gaicb ask;
    struct addrinfo hints;
    char host[HOST_BYTES], port[NI_MAXSERV];
} search;

/* Name servers may be silent for longer than the processes wait for each other. EAI_INPROGRESS: nothing was found
 * before `end`. */
static int find(const char *host, const char *port, const struct addrinfo *hints, int64_t end, struct addrinfo **out) {
    search *s = strlen(port) < NI_MAXSERV ? calloc(1, sizeof *s) : NULL;
    if (!s) return EAI_MEMORY;
    const struct gaicb *const asked = &s->ask;
    s->hints = *hints;
    strcpy(s->host, host);
    strcpy(s->port, port);
    s->ask = (struct gaicb){ .ar_name = s->host, .ar_service = s->port, .ar_request = &s->hints };
    int e = getaddrinfo_a(GAI_NOWAIT, (struct gaicb *[]){ &s->ask }, 1, NULL), left;
    while (!e && (e = gai_error(&s->ask)) == EAI_INPROGRESS && (left = weft_meeting_left(end, 1000)) > 0) {
        const struct timespec pause = { left / 1000, left % 1000 * 1000000 };
        (void)gai_suspend(&asked, 1, &pause);
        e = 0;
    }
    /* a thread of the system still writes to s, which is therefore not freed */
    if (e == EAI_INPROGRESS && gai_cancel(&s->ask) == EAI_NOTCANCELED) return e;
    if (!e) *out = s->ask.ar_result;
    free(s);
    return e;
}
#else
static int find(const char *host, const char *port, const struct addrinfo *hints, int64_t end, struct addrinfo **out) {
    (void)end;
    return getaddrinfo(host, port, hints, out);
}
#define EAI_INPROGRESS EAI_AGAIN
#endif

/* RFC 6761, section 6.3: these names are this machine, whether or not the system has a list of names. */
static bool is_this_machine(const char *host) {
    static const char name[] = "localhost";
    size_t n = strlen(host);
    if (n && host[n - 1] == '.') n--;
    if (n < sizeof name - 1 || strncasecmp(host + n - (sizeof name - 1), name, sizeof name - 1)) return false;
    return n == sizeof name - 1 || host[n - sizeof name] == '.';
}

/* "host:port" or "[address]:port", not misspelt; 0, or getaddrinfo's error. */
static int look_up(const char *where, int flags, int64_t end, struct addrinfo **out) {
    char host[HOST_BYTES];
    const char *colon = strrchr(where, ':');
    size_t n = (size_t)(colon - where);
    *out = NULL;
    if (n >= 2 && where[0] == '[' && where[n - 1] == ']') where++, n -= 2;
    memcpy(host, where, n);
    host[n] = 0;
    struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICHOST };
    int e = getaddrinfo(n ? host : NULL, colon + 1, &hints, out);
    if (e != EAI_NONAME || !n) return e;
    hints.ai_flags = flags;
    if (is_this_machine(host)) {
        hints.ai_flags &= ~AI_PASSIVE; /* without a name, the loopback address */
        return getaddrinfo(NULL, colon + 1, &hints, out);
    }
    return find(host, colon + 1, &hints, end, out);
}

static const char *unknown(int e) {
    return e == EAI_INPROGRESS ? "the system has not found the name yet" : gai_strerror(e);
}

/* A listening socket on one of the addresses; -1 and errno. */
static int listen_on(const struct addrinfo *list) {
    int why = EADDRNOTAVAIL;
    for (const struct addrinfo *a = list; a; a = a->ai_next) {
        int one = 1, fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol);
        if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 &&
            bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, 128) == 0)
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
    if (!e) e = look_up(where, AI_PASSIVE, weft_meeting_end(s->place), &list);
    if (e) return fail(s, "%s is no address to listen at: %s", s->place->at, unknown(e));
    s->door->listener = listen_on(list);
    int why = errno;
    freeaddrinfo(list);
    return s->door->listener >= 0 ? WEFT_OK : fail(s, "process 0 cannot listen at %s: %s", s->place->at, strerror(why));
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
    /* reset instead of closed: else the port, process 0's, would be in use for a minute */
    if (!why && weft_tcp_meets_itself(fd)) {
        (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){ .l_onoff = 1 }, sizeof(struct linger));
        why = ECONNREFUSED;
    }
    if (!why) return fd;
    close(fd);
    errno = why;
    return -1;
}

static weft_status left_early(star *s) { return fail(s, "process 0 has left before the world was made"); }

/* Process 0 may start later than this one, and its name may appear later; not so a name that is invalid. */
static weft_status connect_at(star *s, const char *where) {
    int64_t end = weft_meeting_end(s->place);
    int bad = misspelt(where);
    if (bad) return fail(s, "%s is no address to call: %s", s->place->at, gai_strerror(bad));
    for (;;) {
        struct addrinfo *list;
        int e = look_up(where, 0, end, &list), fd = -1, why = 0;
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
        if (s->sent_away && why == ECONNREFUSED) return left_early(s);
        if (!left)
            return fail(s, "process 0 did not come to %s within %.3g s: %s", s->place->at,
                        (double)s->place->timeout_ns * 1e-9, e ? unknown(e) : strerror(why));
        (void)poll(NULL, 0, left);
    }
}

/* --- connecting: the caller's side of door.h ---------------------------------------------------------------------- */

/* The next reply; its first four bytes show whether another program listens here. */
static weft_status receive_reply(star *s, weft_reply *r, int64_t end) {
    int fd = s->link[0];
    outcome o = receive_all(fd, &r->magic, sizeof r->magic, end);
    if (o == DONE && r->magic == MAGIC)
        o = receive_all(fd, (char *)r + sizeof r->magic, sizeof *r - sizeof r->magic, end);
    s->sent_away = o == GONE;
    if (o == GONE) return left_early(s);
    if (o == LATE) return fail(s, "process 0 at %s is silent", s->place->at);
    return weft_reply_is_sound(r) ? WEFT_OK : fail(s, "the program that listens at %s is not process 0 of this Weft", s->place->at);
}

/* A refusal by a peer that has not proved that it knows the key, if there is one: it may come from a stranger. */
static weft_status refused(star *s, const weft_reply *r, int64_t end) {
    char why[WEFT_DOOR_TEXT];
    if (!receive_text(s->link[0], r->text_bytes, why, sizeof why, end))
        snprintf(why, sizeof why, "process 0 at %s refuses process %d", s->place->at, s->place->process);
    return fail(s, "%s", why);
}

static weft_status stranger(star *s) {
    return fail(s, "the program that listens at %s does not know this job's key (WEFT_RENDEZVOUS_KEY)", s->place->at);
}

static weft_status come_in(star *s) {
    weft_caller c;
    weft_reply r;
    uint8_t proof[WEFT_PROOF_BYTES];
    int64_t end = weft_meeting_end(s->place);
    if (end != INT64_MAX) end += GRACE_NS;
    if (weft_caller_begin(&c, WEFT_DOOR_RENDEZVOUS, &s->place->secret, s->place->process, s->place->processes) !=
        WEFT_OK)
        return fail(s, "the system has no random numbers: %s", strerror(errno));
    (void)send_all(s->link[0], &c.hello, sizeof c.hello, end); /* a peer that has closed may have said why */
    weft_status st = receive_reply(s, &r, end);
    if (st != WEFT_OK) return st;
    if (r.verdict == WEFT_VERDICT_REFUSED) return refused(s, &r, end);
    if (r.verdict != WEFT_VERDICT_CHALLENGE || (s->place->is_keyed && !r.is_keyed)) return stranger(s);
    weft_caller_prove(&c, &r, proof);
    (void)send_all(s->link[0], proof, sizeof proof, end);
    st = receive_reply(s, &r, end);
    if (st != WEFT_OK) return st;
    if (r.verdict == WEFT_VERDICT_REFUSED) return refused(s, &r, end);
    return r.verdict == WEFT_VERDICT_WELCOME && weft_caller_believes(&c, &r) ? WEFT_OK : stranger(s);
}

/* Strangers at the door may have had this process disconnected. */
static weft_status come_to(star *s, const char *where) {
    weft_status st = WEFT_ERR_IO;
    for (int call = 0; call < CALLS_MOST; call++) {
        if (call) {
            close(s->link[0]);
            s->link[0] = -1;
            (void)poll(NULL, 0, CALL_AGAIN_MS);
        }
        st = connect_at(s, where);
        if (st == WEFT_OK) st = come_in(s);
        if (st == WEFT_OK || s->link[0] < 0 || !s->sent_away) break;
    }
    return st;
}

/* Process 0's door. */
static weft_status make_door(star *s) {
    weft_allocator *a = &s->place->alloc;
    s->door = a->resize(a->user, NULL, 0, sizeof *s->door);
    if (!s->door) return WEFT_ERR_MEMORY;
    *s->door = (weft_door){ .kind = WEFT_DOOR_RENDEZVOUS, .keeper = &keeper, .user = s, .secret = s->place->secret,
                            .is_keyed = s->place->is_keyed, .listener = -1 };
    return WEFT_OK;
}

weft_status weft_rendezvous_tcp_open(weft_meeting_place *place, const char *where, weft_bootstrap *out) {
    int serves = place->process == 0, links = serves ? place->processes : 1, one = 1;
    star *s = place->alloc.resize(place->alloc.user, NULL, 0, sizeof *s + (size_t)links * sizeof(int));
    if (!s) return WEFT_ERR_MEMORY;
    *s = (star){ .place = place, .links = links };
    for (int i = 0; i < links; i++) s->link[i] = -1;
    *out = (weft_bootstrap){ .rank = place->process, .size = place->processes, .allgather = serves ? serve : exchange,
                             .state = s, .trouble = place->trouble };
    weft_status st = serves ? make_door(s) : WEFT_OK;
    if (st == WEFT_OK) st = serves ? listen_at(s, where) : come_to(s, where);
    if (st == WEFT_OK && serves) st = receive_guests(s);
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
    if (s->door) {
        weft_door_close(s->door);
        a.resize(a.user, s->door, sizeof *s->door, 0);
    }
    a.resize(a.user, s, sizeof *s + (size_t)s->links * sizeof(int), 0);
    *b = (weft_bootstrap){ 0 };
}
