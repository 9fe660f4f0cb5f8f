/* The work per op. */
#include <stdio.h>
#include "base/context.h"
#include "cost/op.h"
#include "ir/verify.h"
#include "mlir/read.h"
#include "tests/support/random_module.h"
#include "tests/support/suite.h"

/* The first op of a function over %a, %b, ... and its work. */
#define REGION(op, t) \
    " ({\n^bb0(%x: tensor<" t ">, %y: tensor<" t ">):\n%s = stablehlo." op " %x, %y : tensor<" t \
    ">\n\"stablehlo.return\"(%s) : (tensor<" t ">) -> ()\n}) : "
static const struct { const char *args, *op; weft_op_cost want; } ops[] = {
    { "%a: tensor<4x8xf32>", "stablehlo.add %a, %a : tensor<4x8xf32>", { 32, 0, 256, 128 } },
    { "%a: tensor<4x8xf32>", "stablehlo.tanh %a : tensor<4x8xf32>", { 0, 32, 128, 128 } },
    { "%a: tensor<4x8xbf16>", "stablehlo.convert %a : (tensor<4x8xbf16>) -> tensor<4x8xf32>", { 0, 0, 64, 128 } },
    { "%a: tensor<4x8xf32>", "stablehlo.reshape %a : (tensor<4x8xf32>) -> tensor<32xf32>", { 0, 0, 0, 0 } },
    { "%a: tensor<8xf32>", "stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>", { 0, 0, 32, 128 } },
    { "%a: tensor<16x8xf32>", "stablehlo.slice %a [0:4, 0:8] : (tensor<16x8xf32>) -> tensor<4x8xf32>", { 0, 0, 128, 128 } },
    { "%a: tensor<16x8xf32>, %u: tensor<2x8xf32>, %i: tensor<i32>", "stablehlo.dynamic_update_slice %a, %u, %i, %i : (tensor<16x8xf32>, tensor<2x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>", { 0, 0, 72, 64 } },
    { "%a: tensor<3x4x8xf32>, %b: tensor<3x8x5xf32>", "stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x4x8xf32>, tensor<3x8x5xf32>) -> tensor<3x4x5xf32>", { 2 * 3 * 4 * 5 * 8, 0, 4 * (96 + 120), 4 * 60 } },
    { "%a: tensor<4x8xcomplex<f32>>, %b: tensor<8x5xcomplex<f32>>", "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xcomplex<f32>>, tensor<8x5xcomplex<f32>>) -> tensor<4x5xcomplex<f32>>", { 8 * 4 * 5 * 8, 0, 8 * 72, 8 * 20 } },
    { "%a: tensor<4x8xf32>, %z: tensor<f32>", "\"stablehlo.reduce\"(%a, %z) <{dimensions = array<i64: 1>}>" REGION("add", "f32") "(tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>", { 28, 0, 132, 16 } },
    { "%a: tensor<4x8xf32>, %z: tensor<f32>", "\"stablehlo.reduce\"(%a, %z) <{dimensions = array<i64: 1>}>" REGION("power", "f32") "(tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>", { 0, 28, 132, 16 } },
    { "%a: tensor<9x8xf32>, %i: tensor<2x1xi32>, %u: tensor<2x8xf32>", "\"stablehlo.scatter\"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}>" REGION("add", "f32") "(tensor<9x8xf32>, tensor<2x1xi32>, tensor<2x8xf32>) -> tensor<9x8xf32>", { 16, 0, 8 + 64 + 64, 64 } },
    { "%a: tensor<9x8xf32>, %i: tensor<2x1xi32>", "\"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<9x8xf32>, tensor<2x1xi32>) -> tensor<2x8xf32>", { 0, 0, 72, 64 } },
    { "%a: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x6xf32>", "\"stablehlo.convolution\"(%a, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>", { 2.0 * 36 * 6 * 9 * 4, 0, 4 * (256 + 216), 4 * 216 } },
    /* with padding 1 the 8 positions of a row see 2, 3, ... 3, 2 elements: 22 */
    { "%a: tensor<1x8x4xf32>, %k: tensor<3x4x6xf32>", "\"stablehlo.convolution\"(%a, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, padding = dense<1> : tensor<1x2xi64>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x8x6xf32>", { 2.0 * 22 * 4 * 6, 0, 4 * (32 + 72), 4 * 48 } },
    /* windows of 3; and a running sum of rows, from either end: a step for each element, not a window's */
    { "%a: tensor<4x8xf32>, %z: tensor<f32>", "\"stablehlo.reduce_window\"(%a, %z) <{window_dimensions = array<i64: 1, 3>}>" REGION("add", "f32") "(tensor<4x8xf32>, tensor<f32>) -> tensor<4x6xf32>", { 4 * 6 * 2, 0, 132, 96 } },
    { "%a: tensor<4x8xf32>, %z: tensor<f32>", "\"stablehlo.reduce_window\"(%a, %z) <{window_dimensions = array<i64: 1, 8>, padding = dense<[[0, 0], [7, 0]]> : tensor<2x2xi64>}>" REGION("add", "f32") "(tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>", { 32, 0, 132, 128 } },
    { "%a: tensor<4x8xf32>, %z: tensor<f32>", "\"stablehlo.reduce_window\"(%a, %z) <{window_dimensions = array<i64: 1, 8>, padding = dense<[[0, 0], [0, 7]]> : tensor<2x2xi64>}>" REGION("add", "f32") "(tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>", { 32, 0, 132, 128 } },
    { "%a: tensor<4x8xf32>, %z: tensor<f32>", "\"stablehlo.reduce_window\"(%a, %z) <{window_dimensions = array<i64: 1, 8>, padding = dense<[[0, 0], [4, 3]]> : tensor<2x2xi64>}>" REGION("add", "f32") "(tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>", { 32 * 7, 0, 132, 128 } },
    { "%a: tensor<4x16xf32>", "\"stablehlo.sort\"(%a) <{dimension = 1 : i64}> ({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n%s = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n\"stablehlo.return\"(%s) : (tensor<i1>) -> ()\n}) : (tensor<4x16xf32>) -> tensor<4x16xf32>", { 4 * 16 * 4, 0, 256, 256 } },
    { "%a: tensor<2x9x9xf32>", "stablehlo.cholesky %a, lower = true : tensor<2x9x9xf32>", { 2 * 9 * 9 * 3, 0, 648, 648 } },
    { "%a: tensor<8xf32>", "\"stablehlo.all_reduce\"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>" REGION("add", "f32") "(tensor<8xf32>) -> tensor<8xf32>", { 8, 0, 32, 32 } },
    { "%a: tensor<2x3xf32>, %b: tensor<3x4xf32>", "\"stablehlo.einsum\"(%a, %b) <{einsum_config = \"ab,bc->ac\"}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>", { 48, 0, 72, 32 } },
};

START_TEST(an_op_costs) {
    char text[4096];
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_op_cost got;
    snprintf(text, sizeof text, "func.func @main(%s) {\n%%0 = %s\nreturn\n}\n", ops[_i].args, ops[_i].op);
    weft_status st = weft_read_text(cx, weft_str_from(text), "m", 0, &m);
    ck_assert_msg(st == WEFT_OK, "%s: %s", text, weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "?");
    ck_assert_int_eq(weft_cost_op(weft_op_body(weft_module_main(m), 0)->first, &got), WEFT_OK);
    ck_assert_double_eq(got.flops, ops[_i].want.flops);
    ck_assert_double_eq(got.transcendentals, ops[_i].want.transcendentals);
    ck_assert_int_eq(got.read_bytes, ops[_i].want.read_bytes);
    ck_assert_int_eq(got.write_bytes, ops[_i].want.write_bytes);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

START_TEST(control_flow_counts_its_regions) {
    static const char text[] = "func.func @main(%a: tensor<8xf32>, %p: tensor<i1>) {\n"
                               "  %0 = call @g(%a) : (tensor<8xf32>) -> tensor<8xf32>\n"
                               "  %1 = \"stablehlo.if\"(%p) ({\n"
                               "    %2 = stablehlo.negate %a : tensor<8xf32>\n"
                               "    \"stablehlo.return\"(%2) : (tensor<8xf32>) -> ()\n"
                               "  }, {\n"
                               "    %2 = stablehlo.tanh %a : tensor<8xf32>\n"
                               "    \"stablehlo.return\"(%2) : (tensor<8xf32>) -> ()\n"
                               "  }) : (tensor<i1>) -> tensor<8xf32>\n"
                               "  return\n}\n"
                               "func.func private @g(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
                               "  %0 = stablehlo.add %a, %a : tensor<8xf32>\n"
                               "  %1 = stablehlo.add %0, %a : tensor<8xf32>\n"
                               "  return %1 : tensor<8xf32>\n}\n";
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_op_cost c;
    ck_assert_int_eq(weft_read_text(cx, WEFT_STR(text), "m", 0, &m), WEFT_OK);
    ck_assert_int_eq(weft_cost_block(weft_op_body(weft_module_main(m), 0), &c), WEFT_OK);
    ck_assert_double_eq(c.flops, 16 + 8);
    ck_assert_double_eq(c.transcendentals, 8);
    ck_assert_int_eq(c.read_bytes, 2 * 64 + 32); /* of the branches, which are alike in this, one */
    ck_assert_int_eq(c.write_bytes, 2 * 32 + 32);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

static weft_status cost_is_sound(void *user, weft_op *op) {
    weft_op_cost c;
    (void)user;
    ck_assert_int_eq(weft_cost_op(op, &c), WEFT_OK);
    ck_assert_msg(c.flops >= 0 && c.transcendentals >= 0 && c.read_bytes >= 0 && c.write_bytes >= 0, "%s",
                  weft_op_table[op->kind].name);
    return WEFT_OK;
}

START_TEST(every_op_of_random_programs_has_a_cost) {
    for (int i = 0; i < 50; i++) {
        weft_random_options opt = { .seed = weft_test_seed(100) + (uint64_t)i, .ops = 60 };
        weft_context *cx = weft_context_new(NULL);
        weft_module *m = NULL;
        ck_assert_int_eq(weft_random_module(cx, &opt, &m), WEFT_OK);
        ck_assert_int_eq(weft_module_walk(m, cost_is_sound, NULL), WEFT_OK);
        weft_module_free(m);
        weft_context_free(cx);
    }
}
END_TEST

int main(void) {
    Suite *s = suite_create("cost/op");
    TCase *tc = tcase_create("op");
    tcase_add_loop_test(tc, an_op_costs, 0, WEFT_COUNT(ops));
    tcase_add_test(tc, control_flow_counts_its_regions);
    tcase_add_test(tc, every_op_of_random_programs_has_a_cost);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
