/* Programs of ops that are written out before code generation, each checking itself: einsum, ragged_dot,
 * quantised types. */
#include <stdio.h>
#include <string.h>
#include "codegen/compile.h"
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "tests/codegen/walk.h"
#include "tests/support/suite.h"

/* the body of @main */
static const struct { const char *name, *body;
} good[] = {
    { "einsum",
      "%a = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>\n"
      "%b = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>\n"
      "%0 = stablehlo.einsum %a, %b, config = \"ab,bc->ca\" : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>\n"
      "check.expect_eq_const %0, dense<[[22.0, 49.0], [28.0, 64.0]]> : tensor<2x2xf32>\n"
      "%3 = stablehlo.einsum %a, %b, config = \"ab,cd->d\" : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2xf32>\n"
      "check.expect_eq_const %3, dense<[189.0, 252.0]> : tensor<2xf32>\n"
      "%4 = stablehlo.einsum %0, %b, config = \"aa,ba->ab\" : (tensor<2x2xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>\n"
      "check.expect_eq_const %4, dense<[[22.0, 66.0, 110.0], [128.0, 256.0, 384.0]]> : tensor<2x3xf32>\n" },
    { "einsum, an ellipsis",
      "%a = stablehlo.constant dense<[[[1, 2, 3]], [[4, 5, 6]]]> : tensor<2x1x3xi32>\n"
      "%b = stablehlo.constant dense<[[[1, 2], [3, 4], [5, 6]], [[1, 0], [0, 1], [1, 1]]]> : tensor<2x3x2xi32>\n"
      "%0 = stablehlo.einsum %a, %b, config = \"...ab,...bc->...ac\" : (tensor<2x1x3xi32>, tensor<2x3x2xi32>) -> tensor<2x1x2xi32>\n"
      "check.expect_eq_const %0, dense<[[[22, 28]], [[10, 11]]]> : tensor<2x1x2xi32>\n" },
    { "einsum, hidden dimensions of size 1: on both sides, on one",
      "%a = stablehlo.constant dense<[[[1, 2, 3], [4, 5, 6]]]> : tensor<1x2x3xi32>\n %b = stablehlo.constant dense<[[[1, 2], [3, 4], [5, 6]]]> : tensor<1x3x2xi32>\n"
      "%0 = stablehlo.einsum %a, %b, config = \"...ij,...jk->...ik\" : (tensor<1x2x3xi32>, tensor<1x3x2xi32>) -> tensor<1x2x2xi32>\n"
      "check.expect_eq_const %0, dense<[[[22, 28], [49, 64]]]> : tensor<1x2x2xi32>\n"
      "%c = stablehlo.constant dense<[[[1, 2], [3, 4], [5, 6]], [[0, 1], [1, 0], [2, 2]]]> : tensor<2x3x2xi32>\n"
      "%1 = stablehlo.einsum %a, %c, config = \"...ij,...jk->...ik\" : (tensor<1x2x3xi32>, tensor<2x3x2xi32>) -> tensor<2x2x2xi32>\n"
      "check.expect_eq_const %1, dense<[[[22, 28], [49, 64]], [[8, 7], [17, 16]]]> : tensor<2x2x2xi32>\n" },
    { "unary_einsum: transposed, summed, a diagonal, a trace",
      "%a = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>\n"
      "%s = stablehlo.slice %a [0:2, 1:3] : (tensor<2x3xf32>) -> tensor<2x2xf32>\n"
      "%1 = \"stablehlo.unary_einsum\"(%a) {einsum_config = \"ab->ba\"} : (tensor<2x3xf32>) -> tensor<3x2xf32>\n"
      "check.expect_eq_const %1, dense<[[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]> : tensor<3x2xf32>\n"
      "%2 = \"stablehlo.unary_einsum\"(%a) {einsum_config = \"ab->b\"} : (tensor<2x3xf32>) -> tensor<3xf32>\n"
      "check.expect_eq_const %2, dense<[5.0, 7.0, 9.0]> : tensor<3xf32>\n"
      "%3 = \"stablehlo.unary_einsum\"(%s) {einsum_config = \"aa->a\"} : (tensor<2x2xf32>) -> tensor<2xf32>\n"
      "check.expect_eq_const %3, dense<[2.0, 6.0]> : tensor<2xf32>\n"
      "%4 = \"stablehlo.unary_einsum\"(%s) {einsum_config = \"aa->\"} : (tensor<2x2xf32>) -> tensor<f32>\n"
      "check.expect_eq_const %4, dense<8.0> : tensor<f32>\n" },
    { "ragged_dot, rows: what is not finite in an empty group stays there, rows after the last group are 0",
      "%lhs = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>\n"
      "%rhs = stablehlo.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[2.0, 0.0], [0.0, 2.0]], [[0x7F800000, 0.0], [0.0, 1.0]]]> : tensor<3x2x2xf32>\n"
      "%sizes = stablehlo.constant dense<[1, 2, 0]> : tensor<3xi32>\n"
      "%0 = \"chlo.ragged_dot\"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [],"
      " lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}"
      " : (tensor<4x2xf32>, tensor<3x2x2xf32>, tensor<3xi32>) -> tensor<4x2xf32>\n"
      "check.expect_eq_const %0, dense<[[1.0, 2.0], [6.0, 8.0], [10.0, 12.0], [0.0, 0.0]]> : tensor<4x2xf32>\n" },
    { "ragged_dot, rows, sizes per batch",
      "%lhs = stablehlo.constant dense<[[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]]]> : tensor<2x3x1xf32>\n"
      /* [group, batch, k, n] */
      "%rhs = stablehlo.constant dense<[[[[1.0]], [[10.0]]], [[[100.0]], [[1000.0]]]]> : tensor<2x2x1x1xf32>\n"
      "%sizes = stablehlo.constant dense<[[1, 2], [2, 1]]> : tensor<2x2xi64>\n"
      "%0 = \"chlo.ragged_dot\"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1],"
      " lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}"
      " : (tensor<2x3x1xf32>, tensor<2x2x1x1xf32>, tensor<2x2xi64>) -> tensor<2x3x1xf32>\n"
      "check.expect_eq_const %0, dense<[[[1.0], [200.0], [300.0]], [[40.0], [50.0], [6000.0]]]> : tensor<2x3x1xf32>\n" },
    { "ragged_dot, terms and batches",
      "%lhs = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>\n"
      "%sizes = stablehlo.constant dense<[1, 2, 0]> : tensor<3xi32>\n"
      "%t = stablehlo.transpose %lhs, dims = [1, 0] : (tensor<4x2xf32>) -> tensor<2x4xf32>\n"
      "%1 = \"chlo.ragged_dot\"(%t, %lhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [],"
      " lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1], rhs_group_dimensions = []>}"
      " : (tensor<2x4xf32>, tensor<4x2xf32>, tensor<3xi32>) -> tensor<3x2x2xf32>\n"
      "check.expect_eq_const %1, dense<[[[1.0, 2.0], [2.0, 4.0]], [[34.0, 42.0], [42.0, 52.0]], [[0.0, 0.0], [0.0, 0.0]]]> : tensor<3x2x2xf32>\n"
      "%2 = \"chlo.ragged_dot\"(%lhs, %lhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0],"
      " lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>}"
      " : (tensor<4x2xf32>, tensor<4x2xf32>, tensor<3xi32>) -> tensor<4xf32>\n"
      "check.expect_eq_const %2, dense<[5.0, 25.0, 61.0, 113.0]> : tensor<4xf32>\n" },
    { "ragged_dot, one list of sizes for all batches and outer dimensions",
      "%lhs = stablehlo.constant dense<[[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]]]> : tensor<2x3x1xf32>\n"
      "%sizes = stablehlo.constant dense<[1, 2]> : tensor<2xi32>\n"
      "%rhs = stablehlo.constant dense<[[[[1.0]], [[10.0]]], [[[100.0]], [[1000.0]]]]> : tensor<2x2x1x1xf32>\n"
      "%0 = \"chlo.ragged_dot\"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1],"
      " lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}"
      " : (tensor<2x3x1xf32>, tensor<2x2x1x1xf32>, tensor<2xi32>) -> tensor<2x3x1xf32>\n"
      "check.expect_eq_const %0, dense<[[[1.0], [200.0], [300.0]], [[40.0], [5000.0], [6000.0]]]> : tensor<2x3x1xf32>\n"
      "%two = stablehlo.constant dense<[[[10.0]], [[100.0]]]> : tensor<2x1x1xf32>\n"
      "%1 = \"chlo.ragged_dot\"(%lhs, %two, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [],"
      " lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}"
      " : (tensor<2x3x1xf32>, tensor<2x1x1xf32>, tensor<2xi32>) -> tensor<2x3x1xf32>\n"
      "check.expect_eq_const %1, dense<[[[10.0], [200.0], [300.0]], [[40.0], [500.0], [600.0]]]> : tensor<2x3x1xf32>\n"
      "%a = stablehlo.reshape %lhs : (tensor<2x3x1xf32>) -> tensor<2x3xf32>\n"
      "%ones = stablehlo.constant dense<1.0> : tensor<2x3xf32>\n"
      "%2 = \"chlo.ragged_dot\"(%a, %ones, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [],"
      " lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1], lhs_ragged_dimensions = [1], rhs_group_dimensions = []>}"
      " : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xi32>) -> tensor<2xf32>\n"
      "check.expect_eq_const %2, dense<[5.0, 16.0]> : tensor<2xf32>\n"
      "%3 = \"chlo.ragged_dot\"(%a, %ones, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0],"
      " lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [1], rhs_group_dimensions = []>}"
      " : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x2xf32>\n"
      "check.expect_eq_const %3, dense<[[1.0, 4.0], [5.0, 11.0]]> : tensor<2x2xf32>\n" },
    { "a sum of many quantized products does not overflow",
      "%c = stablehlo.constant dense<127> : tensor<80000xi8>\n"
      "%q = stablehlo.bitcast_convert %c : (tensor<80000xi8>) -> tensor<80000x!quant.uniform<i8:f32, 1.0:-128>>\n"
      "%r = stablehlo.bitcast_convert %c : (tensor<80000xi8>) -> tensor<80000x!quant.uniform<i8:f32, 1.0>>\n"
      "%d = stablehlo.dot_general %q, %r, contracting_dims = [0] x [0] : (tensor<80000x!quant.uniform<i8:f32, 1.0:-128>>,"
      " tensor<80000x!quant.uniform<i8:f32, 1.0>>) -> tensor<!quant.uniform<i8:f32, 1.0e8:0>>\n"
      "%b = stablehlo.bitcast_convert %d : (tensor<!quant.uniform<i8:f32, 1.0e8:0>>) -> tensor<i8>\n"
      "check.expect_eq_const %b, dense<26> : tensor<i8>\n" },
    { "uniform_quantize, uniform_dequantize: the spec's examples, per axis",
      "%f = stablehlo.constant dense<[4.0, 15.0]> : tensor<2xf32>\n"
      "%q = stablehlo.uniform_quantize %f : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>\n"
      "%b = stablehlo.bitcast_convert %q : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>) -> tensor<2xi8>\n"
      "check.expect_eq_const %b, dense<[10, 10]> : tensor<2xi8>\n"
      "%d = stablehlo.uniform_dequantize %q : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>) -> tensor<2xf32>\n"
      "check.expect_eq_const %d, dense<[4.0, 15.0]> : tensor<2xf32>\n"
      "%r = stablehlo.uniform_quantize %q : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.1:-20,0.2:-30}>>\n"
      "%rb = stablehlo.bitcast_convert %r : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-20,0.2:-30}>>) -> tensor<2xi8>\n"
      "check.expect_eq_const %rb, dense<[20, 45]> : tensor<2xi8>\n" },
    { "uniform_quantize: halves to even, limits of the storage, a difference that a byte cannot hold",
      "%f = stablehlo.constant dense<[0.5, 1.5, 2.5, -0.5, -1.5, 300.0, -300.0]> : tensor<7xf32>\n"
      "%q = stablehlo.uniform_quantize %f : (tensor<7xf32>) -> tensor<7x!quant.uniform<i8<-100:100>:f32, 1.0>>\n"
      "%b = stablehlo.bitcast_convert %q : (tensor<7x!quant.uniform<i8<-100:100>:f32, 1.0>>) -> tensor<7xi8>\n"
      "check.expect_eq_const %b, dense<[0, 2, 2, 0, -2, 100, -100]> : tensor<7xi8>\n"
      "%w = stablehlo.constant dense<[127, -128]> : tensor<2x!quant.uniform<i8:f32, 0.5:-128>>\n"
      "%d = stablehlo.uniform_dequantize %w : (tensor<2x!quant.uniform<i8:f32, 0.5:-128>>) -> tensor<2xf32>\n"
      "check.expect_eq_const %d, dense<[127.5, 0.0]> : tensor<2xf32>\n" },
    { "uniform_dequantize: the ends of each storage less the zero point",
      "%a = stablehlo.constant dense<[-2147483648, 2147483647]> : tensor<2xi32>\n"
      "%q = stablehlo.bitcast_convert %a : (tensor<2xi32>) -> tensor<2x!quant.uniform<i32:f32, 1.0:5>>\n"
      "%0 = stablehlo.uniform_dequantize %q : (tensor<2x!quant.uniform<i32:f32, 1.0:5>>) -> tensor<2xf32>\n"
      "check.expect_eq_const %0, dense<[-2147483653.0, 2147483642.0]> : tensor<2xf32>\n"
      "%b = stablehlo.constant dense<[-32768, 32767]> : tensor<2xi16>\n"
      "%r = stablehlo.bitcast_convert %b : (tensor<2xi16>) -> tensor<2x!quant.uniform<i16:f32, 1.0:5>>\n"
      "%1 = stablehlo.uniform_dequantize %r : (tensor<2x!quant.uniform<i16:f32, 1.0:5>>) -> tensor<2xf32>\n"
      "check.expect_eq_const %1, dense<[-32773.0, 32762.0]> : tensor<2xf32>\n"
      "%c = stablehlo.constant dense<[0, 255]> : tensor<2xui8>\n"
      "%s = stablehlo.bitcast_convert %c : (tensor<2xui8>) -> tensor<2x!quant.uniform<u8:f32, 1.0:200>>\n"
      "%2 = stablehlo.uniform_dequantize %s : (tensor<2x!quant.uniform<u8:f32, 1.0:200>>) -> tensor<2xf32>\n"
      "check.expect_eq_const %2, dense<[-200.0, 55.0]> : tensor<2xf32>\n" },
    { "element by element, moved, compared, selected, in a reducer and in a loop",
      "%qa = stablehlo.constant dense<[[1, 2], [3, -4]]> : tensor<2x2x!quant.uniform<i8:f32, 2.0:3>>\n"
      "%s = stablehlo.add %qa, %qa : tensor<2x2x!quant.uniform<i8:f32, 2.0:3>>\n"
      "%sb = stablehlo.bitcast_convert %s : (tensor<2x2x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<2x2xi8>\n"
      "check.expect_eq_const %sb, dense<[[-1, 1], [3, -11]]> : tensor<2x2xi8>\n"
      "%t = stablehlo.transpose %qa, dims = [1, 0] : (tensor<2x2x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<2x2x!quant.uniform<i8:f32, 2.0:3>>\n"
      "%c = stablehlo.compare LT, %qa, %t : (tensor<2x2x!quant.uniform<i8:f32, 2.0:3>>, tensor<2x2x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<2x2xi1>\n"
      "check.expect_eq_const %c, dense<[[false, true], [false, false]]> : tensor<2x2xi1>\n"
      "%m = stablehlo.select %c, %qa, %t : tensor<2x2xi1>, tensor<2x2x!quant.uniform<i8:f32, 2.0:3>>\n"
      "%mb = stablehlo.bitcast_convert %m : (tensor<2x2x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<2x2xi8>\n"
      "check.expect_eq_const %mb, dense<[[1, 2], [2, -4]]> : tensor<2x2xi8>\n"
      "%z = stablehlo.constant dense<3> : tensor<!quant.uniform<i8:f32, 2.0:3>>\n"
      "%r = stablehlo.reduce(%qa init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x2x!quant.uniform<i8:f32, 2.0:3>>,"
      " tensor<!quant.uniform<i8:f32, 2.0:3>>) -> tensor<2x!quant.uniform<i8:f32, 2.0:3>>\n"
      "%rb = stablehlo.bitcast_convert %r : (tensor<2x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<2xi8>\n"
      "check.expect_eq_const %rb, dense<[0, -4]> : tensor<2xi8>\n"
      "%i = stablehlo.constant dense<0> : tensor<i32>\n %one = stablehlo.constant dense<1> : tensor<i32>\n %n = stablehlo.constant dense<2> : tensor<i32>\n"
      "%l:2 = stablehlo.while(%k = %i, %q = %qa) : tensor<i32>, tensor<2x2x!quant.uniform<i8:f32, 2.0:3>>\n cond {\n"
      "%p = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n stablehlo.return %p : tensor<i1>\n } do {\n"
      "%k2 = stablehlo.add %k, %one : tensor<i32>\n %q2 = stablehlo.add %q, %q : tensor<2x2x!quant.uniform<i8:f32, 2.0:3>>\n"
      "stablehlo.return %k2, %q2 : tensor<i32>, tensor<2x2x!quant.uniform<i8:f32, 2.0:3>>\n }\n"
      "%lb = stablehlo.bitcast_convert %l#1 : (tensor<2x2x!quant.uniform<i8:f32, 2.0:3>>) -> tensor<2x2xi8>\n"
      "check.expect_eq_const %lb, dense<[[-5, -1], [3, -25]]> : tensor<2x2xi8>\n" },
    { "dot_general: zero points, scales per axis, sums beyond a byte; numbers times quantised weights",
      "%qa = stablehlo.constant dense<[[1, 2], [3, -4]]> : tensor<2x2x!quant.uniform<i8:f32, 2.0:3>>\n"
      "%qw = stablehlo.constant dense<[[5, -6], [7, 127]]> : tensor<2x2x!quant.uniform<i8<-127:127>:f32:1, {0.5, 0.25}>>\n"
      "%r = stablehlo.dot_general %qa, %qw, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 2.0:3>>,"
      " tensor<2x2x!quant.uniform<i8<-127:127>:f32:1, {0.5, 0.25}>>) -> tensor<2x2x!quant.uniform<i32:f32:1, {1.0, 0.5}>>\n"
      "%b = stablehlo.bitcast_convert %r : (tensor<2x2x!quant.uniform<i32:f32:1, {1.0, 0.5}>>) -> tensor<2x2xi32>\n"
      "check.expect_eq_const %b, dense<[[-17, -115], [-49, -889]]> : tensor<2x2xi32>\n"
      "%f = stablehlo.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>\n"
      "%h = stablehlo.dot_general %f, %qw, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x2x!quant.uniform<i8<-127:127>:f32:1, {0.5, 0.25}>>) -> tensor<1x2xf32>\n"
      "check.expect_eq_const %h, dense<[[9.5, 62.0]]> : tensor<1x2xf32>\n" },
    { "convolution: what padding adds is 0, whatever the zero point",
      "%x = stablehlo.constant dense<[[[4], [5], [7]]]> : tensor<1x3x1x!quant.uniform<i8:f32, 1.0:4>>\n"
      "%k = stablehlo.constant dense<[[[1]], [[2]], [[3]]]> : tensor<3x1x1x!quant.uniform<i8:f32, 1.0:1>>\n"
      "%r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
      " : (tensor<1x3x1x!quant.uniform<i8:f32, 1.0:4>>, tensor<3x1x1x!quant.uniform<i8:f32, 1.0:1>>) -> tensor<1x3x1x!quant.uniform<i32:f32, 1.0>>\n"
      "%b = stablehlo.bitcast_convert %r : (tensor<1x3x1x!quant.uniform<i32:f32, 1.0>>) -> tensor<1x3x1xi32>\n"
      "check.expect_eq_const %b, dense<[[[2], [7], [3]]]> : tensor<1x3x1xi32>\n" },
};

static weft_status run(const char *body, char *why, size_t size) {
    char text[8192];
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_executable *x = NULL;
    ck_assert(cx != NULL);
    snprintf(text, sizeof text, "func.func @main() {\n%sreturn\n}\n", body);
    weft_status st = weft_read_text(cx, weft_str_from(text), "test", 0, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(cx, WEFT_STR("weft-prepare"), 0, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(cx, WEFT_STR("weft-legalize"), 0, &m);
    if (st == WEFT_OK) st = weft_codegen_compile(cx, m, NULL, &x);
    if (st == WEFT_OK) st = walk_run(x, NULL, NULL, NULL);
    const weft_diag *d = weft_context_diag(cx, 0);
    snprintf(why, size, "%s", d ? d->message : "a check failed");
    weft_executable_free(x);
    weft_module_free(m);
    weft_context_free(cx);
    return st;
}

START_TEST(test_good) {
    char why[512];
    weft_status st = run(good[_i].body, why, sizeof why);
    ck_assert_msg(st == WEFT_OK, "%s: %s", good[_i].name, why);
}
END_TEST

static const struct { const char *body, *want; } bad[] = {
    { "%a = stablehlo.constant dense<1.0> : tensor<2x2xf32>\n %0 = \"stablehlo.unary_einsum\"(%a) {einsum_config = \"ab->aa\"} : (tensor<2x2xf32>) -> tensor<2x2xf32>\n",
      "not of the form that is understood" },
    { "%a = stablehlo.constant dense<1.0> : tensor<2x2xf32>\n %0 = \"stablehlo.unary_einsum\"(%a) {einsum_config = \"..a->a\"} : (tensor<2x2xf32>) -> tensor<2xf32>\n",
      "not of the form that is understood" },
};

START_TEST(test_bad) {
    char why[512];
    ck_assert_int_ne(run(bad[_i].body, why, sizeof why), WEFT_OK);
    ck_assert_msg(strstr(why, bad[_i].want) != NULL, "%s", why);
}
END_TEST

int main(void) {
    Suite *s = suite_create("legalize/math");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_good, 0, WEFT_COUNT(good));
    tcase_add_loop_test(tc, test_bad, 0, WEFT_COUNT(bad));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
