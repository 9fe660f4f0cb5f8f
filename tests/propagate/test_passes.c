/* The passes of this room against tests/propagate/PASS.mlir. A file holds cases:
 *
 *     // ===== name of the case
 *     // --pass --pass=option=value
 *     the module before
 *     // ->
 *     the module after, as Shardy itself leaves it
 *
 * Each case runs once over a module that the passes may not change, once over one that they own, and both with every
 * allocation failing in turn. */
#include <stdio.h>

#include "ir/verify.h"
#include "pipeline/pipeline.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

static const char *const files[] = {
    "aggressive_propagate",
    "apply_sharding_constraints",
    "basic_propagate",
    "calls",
    "close_shardings",
    "constant_or_scalar_merger",
    "constant_or_scalar_splitter",
    "data_flow_edges",
    "debug_info",
    "drop_sharding_rules",
    "explicit_gather_scatter_batching",
    "input_output_shardings",
    "lift_inlined_meshes",
    "manual_axes_cleanup",
    "meshes",
    "op_priority_propagate",
    "populate_op_sharding_rules",
    "readers",
    "remove_size_one_axes",
    "sharding_constraint_to_reshard",
    "sharding_groups",
    "tidy",
    "user_priority_propagate",
};

typedef struct pass_case { weft_str about, passes, before, after; } pass_case;

static char *slurp(const char *name) {
    char path[512];
    const char *top = getenv("top_srcdir");
    snprintf(path, sizeof path, "%s/tests/propagate/%s.mlir", top ? top : ".", name);
    FILE *f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "%s", path);
    size_t cap = 1 << 20;
    char *text = calloc(1, cap);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_lt(fread(text, 1, cap - 1, f), cap - 1);
    fclose(f);
    return text;
}

/* Cuts *at up to mark, which is left out; false at the end. */
static bool cut(const char **at, const char *mark, weft_str *out) {
    const char *end = strstr(*at, mark);
    if (!end) return false;
    *out = (weft_str){ *at, (size_t)(end - *at) };
    *at = end + strlen(mark);
    return true;
}

static bool next_case(const char **at, pass_case *c) {
    weft_str skipped;
    if (!cut(at, "// ===== ", &skipped) || !cut(at, "\n// ", &c->about) || !cut(at, "\n", &c->passes) ||
        !cut(at, "// ->\n", &c->before))
        return false;
    const char *end = strstr(*at, "// ===== ");
    c->after = (weft_str){ *at, end ? (size_t)(end - *at) : strlen(*at) };
    return true;
}

typedef enum ownership { LENT, OWNED } ownership; /* of the module that the first pass is given */

/* Runs "--a --b=x=1" over *m. */
static weft_status run_passes(weft_context *cx, weft_str passes, ownership own, weft_module **m) {
    weft_status st = WEFT_OK;
    for (size_t i = 0; i < passes.n && st == WEFT_OK;) {
        size_t end = i;
        while (end < passes.n && passes.p[end] != ' ') end++;
        const weft_str spec = { passes.p + i + 2, end - i - 2 };
        st = weft_pipeline_run(cx, spec, WEFT_PIPELINE_VERIFY_EACH | (own == OWNED ? WEFT_PIPELINE_TAKE : 0), m);
        i = end + 1;
    }
    return st;
}

static weft_status run_case(weft_context *cx, const pass_case *c, ownership own, weft_buf *text) {
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, c->before, "before", 0, &m);
    if (st == WEFT_OK) st = run_passes(cx, c->passes, own, &m);
    if (st == WEFT_OK) st = weft_print_module(m, WEFT_PRINT_PRETTY, text);
    weft_module_free(m);
    return st;
}

static void check_case(const char *file, const pass_case *c, ownership own) {
    weft_context *cx = weft_context_new(NULL);
    weft_buf got;
    weft_buf_init(&got, &cx->alloc);
    weft_status st = run_case(cx, c, own, &got);
    ck_assert_msg(st == WEFT_OK, "%.*s: %s", WEFT_STR_ARG(c->about),
                  weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "failed");
    ck_assert_msg(weft_str_is(c->after, got.p), "%s, %.*s%s:\n%s\nnot\n%.*s", file, WEFT_STR_ARG(c->about),
                  own == OWNED ? ", in place" : "", got.p, WEFT_STR_ARG(c->after));
    weft_buf_free(&got);
    weft_context_free(cx);
}

START_TEST(leaves_what_shardy_leaves) {
    char *text = slurp(files[_i]);
    const char *at = text;
    pass_case c;
    uint32_t n = 0;
    for (; next_case(&at, &c); n++) {
        check_case(files[_i], &c, LENT);
        check_case(files[_i], &c, OWNED);
    }
    ck_assert_uint_gt(n, 0);
    free(text);
}
END_TEST

typedef struct owned_case { const pass_case *c; ownership own; } owned_case;

static weft_status run_and_drop(weft_context *cx, void *user) {
    weft_buf text;
    weft_buf_init(&text, &cx->alloc);
    const owned_case *x = user;
    weft_status st = run_case(cx, x->c, x->own, &text);
    weft_buf_free(&text);
    return st;
}

START_TEST(survives_failing_memory) {
    char *text = slurp(files[_i]);
    const char *at = text;
    pass_case c;
    while (next_case(&at, &c)) {
        weft_test_each_failure(run_and_drop, &(owned_case){ &c, LENT });
        weft_test_each_failure(run_and_drop, &(owned_case){ &c, OWNED });
    }
    free(text);
}
END_TEST

int main(void) {
    Suite *s = suite_create("propagate/passes");
    TCase *tc = tcase_create("passes");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, leaves_what_shardy_leaves, 0, WEFT_COUNT(files));
    tcase_add_loop_test(tc, survives_failing_memory, 0, WEFT_COUNT(files));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
