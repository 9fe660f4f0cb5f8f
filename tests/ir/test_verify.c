/* The verifier's rules, one file of cases per family: tests/ir/verify_*.mlir. A case is a module that begins with
 *
 *     // error LINE:COLUMN MESSAGE     the first diagnostic; the line counts from this comment
 *     // ok                            no diagnostic
 */
#include <stdio.h>
#include "base/context.h"
#include "ir/builder.h"
#include "ir/verify.h"
#include "mlir/read.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

static const char *const files[] = {
    "pointwise", "shape",   "gather", "dot",    "reduce", "control",  "collective",
    "dynamic",   "outside", "other",  "module", "quant",  "sharding", "ok",
};

static char *read_all(const char *name) {
    char path[1024];
    const char *top = getenv("top_srcdir");
    snprintf(path, sizeof path, "%s/tests/ir/verify_%s.mlir", top ? top : ".", name);
    FILE *f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "cannot open %s", path);
    char *text = calloc(1, 1 << 20);
    ck_assert(text && fread(text, 1, (1 << 20) - 1, f) < (1 << 20) - 1);
    fclose(f);
    return text;
}

/* "LINE:COLUMN MESSAGE" of the first diagnostic, or "ok". */
static void first_message(weft_context *cx, weft_str text, char *out, size_t size) {
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, text, "case.mlir", WEFT_READ_NO_VERIFY, &m);
    if (st == WEFT_OK) st = weft_verify_module(cx, m);
    const weft_diag *d = weft_context_diag(cx, 0);
    if (st == WEFT_OK && !d) snprintf(out, size, "ok");
    else if (!d) snprintf(out, size, "%s without a message", weft_status_name(st));
    else snprintf(out, size, "error %lld:%lld %s", (long long)d->line, (long long)d->column, d->message);
    if (m) weft_module_free(m);
}

/* Calls use with each case of text. */
static int each_case(char *text, void (*use)(weft_str c)) {
    static const char separator[] = "// -----\n";
    int count = 0;
    for (char *at = strstr(text, separator), *end; at; at = end) {
        at += sizeof separator - 1;
        end = strstr(at, separator);
        use((weft_str){ at, end ? (size_t)(end - at) : strlen(at) });
        count++;
    }
    return count;
}

static void check_case(weft_str c) {
    char got[1024], want[1024];
    weft_context *cx = weft_context_new(NULL);
    const char *eol = memchr(c.p, '\n', c.n);
    snprintf(want, sizeof want, "%.*s", (int)(eol - c.p - 3), c.p + 3);
    if (!strncmp(want, "ok", 2)) want[2] = '\0';
    first_message(cx, c, got, sizeof got);
    ck_assert_msg(!strcmp(got, want), "\n%.*s\n  got:  %s\n  want: %s", WEFT_STR_ARG(c), got, want);
    weft_context_free(cx);
}

START_TEST(says_what_is_wrong) {
    char *text = read_all(files[_i]);
    ck_assert_int_gt(each_case(text, check_case), 5);
    free(text);
}
END_TEST

static weft_status read_and_verify(weft_context *cx, void *user) {
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, *(weft_str *)user, "case.mlir", WEFT_READ_NO_VERIFY, &m);
    if (st == WEFT_OK) st = weft_verify_module(cx, m);
    if (m) weft_module_free(m);
    return st;
}

static void check_memory(weft_str c) { weft_test_each_failure(read_and_verify, &c); }

START_TEST(survives_failing_memory) {
    char *text = read_all("ok");
    each_case(text, check_memory);
    free(text);
}
END_TEST

/* What text cannot say: an operand that comes later, or from a block that has ended. */
static weft_module *read_ok(weft_context *cx, const char *text) {
    weft_module *m = NULL;
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(text), "m", 0, &m), WEFT_OK);
    return m;
}

START_TEST(operands_must_be_visible) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = read_ok(cx, "func.func @f(%a: tensor<f32>, %p: tensor<i1>) {\n"
                                 "  %0 = stablehlo.negate %a : tensor<f32>\n"
                                 "  %1 = stablehlo.negate %0 : tensor<f32>\n"
                                 "  %2 = \"stablehlo.if\"(%p) ({\n"
                                 "    %4 = stablehlo.negate %1 : tensor<f32>\n"
                                 "    \"stablehlo.return\"(%4) : (tensor<f32>) -> ()\n"
                                 "  }, {\n"
                                 "    \"stablehlo.return\"(%1) : (tensor<f32>) -> ()\n"
                                 "  }) : (tensor<i1>) -> tensor<f32>\n"
                                 "  %3 = stablehlo.negate %2 : tensor<f32>\n"
                                 "  return\n"
                                 "}\n");
    weft_op *first = weft_op_body(weft_module_main(m), 0)->first, *second = first->next, *branch = second->next,
            *last = branch->next;
    weft_value *was = first->operands[0], *inner = &branch->regions[0].first->first->results[0];
    first->operands[0] = &second->results[0];
    ck_assert_int_eq(weft_verify_module(cx, m), WEFT_ERR_INVALID);
    ck_assert_str_eq(weft_context_diag(cx, 0)->message, "'stablehlo.negate': operand 0 is not defined before its use");
    ck_assert_int_eq(weft_context_diag(cx, 0)->line, 2);
    ck_assert_int_eq(weft_context_diag(cx, 1)->severity, WEFT_NOTE);
    ck_assert_int_eq(weft_context_diag(cx, 1)->line, 3);
    first->operands[0] = was;
    last->operands[0] = inner; /* of a block that has ended */
    ck_assert_int_eq(weft_verify_module(cx, m), WEFT_ERR_INVALID);
    ck_assert_int_eq(weft_context_diag(cx, 2)->line, 10);
    weft_op *other = weft_op_body(branch, 1)->first;
    last->operands[0] = &branch->results[0];
    other->operands[0] = inner; /* of the sister region */
    ck_assert_int_eq(weft_verify_module(cx, m), WEFT_ERR_INVALID);
    ck_assert_int_eq(weft_context_diag(cx, 4)->line, 8);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

START_TEST(only_the_first_is_reported) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    const char *text = "func.func @f(%a: tensor<2xf32>, %b: tensor<3xf32>) {\n"
                       "  %0 = \"stablehlo.add\"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<4xf32>\n"
                       "  %1 = \"stablehlo.negate\"(%0) : (tensor<4xf32>) -> tensor<4xf32>\n"
                       "  %2 = \"stablehlo.negate\"(%0) : (tensor<4xf32>) -> tensor<5xf32>\n"
                       "  return\n"
                       "}\n";
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(text), "m", WEFT_READ_NO_VERIFY, &m), WEFT_OK);
    ck_assert_int_eq(weft_verify_module(cx, m), WEFT_ERR_INVALID);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    ck_assert_int_eq(weft_context_diag(cx, 0)->line, 2);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("ir/verify");
    TCase *tc = tcase_create("verify");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, says_what_is_wrong, 0, WEFT_COUNT(files));
    tcase_add_test(tc, survives_failing_memory);
    tcase_add_test(tc, operands_must_be_visible);
    tcase_add_test(tc, only_the_first_is_reported);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
