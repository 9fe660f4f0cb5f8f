/* Patterns with * and ? against a matcher that tries everything. */
#include "base/glob.h"

#include "tests/support/suite.h"

/* Whether some star of the pattern can stand for any part of the text, tried one by one. */
static bool matches_slowly(const char *p, const char *t) {
    if (!*p) return !*t;
    if (*p == '*') return matches_slowly(p + 1, t) || (*t && matches_slowly(p, t + 1));
    return *t && (*p == '?' || *p == *t) && matches_slowly(p + 1, t + 1);
}

START_TEST(stars) {
    const char *seed = getenv("WEFT_SEED");
    srand(seed ? (unsigned)atoi(seed) : 26);
    for (int i = 0; i < weft_test_long(20000); i++) {
        char p[8] = { 0 }, t[10] = { 0 };
        const int np = rand() % 7, nt = rand() % 9;
        for (int k = 0; k < np; k++) p[k] = "ab*?*"[rand() % 5];
        for (int k = 0; k < nt; k++) t[k] = "ab"[rand() % 2];
        ASSERT_EACH(weft_glob_matches(weft_str_from(p), weft_str_from(t)) == matches_slowly(p, t),
                    "'%s' and '%s' (WEFT_SEED=%s)", p, t, seed ? seed : "26");
    }
}
END_TEST

int main(void) {
    Suite *s = suite_create("base/glob");
    TCase *tc = tcase_create("glob");
    tcase_add_test(tc, stars);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
