/* suite.h: the end of every suite's main(), and helpers of suites. */
#ifndef WEFT_TESTS_SUPPORT_SUITE_H
#define WEFT_TESTS_SUPPORT_SUITE_H

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of cases of a random test: n in ./check, n * WEFT_LONG if that is set, as by ./check long. The first n
 * stay the same. */
static inline int weft_test_long(int n) {
    const char *times = getenv("WEFT_LONG");
    return times && atoi(times) > 1 ? n * atoi(times) : n;
}

/* The same of a test that compiles and runs programs by the hundred: where the library has sanitizers, a quarter of
 * them, but in ./check long. They all go through the same functions of the library, the code that it generates has no
 * sanitizers, and the build without runs all. */
static inline int weft_test_sample(int n) {
#ifdef WEFT_SANITIZERS
    if (weft_test_long(1) == 1) return (n + 3) / 4;
#endif
    return weft_test_long(n);
}

/* Whether case n of a whole table of combinations runs: with sanitizers every third does, but in ./check long. Numbers
 * that add up what is combined (op + value) let each op and each value have its turn. */
static inline bool weft_test_turn(size_t n) {
#ifdef WEFT_SANITIZERS
    if (weft_test_long(1) == 1) return n % 3 == 0;
#endif
    (void)n;
    return true;
}

/* WEFT_ONLY=TEXT: only the lines of a suite's table whose names contain it. */
static inline int weft_test_wanted(const char *name) {
    const char *only = getenv("WEFT_ONLY");
    return !only || strstr(name, only) != NULL;
}

/* ck_assert_msg for loops over many elements: Check writes the place of each of its own assertions to a file, also of
 * those that hold. */
#define ASSERT_EACH(ok, ...)                   \
    do {                                       \
        if (!(ok)) ck_abort_msg(__VA_ARGS__);  \
    } while (0)

/* The path of the built program of this name, as "tests/collectives/ranks". */
#define WEFT_TEST_PATH 512
static inline const char *weft_test_built(char path[WEFT_TEST_PATH], const char *name) {
    const char *build = getenv("top_builddir");
    snprintf(path, WEFT_TEST_PATH, "%s/%s", build && *build ? build : ".", name);
    return path;
}

/* Check ends a case after 4 seconds unless told otherwise, which a busy machine needs for some. It reads this when a
 * case is made. */
__attribute__((constructor)) static void weft_test_patience(void) {
    setenv("CK_DEFAULT_TIMEOUT", "120", 0);
}

static inline int weft_run_suite(Suite *s) {
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
