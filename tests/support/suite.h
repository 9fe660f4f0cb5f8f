/* suite.h: the end of every suite's main(). */
#ifndef WEFT_TESTS_SUPPORT_SUITE_H
#define WEFT_TESTS_SUPPORT_SUITE_H

#include <check.h>
#include <stdlib.h>

/* ck_assert_msg for loops over many elements: Check notes the place of each of its own assertions in a file, also of those that hold. */
#define ASSERT_EACH(ok, ...)                   \
    do {                                       \
        if (!(ok)) ck_abort_msg(__VA_ARGS__);  \
    } while (0)

static inline int weft_run_suite(Suite *s) {
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
