// Programs of one op, for test_survey.c: what the first result comes from is the op. $n is a size that the devices divide, then one that
// they do not; $n+1, $n-1, $n*2 and $n/2 are made of it. Operands are arguments, so that what is cut arrives so.

// ----- pointwise
func.func public @main(%arg0: tensor<$nx6xf32>, %arg1: tensor<$nx6xf32>) -> (tensor<$nx6xf32>) {
  %r = stablehlo.maximum %arg0, %arg1 : tensor<$nx6xf32>
  return %r : tensor<$nx6xf32>
}
// ----- add
func.func public @main(%arg0: tensor<$nx6xf32>, %arg1: tensor<$nx6xf32>) -> (tensor<$nx6xf32>) {
  %r = stablehlo.add %arg0, %arg1 : tensor<$nx6xf32>
  return %r : tensor<$nx6xf32>
}
// ----- multiply
func.func public @main(%arg0: tensor<$nx6xf32>, %arg1: tensor<$nx6xf32>) -> (tensor<$nx6xf32>) {
  %r = stablehlo.multiply %arg0, %arg1 : tensor<$nx6xf32>
  return %r : tensor<$nx6xf32>
}
// ----- divide
func.func public @main(%arg0: tensor<$nx6xi32>, %arg1: tensor<$nx6xi32>) -> (tensor<$nx6xi32>) {
  %r = stablehlo.divide %arg0, %arg1 : tensor<$nx6xi32>
  return %r : tensor<$nx6xi32>
}
// ----- clamp by scalars
func.func public @main(%arg0: tensor<f32>, %arg1: tensor<$nx6xf32>, %arg2: tensor<f32>) -> (tensor<$nx6xf32>) {
  %r = stablehlo.clamp %arg0, %arg1, %arg2 : (tensor<f32>, tensor<$nx6xf32>, tensor<f32>) -> tensor<$nx6xf32>
  return %r : tensor<$nx6xf32>
}
// ----- convert
func.func public @main(%arg0: tensor<$nx6xf32>) -> (tensor<$nx6xbf16>) {
  %r = stablehlo.convert %arg0 : (tensor<$nx6xf32>) -> tensor<$nx6xbf16>
  return %r : tensor<$nx6xbf16>
}
// ----- select
func.func public @main(%arg0: tensor<$nx6xi1>, %arg1: tensor<$nx6xf32>, %arg2: tensor<$nx6xf32>) -> (tensor<$nx6xf32>) {
  %r = stablehlo.select %arg0, %arg1, %arg2 : tensor<$nx6xi1>, tensor<$nx6xf32>
  return %r : tensor<$nx6xf32>
}
// ----- bitcast to narrower
func.func public @main(%arg0: tensor<$nx6xi32>) -> (tensor<$nx6x4xi8>) {
  %r = stablehlo.bitcast_convert %arg0 : (tensor<$nx6xi32>) -> tensor<$nx6x4xi8>
  return %r : tensor<$nx6x4xi8>
}
// ----- bitcast to wider
func.func public @main(%arg0: tensor<$nx6x4xi8>) -> (tensor<$nx6xi32>) {
  %r = stablehlo.bitcast_convert %arg0 : (tensor<$nx6x4xi8>) -> tensor<$nx6xi32>
  return %r : tensor<$nx6xi32>
}
// ----- iota
func.func public @main(%arg0: tensor<$nx6xi32>) -> (tensor<$nx6xi32>) {
  %i = stablehlo.iota dim = 0 : tensor<$nx6xi32>
  %r = stablehlo.add %i, %arg0 : tensor<$nx6xi32>
  return %r : tensor<$nx6xi32>
}
// ----- broadcast
func.func public @main(%arg0: tensor<6xf32>) -> (tensor<$nx6xf32>) {
  %r = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<6xf32>) -> tensor<$nx6xf32>
  return %r : tensor<$nx6xf32>
}
// ----- broadcast of one
func.func public @main(%arg0: tensor<$nx1xf32>) -> (tensor<$nx8xf32>) {
  %r = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<$nx1xf32>) -> tensor<$nx8xf32>
  return %r : tensor<$nx8xf32>
}
// ----- reshape that merges
func.func public @main(%arg0: tensor<$nx8x4xf32>) -> (tensor<$nx32xf32>) {
  %r = stablehlo.reshape %arg0 : (tensor<$nx8x4xf32>) -> tensor<$nx32xf32>
  return %r : tensor<$nx32xf32>
}
// ----- reshape that splits
func.func public @main(%arg0: tensor<24x$nxf32>) -> (tensor<4x6x$nxf32>) {
  %r = stablehlo.reshape %arg0 : (tensor<24x$nxf32>) -> tensor<4x6x$nxf32>
  return %r : tensor<4x6x$nxf32>
}
// ----- transpose
func.func public @main(%arg0: tensor<$nx6xf32>) -> (tensor<6x$nxf32>) {
  %r = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<$nx6xf32>) -> tensor<6x$nxf32>
  return %r : tensor<6x$nxf32>
}
// ----- reverse
func.func public @main(%arg0: tensor<$nx8xf32>) -> (tensor<$nx8xf32>) {
  %r = stablehlo.reverse %arg0, dims = [0] : tensor<$nx8xf32>
  return %r : tensor<$nx8xf32>
}
// ----- slice
func.func public @main(%arg0: tensor<$nx8xf32>) -> (tensor<$n-2x8xf32>) {
  %r = stablehlo.slice %arg0 [1:$n-1, 0:8] : (tensor<$nx8xf32>) -> tensor<$n-2x8xf32>
  return %r : tensor<$n-2x8xf32>
}
// ----- slice, every second
func.func public @main(%arg0: tensor<$nx8xf32>) -> (tensor<$n/2x8xf32>) {
  %r = stablehlo.slice %arg0 [0:$n:2, 0:8] : (tensor<$nx8xf32>) -> tensor<$n/2x8xf32>
  return %r : tensor<$n/2x8xf32>
}
// ----- pad
func.func public @main(%arg0: tensor<$nx8xf32>, %arg1: tensor<f32>) -> (tensor<$n+3x8xf32>) {
  %r = stablehlo.pad %arg0, %arg1, low = [1, 0], high = [2, 0], interior = [0, 0] : (tensor<$nx8xf32>, tensor<f32>) -> tensor<$n+3x8xf32>
  return %r : tensor<$n+3x8xf32>
}
// ----- pad, negative and inside
func.func public @main(%arg0: tensor<$nx8xf32>, %arg1: tensor<f32>) -> (tensor<$n*2x8xf32>) {
  %r = stablehlo.pad %arg0, %arg1, low = [-1, 0], high = [2, 0], interior = [1, 0] : (tensor<$nx8xf32>, tensor<f32>) -> tensor<$n*2x8xf32>
  return %r : tensor<$n*2x8xf32>
}
// ----- concatenate
func.func public @main(%arg0: tensor<$nx8xf32>, %arg1: tensor<$nx8xf32>) -> (tensor<$n*2x8xf32>) {
  %r = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<$nx8xf32>, tensor<$nx8xf32>) -> tensor<$n*2x8xf32>
  return %r : tensor<$n*2x8xf32>
}
// ----- assemble
func.func public @main(%arg0: tensor<$nx8xf32>, %arg1: tensor<$nx8xf32>) -> (tensor<$n+1x8xf32>) {
  %r = "weft.assemble"(%arg0, %arg1, %arg0) <{dimension = 0 : i64, limit_indices = array<i64: $n, 1, $n-1>, start_indices = array<i64: $n-1, 0, 0>}> : (tensor<$nx8xf32>, tensor<$nx8xf32>, tensor<$nx8xf32>) -> tensor<$n+1x8xf32>
  return %r : tensor<$n+1x8xf32>
}
// ----- dynamic_slice
func.func public @main(%arg0: tensor<$nx8xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> (tensor<3x8xf32>) {
  %r = stablehlo.dynamic_slice %arg0, %arg1, %arg2, sizes = [3, 8] : (tensor<$nx8xf32>, tensor<i32>, tensor<i32>) -> tensor<3x8xf32>
  return %r : tensor<3x8xf32>
}
// ----- dynamic_slice of nearly all
func.func public @main(%arg0: tensor<$nx8xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> (tensor<$n-1x8xf32>) {
  %r = stablehlo.dynamic_slice %arg0, %arg1, %arg2, sizes = [$n-1, 8] : (tensor<$nx8xf32>, tensor<i32>, tensor<i32>) -> tensor<$n-1x8xf32>
  return %r : tensor<$n-1x8xf32>
}
// ----- dynamic_update_slice
func.func public @main(%arg0: tensor<$nx8xf32>, %arg1: tensor<3x8xf32>, %arg2: tensor<i32>, %arg3: tensor<i32>) -> (tensor<$nx8xf32>) {
  %r = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %arg3 : (tensor<$nx8xf32>, tensor<3x8xf32>, tensor<i32>, tensor<i32>) -> tensor<$nx8xf32>
  return %r : tensor<$nx8xf32>
}
// ----- dynamic_update_slice of nearly all
func.func public @main(%arg0: tensor<$nx8xf32>, %arg1: tensor<$n-1x8xf32>, %arg2: tensor<i32>, %arg3: tensor<i32>) -> (tensor<$nx8xf32>) {
  %r = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %arg3 : (tensor<$nx8xf32>, tensor<$n-1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<$nx8xf32>
  return %r : tensor<$nx8xf32>
}
// ----- gather of rows
func.func public @main(%arg0: tensor<$nx8xf32>, %arg1: tensor<2xi32>) -> (tensor<2x8xf32>) {
  %r = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 8>}> : (tensor<$nx8xf32>, tensor<2xi32>) -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}
// ----- gather of truth values
func.func public @main(%arg0: tensor<$nx8xi1>, %arg1: tensor<2xi32>) -> (tensor<2x8xi1>) {
  %r = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 8>}> : (tensor<$nx8xi1>, tensor<2xi32>) -> tensor<2x8xi1>
  return %r : tensor<2x8xi1>
}
// ----- gather in batches
func.func public @main(%arg0: tensor<$nx8xf32>, %arg1: tensor<$nx3x1xi32>) -> (tensor<$nx3xf32>) {
  %r = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1],
    index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<$nx8xf32>, tensor<$nx3x1xi32>) -> tensor<$nx3xf32>
  return %r : tensor<$nx3xf32>
}
// ----- gather of windows
func.func public @main(%arg0: tensor<$n+8x8xf32>, %arg1: tensor<2x1xi32>) -> (tensor<2x2x8xf32>) {
  %r = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 2, 8>}> : (tensor<$n+8x8xf32>, tensor<2x1xi32>) -> tensor<2x2x8xf32>
  return %r : tensor<2x2x8xf32>
}
// ----- scatter that adds
func.func public @main(%arg0: tensor<$nx8xf32>, %arg1: tensor<48x1xi32>, %arg2: tensor<48x8xf32>) -> (tensor<$nx8xf32>) {
  %r = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<$nx8xf32>, tensor<48x1xi32>, tensor<48x8xf32>) -> tensor<$nx8xf32>
  return %r : tensor<$nx8xf32>
}
// ----- scatter that multiplies
func.func public @main(%arg0: tensor<$nx8xi32>, %arg1: tensor<48x1xi32>, %arg2: tensor<48x8xi32>) -> (tensor<$nx8xi32>) {
  %r = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.multiply %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<$nx8xi32>, tensor<48x1xi32>, tensor<48x8xi32>) -> tensor<$nx8xi32>
  return %r : tensor<$nx8xi32>
}
// ----- scatter of windows
func.func public @main(%arg0: tensor<$nx8xf32>, %arg1: tensor<12x1xi32>, %arg2: tensor<12x2x8xf32>) -> (tensor<$nx8xf32>) {
  %r = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<$nx8xf32>, tensor<12x1xi32>, tensor<12x2x8xf32>) -> tensor<$nx8xf32>
  return %r : tensor<$nx8xf32>
}
// ----- dot_general
func.func public @main(%arg0: tensor<$nx8x12xf32>, %arg1: tensor<$nx12x16xf32>) -> (tensor<$nx8x16xf32>) {
  %r = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<$nx8x12xf32>, tensor<$nx12x16xf32>) -> tensor<$nx8x16xf32>
  return %r : tensor<$nx8x16xf32>
}
// ----- dot along what is uneven
func.func public @main(%arg0: tensor<6x$nxf32>, %arg1: tensor<$nx6xf32>) -> (tensor<6x6xf32>) {
  %r = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<6x$nxf32>, tensor<$nx6xf32>) -> tensor<6x6xf32>
  return %r : tensor<6x6xf32>
}
// ----- dot of truth values
func.func public @main(%arg0: tensor<6x$nxi1>, %arg1: tensor<$nx6xi1>) -> (tensor<6x6xi1>) {
  %r = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<6x$nxi1>, tensor<$nx6xi1>) -> tensor<6x6xi1>
  return %r : tensor<6x6xi1>
}
// ----- convolution
func.func public @main(%arg0: tensor<4x$nx9x8xf32>, %arg1: tensor<3x3x8x2xf32>) -> (tensor<4x$nx9x2xf32>) {
  %r = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x$nx9x8xf32>, tensor<3x3x8x2xf32>) -> tensor<4x$nx9x2xf32>
  return %r : tensor<4x$nx9x2xf32>
}
// ----- convolution with strides and dilation
func.func public @main(%arg0: tensor<4x$nx8xf32>, %arg1: tensor<3x8x2xf32>) -> (tensor<4x$n/2x2xf32>) {
  %r = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 2]], rhs_dilate = [2]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x$nx8xf32>, tensor<3x8x2xf32>) -> tensor<4x$n/2x2xf32>
  return %r : tensor<4x$n/2x2xf32>
}
// ----- convolution of a dilated base
func.func public @main(%arg0: tensor<4x$nx8xf32>, %arg1: tensor<3x8x2xf32>) -> (tensor<4x$n*2x2xf32>) {
  %r = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 2]], lhs_dilate = [2]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x$nx8xf32>, tensor<3x8x2xf32>) -> tensor<4x$n*2x2xf32>
  return %r : tensor<4x$n*2x2xf32>
}
// ----- convolution in feature groups
func.func public @main(%arg0: tensor<4x$nx8xf32>, %arg1: tensor<3x2x12xf32>) -> (tensor<4x$nx12xf32>) {
  %r = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<4x$nx8xf32>, tensor<3x2x12xf32>) -> tensor<4x$nx12xf32>
  return %r : tensor<4x$nx12xf32>
}
// ----- convolution of each feature
func.func public @main(%arg0: tensor<4x6x$nxf32>, %arg1: tensor<3x1x$nxf32>) -> (tensor<4x6x$nxf32>) {
  %r = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = $n : i64} : (tensor<4x6x$nxf32>, tensor<3x1x$nxf32>) -> tensor<4x6x$nxf32>
  return %r : tensor<4x6x$nxf32>
}
// ----- convolution in batch groups
func.func public @main(%arg0: tensor<8x$nx4xf32>, %arg1: tensor<3x4x4xf32>) -> (tensor<2x$nx4xf32>) {
  %r = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]}
    {batch_group_count = 4 : i64, feature_group_count = 1 : i64} : (tensor<8x$nx4xf32>, tensor<3x4x4xf32>) -> tensor<2x$nx4xf32>
  return %r : tensor<2x$nx4xf32>
}
// ----- sum
func.func public @main(%arg0: tensor<$nx8xf32>) -> (tensor<8xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%arg0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<$nx8xf32>, tensor<f32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
// ----- sum from a start
func.func public @main(%arg0: tensor<$nx8xf32>, %arg1: tensor<f32>) -> (tensor<8xf32>) {
  %r = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0] : (tensor<$nx8xf32>, tensor<f32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
// ----- product
func.func public @main(%arg0: tensor<$nx8xi32>, %arg1: tensor<i32>) -> (tensor<8xi32>) {
  %r = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.multiply across dimensions = [0] : (tensor<$nx8xi32>, tensor<i32>) -> tensor<8xi32>
  return %r : tensor<8xi32>
}
// ----- xor
func.func public @main(%arg0: tensor<$nx8xi32>, %arg1: tensor<i32>) -> (tensor<8xi32>) {
  %r = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.xor across dimensions = [0] : (tensor<$nx8xi32>, tensor<i32>) -> tensor<8xi32>
  return %r : tensor<8xi32>
}
// ----- bitwise and
func.func public @main(%arg0: tensor<$nx8xui8>, %arg1: tensor<ui8>) -> (tensor<8xui8>) {
  %r = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.and across dimensions = [0] : (tensor<$nx8xui8>, tensor<ui8>) -> tensor<8xui8>
  return %r : tensor<8xui8>
}
// ----- product of complex numbers
func.func public @main(%arg0: tensor<$nx8xcomplex<f32>>, %arg1: tensor<complex<f32>>) -> (tensor<8xcomplex<f32>>) {
  %r = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.multiply across dimensions = [0] : (tensor<$nx8xcomplex<f32>>, tensor<complex<f32>>) -> tensor<8xcomplex<f32>>
  return %r : tensor<8xcomplex<f32>>
}
// ----- the greatest and its place
func.func public @main(%arg0: tensor<$nx8xf32>, %arg1: tensor<$nx8xi32>) -> (tensor<8xf32>, tensor<8xi32>) {
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %w = stablehlo.constant dense<2147483647> : tensor<i32>
  %r:2 = stablehlo.reduce(%arg0 init: %z), (%arg1 init: %w) across dimensions = [0] : (tensor<$nx8xf32>, tensor<$nx8xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
   reducer(%p: tensor<f32>, %q: tensor<f32>) (%a: tensor<i32>, %b: tensor<i32>) {
    %gt = stablehlo.compare GT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %eq = stablehlo.compare EQ, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %lt = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %tie = stablehlo.and %eq, %lt : tensor<i1>
    %first = stablehlo.or %gt, %tie : tensor<i1>
    %s = stablehlo.select %gt, %p, %q : tensor<i1>, tensor<f32>
    %t = stablehlo.select %first, %a, %b : tensor<i1>, tensor<i32>
    stablehlo.return %s, %t : tensor<f32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xi32>
}
// ----- logarithm of a sum of exponentials
func.func public @main(%arg0: tensor<$nx8xf32>) -> (tensor<8xf32>) {
  %z = stablehlo.constant dense<-1.0e30> : tensor<f32>
  %r = stablehlo.reduce(%arg0 init: %z) across dimensions = [0] : (tensor<$nx8xf32>, tensor<f32>) -> tensor<8xf32>
   reducer(%p: tensor<f32>, %q: tensor<f32>) {
    %m = stablehlo.maximum %p, %q : tensor<f32>
    %a = stablehlo.subtract %p, %m : tensor<f32>
    %b = stablehlo.subtract %q, %m : tensor<f32>
    %c = stablehlo.exponential %a : tensor<f32>
    %d = stablehlo.exponential %b : tensor<f32>
    %e = stablehlo.add %c, %d : tensor<f32>
    %l = stablehlo.log %e : tensor<f32>
    %s = stablehlo.add %m, %l : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }
  return %r : tensor<8xf32>
}
// ----- pooling
func.func public @main(%arg0: tensor<$nx8xf32>) -> (tensor<$nx8xf32>) {
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r = "stablehlo.reduce_window"(%arg0, %z) <{window_dimensions = array<i64: 3, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<$nx8xf32>, tensor<f32>) -> tensor<$nx8xf32>
  return %r : tensor<$nx8xf32>
}
// ----- pooling with strides
func.func public @main(%arg0: tensor<$nx8xf32>) -> (tensor<$n/2x8xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%arg0, %z) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<$nx8xf32>, tensor<f32>) -> tensor<$n/2x8xf32>
  return %r : tensor<$n/2x8xf32>
}
// ----- pooling of two operands
func.func public @main(%arg0: tensor<$nx8xf32>, %arg1: tensor<$nx8xi32>) -> (tensor<$nx8xf32>, tensor<$nx8xi32>) {
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %w = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = "stablehlo.reduce_window"(%arg0, %arg1, %z, %w) <{window_dimensions = array<i64: 3, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %a: tensor<i32>, %q: tensor<f32>, %b: tensor<i32>):
    %g = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %s = stablehlo.select %g, %p, %q : tensor<i1>, tensor<f32>
    %t = stablehlo.select %g, %a, %b : tensor<i1>, tensor<i32>
    stablehlo.return %s, %t : tensor<f32>, tensor<i32>
  }) : (tensor<$nx8xf32>, tensor<$nx8xi32>, tensor<f32>, tensor<i32>) -> (tensor<$nx8xf32>, tensor<$nx8xi32>)
  return %r#0, %r#1 : tensor<$nx8xf32>, tensor<$nx8xi32>
}
// ----- cumulative sum
func.func public @main(%arg0: tensor<$nx8xf32>) -> (tensor<$nx8xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%arg0, %z) <{window_dimensions = array<i64: $n, 1>, padding = dense<[[$n-1, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<$nx8xf32>, tensor<f32>) -> tensor<$nx8xf32>
  return %r : tensor<$nx8xf32>
}
// ----- cumulative product, from the end
func.func public @main(%arg0: tensor<$nx8xi32>) -> (tensor<$nx8xi32>) {
  %z = stablehlo.constant dense<1> : tensor<i32>
  %r = "stablehlo.reduce_window"(%arg0, %z) <{window_dimensions = array<i64: $n, 1>, padding = dense<[[0, $n-1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.multiply %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<$nx8xi32>, tensor<i32>) -> tensor<$nx8xi32>
  return %r : tensor<$nx8xi32>
}
// ----- cumulative sum of complex numbers
func.func public @main(%arg0: tensor<$nx8xcomplex<f32>>) -> (tensor<$nx8xcomplex<f32>>) {
  %z = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %r = "stablehlo.reduce_window"(%arg0, %z) <{window_dimensions = array<i64: $n, 1>, padding = dense<[[$n-1, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %s = stablehlo.add %a, %b : tensor<complex<f32>>
    stablehlo.return %s : tensor<complex<f32>>
  }) : (tensor<$nx8xcomplex<f32>>, tensor<complex<f32>>) -> tensor<$nx8xcomplex<f32>>
  return %r : tensor<$nx8xcomplex<f32>>
}
// ----- select_and_scatter
func.func public @main(%arg0: tensor<$nx3xf32>, %arg1: tensor<$n/2x3xf32>, %arg2: tensor<f32>) -> (tensor<$nx3xf32>) {
  %r = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %g = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<$nx3xf32>, tensor<$n/2x3xf32>, tensor<f32>) -> tensor<$nx3xf32>
  return %r : tensor<$nx3xf32>
}
// ----- select_and_scatter with padding
func.func public @main(%arg0: tensor<$nx3xf32>, %arg1: tensor<$n/2x3xf32>, %arg2: tensor<f32>) -> (tensor<$nx3xf32>) {
  %r = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %g = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<$nx3xf32>, tensor<$n/2x3xf32>, tensor<f32>) -> tensor<$nx3xf32>
  return %r : tensor<$nx3xf32>
}
// ----- select_and_scatter that multiplies
func.func public @main(%arg0: tensor<$nx3xf32>, %arg1: tensor<$n-2x3xf32>, %arg2: tensor<f32>) -> (tensor<$nx3xf32>) {
  %r = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{window_dimensions = array<i64: 3, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %g = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<$nx3xf32>, tensor<$n-2x3xf32>, tensor<f32>) -> tensor<$nx3xf32>
  return %r : tensor<$nx3xf32>
}
// ----- sort
func.func public @main(%arg0: tensor<$nx8xf32>, %arg1: tensor<$nx8xi32>) -> (tensor<$nx8xf32>, tensor<$nx8xi32>) {
  %r:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %a: tensor<i32>, %b: tensor<i32>):
    %g = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }) : (tensor<$nx8xf32>, tensor<$nx8xi32>) -> (tensor<$nx8xf32>, tensor<$nx8xi32>)
  return %r#0, %r#1 : tensor<$nx8xf32>, tensor<$nx8xi32>
}
// ----- sort of a line
func.func public @main(%arg0: tensor<$nxf32>) -> (tensor<$nxf32>) {
  %r = "stablehlo.sort"(%arg0) <{dimension = 0 : i64}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %g = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }) : (tensor<$nxf32>) -> tensor<$nxf32>
  return %r : tensor<$nxf32>
}
// ----- top_k
func.func public @main(%arg0: tensor<$nx12xf32>) -> (tensor<$nx4xf32>, tensor<$nx4xi32>) {
  %r:2 = chlo.top_k(%arg0, k = 4) : tensor<$nx12xf32> -> (tensor<$nx4xf32>, tensor<$nx4xi32>)
  return %r#0, %r#1 : tensor<$nx4xf32>, tensor<$nx4xi32>
}
// ----- batch_norm_inference
func.func public @main(%arg0: tensor<$nx8x12xf32>, %arg1: tensor<12xf32>, %arg2: tensor<12xf32>, %arg3: tensor<12xf32>, %arg4: tensor<12xf32>) -> (tensor<$nx8x12xf32>) {
  %v = stablehlo.multiply %arg4, %arg4 : tensor<12xf32>
  %r = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg2, %arg3, %v) <{epsilon = 1.0e-1 : f32, feature_index = 2 : i64}> : (tensor<$nx8x12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) -> tensor<$nx8x12xf32>
  return %r : tensor<$nx8x12xf32>
}
// ----- cholesky
func.func public @main(%arg0: tensor<$nx4x4xf32>) -> (tensor<$nx4x4xf32>) {
  %r = stablehlo.cholesky %arg0, lower = true : tensor<$nx4x4xf32>
  return %r : tensor<$nx4x4xf32>
}
// ----- triangular_solve
func.func public @main(%arg0: tensor<$nx4x4xf32>, %arg1: tensor<$nx4x12xf32>) -> (tensor<$nx4x12xf32>) {
  %r = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<$nx4x4xf32>, tensor<$nx4x12xf32>) -> tensor<$nx4x12xf32>
  return %r : tensor<$nx4x12xf32>
}
// ----- triangular_solve from the right
func.func public @main(%arg0: tensor<4x4xf32>, %arg1: tensor<$nx4xf32>) -> (tensor<$nx4xf32>) {
  %r = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = false, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<4x4xf32>, tensor<$nx4xf32>) -> tensor<$nx4xf32>
  return %r : tensor<$nx4xf32>
}
// ----- fft
func.func public @main(%arg0: tensor<$nx8xcomplex<f32>>) -> (tensor<$nx8xcomplex<f32>>) {
  %r = stablehlo.fft %arg0, type = FFT, length = [8] : (tensor<$nx8xcomplex<f32>>) -> tensor<$nx8xcomplex<f32>>
  return %r : tensor<$nx8xcomplex<f32>>
}
// ----- fft of real numbers
func.func public @main(%arg0: tensor<$nx32xf32>) -> (tensor<$nx17xcomplex<f32>>) {
  %r = stablehlo.fft %arg0, type = RFFT, length = [$n, 32] : (tensor<$nx32xf32>) -> tensor<$nx17xcomplex<f32>>
  return %r : tensor<$nx17xcomplex<f32>>
}
// ----- fft to real numbers
func.func public @main(%arg0: tensor<$nx17xcomplex<f32>>) -> (tensor<$nx32xf32>) {
  %r = stablehlo.fft %arg0, type = IRFFT, length = [$n, 32] : (tensor<$nx17xcomplex<f32>>) -> tensor<$nx32xf32>
  return %r : tensor<$nx32xf32>
}
// ----- rng_bit_generator
func.func public @main(%arg0: tensor<2xui64>) -> (tensor<$nx8xui32>) {
  %s, %r = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<$nx8xui32>)
  return %r : tensor<$nx8xui32>
}
// ----- map
func.func public @main(%arg0: tensor<$nx8xf32>, %arg1: tensor<$nx8xf32>) -> (tensor<$nx8xf32>) {
  %r = "stablehlo.map"(%arg0, %arg1) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.multiply %a, %b : tensor<f32>
    %t = stablehlo.add %s, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<$nx8xf32>, tensor<$nx8xf32>) -> tensor<$nx8xf32>
  return %r : tensor<$nx8xf32>
}
// ----- custom call with a rule
func.func public @main(%arg0: tensor<$nx6x4xf32>) -> (tensor<$nx6x4xf32>, tensor<$nx4xf32>) {
  %r:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {mhlo.backend_config = {}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k], [i, l]) {i=$n, j=6, k=4, l=4} need_replication={j, k, l}, custom>} : (tensor<$nx6x4xf32>) -> (tensor<$nx6x4xf32>, tensor<$nx4xf32>)
  return %r#0, %r#1 : tensor<$nx6x4xf32>, tensor<$nx4xf32>
}
// ----- custom call that takes the k largest
func.func public @main(%arg0: tensor<$nx6x8xf32>) -> (tensor<$nx6x3xf32>, tensor<$nx6x3xi32>) {
  %r:2 = stablehlo.custom_call @mhlo.topk(%arg0) {mhlo.backend_config = {k = 3 : i64, largest = true}} : (tensor<$nx6x8xf32>) -> (tensor<$nx6x3xf32>, tensor<$nx6x3xi32>)
  return %r#0, %r#1 : tensor<$nx6x3xf32>, tensor<$nx6x3xi32>
}
