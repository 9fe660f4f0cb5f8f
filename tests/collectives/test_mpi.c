/* test_mpi: the laws of law.h, and failures, among the processes that mpirun starts: through shared memory, as if every
 * process were a node of its own, and on nodes of several processes. WEFT_ONLY=TEXT: only algorithms whose names
 * contain it. Skipped without mpirun.
 */
#include "config.h"
#include "tests/collectives/law.h"
#include "tests/support/suite.h"
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define MPIRUN "mpirun --oversubscribe --allow-run-as-root "
/* an mpirun that hangs may have to be killed, and may return a rank's status of being killed itself */
#define IN_TIME "timeout -k 10 30 sh -c '" MPIRUN
#define OVER "; rc=$?; echo mpirun is over; exit $rc' 2>&1"

static const char *program; /* set once in main */

static int run(const char *command, char *output, size_t room) {
    size_t n = 0;
    FILE *p = popen(command, "r");
    ck_assert_ptr_nonnull(p);
    for (size_t got; n + 1 < room && (got = fread(output + n, 1, room - 1 - n, p)) > 0;) n += got;
    output[n] = 0;
    int status = pclose(p);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static bool hangs(const char *output) { return !strstr(output, "mpirun is over"); }

/* As much of it as one of Check's messages has room for beside the command. */
static const char *end_of(const char *output) {
    size_t n = strlen(output);
    return n > 4096 ? output + n - 4096 : output;
}

/* Processes on each of two nodes that this machine stands for; 0: the second is not there. */
typedef struct setting { int first, second, local; const char *transport; } setting;

static const setting settings[] = {
    { 2, 0, 1, "shm" }, { 4, 0, 1, "shm" }, { 8, 0, 1, "shm" }, { 2, 0, 2, "shm" }, { 3, 0, 3, "shm" },
    { 2, 0, 1, "mpi" }, { 4, 0, 1, "mpi" }, { 8, 0, 1, "mpi" }, { 2, 0, 2, "mpi" }, { 3, 0, 3, "mpi" },
    { 2, 2, 1, "shm,mpi" }, { 1, 3, 2, "shm,mpi" },
    { 2, 0, 1, "tcp" }, { 4, 0, 1, "tcp" }, { 8, 0, 1, "tcp" }, { 2, 0, 2, "tcp" }, { 3, 0, 3, "tcp" },
    { 2, 2, 1, "shm,tcp" }, { 1, 3, 2, "shm" },
#ifdef HAVE_UCX
    { 2, 0, 1, "ucx" }, { 4, 0, 1, "ucx" }, { 8, 0, 1, "ucx" }, { 2, 0, 2, "ucx" }, { 3, 0, 3, "ucx" },
    { 2, 2, 1, "shm,ucx" }, { 1, 3, 2, "shm,ucx" },
#endif
};

/* Algorithms within a node, and where each of them is tried; */
static const unsigned inside[] = { WEFT_NEEDS_SMALL, WEFT_NEEDS_PLACE, WEFT_NEEDS_STAGED, WEFT_NEEDS_REACH };
static const setting node[] = { { 4, 0, 1, "shm" }, { 2, 0, 2, "shm" } };

/* between nodes, at last "": whatever is cheapest, in any order of sums. */
static int between(char texts[WEFT_ALG_COUNT][LAW_TEXT]) {
    int n = law_ways(WEFT_NEEDS_MESSAGES, texts);
    texts[n][0] = 0;
    return n + 1;
}
static const setting nodes[] = {
    { 5, 0, 1, "mpi" }, { 5, 0, 1, "tcp" }, { 2, 1, 2, "shm,tcp" },
#ifdef HAVE_UCX
    { 2, 1, 2, "shm,ucx" },
#endif
};

/* Processes of the second node are in packages of their own names. */
static void run_law(const setting *s, const char *environment, const char *amount) {
    char command[2048], output[8192], other[512] = "";
    if (s->second)
        snprintf(other, sizeof other, " : -n %d env WEFT_NODE=second WEFT_PACKAGE=a,b %s %d law %s", s->second, program,
                 s->local, amount);
    snprintf(command, sizeof command, "%s WEFT_TRANSPORT=%s " MPIRUN "-n %d %s %d law %s%s 2>&1", environment,
             s->transport, s->first, program, s->local, amount, other);
    int rc = run(command, output, sizeof output);
    ck_assert_msg(rc == 0, "%s: %d\n%s", command, rc, end_of(output));
}

/* Each setting has another part of the matrix; large cases, which processes may copy out of each other's memory, one of
 * them. */
START_TEST(test_law) {
    char amount[64];
    snprintf(amount, sizeof amount, "%d 29 %d 60", _i,
             settings[_i].first == 4 && !strcmp(settings[_i].transport, "shm"));
    run_law(&settings[_i], "", amount);
}
END_TEST

static void run_way(const char *algorithms, const setting *s, int turn) {
    char amount[64], environment[LAW_TEXT + 32];
    if (*algorithms && !weft_test_wanted(algorithms)) return;
    snprintf(amount, sizeof amount, "%d 53 0 30", turn % 53);
    snprintf(environment, sizeof environment, *algorithms ? "WEFT_ALGORITHMS='%s'" : "WEFT_FAST=1%s", algorithms);
    run_law(s, environment, amount);
}

START_TEST(test_inside) {
    char texts[WEFT_ALG_COUNT][LAW_TEXT];
    int n = law_ways(inside[(size_t)_i / COUNT(node)], texts);
    for (int k = 0; k < n; k++) run_way(texts[k], &node[(size_t)_i % COUNT(node)], _i);
}
END_TEST

/* Under sanitizers each algorithm at every fourth place, another one from algorithm to algorithm, and at all only in
 * ./check long: test_nodes runs each at half of its own. */
#ifdef WEFT_SANITIZERS
#define EVERY (weft_test_long(1) > 1 ? 1 : 4)
#else
#define EVERY 1
#endif

START_TEST(test_between) {
    char texts[WEFT_ALG_COUNT][LAW_TEXT];
    size_t i = (size_t)_i * (size_t)EVERY, all = (size_t)between(texts) * COUNT(nodes);
    i = (i + i / COUNT(nodes) % (size_t)EVERY) % all;
    run_way(texts[i / COUNT(nodes)], &nodes[i % COUNT(nodes)], (int)i);
}
END_TEST

static const struct { const char *what, *transport, *told; } troubles[] = {
    { "differs", "shm", "rank 2 calls all_gather over \"data\" of 1 x f32 at step.mlir:50:2 where rank" },
    { "differs", "mpi", "rank 2 calls all_gather over \"data\" of 1 x f32 at step.mlir:50:2 where rank" },
    { "differs", "tcp", "rank 2 calls all_gather over \"data\" of 1 x f32 at step.mlir:50:2 where rank" },
    { "aborts", "shm", "the input of rank 3 is bad" },
    { "aborts", "mpi", "the input of rank 3 is bad" },
    { "aborts", "tcp", "the input of rank 3 is bad" },
    { "gives_up", "shm", "the input of rank 3 is bad" },
    { "gives_up", "mpi", "the input of rank 3 is bad" },
    { "gives_up", "tcp", "the input of rank 3 is bad" },
    { "killed", "shm", "" },  /* mpirun ends the others, whether they have been told or not */
    { "killed", "mpi", "" },
    { "killed", "tcp", "" },
    { "exits", "shm", "" },
    { "exits", "mpi", "" },
    { "exits", "tcp", "" },
#ifdef HAVE_UCX
    { "differs", "ucx", "rank 2 calls all_gather over \"data\" of 1 x f32 at step.mlir:50:2 where rank" },
    { "aborts", "ucx", "the input of rank 3 is bad" },
    { "killed", "ucx", "" },
    { "exits", "ucx", "" },
#endif
};

START_TEST(test_trouble) {
    char command[1024], output[8192];
    snprintf(command, sizeof command, "WEFT_TRANSPORT=%s " IN_TIME "-n 3 %s 1 %s" OVER, troubles[_i].transport, program,
             troubles[_i].what);
    (void)run(command, output, sizeof output);
    ck_assert_msg(!hangs(output), "%s hangs\n%s", command, end_of(output));
    ck_assert_msg(strstr(output, troubles[_i].told) != NULL, "%s\n%s", command, end_of(output));
    ck_assert_msg(!strstr(output, "UCX  WARN"), "%s\n%s", command, end_of(output));
}
END_TEST

static const struct {
    const char *how, *transport;
} partings[] = { { "early", "shm" }, { "early", "mpi" }, { "overdue", "shm" }, { "overdue", "mpi" } };

/* A failed world's processes leave together or each for itself, but none stays in MPI waiting for one that is gone. */
START_TEST(test_parting) {
    char command[1024], output[8192];
    bool early = !strcmp(partings[_i].how, "early");
    snprintf(command, sizeof command, "WEFT_TRANSPORT=%s " IN_TIME "-n 3 %s 1 %s" OVER, partings[_i].transport, program,
             partings[_i].how);
    int rc = run(command, output, sizeof output);
    ck_assert_msg(!hangs(output) && (rc == 0 || !early), "%s: %d\n%s", command, rc, end_of(output));
    ck_assert_msg(strstr(output, "the last is out") != NULL, "%s\n%s", command, end_of(output));
}
END_TEST

/* Ranks that chose algorithms differently would wait for each other in vain: they say so and end. */
START_TEST(test_choices_agree) {
    char command[1024], output[8192];
    snprintf(command, sizeof command,
             IN_TIME "-n 1 %s 1 law 0 1000 : -n 1 env WEFT_ALGORITHMS=all_reduce=windows %s 1 law 0 1000" OVER, program,
             program);
    (void)run(command, output, sizeof output);
    ck_assert(!hangs(output));
    ck_assert_ptr_nonnull(strstr(output, "process 1 has another WEFT_ALGORITHMS, WEFT_FAST or WEFT_CHECK than process 0"));
}
END_TEST

START_TEST(test_odd_environment) {
    char command[1024], output[8192];
    snprintf(command, sizeof command, "WEFT_TRANSPORT=pigeon " IN_TIME "-n 2 %s 1 law 0 1000" OVER, program);
    (void)run(command, output, sizeof output);
    ck_assert(!hangs(output));
    ck_assert_ptr_nonnull(strstr(output, "no transport 'pigeon' between processes; there are shm, tcp, ucx and mpi"));
}
END_TEST

int main(void) {
#ifndef HAVE_MPI
    return 77;
#endif
    static char path[WEFT_TEST_PATH];
    program = weft_test_built(path, "tests/collectives/ranks");
    if (system("mpirun --version >/dev/null 2>&1") != 0) {
        fprintf(stderr, "skipped: no mpirun\n");
        return 77;
    }
    char texts[WEFT_ALG_COUNT][LAW_TEXT];
    const int ways = between(texts) * (int)COUNT(nodes);
    Suite *s = suite_create("mpi");
    TCase *algorithms = tcase_create("algorithms"), *tc = tcase_create("mpirun");
    tcase_set_timeout(algorithms, 240);
    tcase_set_timeout(tc, 240);
    tcase_add_loop_test(tc, test_law, 0, COUNT(settings));
    tcase_add_loop_test(algorithms, test_inside, 0, COUNT(inside) * COUNT(node));
    tcase_add_loop_test(algorithms, test_between, 0, (ways + EVERY - 1) / EVERY);
    tcase_add_loop_test(tc, test_trouble, 0, COUNT(troubles));
    tcase_add_loop_test(tc, test_parting, 0, COUNT(partings));
    tcase_add_test(tc, test_choices_agree);
    tcase_add_test(tc, test_odd_environment);
    suite_add_tcase(s, tc);
    suite_add_tcase(s, algorithms);
    return weft_run_suite(s);
}
