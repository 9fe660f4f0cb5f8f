/* The devices that collectives join, spelled out once. */
#include "ir/process.h"

#include "mlir/read.h"
#include "tests/support/suite.h"

#define REDUCE(groups, more) \
    "%r" #groups "_" #more " = \"stablehlo.all_reduce\"(%x) <{replica_groups = dense<" GROUPS_##groups \
    "> : tensor<1x2xi64>" MORE_##more "}> ({\n" \
    "^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%s = stablehlo.add %a, %b : tensor<f32>\n\"stablehlo.return\"(%s) : (tensor<f32>) -> ()\n" \
    "}) : (tensor<4xf32>) -> tensor<4xf32>\n"
#define GROUPS_0 "[[0, 1]]"
#define GROUPS_1 "[[1, 0]]"
#define MORE_0 ""
#define MORE_1 ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
#define MORE_2 ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids"
#define PERMUTE \
    "\"stablehlo.collective_permute\"(%x) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>\n"

static const char text[] =
    "module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 2 : i32} {\n"
    "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    REDUCE(0, 0) REDUCE(0, 1) REDUCE(0, 2) REDUCE(1, 0) "%p = " PERMUTE "%q = " PERMUTE
    "return %x : tensor<4xf32>\n}\n}\n";

/* Two meanings of equal groups are apart, whatever was asked for first; equal ones have one list. */
START_TEST(test_known) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m;
    weft_grid grid;
    weft_group_list list = weft_group_list_in(&cx->arena);
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(text), "m", 0, &m), WEFT_OK);
    ck_assert_int_eq(weft_grid_of(m, 4, &grid), WEFT_OK);
    for (int round = 0; round < 2; round++) {
        uint32_t ops = 0;
        WEFT_EACH_OP(op, weft_op_body(weft_module_main(m), 0)) {
            const weft_known_groups *known;
            weft_process_groups own;
            if (!weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_COLLECTIVE)) continue;
            ck_assert_int_eq(weft_known_groups_of(&list, m, op, grid, &known), WEFT_OK);
            ck_assert_int_eq(weft_process_groups_of(m, op, grid, &cx->arena, &own), WEFT_OK);
            ck_assert_int_eq(known->groups.count, own.count);
            ck_assert_int_eq(known->groups.size, own.size);
            for (int64_t i = 0; i < own.count * own.size; i++) ck_assert_int_eq(known->groups.ids[i], own.ids[i]);
            ck_assert_uint_eq(known->number, ops < 4 ? ops : 4);
            ops++;
        }
        ck_assert_uint_eq(ops, 6);
    }
    ck_assert_uint_eq(list.count, 5);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("ir/process");
    TCase *t = tcase_create("groups");
    tcase_add_test(t, test_known);
    suite_add_tcase(s, t);
    return weft_run_suite(s);
}
