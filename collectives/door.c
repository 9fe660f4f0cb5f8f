/* door.c: see door.h. */
#include "collectives/door.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAGIC 0x77656674u           /* "weft"; also detects another byte order */
#define OVERDUE_NS 1000000000       /* time for a proof while there is no descriptor for another caller */
#define TAKES 64                    /* callers accepted at once, so that a flood of them cannot hold the process */

/* --- the proofs --------------------------------------------------------------------------------------------------- */

/* By the caller: its hello and the door's nonce. */
static weft_claim callers(const weft_hello *h, const uint8_t *nonce) {
    return (weft_claim){ "caller", h, nonce, sizeof *h, WEFT_NONCE_BYTES };
}

/* By the door: the same and the verdict. */
typedef struct judgement {
    uint8_t nonce[WEFT_NONCE_BYTES];
    uint32_t verdict;
} judgement;

static weft_claim doors(const weft_hello *h, const judgement *j) {
    return (weft_claim){ "door", h, j, sizeof *h, sizeof *j };
}

static judgement judged(const uint8_t *nonce, uint32_t verdict) {
    judgement j = { .verdict = verdict };
    memcpy(j.nonce, nonce, sizeof j.nonce);
    return j;
}

static weft_hello without_proof(const weft_hello *h) {
    weft_hello bare = *h;
    memset(bare.proof, 0, sizeof bare.proof);
    return bare;
}

/* --- the caller's side -------------------------------------------------------------------------------------------- */

static weft_hello hello_of(weft_door_kind kind, int process, int processes) {
    return (weft_hello){
        .magic = MAGIC, .kind = kind, .layout = weft_wire_layout(), .process = process, .processes = processes
    };
}

weft_status weft_caller_begin(weft_caller *c, weft_door_kind kind, const weft_secret *secret, int process,
                              int processes) {
    *c = (weft_caller){ .secret = secret, .hello = hello_of(kind, process, processes) };
    c->hello.is_keyed = kind == WEFT_DOOR_RENDEZVOUS && secret->state != WEFT_SECRET_NONE;
    return weft_random(c->hello.nonce, sizeof c->hello.nonce);
}

int weft_reply_is_sound(const weft_reply *r) {
    return r->magic == MAGIC && r->verdict >= WEFT_VERDICT_CHALLENGE && r->verdict <= WEFT_VERDICT_REFUSED &&
           r->text_bytes <= WEFT_DOOR_TEXT;
}

void weft_caller_prove(weft_caller *c, const weft_reply *challenge, uint8_t proof[WEFT_PROOF_BYTES]) {
    c->challenge = *challenge;
    const weft_claim claim = callers(&c->hello, challenge->nonce);
    (void)weft_prove(c->secret, &claim, proof);
}

int weft_caller_believes(const weft_caller *c, const weft_reply *verdict) {
    const judgement j = judged(c->challenge.nonce, verdict->verdict);
    const weft_claim claim = doors(&c->hello, &j);
    return weft_proves(c->secret, &claim, verdict->proof);
}

size_t weft_caller_word(const weft_secret *secret, int process, int processes, const char *text, size_t bytes,
                        char *out) {
    weft_hello h = hello_of(WEFT_DOOR_MESSAGES, process, processes);
    if (!bytes || bytes > WEFT_DOOR_WORD) return 0;
    h.word_bytes = (uint32_t)bytes;
    const weft_hello bare = h;
    (void)weft_prove(secret, &(weft_claim){ "word", &bare, text, sizeof bare, bytes }, h.proof);
    memcpy(out, &h, sizeof h);
    memcpy(out + sizeof h, text, bytes);
    return sizeof h + bytes;
}

/* --- the door: sending -------------------------------------------------------------------------------------------- */

/* A connection has room for the first bytes; a closed one is noticed so later. */
static void tell(int fd, const weft_reply *r, const char *text) {
    char all[sizeof *r + WEFT_DOOR_TEXT];
    memcpy(all, r, sizeof *r);
    if (r->text_bytes) memcpy(all + sizeof *r, text, r->text_bytes);
    (void)!send(fd, all, sizeof *r + r->text_bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static weft_reply reply_of(const weft_door *d, weft_verdict v, const char *why) {
    return (weft_reply){ .magic = MAGIC, .verdict = v, .is_keyed = (uint32_t)d->is_keyed,
                         .text_bytes = *why ? (uint32_t)strnlen(why, WEFT_DOOR_TEXT - 1) + 1 : 0 };
}

/* To a guest that is believed. */
static void tell_verdict(const weft_door *d, const weft_guest *g, weft_verdict v, const char *why) {
    weft_reply r = reply_of(d, v, why);
    const judgement j = judged(g->nonce, v);
    const weft_claim claim = doors(&g->hello, &j);
    (void)weft_prove(&d->secret, &claim, r.proof);
    tell(g->fd, &r, why);
}

/* --- the door: receiving ------------------------------------------------------------------------------------------ */

/* GOES: it is no guest any more, and its connection is closed or its owner's. */
typedef enum guest_is { STAYS, GOES } guest_is;

static guest_is send_off(const weft_guest *g) {
    close(g->fd);
    return GOES;
}

static guest_is hear_word(weft_door *d, const weft_guest *g) {
    const weft_hello bare = without_proof(&g->hello);
    const weft_claim claim = { "word", &bare, g->word, sizeof bare, g->hello.word_bytes };
    bool counts = d->keeper->hears && weft_proves(&d->secret, &claim, g->hello.proof);
    (void)send_off(g);
    if (counts) d->keeper->hears(d->user, g->word, g->hello.word_bytes);
    return GOES;
}

static guest_is hear_hello(weft_door *d, weft_guest *g) {
    char why[WEFT_DOOR_TEXT] = "";
    weft_reply r = reply_of(d, WEFT_VERDICT_CHALLENGE, why);
    if (!d->keeper->admits(d->user, &g->hello, why) || weft_random(g->nonce, sizeof g->nonce) != WEFT_OK) {
        r = reply_of(d, WEFT_VERDICT_REFUSED, why);
        if (*why) tell(g->fd, &r, why);
        return send_off(g);
    }
    memcpy(r.nonce, g->nonce, sizeof r.nonce);
    tell(g->fd, &r, "");
    g->is_challenged = 1;
    g->got = 0;
    return STAYS;
}

/* Whether the guest still waits: it has not given up, nor sent more before it was answered. */
static bool still_waits(int fd) {
    char more;
    return recv(fd, &more, sizeof more, MSG_DONTWAIT | MSG_PEEK) < 0 &&
           (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

static guest_is hear_proof(weft_door *d, const weft_guest *g) {
    char why[WEFT_DOOR_TEXT] = "";
    const weft_claim claim = callers(&g->hello, g->nonce);
    if (!weft_proves(&d->secret, &claim, g->proof)) {
        static const char unknown[] =
            "this process does not know the key of the job that it calls (WEFT_RENDEZVOUS_KEY)";
        const weft_reply r = reply_of(d, WEFT_VERDICT_REFUSED, unknown);
        tell(g->fd, &r, unknown);
        if (d->keeper->doubts) d->keeper->doubts(d->user, &g->hello);
        return send_off(g);
    }
    if (!still_waits(g->fd)) return send_off(g);
    const weft_guest taken = *g; /* the owner may reuse its place */
    weft_verdict v = d->keeper->judges(d->user, &taken.hello, why);
    tell_verdict(d, &taken, v, why);
    if (v != WEFT_VERDICT_WELCOME) return send_off(&taken);
    d->keeper->enters(d->user, &taken.hello, taken.fd);
    return GOES;
}

/* Where the expected bytes are stored, and their number, as far as it is known. */
static char *expected(weft_guest *g, size_t *bytes) {
    if (g->is_challenged) {
        *bytes = sizeof g->proof - g->got;
        return (char *)g->proof + g->got;
    }
    if (g->got < sizeof g->hello) {
        *bytes = sizeof g->hello - g->got;
        return (char *)&g->hello + g->got;
    }
    *bytes = sizeof g->hello + g->hello.word_bytes - g->got;
    return g->word + (g->got - sizeof g->hello);
}

/* Whether a hello has this Weft's protocol: its contents count as far as they are proved. */
static bool is_ours(const weft_door *d, const weft_hello *h) {
    return h->magic == MAGIC && h->kind == d->kind && h->word_bytes <= WEFT_DOOR_WORD;
}

static guest_is hear(weft_door *d, weft_guest *g) {
    size_t bytes;
    char *to = expected(g, &bytes);
    ssize_t n = recv(g->fd, to, bytes, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return STAYS;
    if (n <= 0) return send_off(g);
    g->got += (size_t)n;
    if ((size_t)n < bytes) return STAYS;
    if (g->is_challenged) return hear_proof(d, g);
    if (g->got == sizeof g->hello && !is_ours(d, &g->hello)) return send_off(g);
    if (g->got < sizeof g->hello + g->hello.word_bytes) return STAYS;
    return g->hello.word_bytes ? hear_word(d, g) : hear_hello(d, g);
}

/* --- the door: callers -------------------------------------------------------------------------------------------- */

typedef enum spoken { SILENT, SPOKEN } spoken; /* whether a whole hello has arrived */

/* The oldest guest; -1: none. */
static int oldest(const weft_door *d, spoken which) {
    int found = -1;
    for (int i = 0; i < d->count; i++)
        if (d->guests[i].is_challenged == (which == SPOKEN) &&
            (found < 0 || d->guests[i].since_ns < d->guests[found].since_ns))
            found = i;
    return found;
}

static void send_away(weft_door *d, int i) {
    close(d->guests[i].fd);
    d->guests[i] = d->guests[--d->count];
}

/* Whether there is a place for one more. A silent guest is evicted before one that has spoken: a process of the job
 * sends its hello as it calls. */
static bool make_room(weft_door *d, spoken newcomer) {
    if (d->count < WEFT_DOOR_GUESTS) return true;
    int i = oldest(d, SILENT);
    if (i < 0 && newcomer == SPOKEN) i = oldest(d, SPOKEN);
    if (i >= 0) send_away(d, i);
    return i >= 0;
}

/* Takes a descriptor from a guest; one that has spoken gets time for its proof. */
static bool spare_one(weft_door *d, int64_t now) {
    int i = oldest(d, SILENT);
    if (i < 0) i = oldest(d, SPOKEN);
    if (i < 0 || (d->guests[i].is_challenged && now - d->guests[i].since_ns < OVERDUE_NS)) return false;
    send_away(d, i);
    return true;
}

/* Reads a caller's first bytes before it can take a place from another. */
static void receive(weft_door *d, int fd, int64_t now) {
    weft_guest g = { .fd = fd, .since_ns = now };
    if (hear(d, &g) == GOES) return;
    if (make_room(d, g.is_challenged ? SPOKEN : SILENT)) d->guests[d->count++] = g;
    else close(fd);
}

static bool is_out(int why) { return why == EMFILE || why == ENFILE || why == ENOBUFS || why == ENOMEM; }

/* accept needs a descriptor before it knows whether a caller waits. So a lack of descriptors is not reported if a
 * caller came in, or if guests, possibly strangers, have some. */
static int take_in(weft_door *d, int64_t now) {
    bool came = false;
    for (int n = 0; n < TAKES; n++) {
        int fd = accept4(d->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), why = errno;
        if (fd >= 0) {
            came = true;
            receive(d, fd, now);
        } else {
            if (!is_out(why) || came) break;
            if (!d->count) return why;
            if (!spare_one(d, now)) break;
        }
    }
    return 0;
}

int weft_door_interest(const weft_door *d, struct pollfd *p) {
    p[0] = (struct pollfd){ .fd = d->listener, .events = POLLIN }; /* poll ignores closed ones: -1 */
    for (int i = 0; i < d->count; i++) p[1 + i] = (struct pollfd){ .fd = d->guests[i].fd, .events = POLLIN };
    return 1 + d->count;
}

int weft_door_look(weft_door *d, const struct pollfd *p, int n, int64_t now_ns) {
    for (int i = n - 1; i-- > 0;) /* backwards: the last one takes the place of a guest that leaves */
        if (p[1 + i].revents && i < d->count && d->guests[i].fd == p[1 + i].fd && hear(d, &d->guests[i]) == GOES)
            d->guests[i] = d->guests[--d->count];
    return n > 0 && p[0].revents && d->listener >= 0 ? take_in(d, now_ns) : 0;
}

void weft_door_dismiss(weft_door *d) {
    while (d->count) close(d->guests[--d->count].fd);
}

void weft_door_close(weft_door *d) {
    if (d->listener >= 0) close(d->listener);
    d->listener = -1;
    weft_door_dismiss(d);
}
