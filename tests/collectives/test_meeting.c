/* test_meeting: a rendezvous by TCP within this process: addresses without a listener, of the caller itself, or invalid
 * ones; a process 0 that cannot accept callers. test_rendezvous.c checks the diagnostics of complete jobs.
 */
#include "base/context.h"
#include "collectives/rendezvous.h"
#include "tests/support/port.h"
#include "tests/support/suite.h"

#include <check.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

static weft_context *cx;

static void begin(void) { cx = weft_context_new(NULL); }
static void end(void) { weft_context_free(cx); }

/* `at` is lent to the place. */
static weft_status meet(weft_meeting_place *place, const char *at, int process, int processes, int64_t timeout_ns,
                        weft_bootstrap *out) {
    *place = (weft_meeting_place){
        .alloc = cx->alloc, .at = at, .process = process, .processes = processes, .timeout_ns = timeout_ns
    };
    return weft_rendezvous_tcp_open(place, at + strlen("tcp:"), out);
}

/* --- addresses ---------------------------------------------------------------------------------------------------- */

static const char *const misspelt[] = { "tcp:host1", "tcp:127.0.0.1:", "tcp:127.0.0.1:0", "tcp:host1:99999",
                                        "tcp:127.0.0.1:123456789012345678901234567890" };

/* However long it would wait for one that may come to be. */
START_TEST(test_misspelt) {
    weft_meeting_place place;
    weft_bootstrap b;
    ck_assert_int_eq(meet(&place, misspelt[_i], 1, 2, -1, &b), WEFT_ERR_IO);
    ck_assert_msg(strstr(place.trouble, misspelt[_i]) == place.trouble &&
                      strstr(place.trouble, "is no address to call: "),
                  "%s", place.trouble);
}
END_TEST

/* A caller at a port without a listener may be assigned that very port, and is then connected to itself: such a
 * connection is refused. */
START_TEST(test_calls_itself) {
    weft_meeting_place place;
    weft_bootstrap b;
    int home = weft_test_leave_network();
    if (home < 0) return;
    weft_test_call_from(40000);
    weft_status st = meet(&place, "tcp:127.0.0.1:40000", 1, 2, 300000000, &b);
    ck_assert_int_eq(st, WEFT_ERR_IO);
    ck_assert_msg(strstr(place.trouble, "process 0 did not come to tcp:127.0.0.1:40000") != NULL, "%s", place.trouble);
    st = meet(&place, "tcp:127.0.0.1:40000", 0, 1, 300000000, &b);
    ck_assert_msg(st == WEFT_OK, "the port is not free again: %s", place.trouble);
    weft_rendezvous_tcp_close(&b);
    weft_test_return_to_network(home);
}
END_TEST

/* --- without descriptors ------------------------------------------------------------------------------------------ */

/* Process 0 of three, with descriptors for its door and the first caller only; its messages go to `out`. */
static void serve_one(const char *at, int out) {
    weft_meeting_place place;
    weft_bootstrap b;
    int next = dup(0);
    close(next);
    const struct rlimit most = { (rlim_t)next + 2, (rlim_t)next + 2 };
    if (setrlimit(RLIMIT_NOFILE, &most) != 0 || meet(&place, at, 0, 3, 20000000000, &b) != WEFT_ERR_IO) _exit(1);
    _exit(write(out, place.trouble, sizeof place.trouble) == sizeof place.trouble ? 0 : 1);
}

START_TEST(test_no_descriptors) {
    weft_meeting_place one;
    weft_bootstrap b;
    char at[64], want[256], said[WEFT_RENDEZVOUS_TROUBLE] = "", in = 0, all[3];
    int out[2], status, port = weft_test_free_port(), more = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in door = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    snprintf(at, sizeof at, "tcp:127.0.0.1:%d", port);
    snprintf(want, sizeof want, "process 0 cannot take connections at %s: %s", at, strerror(EMFILE));
    ck_assert_int_eq(pipe(out), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) serve_one(at, out[1]);
    ck_assert_int_eq(meet(&one, at, 1, 3, 30000000000, &b), WEFT_OK);
    (void)connect(more, (struct sockaddr *)&door, sizeof door); /* may be refused as soon as it has come */
    ck_assert_int_eq(b.allgather(&b, &in, 1, all), WEFT_ERR_IO);
    ck_assert_str_eq(one.trouble, want);
    ck_assert_int_eq(read(out[0], said, sizeof said), sizeof said);
    ck_assert_str_eq(said, want);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    weft_rendezvous_tcp_close(&b);
    close(more);
    close(out[0]);
    close(out[1]);
}
END_TEST

int main(void) {
    Suite *s = suite_create("meeting");
    TCase *tc = tcase_create("meeting");
    tcase_add_checked_fixture(tc, begin, end);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_misspelt, 0, sizeof misspelt / sizeof *misspelt);
    tcase_add_test(tc, test_calls_itself);
    tcase_add_test(tc, test_no_descriptors);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
