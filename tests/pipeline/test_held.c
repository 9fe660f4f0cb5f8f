/* Which values of a plan are replicated values of the program: of one op, type and shape, not their parts. */
#include "pipeline/memory.h"
#include "tests/support/suite.h"

static const char text[] =
    "sdy.mesh @mesh = <[\"x\"=2]>\n"
    "func.func @main(%a: tensor<512x64xf32>, %b: tensor<64x2048xf32>) -> tensor<512xf32> {\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<512x64xf32>, tensor<64x2048xf32>) -> "
    "tensor<512x2048xf32>\n"
    "  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<512x2048xf32>, "
    "tensor<f32>) -> tensor<512xf32>\n"
    "  return %1 : tensor<512xf32>\n"
    "}\n";

static const int64_t other_dims[] = { 2048, 512 };

static const struct {
    const char *what;
    weft_dtype dtype;      /* instead of the value's; NONE: its own */
    uint32_t rank;         /* 0: its own */
    const int64_t *dims;   /* NULL: its own */
    bool elsewhere, is_held;
} cases[] = {
    { "the value itself", WEFT_DTYPE_NONE, 0, NULL, false, true },
    { "another type", WEFT_I32, 0, NULL, false, false },
    { "another rank", WEFT_DTYPE_NONE, 1, NULL, false, false },
    { "another shape", WEFT_DTYPE_NONE, 0, other_dims, false, false },
    { "another place", WEFT_DTYPE_NONE, 0, NULL, true, false },
};

START_TEST(a_value_is_of_one_op_type_and_shape) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_built_program *p = NULL;
    const weft_held_whole *held = NULL;
    size_t count = 0, values = 0;
    const weft_build_options opt = { .compile_flags = WEFT_COMPILE_PLAN_ONLY };
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(text), "m.mlir", 0, &m), WEFT_OK);
    ck_assert_int_eq(weft_program_build(cx, m, &opt, &p), WEFT_OK);
    ck_assert_uint_eq(p->exec->plan.value_count, 1);
    weft_plan_value v = p->exec->plan.values[0];
    if (cases[_i].dtype != WEFT_DTYPE_NONE) v.dtype = cases[_i].dtype;
    if (cases[_i].rank) v.rank = cases[_i].rank;
    if (cases[_i].dims) v.dims = cases[_i].dims;
    if (cases[_i].elsewhere) v.loc = weft_loc_file(cx, weft_name_from(cx, "m.mlir"), 1, 1);
    p->exec->plan.values = &v;
    ck_assert_int_eq(weft_memory_held_whole(&cx->arena, p, &held, &count), WEFT_OK);
    for (size_t i = 0; i < count; i++) values += held[i].kind == WEFT_HELD_VALUE;
    ck_assert_msg(values == cases[_i].is_held, "%s: %zu", cases[_i].what, values);
    weft_built_program_free(p);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("pipeline/held");
    TCase *tc = tcase_create("held");
    tcase_add_loop_test(tc, a_value_is_of_one_op_type_and_shape, 0, WEFT_COUNT(cases));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
