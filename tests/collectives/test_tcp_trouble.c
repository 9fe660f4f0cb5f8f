/* test_tcp_trouble: connections by TCP that are late, cross each other, lead nowhere or break, peers with invalid
 * messages, and descriptors and memory that run out. */
#include "tests/collectives/tcp_pair.h"
#include "tests/support/alloc.h"
#include "tests/support/port.h"
#include "tests/support/suite.h"

#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static const weft_transport *const tcp = &weft_transport_tcp;
static const weft_address there = { .from = 0, .to = 2, .call = 1 }, back = { .from = 2, .to = 0, .call = 1 };

/* One that knows the world's number calls, and says that it is process `as`. */
typedef struct intruder {
    int fd;
    weft_secret secret;
    weft_caller caller;
} intruder;

static intruder call_in(const weft_tcp *whom, int as) {
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = whom->mine.port,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    intruder i = { .fd = socket(AF_INET, SOCK_STREAM, 0) };
    weft_secret_derive(&whom->world->secret, "connection", whom->mine.token, &i.secret);
    ck_assert_int_eq(weft_caller_begin(&i.caller, WEFT_DOOR_MESSAGES, &i.secret, as, whom->world->processes), WEFT_OK);
    ck_assert_int_eq(connect(i.fd, (struct sockaddr *)&a, sizeof a), 0);
    ck_assert_int_eq(send(i.fd, &i.caller.hello, sizeof i.caller.hello, MSG_NOSIGNAL), sizeof i.caller.hello);
    return i;
}

static int call(const weft_tcp *whom, int as) { return call_in(whom, as).fd; }

/* Answers the challenge; wrong: 1, with a proof of which one bit is another. */
static void prove(tcp_pair *p, intruder *i, int wrong) {
    weft_reply r;
    uint8_t proof[WEFT_PROOF_BYTES];
    ssize_t n = -1;
    for (int64_t end = weft_now_ns() + 10000000000; n != sizeof r && weft_now_ns() < end;
         n = recv(i->fd, &r, sizeof r, MSG_DONTWAIT))
        weft_tcp_look_around(tcp_pair_of(p, 1));
    ck_assert_int_eq(n, sizeof r);
    ck_assert(weft_reply_is_sound(&r) && r.verdict == WEFT_VERDICT_CHALLENGE);
    i->caller.secret = &i->secret;
    weft_caller_prove(&i->caller, &r, proof);
    proof[31] ^= (uint8_t)wrong;
    ck_assert_int_eq(send(i->fd, proof, sizeof proof, MSG_NOSIGNAL), sizeof proof);
}

/* A socket that takes `backlog` + 1 calls, or fewer, and answers none; its port. */
static int listen_only(int backlog, uint16_t *port) {
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert(bind(fd, (struct sockaddr *)&a, n) == 0 && listen(fd, backlog) == 0 &&
              getsockname(fd, (struct sockaddr *)&a, &n) == 0);
    *port = a.sin_port;
    return fd;
}

static void look(tcp_pair *p, int process) { weft_tcp_look_around(tcp_pair_of(p, process)); }

static weft_tcp_state state_of(tcp_pair *p, int process) { return tcp_pair_of(p, process)->peers[1 - process].state; }

static void look_until(tcp_pair *p, int process, weft_tcp_state state) {
    for (int64_t end = weft_now_ns() + 10000000000; state_of(p, process) != state; look(p, process))
        ck_assert(weft_now_ns() < end);
}

/* Whether both are done, the first in process 0; the first status that is not WEFT_OK. */
static weft_status finish(tcp_pair *p, weft_request *a, weft_request *b) {
    int left[2] = { 1, 1 };
    weft_status st = WEFT_OK;
    for (int64_t end = weft_now_ns() + 10000000000; st == WEFT_OK && (left[0] || left[1]);) {
        ck_assert(weft_now_ns() < end);
        st = tcp->test(&p->w[0], a, 1, &left[0]);
        if (st == WEFT_OK) st = tcp->test(&p->w[1], b, 1, &left[1]);
    }
    return st;
}

static void exchange_one(tcp_pair *p) {
    char from = 7, to = 0;
    weft_request sent, received;
    ck_assert_int_eq(tcp->send(&p->w[0], there, &from, 1, &sent), WEFT_OK);
    ck_assert_int_eq(tcp->receive(&p->w[1], there, &to, 1, &received), WEFT_OK);
    ck_assert_int_eq(finish(p, &sent, &received), WEFT_OK);
    ck_assert_int_eq(to, 7);
}

/* A process that computes for long before it polls its door is called all the same, although it has other addresses,
 * without listeners. */
START_TEST(test_late) {
    tcp_pair p;
    char from = 7, to = 0;
    weft_request sent, received;
    tcp_pair_open(&p);
    weft_tcp_card *card = &tcp_pair_of(&p, 0)->cards[1];
    card->count = 1;
    card->at[0] = (weft_tcp_address){ .family = 4, .prefix = 8, .bytes = { 240, 0, 0, 1 } };
    ck_assert_int_eq(tcp->send(&p.w[0], there, &from, 1, &sent), WEFT_OK);
    look_until(&p, 0, WEFT_TCP_GREETED);
    tcp_pair_of(&p, 0)->peers[1].until_ns = 0;
    for (int i = 0; i < 10; i++) look(&p, 0);
    ck_assert_int_eq(state_of(&p, 0), WEFT_TCP_GREETED);
    ck_assert_int_eq(tcp->receive(&p.w[1], there, &to, 1, &received), WEFT_OK);
    ck_assert_int_eq(finish(&p, &sent, &received), WEFT_OK);
    tcp_pair_close(&p);
}
END_TEST

/* A stranger that knows the door's number but cannot prove it, or repeats another's proof, is no process of the world,
 * and its word that the world has failed is ignored. */
START_TEST(test_not_proved) {
    tcp_pair p;
    char word[sizeof(weft_hello) + WEFT_DOOR_WORD], heard[WEFT_REASON_BYTES] = "";
    tcp_pair_open(&p);
    intruder guest = call_in(tcp_pair_of(&p, 1), 0);
    prove(&p, &guest, 1);
    for (int i = 0; i < 100; i++) look(&p, 1), usleep(100);
    ck_assert_int_eq(state_of(&p, 1), WEFT_TCP_NONE);
    intruder liar = call_in(tcp_pair_of(&p, 1), 0);
    close(liar.fd);
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = tcp_pair_of(&p, 1)->mine.port,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    size_t n = weft_caller_word(&liar.secret, 0, 2, "all is lost", 12, word);
    word[sizeof(weft_hello)] ^= 1;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    ck_assert_int_eq(send(fd, word, n, MSG_NOSIGNAL), (ssize_t)n);
    for (int i = 0; i < 100; i++) look(&p, 1), usleep(100);
    ck_assert(!weft_words_heard_failed(&p.w[1], heard, sizeof heard));
    exchange_one(&p);
    close(fd);
    close(guest.fd);
    tcp_pair_close(&p);
}
END_TEST

/* A call that its caller has given up is ignored, although it named its caller. */
START_TEST(test_given_up_call) {
    tcp_pair p;
    tcp_pair_open(&p);
    int fd = call(tcp_pair_of(&p, 1), 0);
    if (_i) look(&p, 1); /* it has come in before, and is then gone */
    close(fd);
    exchange_one(&p);
    tcp_pair_close(&p);
}
END_TEST

/* Both call at once, the one that has the right of way in vain. */
START_TEST(test_crossed_in_vain) {
    tcp_pair p;
    uint16_t port;
    char from = 7, to = 0;
    weft_request sent, received;
    int stuffing[8], n = 0, deaf = listen_only(0, &port);
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    while (n < 8) { /* until calls stay without an answer of any kind */
        stuffing[n] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        (void)connect(stuffing[n++], (struct sockaddr *)&a, sizeof a);
    }
    tcp_pair_open(&p);
    tcp_pair_of(&p, 0)->cards[1].port = port;
    ck_assert_int_eq(tcp->receive(&p.w[0], back, &to, 1, &received), WEFT_OK);
    ck_assert_int_eq(state_of(&p, 0), WEFT_TCP_CALLING);
    ck_assert_int_eq(tcp->send(&p.w[1], back, &from, 1, &sent), WEFT_OK);
    ck_assert_int_eq(finish(&p, &received, &sent), WEFT_OK);
    ck_assert_int_eq(to, 7);
    while (n > 0) close(stuffing[--n]);
    close(deaf);
    tcp_pair_close(&p);
}
END_TEST

/* A peer that should have called finds no listener: the other one learns of it. */
START_TEST(test_expected_in_vain) {
    tcp_pair p;
    uint16_t port;
    char from = 7, to = 0;
    weft_request sent, received;
    int stranger = listen_only(8, &port), left;
    tcp_pair_open(&p);
    tcp_pair_of(&p, 0)->cards[1].port = port;
    tcp_pair_of(&p, 0)->cards[1].count = 0;
    ck_assert_int_eq(tcp->receive(&p.w[0], back, &to, 1, &received), WEFT_OK);
    look_until(&p, 0, WEFT_TCP_GREETED);
    ck_assert_int_eq(tcp->send(&p.w[1], back, &from, 1, &sent), WEFT_OK);
    for (int64_t end = weft_now_ns() + 10000000000; state_of(&p, 1) != WEFT_TCP_EXPECTED; look(&p, 0), look(&p, 1))
        ck_assert(weft_now_ns() < end);
    close(stranger);
    look_until(&p, 0, WEFT_TCP_LOST);
    tcp_pair_of(&p, 1)->peers[0].until_ns = 0; /* the time is over */
    weft_status st = WEFT_OK;
    for (int64_t end = weft_now_ns() + 10000000000; st == WEFT_OK; look(&p, 0)) {
        ck_assert(weft_now_ns() < end);
        st = tcp->test(&p.w[1], &sent, 1, &left);
    }
    ck_assert_ptr_nonnull(sent.why);
    tcp->cancel(&p.w[1], &sent, 1);
    tcp->cancel(&p.w[0], &received, 1);
    tcp_pair_drop(&p);
}
END_TEST

/* At the port of an ended listener a caller may meet itself: that is no peer, although it sends what a process of this
 * world would send. */
START_TEST(test_calls_itself) {
    tcp_pair p;
    char from = 7;
    weft_request sent;
    int home = weft_test_leave_network(), port = home < 0 ? 0 : weft_test_free_port();
    if (home < 0) return;
    tcp_pair_open(&p);
    tcp_pair_of(&p, 0)->cards[1].port = htons((uint16_t)port);
    tcp_pair_of(&p, 0)->cards[1].count = 0;
    weft_test_call_from(port);
    ck_assert_int_eq(tcp->send(&p.w[0], there, &from, 1, &sent), WEFT_OK);
    look_until(&p, 0, WEFT_TCP_LOST);
    ck_assert_str_eq(tcp_pair_of(&p, 0)->peers[1].lost, strerror(ECONNREFUSED));
    tcp->cancel(&p.w[0], &sent, 1);
    tcp_pair_drop(&p);
    weft_test_return_to_network(home);
}
END_TEST

/* A process without a descriptor for callers reports that after a while, and the caller is not left at the door. */
START_TEST(test_no_descriptors) {
    tcp_pair p;
    struct rlimit all, none;
    char heard[WEFT_REASON_BYTES] = "", want[128], answer;
    tcp_pair_open(&p);
    int fd = call(tcp_pair_of(&p, 1), 0), next = dup(fd);
    close(next);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &all), 0);
    none = (struct rlimit){ (rlim_t)next, all.rlim_max };
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    while (!weft_words_heard_failed(&p.w[1], heard, sizeof heard)) usleep(1000);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &all), 0);
    snprintf(want, sizeof want, "process 1 cannot take connections: %s", strerror(EMFILE));
    ck_assert_str_eq(heard, want);
    ck_assert_int_le(recv(fd, &answer, 1, 0), 0);
    close(fd);
    tcp_pair_drop(&p);
}
END_TEST

/* The last descriptor is enough for the last caller; and to have had none a while ago is no reason. */
START_TEST(test_last_descriptor) {
    tcp_pair p;
    struct rlimit all, one;
    char heard[WEFT_REASON_BYTES] = "";
    tcp_pair_open(&p);
    int fd = call(tcp_pair_of(&p, 1), 0), next = dup(fd);
    close(next);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &all), 0);
    one = (struct rlimit){ (rlim_t)next + 1, all.rlim_max };
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &one), 0);
    for (int i = 0; i < 10 && !tcp_pair_of(&p, 1)->door.count; i++) look(&p, 1);
    ck_assert_int_eq(tcp_pair_of(&p, 1)->out_since_ns, 0);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &all), 0);
    ck_assert(!weft_words_heard_failed(&p.w[1], heard, sizeof heard));
    close(fd);
    tcp_pair_drop(&p);
}
END_TEST

/* One has failed, has said why and is gone, when the other one wants to send it something. */
START_TEST(test_last_words) {
    static char reason[] = "the disk of rank 2 is full";
    tcp_pair p;
    char from[1000] = "", heard[WEFT_REASON_BYTES];
    weft_request r;
    tcp_pair_open(&p);
    exchange_one(&p);
    weft_tcp_say(&p.w[1], 0, WEFT_WORD_FAILED, reason, sizeof reason);
    p.w[1].timeout_ns = 0;
    tcp->close(&p.w[1]);
    for (int i = 0; i < 3; i++, usleep(20000)) {
        if (tcp->send(&p.w[0], there, from, sizeof from, &r) == WEFT_OK) continue;
        ck_assert_ptr_nonnull(r.why);
    }
    ck_assert_int_eq(state_of(&p, 0), WEFT_TCP_LOST);
    ck_assert(weft_words_heard_failed(&p.w[0], heard, sizeof heard));
    ck_assert_str_eq(heard, reason);
    p.w[0].timeout_ns = 0;
    tcp->close(&p.w[0]);
}
END_TEST

/* A later caller learns of it too. */
START_TEST(test_told_later) {
    tcp_pair p;
    char from = 1, heard[WEFT_REASON_BYTES] = "";
    weft_request r;
    tcp_pair_open(&p);
    weft_words *k = &tcp_pair_of(&p, 1)->words;
    strcpy(k->reason, "the disk of rank 2 is full");
    k->telling = true;
    ck_assert_int_eq(tcp->send(&p.w[0], there, &from, 1, &r), WEFT_OK);
    for (int64_t end = weft_now_ns() + 10000000000; !weft_words_heard_failed(&p.w[0], heard, sizeof heard); look(&p, 1))
        ck_assert(weft_now_ns() < end);
    ck_assert_str_eq(heard, k->reason);
    tcp->cancel(&p.w[0], &r, 1);
    tcp_pair_drop(&p);
}
END_TEST

/* What came as a whole is there, although its sender has left since; what did not is not. */
START_TEST(test_left_behind) {
    enum { BYTES = WEFT_TCP_EAGER + 1 };
    tcp_pair p;
    char *from = calloc(1, BYTES), *to = malloc(BYTES);
    size_t bytes = _i ? BYTES : 100;
    weft_request r;
    int left = 1;
    ck_assert(from && to);
    from[99] = 5;
    tcp_pair_open(&p);
    exchange_one(&p);
    ck_assert_int_eq(tcp->send(&p.w[0], there, from, bytes, &r), WEFT_OK);
    for (int i = 0; i < 50; i++, usleep(1000)) look(&p, 0), look(&p, 1);
    tcp->cancel(&p.w[0], &r, 1);
    p.w[0].timeout_ns = 0;
    tcp->close(&p.w[0]);
    look_until(&p, 1, WEFT_TCP_LOST);
    weft_status st = tcp->receive(&p.w[1], there, to, bytes, &r);
    ck_assert_int_eq(st, _i ? WEFT_ERR_IO : WEFT_OK);
    if (st == WEFT_OK) ck_assert_int_eq(tcp->test(&p.w[1], &r, 1, &left), WEFT_OK);
    if (st == WEFT_OK) ck_assert(left == 0 && to[99] == 5);
    p.w[1].timeout_ns = 0;
    tcp->close(&p.w[1]);
    free(from);
    free(to);
}
END_TEST

/* A stranger that knows the world's number, and sends invalid messages. */
START_TEST(test_unsound) {
    static const struct { uint32_t kind; uint64_t bytes, here; bool is_message; } frames[] = {
        { WEFT_TCP_MESSAGE, 300000, 10, true },             /* fewer than go without asking */
        { WEFT_TCP_MESSAGE, 300000, 300000, true },         /* more */
        { WEFT_TCP_MESSAGE, 100, 101, true },
        { WEFT_TCP_MESSAGE, (uint64_t)1 << 63, WEFT_TCP_EAGER, true },
        { WEFT_TCP_KINDS, 0, 0, false },
        { WEFT_TCP_REST, (uint64_t)1 << 40, (uint64_t)1 << 32, false },
        { WEFT_TCP_WORD + WEFT_WORD_FAILED, 1 << 20, 1 << 20, false },
        { WEFT_TCP_REST, 1000, 1000, false },               /* without a request for it: it is dropped */
        { WEFT_TCP_GO, 0, 0, false },
    };
    const int harmless = 7;
    tcp_pair p;
    weft_request r;
    int left = 1;
    char *to = malloc(300000), *nonsense = malloc(2 << 20);
    weft_status st = WEFT_OK;
    ck_assert(to && nonsense);
    memset(nonsense, 'x', 2 << 20);
    tcp_pair_open(&p);
    ck_assert_int_eq(tcp->receive(&p.w[1], there, to, 300000, &r), WEFT_OK);
    intruder guest = call_in(tcp_pair_of(&p, 1), 0);
    int fd = guest.fd;
    prove(&p, &guest, 0);
    look_until(&p, 1, WEFT_TCP_OPEN);
    weft_reply verdict;
    ck_assert_int_eq(recv(fd, &verdict, sizeof verdict, MSG_WAITALL), sizeof verdict);
    ck_assert(verdict.verdict == WEFT_VERDICT_WELCOME && weft_caller_believes(&guest.caller, &verdict));
    ck_assert_int_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    weft_tcp_frame f = { .kind = frames[_i].kind, .call = there.call, .from = there.from, .to = there.to,
                         .bytes = frames[_i].bytes, .here = frames[_i].here, .id = 9 };
    ck_assert_int_eq(send(fd, &f, sizeof f, MSG_NOSIGNAL | MSG_MORE), sizeof f);
    /* All at once, so that it is read together with the head; of what is harmless just what it says. */
    size_t more = _i < harmless ? 2 << 20 : (size_t)f.here, gone = 0;
    for (int64_t end = weft_now_ns() + 2000000000; st == WEFT_OK && weft_now_ns() < end;) {
        ssize_t n = gone < more ? send(fd, nonsense + gone, more - gone, MSG_NOSIGNAL) : 0;
        if (n > 0) gone += (size_t)n;
        st = tcp->test(&p.w[1], &r, 1, &left);
        if (_i >= harmless && gone == more && state_of(&p, 1) == WEFT_TCP_OPEN && weft_now_ns() > end - 1900000000)
            break;
    }
    if (_i < 6 && _i != 3) ck_assert_msg(r.why && strstr(r.why, "an invalid message"), "%s", r.why ? r.why : "nothing");
    if (_i == 3) ck_assert_msg(r.why && strstr(r.why, "another length"), "%s", r.why ? r.why : "nothing");
    if (_i == 6) ck_assert_int_eq(state_of(&p, 1), WEFT_TCP_LOST);
    if (_i >= harmless) ck_assert(st == WEFT_OK && left == 1 && state_of(&p, 1) == WEFT_TCP_OPEN);
    tcp->cancel(&p.w[1], &r, 1);
    close(fd);
    free(to);
    free(nonsense);
    tcp_pair_drop(&p);
}
END_TEST

/* Each request for memory fails once: that is told, nothing leaks, and no file is closed that is not this transport's.
 */
START_TEST(test_memory) {
    enum { BYTES = WEFT_TCP_EAGER + 5000 };
    char *from = calloc(1, BYTES), *to = malloc(BYTES);
    bool failed = true;
    ck_assert(from && to);
    for (long k = 0; failed; k++) {
        weft_test_alloc a;
        tcp_pair p;
        weft_test_alloc_init(&a, k);
        weft_status st = tcp_pair_try(&p, &a.alloc);
        if (st != WEFT_OK) ck_assert_int_eq(st, WEFT_ERR_MEMORY);
        for (int early = 0; early < 2 && st == WEFT_OK; early++) {
            weft_request sent = { 0 }, received = { 0 };
            st = tcp->send(&p.w[0], there, from, BYTES, &sent);
            for (int i = 0; i < 20 && early; i++, usleep(200)) look(&p, 0), look(&p, 1);
            if (st == WEFT_OK) st = tcp->receive(&p.w[1], there, to, BYTES, &received);
            if (st == WEFT_OK) st = finish(&p, &sent, &received);
            if (st != WEFT_OK) ck_assert_int_eq(st, WEFT_ERR_IO);
            tcp->cancel(&p.w[0], &sent, 1);
            tcp->cancel(&p.w[1], &received, 1);
        }
        failed = a.failed;
        ck_assert_msg(failed == (st != WEFT_OK), "request %ld", k);
        tcp_pair_drop(&p);
        ck_assert_int_eq(a.live_blocks, 0);
        ck_assert_msg(fcntl(0, F_GETFD) >= 0, "request %ld: %s", k, strerror(errno));
    }
    free(from);
    free(to);
}
END_TEST

int main(void) {
    Suite *s = suite_create("tcp in trouble");
    TCase *tc = tcase_create("tcp");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, test_late);
    tcase_add_test(tc, test_not_proved);
    tcase_add_loop_test(tc, test_given_up_call, 0, 2);
    tcase_add_test(tc, test_crossed_in_vain);
    tcase_add_test(tc, test_expected_in_vain);
    tcase_add_test(tc, test_calls_itself);
    tcase_add_test(tc, test_no_descriptors);
    tcase_add_test(tc, test_last_descriptor);
    tcase_add_test(tc, test_last_words);
    tcase_add_test(tc, test_told_later);
    tcase_add_loop_test(tc, test_left_behind, 0, 2);
    tcase_add_loop_test(tc, test_unsound, 0, 9);
    tcase_add_test(tc, test_memory);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
