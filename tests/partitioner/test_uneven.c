/* Dimensions that the devices do not divide: every class of op, on 2, 3, 4 and 8 devices in this process, equals one
 * device's result. Sizes are 1, 3, 10 and a random one, so some devices have padding only.
 *
 * A case is a body over %x: tensor<$nx6xf32>, %y of the same type and %i: tensor<$nxi32>, all sharded along their first
 * dimension over all devices, as is its result %r unless that is a scalar. The same with Shardy's passes, of which
 * sdy-pad-for-divisibility makes the sizes even: there arguments and the result are replicated and sharded inside. $n
 * is the size, $m is n + 5, $k is n + 1, $d the number of devices. Data are small integers, so that sums are exact in
 * any order. */
#include <stdio.h>
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "runtime/execute.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

#define SCALAR "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
#define SHIFTED /* %a, %b: not 0 where %x and %y are padded */ \
    "%e = stablehlo.constant dense<8.0> : tensor<$nx6xf32>\n%a = stablehlo.add %x, %e : tensor<$nx6xf32>\n%b = stablehlo.add %y, %e : tensor<$nx6xf32>\n"
#define REDUCER(op, type) \
    "({\n^bb0(%p: tensor<" type ">, %q: tensor<" type ">):\n%s = stablehlo." op " %p, %q : tensor<" type \
    ">\nstablehlo.return %s : tensor<" type ">\n})"
#define CUMULATIVE(r, x, op, init) \
    "%z" r " = stablehlo.constant dense<" init "> : tensor<f32>\n%" r " = \"stablehlo.reduce_window\"(%" x ", %z" r \
    ") <{window_dimensions = array<i64: $n, 1>, " \
    "window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, " \
    "padding = dense<[[$e, 0], [0, 0]]> : tensor<2x2xi64>}> " REDUCER( \
        op, "f32") " : (tensor<$nx6xf32>, tensor<f32>) -> tensor<$nx6xf32>\n"

typedef struct uneven_case { const char *name, *body, *type; } uneven_case;

static const uneven_case cases[] = {
    { "pointwise",
      "%0 = stablehlo.multiply %x, %y : tensor<$nx6xf32>\n%r = stablehlo.subtract %0, %x : tensor<$nx6xf32>\n",
      "tensor<$nx6xf32>" },
    { "integer division by padding", "%r = stablehlo.divide %i, %i : tensor<$nxi32>\n", "tensor<$nxi32>" },
    { "convert and compare",
      "%0 = stablehlo.compare LT, %x, %y : (tensor<$nx6xf32>, tensor<$nx6xf32>) -> tensor<$nx6xi1>\n"
      "%r = stablehlo.select %0, %x, %y : tensor<$nx6xi1>, tensor<$nx6xf32>\n",
      "tensor<$nx6xf32>" },
    { "sum to a scalar",
      SCALAR
      "%r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<$nx6xf32>, tensor<f32>) -> tensor<f32>\n",
      "tensor<f32>" },
    { "sum of the cut dimension",
      SCALAR
      "%r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<$nx6xf32>, tensor<f32>) -> tensor<6xf32>\n",
      "tensor<6xf32>" },
    { "sum of the other",
      SCALAR
      "%r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<$nx6xf32>, tensor<f32>) -> tensor<$nxf32>\n",
      "tensor<$nxf32>" },
    { "sum from a start",
      "%z = stablehlo.constant dense<7.0> : tensor<f32>\n"
      "%r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<$nx6xf32>, tensor<f32>) -> tensor<6xf32>\n",
      "tensor<6xf32>" },
    { "max of negatives",
      "%z = stablehlo.constant dense<0xFF800000> : tensor<f32>\n%9 = stablehlo.abs %x : tensor<$nx6xf32>\n%8 = stablehlo.negate %9 : tensor<$nx6xf32>\n"
      "%r = stablehlo.reduce(%8 init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<$nx6xf32>, tensor<f32>) -> tensor<6xf32>\n",
      "tensor<6xf32>" },
    { "min of positives",
      "%z = stablehlo.constant dense<100> : tensor<i32>\n%8 = stablehlo.abs %i : tensor<$nxi32>\n"
      "%r = stablehlo.reduce(%8 init: %z) applies stablehlo.minimum across dimensions = [0] : (tensor<$nxi32>, tensor<i32>) -> tensor<i32>\n",
      "tensor<i32>" },
    { "product",
      "%z = stablehlo.constant dense<1> : tensor<i32>\n"
      "%r = stablehlo.reduce(%i init: %z) applies stablehlo.multiply across dimensions = [0] : (tensor<$nxi32>, tensor<i32>) -> tensor<i32>\n",
      "tensor<i32>" },
    { "xor",
      "%z = stablehlo.constant dense<5> : tensor<i32>\n"
      "%r = stablehlo.reduce(%i init: %z) applies stablehlo.xor across dimensions = [0] : (tensor<$nxi32>, tensor<i32>) -> tensor<i32>\n",
      "tensor<i32>" },
    { "all",
      "%z = stablehlo.constant dense<true> : tensor<i1>\n%c = stablehlo.constant dense<-9> : tensor<$nxi32>\n"
      "%9 = stablehlo.compare GT, %i, %c : (tensor<$nxi32>, tensor<$nxi32>) -> tensor<$nxi1>\n"
      "%r = stablehlo.reduce(%9 init: %z) applies stablehlo.and across dimensions = [0] : (tensor<$nxi1>, tensor<i1>) -> tensor<i1>\n",
      "tensor<i1>" },
    { "argmax",
      "%z = stablehlo.constant dense<0xFF800000> : tensor<f32>\n%w = stablehlo.constant dense<0> : tensor<i32>\n%9 = stablehlo.abs %x : tensor<$nx6xf32>\n"
      "%8 = stablehlo.negate %9 : tensor<$nx6xf32>\n%7 = stablehlo.iota dim = 0 : tensor<$nx6xi32>\n"
      "%6:2 = \"stablehlo.reduce\"(%8, %7, %z, %w) <{dimensions = array<i64: 0>}> ({\n^bb0(%p: tensor<f32>, %a: tensor<i32>, %q: tensor<f32>, %b: tensor<i32>):\n"
      "%g = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>\n%s = stablehlo.select %g, %p, %q : tensor<i1>, tensor<f32>\n"
      "%t = stablehlo.select %g, %a, %b : tensor<i1>, tensor<i32>\nstablehlo.return %s, %t : tensor<f32>, tensor<i32>\n"
      "}) : (tensor<$nx6xf32>, tensor<$nx6xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)\n%r = stablehlo.convert %6#1 : tensor<6xi32>\n",
      "tensor<6xi32>" },
    { "product over the cut dimension",
      "%r = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<$nx6xf32>, tensor<$nx6xf32>) -> tensor<6x6xf32>\n",
      "tensor<6x6xf32>" },
    { "product of what is not zero there",
      SHIFTED
      "%r = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<$nx6xf32>, tensor<$nx6xf32>) -> tensor<6x6xf32>\n",
      "tensor<6x6xf32>" },
    { "product of what is infinite there",
      SHIFTED
      "%c = stablehlo.divide %a, %y : tensor<$nx6xf32>\n"
      "%r = stablehlo.dot_general %c, %x, contracting_dims = [0] x [0] : (tensor<$nx6xf32>, tensor<$nx6xf32>) -> tensor<6x6xf32>\n",
      "tensor<6x6xf32>" },
    { "product with free rows",
      "%r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : (tensor<$nx6xf32>, tensor<$nx6xf32>) -> tensor<$nx$nxf32>\n",
      "tensor<$nx$nxf32>" },
    { "product in batches",
      "%r = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<$nx6xf32>, tensor<$nx6xf32>) -> tensor<$nxf32>\n",
      "tensor<$nxf32>" },
    { "sort along",
      "%r = \"stablehlo.sort\"(%x) <{dimension = 0 : i64, is_stable = true}> ({\n^bb0(%p: tensor<f32>, %q: tensor<f32>):\n"
      "%g = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>\nstablehlo.return %g : tensor<i1>\n}) : (tensor<$nx6xf32>) -> tensor<$nx6xf32>\n",
      "tensor<$nx6xf32>" },
    { "sort across",
      "%r = \"stablehlo.sort\"(%x) <{dimension = 1 : i64, is_stable = true}> ({\n^bb0(%p: tensor<f32>, %q: tensor<f32>):\n"
      "%g = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>\nstablehlo.return %g : tensor<i1>\n}) : (tensor<$nx6xf32>) -> tensor<$nx6xf32>\n",
      "tensor<$nx6xf32>" },
    { "cumulative sum", CUMULATIVE("r", "x", "add", "0.0"), "tensor<$nx6xf32>" },
    { "cumulative sum, then maximum", CUMULATIVE("9", "x", "add", "0.0") CUMULATIVE("r", "9", "maximum", "0xFF800000"),
      "tensor<$nx6xf32>" },
    { "cumulative maximum, then sum", CUMULATIVE("9", "x", "maximum", "0xFF800000") CUMULATIVE("r", "9", "add", "0.0"),
      "tensor<$nx6xf32>" },
    { "softmax along",
      "%z = stablehlo.constant dense<0.0> : tensor<f32>\n%w = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
      "%0 = stablehlo.reduce(%x init: %w) applies stablehlo.maximum across dimensions = [0] : (tensor<$nx6xf32>, tensor<f32>) -> tensor<6xf32>\n"
      "%1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<6xf32>) -> tensor<$nx6xf32>\n%2 = stablehlo.subtract %x, %1 : tensor<$nx6xf32>\n%3 = stablehlo.exponential %2 : tensor<$nx6xf32>\n"
      "%4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<$nx6xf32>, tensor<f32>) -> tensor<6xf32>\n"
      "%5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<6xf32>) -> tensor<$nx6xf32>\n%r = stablehlo.divide %3, %5 : tensor<$nx6xf32>\n",
      "tensor<$nx6xf32>" },
    { "variance",
      "%z = stablehlo.constant dense<0.0> : tensor<f32>\n%c = stablehlo.constant dense<$n.0> : tensor<6xf32>\n"
      "%0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<$nx6xf32>, tensor<f32>) -> tensor<6xf32>\n%1 = stablehlo.divide %0, %c : tensor<6xf32>\n"
      "%2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<6xf32>) -> tensor<$nx6xf32>\n%3 = stablehlo.subtract %x, %2 : tensor<$nx6xf32>\n%4 = stablehlo.multiply %3, %3 : tensor<$nx6xf32>\n"
      "%5 = stablehlo.reduce(%4 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<$nx6xf32>, tensor<f32>) -> tensor<6xf32>\n%r = stablehlo.divide %5, %c : tensor<6xf32>\n",
      "tensor<6xf32>" },
    { "transpose", "%r = stablehlo.transpose %x, dims = [1, 0] : (tensor<$nx6xf32>) -> tensor<6x$nxf32>\n",
      "tensor<6x$nxf32>" },
    { "reshape", "%r = stablehlo.reshape %x : (tensor<$nx6xf32>) -> tensor<$nx2x3xf32>\n", "tensor<$nx2x3xf32>" },
    { "reshape to a line",
      "%0 = stablehlo.reshape %x : (tensor<$nx6xf32>) -> tensor<6x$nxf32>\n%r = stablehlo.negate %0 : tensor<6x$nxf32>\n",
      "tensor<6x$nxf32>" },
    { "reverse", "%r = stablehlo.reverse %x, dims = [0] : tensor<$nx6xf32>\n", "tensor<$nx6xf32>" },
    { "slice", "%r = stablehlo.slice %x [0:$n, 1:4] : (tensor<$nx6xf32>) -> tensor<$nx3xf32>\n", "tensor<$nx3xf32>" },
    { "pad, low negative",
      "%z = stablehlo.constant dense<9.0> : tensor<f32>\n%r = stablehlo.pad %x, %z, low = [-1, 0], high = [1, 0], interior = [0, 0] : (tensor<$nx6xf32>, tensor<f32>) -> tensor<$nx6xf32>\n",
      "tensor<$nx6xf32>" },
    { "pad, high negative",
      "%z = stablehlo.constant dense<9.0> : tensor<f32>\n%r = stablehlo.pad %x, %z, low = [6, 0], high = [-1, 0], interior = [0, 0] : (tensor<$nx6xf32>, tensor<f32>) -> tensor<$mx6xf32>\n",
      "tensor<$mx6xf32>" },
    { "pad inside",
      "%z = stablehlo.constant dense<9.0> : tensor<f32>\n%r = stablehlo.pad %x, %z, low = [-1, 0], high = [7, 0], interior = [1, 2] : (tensor<$nx6xf32>, tensor<f32>) -> tensor<$qx16xf32>\n",
      "tensor<$qx16xf32>" },
    { "concatenate",
      "%r = stablehlo.concatenate %x, %y, dim = 0 : (tensor<$nx6xf32>, tensor<$nx6xf32>) -> tensor<$wx6xf32>\n",
      "tensor<$wx6xf32>" },
    { "concatenate across",
      "%r = stablehlo.concatenate %x, %y, dim = 1 : (tensor<$nx6xf32>, tensor<$nx6xf32>) -> tensor<$nx12xf32>\n",
      "tensor<$nx12xf32>" },
    { "dynamic slice that is clamped",
      "%a = stablehlo.constant dense<99> : tensor<i32>\n%b = stablehlo.constant dense<2> : tensor<i32>\n"
      "%r = stablehlo.dynamic_slice %x, %a, %b, sizes = [1, 6] : (tensor<$nx6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x6xf32>\n",
      "tensor<1x6xf32>" },
    { "dynamic update that is clamped",
      "%a = stablehlo.constant dense<99> : tensor<i32>\n%b = stablehlo.constant dense<2> : tensor<i32>\n%u = stablehlo.constant dense<8.0> : tensor<1x6xf32>\n"
      "%r = stablehlo.dynamic_update_slice %x, %u, %a, %b : (tensor<$nx6xf32>, tensor<1x6xf32>, tensor<i32>, tensor<i32>) -> tensor<$nx6xf32>\n",
      "tensor<$nx6xf32>" },
    { "rows by index",
      "%r = \"stablehlo.gather\"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
      "slice_sizes = array<i64: 1, 6>}> : (tensor<$nx6xf32>, tensor<$nxi32>) -> tensor<$nx6xf32>\n",
      "tensor<$nx6xf32>" },
    { "rows of a table by index",
      "%t = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>\n"
      "%r = \"stablehlo.gather\"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
      "slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xf32>, tensor<$nxi32>) -> tensor<$nx2xf32>\n",
      "tensor<$nx2xf32>" },
    { "scatter of rows, adding",
      "%0 = \"stablehlo.scatter\"(%y, %i, %x) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
      "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> " REDUCER(
          "add", "f32") " : (tensor<$nx6xf32>, tensor<$nxi32>, tensor<$nx6xf32>) -> tensor<$nx6xf32>\n"
                        "%r = stablehlo.negate %0 : tensor<$nx6xf32>\n",
      "tensor<$nx6xf32>" },
    { "scatter into little, adding",
      SHIFTED
      "%t = stablehlo.constant dense<0.0> : tensor<4x6xf32>\n%r = \"stablehlo.scatter\"(%t, %i, %a) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
      "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false}> " REDUCER(
          "add", "f32") " : (tensor<4x6xf32>, tensor<$nxi32>, tensor<$nx6xf32>) -> tensor<4x6xf32>\n",
      "tensor<4x6xf32>" },
    { "scatter, maximum",
      "%t = stablehlo.constant dense<-50.0> : tensor<4x6xf32>\n%r = \"stablehlo.scatter\"(%t, %i, %x) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
      "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> " REDUCER(
          "maximum", "f32") " : (tensor<4x6xf32>, tensor<$nxi32>, tensor<$nx6xf32>) -> tensor<4x6xf32>\n",
      "tensor<4x6xf32>" },
    { "gradient of take_along_axis",
      "%a = stablehlo.reshape %i : (tensor<$nxi32>) -> tensor<$nx1xi32>\n%u = stablehlo.slice %x [0:$n, 2:3] : (tensor<$nx6xf32>) -> tensor<$nx1xf32>\n"
      "%v = stablehlo.reshape %u : (tensor<$nx1xf32>) -> tensor<$nxf32>\n"
      "%t = stablehlo.constant dense<0.0> : tensor<$nx6xf32>\n%0 = \"stablehlo.scatter\"(%t, %a, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], "
      "input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> " REDUCER(
          "add",
          "f32") " : (tensor<$nx6xf32>, tensor<$nx1xi32>, tensor<$nxf32>) -> tensor<$nx6xf32>\n%r = stablehlo.add %0, %x : tensor<$nx6xf32>\n",
      "tensor<$nx6xf32>" },
    { "scatter, then another placement",
      "%0 = \"stablehlo.scatter\"(%y, %i, %x) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
      "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> " REDUCER(
          "add", "f32") " : (tensor<$nx6xf32>, tensor<$nxi32>, tensor<$nx6xf32>) -> tensor<$nx6xf32>\n"
                        "%r = sdy.sharding_constraint %0 <@mesh, [{}, {\"x\"}]> : tensor<$nx6xf32>\n",
      "tensor<$nx6xf32>" },
    { "iota", "%0 = stablehlo.iota dim = 0 : tensor<$nx6xf32>\n%r = stablehlo.add %0, %x : tensor<$nx6xf32>\n",
      "tensor<$nx6xf32>" },
    { "constant rows",
      "%t = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>\n%0 = sdy.sharding_constraint %t <@mesh, [{\"x\"}]> : tensor<5xf32>\n"
      "%1 = stablehlo.negate %0 : tensor<5xf32>\n%r = stablehlo.multiply %0, %1 : tensor<5xf32>\n",
      "tensor<5xf32>" },
    { "other dimension and back",
      "%0 = sdy.sharding_constraint %x <@mesh, [{}, {\"x\"}]> : tensor<$nx6xf32>\n%1 = stablehlo.negate %0 : tensor<$nx6xf32>\n"
      "%r = sdy.sharding_constraint %1 <@mesh, [{\"x\"}, {}]> : tensor<$nx6xf32>\n",
      "tensor<$nx6xf32>" },
    { "a reshape of few elements",
      "%0 = stablehlo.slice %x [0:1, 0:2] : (tensor<$nx6xf32>) -> tensor<1x2xf32>\n%1 = stablehlo.reshape %0 : (tensor<1x2xf32>) -> tensor<2xf32>\n"
      "%r = sdy.sharding_constraint %1 <@mesh, [{\"x\"}]> : tensor<2xf32>\n",
      "tensor<2xf32>" },
    { "loop",
      "%n = stablehlo.constant dense<0> : tensor<i32>\n%one = stablehlo.constant dense<1> : tensor<i32>\n%three = stablehlo.constant dense<3> : tensor<i32>\n"
      "%0:2 = stablehlo.while(%j = %n, %v = %x) : tensor<i32>, tensor<$nx6xf32>\ncond {\n%c = stablehlo.compare LT, %j, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %c : tensor<i1>\n} do {\n"
      "%l = stablehlo.add %j, %one : tensor<i32>\n%g = stablehlo.dot_general %v, %y, contracting_dims = [0] x [0] : (tensor<$nx6xf32>, tensor<$nx6xf32>) -> tensor<6x6xf32>\n"
      "%h = stablehlo.sign %g : tensor<6x6xf32>\n%w = stablehlo.dot_general %v, %h, contracting_dims = [1] x [0] : (tensor<$nx6xf32>, tensor<6x6xf32>) -> tensor<$nx6xf32>\n"
      "stablehlo.return %l, %w : tensor<i32>, tensor<$nx6xf32>\n}\n%r = stablehlo.negate %0#1 : tensor<$nx6xf32>\n",
      "tensor<$nx6xf32>" },
    { "branches that place their results differently",
      SCALAR
      "%8 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<$nx6xf32>, tensor<f32>) -> tensor<f32>\n"
      "%9 = stablehlo.compare LT, %8, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>\n%r = \"stablehlo.if\"(%9) ({\n%a = stablehlo.negate %x : tensor<$nx6xf32>\n"
      "%b = sdy.sharding_constraint %a <@mesh, [{}, {\"x\"}]> : tensor<$nx6xf32>\nstablehlo.return %b : tensor<$nx6xf32>\n}, {\n%a = stablehlo.add %x, %y : tensor<$nx6xf32>\n"
      "%b = sdy.sharding_constraint %a <@mesh, [{\"x\"}, {}]> : tensor<$nx6xf32>\nstablehlo.return %b : tensor<$nx6xf32>\n}) : (tensor<i1>) -> tensor<$nx6xf32>\n",
      "tensor<$nx6xf32>" },
    { "convolution in batches",
      "%0 = stablehlo.reshape %x : (tensor<$nx6xf32>) -> tensor<$nx6x1xf32>\n%k = stablehlo.constant dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>\n"
      "%r = stablehlo.convolution(%0, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
      "(tensor<$nx6x1xf32>, tensor<2x1x2xf32>) -> tensor<$nx6x2xf32>\n",
      "tensor<$nx6x2xf32>" },
    { "convolution over features",
      SHIFTED
      "%0 = stablehlo.reshape %a : (tensor<$nx6xf32>) -> tensor<$nx1x6xf32>\n%k = stablehlo.reshape %b : (tensor<$nx6xf32>) -> tensor<$nx6x1xf32>\n"
      "%r = stablehlo.convolution(%0, %k) dim_numbers = [f, b, 0]x[i, 0, o]->[b, 0, f], window = {pad = [[2, 3]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
      "(tensor<$nx1x6xf32>, tensor<$nx6x1xf32>) -> tensor<1x6x1xf32>\n",
      "tensor<1x6x1xf32>" },
    { "windows along",
      "%z = stablehlo.constant dense<0.0> : tensor<f32>\n%r = \"stablehlo.reduce_window\"(%x, %z) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 1, 1>, "
      "padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> " REDUCER(
          "add", "f32") " : (tensor<$nx6xf32>, tensor<f32>) -> tensor<$nx6xf32>\n",
      "tensor<$nx6xf32>" },
    { "windows across",
      "%z = stablehlo.constant dense<0.0> : tensor<f32>\n%r = \"stablehlo.reduce_window\"(%x, %z) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> " REDUCER(
          "add", "f32") " : (tensor<$nx6xf32>, tensor<f32>) -> tensor<$nx3xf32>\n",
      "tensor<$nx3xf32>" },
    { "top k",
      "%0, %1 = chlo.top_k(%x, k = 2) : tensor<$nx6xf32> -> (tensor<$nx2xf32>, tensor<$nx2xi32>)\n%r = stablehlo.convert %1 : (tensor<$nx2xi32>) -> tensor<$nx2xf32>\n",
      "tensor<$nx2xf32>" },
    { "transform in batches",
      "%0 = stablehlo.fft %x, type = RFFT, length = [6] : (tensor<$nx6xf32>) -> tensor<$nx4xcomplex<f32>>\n%1 = stablehlo.real %0 : (tensor<$nx4xcomplex<f32>>) -> tensor<$nx4xf32>\n"
      "%2 = stablehlo.round_nearest_even %1 : tensor<$nx4xf32>\n%r = stablehlo.add %2, %2 : tensor<$nx4xf32>\n",
      "tensor<$nx4xf32>" },
    { "through a barrier",
      "%0 = stablehlo.optimization_barrier %x : tensor<$nx6xf32>\n%r = stablehlo.negate %0 : tensor<$nx6xf32>\n",
      "tensor<$nx6xf32>" },
};

/* --- text --------------------------------------------------------------------------------------------------------- */

typedef struct text { char v[16384]; size_t n; } text;

static void put(text *t, const char *s, int64_t n, int devices) {
    for (; *s; s++) {
        ck_assert(t->n + 32 < sizeof t->v);
        if (*s != '$') {
            t->v[t->n++] = *s;
            continue;
        }
        int64_t v = n;
        switch (*++s) {
        case 'n': break;
        case 'm': v = n + 5; break;
        case 'w': v = 2 * n; break;
        case 'e': v = n - 1; break;
        case 'q': v = 2 * n + 5; break; /* n + (n - 1) - 1 + 7 */
        default: v = devices;
        }
        t->n += (size_t)sprintf(t->v + t->n, "%lld", (long long)v);
    }
    t->v[t->n] = 0;
}

/* The mesh's axes: one, or two for even counts, so that dimensions are cut by several axes too. */
static const char *axes_of(int devices) { return devices % 2 || devices < 4 ? "" : ", \"y\""; }

static void write_mesh(text *t, int devices) {
    t->n = 0;
    if (*axes_of(devices))
        t->n = (size_t)snprintf(t->v, sizeof t->v, "sdy.mesh @mesh = <[\"x\"=%d, \"y\"=2]>\n", devices / 2);
    else t->n = (size_t)snprintf(t->v, sizeof t->v, "sdy.mesh @mesh = <[\"x\"=%d]>\n", devices);
}

static void write_program(text *t, const uneven_case *c, int64_t n, int devices) {
    const char *more = axes_of(devices);
    char head[1024];
    bool scalar = !strchr(c->type, 'x');
    write_mesh(t, devices);
    snprintf(
        head, sizeof head,
        "func.func public @main(%%x: tensor<$nx6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"%s}, {}]>}, "
        "%%y: tensor<$nx6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"%s}, {}]>}, %%i: tensor<$nxi32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"%s}]>}) -> (%s",
        more, more, more, c->type);
    put(t, head, n, devices);
    if (!scalar) {
        int rank = 0;
        for (const char *p = c->type; *p; p++) rank += *p == 'x';
        snprintf(head, sizeof head, " {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"%s}", more);
        put(t, head, n, devices);
        for (int d = 1; d < rank; d++) put(t, ", {}", n, devices);
        put(t, "]>}", n, devices);
    }
    put(t, ") {\n", n, devices);
    put(t, c->body, n, devices);
    put(t, "return %r : ", n, devices);
    put(t, c->type, n, devices);
    put(t, "\n}\n", n, devices);
}

/* The same with whole arguments, cut inside, and a whole result. */
static void write_inside(text *t, const uneven_case *c, int64_t n, int devices) {
    static const char *const args[] = { "%x", "%y", "%i" };
    const char *axes = *axes_of(devices) ? "[{\"x\", \"y\"}" : "[{\"x\"}";
    char line[1024];
    write_mesh(t, devices);
    put(t, "func.func public @main(", n, devices);
    for (int i = 0; i < 3; i++) {
        snprintf(line, sizeof line, "%s%%whole_%s: tensor<$nx%s> {sdy.sharding = #sdy.sharding<@mesh, [{}%s]>}",
                 i ? ", " : "", args[i] + 1, i < 2 ? "6xf32" : "i32", i < 2 ? ", {}" : "");
        put(t, line, n, devices);
    }
    put(t, ") -> (", n, devices);
    put(t, c->type, n, devices);
    put(t, " {sdy.sharding = #sdy.sharding<@mesh, [", n, devices);
    for (const char *p = c->type, *dot = ""; *p; p++)
        if (*p == 'x') {
            put(t, dot, n, devices);
            put(t, "{}", n, devices);
            dot = ", ";
        }
    put(t, "]>}) {\n", n, devices);
    for (int i = 0; i < 3; i++) {
        snprintf(line, sizeof line, "%s = sdy.sharding_constraint %%whole_%s <@mesh, %s%s]> : tensor<$nx%s>\n", args[i],
                 args[i] + 1, axes, i < 2 ? ", {}" : "", i < 2 ? "6xf32" : "i32");
        put(t, line, n, devices);
    }
    put(t, c->body, n, devices);
    put(t, "return %r : ", n, devices);
    put(t, c->type, n, devices);
    put(t, "\n}\n", n, devices);
}

/* --- running ------------------------------------------------------------------------------------------------------ */

#define MAX_ARGS 3

static void fill(weft_host_array *a, uint64_t seed) {
    weft_rng rng = { seed };
    for (int64_t i = 0; i < weft_host_array_elems(a); i++) {
        int64_t v = weft_rng_range(&rng, -4, 4);
        v = v ? v : 1; /* 0 only in padding */
        if (a->dtype == WEFT_F32) ((float *)a->data)[i] = (float)v;
        else ((int32_t *)a->data)[i] = (int32_t)v;
    }
}

/* What is done with a text before it is built; NULL: nothing. */
typedef weft_status (*preparation)(weft_context *cx, weft_module **m);

/* The whole result of a text on its devices; the caller frees its data, which is NULL when the preparation refused the
 * program. */
static weft_host_array run_prepared(const char *program, preparation prepare, weft_build_options opt, uint64_t seed) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_built_program *p = NULL;
    weft_session *s = NULL;
    weft_host_array result = { 0 };
    bool speaker;
    weft_status st = weft_read_text(cx, weft_str_from(program), "uneven.mlir", 0, &m);
    if (st == WEFT_OK && prepare) st = prepare(cx, &m);
    bool refused = prepare && st == WEFT_ERR_INVALID;
    if (st == WEFT_OK) st = weft_program_build(cx, m, &opt, &p);
    if (st == WEFT_OK) {
        weft_session_options o = { .processes = { .processes = 1, .timeout_s = 20 }, .exec = p->exec,
                                   .args = p->arg_layouts, .results = p->result_layouts };
        st = weft_session_open(cx, &o, &speaker, &s);
    }
    for (uint32_t i = 0; st == WEFT_OK && i < MAX_ARGS; i++) {
        weft_host_array a;
        weft_session_describe(&p->arg_layouts[i], &a);
        a.data = malloc((size_t)weft_host_array_bytes(&a));
        fill(&a, seed + i);
        st = weft_session_put(s, i, &a);
        free(a.data);
    }
    if (st == WEFT_OK) st = weft_session_step(s);
    if (st == WEFT_OK) {
        weft_session_describe(&p->result_layouts[0], &result);
        result.data = calloc(1, (size_t)weft_host_array_bytes(&result) + 1);
        st = weft_session_get(s, 0, &result);
    }
    ck_assert_msg(st == WEFT_OK || refused, "%s\n%s",
                  weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "", program);
    weft_session_close(s);
    weft_built_program_free(p);
    weft_module_free(m);
    weft_context_free(cx);
    return result;
}

static weft_host_array run(const char *program, const char *mesh, uint64_t seed) {
    return run_prepared(program, NULL, (weft_build_options){ .mesh = mesh }, seed);
}

static weft_status run_passes(weft_context *cx, const char *const *specs, size_t n, weft_module **m) {
    weft_status st = WEFT_OK;
    for (size_t i = 0; i < n && st == WEFT_OK; i++)
        st = weft_pipeline_run(cx, weft_str_from(specs[i]), WEFT_PIPELINE_VERIFY_EACH, m);
    return st;
}

/* To the program of each device as Shardy's passes write it. */
static weft_status pad(weft_context *cx, weft_module **m) {
    static const char *const specs[] = { "weft-prepare",
                                         "sdy-propagation-pipeline=enable-insert-explicit-collectives=true",
                                         "sdy-pad-for-divisibility", "sdy-convert-global-to-local",
                                         "sdy-drop-sharding-and-mesh" };
    return run_passes(cx, specs, WEFT_COUNT(specs), m);
}

/* Elements go from one device to another, which these passes leave to another one, or a dimension is wanted as it is.
 */
static const char *const refused[] = {
    "cumulative sum",
    "cumulative sum, then maximum",
    "cumulative maximum, then sum",
    "reverse",
    "pad, low negative",
    "pad, high negative",
    "pad inside",
    "dynamic update that is clamped",
    "a reshape of few elements",
    "windows along",
};

/* Programs that Shardy's reshards leave with operands that do not fit, evenly cut ones too. */
static const char *const unfit[] = { "reshape to a line", "branches that place their results differently" };

static bool among(const char *const *names, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(names[i], name)) return true;
    return false;
}

static bool may_be_refused(const char *name) { return among(refused, WEFT_COUNT(refused), name); }

static void check_case(const uneven_case *c, int64_t n, uint64_t seed) {
    static const int devices[] = { 2, 3, 4, 8 };
    text t;
    write_program(&t, c, n, 1);
    weft_host_array want = run(t.v, "x=1", seed);
    for (size_t k = 0; k < sizeof devices / sizeof devices[0]; k++) {
        int64_t at = 0;
        write_program(&t, c, n, devices[k]);
        weft_host_array got = run(t.v, NULL, seed);
        ck_assert_msg(weft_host_array_compare(&got, &want, 1e-5, 1e-5, &at) == WEFT_OK,
                      "%s: %lld over %d devices differs at %lld, seed %llu", c->name, (long long)n, devices[k],
                      (long long)at, (unsigned long long)seed);
        free(got.data);
    }
    free(want.data);
}

START_TEST(devices_give_what_one_gives) {
    uint64_t seed = weft_test_seed(20261122) + (uint64_t)_i;
    weft_rng rng = { seed };
    const int64_t sizes[] = { 1, 3, 10, weft_rng_range(&rng, 2, 21) };
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        if (weft_test_turn((size_t)_i + k)) check_case(&cases[_i], sizes[k], seed);
}
END_TEST

static void check_padded(const uneven_case *c, int64_t n, uint64_t seed, int *refusals) {
    static const int devices[] = { 2, 3, 4, 8 };
    text t;
    write_program(&t, c, n, 1);
    weft_host_array want = run(t.v, "x=1", seed);
    for (size_t k = 0; k < sizeof devices / sizeof devices[0]; k++) {
        int64_t at = 0;
        write_inside(&t, c, n, devices[k]);
        weft_host_array got = run_prepared(t.v, pad, (weft_build_options){ .devices = devices[k] }, seed);
        if (!got.data) {
            ck_assert_msg(may_be_refused(c->name), "%s: %lld over %d devices is refused", c->name, (long long)n,
                          devices[k]);
            ++*refusals;
            continue;
        }
        ck_assert_msg(weft_host_array_compare(&got, &want, 1e-5, 1e-5, &at) == WEFT_OK,
                      "%s: %lld over %d devices differs at %lld, seed %llu", c->name, (long long)n, devices[k],
                      (long long)at, (unsigned long long)seed);
        free(got.data);
    }
    free(want.data);
}

START_TEST(padded_programs_give_it_too) {
    uint64_t seed = weft_test_seed(20261122) + (uint64_t)_i;
    weft_rng rng = { seed };
    const int64_t sizes[] = { 3, 10, weft_rng_range(&rng, 2, 21) };
    const bool refused = may_be_refused(cases[_i].name);
    int refusals = 0;
    if (among(unfit, WEFT_COUNT(unfit), cases[_i].name)) return;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        if (refused || weft_test_turn((size_t)_i + k)) check_padded(&cases[_i], sizes[k], seed, &refusals);
    ck_assert_msg(refusals || !refused, "%s is not refused", cases[_i].name);
}
END_TEST

int main(void) {
    Suite *s = suite_create("uneven");
    TCase *tc = tcase_create("devices");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, devices_give_what_one_gives, 0, (int)(sizeof cases / sizeof cases[0]));
    tcase_add_loop_test(tc, padded_programs_give_it_too, 0, (int)(sizeof cases / sizeof cases[0]));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
