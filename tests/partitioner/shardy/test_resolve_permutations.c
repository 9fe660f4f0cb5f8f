/* sdy-resolve-permutation-factors: properties of every program. test_exchanges.py checks the results of exchanges. */
#include <stdio.h>
#include "ir/verify.h"
#include "mlir/print.h"
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "tests/support/alloc.h"
#include "tests/support/random_module.h"
#include "tests/support/suite.h"

#define S "{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{\"x\"}, {\"y\"}]>]>}"

/* One of each way out: a window that is masked, one by table, a reverse with padding, an uneven reshape, reshards. */
static const char program[] =
    "module {\n"
    "  sdy.mesh @mesh = <[\"x\"=4, \"y\"=2], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>\n"
    "  func.func public @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>}, %f: tensor<f32>) "
    "-> (tensor<9x4xf32>, tensor<7x3xf32>, tensor<7x4xf32>, tensor<8x4xf32>, tensor<2x3xi32>) {\n"
    "    %0 = stablehlo.pad %a, %f, low = [1, 0], high = [0, 0], interior = [0, 0] " S
    " : (tensor<8x4xf32>, tensor<f32>) -> tensor<9x4xf32>\n"
    "    %1 = stablehlo.slice %a [1:8, 1:4] " S " : (tensor<8x4xf32>) -> tensor<7x3xf32>\n"
    "    %2 = stablehlo.slice %a [0:7, 0:4] " S " : (tensor<8x4xf32>) -> tensor<7x4xf32>\n"
    "    %3 = stablehlo.reverse %2, dims = [0] " S " : tensor<7x4xf32>\n"
    "    %4 = \"stablehlo.reduce_window\"(%a, %f) <{window_dimensions = array<i64: 3, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({\n"
    "    ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n"
    "      %s = stablehlo.add %p, %q : tensor<f32>\n"
    "      stablehlo.return %s : tensor<f32>\n"
    "    }) " S " : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>\n"
    "    %5 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>} : tensor<6xi32>\n"
    "    %6 = stablehlo.reshape %5 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{\"x\":(1)2}, {\"x\":(2)2}]>]>} : (tensor<6xi32>) -> tensor<2x3xi32>\n"
    "    return %0, %1, %3, %4, %6 : tensor<9x4xf32>, tensor<7x3xf32>, tensor<7x4xf32>, tensor<8x4xf32>, tensor<2x3xi32>\n"
    "  }\n"
    "}\n";

static const char *const specs[] = { "sdy-resolve-permutation-factors",
                                     "sdy-resolve-permutation-factors=enable-halo-exchange=false" };

static weft_status resolve_it(weft_context *cx, void *spec) {
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, WEFT_STR(program), "step.mlir", 0, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(cx, weft_str_from(spec), 0, &m);
    if (st == WEFT_OK) st = weft_verify_module(cx, m);
    weft_module_free(m);
    return st;
}

START_TEST(every_failing_allocation_is_survived) { weft_test_each_failure(resolve_it, (void *)(uintptr_t)specs[_i]); }
END_TEST

static void run(weft_context *cx, const char *spec, uint64_t seed, weft_module **m) {
    weft_status st = weft_pipeline_run(cx, weft_str_from(spec), WEFT_PIPELINE_VERIFY_EACH, m);
    ck_assert_msg(st == WEFT_OK, "seed %llu, %s: %s", (unsigned long long)seed, spec,
                  weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "");
}

static char *text_of(weft_context *cx, const weft_module *m) {
    weft_buf out;
    weft_buf_init(&out, &cx->alloc);
    ck_assert_int_eq(weft_print_module(m, WEFT_PRINT_PRETTY, &out), WEFT_OK);
    char *text = strdup(out.p);
    weft_buf_free(&out);
    return text;
}

static const unsigned flavours[] = { 0, WEFT_RANDOM_SUB_AXES, WEFT_RANDOM_UNEVEN,
                                     WEFT_RANDOM_SUB_AXES | WEFT_RANDOM_UNEVEN };

/* Random programs: the pass leaves a valid module in which it finds nothing more to do. */
START_TEST(done_once_is_done) {
    uint64_t seed = weft_test_seed(20261122) + (uint64_t)_i;
    weft_random_options opt = { .seed = seed, .flags = WEFT_RANDOM_MESH | flavours[_i % 4], .ops = 30 };
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    ck_assert_int_eq(weft_random_module(cx, &opt, &m), WEFT_OK);
    run(cx, "weft-propagate", seed, &m);
    run(cx, "sdy-insert-explicit-reshards=enable-full-version=true", seed, &m);
    run(cx, specs[_i / 4 % 2], seed, &m);
    char *once = text_of(cx, m);
    run(cx, specs[_i / 4 % 2], seed, &m);
    char *twice = text_of(cx, m);
    size_t line = 0;
    for (size_t i = 0; once[i] && once[i] == twice[i]; i++) line = once[i] == '\n' ? i + 1 : line;
    ck_assert_msg(!strcmp(once, twice), "seed %llu:\n%.600s\nbecomes\n%.600s", (unsigned long long)seed, once + line,
                  twice + line);
    free(once);
    free(twice);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("partitioner/resolve_permutations");
    TCase *tc = tcase_create("programs");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, every_failing_allocation_is_survived, 0, 2);
    tcase_add_loop_test(tc, done_once_is_done, 0, 160);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
