/* test_trouble.c: a rank that dies, leaves, hangs or makes another call: the others get a precise error in time.
 * Processes are forked and find each other through a pipe per pair, so no launcher is involved.
 */
#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "collectives/world.h"
#include "tests/collectives/law.h"
#include "tests/support/suite.h"

#define P 3

/* --- processes ---------------------------------------------------------------------------------------------------- */

typedef struct board {       /* shared by the forked processes */
    pthread_barrier_t barrier;
    char slots[P][8192];
    atomic_int joined;           /* ranks that have made the world: a rank counts itself, the parent waits for all */
} board;

static weft_status gather(const weft_bootstrap *b, const void *in, size_t bytes, void *out) {
    board *t = b->state;
    ck_assert_uint_le(bytes, sizeof t->slots[0]);
    memcpy(t->slots[b->rank], in, bytes);
    pthread_barrier_wait(&t->barrier);
    for (int i = 0; i < b->size; i++) memcpy((char *)out + (size_t)i * bytes, t->slots[i], bytes);
    pthread_barrier_wait(&t->barrier);
    return WEFT_OK;
}

typedef enum mischief { KILLED, EXITS, STOPS, LEAVES, AWAY, DIFFERS, OTHER_SIZE, ABORTS, LATE } mischief;

static const struct {
    mischief what;
    const char *told;        /* part of what the others are told */
} troubles[] = {
    { KILLED, "the process of rank 2 has ended (after its call 2, barrier)" },
    { EXITS, "the process of rank 2 has ended (after its call 2, barrier)" },
    { STOPS, "waited 2 s for rank 2 (after its call 2, barrier)" },
    { LEAVES, "rank 2 has left without this call" },
    { AWAY, "waited 2 s for rank 2 (after its call 2, barrier; it has freed its handles)" },
    { DIFFERS, "rank 2 calls all_gather over \"data\" of 1 x f32 at step.mlir:50:2 where rank" },
    { OTHER_SIZE, "rank 2 calls all_reduce over \"model\" of 2 x f32 by sum at step.mlir:41:10 where rank" },
    { ABORTS, "the input of rank 2 is bad" },
    { LATE, "waited 2 s for rank 2 (after its call 2, barrier)" },
};

static const weft_call_site site = { "all_reduce", "model", "step.mlir:41:10", 7 },
                            other_site = { "all_gather", "data", "step.mlir:50:2", 8 };

/* What the last rank does instead. Returns 0 when it fares as it should. */
static int misbehave(weft_world *w, weft_comm *c, mischief what, int forked) {
    float x[2] = { 1 }, y[2 * P];
    weft_coll_buf one = { x, y, WEFT_F32, 1, 1, 1 }, two = { x, y, WEFT_F32, 1, 1, 2 };
    switch (what) {
    case KILLED: return forked ? raise(SIGKILL) : 0;
    case EXITS: if (forked) _exit(0); return 0;
    case STOPS: return forked ? raise(SIGSTOP) : 0;
    case LEAVES:
    case AWAY: return 0;
    case DIFFERS: return weft_coll_all_gather(c, &one, 1, &other_site) != WEFT_ERR_PEER;
    case OTHER_SIZE: return weft_coll_all_reduce(c, WEFT_SUM, &two, 1, &site) != WEFT_ERR_PEER;
    case ABORTS: weft_world_abort(w, "the input of rank 2 is bad"); break;
    case LATE: usleep(5000000);
    }
    return weft_coll_all_reduce(c, WEFT_SUM, &one, 1, &site) != WEFT_ERR_PEER;
}

static int heard(weft_context *cx, const char *told) {
    const weft_diag *d = weft_context_diag(cx, 0);
    if (d && strstr(d->message, told) && strstr(d->message, "all_reduce over \"model\", call ") &&
        strstr(d->message, " of 4 B: ") && d->line == 41 && d->column == 10)
        return 1;
    fprintf(stderr, "told '%s' instead of '%s'\n", d ? d->message : "nothing", told);
    return 0;
}

/* One rank's life. Returns 0 when all is as it should be. */
static int live(weft_world *w, int rank, size_t k, int forked) {
    weft_context *cx = weft_context_new(NULL);
    weft_comm *c, *pair = NULL;
    float x = 1, y;
    weft_coll_buf b = { &x, &y, WEFT_F32, 1, 1, 1 };
    int bad = weft_comm_world(cx, w, rank, &c) != WEFT_OK;
    bad = bad || weft_coll_barrier(c, NULL) != WEFT_OK || weft_coll_barrier(c, NULL) != WEFT_OK;
    if (bad) return 1;
    if (rank == P - 1) {
        bad = misbehave(w, c, troubles[k].what, forked);
    } else {
        /* Among themselves the others still work, whatever the last one has done. */
        bad = weft_comm_group(cx, c, (int[]){ 0, 1 }, 2, &pair) != WEFT_OK;
        if (troubles[k].what == KILLED || troubles[k].what == EXITS)
            bad |= weft_coll_all_reduce(pair, WEFT_SUM, &b, 1, NULL) != WEFT_OK || y != 2;
        bad |= weft_coll_all_reduce(c, WEFT_SUM, &b, 1, &site) != WEFT_ERR_PEER || !heard(cx, troubles[k].told);
        /* And from then on every call says so at once. */
        bad |= weft_coll_barrier(pair, NULL) != WEFT_ERR_PEER;
    }
    weft_comm_free(pair);
    weft_comm_free(c);
    if (troubles[k].what == AWAY && rank == P - 1) usleep(5000000); /* its process is still there, and has the world */
    weft_context_free(cx);
    return bad;
}

static double timeout_of(mischief what) { return what == LATE || what == STOPS || what == AWAY ? 2 : 30; }

static int live_process(board *t, int rank, size_t k) {
    weft_start start = { .all = { .rank = rank, .size = P, .allgather = gather, .state = t } };
    weft_context *cx = weft_context_new(NULL);
    weft_world *w;
    weft_world_options opt = { .local_ranks = 1, .timeout_s = timeout_of(troubles[k].what) };
    if (weft_world_start(cx, &opt, &start, &w) != WEFT_OK) {
        fprintf(stderr, "%s\n", weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "no world");
        return 1;
    }
    int bad = live(w, rank, k, 1);
    weft_world_free(w);
    weft_context_free(cx);
    return bad;
}

static board *board_make(void) {
    board *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(t, MAP_FAILED);
    pthread_barrierattr_t attr;
    pthread_barrierattr_init(&attr);
    pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&t->barrier, &attr, P);
    return t;
}

/* A process for each rank; what its life returns is its exit status. */
static void fork_all(pid_t *pids, int (*life)(board *t, int rank, size_t k), board *t, size_t k) {
    for (int i = 0; i < P; i++) {
        pids[i] = fork();
        ck_assert_int_ge(pids[i], 0);
        if (pids[i] == 0) _exit(life(t, i, k));
    }
}

START_TEST(test_processes) {
    board *t = board_make();
    pid_t pids[P];
    fork_all(pids, live_process, t, (size_t)_i);
    for (int i = 0; i < P; i++) {
        int status;
        if (i == P - 1 && troubles[_i].what == STOPS) kill(pids[i], SIGKILL);
        ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
        if (i < P - 1 || (troubles[_i].what != KILLED && troubles[_i].what != STOPS))
            ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "rank %d, status %d", i, status);
    }
}
END_TEST

/* --- one that does not come to a world at all --------------------------------------------------------------------- */

/* Process 1 takes a warning for an error that only it has. */
static int fail_alone(board *t, int rank, size_t unused) {
    (void)unused;
    weft_start start = { .all = { .rank = rank, .size = P, .allgather = gather, .state = t } };
    weft_context *cx = weft_context_new(NULL);
    weft_world *w;
    weft_world_options opt = { .local_ranks = 1, .flight = rank == 1 ? "/nowhere/at/all" : NULL };
    if (rank == 1 && weft_context_werror(cx, "fallback") != WEFT_OK) return 1;
    if (weft_world_start(cx, &opt, &start, &w) == WEFT_OK) return 1;
    const char *told = weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "nothing";
    int bad = w != NULL || !strstr(told, rank == 1 ? "the last calls cannot be written"
                                                   : "process 1 cannot make its part of the world");
    if (bad) fprintf(stderr, "process %d is told: %s\n", rank, told);
    weft_context_free(cx);
    return bad;
}

START_TEST(test_one_fails_at_the_start) {
    board *t = board_make();
    pid_t pids[P];
    fork_all(pids, fail_alone, t, 0);
    for (int i = 0; i < P; i++) {
        int status;
        ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "process %d, status %d", i, status);
    }
}
END_TEST

/* --- threads ------------------------------------------------------------------------------------------------------ */

typedef struct seat { weft_world *world; int rank; size_t k; int bad; } seat;

static void *sit(void *p) {
    seat *s = p;
    s->bad = live(s->world, s->rank, s->k, 0);
    return NULL;
}

START_TEST(test_threads) {
    /* threads do not: their process ends, stops, or frees the world for all of them */
    if (troubles[_i].what <= LEAVES) return;
    weft_context *cx = weft_context_new(NULL);
    weft_world *w;
    weft_world_options opt = { .local_ranks = P, .timeout_s = timeout_of(troubles[_i].what) };
    pthread_t threads[P];
    seat seats[P];
    ck_assert_int_eq(weft_world_create_threads(cx, &opt, &w), WEFT_OK);
    for (int i = 0; i < P; i++) {
        seats[i] = (seat){ w, i, (size_t)_i, 0 };
        pthread_create(&threads[i], NULL, sit, &seats[i]);
    }
    for (int i = 0; i < P; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_int_eq(seats[i].bad, 0);
    }
    weft_world_free(w);
    weft_context_free(cx);
}
END_TEST

/* A rank without handles is away, however long, and comes back: its peer waits for it. */
static void *go_and_return(void *p) {
    seat *s = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *c;
    float x = 1, y = 0;
    weft_coll_buf b = { &x, &y, WEFT_F32, 1, 1, 1 };
    s->bad = weft_comm_world(cx, s->world, s->rank, &c) != WEFT_OK || weft_coll_barrier(c, NULL) != WEFT_OK;
    if (!s->bad && s->rank == 1) {
        weft_comm_free(c);
        usleep(400000); /* while the other has looked for it several times (WEFT_LOOK_NS) */
        s->bad = weft_comm_world(cx, s->world, s->rank, &c) != WEFT_OK;
    }
    s->bad = s->bad || weft_coll_all_reduce(c, WEFT_SUM, &b, 1, NULL) != WEFT_OK || y != 2;
    const weft_diag *why = weft_context_diag(cx, 0);
    if (s->bad) fprintf(stderr, "rank %d: %s\n", s->rank, why ? why->message : "");
    weft_comm_free(c);
    weft_context_free(cx);
    return NULL;
}

START_TEST(test_returns) {
    weft_context *cx = weft_context_new(NULL);
    weft_world *w;
    pthread_t threads[2];
    seat seats[2];
    ck_assert_int_eq(weft_world_create_threads(cx, &(weft_world_options){ .local_ranks = 2 }, &w), WEFT_OK);
    for (int i = 0; i < 2; i++) {
        seats[i] = (seat){ w, i, 0, 0 };
        pthread_create(&threads[i], NULL, go_and_return, &seats[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_int_eq(seats[i].bad, 0);
    }
    weft_world_free(w);
    weft_context_free(cx);
}
END_TEST

/* --- killed at any point ------------------------------------------------------------------------------------------ */

static int work_until_failure(board *t, int rank, size_t unused) {
    (void)unused;
    weft_start start = { .all = { .rank = rank, .size = P, .allgather = gather, .state = t } };
    weft_context *cx = weft_context_new(NULL);
    weft_world *w;
    weft_comm *c;
    weft_world_options opt = { .local_ranks = 1 };
    if (weft_world_start(cx, &opt, &start, &w) != WEFT_OK || weft_comm_world(cx, w, rank, &c) != WEFT_OK) return 1;
    atomic_fetch_add_explicit(&t->joined, 1, memory_order_release); /* pairs with the parent's load */
    enum { N = 1 << 16 };
    float *x = weft_comm_alloc(c, N * sizeof *x), *y = malloc(P * N * sizeof *y);
    weft_coll_buf place = { x, x, WEFT_F32, 1, 1, N }, stage = { x, y, WEFT_F32, 1, 1, N },
                  small = { x, y, WEFT_F32, 1, 1, 5 };
    weft_status st = WEFT_OK;
    while (st == WEFT_OK) {
        st = weft_coll_all_reduce(c, WEFT_SUM, &place, 1, NULL);
        if (st == WEFT_OK) st = weft_coll_all_reduce(c, WEFT_SUM, &stage, 1, NULL);
        if (st == WEFT_OK) st = weft_coll_all_gather(c, &stage, 1, NULL);
        if (st == WEFT_OK) st = weft_coll_all_gather(c, &small, 1, NULL);
    }
    int bad = st != WEFT_ERR_PEER || !strstr(weft_context_diag(cx, 0)->message, "the process of rank 1 has ended");
    if (bad) fprintf(stderr, "rank %d: %s\n", rank, weft_context_diag(cx, 0)->message);
    free(y);
    weft_comm_free(c);
    weft_world_free(w);
    weft_context_free(cx);
    return bad;
}

START_TEST(test_killed_at_any_point) {
    uint64_t seed = law_seed(20261121) + (uint64_t)_i;
    board *t = board_make();
    pid_t pids[P];
    fork_all(pids, work_until_failure, t, 0);
    /* Before that the test's own barrier would miss the killed one. Pairs with the addition in work_until_failure(). */
    while (atomic_load_explicit(&t->joined, memory_order_acquire) < P) {
        siginfo_t ended = { 0 };
        ck_assert_int_eq(waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT), 0);
        ck_assert_msg(ended.si_pid == 0, "a rank ended before it had joined");
        usleep(1000);
    }
    usleep((useconds_t)(law_random(&seed) % 30000));
    kill(pids[1], SIGKILL);
    for (int i = 0; i < P; i++) {
        int status;
        ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
        if (i != 1) ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "rank %d, status %d", i, status);
    }
}
END_TEST

/* --- a reason that is still being written ------------------------------------------------------------------------- */

static void *finish_reason(void *p) {
    weft_node_note *note = p;
    usleep(20000);
    snprintf(note->reason, sizeof note->reason, "rank 7 is gone");
    /* Pairs with the acquire in weft_node_reason. */
    atomic_store_explicit(&note->failed, WEFT_FAILURE_STANDS, memory_order_release);
    return NULL;
}

START_TEST(test_reason_waits_for_its_writer) {
    static weft_node_note note;
    weft_node n = { .note = &note };
    char reason[WEFT_REASON_BYTES];
    pthread_t writer;
    /* as its writer left it when it lost the core */
    atomic_store_explicit(&note.failed, WEFT_FAILURE_WRITING, memory_order_relaxed);
    ck_assert_int_eq(pthread_create(&writer, NULL, finish_reason, &note), 0);
    weft_node_reason(&n, reason);
    pthread_join(writer, NULL);
    ck_assert_str_eq(reason, "rank 7 is gone");
}
END_TEST

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* floats: so many that a root waits long enough to hear of trouble while the other one writes into its memory */
enum { COPIED = 64 << 20 };

typedef struct copier {
    weft_world *w;
    int rank;
    unsigned after_us;
    weft_status st;
} copier;

/* Makes calls until one fails, and then unmaps its memory at once: no rank writes there any more. */
static void *copy_until_failed(void *user) {
    static const int pair[] = { 0, 1 };
    copier *k = user;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *all, *c = NULL;
    ck_assert_int_eq(weft_comm_world(cx, k->w, k->rank, &all), WEFT_OK);
    if (k->rank == 2) {
        usleep(k->after_us);
        weft_world_abort(k->w, "rank 2 has had enough");
    } else {
        ck_assert_int_eq(weft_comm_group(cx, all, pair, 2, &c), WEFT_OK);
        for (k->st = WEFT_OK; k->st == WEFT_OK;) {
            float *in = k->rank ? calloc(COPIED, sizeof *in) : NULL,
                  *out = k->rank ? NULL : malloc(2 * COPIED * sizeof *out);
            ck_assert(in || out);
            /* the root's block is where it belongs */
            weft_coll_buf b = { k->rank ? in : out, out, WEFT_F32, 1, 1, COPIED };
            k->st = weft_coll_gather(c, 0, &b, 1, NULL);
            free(in);
            free(out);
        }
    }
    weft_comm_free(c);
    weft_comm_free(all);
    weft_context_free(cx);
    return NULL;
}

START_TEST(test_failed_while_others_copy) {
    uint64_t state = law_seed(20261124) + (uint64_t)_i;
    weft_context *cx = weft_context_new(NULL);
    weft_world_options opt = { .local_ranks = 3 };
    weft_world *w;
    pthread_t thread[3];
    copier k[3];
    ck_assert_int_eq(weft_world_create_threads(cx, &opt, &w), WEFT_OK);
    for (int i = 0; i < 3; i++) {
        k[i] = (copier){ .w = w, .rank = i, .after_us = 20000 + (unsigned)(law_random(&state) % 400000) };
        ck_assert_int_eq(pthread_create(&thread[i], NULL, copy_until_failed, &k[i]), 0);
    }
    for (int i = 0; i < 3; i++) pthread_join(thread[i], NULL);
    ck_assert(k[0].st == WEFT_ERR_PEER && k[1].st == WEFT_ERR_PEER);
    weft_world_free(w);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("trouble");
    TCase *tc = tcase_create("trouble");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_processes, 0, WEFT_COUNT(troubles));
    tcase_add_test(tc, test_one_fails_at_the_start);
    tcase_add_loop_test(tc, test_threads, 0, WEFT_COUNT(troubles));
    tcase_add_test(tc, test_returns);
    tcase_add_loop_test(tc, test_killed_at_any_point, 0, 10);
    tcase_add_test(tc, test_reason_waits_for_its_writer);
    tcase_add_loop_test(tc, test_failed_while_others_copy, 0, 8);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
