/* test_gatherer.c: what callers with a start and messages of their own need: worlds of processes whose bytes the caller
 * gathers, time-outs of one handle, and the question which of several groups is awaited.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weft/coll.h>

#include "tests/support/suite.h"

#define MOST 4
#define ROOM (1 << 18)

/* Memory that all processes of a test share: their blocks of the exchange in progress. */
typedef struct board {
    pthread_barrier_t all;
    char block[MOST][ROOM];
} board;

typedef struct member {
    board *on;
    int process, processes;
    int silent_from;   /* the exchange from which this process does not know anything any more; -1: none */
    int exchanges;
} member;

static weft_status post(void *user, const void *in, size_t bytes, void *out, const char **why) {
    member *m = user;
    *why = "the store is gone";
    if (m->exchanges++ == m->silent_from) return WEFT_ERR_IO;
    *why = "a block is too long for the board";
    if (bytes > ROOM) return WEFT_ERR_IO;
    memcpy(m->on->block[m->process], in, bytes);
    pthread_barrier_wait(&m->on->all);
    for (int p = 0; p < m->processes; p++) memcpy((char *)out + (size_t)p * bytes, m->on->block[p], bytes);
    pthread_barrier_wait(&m->on->all);
    return WEFT_OK;
}

static board *make_board(int processes) {
    board *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_barrierattr_t shared;
    ck_assert_ptr_ne(b, MAP_FAILED);
    pthread_barrierattr_init(&shared);
    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    ck_assert_int_eq(pthread_barrier_init(&b->all, &shared, (unsigned)processes), 0);
    pthread_barrierattr_destroy(&shared);
    return b;
}

static weft_status make_world(weft_context *cx, member *m, const char *node, weft_world **out) {
    weft_world_options o = { .size = sizeof o, .local_ranks = 1, .timeout_s = 20, .node = node };
    weft_gatherer by = { m->process, m->processes, post, m };
    return weft_world_create_gatherer(cx, &o, &by, out);
}

/* --- worlds ------------------------------------------------------------------------------------------------------- */

/* Two nodes where `apart`: then messages connect by what the exchange has carried. */
static int adds_up(board *b, int process, int processes, int apart) {
    weft_context *cx = weft_context_new(NULL);
    weft_world *w = NULL;
    weft_comm *c = NULL;
    member m = { b, process, processes, -1, 0 };
    int64_t in[3] = { process, 1, 2 * process }, out[3] = { 0 }, sum = processes * (processes - 1) / 2;
    weft_coll_buf buf = { .in = in, .out = out, .dtype = weft_coll_type("i64"), .inner = 3 };
    int fine = make_world(cx, &m, apart ? process % 2 ? "odd" : "even" : NULL, &w) == WEFT_OK &&
               weft_world_size(w) == processes && weft_world_process(w) == process &&
               weft_world_nodes(w) == (apart && processes > 1 ? 2 : 1) &&
               weft_comm_world(cx, w, process, &c) == WEFT_OK &&
               weft_coll_all_reduce(c, WEFT_SUM, &buf, 1, NULL) == WEFT_OK && out[0] == sum && out[1] == processes &&
               out[2] == 2 * sum;
    weft_comm_free(c);
    weft_world_free(w);
    weft_context_free(cx);
    return fine;
}

static const struct { int processes, apart; } worlds[] = { { 1, 0 }, { 2, 0 }, { 4, 0 }, { 2, 1 }, { 3, 1 } };

START_TEST(test_worlds) {
    int processes = worlds[_i].processes;
    board *b = make_board(processes);
    pid_t child[MOST];
    for (int p = 0; p < processes; p++) {
        child[p] = fork();
        ck_assert_int_ge(child[p], 0);
        if (child[p] == 0) _exit(adds_up(b, p, processes, worlds[_i].apart) ? 0 : 1);
    }
    for (int p = 0; p < processes; p++) {
        int status;
        ck_assert_int_eq(waitpid(child[p], &status, 0), child[p]);
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "process %d of %d", p, processes);
    }
    munmap(b, sizeof *b);
}
END_TEST

/* The exchange's words are the diagnostic, whichever exchange fails. */
START_TEST(test_failed_exchange) {
    board *b = make_board(1);
    for (int at = 0;; at++) {
        weft_context *cx = weft_context_new(NULL);
        weft_world *w = (weft_world *)b;
        member m = { b, 0, 1, at, 0 };
        weft_status st = make_world(cx, &m, NULL, &w);
        ck_assert_int_gt(m.exchanges, 0);
        if (st == WEFT_OK) {
            ck_assert_int_gt(at, 1); /* several exchanges have failed before */
            weft_world_free(w);
            weft_context_free(cx);
            break;
        }
        ck_assert_int_eq(st, WEFT_ERR_IO);
        ck_assert_ptr_null(w);
        ck_assert_uint_eq(weft_context_diag_count(cx), 1);
        ck_assert_str_eq(weft_context_diag(cx, 0)->message, "the store is gone");
        weft_context_free(cx);
    }
    munmap(b, sizeof *b);
}
END_TEST

START_TEST(test_refused) {
    static const struct { int process, processes, has_gather; const char *says; } wrong[] = {
        { 0, 0, 1, "no process 0 among 0" },   { -1, 2, 1, "no process -1 among 2" },
        { 2, 2, 1, "no process 2 among 2" },   { 0, -5, 1, "no process 0 among -5" },
        { 0, 1, 0, "there is no gatherer of the processes" },
    };
    weft_world_options o = { .size = sizeof o, .local_ranks = 1 };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        weft_context *cx = weft_context_new(NULL);
        weft_world *w;
        weft_gatherer by = { wrong[i].process, wrong[i].processes, wrong[i].has_gather ? post : NULL, NULL };
        ck_assert_int_eq(weft_world_create_gatherer(cx, &o, &by, &w), WEFT_ERR_USAGE);
        ck_assert_ptr_null(w);
        ck_assert_str_eq(weft_context_diag(cx, 0)->message, wrong[i].says);
        ck_assert_int_eq(weft_world_create_gatherer(cx, &o, NULL, &w), WEFT_ERR_USAGE);
        ck_assert_int_eq(weft_world_create_gatherer(cx, NULL, &by, &w), WEFT_ERR_USAGE);
        ck_assert_int_eq(weft_world_create_gatherer(cx, &o, &by, NULL), WEFT_ERR_USAGE);
        weft_context_free(cx);
    }
}
END_TEST

/* --- handles ------------------------------------------------------------------------------------------------------ */

typedef struct seat {
    weft_world *world;
    int rank;
    char why[256]; /* what went wrong; "" */
} seat;

#define MUST(ok, ...)                                     \
    do {                                                  \
        if (!(ok)) {                                      \
            snprintf(s->why, sizeof s->why, __VA_ARGS__); \
            weft_world_abort(s->world, s->why);           \
            goto out;                                     \
        }                                                 \
    } while (0)

static void ranks(int n, void *(*body)(void *), double timeout_s) {
    weft_context *cx = weft_context_new(NULL);
    weft_world_options o = { .size = sizeof o, .local_ranks = n, .timeout_s = timeout_s };
    weft_world *w;
    seat seats[MOST];
    pthread_t threads[MOST];
    ck_assert_int_eq(weft_world_create_threads(cx, &o, &w), WEFT_OK);
    for (int r = 0; r < n; r++) {
        seats[r] = (seat){ w, r, "" };
        ck_assert_int_eq(pthread_create(&threads[r], NULL, body, &seats[r]), 0);
    }
    for (int r = 0; r < n; r++) pthread_join(threads[r], NULL);
    for (int r = 0; r < n; r++) ck_assert_msg(!seats[r].why[0], "%s", seats[r].why);
    weft_world_free(w);
    weft_context_free(cx);
}

/* Rank 0 takes a block from whichever rank has one, by the groups of pairs: the others send in an order of theirs. */
static void *any(void *p) {
    seat *s = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *all = NULL, *pair[MOST] = { NULL };
    MUST(weft_comm_world(cx, s->world, s->rank, &all) == WEFT_OK, "no handle");
    int size = weft_comm_size(all), left[MOST] = { 0 };
    for (int r = s->rank ? s->rank : 1; r < (s->rank ? s->rank + 1 : size); r++)
        MUST(weft_comm_group_apart(cx, all, (int[]){ 0, r }, 2, 7, &pair[r]) == WEFT_OK, "no pair");
    for (int r = 1; !s->rank && r < size; r++)
        MUST(weft_comm_awaited(pair[r]) == 0, "rank %d awaits before it sends", r);
    MUST(weft_coll_barrier(all, NULL) == WEFT_OK, "rank %d cannot begin", s->rank);
    for (int big = 0; big < 2; big++) {
        static _Thread_local int32_t block[50000];
        weft_coll_buf b = { .in = block, .out = block, .dtype = weft_coll_type("i32"), .inner = big ? 50000 : 5 };
        for (int i = 0; s->rank && i < 20 * s->rank; i++) {
            block[0] = i;
            block[b.inner - 1] = s->rank;
            MUST(weft_coll_broadcast(pair[s->rank], 1, &b, 1, NULL) == WEFT_OK, "rank %d cannot send", s->rank);
            MUST(weft_comm_awaited(pair[s->rank]) == 0, "rank %d, which only sends, is awaited", s->rank);
        }
        if (s->rank) continue;
        for (int r = 1; r < size; r++) left[r] = 20 * r;
        for (int r = 1, open = size - 1; open; r = r % (size - 1) + 1) {
            MUST(!weft_world_failed(s->world), "a rank has failed");
            int awaited = weft_comm_awaited(pair[r]);
            MUST(awaited >= 0, "rank 0 cannot tell whether rank %d awaits it", r);
            if (!awaited || !left[r]) { /* a rank that has sent all goes on to the next size */
                sched_yield();
                continue;
            }
            MUST(weft_coll_broadcast(pair[r], 1, &b, 1, NULL) == WEFT_OK, "cannot receive");
            MUST(block[0] == 20 * r - left[r] && block[b.inner - 1] == r, "not the block of rank %d", r);
            open -= --left[r] == 0;
        }
    }
out:
    for (int r = 0; r < MOST; r++) weft_comm_free(pair[r]);
    weft_comm_free(all);
    weft_context_free(cx);
    return NULL;
}

START_TEST(test_any) { ranks(4, any, 20); }
END_TEST

START_TEST(test_nobody_awaits) {
    ck_assert_int_eq(weft_comm_awaited(NULL), -1);
    weft_comm_timeout(NULL, 1);
}
END_TEST

/* Rank 0 waits on a handle of a tenth of a second in a world without limit; what it says names the limit and rank 1.
 * Rank 1 comes when rank 0 has given up. */
static void *impatient(void *p) {
    seat *s = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *all = NULL, *pair = NULL;
    weft_coll_request *q = NULL;
    MUST(weft_comm_world(cx, s->world, s->rank, &all) == WEFT_OK, "no handle");
    MUST(weft_comm_group(cx, all, (int[]){ 0, 1 }, 2, &pair) == WEFT_OK, "no group");
    if (s->rank == 1) {
        while (!weft_world_failed(s->world)) sched_yield();
        goto out;
    }
    MUST(weft_coll_start_barrier(pair, NULL, &q) == WEFT_OK, "cannot start");
    weft_comm_timeout(pair, 0.1); /* of the call under way, too */
    weft_status st = weft_coll_wait(q);
    const weft_diag *d = weft_context_diag(cx, 0);
    MUST(st == WEFT_ERR_PEER && d && strstr(d->message, "waited 0.1 s for rank 1"), "rank 0: %s: %s",
         weft_status_name(st), d ? d->message : "");
out:
    weft_comm_free(pair);
    weft_comm_free(all);
    weft_context_free(cx);
    return NULL;
}

START_TEST(test_timeout) { ranks(2, impatient, -1); }
END_TEST

/* A handle of more patience than its world's fifth of a second; 0 gives it the world's again. */
static void *patient(void *p) {
    seat *s = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *all = NULL;
    MUST(weft_comm_world(cx, s->world, s->rank, &all) == WEFT_OK, "no handle");
    weft_comm_timeout(all, s->rank ? 30 : -1);
    if (s->rank) usleep(1000000);
    MUST(weft_coll_barrier(all, NULL) == WEFT_OK, "rank %d was impatient", s->rank);
    weft_comm_timeout(all, 0);
    if (s->rank) {
        while (!weft_world_failed(s->world)) sched_yield();
        goto out;
    }
    weft_status st = weft_coll_barrier(all, NULL);
    const weft_diag *d = weft_context_diag(cx, 0);
    MUST(st == WEFT_ERR_PEER && d && strstr(d->message, "waited 0.2 s for rank 1"), "rank 0: %s: %s",
         weft_status_name(st), d ? d->message : "");
out:
    weft_comm_free(all);
    weft_context_free(cx);
    return NULL;
}

START_TEST(test_patience) { ranks(2, patient, 0.2); }
END_TEST

int main(void) {
    Suite *s = suite_create("gatherer");
    TCase *tc = tcase_create("gatherer");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_worlds, 0, (int)(sizeof worlds / sizeof *worlds));
    tcase_add_test(tc, test_failed_exchange);
    tcase_add_test(tc, test_refused);
    tcase_add_test(tc, test_any);
    tcase_add_test(tc, test_nobody_awaits);
    tcase_add_test(tc, test_timeout);
    tcase_add_test(tc, test_patience);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
