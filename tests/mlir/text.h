/* text.h: shared by this room's suites: files of the test folder, and reading and printing in one step. */
#ifndef WEFT_TESTS_MLIR_TEXT_H
#define WEFT_TESTS_MLIR_TEXT_H

#include <check.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include "mlir/print.h"
#include "mlir/read.h"

/* The whole file with a NUL after it, to be freed; NULL when it cannot be opened. */
static inline char *test_slurp(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    size_t n = 0, cap = 1 << 16;
    char *p = malloc(cap);
    for (size_t k; p && (k = fread(p + n, 1, cap - n - 1, f)) > 0;) {
        n += k;
        if (cap - n < 4096) p = realloc(p, cap *= 2);
    }
    fclose(f);
    ck_assert_ptr_nonnull(p);
    p[n] = 0;
    return p;
}

/* The files of tests/mlir that match. */
static inline glob_t test_glob(const char *pattern) {
    const char *top = getenv("top_srcdir");
    char path[1024];
    glob_t g;
    snprintf(path, sizeof path, "%s/tests/mlir/%s", top ? top : ".", pattern);
    ck_assert_int_eq(glob(path, 0, NULL, &g), 0);
    return g;
}

/* tests/mlir/NAME */
static inline char *test_file(const char *name) {
    const char *top = getenv("top_srcdir");
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/mlir/%s", top ? top : ".", name);
    char *text = test_slurp(path);
    if (!text) ck_abort_msg("cannot open %s", path);
    return text;
}

static inline weft_buf test_print(const weft_module *m, unsigned flags) {
    weft_buf out;
    weft_buf_init(&out, &m->cx->alloc);
    ck_assert_int_eq(weft_print_module(m, flags, &out), WEFT_OK);
    return out;
}

static inline weft_module *test_read(weft_context *cx, const char *text, unsigned flags) {
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, weft_str_from(text), "test.mlir", flags, &m);
    const weft_diag *d = weft_context_diag_count(cx) ? weft_context_diag(cx, 0) : NULL;
    if (st != WEFT_OK)
        ck_abort_msg("%lld:%lld: %s\n%s", d ? (long long)d->line : 0, d ? (long long)d->column : 0,
                     d ? d->message : "?", text);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
    return m;
}

/* The printed form of text, under a context of its own; to be freed. */
static inline char *test_reprint(const char *text, unsigned read_flags, unsigned print_flags) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = test_read(cx, text, read_flags);
    weft_buf out = test_print(m, print_flags);
    char *copy = strdup(out.p);
    weft_buf_free(&out);
    weft_module_free(m);
    weft_context_free(cx);
    return copy;
}

#endif
