/* test_door: which callers a door (door.h) admits and which not: crowds, callers that send a byte at a time, impossible
 * lengths, proofs that were overheard, that are sent back to their maker, or that are another process's.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include "collectives/comm.h"
#include "collectives/door.h"
#include "tests/support/suite.h"

enum { CROWD = 4 * WEFT_DOOR_GUESTS, PROCESSES = 4 };

typedef struct house {
    weft_door door;
    struct sockaddr_in at;
    int in[PROCESSES];           /* connections that got through, by process; -1: none */
    int doubted, heard;
} house;

static int admits(void *user, const weft_hello *h, char *why) {
    (void)user, (void)why;
    return h->process >= 0 && h->process < PROCESSES;
}

static weft_verdict judges(void *user, const weft_hello *h, char *why) {
    (void)why;
    return ((house *)user)->in[h->process] < 0 ? WEFT_VERDICT_WELCOME : WEFT_VERDICT_REFUSED;
}

static void enters(void *user, const weft_hello *h, int fd) { ((house *)user)->in[h->process] = fd; }

static void doubts(void *user, const weft_hello *h) {
    (void)h;
    ((house *)user)->doubted++;
}

static void hears(void *user, const char *text, size_t bytes) {
    (void)text, (void)bytes;
    ((house *)user)->heard++;
}

static const weft_doorkeeper keeper = { admits, judges, enters, doubts, hears };

static weft_secret secret(uint8_t what) {
    weft_secret s;
    const uint8_t number[WEFT_PROOF_BYTES] = { what };
    weft_secret_derive(NULL, "test", number, &s);
    return s;
}

static void open_house(house *h) {
    socklen_t n = sizeof h->at;
    *h = (house){ .door = { .kind = WEFT_DOOR_MESSAGES, .keeper = &keeper, .user = h, .secret = secret(1) },
                  .in = { -1, -1, -1, -1 } };
    h->at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    h->door.listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    ck_assert(bind(h->door.listener, (struct sockaddr *)&h->at, n) == 0 && listen(h->door.listener, 16) == 0);
    ck_assert_int_eq(getsockname(h->door.listener, (struct sockaddr *)&h->at, &n), 0);
}

static void close_house(house *h) {
    for (int p = 0; p < PROCESSES; p++)
        if (h->in[p] >= 0) close(h->in[p]);
    weft_door_close(&h->door);
}

static int look(house *h) {
    struct pollfd p[1 + WEFT_DOOR_GUESTS];
    int n = weft_door_interest(&h->door, p);
    (void)poll(p, (nfds_t)n, 10);
    int why = weft_door_look(&h->door, p, n, weft_now_ns());
    ck_assert_int_le(h->door.count, WEFT_DOOR_GUESTS);
    return why;
}

static int call(house *h) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&h->at, sizeof h->at), 0);
    return fd;
}

static void say(int fd, const void *p, size_t bytes) {
    ck_assert_int_eq(send(fd, p, bytes, MSG_NOSIGNAL), (ssize_t)bytes);
}

/* What the door answers; false: it has closed the connection. */
static bool answered(house *h, int fd, weft_reply *r) {
    char text[WEFT_DOOR_TEXT];
    ssize_t n = -1;
    for (int tries = 0; tries < 500 && n < 0; tries++) {
        look(h);
        n = recv(fd, r, sizeof *r, MSG_DONTWAIT);
        if (n < 0 && errno == ECONNRESET) return false;
    }
    ck_assert_msg(n == 0 || n == sizeof *r, "the door is silent");
    if (n > 0 && r->text_bytes) ck_assert_int_eq(recv(fd, text, r->text_bytes, MSG_WAITALL), (ssize_t)r->text_bytes);
    return n > 0;
}

static weft_caller begin(const weft_secret *s, int process) {
    weft_caller c;
    ck_assert_int_eq(weft_caller_begin(&c, WEFT_DOOR_MESSAGES, s, process, PROCESSES), WEFT_OK);
    return c;
}

/* Calls as a process should; the bytes that the listener receives. */
typedef struct overheard {
    weft_hello hello;
    uint8_t proof[WEFT_PROOF_BYTES];
    weft_reply verdict;
} overheard;

static void come_in(house *h, int fd, int process, overheard *o) {
    const weft_secret s = secret(1);
    weft_caller c = begin(&s, process);
    weft_reply r;
    o->hello = c.hello;
    say(fd, &c.hello, sizeof c.hello);
    ck_assert(answered(h, fd, &r) && r.verdict == WEFT_VERDICT_CHALLENGE);
    weft_caller_prove(&c, &r, o->proof);
    say(fd, o->proof, sizeof o->proof);
    ck_assert(answered(h, fd, &o->verdict) && o->verdict.verdict == WEFT_VERDICT_WELCOME &&
              weft_caller_believes(&c, &o->verdict));
    ck_assert_int_ge(h->in[process], 0);
}

/* --- crowds ------------------------------------------------------------------------------------------------------- */

/* All come before the process does: they say nothing, a part of a hello, a whole one, or each something else. */
START_TEST(test_crowd) {
    static int crowd[CROWD];
    house h;
    overheard o;
    open_house(&h);
    for (int i = 0; i < CROWD; i++) {
        const weft_secret other = secret(2);
        weft_caller c = begin(&other, i % PROCESSES);
        int says = _i < 3 ? _i : i % 3;
        crowd[i] = call(&h);
        if (says) say(crowd[i], &c.hello, says == 1 ? 1 + (size_t)i % (sizeof c.hello - 1) : sizeof c.hello);
        look(&h);
    }
    ck_assert_int_eq(h.door.count, WEFT_DOOR_GUESTS);
    int fd = call(&h);
    come_in(&h, fd, 1, &o);
    close(fd);
    for (int i = 0; i < CROWD; i++) close(crowd[i]);
    close_house(&h);
}
END_TEST

/* A caller that has said hello keeps its place while silent ones come and go. */
START_TEST(test_silent_crowd_meanwhile) {
    static int crowd[CROWD];
    const weft_secret s = secret(1);
    house h;
    weft_reply r;
    uint8_t proof[WEFT_PROOF_BYTES];
    open_house(&h);
    weft_caller c = begin(&s, 1);
    int fd = call(&h);
    say(fd, &c.hello, sizeof c.hello);
    ck_assert(answered(&h, fd, &r) && r.verdict == WEFT_VERDICT_CHALLENGE);
    for (int i = 0; i < CROWD; i++, look(&h)) crowd[i] = call(&h);
    weft_caller_prove(&c, &r, proof);
    say(fd, proof, sizeof proof);
    ck_assert(answered(&h, fd, &r) && r.verdict == WEFT_VERDICT_WELCOME);
    close(fd);
    for (int i = 0; i < CROWD; i++) close(crowd[i]);
    close_house(&h);
}
END_TEST

/* Strangers that have all descriptors of this process are no reason to call it out of them. */
START_TEST(test_crowd_has_all_descriptors) {
    struct rlimit all, few;
    house h;
    overheard o;
    open_house(&h);
    int fd = call(&h), stranger = call(&h);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &all), 0);
    ck_assert_int_eq(look(&h), 0);
    few = (struct rlimit){ (rlim_t)h.door.guests[1].fd + 1, all.rlim_max };
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    close(fd); /* and a third one comes by its descriptor */
    for (int i = 0; i < 3; i++) {
        fd = call(&h);
        for (int looks = 0; looks < 3; looks++) ck_assert_int_eq(look(&h), 0);
        if (i < 2) close(fd);
    }
    come_in(&h, fd, 1, &o);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &all), 0);
    close(fd);
    close(stranger);
    close_house(&h);
}
END_TEST

/* A caller that sends a byte at a time is only slow: it delays no other, and is admitted. */
START_TEST(test_byte_by_byte) {
    const weft_secret s = secret(1);
    house h;
    overheard o;
    weft_reply r;
    uint8_t proof[WEFT_PROOF_BYTES];
    open_house(&h);
    weft_caller c = begin(&s, 2);
    int fd = call(&h), other = call(&h);
    for (size_t i = 0; i < sizeof c.hello; i++, look(&h)) {
        say(fd, (const char *)&c.hello + i, 1);
        if (i == sizeof c.hello / 2) come_in(&h, other, 1, &o);
    }
    ck_assert(answered(&h, fd, &r) && r.verdict == WEFT_VERDICT_CHALLENGE);
    weft_caller_prove(&c, &r, proof);
    for (size_t i = 0; i < sizeof proof; i++, look(&h)) say(fd, &proof[i], 1);
    ck_assert(answered(&h, fd, &r) && r.verdict == WEFT_VERDICT_WELCOME);
    close(fd);
    close(other);
    close_house(&h);
}
END_TEST

/* --- what cannot be ----------------------------------------------------------------------------------------------- */

static const struct { int64_t process; uint32_t magic, kind, word_bytes; } unsound[] = {
    { 1, 0, WEFT_DOOR_MESSAGES, WEFT_DOOR_WORD + 1 }, { 1, 0, WEFT_DOOR_MESSAGES, UINT32_MAX }, { 1, 0, WEFT_DOOR_RENDEZVOUS, 0 }, { 1, 1, WEFT_DOOR_MESSAGES, 0 },
    { -1, 0, WEFT_DOOR_MESSAGES, 0 }, { PROCESSES, 0, WEFT_DOOR_MESSAGES, 0 }, { INT32_MAX, 0, WEFT_DOOR_MESSAGES, 0 }, { INT32_MIN, 0, WEFT_DOOR_MESSAGES, WEFT_DOOR_WORD },
};

/* The connection is closed, and the door is as it was. */
START_TEST(test_unsound) {
    static char more[2 * WEFT_DOOR_WORD];
    const weft_secret s = secret(1);
    house h;
    overheard o;
    weft_reply r;
    open_house(&h);
    weft_caller c = begin(&s, (int)unsound[_i].process);
    c.hello.magic ^= unsound[_i].magic;
    c.hello.kind = unsound[_i].kind;
    c.hello.word_bytes = unsound[_i].word_bytes;
    int fd = call(&h);
    say(fd, &c.hello, sizeof c.hello);
    (void)send(fd, more, sizeof more, MSG_NOSIGNAL);
    ck_assert(!answered(&h, fd, &r));
    ck_assert(h.door.count == 0 && !h.heard);
    close(fd);
    fd = call(&h);
    come_in(&h, fd, 1, &o);
    close(fd);
    close_house(&h);
}
END_TEST

/* --- proofs of others --------------------------------------------------------------------------------------------- */

/* Comes with this hello, answers the challenge with this proof; whether it was let in. */
static bool is_let_in(house *h, const weft_hello *hello, const uint8_t *proof) {
    weft_reply r;
    int fd = call(h), doubted = h->doubted;
    say(fd, hello, sizeof *hello);
    ck_assert(answered(h, fd, &r) && r.verdict == WEFT_VERDICT_CHALLENGE);
    say(fd, proof, WEFT_PROOF_BYTES);
    ck_assert(answered(h, fd, &r));
    close(fd);
    ck_assert_int_eq(h->doubted - doubted, r.verdict == WEFT_VERDICT_REFUSED);
    return r.verdict == WEFT_VERDICT_WELCOME;
}

/* What a process has said is good for its own connection; so is what the door has said. */
START_TEST(test_overheard) {
    house h;
    overheard o;
    open_house(&h);
    int fd = call(&h);
    come_in(&h, fd, 1, &o);
    close(fd);
    close(h.in[1]);
    h.in[1] = -1;
    ck_assert(!is_let_in(&h, &o.hello, o.proof));
    ck_assert(!is_let_in(&h, &o.hello, o.verdict.proof));
    o.hello.process = 2;
    ck_assert(!is_let_in(&h, &o.hello, o.proof));
    ck_assert(h.in[1] < 0 && h.in[2] < 0);
    close_house(&h);
}
END_TEST

/* A process that is called by mistake passes on the door's challenge: its answer names itself and its own number, and
 * opens the door to no other process. */
START_TEST(test_answer_of_another) {
    const weft_secret s = secret(1), none = secret(2);
    house h;
    weft_reply r;
    uint8_t proof[WEFT_PROOF_BYTES];
    open_house(&h);
    weft_caller victim = begin(&s, 1), thief = begin(&none, 2);
    if (_i) memcpy(thief.hello.nonce, victim.hello.nonce, sizeof victim.hello.nonce); /* and with its number */
    int fd = call(&h);
    say(fd, &thief.hello, sizeof thief.hello);
    ck_assert(answered(&h, fd, &r) && r.verdict == WEFT_VERDICT_CHALLENGE);
    weft_caller_prove(&victim, &r, proof);
    say(fd, proof, sizeof proof);
    ck_assert(answered(&h, fd, &r) && r.verdict == WEFT_VERDICT_REFUSED);
    ck_assert(h.in[1] < 0 && h.in[2] < 0);
    close(fd);
    close_house(&h);
}
END_TEST

/* A stranger that plays the door to a process: it returns the process's own proof as a verdict, or a real door's proof
 * for another process. */
START_TEST(test_sent_back) {
    const weft_secret s = secret(1);
    house h;
    overheard o;
    open_house(&h);
    int fd = call(&h);
    come_in(&h, fd, 1, &o);
    weft_caller c = begin(&s, 1);
    weft_reply challenge = { .magic = o.verdict.magic, .verdict = WEFT_VERDICT_CHALLENGE },
               verdict = { .magic = o.verdict.magic, .verdict = WEFT_VERDICT_WELCOME };
    memcpy(challenge.nonce, c.hello.nonce, sizeof challenge.nonce); /* its own number, too */
    weft_caller_prove(&c, &challenge, verdict.proof);
    ck_assert(!weft_caller_believes(&c, &verdict));
    memcpy(verdict.proof, o.verdict.proof, sizeof verdict.proof);
    ck_assert(!weft_caller_believes(&c, &verdict));
    memset(verdict.proof, 0, sizeof verdict.proof);
    ck_assert(!weft_caller_believes(&c, &verdict));
    close(fd);
    close_house(&h);
}
END_TEST

/* A verdict is of its kind: a changed one is not believed. */
START_TEST(test_another_verdict) {
    const weft_secret s = secret(1);
    house h;
    weft_reply r;
    uint8_t proof[WEFT_PROOF_BYTES];
    open_house(&h);
    weft_caller c = begin(&s, 1);
    int fd = call(&h);
    say(fd, &c.hello, sizeof c.hello);
    ck_assert(answered(&h, fd, &r) && r.verdict == WEFT_VERDICT_CHALLENGE);
    weft_caller_prove(&c, &r, proof);
    say(fd, proof, sizeof proof);
    ck_assert(answered(&h, fd, &r) && weft_caller_believes(&c, &r));
    r.verdict = WEFT_VERDICT_CROSSED;
    ck_assert(!weft_caller_believes(&c, &r));
    close(fd);
    close_house(&h);
}
END_TEST

int main(void) {
    Suite *s = suite_create("door");
    TCase *tc = tcase_create("crowds");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_crowd, 0, 4);
    tcase_add_test(tc, test_silent_crowd_meanwhile);
    tcase_add_test(tc, test_crowd_has_all_descriptors);
    tcase_add_test(tc, test_byte_by_byte);
    tcase_add_loop_test(tc, test_unsound, 0, sizeof unsound / sizeof *unsound);
    suite_add_tcase(s, tc);
    tc = tcase_create("proofs");
    if (weft_proof_is_hashed()) { /* without a hash the number itself is the proof */
        tcase_add_test(tc, test_overheard);
        tcase_add_loop_test(tc, test_answer_of_another, 0, 2);
        tcase_add_test(tc, test_sent_back);
        tcase_add_test(tc, test_another_verdict);
    }
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
