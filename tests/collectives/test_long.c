/* test_long.c: a buffer of more bytes than 31 bits count, moved between two processes of a node from memory that they
 * do not share. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weft/coll.h>
#include "tests/collectives/long_moves.h"
#include "tests/support/suite.h"

#define P 2

static int take_part(const char *at, int rank) {
    weft_context *cx = weft_context_new(NULL);
    weft_world *w;
    weft_comm *c;
    weft_world_options opt = { .local_ranks = 1, .transport = "shm", .node = "", .tuned = "none",
                               .algorithms = "collective_broadcast=pull,collective_permute=pull" };
    char *in = long_buffer(), *out = long_buffer();
    if (!in || !out) return NO_MEMORY;
    long_fill(in, rank);
    if (weft_world_create_rendezvous(cx, &opt, &(weft_rendezvous){ at, rank, P }, &w) != WEFT_OK) return NO_WORLD;
    int how = weft_comm_world(cx, w, rank, &c) == WEFT_OK ? long_move(c, rank, in, out) : FAILED;
    if (weft_context_diag_count(cx)) fprintf(stderr, "rank %d: %s\n", rank, weft_context_diag(cx, 0)->message);
    weft_comm_free(c);
    weft_world_free(w);
    weft_context_free(cx);
    return how;
}

START_TEST(test_more_than_a_call_moves) {
    char folder[] = "/tmp/weft-long-XXXXXX", at[64];
    pid_t of[P];
    int status;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(at, sizeof at, "file:%s", folder);
    for (int i = 0; i < P; i++)
        if ((of[i] = fork()) == 0) _exit(take_part(at, i));
    for (int i = 0; i < P; i++) {
        ck_assert_int_eq(waitpid(of[i], &status, 0), of[i]);
        ck_assert_msg(WIFEXITED(status) && (WEXITSTATUS(status) == GOOD || WEXITSTATUS(status) == NO_MEMORY),
                      "rank %d ended with %d", i, WEXITSTATUS(status));
    }
    rmdir(folder);
}
END_TEST

int main(void) {
    Suite *s = suite_create("long");
    TCase *tc = tcase_create("long");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, test_more_than_a_call_moves);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
