/* Whole files in memory, and those that cannot be read so. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_read.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

static char folder[sizeof "/tmp/weft-files-XXXXXX"], path[sizeof folder + 8];

static void make(const char *text, size_t n) {
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(text, 1, n, f), n);
    fclose(f);
}

static void setup(void) {
    strcpy(folder, "/tmp/weft-files-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
}

static void teardown(void) {
    (void)unlink(path);
    (void)rmdir(folder);
}

START_TEST(whole_files) {
    static const struct { const char *text; size_t n; } files[] = { { "", 0 }, { "a", 1 }, { "a\0b\n", 4 } };
    weft_context *cx = weft_context_new(NULL);
    for (size_t i = 0; i < WEFT_COUNT(files); i++) {
        char *text;
        size_t bytes;
        make(files[i].text, files[i].n);
        ck_assert_int_eq(weft_file_read_whole(cx, path, (int64_t)files[i].n, &text, &bytes), WEFT_OK);
        ck_assert_uint_eq(bytes, files[i].n);
        ck_assert_mem_eq(text, files[i].text, files[i].n);
        ck_assert_int_eq(text[bytes], 0);
        weft_file_text_free(cx, text, bytes);
    }
    weft_context_free(cx);
}
END_TEST

START_TEST(refusals) {
    weft_context *cx = weft_context_new(NULL);
    char *text = path;
    size_t bytes = 1;
    make("abc", 3);
    ck_assert_int_eq(weft_file_read_whole(cx, path, 2, &text, &bytes), WEFT_ERR_INVALID);
    ck_assert_ptr_null(text);
    ck_assert_uint_eq(bytes, 0);
    ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 0)->message, "file' has 3 bytes, and may have 2"));
    ck_assert_int_eq(weft_file_read_whole(cx, folder, 9, &text, &bytes), WEFT_ERR_IO);
    ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 1)->message, "is a directory, not a file"));
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(weft_file_read_whole(cx, path, 9, &text, &bytes), WEFT_ERR_IO);
    ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 2)->message, "cannot be opened"));
    weft_context_free(cx);
}
END_TEST

static weft_status read_again(weft_context *cx, void *user) {
    char *text;
    size_t bytes;
    (void)user;
    const weft_status st = weft_file_read_whole(cx, path, 9, &text, &bytes);
    weft_file_text_free(cx, text, bytes);
    return st;
}

START_TEST(survives_failing_memory) {
    make("abc", 3);
    weft_test_each_failure(read_again, NULL);
}
END_TEST

int main(void) {
    Suite *s = suite_create("base/file_read");
    TCase *tc = tcase_create("whole files");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, whole_files);
    tcase_add_test(tc, refusals);
    tcase_add_test(tc, survives_failing_memory);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
