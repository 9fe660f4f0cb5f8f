/* Changes of annotations by pattern: which arguments a pattern covers, what they get, and what is refused. */
#include "pipeline/dryrun/annotate.h"

#include "mlir/print.h"
#include "mlir/read.h"
#include "pipeline/dryrun/arguments.h"
#include "tests/support/suite.h"

static const char text[] =
    "sdy.mesh @mesh = <[\"data\"=2, \"model\"=4]>\n"
    "func.func @main(%arg0: tensor<8x4xf32> {tf.aliasing_output = 0 : i32} loc(\"params['layers']['wq']\"), "
    "%arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>} loc(\"params['layers']['wk']\"), "
    "%arg2: tensor<f32> loc(\"state[0].count\"), %y: tensor<8x4xf32>, %arg4: tensor<8xi32> {tf.aliasing_output = 1 : i32})\n"
    "    -> (tensor<8x4xf32> {jax.result_info = \"result[0]['wq']\"}, tensor<8xi32> {jax.result_info = \"result[1].tokens\"}) {\n"
    "  return %arg0, %arg4 : tensor<8x4xf32>, tensor<8xi32>\n"
    "}\n";

static weft_context *cx;
static weft_module *m;

static void set_up(void) {
    cx = weft_context_new(NULL);
    ck_assert_int_eq(weft_read_text(cx, WEFT_STR(text), "text", 0, &m), WEFT_OK);
}

static void tear_down(void) {
    weft_module_free(m);
    weft_context_free(cx);
}

/* want: the numbers, or what is said. */
static const struct { const char *pattern, *want; } patterns[] = {
    { "0", "0 " },
    { "4", "4 " },
    { "*", "0 1 2 3 4 " },
    { "params*", "0 1 " },
    { "params*wq", "0 " },
    { "params.layers.w?", "0 1 " },
    { "params['layers']['wk']", "1 " },
    { "*.count", "2 " },
    { "state.0.count", "2 " },
    { "y", "3 " },
    { "%y", "3 " },
    { "%arg?", "0 1 2 4 " },
    { "result.1.tokens", "4 " },
    { "5", "there is no argument 5: the program has 5" },
    { "99999999999999999999", "there is no argument 99999999999999999999: the program has 5" },
    { "params*wv", "no argument matches 'params*wv'; the nearest: 'params.layers.wq'" },
    { "params.wq", "no argument matches 'params.wq'; the nearest: 'params.layers.wq'" },
    { "*cuont", "no argument matches '*cuont'; the nearest: 'state.0.count'" },
    { "embedding", "no argument matches 'embedding'; there are 'params.layers.wq', 'params.layers.wk', 'state.0.count'" },
};

START_TEST(covers) {
    const uint32_t *v;
    uint32_t n;
    weft_arena arena;
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    weft_arena_init(&arena, &cx->alloc);
    const weft_status st = weft_arguments_matching(m, NULL, weft_str_from(patterns[_i].pattern), &arena, &v, &n);
    for (uint32_t i = 0; st == WEFT_OK && i < n; i++) weft_buf_printf(&b, "%u ", v[i]);
    if (st != WEFT_OK) weft_buf_puts(&b, weft_context_diag(cx, 0)->message);
    ck_assert_msg(b.p && !strncmp(b.p, patterns[_i].want, strlen(patterns[_i].want)), "%s: %s", patterns[_i].pattern,
                  b.p);
    if (st == WEFT_OK) ck_assert_str_eq(b.p, patterns[_i].want);
    weft_buf_free(&b);
    weft_arena_free(&arena);
}
END_TEST

static bool says(const char *what) {
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    ck_assert_int_eq(weft_print_module(m, 0, &b), WEFT_OK);
    const bool is = strstr(b.p, what) != NULL;
    if (!is) fprintf(stderr, "%s\n", b.p);
    weft_buf_free(&b);
    return is;
}

/* An argument keeps its other attributes, and the result in its memory gets its sharding. */
START_TEST(shards) {
    static const char lines[] = "# weights\n\n  params*wq = data, model \r\n*.count=[]\ny=[{\"model\"}, {\"data\"}]";
    ck_assert_int_eq(weft_module_shard_lines(m, "lines", WEFT_STR(lines)), WEFT_OK);
    ck_assert(says("%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"data\"}, {\"model\"}]>, tf.aliasing_output = 0 : i32}"));
    ck_assert(says("%arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}"));
    ck_assert(says("%arg2: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}"));
    ck_assert(says("tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"model\"}, {\"data\"}]>}"));
    ck_assert(says("jax.result_info = \"result[0]['wq']\", sdy.sharding = #sdy.sharding<@mesh, [{\"data\"}, {\"model\"}]>}"));
    ck_assert_int_eq(weft_module_shard_arguments(m, NULL, WEFT_STR("params*=-, -")), WEFT_OK);
    ck_assert(says("%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>, tf.aliasing_output"));
}
END_TEST

START_TEST(donates) {
    ck_assert_int_eq(weft_module_donate_arguments(m, NULL, WEFT_STR("params*")), WEFT_OK);
    ck_assert(says("%arg0: tensor<8x4xf32> {tf.aliasing_output = 0 : i32}"));
    ck_assert(says("%arg1: tensor<8x4xf32> {jax.buffer_donor = true, sdy.sharding"));
}
END_TEST

static const struct { const char *lines, *said; int line, column; } refused[] = {
    { "y=data\n", "\"data\" has 1 dimension, the tensor has 2", 1, 3 },
    { "# x\n\n y = data, [\n", "an axis' name is missing at column 7", 3, 12 },
    { "\n  yy=data, -\n", "no argument matches 'yy'; there are 'params.layers.wq', ", 2, 3 },
    { "  data, -\n", "'data, -' is no change of shardings", 1, 3 },
    { "=data, -\n", "'=data, -' is no change of shardings", 1, 1 },
    { "1=-, data*data\n", "axis 'data' is used twice", 1, 3 },
};

START_TEST(refuses) {
    ck_assert_int_ne(weft_module_shard_lines(m, "lines", weft_str_from(refused[_i].lines)), WEFT_OK);
    const weft_diag *d = weft_context_diag(cx, 0);
    ck_assert_msg(strstr(d->message, refused[_i].said) != NULL, "%s", d->message);
    ck_assert_str_eq(d->file, "lines");
    ck_assert_int_eq(d->line, refused[_i].line);
    ck_assert_int_eq(d->column, refused[_i].column);
}
END_TEST

START_TEST(meshes) {
    weft_module *bare;
    static const char none[] = "module attributes {mhlo.num_partitions = 1 : i32} {\n"
                               "  func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {\n    return %x : tensor<8x4xf32>\n  }\n}\n";
    ck_assert_int_eq(weft_read_text(cx, WEFT_STR(none), "none", 0, &bare), WEFT_OK);
    ck_assert(weft_module_has_mesh(m) && !weft_module_has_mesh(bare));
    ck_assert_int_eq(weft_module_shard_arguments(bare, NULL, WEFT_STR("x=a, -")), WEFT_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 0)->message, "the program has no mesh for this sharding"));
    ck_assert_int_eq(weft_module_add_mesh(bare, NULL, WEFT_STR("a=4,b=2")), WEFT_OK);
    ck_assert_int_eq(weft_module_shard_arguments(bare, NULL, WEFT_STR("x=a, -")), WEFT_OK);
    weft_module_free(m);
    m = bare;
    ck_assert(says("sdy.mesh @mesh = <[\"a\"=4, \"b\"=2]>"));
    ck_assert(says("mhlo.num_partitions = 8 : i32"));
    ck_assert(says(": tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}, {}]>}"));
}
END_TEST

int main(void) {
    Suite *s = suite_create("pipeline/annotate");
    TCase *tc = tcase_create("annotate");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, covers, 0, WEFT_COUNT(patterns));
    tcase_add_test(tc, shards);
    tcase_add_test(tc, donates);
    tcase_add_loop_test(tc, refuses, 0, WEFT_COUNT(refused));
    tcase_add_test(tc, meshes);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
