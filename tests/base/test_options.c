/* Public structs of options between a program and a library of different versions; the structs that never change. */
#include "base/options.h"
#include <weft/array.h>
#include <weft/checkpoint.h>
#include <weft/coll.h>
#include <weft/data.h>
#include <weft/dryrun.h>
#include <weft/gradients.h>
#include <weft/graph.h>

#include "tests/support/suite.h"

/* The library's version of a struct: b came with the first one, c later. */
typedef struct now { int a; size_t size; int c; } now;
typedef struct before { int a; size_t size; } before;
typedef struct later { int a; size_t size; int c; int64_t d; } later;

static weft_context *cx;
static void setup(void) { cx = weft_context_new(NULL); }
static void teardown(void) { weft_context_free(cx); }

static weft_status read_now(const void *given, size_t size, now *to) {
    return weft_options_read(cx, NULL, "now", given, size, WEFT_OPTIONS_LEAST(now), to, sizeof *to);
}

START_TEST(fields_that_both_have) {
    now to;
    before old[2] = { { 1, sizeof(before) }, { 99, 99 } }; /* what lies after it is not read */
    ck_assert_int_eq(read_now(old, old[0].size, &to), WEFT_OK);
    ck_assert_int_eq(to.a, 1);
    ck_assert_int_eq(to.c, 0);
    now silent = { .a = 2, .c = 3 }; /* without a size the fields above it */
    ck_assert_int_eq(read_now(&silent, 0, &to), WEFT_OK);
    ck_assert_int_eq(to.a, 2);
    ck_assert_int_eq(to.c, 0);
    now same = { 4, sizeof same, 5 };
    ck_assert_int_eq(read_now(&same, same.size, &to), WEFT_OK);
    ck_assert_int_eq(to.a, 4);
    ck_assert_int_eq(to.c, 5);
    later newer = { 6, sizeof newer, 7, 0 };
    ck_assert_int_eq(read_now(&newer, newer.size, &to), WEFT_OK);
    ck_assert_int_eq(to.c, 7);
    ck_assert_int_eq(WEFT_OPTIONS_READ(cx, NULL, now, (const now *)NULL, &to), WEFT_OK);
    ck_assert_int_eq(to.a, 0);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
}
END_TEST

START_TEST(fields_that_are_not_known) {
    now to;
    later newer = { 6, sizeof newer, 7, 1 };
    ck_assert_int_eq(read_now(&newer, newer.size, &to), WEFT_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 0)->message, "a field of now is set that this version of Weft"));
    static const size_t wrong[] = { 1, sizeof(before) - 1, 5000, SIZE_MAX };
    for (size_t i = 0; i < WEFT_COUNT(wrong); i++) ck_assert_int_eq(read_now(&newer, wrong[i], &to), WEFT_ERR_USAGE);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1 + WEFT_COUNT(wrong));
}
END_TEST

/* Fields of the first version are read without a size: what a program sets is never ignored. */
START_TEST(fields_of_the_first_version) {
#define ALL_ABOVE(type) { #type, WEFT_OPTIONS_LEAST(type), sizeof(type) }
    static const struct { const char *name; size_t least, is; } all[] = {
        ALL_ABOVE(weft_job_options),        ALL_ABOVE(weft_client_options),  ALL_ABOVE(weft_program_options),
        ALL_ABOVE(weft_tokens_options),     ALL_ABOVE(weft_world_options),   ALL_ABOVE(weft_dryrun_options),
        ALL_ABOVE(weft_checkpoint_options), ALL_ABOVE(weft_restore_options), ALL_ABOVE(weft_gradient_options),
    };
    for (size_t i = 0; i < WEFT_COUNT(all); i++)
        ck_assert_msg(all[i].least == all[i].is, "%s has a field below its size", all[i].name);
}
END_TEST

/* Structs without a size are passed in arrays, by value or by callers that know no other version: they never change. */
START_TEST(fixed_structs) {
    static const struct { const char *name; size_t is, was; } all[] = {
        { "weft_coll_buf", sizeof(weft_coll_buf), 2 * sizeof(void *) + 8 + 3 * 8 },
        { "weft_coll_uneven", sizeof(weft_coll_uneven), 2 * sizeof(void *) + 8 + 4 * sizeof(void *) },
        { "weft_call_site", sizeof(weft_call_site), 3 * sizeof(void *) + 8 },
        { "weft_rendezvous", sizeof(weft_rendezvous), sizeof(void *) + 2 * sizeof(int) },
        { "weft_coll_record", sizeof(weft_coll_record), 8 + 2 * sizeof(void *) + 8 + 2 * sizeof(int) },
        { "weft_coll_use", sizeof(weft_coll_use), 2 * sizeof(void *) + 8 },
        { "weft_coll_counts", sizeof(weft_coll_counts), 16 },
        { "weft_source", sizeof(weft_source), 2 * sizeof(void *) },
        { "weft_dims", sizeof(weft_dims), sizeof(void *) + sizeof(size_t) },
        { "weft_part", sizeof(weft_part), 3 * 8 + 3 * 64 * 8 },
        { "weft_allocator", sizeof(weft_allocator), 2 * sizeof(void *) },
    };
    for (size_t i = 0; i < WEFT_COUNT(all); i++)
        ck_assert_msg(all[i].is == all[i].was, "%s has %zu bytes, not %zu", all[i].name, all[i].is, all[i].was);
}
END_TEST

START_TEST(version_and_names) {
    char text[64];
    snprintf(text, sizeof text, "%d.%d.%d", WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, WEFT_VERSION_PATCH);
    ck_assert_str_eq(weft_version(), text);
    static const char *const names[] = { "note", "warning", "error", "help" };
    for (int s = WEFT_NOTE; s <= WEFT_HELP; s++) ck_assert_str_eq(weft_severity_name((weft_severity)s), names[s]);
    ck_assert_str_eq(weft_severity_name((weft_severity)4), "unknown severity");
    ck_assert_str_eq(weft_severity_name((weft_severity)-1), "unknown severity");
}
END_TEST

int main(void) {
    Suite *s = suite_create("options");
    TCase *tc = tcase_create("options");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, fields_that_both_have);
    tcase_add_test(tc, fields_that_are_not_known);
    tcase_add_test(tc, fields_of_the_first_version);
    tcase_add_test(tc, fixed_structs);
    tcase_add_test(tc, version_and_names);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
