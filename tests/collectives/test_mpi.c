/* test_mpi: the laws of law.h, and trouble, among the processes that mpirun starts: through shared memory, as if every process were a
 * node of its own, and on nodes of several processes. Skipped where there is no mpirun.
 */
#include "config.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define MPIRUN "mpirun --oversubscribe --allow-run-as-root "

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

/* Processes on each of two nodes that this machine stands for; 0: the second is not there. */
static const struct { int first, second, local; const char *transport; } laws[] = {
    { 2, 0, 1, "shm" }, { 4, 0, 1, "shm" }, { 8, 0, 1, "shm" }, { 2, 0, 2, "shm" }, { 3, 0, 3, "shm" },
    { 2, 0, 1, "mpi" }, { 4, 0, 1, "mpi" }, { 8, 0, 1, "mpi" }, { 2, 0, 2, "mpi" }, { 3, 0, 3, "mpi" },
    { 2, 2, 1, "shm,mpi" }, { 1, 3, 2, "shm,mpi" },
#ifdef HAVE_UCX
    { 2, 0, 1, "ucx" }, { 4, 0, 1, "ucx" }, { 8, 0, 1, "ucx" }, { 2, 0, 2, "ucx" }, { 3, 0, 3, "ucx" },
    { 2, 2, 1, "shm,ucx" }, { 1, 3, 2, "shm" },
#endif
};

START_TEST(test_law) {
    char command[2048], output[8192], other[512] = "";
    if (laws[_i].second) snprintf(other, sizeof other, " : -n %d env WEFT_NODE=second %s %d law 4 2400", laws[_i].second, program, laws[_i].local);
    snprintf(command, sizeof command, "WEFT_TRANSPORT=%s " MPIRUN "-n %d %s %d law 4 2400%s 2>&1", laws[_i].transport, laws[_i].first, program,
             laws[_i].local, other);
    int rc = run(command, output, sizeof output);
    ck_assert_msg(rc == 0, "%s: %d\n%s", command, rc, output);
}
END_TEST

static const struct { const char *what, *transport, *told; } troubles[] = {
    { "differs", "shm", "rank 2 calls all_gather over \"data\" of 1 x f32 at step.mlir:50:2 where rank" },
    { "differs", "mpi", "rank 2 calls all_gather over \"data\" of 1 x f32 at step.mlir:50:2 where rank" },
    { "aborts", "shm", "the input of rank 3 is bad" },
    { "aborts", "mpi", "the input of rank 3 is bad" },
    { "killed", "shm", "" },  /* mpirun ends the others, whether they have been told or not */
    { "killed", "mpi", "" },
    { "exits", "shm", "" },
    { "exits", "mpi", "" },
#ifdef HAVE_UCX
    { "differs", "ucx", "rank 2 calls all_gather over \"data\" of 1 x f32 at step.mlir:50:2 where rank" },
    { "aborts", "ucx", "the input of rank 3 is bad" },
    { "killed", "ucx", "" },
    { "exits", "ucx", "" },
#endif
};

START_TEST(test_trouble) {
    char command[1024], output[8192];
    snprintf(command, sizeof command, "WEFT_TRANSPORT=%s timeout 30 " MPIRUN "-n 3 %s 1 %s 2>&1", troubles[_i].transport, program, troubles[_i].what);
    int rc = run(command, output, sizeof output);
    ck_assert_msg(rc != 124, "%s hangs\n%s", command, output);
    ck_assert_msg(strstr(output, troubles[_i].told) != NULL, "%s\n%s", command, output);
}
END_TEST

/* Ranks that chose algorithms differently would wait for each other in vain: they say so and end. */
START_TEST(test_choices_agree) {
    char command[1024], output[8192];
    snprintf(command, sizeof command,
             "timeout 30 " MPIRUN "-n 1 %s 1 law 1 1 : -n 1 env WEFT_ALGORITHMS=all_reduce=windows %s 1 law 1 1 2>&1", program, program);
    ck_assert_int_ne(run(command, output, sizeof output), 124);
    ck_assert_ptr_nonnull(strstr(output, "process 1 forces other collective algorithms than process 0"));
}
END_TEST

START_TEST(test_odd_environment) {
    char command[1024], output[8192];
    snprintf(command, sizeof command, "WEFT_TRANSPORT=pigeon timeout 30 " MPIRUN "-n 2 %s 1 law 1 1 2>&1", program);
    ck_assert_int_ne(run(command, output, sizeof output), 124);
    ck_assert_ptr_nonnull(strstr(output, "no transport 'pigeon' between processes; there are shm, ucx and mpi"));
}
END_TEST

int main(void) {
#ifndef HAVE_MPI
    return 77;
#endif
    static char path[512];
    const char *build = getenv("top_builddir");
    snprintf(path, sizeof path, "%s/tests/collectives/ranks", build && *build ? build : ".");
    program = path;
    if (system("mpirun --version >/dev/null 2>&1") != 0) {
        fprintf(stderr, "skipped: no mpirun\n");
        return 77;
    }
    Suite *s = suite_create("mpi");
    TCase *tc = tcase_create("mpirun");
    tcase_set_timeout(tc, 240);
    tcase_add_loop_test(tc, test_law, 0, sizeof laws / sizeof *laws);
    tcase_add_loop_test(tc, test_trouble, 0, sizeof troubles / sizeof *troubles);
    tcase_add_test(tc, test_choices_agree);
    tcase_add_test(tc, test_odd_environment);
    suite_add_tcase(s, tc);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
