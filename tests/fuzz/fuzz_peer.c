/* fuzz_peer.c: arbitrary bytes as a peer's actions at a process's door, and over its connection: a script of calls,
 * hellos, proofs, words and frames, right and wrong, and between them the process's own sends, receives and
 * cancellations. Nothing is read or written outside the memory of messages, nothing waits, and in the end all memory
 * is freed.
 *
 *   fuzz_peer [-max_total_time=60] [CORPUS]
 *
 * A command is a letter, and its arguments are the next bytes, of which the low four bits count ('0' to '9' are 0 to
 * 9):
 *
 *   c K      calls the process, by socket K                      p K      proves, as far as a challenge has come
 *   h K      says hello by it, as it should                      o        c, h, p and looks: socket 0 is connected
 *   w K N    says by it that the world has failed, in N bytes    r K N .. sends N bytes of the script by it
 *   f KIND FROM TO CALL SIZE HERE ID   a whole frame by socket 0; F: only a half of what it should bring
 *   s I FROM TO CALL SIZE, v I ...     request I: the process sends, or receives
 *   t        looks at all requests                               x I      gives request I up
 *   l        looks at all connections                            d        takes what the process has sent to socket 0
 *   a V      opens the peer's own door to the process, which gives verdict V; what gets through is socket 0
 *   k K      closes socket K                                     e        asks whether the world has failed
 *   q        asks whether the peer is there
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "collectives/wire.h"
#include "tests/fuzz/counted.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SOCKETS 4
#define REQUESTS 8
#define SENT_MOST ((size_t)4 << 20) /* by a script: so that it takes milliseconds */

static const uint64_t sizes[16] = { 0, 1, 40, 2048, 2049, 8192, WEFT_TCP_EAGER - 1, WEFT_TCP_EAGER, WEFT_TCP_EAGER + 1,
                                    (uint64_t)1 << 19, ((uint64_t)1 << 20) + 7, (uint64_t)9 << 19, (uint64_t)1 << 32,
                                    (uint64_t)1 << 63, UINT64_MAX, 256 };

typedef struct play {
    weft_world world;
    weft_door door;                  /* the peer's */
    weft_verdict verdict;
    int fd[SOCKETS];
    weft_caller caller[SOCKETS];
    weft_secret secret;              /* of connections to the process */
    weft_request request[REQUESTS];
    char *memory[REQUESTS];
    const uint8_t *next, *end;       /* of the script */
    size_t held, sent;               /* bytes: of the process's memory; by the peer */
} play;

static unsigned digit(play *y) { return y->next < y->end ? *y->next++ & 15 : 0; }
static int at(play *y) { return (int)(digit(y) % SOCKETS); }
static weft_tcp *tcp_of(play *y) { return y->world.messages_state; }
static void look(play *y) { weft_tcp_look_around(tcp_of(y)); }

/* --- the peer ----------------------------------------------------------------------------------------------------- */

static void hang_up(play *y, int k) {
    if (y->fd[k] >= 0) close(y->fd[k]);
    y->fd[k] = -1;
}

/* As far as the process takes it. */
static void tell(play *y, int k, const void *p, size_t bytes) {
    for (size_t done = 0, idle = 0; done < bytes && idle < 100 && y->fd[k] >= 0 && y->sent < SENT_MOST;) {
        ssize_t n = send(y->fd[k], (const char *)p + done, bytes - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0) done += (size_t)n, y->sent += (size_t)n, idle = 0;
        else idle++;
        look(y);
    }
}

/* A socket whose connections end without the minute that TCP keeps their ports for: some 80,000 scripts would use up
 * all ports. */
static int new_socket(int flags) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
    /* accepted sockets inherit it */
    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){ .l_onoff = 1 }, sizeof(struct linger));
    return fd;
}

static void call(play *y, int k) {
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = tcp_of(y)->mine.port,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    hang_up(y, k);
    y->fd[k] = new_socket(0);
    if (y->fd[k] >= 0 && connect(y->fd[k], (struct sockaddr *)&a, sizeof a) != 0) hang_up(y, k);
}

static void say_hello(play *y, int k) {
    if (weft_caller_begin(&y->caller[k], WEFT_DOOR_MESSAGES, &y->secret, 1, 2) != WEFT_OK) abort();
    tell(y, k, &y->caller[k].hello, sizeof y->caller[k].hello);
}

static void prove(play *y, int k) {
    weft_reply r;
    uint8_t proof[WEFT_PROOF_BYTES];
    look(y);
    if (!y->caller[k].secret || y->fd[k] < 0 || recv(y->fd[k], &r, sizeof r, MSG_DONTWAIT) != sizeof r) return;
    weft_caller_prove(&y->caller[k], &r, proof);
    tell(y, k, proof, sizeof proof);
    look(y);
}

static void say_word(play *y, int k, size_t bytes) {
    char text[WEFT_DOOR_WORD], all[sizeof(weft_hello) + WEFT_DOOR_WORD];
    memset(text, 'x', sizeof text);
    tell(y, k, all, weft_caller_word(&y->secret, 1, 2, text, bytes * 16, all));
}

typedef enum part { WHOLE, HALF } part;

static void send_frame(play *y, part how) {
    static char body[WEFT_TCP_EAGER + 1];
    weft_tcp_frame f = { .kind = digit(y) };
    f.from = (int32_t)digit(y) - 2, f.to = (int32_t)digit(y) - 2, f.call = digit(y);
    f.bytes = sizes[digit(y)];
    unsigned here = digit(y);
    f.here = here ? sizes[here] : f.bytes < WEFT_TCP_EAGER ? f.bytes : WEFT_TCP_EAGER; /* 0: as it should */
    f.id = digit(y);
    tell(y, 0, &f, sizeof f);
    for (uint64_t left = how == HALF ? f.here / 2 : f.here; left && y->fd[0] >= 0 && y->sent < SENT_MOST;) {
        size_t n = left < sizeof body ? (size_t)left : sizeof body, before = y->sent;
        tell(y, 0, body, n);
        if (y->sent == before) break;
        left -= n;
    }
}

static void take(play *y) {
    static char any[1 << 16];
    while (y->fd[0] >= 0 && recv(y->fd[0], any, sizeof any, MSG_DONTWAIT) > 0) look(y);
}

/* The peer's own door. */
static int admits(void *user, const weft_hello *h, char *why) {
    (void)user, (void)h, (void)why;
    return 1;
}

static weft_verdict judges(void *user, const weft_hello *h, char *why) {
    (void)h, (void)why;
    return ((play *)user)->verdict;
}

static void enters(void *user, const weft_hello *h, int fd) {
    play *y = user;
    (void)h;
    hang_up(y, 0);
    y->fd[0] = fd;
}

static const weft_doorkeeper keeper = { .admits = admits, .judges = judges, .enters = enters };

static void open_door(play *y, unsigned verdict) {
    struct pollfd p[1 + WEFT_DOOR_GUESTS];
    y->verdict = (weft_verdict)(verdict % 6);
    for (int i = 0; i < 4; i++) {
        look(y);
        int n = weft_door_interest(&y->door, p);
        (void)poll(p, (nfds_t)n, 0);
        (void)weft_door_look(&y->door, p, n, weft_now_ns());
    }
    look(y);
}

/* --- the process -------------------------------------------------------------------------------------------------- */

static void give_up(play *y, unsigned i) {
    if (y->request[i].kind != WEFT_REQUEST_FREE) weft_transport_tcp.cancel(&y->world, &y->request[i], 1);
    free(y->memory[i]);
    y->memory[i] = NULL;
}

typedef enum way { SENDS, RECEIVES } way;

static void begin(play *y, way how) {
    unsigned i = digit(y) % REQUESTS;
    weft_address a = { .from = (int)digit(y) % 4, .to = (int)digit(y) % 4, .call = digit(y) };
    size_t bytes = sizes[digit(y)];
    if (bytes > (size_t)8 << 20) bytes = 777;
    give_up(y, i);
    y->memory[i] = calloc(1, bytes);
    if (!y->memory[i]) return;
    if (how == SENDS) (void)weft_transport_tcp.send(&y->world, a, y->memory[i], bytes, &y->request[i]);
    else (void)weft_transport_tcp.receive(&y->world, a, y->memory[i], bytes, &y->request[i]);
}

static void test_all(play *y) {
    int left;
    (void)weft_transport_tcp.test(&y->world, y->request, REQUESTS, &left);
}

static int first_of[] = { 0, 2, 4 }, node_of[] = { 0, 1 }, seat_of[] = { 0, 0 };

static void open_play(play *y, const uint8_t *data, size_t size) {
    const void *address;
    size_t bytes;
    weft_tcp_card cards[2];
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof a;
    *y = (play){ .next = data, .end = data + size };
    memset(y->fd, -1, sizeof y->fd);
    y->world = (weft_world){ .alloc = counted(&y->held), .processes = 2, .first_of = first_of, .node_of = node_of,
                             .seat_of = seat_of, .size = 4 };
    if (weft_transport_tcp.listen(&y->world, &address, &bytes) != WEFT_OK) abort();
    y->door =
        (weft_door){ .kind = WEFT_DOOR_MESSAGES, .keeper = &keeper, .user = y, .listener = new_socket(SOCK_NONBLOCK) };
    if (bind(y->door.listener, (struct sockaddr *)&a, n) || listen(y->door.listener, 8) ||
        getsockname(y->door.listener, (struct sockaddr *)&a, &n))
        abort();
    memcpy(&cards[0], address, sizeof cards[0]);
    cards[1] = cards[0];
    cards[1].token[0] ^= 1;
    cards[1].port = a.sin_port;
    if (weft_transport_tcp.connect(&y->world, (const char *)cards, sizeof *cards) != WEFT_OK) abort();
    weft_secret_derive(&y->world.secret, "connection", cards[0].token, &y->secret);
    weft_secret_derive(&y->world.secret, "connection", cards[1].token, &y->door.secret);
}

static void close_play(play *y) {
    for (unsigned i = 0; i < REQUESTS; i++) give_up(y, i);
    for (int k = 0; k < SOCKETS; k++) hang_up(y, k);
    weft_door_close(&y->door);
    weft_transport_tcp.close(&y->world);
    if (y->held) fprintf(stderr, "%zu bytes are left\n", y->held), abort();
}

static void act(play *y, char command) {
    char reason[WEFT_REASON_BYTES];
    int k;
    switch (command) {
    case 'c': call(y, at(y)); break;
    case 'h': say_hello(y, at(y)); break;
    case 'p': prove(y, at(y)); break;
    case 'o': call(y, 0), say_hello(y, 0), prove(y, 0), take(y); break;
    case 'w': k = at(y), say_word(y, k, digit(y) + 1); break;
    case 'r': {
        k = at(y);
        size_t n = digit(y), there = (size_t)(y->end - y->next);
        if (n > there) n = there;
        tell(y, k, y->next, n);
        y->next += n;
        break;
    }
    case 'f': send_frame(y, WHOLE); break;
    case 'F': send_frame(y, HALF); break;
    case 's': begin(y, SENDS); break;
    case 'v': begin(y, RECEIVES); break;
    case 't': test_all(y); break;
    case 'x': give_up(y, digit(y) % REQUESTS); break;
    case 'l': look(y); break;
    case 'd': take(y); break;
    case 'a': open_door(y, digit(y)); break;
    case 'k': hang_up(y, at(y)); break;
    case 'e': (void)weft_words_heard_failed(&y->world, reason, sizeof reason); break;
    case 'q': (void)weft_words_answers(&y->world, 2); break;
    default: break; /* spaces between them */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    play y;
    open_play(&y, data, size);
    while (y.next < y.end) act(&y, (char)*y.next++);
    close_play(&y);
    return 0;
}
