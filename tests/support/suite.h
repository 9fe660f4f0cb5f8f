/* suite.h: the end of every suite's main(). */
#ifndef WEFT_TESTS_SUPPORT_SUITE_H
#define WEFT_TESTS_SUPPORT_SUITE_H

#include <check.h>
#include <stdlib.h>

static inline int weft_run_suite(Suite *s) {
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
