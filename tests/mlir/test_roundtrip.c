/* read(print(m)) is m: for files in MLIR's own spelling, for the programs of ../shared, and for random programs.
 *
 * tests/mlir/NAME.mlir are in the form in which MLIR itself prints them (test_roundtrip.py compares), so here the text
 * must be reproduced, also through the generic form and through text with locations. */
#include <glob.h>
#include "ir/builder.h"
#include "ir/verify.h"
#include "tests/mlir/text.h"
#include "tests/support/alloc.h"
#include "tests/support/random_module.h"
#include "tests/support/suite.h"

static const struct { const char *name; unsigned flags; } files[] = {
    { "attributes.mlir", 0 }, { "check.mlir", 0 }, { "chlo.mlir", 0 },   { "collectives.mlir", 0 }, { "control.mlir", 0 }, { "dot.mlir", 0 },
    { "linalg.mlir", 0 },     { "literals.mlir", 0 }, { "names.mlir", 0 },     { "pointwise.mlir", 0 }, { "reduce.mlir", 0 },
    { "sdy.mlir", 0 },        { "shape.mlir", 0 },  { "sharded.mlir", 0 }, { "nested.mlir", WEFT_READ_NO_VERIFY }, /* valid MLIR that Weft does not take further */
};

static void check_text(const char *text, unsigned flags, const char *name) {
    char *pretty = test_reprint(text, flags, WEFT_PRINT_PRETTY);
    if (strcmp(pretty, text)) ck_abort_msg("%s is printed differently:\n%s", name, pretty);
    char *generic = test_reprint(text, flags, WEFT_PRINT_GENERIC);
    char *back = test_reprint(generic, flags, WEFT_PRINT_PRETTY);
    if (strcmp(back, text)) ck_abort_msg("%s differs after the generic form:\n%s", name, generic);
    char *located = test_reprint(text, flags, WEFT_PRINT_LOCS), *again = test_reprint(located, flags, WEFT_PRINT_LOCS);
    ck_assert_str_eq(again, located);
    char *bare = test_reprint(located, flags, WEFT_PRINT_PRETTY);
    ck_assert_str_eq(bare, text);
    free(pretty);
    free(generic);
    free(back);
    free(located);
    free(again);
    free(bare);
}

START_TEST(keeps_file) {
    char *text = test_file(files[_i].name);
    check_text(text, files[_i].flags, files[_i].name);
    free(text);
}
END_TEST

/* Programs as JAX and Shardy printed them. Large ones are left to the benchmark. */
static const struct {
    const char *pattern;
    size_t most_bytes;
} shared[] = { { "programs/*.mlir", 200000 }, { "propagation/*/*.mlir", 300000 } };

START_TEST(keeps_shared_programs) {
    const char *top = getenv("WEFT_SHARED"), *src = getenv("top_srcdir");
    char pattern[1024];
    glob_t g;
    if (top) snprintf(pattern, sizeof pattern, "%s/%s", top, shared[_i].pattern);
    else snprintf(pattern, sizeof pattern, "%s/../shared/%s", src ? src : ".", shared[_i].pattern);
    if (glob(pattern, 0, NULL, &g)) {
        printf("skipped: no files match %s\n", pattern);
        return;
    }
    for (size_t i = 0; i < g.gl_pathc; i++) {
        char *text = test_slurp(g.gl_pathv[i]);
        ck_assert_ptr_nonnull(text);
        if (strlen(text) <= shared[_i].most_bytes) check_text(text, 0, g.gl_pathv[i]);
        free(text);
    }
    globfree(&g);
}
END_TEST

static const unsigned random_flags[] = {
    0,
    WEFT_RANDOM_MESH,
    WEFT_RANDOM_MESH | WEFT_RANDOM_UNEVEN,
    WEFT_RANDOM_MESH | WEFT_RANDOM_SUB_AXES | WEFT_RANDOM_PRIORITIES,
    WEFT_RANDOM_MESH | WEFT_RANDOM_MIXED,
};

START_TEST(keeps_random_programs) {
    for (int i = 0; i < 100; i++) {
        weft_random_options opt = { .seed = weft_test_seed(7) + (uint64_t)i,
                                    .flags = random_flags[i % WEFT_COUNT(random_flags)], .ops = 5 + (uint32_t)i % 40 };
        weft_context *cx = weft_context_new(NULL);
        weft_module *m = NULL;
        ck_assert_int_eq(weft_random_module(cx, &opt, &m), WEFT_OK);
        weft_buf out = test_print(m, WEFT_PRINT_PRETTY);
        char name[64];
        snprintf(name, sizeof name, "WEFT_SEED=%llu", (unsigned long long)opt.seed);
        check_text(out.p, 0, name);
        weft_buf_free(&out);
        weft_module_free(m);
        weft_context_free(cx);
    }
}
END_TEST

/* Ops that jaxlib's MLIR does not have, or not yet, so that no file above may use them. */
static const char newer[] =
    "sdy.mesh @m = <[\"x\"=2, \"y\"=2]>\n"
    "func.func @f(%a: tensor<8x4xf32>, %i: tensor<2x2xi32>, %z: tensor<2xi32>, %n: tensor<2xi64>, %g: tensor<3xi64>, %r: tensor<3x4x4xf32>) -> tensor<8x4xf32> {\n"
    "  %0 = \"stablehlo.dynamic_gather\"(%a, %i, %n) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], "
    "start_index_map = [0], index_vector_dim = 1>} : (tensor<8x4xf32>, tensor<2x2xi32>, tensor<2xi64>) -> tensor<2x?xf32>\n"
    "  %1 = \"stablehlo.collective_reduce\"(%a) ({\n"
    "  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
    "    %9 = stablehlo.add %x, %y : tensor<f32>\n"
    "    stablehlo.return %9 : tensor<f32>\n"
    "  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<8x4xf32>) -> tensor<8x4xf32>\n"
    "  %2 = \"stablehlo.async_start\"(%a) ({\n"
    "  ^bb0(%x: tensor<8x4xf32>):\n"
    "    %9 = stablehlo.negate %x : tensor<8x4xf32>\n"
    "    stablehlo.return %9 : tensor<8x4xf32>\n"
    "  }) : (tensor<8x4xf32>) -> !stablehlo.future<tensor<8x4xf32>>\n"
    "  %3 = \"stablehlo.async_done\"(%2) : (!stablehlo.future<tensor<8x4xf32>>) -> tensor<8x4xf32>\n"
    "  %4 = stablehlo.uniform_quantize %a : (tensor<8x4xf32>) -> tensor<8x4x!quant.uniform<i8:f32, 1.0:17>>\n"
    "  %5 = stablehlo.uniform_dequantize %4 : (tensor<8x4x!quant.uniform<i8:f32, 1.0:17>>) -> tensor<8x4xf32>\n"
    "  %6 = \"chlo.ragged_dot\"(%a, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], "
    "rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<8x4xf32>, tensor<3x4x4xf32>, tensor<3xi64>) -> tensor<8x4xf32>\n"
    "  %v, %k = chlo.top_k(%a, k = 2, is_stable = false) : tensor<8x4xf32> -> (tensor<8x2xf32>, tensor<8x2xi32>)\n"
    "  %7 = sdy.func_data_flow_edge %a : tensor<8x4xf32>\n"
    "  %8 = sdy.sharded_to_unreduced [{\"x\"}, {}] %7 out_sharding=<@m, [{}, {}], unreduced={\"x\"}> : tensor<8x4xf32>\n"
    "  %10 = sdy.replicated_to_unreduced {\"y\"} %7 out_sharding=<@m, [{}, {}], unreduced={\"y\"}> : tensor<8x4xf32>\n"
    "  %11 = sdy.reduce_scatter max [{\"x\"}, {}] %7 out_sharding=<@m, [{\"x\"}, {}]> : tensor<8x4xf32>\n"
    "  %12 = sdy.all_reduce min {\"x\"} %11 out_sharding=<@m, [{\"x\"}, {}]> : tensor<8x4xf32>\n"
    "  %13 = \"weft.assemble\"(%12, %a) <{dimension = 0 : i64, limit_indices = array<i64: 8, 7>, start_indices = array<i64: 7, 0>}> : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>\n"
    "  return %13 : tensor<8x4xf32>\n"
    "}\n";

START_TEST(keeps_newer_ops) {
    char *text = test_reprint(newer, WEFT_READ_NO_VERIFY, WEFT_PRINT_PRETTY);
    check_text(text, WEFT_READ_NO_VERIFY, "the newer ops");
    free(text);
}
END_TEST

/* Attributes and types that an unverified op may have and its pretty form cannot say: the generic form stands in. */
static const char *const unsayable[] = {
    "\"stablehlo.reduce_precision\"(%a) <{exponent_bits = 5 : i32, mantissa_bits = -1 : i32}> : (tensor<4xf32>) -> tensor<4xf32>",
    "\"stablehlo.reduce_precision\"(%a) <{exponent_bits = 5 : i64, mantissa_bits = 10 : i32}> : (tensor<4xf32>) -> tensor<4xf32>",
    "\"stablehlo.iota\"() <{iota_dimension = 0 : i32}> : () -> tensor<4xf32>",
    "\"stablehlo.iota\"() : () -> tensor<4xf32>",
    "\"stablehlo.fft\"(%a) <{fft_length = array<i64: 4>, fft_type = #stablehlo<comparison_direction EQ>}> : (tensor<4xf32>) -> tensor<4xf32>",
    "\"stablehlo.fft\"(%a) <{fft_length = array<i32: 4>, fft_type = #stablehlo<fft_type FFT>}> : (tensor<4xf32>) -> tensor<4xf32>",
    "\"stablehlo.compare\"(%a, %a) <{comparison_direction = #stablehlo<precision HIGH>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>",
    "\"stablehlo.compare\"(%a, %a) <{compare_type = 1 : i32, comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>",
    "\"stablehlo.dot\"(%a, %a) <{precision_config = [#stablehlo<fft_type FFT>]}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>",
    "\"stablehlo.slice\"(%a) <{limit_indices = array<i64: 4, 4>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<4xf32>) -> tensor<4xf32>",
    "\"stablehlo.slice\"(%a) <{limit_indices = array<i32: 4>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<4xf32>) -> tensor<4xf32>",
    "\"stablehlo.get_tuple_element\"(%t) <{index = 0 : i64}> : (tuple<tensor<4xf32>>) -> tensor<4xf32>",
    "\"stablehlo.add\"(%a) : (tensor<4xf32>) -> tensor<4xf32>",
    "\"sdy.sharding_group\"(%a) <{group_id = 1 : i32}> : (tensor<4xf32>) -> ()",
    "\"stablehlo.tuple\"(%a) : (tensor<4xf32>) -> tensor<4xf32>",
    "\"stablehlo.tuple\"(%a) : (tensor<4xf32>) -> tuple<tensor<f32>>",
    "\"stablehlo.tuple\"(%a) : (tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>",
    "\"stablehlo.negate\"(%a) : (tensor<4xf32>) -> ((tensor<4xf32>) -> tensor<4xf32>)",
    "\"stablehlo.constant\"(%a) <{value = 1 : i64}> : (tensor<4xf32>) -> (tensor<f32>, tensor<f32>)",
    "\"sdy.propagation_barrier\"(%a) <{allowed_direction = #stablehlo<fft_type FFT>}> : (tensor<4xf32>) -> tensor<4xf32>",
};

START_TEST(falls_back_to_the_generic_form) {
    char text[1024], want[1024];
    const char *op = unsayable[_i];
    const char *named = strstr(op, " -> ()") ? "" : strstr(op, "-> (tensor<f32>, ") ? "%0:2 = " : "%0 = ";
    snprintf(text, sizeof text, "func.func @f(%%a: tensor<4xf32>, %%t: tuple<tensor<4xf32>>) {\n  %s%s\n  return\n}\n",
             named, op);
    char *pretty = test_reprint(text, WEFT_READ_NO_VERIFY, WEFT_PRINT_PRETTY);
    snprintf(want, sizeof want, "\n    %s%.*s(", named, (int)strcspn(op, "("), op);
    ck_assert_msg(strstr(pretty, want), "%s", pretty);
    char *before = test_reprint(text, WEFT_READ_NO_VERIFY, WEFT_PRINT_GENERIC),
         *after = test_reprint(pretty, WEFT_READ_NO_VERIFY, WEFT_PRINT_GENERIC);
    ck_assert_str_eq(after, before);
    free(pretty);
    free(before);
    free(after);
}
END_TEST

/* Groups by axes as lists, for older readers: one axis, several, parts of one, and a mesh in an order of its own. */
static const struct { const char *mesh, *axes, *want; } groups[] = {
    { "[\"x\"=2, \"y\"=3]", "\"y\">", "dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>" },
    { "[\"x\"=2, \"y\"=3]", "\"x\">", "dense<[[0, 3], [1, 4], [2, 5]]> : tensor<3x2xi64>" },
    { "[\"x\"=2, \"y\"=2]", "\"y\">, #stablehlo.axis_ref<name = \"x\">", "dense<[[0, 2, 1, 3]]> : tensor<1x4xi64>" },
    { "[\"x\"=8]", "\"x\", sub_axis_info = (2)2>", "dense<[[0, 2], [1, 3], [4, 6], [5, 7]]> : tensor<4x2xi64>" },
    { "[\"x\"=2, \"y\"=2], device_ids=[3, 1, 2, 0]", "\"y\">", "dense<[[3, 1], [2, 0]]> : tensor<2x2xi64>" },
    { "[\"x\"=1]", "\"x\">", "dense<0> : tensor<1x1xi64>" },
    { "[\"x\"=2]", "\"z\">", "#stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = \"z\">]>" },
};

START_TEST(spells_groups_out) {
    char text[512], want[256];
    snprintf(
        text, sizeof text,
        "module attributes {g = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = %s]>} {\n  sdy.mesh @m = <%s>\n}\n",
        groups[_i].axes, groups[_i].mesh);
    snprintf(want, sizeof want, "module attributes {g = %s} {\n", groups[_i].want);
    char *out = test_reprint(text, WEFT_READ_NO_VERIFY, WEFT_PRINT_DENSE_GROUPS);
    ck_assert_msg(!strncmp(out, want, strlen(want)), "%s", out);
    free(out);
}
END_TEST

static weft_status read_and_print(weft_context *cx, void *user) {
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, weft_str_from(user), "test.mlir", 0, &m);
    if (st != WEFT_OK) return st;
    weft_buf out;
    weft_buf_init(&out, &cx->alloc);
    st = weft_print_module(m, WEFT_PRINT_PRETTY, &out);
    weft_buf_free(&out);
    weft_module_free(m);
    return st;
}

/* Pairs of 64 devices, each to the one `step` further, as raw bytes of little end. */
static void long_pairs(char *out, int step) {
    out += sprintf(out, "dense<\"0x");
    for (int i = 0; i < 64; i++) out += sprintf(out, "%02X00000000000000%02X00000000000000", i, (i + step) % 64);
    sprintf(out, "\"> : tensor<64x2xi64>");
}

/* A long list stands in front of the module once where ops share it, and where it is used when it is one op's own. */
static char *text_of_shared_lists(void) {
    char one[2200], two[2200], *text = malloc(16000);
    long_pairs(one, 1);
    long_pairs(two, 2);
    ck_assert_ptr_nonnull(text);
    snprintf(text, 16000,
             "#source_target_pairs = %s\n#source_target_pairs1 = %s\nmodule {\n  func.func @f(%%arg0: tensor<2xf32>) -> tensor<2xf32> {\n"
             "    %%0 = \"stablehlo.collective_permute\"(%%arg0) <{source_target_pairs = #source_target_pairs}> : (tensor<2xf32>) -> tensor<2xf32>\n"
             "    %%1 = \"stablehlo.collective_permute\"(%%0) <{source_target_pairs = #source_target_pairs1}> : (tensor<2xf32>) -> tensor<2xf32>\n"
             "    %%2 = \"stablehlo.collective_permute\"(%%1) <{source_target_pairs = %s}> : (tensor<2xf32>) -> tensor<2xf32>\n"
             "    %%3 = \"stablehlo.collective_permute\"(%%2) <{source_target_pairs = #source_target_pairs1}> : (tensor<2xf32>) -> tensor<2xf32>\n"
             "    %%4 = \"stablehlo.collective_permute\"(%%3) <{source_target_pairs = #source_target_pairs}> : (tensor<2xf32>) -> tensor<2xf32>\n"
             "    return %%4 : tensor<2xf32>\n  }\n}\n", one, two, one);
    return text;
}

START_TEST(writes_shared_lists_once) {
    char *text = text_of_shared_lists();
    check_text(text, 0, "the program of shared lists");
    weft_test_each_failure(read_and_print, text);
    free(text);
}
END_TEST

static weft_status count_kind(void *user, weft_op *op) {
    ((int *)user)[op->kind]++;
    return WEFT_OK;
}

/* A test that walks the table: no op is left out of the texts above. */
START_TEST(covers_every_op) {
    int count[WEFT_OP_COUNT] = { 0 };
    for (size_t i = 0; i <= WEFT_COUNT(files); i++) {
        char *text = i < WEFT_COUNT(files) ? test_file(files[i].name) : strdup(newer);
        weft_context *cx = weft_context_new(NULL);
        weft_module *m = test_read(cx, text, WEFT_READ_NO_VERIFY);
        ck_assert_int_eq(weft_module_walk(m, count_kind, count), WEFT_OK);
        weft_module_free(m);
        weft_context_free(cx);
        free(text);
    }
    for (unsigned k = 0; k < WEFT_OP_other; k++) ck_assert_msg(count[k], "no text uses %s", weft_op_table[k].name);
}
END_TEST

START_TEST(survives_failing_memory) {
    char *text = test_file(files[_i].name);
    if (!files[_i].flags) weft_test_each_failure(read_and_print, text);
    free(text);
}
END_TEST

int main(void) {
    Suite *s = suite_create("mlir roundtrip");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, keeps_file, 0, WEFT_COUNT(files));
    tcase_add_loop_test(tc, keeps_shared_programs, 0, WEFT_COUNT(shared));
    tcase_add_test(tc, keeps_random_programs);
    tcase_add_test(tc, keeps_newer_ops);
    tcase_add_loop_test(tc, falls_back_to_the_generic_form, 0, WEFT_COUNT(unsayable));
    tcase_add_loop_test(tc, spells_groups_out, 0, WEFT_COUNT(groups));
    tcase_add_test(tc, writes_shared_lists_once);
    tcase_add_test(tc, covers_every_op);
    tcase_add_loop_test(tc, survives_failing_memory, 0, WEFT_COUNT(files));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
