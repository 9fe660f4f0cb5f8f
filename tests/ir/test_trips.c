/* Trip counts of loops over counters. */
#include <stdio.h>
#include "base/context.h"
#include "ir/trips.h"
#include "mlir/read.h"
#include "tests/support/suite.h"

static const struct { weft_dtype t; int64_t direction, from, to, by, want; } counts[] = {
    { WEFT_I32, WEFT_comparison_direction_LT, 0, 10, 1, 10 },
    { WEFT_I32, WEFT_comparison_direction_LE, 0, 10, 1, 11 },
    { WEFT_I32, WEFT_comparison_direction_LT, 0, 10, 3, 4 },
    { WEFT_I32, WEFT_comparison_direction_GT, 10, 0, -1, 10 },
    { WEFT_I32, WEFT_comparison_direction_GE, 10, 0, -2, 6 },
    { WEFT_I32, WEFT_comparison_direction_LT, 5, 5, 1, 0 },
    { WEFT_I32, WEFT_comparison_direction_LT, 9, 5, 1, 0 },
    { WEFT_I32, WEFT_comparison_direction_LT, 0, 10, -1, -1 },
    { WEFT_I32, WEFT_comparison_direction_LT, 0, 10, 0, -1 },
    { WEFT_I32, WEFT_comparison_direction_GT, 0, 10, 1, 0 },
    { WEFT_I32, WEFT_comparison_direction_NE, 0, 10, 1, 10 },
    { WEFT_I32, WEFT_comparison_direction_NE, 10, 0, -2, 5 },
    { WEFT_I32, WEFT_comparison_direction_NE, 3, 3, 1, 0 },
    { WEFT_I32, WEFT_comparison_direction_NE, 0, 10, 0, -1 },
    { WEFT_I32, WEFT_comparison_direction_NE, 0, 10, 3, -1 },        /* long after, having come round */
    { WEFT_I64, WEFT_comparison_direction_NE, INT64_MIN, 0, -1, -1 },
    { WEFT_I64, WEFT_comparison_direction_NE, 0, INT64_MIN, -1, -1 },
    { WEFT_I8, WEFT_comparison_direction_NE, 120, -120, 4, 4 },
    { WEFT_I8, WEFT_comparison_direction_NE, 0, 1, 3, 171 },
    { WEFT_I8, WEFT_comparison_direction_NE, 0, 1, 2, -1 },
    { WEFT_UI8, WEFT_comparison_direction_NE, 5, 250, -1, 11 },
    { WEFT_I32, WEFT_comparison_direction_EQ, 1, 2, 1, 0 },
    { WEFT_I32, WEFT_comparison_direction_EQ, 2, 2, 1, 1 },
    { WEFT_I32, WEFT_comparison_direction_EQ, 2, 2, 0, -1 },
    { WEFT_I64, WEFT_comparison_direction_LE, 0, INT64_MAX, 1, -1 },
    { WEFT_I64, WEFT_comparison_direction_LT, INT64_MIN, INT64_MAX, 1, -1 },
    { WEFT_UI64, WEFT_comparison_direction_LT, 0, -1, 1, -1 },
    { WEFT_UI64, WEFT_comparison_direction_LT, 0, -1, INT64_MAX, -1 },
    { WEFT_UI64, WEFT_comparison_direction_GT, -1, 1, -INT64_MAX, 2 },
    /* narrow counters: straight to the limit, round, and without end */
    { WEFT_UI8, WEFT_comparison_direction_LT, 0, 200, 100, 2 },
    { WEFT_UI8, WEFT_comparison_direction_LT, 0, 250, 100, 23 },
    { WEFT_I8, WEFT_comparison_direction_LT, -128, 127, 85, 3 },
    { WEFT_I8, WEFT_comparison_direction_LT, 0, 100, 90, 4 },
    { WEFT_I8, WEFT_comparison_direction_LE, 0, 127, 1, -1 },
    { WEFT_UI8, WEFT_comparison_direction_GE, 5, 0, 255, -1 },
    { WEFT_UI8, WEFT_comparison_direction_GT, 5, 0, 255, 5 },
    { WEFT_I4, WEFT_comparison_direction_LT, 0, 7, 3, 13 },
    { WEFT_UI16, WEFT_comparison_direction_LT, 0, 65535, 1, 65535 },
    { WEFT_UI16, WEFT_comparison_direction_LT, 1, 65535, 2, 32767 },
    { WEFT_I32, WEFT_comparison_direction_LT, 0, INT32_MAX, 1 << 30, -1 },
    { WEFT_I32, WEFT_comparison_direction_GT, 0, -5, INT32_MAX, 6 },
};

START_TEST(a_count) {
    const weft_counter c = { 0, counts[_i].t, counts[_i].direction, counts[_i].from, counts[_i].to, counts[_i].by };
    ck_assert_int_eq(weft_counter_trips(&c), counts[_i].want);
}
END_TEST

/* A loop over %i from %c, with a value %k that it carries and returns as `last` says. */
static const struct { const char *start, *test, *step, *last; int64_t want; bool unchanged; } loops[] = {
    { "dense<0>", "stablehlo.compare LT, %i, %n", "stablehlo.add %i, %one", "%k", 7, true },
    { "dense<2>", "stablehlo.compare LT, %i, %n", "stablehlo.add %one, %i", "%k", 5, true },
    { "dense<0>", "stablehlo.compare LT, %i, %k", "stablehlo.add %i, %one", "%k", 12, true },   /* the limit is carried */
    { "dense<0>", "stablehlo.compare LT, %i, %k", "stablehlo.add %i, %one", "%one", -1, false },  /* and changes */
    { "dense<0>", "stablehlo.compare LT, %i, %k", "stablehlo.add %i, %one", "%c12", 12, true },   /* what the loop is given */
    { "dense<0>", "stablehlo.compare LT, %n, %i", "stablehlo.add %i, %one", "%k", 0, true },
    { "dense<0>", "stablehlo.compare GT, %n, %i", "stablehlo.add %i, %one", "%k", 7, true },
    { "dense<0>", "stablehlo.compare GE, %n, %i", "stablehlo.add %i, %one", "%k", 8, true },
    { "dense<0>", "stablehlo.compare NE, %n, %i", "stablehlo.add %i, %one", "%k", 7, true },
    { "dense<10>", "stablehlo.compare GT, %i, %n", "stablehlo.subtract %i, %one", "%k", 3, true },
    { "dense<10>", "stablehlo.compare LT, %n, %i", "stablehlo.subtract %i, %one", "%k", 3, true },
    { "dense<10>", "stablehlo.compare GT, %i, %n", "stablehlo.subtract %one, %i", "%k", -1, true },
    { "dense<0>", "stablehlo.compare LT, %i, %j", "stablehlo.add %i, %one", "%k", -1, true },
    { "dense<0>", "stablehlo.compare LT, %i, %n", "stablehlo.multiply %i, %one", "%k", -1, true },
    { "dense<0>", "stablehlo.compare LT, %i, %n", "stablehlo.add %i, %j", "%k", -1, true },
};

START_TEST(a_loop) {
    char text[2048];
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    snprintf(text, sizeof text,
             "func.func @main(%%j: tensor<i32>) -> tensor<i32> {\n"
             "  %%c = stablehlo.constant %s : tensor<i32>\n  %%c12 = stablehlo.constant dense<12> : tensor<i32>\n"
             "  %%0:2 = stablehlo.while(%%i = %%c, %%k = %%c12) : tensor<i32>, tensor<i32>\n  cond {\n"
             "    %%n = stablehlo.constant dense<7> : tensor<i32>\n"
             "    %%t = %s : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %%t : tensor<i1>\n  } do {\n"
             "    %%one = stablehlo.constant dense<1> : tensor<i32>\n    %%s = %s : tensor<i32>\n    stablehlo.return %%s, %s : tensor<i32>, tensor<i32>\n  }\n"
             "  return %%0#0 : tensor<i32>\n}\n",
             loops[_i].start, loops[_i].test, loops[_i].step, loops[_i].last);
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(text), "loop.mlir", 0, &m), WEFT_OK);
    const weft_op *loop = weft_op_body(weft_module_main(m), 0)->first;
    while (loop->kind != WEFT_OP_while) loop = loop->next;
    ck_assert_int_eq(weft_loop_trips(loop), loops[_i].want);
    ck_assert_int_eq(weft_loop_unchanged(loop, 1) != NULL, loops[_i].unchanged);
    ck_assert_ptr_null(weft_loop_unchanged(loop, 0));
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("ir/trips");
    TCase *tc = tcase_create("trips");
    tcase_add_loop_test(tc, a_count, 0, WEFT_COUNT(counts));
    tcase_add_loop_test(tc, a_loop, 0, WEFT_COUNT(loops));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
