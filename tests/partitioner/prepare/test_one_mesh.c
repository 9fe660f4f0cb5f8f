/* weft-one-mesh: every failing allocation is survived, and one mesh is left. test_meshes.py checks the
 * results. */
#include "ir/verify.h"
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

/* Ends in other orders, a manual computation told who it is, groups by axes and by numbers, and a move of the user's
 * own. */
static const char program[] =
    "module {\n"
    "  sdy.mesh @a = <[\"x\"=2, \"y\"=4]>\n"
    "  sdy.mesh @b = <[\"y\"=4, \"x\"=2]>\n"
    "  func.func public @main(%a: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@a, [{\"x\"}, {\"y\"}]>}, %q: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@b, [{\"y\"}, {}]>}) "
    "-> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@b, [{\"y\"}, {\"x\"}]>}, tensor<8xui32>, tensor<64x8xf32>) {\n"
    "    %0:2 = sdy.manual_computation(%q) in_shardings=[<@b, [{\"y\"}, {}]>] out_shardings=[<@b, [{\"y\"}, {}]>, <@b, [{\"y\", \"x\"}]>] manual_axes={\"x\", \"y\"} (%l: tensor<2x4xf32>) {\n"
    "      %p = stablehlo.partition_id : tensor<ui32>\n"
    "      %r = stablehlo.reshape %p : (tensor<ui32>) -> tensor<1xui32>\n"
    "      %1 = \"stablehlo.collective_permute\"(%l) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [2, 0]]> : tensor<2x2xi64>}> "
    ": (tensor<2x4xf32>) -> tensor<2x4xf32>\n"
    "      %2 = \"stablehlo.all_reduce\"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, "
    "replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @b, axes = [#stablehlo.axis_ref<name = \"y\">]>, use_global_device_ids}> ({\n"
    "      ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
    "        %s = stablehlo.add %x, %y : tensor<f32>\n"
    "        stablehlo.return %s : tensor<f32>\n"
    "      }) : (tensor<2x4xf32>) -> tensor<2x4xf32>\n"
    "      sdy.return %2, %r : tensor<2x4xf32>, tensor<1xui32>\n"
    "    } : (tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8xui32>)\n"
    "    %3 = sdy.all_gather [{\"x\"}, {\"y\"}] %a out_sharding=<@a, [{}, {}]> : tensor<64x8xf32>\n"
    "    return %0#0, %0#1, %3 : tensor<8x4xf32>, tensor<8xui32>, tensor<64x8xf32>\n"
    "  }\n"
    "}\n";

static weft_status run(weft_context *cx, const char *spec, weft_module **m) {
    *m = NULL;
    weft_status st = weft_read_text(cx, WEFT_STR(program), "program.mlir", 0, m);
    return st == WEFT_OK ? weft_pipeline_run(cx, weft_str_from(spec), WEFT_PIPELINE_VERIFY_EACH, m) : st;
}

static weft_status run_and_drop(weft_context *cx, void *spec) {
    weft_module *m;
    weft_status st = run(cx, spec, &m);
    weft_module_free(m);
    return st;
}

static const char *const specs[] = { "weft-one-mesh", "weft-partition" };

START_TEST(every_failing_allocation_is_survived) { weft_test_each_failure(run_and_drop, (void *)(uintptr_t)specs[_i]); }
END_TEST

static weft_status over_first(void *user, weft_op *op) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_sdy_sharding),
                    *s = a && a->kind == WEFT_ATTR_SHARDINGS && a->items.n ? a->items.v[0] : NULL;
    if (s) ck_assert(weft_str_is(weft_name_str(s->sharding.mesh->names.v[0]), "a"));
    if (op->kind == WEFT_OP_sdy_collective_permute) ++*(int *)user;
    return WEFT_OK;
}

START_TEST(inside_there_is_one) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m;
    int permutes = 0;
    ck_assert_int_eq(run(cx, "weft-one-mesh", &m), WEFT_OK);
    weft_module_walk(m, over_first, &permutes);
    ck_assert_int_eq(permutes, 2);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("partitioner/one_mesh");
    TCase *tc = tcase_create("program");
    tcase_set_timeout(tc, 240);
    tcase_add_loop_test(tc, every_failing_allocation_is_survived, 0, 2);
    tcase_add_test(tc, inside_there_is_one);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
