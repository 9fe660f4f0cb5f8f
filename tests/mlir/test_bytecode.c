/* MLIR bytecode reads as the text of the same module, and damaged bytecode is refused.
 *
 * tests/mlir/bytecode has files that jaxlib wrote, and the texts that MLIR prints for them (make_bytecode.py).
 * test_bytecode.py compares many more programs, and fuzz_read all that this misses. */
#include <glob.h>
#include "tests/mlir/text.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

/* The files of tests/mlir/bytecode that match. */
static glob_t files(const char *pattern) {
    const char *top = getenv("top_srcdir");
    char path[1024];
    glob_t g;
    snprintf(path, sizeof path, "%s/tests/mlir/bytecode/%s", top ? top : ".", pattern);
    ck_assert_int_eq(glob(path, 0, NULL, &g), 0);
    return g;
}

static weft_str bytes_of(const char *path) {
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    static char bytes[1 << 16];
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    ck_assert(n > 0 && n < sizeof bytes);
    return (weft_str){ bytes, n };
}

static char *printed(const char *path, weft_str bytes, unsigned print_flags) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    if (weft_read_text(cx, bytes, path, 0, &m) != WEFT_OK) ck_abort_msg("%s", weft_context_diag(cx, 0)->message);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
    weft_buf out = test_print(m, print_flags);
    char *copy = strdup(out.p);
    weft_buf_free(&out);
    weft_module_free(m);
    weft_context_free(cx);
    return copy;
}

/* The text beside an artifact; of a native file, the text of the room's own tests. */
static char *text_of(const char *path) {
    const char *slash = strrchr(path, '/');
    const int n = (int)strcspn(slash + 1, ".");
    char name[256];
    snprintf(name, sizeof name, "%s%.*s.mlir", strstr(slash, ".native.") ? "" : "bytecode/", n, slash + 1);
    return test_file(name);
}

static const char *const patterns[] = { "*.mlirbc", "*.jaxexport" };

START_TEST(reads_as_text) {
    glob_t g = files(patterns[_i]);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        const char *path = g.gl_pathv[i];
        char *text = text_of(path);
        weft_str bytes = bytes_of(path);
        for (unsigned flags = 0; flags < 2; flags++) {
            char *got = printed(path, bytes, flags ? WEFT_PRINT_GENERIC : WEFT_PRINT_PRETTY);
            char *want = test_reprint(text, 0, flags ? WEFT_PRINT_GENERIC : WEFT_PRINT_PRETTY);
            if (strcmp(got, want)) ck_abort_msg("%s:\n%s\nas text:\n%s", path, got, want);
            free(got);
            free(want);
        }
        free(text);
    }
    globfree(&g);
}
END_TEST

/* Refused with a diagnostic, or read; nothing is left, and out is unchanged on failure. */
static bool takes(const char *bytes, size_t n) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    const bool ok = weft_read_text(cx, (weft_str){ bytes, n }, "damaged", 0, &m) == WEFT_OK;
    ck_assert_int_eq(ok, m != NULL);
    ck_assert(ok || weft_context_diag_count(cx));
    weft_module_free(m);
    weft_context_free(cx);
    return ok;
}

/* A copy of n bytes and no more, so that the address sanitizer sees what is read after them. */
static bool takes_exactly(weft_str bytes) {
    char *copy = malloc(bytes.n ? bytes.n : 1);
    memcpy(copy, bytes.p, bytes.n);
    const bool ok = takes(copy, bytes.n);
    free(copy);
    return ok;
}

static const char *const whole[] = { "*.1.17.0.mlirbc", "*.jaxexport" };

START_TEST(refuses_truncated) {
    glob_t g = files(whole[_i]);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        weft_str bytes = bytes_of(g.gl_pathv[i]);
        /* a file of jax.export has fields after its module */
        if (_i) bytes.n = (size_t)((char *)memmem(bytes.p, bytes.n, "ML\xefR", 4) - bytes.p) + 100;
        for (size_t n = 4; n < bytes.n; n += n < 64 ? 1 : 7)
            if (takes_exactly((weft_str){ bytes.p, n })) ck_abort_msg("%s: %zu bytes are enough", g.gl_pathv[i], n);
    }
    globfree(&g);
}
END_TEST

/* Each byte in turn is another one. Some are of names or numbers, and the file is as good as before. */
static const char *const damaged[] = { "s*.1.17.0.mlirbc", "attributes.native.mlirbc", "exported_s*.jaxexport" };

START_TEST(survives_damage) {
    static const unsigned char values[] = { 0x00, 0x01, 0x02, 0x7f, 0x80, 0xfe, 0xff };
    glob_t g = files(damaged[_i]);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        weft_str bytes = bytes_of(g.gl_pathv[i]);
        char *copy = malloc(bytes.n);
        memcpy(copy, bytes.p, bytes.n);
        for (size_t at = 4; at < bytes.n; at++) {
            copy[at] = (char)values[at % sizeof values];
            takes(copy, bytes.n);
            copy[at] = bytes.p[at];
        }
        ck_assert(takes(copy, bytes.n));
        free(copy);
    }
    globfree(&g);
}
END_TEST

static weft_status read_bytes(weft_context *cx, void *bytes) {
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, *(weft_str *)bytes, "bytes", 0, &m);
    weft_module_free(m);
    return st;
}

START_TEST(survives_failing_memory) {
    glob_t g = files("*.1.17.0.mlirbc");
    for (size_t i = 0; i < g.gl_pathc; i++) {
        weft_str bytes = bytes_of(g.gl_pathv[i]);
        weft_test_each_failure(read_bytes, &bytes);
    }
    globfree(&g);
}
END_TEST

int main(void) {
    Suite *s = suite_create("mlir bytecode");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, reads_as_text, 0, WEFT_COUNT(patterns));
    tcase_add_loop_test(tc, refuses_truncated, 0, WEFT_COUNT(whole));
    tcase_add_loop_test(tc, survives_damage, 0, WEFT_COUNT(damaged));
    tcase_add_test(tc, survives_failing_memory);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
