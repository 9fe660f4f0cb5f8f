/* test_meeting: a rendezvous by TCP of this process's own making: an address that leads to the caller itself.
 * What whole jobs say of each other is in test_rendezvous.c.
 */
#include "base/context.h"
#include "collectives/rendezvous.h"
#include "tests/support/port.h"
#include "tests/support/suite.h"

#include <check.h>
#include <string.h>

static weft_context *cx;

static void begin(void) { cx = weft_context_new(NULL); }
static void end(void) { weft_context_free(cx); }

/* `at` is lent to the place. */
static weft_status meet(weft_meeting_place *place, const char *at, int process, int processes, int64_t timeout_ns, weft_bootstrap *out) {
    *place = (weft_meeting_place){ .alloc = cx->alloc, .at = at, .process = process, .processes = processes, .timeout_ns = timeout_ns };
    return weft_rendezvous_tcp_open(place, at + strlen("tcp:"), out);
}

/* --- addresses --------------------------------------------------------------------------------------------------------------------------- */

/* Who calls where nobody listens may be given that very port to call from, and is then connected to itself: that is nobody. */
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

int main(void) {
    Suite *s = suite_create("meeting");
    TCase *tc = tcase_create("meeting");
    tcase_add_checked_fixture(tc, begin, end);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, test_calls_itself);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
