/* test_long.c: a buffer of more bytes than 31 bits count, moved between two processes of a node out of memory that they do not share. The buffers
 * are long, not large: all their parts are the same memory, mapped again and again, and what they hold repeats itself.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weft/coll.h>
#include "tests/support/suite.h"

#define P 2
#define PART ((size_t)1 << 22)
#define BYTES (((size_t)1 << 31) + 2 * PART + 123) /* Linux moves 2^31 - 4096 in one call */

enum { GOOD, WRONG, FAILED, NO_WORLD, NO_MEMORY }; /* how a process ends */

static char value(size_t i, int rank) { return (char)(i * (size_t)(rank + 3) % 101); }

/* NULL: there are not as many addresses. */
static char *long_buffer(void) {
    int fd = memfd_create("weft-test", MFD_CLOEXEC);
    size_t parts = (BYTES + PART - 1) / PART, mapped = 0;
    char *p = mmap(NULL, parts * PART, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (fd < 0 || p == MAP_FAILED || ftruncate(fd, (off_t)PART) != 0) return NULL;
    while (mapped < parts && mmap(p + mapped * PART, PART, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED) mapped++;
    close(fd);
    return mapped == parts ? p : NULL;
}

static int holds(const char *p, int rank) {
    size_t i = 0;
    while (i < PART && p[i] == value(i, rank)) i++;
    return i == PART;
}

static int move(weft_comm *c, int rank, char *in, char *out) {
    weft_coll_buf b = { in, out, weft_coll_type("ui8"), 1, 1, (int64_t)BYTES };
    if (weft_coll_broadcast(c, 1, &b, 1, NULL) != WEFT_OK) return FAILED;
    if (!holds(out, 1)) return WRONG;
    if (weft_coll_permute(c, 1 - rank, 1 - rank, &b, 1, NULL) != WEFT_OK) return FAILED;
    return holds(out, 1 - rank) ? GOOD : WRONG;
}

static int take_part(const char *at, int rank) {
    weft_context *cx = weft_context_new(NULL);
    weft_world *w;
    weft_comm *c;
    weft_world_options opt = { .local_ranks = 1, .transport = "shm", .node = "", .tuned = "none",
                               .algorithms = "collective_broadcast=pull,collective_permute=pull" };
    char *in = long_buffer(), *out = long_buffer();
    if (!in || !out) return NO_MEMORY;
    for (size_t i = 0; i < PART; i++) in[i] = value(i, rank);
    if (weft_world_create_rendezvous(cx, &opt, &(weft_rendezvous){ at, rank, P }, &w) != WEFT_OK) return NO_WORLD;
    int how = weft_comm_world(cx, w, rank, &c) == WEFT_OK ? move(c, rank, in, out) : FAILED;
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
        ck_assert_msg(WIFEXITED(status) && (WEXITSTATUS(status) == GOOD || WEXITSTATUS(status) == NO_MEMORY), "rank %d ended with %d", i, WEXITSTATUS(status));
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
