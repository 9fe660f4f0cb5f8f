/* Graphs made in C: types, spellings, the op table, errors at the caller's line, failing allocators. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "capi/graph_impl.h"
#include "mlir/print.h"
#include "mlir/read.h"
#include "propagate/propagate.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

static weft_context *cx;
static weft_graph *g;

static void setup(void) {
    cx = weft_context_new(NULL);
    g = weft_graph_new(cx, "test");
    ck_assert_ptr_nonnull(g);
}

static void teardown(void) {
    weft_graph_free(g);
    weft_context_free(cx);
}

static const char *last_message(void) {
    size_t n = weft_context_diag_count(cx);
    return n ? weft_context_diag(cx, n - 1)->message : "";
}

static const char *result_type(const weft_tensor *t) {
    static weft_buf b;
    weft_buf_free(&b);
    weft_buf_init(&b, &cx->alloc);
    if (t) weft_type_print(&b, t->type);
    return b.p ? b.p : "";
}

/* ---- types ---- */

static const struct { const char *in, *want; } types[] = {
    { "f32", "tensor<f32>" },          { "64x256xf32", "tensor<64x256xf32>" }, { "8xi1", "tensor<8xi1>" },
    { "0x3xbf16", "tensor<0x3xbf16>" }, { "2xcomplex<f32>", "tensor<2xcomplex<f32>>" }, { "4xui8", "tensor<4xui8>" },
    { "", NULL },                      { "x8xf32", NULL },                     { "8x", NULL },
    { "8xf33", NULL },                 { "?xf32", NULL },                      { "8 x f32", NULL },
    { "99999999999999999999xf32", NULL }, { "4294967296x4294967296xf32", NULL }, { "-1xf32", NULL },
};

START_TEST(test_type) {
    weft_tensor *t = weft_graph_input(g, "x", types[_i].in);
    if (types[_i].want) ck_assert_str_eq(result_type(t), types[_i].want);
    else ck_assert_msg(!t && weft_graph_status(g) == WEFT_ERR_INVALID, "'%s' was accepted", types[_i].in);
}
END_TEST

/* ---- shardings ---- */

static const struct { const char *mesh, *type, *in, *want; } shards[] = {
    { "data=2, model=4", "8x8xf32", "data, -", "#sdy.sharding<@mesh, [{\"data\"}, {}]>" },
    { "data=2, model=4", "8x8xf32", "-, model", "#sdy.sharding<@mesh, [{}, {\"model\"}]>" },
    { "data=2, model=4", "8x8xf32", " data * model , ? ", "#sdy.sharding<@mesh, [{\"data\", \"model\"}, {?}]>" },
    { "data=2, model=4", "8x8xf32", "data?,model p1", "#sdy.sharding<@mesh, [{\"data\", ?}, {\"model\"}p1]>" },
    { "data=2, model=4", "8x8xf32", "? p2, model:(1)2", "#sdy.sharding<@mesh, [{?}p2, {\"model\":(1)2}]>" },
    { "data=2, model=4", "8x8xf32", "model:(2)2, model:(1)2", "#sdy.sharding<@mesh, [{\"model\":(2)2}, {\"model\":(1)2}]>" },
    { "data=2, model=4", "8xf32", "-; replicated data; unreduced model", "#sdy.sharding<@mesh, [{}], replicated={\"data\"}, unreduced={\"model\"}>" },
    { "data=2, model=4", "f32", "", "#sdy.sharding<@mesh, []>" },
    { "data=2, model=4", "f32", "; unreduced data", "#sdy.sharding<@mesh, [], unreduced={\"data\"}>" },
    /* what is wrong is in the message */
    { "data=2", "8x8xf32", "data", "has 1 dimension, the tensor has 2" },
    { "data=2", "8xf32", "data, -", "has 2 dimensions, the tensor has 1" },
    { "data=2", "8x8xf32", "data, model", "the mesh has no axis 'model'" },
    { "data=2", "8x8xf32", "data, data", "axis 'data' is used twice" },
    { "data=2", "8xf32", "data; replicated data", "axis 'data' is used twice" },
    { "data=4", "8x8xf32", "data, data:(1)2", "axis 'data' is used twice" },
    { "data=2", "8xf32", "data:2", "a sub-axis is spelled" },
    { "data=2", "8xf32", "data px", "a priority is spelled" },
    { "data=2", "8xf32", "data & x", "expected ',' or ';'" },
    { "data=2", "8xf32", "-; reduced data", "expected 'replicated' or 'unreduced'" },
    { "data=2", "8xf32", "data*", "an axis' name is missing" },
    { "data", "8xf32", "-", "a size above 0 is missing" },
    { "data=0", "8xf32", "-", "a size above 0 is missing" },
    { "data=2,data=2", "8xf32", "-", "an axis is repeated" },
    { "data=4294967296,x=4294967296", "8xf32", "-", "a size above 0 is missing" },
    { "", "8xf32", "-", "an axis' name is missing" },
    { "data=2;", "8xf32", "-", "expected ','" },
};

START_TEST(test_shard) {
    weft_tensor *t = weft_graph_input(g, "x", shards[_i].type);
    const weft_device_mesh *mesh = weft_graph_mesh(g, shards[_i].mesh);
    weft_tensor *r = weft_shard(g, t, mesh, shards[_i].in);
    if (!strncmp(shards[_i].want, "#sdy", 4)) {
        ck_assert_ptr_eq(r, t);
        weft_buf b;
        weft_buf_init(&b, &cx->alloc);
        weft_print_attr(&b, g->inputs.v[0].sharding);
        ck_assert_str_eq(b.p, shards[_i].want);
        weft_buf_free(&b);
    } else {
        ck_assert_ptr_null(r);
        ck_assert_msg(strstr(last_message(), shards[_i].want), "'%s' gave: %s", shards[_i].in, last_message());
    }
}
END_TEST

/* ---- the op table ---- */

static const char *const infer_of[WEFT_OP_COUNT] = {
#define OP(id, text, operands, results, regions, attrs, traits, syntax, infer, rule, local, gen, cost, grad) \
    [WEFT_OP_##id] = #infer,
#include "ir/ops.def"
};

/* Made by its name and operands alone, as opposed to convert, compare, reduce_precision. */
static bool is_plain_pointwise(weft_op_kind k) {
    const weft_op_info *info = weft_op_info_of(k);
    for (const weft_attr_spec *a = info->attrs; a && a->presence != WEFT_END_OF_ATTRS; a++)
        if (a->presence == WEFT_REQUIRED) return false;
    if (strstr(info->name, "uniform_")) return false; /* quantised types have no weft_dtype */
    return (info->traits & WEFT_TRAIT_POINTWISE) && strcmp(infer_of[k], "convert");
}

/* Every pointwise op of the table can be made, for one of these element types. */
START_TEST(test_pointwise) {
    static const char *const tried[] = { "4x8xf32", "4x8xi32", "4x8xi1", "4x8xcomplex<f32>" };
    const weft_op_info *info = weft_op_info_of((weft_op_kind)_i);
    if (!is_plain_pointwise((weft_op_kind)_i) || !strcmp(infer_of[_i], "unsupported")) return;
    for (size_t k = 0; k < WEFT_COUNT(tried); k++) {
        weft_graph *h = weft_graph_new(cx, "one");
        weft_tensor *x = weft_graph_input(h, "x", tried[k]), *p = weft_graph_input(h, "p", "4x8xi1");
        bool is_select = !strcmp(infer_of[_i], "select");
        weft_tensor *const operands[] = { is_select ? p : x, x, x };
        weft_tensor *r = weft_graph_pointwise_at(WEFT_HERE, h, info->name, operands, (size_t)info->operands);
        bool made = r && weft_tensor_rank(r) == 2 && weft_tensor_dim(r, 0) == 4 && weft_tensor_dim(r, 1) == 8;
        weft_graph_free(h);
        if (made) return;
    }
    ck_abort_msg("%s cannot be made: %s", info->name, last_message());
}
END_TEST

/* graph.h spells each of StableHLO's pointwise ops. */
START_TEST(test_header_covers_table) {
    static char text[64 << 10];
    char path[4096];
    snprintf(path, sizeof path, "%s/include/weft/graph.h", getenv("top_srcdir") ? getenv("top_srcdir") : ".");
    FILE *f = fopen(path, "r");
    ck_assert_msg(f != NULL, "cannot open %s", path);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    for (int k = 0; k < WEFT_OP_COUNT; k++) {
        const char *name = weft_op_info_of((weft_op_kind)k)->name;
        if (!is_plain_pointwise((weft_op_kind)k) || strncmp(name, "stablehlo.", 10)) continue;
        char want[128];
        snprintf(want, sizeof want, "#define weft_graph_%s(g, ", name + 10);
        ck_assert_msg(strstr(text, want) != NULL, "graph.h lacks weft_graph_%s", name + 10);
    }
}
END_TEST

/* ---- shapes and sums ---- */

START_TEST(test_result_types) {
    weft_tensor *x = weft_graph_input(g, "x", "4x8xf32"), *w = weft_graph_input(g, "w", "8x6xf32"),
                *v = weft_graph_input(g, "v", "6xf32");
    weft_tensor *q = weft_graph_input(g, "q", "2x3x5x7xf32"), *k = weft_graph_input(g, "k", "2x3x9x7xf32");
    const struct { weft_tensor *t; const char *want; } made[] = {
        { weft_graph_einsum(g, "bi,io->bo", x, w), "tensor<4x6xf32>" },
        { weft_graph_einsum(g, "bi,io->ob", x, w), "tensor<6x4xf32>" },
        { weft_graph_einsum(g, "bhqd,bhkd->bhqk", q, k), "tensor<2x3x5x9xf32>" },
        { weft_graph_einsum(g, "bhqd,bhkd->qkhb", q, k), "tensor<5x9x3x2xf32>" },
        { weft_graph_einsum(g, "a,b->ab", v, v), "tensor<6x6xf32>" },
        { weft_graph_einsum(g, "a,a->", v, v), "tensor<f32>" },
        { weft_graph_reduce(g, "add", q, WEFT_DIMS(1, 3)), "tensor<2x5xf32>" },
        { weft_graph_reduce(g, "maximum", v, WEFT_DIMS(0)), "tensor<f32>" },
        { weft_graph_broadcast(g, v, WEFT_DIMS(4, 6), WEFT_DIMS(1)), "tensor<4x6xf32>" },
        { weft_graph_broadcast_like(g, v, w, WEFT_DIMS(1)), "tensor<8x6xf32>" },
        { weft_graph_reshape(g, x, WEFT_DIMS(2, 16)), "tensor<2x16xf32>" },
        { weft_graph_transpose(g, q, WEFT_DIMS(3, 0, 2, 1)), "tensor<7x2x5x3xf32>" },
        { weft_graph_slice(g, x, WEFT_DIMS(1, 0), WEFT_DIMS(3, 8), WEFT_DIMS(1, 2)), "tensor<2x4xf32>" },
        { weft_graph_slice(g, x, WEFT_DIMS(1, 0), WEFT_DIMS(3, 8), WEFT_NO_DIMS), "tensor<2x8xf32>" },
        { weft_graph_concatenate(g, ((weft_tensor *const[]){ x, x }), 2, 0), "tensor<8x8xf32>" },
        { weft_graph_iota(g, "3x4xi32", 1), "tensor<3x4xi32>" },
        { weft_graph_convert(g, x, "bf16"), "tensor<4x8xbf16>" },
        { weft_graph_compare(g, "LT", x, x), "tensor<4x8xi1>" },
        { weft_graph_select(g, weft_graph_compare(g, "GE", x, x), x, x), "tensor<4x8xf32>" },
        { weft_graph_scale(g, x, 0.5), "tensor<4x8xf32>" },
        { weft_graph_constant(g, "2xf32", ((float[]){ 1, 2 }), 8), "tensor<2xf32>" },
    };
    for (size_t i = 0; i < WEFT_COUNT(made); i++)
        ck_assert_msg(!strcmp(result_type(made[i].t), made[i].want), "%zu: %s, not %s: %s", i, result_type(made[i].t),
                      made[i].want, last_message());
}
END_TEST

START_TEST(test_any_op) {
    weft_tensor *x = weft_graph_input(g, "x", "4x8xf32"), *i = weft_graph_input(g, "i", "i32"), *out[1];
    weft_graph_op(g, "dynamic_slice", ((weft_tensor *const[]){ x, i, i }), 3, "{slice_sizes = array<i64: 1, 8>}", NULL,
                  out, 1);
    ck_assert_str_eq(result_type(out[0]), "tensor<1x8xf32>");
    weft_graph_op(g, "stablehlo.reverse", &x, 1, "{dimensions = array<i64: 1>}", "4x8xf32", out, 1);
    ck_assert_str_eq(result_type(out[0]), "tensor<4x8xf32>");
    weft_graph_op(g, "reduce", &x, 1, NULL, NULL, out, 1);
    ck_assert_int_eq(weft_graph_status(g), WEFT_ERR_USAGE);
    ck_assert_ptr_null(out[0]);
}
END_TEST

/* ---- errors ---- */

/* Each case makes one mistake; the diagnostic is on its line. */
static int mistake(int which, weft_tensor *x) {
    const weft_device_mesh *mesh = weft_graph_mesh(g, "a=2");
    switch (which) {
    case 0: weft_graph_add(g, x, NULL); return __LINE__;
    case 1: weft_graph_pointwise(g, "frobnicate", x); return __LINE__;
    case 2: weft_graph_pointwise(g, "add", x); return __LINE__;
    case 3: weft_graph_add(g, x, weft_graph_input(g, "y", "4x7xf32")); return __LINE__;
    case 4: weft_graph_einsum(g, "bi,io->bz", x, x); return __LINE__;
    case 5: weft_graph_einsum(g, "bi,jo->bo", x, x); return __LINE__;
    case 6: weft_graph_einsum(g, "bi,io", x, x); return __LINE__;
    case 7: weft_graph_einsum(g, "b,io->bio", x, x); return __LINE__;
    case 8: weft_graph_einsum(g, "bi,io->bo", x, x); return __LINE__; /* 8 against 4 */
    case 9: weft_graph_reduce(g, "mean", x, WEFT_DIMS(0)); return __LINE__;
    case 10: weft_graph_reduce(g, "add", x, WEFT_DIMS(2)); return __LINE__;
    case 11: weft_graph_reduce(g, "add", x, WEFT_DIMS(1, 1)); return __LINE__;
    case 12: weft_graph_reshape(g, x, WEFT_DIMS(5)); return __LINE__;
    case 13: weft_graph_reshape(g, x, WEFT_DIMS(-4, -8)); return __LINE__;
    case 14: weft_graph_transpose(g, x, WEFT_DIMS(0, 0)); return __LINE__;
    case 15: weft_graph_broadcast(g, x, WEFT_DIMS(4, 9), WEFT_DIMS(0, 1)); return __LINE__;
    case 16: weft_graph_slice(g, x, WEFT_DIMS(0, 0), WEFT_DIMS(5, 8), WEFT_NO_DIMS); return __LINE__;
    case 17: weft_graph_compare(g, "==", x, x); return __LINE__;
    case 18: weft_graph_convert(g, x, "float"); return __LINE__;
    case 19: weft_graph_constant(g, "2xf32", "1234", 4); return __LINE__;
    case 20: weft_graph_iota(g, "2xf32", 1); return __LINE__;
    case 21: weft_graph_input(g, "x", "f32"); return __LINE__;
    case 22: weft_graph_input(g, NULL, "f32"); return __LINE__;
    case 23: weft_graph_update(g, weft_graph_tanh(g, x), x); return __LINE__;
    case 24: weft_graph_update(g, x, weft_graph_convert(g, x, "f64")); return __LINE__;
    case 25: weft_graph_output(g, "o", x), weft_graph_output(g, "o", x); return __LINE__;
    case 26: weft_shard(g, x, NULL, "-, -"); return __LINE__;
    case 27: weft_shard(g, weft_shard(g, x, mesh, "a, -"), mesh, "-, a"); return __LINE__;
    case 28: weft_graph_op(g, "stablehlo.no_such", &x, 1, NULL, NULL, NULL, 0); return __LINE__;
    case 29: weft_graph_concatenate(g, &x, 1, 2); return __LINE__;
    case 30: weft_graph_einsum(g, "ij,kj->ik", x, weft_graph_convert(g, x, "f64")); return __LINE__;
    case 31: weft_graph_add(g, x, weft_graph_convert(g, x, "f64")); return __LINE__;
    case 32:
        weft_graph_select(g, weft_graph_compare(g, "LT", x, x), x, weft_graph_convert(g, x, "bf16"));
        return __LINE__ - 1;
    case 33: weft_graph_compare(g, "LT", x, weft_graph_convert(g, x, "i32")); return __LINE__;
    case 34:
        weft_graph_concatenate(g, ((weft_tensor *[]){ x, weft_graph_convert(g, x, "i32") }), 2, 0);
        return __LINE__ - 1;
    case 35: weft_graph_complex(g, x, weft_graph_convert(g, x, "f64")); return __LINE__;
    case 36: weft_graph_clamp(g, x, weft_graph_convert(g, x, "f64"), x); return __LINE__;
    case 37: weft_graph_output_sharded(g, "o", x, NULL, "-, -"); return __LINE__;
    case 38: weft_graph_output_sharded(g, "o", x, mesh, "b, -"); return __LINE__;
    default: return 0;
    }
}
enum { MISTAKES = 39 };

START_TEST(test_mistake) {
    weft_tensor *x = weft_graph_input(g, "x", "4x8xf32");
    int line = mistake(_i, x);
    ck_assert_msg(weft_graph_status(g) != WEFT_OK, "mistake %d was accepted", _i);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    const weft_diag *d = weft_context_diag(cx, 0);
    ck_assert_int_eq(d->severity, WEFT_ERROR);
    ck_assert_msg(d->file && strstr(d->file, "test_graph.c"), "mistake %d: %s", _i, d->message);
    ck_assert_int_eq(d->line, line);

    /* The first error is kept; makers stay callable and quiet. */
    weft_status first = weft_graph_status(g);
    weft_tensor *t = weft_graph_add(g, weft_graph_tanh(g, NULL), x);
    weft_graph_output(g, "late", weft_graph_reduce(g, "add", t, WEFT_DIMS(0)));
    ck_assert_ptr_null(t);
    char *text = NULL;
    ck_assert_int_eq(weft_graph_text(g, &text), first);
    ck_assert_ptr_null(text);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
}
END_TEST

/* An output lies as it is asked for: by weft_graph_output_sharded, else by weft_shard of its tensor. */
START_TEST(test_output_shardings) {
    weft_tensor *x = weft_graph_input(g, "x", "7x8xf32");
    const weft_device_mesh *mesh = weft_graph_mesh(g, "a=2, b=2");
    weft_graph_output(g, "free", weft_graph_tanh(g, x));
    weft_graph_output(g, "shard", weft_shard(g, weft_graph_tanh(g, x), mesh, "a, -"));
    weft_graph_output_sharded(g, "said", weft_graph_tanh(g, x), mesh, "-, b");
    weft_graph_output_sharded(g, "again", weft_shard(g, weft_graph_tanh(g, x), mesh, "a, -"), mesh, "-, a");
    char *text = NULL;
    ck_assert_int_eq(weft_graph_text(g, &text), WEFT_OK);
    ck_assert_msg(
        strstr(text,
               "(tensor<7x8xf32> {jax.result_info = \"free\"}, "
               "tensor<7x8xf32> {jax.result_info = \"shard\", sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}, {}]>}, "
               "tensor<7x8xf32> {jax.result_info = \"said\", sdy.sharding = #sdy.sharding<@mesh, [{}, {\"b\"}]>}, "
               "tensor<7x8xf32> {jax.result_info = \"again\", sdy.sharding = #sdy.sharding<@mesh, [{}, {\"a\"}]>})"),
        "%s", text);
    weft_text_free(cx, text);
}
END_TEST

START_TEST(test_other_graph) {
    weft_graph *h = weft_graph_new(cx, "other");
    weft_tensor *x = weft_graph_input(h, "x", "f32");
    ck_assert_ptr_null(weft_graph_tanh(g, x));
    ck_assert_str_eq(last_message(), "operand 1 of 'stablehlo.tanh' belongs to another graph");
    weft_graph_free(h);
}
END_TEST

/* ---- the module ---- */

static void perceptron(weft_graph *p) {
    weft_tensor *x = weft_graph_input(p, "x", "16x8xf32"), *w = weft_graph_input(p, "w", "8x4xf32");
    const weft_device_mesh *mesh = weft_graph_mesh(p, "data=2, model=2");
    weft_shard(p, x, mesh, "data, -");
    weft_shard(p, w, mesh, "-, model");
    weft_tensor *y = weft_shard(p, weft_graph_tanh(p, weft_graph_einsum(p, "bi,io->bo", x, w)), mesh, "data, model");
    weft_tensor *sum = weft_graph_reduce(p, "add", y, WEFT_DIMS(0, 1));
    weft_graph_output(p, "loss", sum);
    weft_graph_update(p, w, weft_graph_subtract(p, w, weft_graph_einsum(p, "bi,bo->io", x, y)));
}

static const char want_text[] =
    "module @test {\n"
    "  sdy.mesh @mesh = <[\"data\"=2, \"model\"=2]>\n"
    "  func.func public @main(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"data\"}, {}]>}, "
    "%w: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"model\"}]>, tf.aliasing_output = 1 : i32}) -> "
    "(tensor<f32> {jax.result_info = \"loss\"}, tensor<8x4xf32> {jax.result_info = \"w\", sdy.sharding = #sdy.sharding<@mesh, [{}, {\"model\"}]>}) {\n"
    "    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x8xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>\n"
    "    %1 = stablehlo.tanh %0 : tensor<16x4xf32>\n"
    "    %2 = sdy.sharding_constraint %1 <@mesh, [{\"data\"}, {\"model\"}]> : tensor<16x4xf32>\n"
    "    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>\n"
    "    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x4xf32>, tensor<f32>) -> tensor<f32>\n"
    "    %4 = stablehlo.dot_general %x, %2, contracting_dims = [0] x [0] : (tensor<16x8xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>\n"
    "    %5 = stablehlo.subtract %w, %4 : tensor<8x4xf32>\n"
    "    return %3, %5 : tensor<f32>, tensor<8x4xf32>\n"
    "  }\n"
    "}\n";

START_TEST(test_text) {
    perceptron(g);
    char *text = NULL;
    ck_assert_msg(weft_graph_text(g, &text) == WEFT_OK, "%s", last_message());
    ck_assert_str_eq(text, want_text);

    /* What the graph prints the reader takes, and prints the same. */
    weft_module *m = NULL;
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(text), "graph", 0, &m), WEFT_OK);
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    ck_assert_int_eq(weft_print_module(m, WEFT_PRINT_HINTS, &b), WEFT_OK);
    ck_assert_str_eq(b.p, text);
    weft_buf_free(&b);
    weft_module_free(m);
    weft_text_free(cx, text);

    ck_assert_ptr_null(weft_graph_fill(g, "f32", 0));
    ck_assert_str_eq(last_message(), "the graph is finished: nothing can be added to it");
}
END_TEST

/* Inputs keep their names in a text, where MLIR takes them and its own names cannot be mistaken for them. */
START_TEST(test_input_names) {
    static const char *const names[] = { "w", "layer.0-b", "_$", "a/b", "arg0", "arg", "cst",
                                         "cst_1", "values", "7", "7x", "iterArg_2x", "x y" };
    static const char *const read[] = { "w", "layer.0-b", "_$", "arg3", "arg4", "arg5", "arg6",
                                        "arg7", "arg8", "arg9", "arg10", "iterArg_2x", "arg12" };
    weft_graph *again = NULL;
    char *text = NULL;
    size_t n = 0;
    for (size_t i = 0; i < WEFT_COUNT(names); i++) {
        weft_tensor *t = weft_graph_input(g, names[i], "f32");
        if (n++ == 0) weft_graph_output(g, "sum", weft_graph_add(g, t, weft_graph_fill(g, "f32", 1)));
    }
    ck_assert_uint_eq(n, WEFT_COUNT(read));
    ck_assert_msg(weft_graph_text(g, &text) == WEFT_OK, "%s", last_message());
    ck_assert_msg(weft_graph_read_text(cx, "graph", text, strlen(text), &again) == WEFT_OK, "%s", last_message());
    for (size_t i = 0; i < n; i++) {
        const char *name = NULL;
        ck_assert_ptr_nonnull(weft_graph_get_input(again, i, &name));
        ck_assert_str_eq(name, read[i]);
    }
    weft_graph_free(again);
    weft_text_free(cx, text);
}
END_TEST

static weft_status build_perceptron(weft_context *c, void *user) {
    (void)user;
    weft_graph *p = weft_graph_new(c, "test");
    char *text = NULL;
    if (!p) return WEFT_ERR_MEMORY;
    perceptron(p);
    weft_status st = weft_graph_text(p, &text);
    weft_text_free(c, text);
    weft_graph_free(p);
    return st;
}

START_TEST(test_failing_allocator) { weft_test_each_failure(build_perceptron, NULL); }
END_TEST

static weft_status build_nothing(weft_context *c, void *user) {
    (void)user;
    weft_graph *p = weft_graph_new(c, "test");
    weft_graph_free(p);
    return p ? WEFT_OK : WEFT_ERR_MEMORY;
}

START_TEST(test_every_block_fails) {
    ck_assert(weft_test_any_failure(build_nothing, build_perceptron, NULL, 1 << 20));
}
END_TEST

/* The rule is for the context: a graph's call is propagated by it, and a mistake is told at the caller's line. */
START_TEST(test_rule) {
    const weft_device_mesh *mesh = weft_graph_mesh(g, "data=2, model=4");
    weft_tensor *in[2] = { weft_graph_input(g, "x", "8x16xf32"), weft_graph_input(g, "w", "16x32xf32") }, *y = NULL;
    ck_assert_int_eq(weft_rule_register(cx, "my_matmul", "ij,jk=>ik"), WEFT_ERR_INVALID);
    ck_assert_str_eq(last_message(),
                     "the rule for 'my_matmul': expected a letter, ',' or '->' at column 6 of \"ij,jk=>ik\"");
    ck_assert_int_eq(weft_context_diag(cx, weft_context_diag_count(cx) - 1)->line, __LINE__ - 3);
    ck_assert_int_eq(weft_rule_register(cx, "my_matmul", "ij,jk->ik"), WEFT_OK);
    ck_assert_int_eq(weft_rule_register(cx, "my_matmul", NULL), WEFT_ERR_USAGE);
    weft_shard(g, in[0], mesh, "data, -");
    weft_shard(g, in[1], mesh, "-, model");
    weft_graph_op(g, "stablehlo.custom_call", in, 2, "{call_target_name = \"my_matmul\"}", "8x32xf32", &y, 1);
    weft_graph_output(g, "y", y);
    ck_assert_int_eq(weft_graph_finish(g), WEFT_OK);
    weft_pass pass = { .cx = cx, .name = "sdy-basic-propagate" };
    weft_module *out = NULL;
    weft_buf text;
    weft_buf_init(&text, &cx->alloc);
    ck_assert_int_eq(weft_pass_basic_propagate(&pass, g->m, &out), WEFT_OK);
    ck_assert_int_eq(weft_print_module(out, 0, &text), WEFT_OK);
    ck_assert_msg(strstr(text.p, "#sdy.sharding_per_value<[<@mesh, [{\"data\", ?}, {\"model\", ?}]>]>") != NULL, "%s",
                  text.p);
    weft_buf_free(&text);
    weft_module_free(out);
}
END_TEST

int main(void) {
    Suite *s = suite_create("capi/graph");
    TCase *tc = tcase_create("graph");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_type, 0, WEFT_COUNT(types));
    tcase_add_loop_test(tc, test_shard, 0, WEFT_COUNT(shards));
    tcase_add_loop_test(tc, test_pointwise, 0, WEFT_OP_COUNT);
    tcase_add_test(tc, test_header_covers_table);
    tcase_add_test(tc, test_result_types);
    tcase_add_test(tc, test_any_op);
    tcase_add_loop_test(tc, test_mistake, 0, MISTAKES);
    tcase_add_test(tc, test_output_shardings);
    tcase_add_test(tc, test_other_graph);
    tcase_add_test(tc, test_text);
    tcase_add_test(tc, test_input_names);
    tcase_add_test(tc, test_rule);
    tcase_add_test(tc, test_failing_allocator);
    tcase_add_test(tc, test_every_block_fails);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
