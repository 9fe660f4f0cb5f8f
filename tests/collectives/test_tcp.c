/* test_tcp: messages by sockets between two processes that are both this one: in any order of sending and waiting, of
 * any length, cancelled at any moment; and strangers at the door. WEFT_SEED repeats a run.
 */
#include "tests/collectives/law.h"
#include "tests/collectives/tcp_pair.h"
#include "tests/support/suite.h"

#include <arpa/inet.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MESSAGES 24
#define MOST (3u << 20)

typedef struct letter {
    weft_address at;
    size_t bytes;
    char *from, *to;
    weft_request sent, received;
    enum { KEPT, CANCELLED } fate;
} letter;

static size_t random_bytes(uint64_t *state) {
    uint64_t kind = law_random(state) % 4;
    size_t edge[] = { 1, 2048, 2049, WEFT_TCP_AHEAD, WEFT_TCP_EAGER, WEFT_TCP_EAGER + 1, WEFT_TCP_EAGER - 48, MOST };
    if (kind == 0) return edge[law_random(state) % WEFT_COUNT(edge)];
    return 1 + law_random(state) % (kind == 1 ? 64 : kind == 2 ? 10000 : MOST);
}

static int process_of(int rank) { return rank / 2; }

static void write_letter(letter *l, uint64_t *state) {
    l->at = (weft_address){ .from = (int)(law_random(state) % 4), .to = (int)(law_random(state) % 4),
                            .call = (unsigned)(law_random(state) % 3), .channel = law_random(state) % 2 };
    l->bytes = random_bytes(state);
    l->from = malloc(l->bytes);
    l->to = malloc(l->bytes);
    ck_assert(l->from && l->to);
    for (size_t i = 0; i < l->bytes; i++) l->from[i] = (char)(law_random(state) >> 8);
    memset(l->to, 0, l->bytes);
}

/* Those of one address arrive in the order in which they were sent, so they are waited for in that order, and it shall
 * know their lengths. */
static void exchange(tcp_pair *p, letter *l, uint64_t *state) {
    int sent = 0, received = 0, left, open = 1;
    const weft_transport *t = &weft_transport_tcp;
    while (sent < MESSAGES || received < MESSAGES) {
        if (sent < MESSAGES && (received == MESSAGES || law_random(state) & 1)) {
            ck_assert_int_eq(t->send(&p->w[process_of(l[sent].at.from)], l[sent].at, l[sent].from, l[sent].bytes,
                                     &l[sent].sent),
                             WEFT_OK);
            sent++;
        } else {
            ck_assert_int_eq(t->receive(&p->w[process_of(l[received].at.to)], l[received].at, l[received].to,
                                        l[received].bytes, &l[received].received),
                             WEFT_OK);
            received++;
        }
        letter *x = &l[law_random(state) % (uint64_t)(sent > received ? sent : received)];
        if (law_random(state) % 4 == 0 && x < l + sent)
            ck_assert_int_eq(t->test(&p->w[process_of(x->at.from)], &x->sent, 1, &left), WEFT_OK);
        if (law_random(state) % 4 == 0 && x < l + received)
            ck_assert_int_eq(t->test(&p->w[process_of(x->at.to)], &x->received, 1, &left), WEFT_OK);
    }
    for (int64_t end = weft_now_ns() + 60000000000; open; ck_assert(weft_now_ns() < end)) {
        open = 0;
        for (int i = 0; i < MESSAGES; i++) {
            ck_assert_int_eq(t->test(&p->w[process_of(l[i].at.from)], &l[i].sent, 1, &left), WEFT_OK);
            open += left;
            ck_assert_int_eq(t->test(&p->w[process_of(l[i].at.to)], &l[i].received, 1, &left), WEFT_OK);
            open += left;
        }
    }
}

static void burn(letter *l) {
    for (int i = 0; i < MESSAGES; i++) {
        free(l[i].from);
        free(l[i].to);
    }
}

START_TEST(test_messages) {
    uint64_t seed = law_seed(20261124) + (uint64_t)_i, state = seed;
    tcp_pair p;
    letter l[MESSAGES] = { 0 };
    tcp_pair_open(&p);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MESSAGES; i++) write_letter(&l[i], &state);
        exchange(&p, l, &state);
        for (int i = 0; i < MESSAGES; i++)
            ck_assert_msg(!memcmp(l[i].from, l[i].to, l[i].bytes), "message %d of %zu B, WEFT_SEED=%llu", i, l[i].bytes,
                          (unsigned long long)(seed - (uint64_t)_i));
        burn(l);
    }
    tcp_pair_close(&p);
}
END_TEST

/* A call that fails gives up its messages wherever they are: their memory is freed, which the sanitizer watches, and
 * messages of others come as ever. */
START_TEST(test_given_up) {
    uint64_t state = law_seed(20261124) + (uint64_t)_i;
    const weft_transport *t = &weft_transport_tcp;
    tcp_pair p;
    letter l[MESSAGES] = { 0 };
    int left;
    tcp_pair_open(&p);
    for (int i = 0; i < MESSAGES; i++) {
        write_letter(&l[i], &state);
        l[i].at = (weft_address){ .from = 1, .to = 2, .call = 1000 + (unsigned)i };
        ck_assert_int_eq(t->send(&p.w[0], l[i].at, l[i].from, l[i].bytes, &l[i].sent), WEFT_OK);
        if (law_random(&state) & 1)
            ck_assert_int_eq(t->receive(&p.w[1], l[i].at, l[i].to, l[i].bytes, &l[i].received), WEFT_OK);
        for (uint64_t k = law_random(&state) % 6; k-- > 0;) {
            (void)t->test(&p.w[0], &l[i].sent, 1, &left);
            (void)t->test(&p.w[1], &l[i].received, 1, &left);
        }
        if (law_random(&state) & 1) t->cancel(&p.w[0], &l[i].sent, 1), t->cancel(&p.w[1], &l[i].received, 1);
        else t->cancel(&p.w[1], &l[i].received, 1), t->cancel(&p.w[0], &l[i].sent, 1);
        ck_assert(l[i].sent.kind == WEFT_REQUEST_FREE && l[i].received.kind == WEFT_REQUEST_FREE);
        free(l[i].from);
        free(l[i].to);
    }
    for (int i = 0; i < MESSAGES; i++) {
        l[i] = (letter){ 0 };
        write_letter(&l[i], &state);
    }
    exchange(&p, l, &state);
    for (int i = 0; i < MESSAGES; i++) ck_assert(!memcmp(l[i].from, l[i].to, l[i].bytes));
    burn(l);
    tcp_pair_close(&p);
}
END_TEST

START_TEST(test_other_length) {
    const weft_transport *t = &weft_transport_tcp;
    const size_t sent_bytes[] = { 100, WEFT_TCP_EAGER + 100, 100, 100 },
                 expected[] = { 99, WEFT_TCP_EAGER + 99, WEFT_TCP_EAGER + 1, 101 };
    char *from = calloc(1, MOST), *to = malloc(MOST);
    weft_address at = { .from = 0, .to = _i & 2 ? 1 : 3 };
    weft_request sent, received = { 0 };
    int left = 1;
    weft_status st = WEFT_OK;
    tcp_pair p;
    tcp_pair_open(&p);
    ck_assert_int_eq(t->send(&p.w[0], at, from, sent_bytes[_i], &sent), WEFT_OK);
    if (_i & 1) (void)t->test(&p.w[0], &sent, 1, &left), usleep(10000);
    if (t->receive(&p.w[process_of(at.to)], at, to, expected[_i], &received) == WEFT_OK)
        for (int64_t end = weft_now_ns() + 10000000000; st == WEFT_OK && weft_now_ns() < end;) {
            (void)t->test(&p.w[0], &sent, 1, &left);
            st = t->test(&p.w[process_of(at.to)], &received, 1, &left);
        }
    ck_assert_msg(received.why && strstr(received.why, "another length"), "%s",
                  received.why ? received.why : "nothing");
    t->cancel(&p.w[process_of(at.to)], &received, 1);
    t->cancel(&p.w[0], &sent, 1);
    free(from);
    free(to);
    tcp_pair_close(&p);
}
END_TEST

/* Callers that do not know the world's number are ignored, also more of them than there are places, and messages still
 * arrive. */
START_TEST(test_strangers) {
    enum { STRANGERS = WEFT_DOOR_GUESTS + 10 };
    uint64_t state = law_seed(20261124);
    tcp_pair p;
    letter l[MESSAGES] = { 0 };
    int fd[STRANGERS];
    tcp_pair_open(&p);
    const weft_tcp *t = p.w[1].messages_state;
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = t->mine.port,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    for (int i = 0; i < STRANGERS; i++) {
        char nonsense[64];
        for (size_t k = 0; k < sizeof nonsense; k++) nonsense[k] = (char)law_random(&state);
        fd[i] = socket(AF_INET, SOCK_STREAM, 0);
        ck_assert_int_eq(connect(fd[i], (struct sockaddr *)&a, sizeof a), 0);
        /* the others say nothing */
        if (i % 3) ck_assert_int_eq(send(fd[i], nonsense, sizeof nonsense, MSG_NOSIGNAL), sizeof nonsense);
    }
    for (int i = 0; i < MESSAGES; i++) write_letter(&l[i], &state);
    exchange(&p, l, &state);
    for (int i = 0; i < MESSAGES; i++) ck_assert(!memcmp(l[i].from, l[i].to, l[i].bytes));
    burn(l);
    for (int i = 0; i < STRANGERS; i++) close(fd[i]);
    tcp_pair_close(&p);
}
END_TEST

/* The door is closed: the other side learns why. */
START_TEST(test_gone) {
    const weft_transport *t = &weft_transport_tcp;
    char byte = 1;
    int left = 1;
    weft_status st = WEFT_OK;
    weft_request r;
    tcp_pair p;
    tcp_pair_open(&p);
    if (_i) { /* it had a connection */
        ck_assert_int_eq(t->send(&p.w[0], (weft_address){ .from = 0, .to = 2 }, &byte, 1, &r), WEFT_OK);
        weft_request mine;
        ck_assert_int_eq(t->receive(&p.w[1], (weft_address){ .from = 0, .to = 2 }, &byte, 1, &mine), WEFT_OK);
        for (int a = 1, b = 1; a || b;)
            ck_assert(t->test(&p.w[0], &r, 1, &a) == WEFT_OK && t->test(&p.w[1], &mine, 1, &b) == WEFT_OK);
    }
    p.w[1].timeout_ns = 0; /* it does not wait */
    t->close(&p.w[1]);
    st = t->receive(&p.w[0], (weft_address){ .from = 2, .to = 0 }, &byte, 1, &r);
    for (int64_t end = weft_now_ns() + 10000000000; st == WEFT_OK && weft_now_ns() < end;)
        st = t->test(&p.w[0], &r, 1, &left);
    ck_assert_int_eq(st, WEFT_ERR_IO);
    ck_assert_msg(r.why && (strstr(r.why, "refused") || strstr(r.why, "left") || strstr(r.why, "closed")), "%s",
                  r.why ? r.why : "nothing");
    t->cancel(&p.w[0], &r, 1);
    t->close(&p.w[0]);
}
END_TEST

/* A host without a network is found when the world is made, when there may be another transport. */
START_TEST(test_no_address) {
    weft_world w = tcp_pair_world(0);
    const void *address;
    size_t bytes;
    weft_tcp_card cards[2] = { 0 };
    ck_assert_int_eq(weft_transport_tcp.listen(&w, &address, &bytes), WEFT_OK);
    memcpy(cards, address, bytes);
    cards[1].host = cards[0].host + 1;
    cards[1].port = cards[0].port;
    ck_assert_int_eq(weft_transport_tcp.connect(&w, (const char *)cards, sizeof *cards), WEFT_ERR_UNSUPPORTED);
    ck_assert_str_eq(w.trouble, "process 1 has no address that process 0 can call");
    weft_transport_tcp.close(&w);
}
END_TEST

/* An interface that the user names and that is not there is no reason to take another one. */
START_TEST(test_named_interfaces) {
    static const char *const names[] = { "nosuch0", "lo", ",", "nosuch0,lo" }; /* loopback is no way to another host */
    weft_world w = tcp_pair_world(0);
    const void *address;
    size_t bytes;
    char want[128];
    setenv("WEFT_TCP_INTERFACES", names[_i], 1);
    ck_assert_int_eq(weft_transport_tcp.listen(&w, &address, &bytes), WEFT_ERR_IO);
    unsetenv("WEFT_TCP_INTERFACES");
    snprintf(want, sizeof want, "WEFT_TCP_INTERFACES=%s: no interface of such a name has an address", names[_i]);
    ck_assert_str_eq(w.trouble, want);
    weft_transport_tcp.close(&w);
}
END_TEST

static weft_tcp_address four(uint8_t a, uint8_t b, uint8_t c, uint8_t d, uint8_t prefix, uint32_t mbit_s) {
    return (weft_tcp_address){ .family = 4, .prefix = prefix, .mbit_s = mbit_s, .bytes = { a, b, c, d } };
}

/* The fast network that both are in comes first; a bridge that all machines have alike is no way to another one; on one
 * host its own address is before all. */
START_TEST(test_ways) {
    weft_tcp_card mine = { .host = 1,
                           .count = 3,
                           .at = { four(172, 17, 0, 1, 16, 0), four(10, 0, 0, 1, 24, 1000),
                                   four(10, 1, 0, 1, 16, 100000) } };
    weft_tcp_card theirs = { .host = 2,
                             .port = htons(7),
                             .count = 4,
                             .at = { four(192, 168, 5, 5, 24, 400000), four(172, 17, 0, 1, 16, 0),
                                     four(10, 0, 0, 2, 24, 1000), four(10, 1, 9, 2, 16, 100000) } };
    struct sockaddr_in6 to[WEFT_TCP_ADDRESSES + 1];
    const char *want[] = { "10.1.9.2", "10.0.0.2", "192.168.5.5" };
    ck_assert_int_eq(weft_tcp_ways(&mine, &theirs, to), 3);
    for (int i = 0; i < 3; i++) {
        char text[INET_ADDRSTRLEN];
        struct sockaddr_in a;
        memcpy(&a, &to[i], sizeof a);
        ck_assert_str_eq(inet_ntop(AF_INET, &a.sin_addr, text, sizeof text), want[i]);
        ck_assert_uint_eq(a.sin_port, htons(7));
    }
    theirs.host = 1;
    ck_assert_int_eq(weft_tcp_ways(&mine, &theirs, to), 5);
    ck_assert_uint_eq(((struct sockaddr_in *)(void *)to)->sin_addr.s_addr, htonl(INADDR_LOOPBACK));
}
END_TEST

START_TEST(test_queue) {
    const uint64_t sent = (uint64_t)1 << 30;
    ck_assert_uint_eq(weft_tcp_queue_wanted(0, 20, sent), 0);
    ck_assert_uint_eq(weft_tcp_queue_wanted(1000000000, 0, sent), 0);
    ck_assert_uint_eq(weft_tcp_queue_wanted(1000000000, 20, 1000), 0);
    ck_assert_uint_eq(weft_tcp_queue_wanted(1250000000, 20, sent), WEFT_TCP_QUEUE_LEAST);  /* 10 Gbit/s within a rack */
    ck_assert_uint_eq(weft_tcp_queue_wanted(3000000000, 50, sent), 600000);
    ck_assert_uint_eq(weft_tcp_queue_wanted(12500000000, 30, sent), WEFT_TCP_QUEUE_MOST); /* 100 Gbit/s */
    ck_assert_uint_eq(weft_tcp_queue_wanted(100000000, 20000, sent), WEFT_TCP_QUEUE_MOST); /* another town */
}
END_TEST

/* The bound is set, raised and taken off while messages go, which come as ever. */
START_TEST(test_queue_of_a_connection) {
    const weft_transport *t = &weft_transport_tcp;
    char *from = calloc(1, MOST), *to = malloc(MOST);
    weft_address at = { .from = 0, .to = 2 };
    tcp_pair p;
    ck_assert(from && to);
    tcp_pair_open(&p);
    for (int i = 0; i < 12; i++) {
        weft_tcp_peer *q = &tcp_pair_of(&p, 0)->peers[1];
        weft_request sent, received;
        from[i] = (char)(i + 1);
        /* as if the way had changed */
        if (i > 2 && i % 3 == 0) q->queue_bytes = q->queue_bytes ? 0 : 8 * WEFT_TCP_QUEUE_MOST;
        ck_assert_int_eq(t->send(&p.w[0], at, from, MOST, &sent), WEFT_OK);
        ck_assert_int_eq(t->receive(&p.w[1], at, to, MOST, &received), WEFT_OK);
        for (int a = 1, b = 1; a || b;)
            ck_assert(t->test(&p.w[0], &sent, 1, &a) == WEFT_OK && t->test(&p.w[1], &received, 1, &b) == WEFT_OK);
        ck_assert(!memcmp(from, to, MOST));
        ck_assert_uint_lt(q->queue_bytes, WEFT_TCP_QUEUE_MOST);
    }
    free(from);
    free(to);
    tcp_pair_close(&p);
}
END_TEST

int main(void) {
    Suite *s = suite_create("tcp");
    TCase *tc = tcase_create("tcp");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_messages, 0, 12);
    tcase_add_loop_test(tc, test_given_up, 0, 12);
    tcase_add_loop_test(tc, test_other_length, 0, 4);
    tcase_add_test(tc, test_strangers);
    tcase_add_loop_test(tc, test_gone, 0, 2);
    tcase_add_test(tc, test_no_address);
    tcase_add_loop_test(tc, test_named_interfaces, 0, 4);
    tcase_add_test(tc, test_ways);
    tcase_add_test(tc, test_queue);
    tcase_add_test(tc, test_queue_of_a_connection);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
