/* Attributes, types and numbers: the input, and how MLIR prints it. */
#include "ir/prepare.h"
#include "mlir/writer.h"
#include "tests/mlir/text.h"
#include "tests/support/suite.h"

/* NULL: it is printed as it is written. */
static const struct { const char *in, *want; } attrs[] = {
    { "1", "1 : i64" },
    { "-3 : i8", NULL },
    { "0x10 : i16", "16 : i16" },
    { "#stablehlo.gather<offset_dims = [-0x1, 0x20]>", "#stablehlo.gather<offset_dims = [-1, 32]>" },
    { "array<i64: -0x10, 0x10, -0x8000000000000000>", "array<i64: -16, 16, -9223372036854775808>" },
    { "18446744073709551615 : ui64", NULL },
    { "2 : index", NULL },
    { "1.5", "1.500000e+00 : f64" },
    { "0.1 : f32", "1.000000e-01 : f32" },
    { "1.0e-05 : f32", "9.99999974E-6 : f32" },
    { "0x7FC00000 : f32", NULL },
    { "0xFF800000 : f32", NULL },
    { "1234567.0 : f32", "0x4996B438 : f32" },
    { "12345678901234567890123 : i128", NULL },
    { "true", NULL },
    { "unit", NULL },
    { "\"a\\22b\\\\c\\0Ad\"", NULL },
    { "\"\\n\\t\\\"\"", "\"\\0A\\09\\22\"" },
    { "@f", NULL },
    { "@\"a b\"::@c", NULL },
    { "@\"abc\"", "@abc" },
    { "[1, 2 : i32,true ,[]]", "[1, 2 : i32, true, []]" },
    { "{b, a=1}", "{a = 1 : i64, b}" },
    { "{\"a.b\" = 1 : i64, \"c d\" = 2 : i64}", "{a.b = 1 : i64, \"c d\" = 2 : i64}" },
    { "array<i64>", NULL },
    { "array<i64: 1,-2>", "array<i64: 1, -2>" },
    { "array<i1: true, false>", NULL },
    { "array<f32: 1.5>", "array<f32: 1.500000e+00>" },
    { "i32", NULL },
    { "tensor<2x?xf32>", NULL },
    { "dense<[1, 1]> : tensor<2xi32>", "dense<1> : tensor<2xi32>" },
    { "dense<[[1, 2],\n  [3, 4]]> : tensor<2x2xi8>", "dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>" },
    { "dense<0xFF800000> : tensor<f32>", NULL },
    { "dense<[0x7F800000, 1.0]> : tensor<2xf32>", "dense<[0x7F800000, 1.000000e+00]> : tensor<2xf32>" },
    { "dense<\"0x0000803F00000040\"> : tensor<2xf32>", "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>" },
    { "[0x7FF8000000000000 : f64, 1.0]", "[0x7FF8000000000000 : f64, 1.000000e+00]" },
    { "dense<\"0xFF\"> : tensor<1xf6E3M2FN>", "dense<-2.800000e+01> : tensor<1xf6E3M2FN>" },
    { "dense<\"0x05\"> : tensor<4xi1>", "dense<[true, false, true, false]> : tensor<4xi1>" },
    { "dense<(1.0,-2.5)> : tensor<2xcomplex<f32>>", "dense<(1.000000e+00,-2.500000e+00)> : tensor<2xcomplex<f32>>" },
    { "dense<> : tensor<0xi1>", NULL },
    { "dense<[[], []]> : tensor<2x0xi1>", "dense<> : tensor<2x0xi1>" },
    { "dense<[true, 0]> : tensor<2xi1>", "dense<[true, false]> : tensor<2xi1>" },
    { "dense<[5]> : tensor<1xindex>", "dense<5> : tensor<1xindex>" },
    { "dense_resource<w> : tensor<8xf32>", NULL },
    { "sparse<[[0, 0]], [1.0]> : tensor<2x2xf32>", NULL },
    { "affine_map<(d0, d1)[s0] -> (d1, d0 + s0)>", NULL },
    { "loc(\"a\":1:2)", NULL },
    { "#x.y", NULL },
    { "#x.y<a, \"b>\", [->], {c}>", NULL },
    { "#x.y<\"a\\\"  b\", \"c   d\">", NULL },
    { "#x.y<\"a\\\\\",   \"c >  d\">", "#x.y<\"a\\\\\", \"c >  d\">" },
    { "#x<y z>", NULL },
    { "#stablehlo<comparison_direction LT>", NULL },
    { "#chlo<precision HIGH>", NULL },
    { "#stablehlo.result_accuracy_mode<HIGHEST>", NULL },
    { "#stablehlo.result_accuracy<atol = 0.0, rtol = 1.0e-3, ulps = 0, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>",
      "#stablehlo.result_accuracy<rtol = 1.000000e-03, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>" },
    { "#stablehlo.dot<>", NULL },
    { "#stablehlo.dot<rhs_contracting_dimensions=[0],lhs_contracting_dimensions=[1]>",
      "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>" },
    { "#stablehlo.gather<index_vector_dim = 1, offset_dims = [0, 2]>", "#stablehlo.gather<offset_dims = [0, 2], index_vector_dim = 1>" },
    { "#stablehlo.scatter<update_window_dims = [1], index_vector_dim = 2>", NULL },
    { "#stablehlo.conv<[b, f, 1, 0]x[o, i, 0, 1]->[f, b, 0, 1]>", NULL },
    { "#stablehlo.channel_handle<handle = 1, type = 0>", NULL },
    { "#stablehlo.bounds<?, 4>", NULL },
    { "#stablehlo.type_extensions<bounds = [?, 4]>", "#stablehlo.bounds<?, 4>" },
    { "#stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = \"x\">]>", NULL },
    { "#stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = \"x\", sub_axis_info = (1)2>]>", NULL },
    { "#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"z\", size = 4>]>, axes = []>",
      "#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = \"z\", size = 4>]>, axes = []>" },
    { "#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = \"z\", size = 2>], device_ids=dense<[1, 0]> : tensor<2xi64>>, axes = []>", NULL },
    { "#stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 1, input_spatial_dimensions = [2], kernel_output_feature_dimension = 0, "
      "kernel_input_feature_dimension = 1, kernel_spatial_dimensions = [2], output_batch_dimension = 0, output_feature_dimension = 1, output_spatial_dimensions = [2]>",
      "#stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>" },
    { "#chlo.ragged_dot<rhs_contracting_dimensions = [1], lhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>",
      "#chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>" },
    { "#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 2, operand_tuple_indices = [0, 1]>", NULL },
    { "#stablehlo.type_extensions<bounds = [?, 4]>", "#stablehlo.bounds<?, 4>" },
    { "#sdy.mesh<[\"x\"=2, \"y\"=4]>", NULL },
    { "#sdy.mesh<[\"x\"=2], device_ids=[1, 0]>", NULL },
    { "#sdy.mesh<[\"x\"=2], device_ids=[0, 1]>", "#sdy.mesh<[\"x\"=2]>" },
    { "#sdy.mesh<[], device_ids=[0]>", NULL },
    { "#sdy.mesh<[]>", NULL },
    { "#sdy.sharding<@m, []>", NULL },
    { "#sdy.sharding<@m, [{}, {?}, {\"x\"}, {\"x\", ?}, {\"x\", \"y\":(1)2}]>", NULL },
    { "#sdy.sharding<@m, [{}p0, {?}p12]>", NULL },
    { "#sdy.sharding<@m, [{ \"x\" , ? } p3],unreduced={\"y\"},replicated = {\"z\"}>", "#sdy.sharding<@m, [{\"x\", ?}p3], replicated={\"z\"}, unreduced={\"y\"}>" },
    { "#sdy.sharding<mesh<[\"x\"=2]>, [{\"x\"}]>", NULL },
    { "#sdy.sharding_per_value<[]>", NULL },
    { "#sdy.sharding_per_value<[<@m, [{}]>, #sdy.sharding<@m, []>]>", "#sdy.sharding_per_value<[<@m, [{}]>, <@m, []>]>" },
    { "#sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=2, j=3, k=4} reduction={k}>", NULL },
    { "#sdy.op_sharding_rule<([ij], [])->([i, j]) {i=2, j=3} need_replication={i} permutation={j} blocked_propagation={i, j}, custom>", NULL },
    { "#sdy.op_sharding_rule<([])->([])>", NULL },
    { "#sdy<axis_ref_list{\"x\", \"y\":(2)2}>", NULL },
    { "#sdy<list_of_axis_ref_lists[{\"x\"}, {}]>", NULL },
    { "#sdy<all_to_all_param_list[{\"x\", \"y\"}: 0->1]>", NULL },
    { "{manual_axes = #sdy<manual_axes{\"x\"}>}", NULL },
};

START_TEST(attribute) {
    weft_context *cx = weft_context_new(NULL);
    const weft_attr *a = NULL, *again = NULL;
    const char *in = attrs[_i].in, *want = attrs[_i].want ? attrs[_i].want : in;
    weft_status st = weft_read_attr(cx, weft_str_from(in), &a);
    if (st != WEFT_OK)
        ck_abort_msg("%s: %lld: %s", in, (long long)weft_context_diag(cx, 0)->column,
                     weft_context_diag(cx, 0)->message);
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    weft_print_attr(&b, a);
    ck_assert_str_eq(b.p, want);
    ck_assert_int_eq(weft_read_attr(cx, (weft_str){ b.p, b.n }, &again), WEFT_OK);
    ck_assert(weft_attr_equal(a, again));
    weft_buf_free(&b);
    weft_context_free(cx);
}
END_TEST

static const struct { const char *in, *want; } types[] = {
    { "tensor<f32>", NULL },
    { "tensor<2x3xbf16>", NULL },
    { "tensor<0x?xi1>", NULL },
    { "tensor< 2x3xf32 >", "tensor<2x3xf32>" },
    { "tensor<2xcomplex<f64>>", NULL },
    { "tensor<2xindex>", NULL },
    { "tensor<*xf32>", NULL },
    { "tensor<?x4xf32, #stablehlo.bounds<8, ?>>", NULL },
    { "tensor<2x!quant.uniform<i8:f32, 1.0:17>>", "tensor<2x!quant.uniform<i8:f32, 1.000000e+00:17>>" },
    { "!quant.uniform<i8<-127:127>:f32, 0.1>", "!quant.uniform<i8<-127:127>:f32, 1.000000e-01>" },
    { "!quant.uniform<i8<-128:127>:bf16, 0.5:0>", "!quant.uniform<i8:bf16, 5.000000e-01>" },
    { "!quant.uniform<ui8:f64, 0.0039215482917486456:-0>", "!quant.uniform<u8:f64, 0.0039215482917486456>" },
    { "tensor<2x?x!quant.uniform<u4<1:15>:f16:1, {1.0:2 , 0.25:7}>, #x<1>>",
      "tensor<2x?x!quant.uniform<u4<1:15>:f16:1, {1.000000e+00:2,2.500000e-01:7}>, #x<1>>" },
    { "tensor<4x!quant.uniform<i8:f32:{0:2}, {{1.0}, {2.0}}>>", NULL },
    { "!quant.uniform<i7:f32, 1.0>", NULL },
    { "!quant.any<i8:f32>", NULL },
    { "!x.y<a // not >\n, b>", "!x.y<a , b>" },
    { "!stablehlo.future<tensor<2xf32>, tensor<i1>>", NULL },
    { "tensor<2x!x.y<b>>", NULL },
    { "f8E4M3B11FNUZ", NULL },
    { "complex<f32>", NULL },
    { "index", NULL },
    { "none", NULL },
    { "!stablehlo.token", NULL },
    { "!x.y<a, [b]>", NULL },
    { "tuple<>", NULL },
    { "tuple<tensor<f32>, tuple<i32>>", NULL },
    { "(tensor<f32>, i1) -> ()", NULL },
    { "() -> (i1)", "() -> i1" },
    { "() -> (() -> i1)", NULL },
    { "vector<4x[8]xf32>", NULL },
    { "memref<2x?xf32, strided<[1, ?]>>", NULL },
    { "i128", NULL },
};

START_TEST(type) {
    weft_context *cx = weft_context_new(NULL);
    const weft_type *t = NULL, *again = NULL;
    const char *in = types[_i].in, *want = types[_i].want ? types[_i].want : in;
    weft_status st = weft_read_type(cx, weft_str_from(in), &t);
    if (st != WEFT_OK) ck_abort_msg("%s: %s", in, weft_context_diag(cx, 0)->message);
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    weft_type_print(&b, t);
    ck_assert_str_eq(b.p, want);
    ck_assert_int_eq(weft_read_type(cx, (weft_str){ b.p, b.n }, &again), WEFT_OK);
    ck_assert_ptr_eq(t, again);
    weft_buf_free(&b);
    weft_context_free(cx);
}
END_TEST

/* Whatever is printed reads back to the same bits. */
static const weft_dtype floats[] = { WEFT_F32, WEFT_F64, WEFT_F16, WEFT_BF16, WEFT_F8E4M3FN, WEFT_F8E5M2 };

START_TEST(floats_read_back) {
    weft_dtype t = floats[_i];
    weft_context *cx = weft_context_new(NULL);
    const weft_type *type = weft_type_scalar(cx, t);
    size_t bytes = weft_dtype_bytes(t);
    uint64_t x = 0x9E3779B97F4A7C15u, mask = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
    int count = bytes == 1 ? 256 : bytes == 2 ? 65536 : 4000;
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    for (int i = 0; i < count; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        uint64_t bits = (bytes <= 2 ? (uint64_t)i : x ^ x >> 29) & mask, back = 0;
        double v = weft_dtype_load(t, &bits);
        if (v != v) continue; /* a double does not carry every NaN's bits */
        b.n = 0;
        weft_float_print(&b, t, &bits);
        weft_buf_puts(&b, " : ");
        weft_type_print(&b, type);
        const weft_attr *a = NULL;
        ck_assert_int_eq(weft_read_attr(cx, (weft_str){ b.p, b.n }, &a), WEFT_OK);
        weft_dtype_store(t, &back, a->f);
        if (back != bits)
            ck_abort_msg("0x%llX is printed %s, which is 0x%llX", (unsigned long long)bits, b.p,
                         (unsigned long long)back);
    }
    weft_buf_free(&b);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("mlir attributes");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, attribute, 0, WEFT_COUNT(attrs));
    tcase_add_loop_test(tc, type, 0, WEFT_COUNT(types));
    tcase_add_loop_test(tc, floats_read_back, 0, WEFT_COUNT(floats));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
