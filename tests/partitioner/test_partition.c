/* From annotations to one device's program: properties of every program. */
#include <stdio.h>
#include "ir/verify.h"
#include "mlir/print.h"
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "tests/support/alloc.h"
#include "tests/support/random_module.h"
#include "tests/support/suite.h"

/* A step of training with every kind of traffic: batches over "a", a layer and a table over "b". %d: their sizes. */
static const char program[] =
    "module {\n"
    "  sdy.mesh @mesh = <[\"a\"=%d, \"b\"=%d]>\n"
    "  func.func public @main(%%w: tensor<256x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}, {\"b\"}]>}, "
    "%%v: tensor<512x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"b\"}, {\"a\"}]>}, "
    "%%t: tensor<1024x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"b\"}, {}]>}, "
    "%%i: tensor<256x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}, {}]>}) -> "
    "(tensor<f32>, tensor<256x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}, {\"b\"}]>}) {\n"
    "    %%0 = \"stablehlo.gather\"(%%t, %%i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], "
    "start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 256>}> : "
    "(tensor<1024x256xf32>, tensor<256x1xi32>) -> tensor<256x256xf32>\n"
    "    %%1 = stablehlo.dot_general %%0, %%w, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x512xf32>) -> tensor<256x512xf32>\n"
    "    %%2 = stablehlo.tanh %%1 : tensor<256x512xf32>\n"
    "    %%3 = stablehlo.dot_general %%2, %%v, contracting_dims = [1] x [0] : (tensor<256x512xf32>, tensor<512x256xf32>) -> tensor<256x256xf32>\n"
    "    %%cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>\n"
    "    %%4 = stablehlo.reduce(%%3 init: %%cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<256x256xf32>, tensor<f32>) -> tensor<f32>\n"
    "    %%5 = stablehlo.dot_general %%0, %%2, contracting_dims = [0] x [0] : (tensor<256x256xf32>, tensor<256x512xf32>) -> tensor<256x512xf32>\n"
    "    %%6 = stablehlo.subtract %%w, %%5 : tensor<256x512xf32>\n"
    "    return %%4, %%6 : tensor<f32>, tensor<256x512xf32>\n"
    "  }\n"
    "}\n";

/* A computation in another, a collective of the program's own, and reshards around them. */
static const char computations[] =
    "module {\n"
    "  sdy.mesh @mesh = <[\"a\"=4, \"b\"=2]>\n"
    "  func.func public @main(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"b\"}, {}]>}) -> tensor<8x6xf32> {\n"
    "    %0 = sdy.named_computation<\"f\">(%x) in_shardings=[<@mesh, [{\"a\"}, {}]>] out_shardings=[<@mesh, [{}, {\"b\"}]>] (%y: tensor<8x6xf32>) {\n"
    "      %1 = sdy.manual_computation(%y) in_shardings=[<@mesh, [{\"a\"}, {}]>] out_shardings=[<@mesh, [{\"a\"}, {\"b\"}]>] "
    "manual_axes={\"a\"} (%z: tensor<2x6xf32>) {\n"
    "        %2 = stablehlo.tanh %z : tensor<2x6xf32>\n"
    "        %3 = \"stablehlo.all_reduce\"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
    "replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({\n"
    "        ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n"
    "          %r = stablehlo.add %p, %q : tensor<f32>\n"
    "          stablehlo.return %r : tensor<f32>\n"
    "        }) : (tensor<2x6xf32>) -> tensor<2x6xf32>\n"
    "        sdy.return %3 : tensor<2x6xf32>\n"
    "      } : (tensor<8x6xf32>) -> tensor<8x6xf32>\n"
    "      sdy.return %1 : tensor<8x6xf32>\n"
    "    } : (tensor<8x6xf32>) -> tensor<8x6xf32>\n"
    "    return %0 : tensor<8x6xf32>\n"
    "  }\n"
    "}\n";

static weft_status partition_text(weft_context *cx, const char *text, weft_buf *out) {
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, weft_str_from(text), "step.mlir", 0, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(cx, WEFT_STR("weft-partition"), 0, &m);
    if (st == WEFT_OK) st = weft_verify_module(cx, m);
    if (st == WEFT_OK && out) st = weft_print_module(m, WEFT_PRINT_PRETTY, out);
    weft_module_free(m);
    return st;
}

/* Ops in the partitioned program over a mesh of these sizes. */
static int ops_over(int a, int b) {
    char text[4096];
    weft_context *cx = weft_context_new(NULL);
    weft_buf out;
    int lines = 0;
    snprintf(text, sizeof text, program, a, b);
    weft_buf_init(&out, &cx->alloc);
    ck_assert_int_eq(partition_text(cx, text, &out), WEFT_OK);
    ck_assert_ptr_nonnull(strstr(out.p, "replica_group_mesh_axes"));
    for (const char *p = out.p; (p = strchr(p, '\n')); p++) lines++;
    weft_buf_free(&out);
    weft_context_free(cx);
    return lines;
}

START_TEST(text_does_not_grow_with_the_mesh) {
    int small = ops_over(4, 2); /* the plan may be another one on more devices, and no line is for one of them */
    ck_assert_int_lt(ops_over(16, 8), 2 * small);
    ck_assert_int_lt(ops_over(128, 16), 2 * small);
}
END_TEST

/* Values of two ranks that change places between the same devices, and windows along a cut dimension. %d: sizes of the
 * axes. */
static const char permuting[] =
    "module {\n"
    "  sdy.mesh @mesh = <[\"a\"=%d, \"b\"=%d]>\n"
    "  func.func public @main(%%x: tensor<4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\", \"b\"}]>}, "
    "%%y: tensor<4096x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\", \"b\"}, {}]>}) -> "
    "(tensor<4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"b\", \"a\"}]>}, "
    "tensor<4096x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"b\", \"a\"}, {}]>}, "
    "tensor<4096x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"b\", \"a\"}, {}]>}, "
    "tensor<4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\", \"b\"}]>}, tensor<4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\", \"b\"}]>}) {\n"
    "    %%0 = sdy.sharding_constraint %%y <@mesh, [{\"a\", \"b\"}, {}]> : tensor<4096x2xf32>\n"
    "    %%1 = stablehlo.tanh %%0 : tensor<4096x2xf32>\n"
    "    %%cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>\n"
    "    %%2 = stablehlo.pad %%x, %%cst, low = [1], high = [-1], interior = [0] : (tensor<4096xf32>, tensor<f32>) -> tensor<4096xf32>\n"
    "    %%3 = stablehlo.tanh %%x : tensor<4096xf32>\n"
    "    %%4 = stablehlo.pad %%3, %%cst, low = [1], high = [-1], interior = [0] : (tensor<4096xf32>, tensor<f32>) -> tensor<4096xf32>\n"
    "    return %%x, %%y, %%1, %%2, %%4 : tensor<4096xf32>, tensor<4096x2xf32>, tensor<4096x2xf32>, tensor<4096xf32>, tensor<4096xf32>\n"
    "  }\n"
    "}\n";

/* Ops along a dimension that is cut: a sort whose parts are uneven, the k largest, a transform in four steps, real
 * numbers in columns there and back, and by way of another dimension. */
static const char exchanging[] =
    "sdy.mesh @mesh = <[\"x\"=4]>\n"
    "func.func public @main(%a: tensor<4001xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}, "
    "%b: tensor<64xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}, "
    "%c: tensor<4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}, "
    "%d: tensor<3x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"x\"}]>}) -> "
    "(tensor<4001xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}, tensor<2xf32>, tensor<2xi32>, "
    "tensor<64xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}, "
    "tensor<4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}, "
    "tensor<3x33xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"x\"}]>}) {\n"
    "  %s = \"stablehlo.sort\"(%a) <{dimension = 0 : i64}> ({\n"
    "  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n"
    "    %g = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    stablehlo.return %g : tensor<i1>\n"
    "  }) : (tensor<4001xf32>) -> tensor<4001xf32>\n"
    "  %v, %i = chlo.top_k(%a, k = 2) : tensor<4001xf32> -> (tensor<2xf32>, tensor<2xi32>)\n"
    "  %f = stablehlo.fft %b, type = FFT, length = [64] : (tensor<64xcomplex<f32>>) -> tensor<64xcomplex<f32>>\n"
    "  %r = stablehlo.fft %c, type = RFFT, length = [4096] : (tensor<4096xf32>) -> tensor<2049xcomplex<f32>>\n"
    "  %q = stablehlo.fft %r, type = IRFFT, length = [4096] : (tensor<2049xcomplex<f32>>) -> tensor<4096xf32>\n"
    "  %m = stablehlo.fft %d, type = RFFT, length = [3, 64] : (tensor<3x64xf32>) -> tensor<3x33xcomplex<f32>>\n"
    "  return %s, %v, %i, %f, %q, %m : tensor<4001xf32>, tensor<2xf32>, tensor<2xi32>, tensor<64xcomplex<f32>>, "
    "tensor<4096xf32>, tensor<3x33xcomplex<f32>>\n"
    "}\n";

/* Indices that count along dimensions, with two components that do not. */
static const char counting[] =
    "sdy.mesh @mesh = <[\"x\"=4]>\n"
    "func.func public @main(%a: tensor<8x9x7x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}, {}, {}]>}, "
    "%i: tensor<8x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> "
    "(tensor<8x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) {\n"
    "  %n = stablehlo.iota dim = 0 : tensor<8x1xi32>\n"
    "  %j = stablehlo.concatenate %n, %i, dim = 1 : (tensor<8x1xi32>, tensor<8x2xi32>) -> tensor<8x3xi32>\n"
    "  %r = \"stablehlo.gather\"(%a, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
    "collapsed_slice_dims = [0, 1, 2], start_index_map = [0, 1, 2], index_vector_dim = 1>, "
    "slice_sizes = array<i64: 1, 1, 1, 5>}> : (tensor<8x9x7x5xf32>, tensor<8x3xi32>) -> tensor<8x5xf32>\n"
    "  return %r : tensor<8x5xf32>\n"
    "}\n";

static int count_of(const char *text, const char *what) {
    int n = 0;
    for (const char *p = text; (p = strstr(p, what)); p++) n++;
    return n;
}

/* Pairs are as many as devices: what permutes have in common is listed once, whatever they move. */
START_TEST(pairs_are_listed_once) {
    char text[4096];
    weft_context *cx = weft_context_new(NULL);
    weft_buf out;
    snprintf(text, sizeof text, permuting, 16, 8);
    weft_buf_init(&out, &cx->alloc);
    ck_assert_int_eq(partition_text(cx, text, &out), WEFT_OK);
    ck_assert_int_eq(count_of(out.p, "stablehlo.collective_permute"), 4);
    ck_assert_msg(count_of(out.p, "dense<\"0x") == 2, "%s", out.p);
    weft_buf_free(&out);
    weft_context_free(cx);
}
END_TEST

static weft_status partition_it(weft_context *cx, void *text) { return partition_text(cx, text, NULL); }

START_TEST(every_failing_allocation_is_survived) {
    char text[4096];
    snprintf(text, sizeof text, _i == 2 ? permuting : program, 4, 2);
    const char *const other[] = { text, computations, text, exchanging, counting };
    weft_test_each_failure(partition_it, (void *)other[_i]);
}
END_TEST

static const unsigned flavours[] = { 0, WEFT_RANDOM_SUB_AXES, WEFT_RANDOM_UNEVEN,
                                     WEFT_RANDOM_SUB_AXES | WEFT_RANDOM_UNEVEN };

static bool has_sdy_op(const weft_module *m) {
    const weft_op *main = weft_module_main(m);
    for (const weft_op *op = weft_op_body(main, 0)->first; op; op = op->next)
        if (!strncmp(op->name->text, "sdy.", 4)) return true;
    return false;
}

/* Random programs: each becomes valid StableHLO, the same on every run. That it computes the same is
 * test_partition.py's. */
START_TEST(random_programs_become_one_devices) {
    uint64_t seed = weft_test_seed(20261121) + (uint64_t)_i;
    weft_random_options opt = { .seed = seed, .flags = WEFT_RANDOM_MESH | flavours[_i % 4], .ops = 30 };
    char *texts[2];
    for (int run = 0; run < 2; run++) {
        weft_context *cx = weft_context_new(NULL);
        weft_module *m = NULL;
        weft_buf out;
        weft_buf_init(&out, &cx->alloc);
        ck_assert_int_eq(weft_random_module(cx, &opt, &m), WEFT_OK);
        weft_status st = weft_pipeline_run(cx, WEFT_STR("weft-partition"), WEFT_PIPELINE_VERIFY_EACH, &m);
        ck_assert_msg(st == WEFT_OK, "seed %llu: %s", (unsigned long long)seed,
                      weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "");
        ck_assert_msg(!has_sdy_op(m), "sdy is left, seed %llu", (unsigned long long)seed);
        ck_assert_int_eq(weft_print_module(m, WEFT_PRINT_PRETTY, &out), WEFT_OK);
        texts[run] = strdup(out.p);
        weft_buf_free(&out);
        weft_module_free(m);
        weft_context_free(cx);
    }
    ck_assert_msg(!strcmp(texts[0], texts[1]), "two runs differ, seed %llu", (unsigned long long)seed);
    free(texts[0]);
    free(texts[1]);
}
END_TEST

int main(void) {
    Suite *s = suite_create("partition");
    TCase *tc = tcase_create("programs");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, text_does_not_grow_with_the_mesh);
    tcase_add_test(tc, pairs_are_listed_once);
    tcase_add_loop_test(tc, every_failing_allocation_is_survived, 0, 5);
    tcase_add_loop_test(tc, random_programs_become_one_devices, 0, 100);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
