// weft opt --stablehlo-refine-shapes --stablehlo-canonicalize-dynamism
// Every dynamic op with constant shapes. Starts that are computed make a dynamic_slice when the size is known.
module {
  func.func @main(%arg0: tensor<4x3xf32>, %arg1: tensor<2xi32>, %arg2: tensor<2x1xi32>, %arg3: tensor<1x8x8x2xf32>, %arg4: tensor<3x3x2x5xf32>) -> (tensor<?x?xf32>, tensor<?x?xi32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x3xf32>) {
    %c = stablehlo.constant dense<[4, 3]> : tensor<2xi64>
    %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %c, dims = [0, 1] : (tensor<4x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %1 = stablehlo.dynamic_iota %c, dim = 1 : (tensor<2xi64>) -> tensor<?x?xi32>
    %twelve = stablehlo.constant dense<12> : tensor<1xi64>
    %2 = stablehlo.dynamic_reshape %0, %twelve : (tensor<?x?xf32>, tensor<1xi64>) -> tensor<?xf32>
    %low = stablehlo.constant dense<[1, -1]> : tensor<2xi32>
    %high = stablehlo.constant dense<[0, 2]> : tensor<2xi32>
    %inner = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = stablehlo.dynamic_pad %0, %z, %low, %high, %inner : (tensor<?x?xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
    %from = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %to = stablehlo.constant dense<[4, 3]> : tensor<2xi32>
    %by = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
    %4 = stablehlo.real_dynamic_slice %0, %from, %to, %by : (tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
    %one = stablehlo.constant dense<1> : tensor<2xi32>
    %two = stablehlo.constant dense<2> : tensor<2xi32>
    %end = stablehlo.add %two, %arg1 : tensor<2xi32>
    %5 = stablehlo.real_dynamic_slice %0, %arg1, %end, %one : (tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
    %sizes = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %6 = "stablehlo.dynamic_gather"(%0, %arg2, %sizes) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<?x?xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<?x?xf32>
    %pads = stablehlo.constant dense<[[1, 1], [0, 2]]> : tensor<2x2xi32>
    %7 = "stablehlo.dynamic_conv"(%arg3, %arg4, %pads) {window_strides = array<i64: 2, 1>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x2xf32>, tensor<3x3x2x5xf32>, tensor<2x2xi32>) -> tensor<?x?x?x?xf32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %8 = stablehlo.set_dimension_size %arg0, %three, dim = 0 : (tensor<4x3xf32>, tensor<i32>) -> tensor<?x3xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<?x?xf32>, tensor<?x?xi32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x3xf32>
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<4x3xf32>, %arg1: tensor<2xi32>, %arg2: tensor<2x1xi32>, %arg3: tensor<1x8x8x2xf32>, %arg4: tensor<3x3x2x5xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>, tensor<12xf32>, tensor<8x4xf32>, tensor<2x3xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<1x4x8x5xf32>, tensor<3x3xf32>) {
    %c = stablehlo.constant dense<[4, 3]> : tensor<2xi64>
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %1 = stablehlo.iota dim = 1 : tensor<4x3xi32>
    %c_0 = stablehlo.constant dense<12> : tensor<1xi64>
    %2 = stablehlo.reshape %0 : (tensor<4x3xf32>) -> tensor<12xf32>
    %c_1 = stablehlo.constant dense<[1, -1]> : tensor<2xi32>
    %c_2 = stablehlo.constant dense<[0, 2]> : tensor<2xi32>
    %c_3 = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.pad %0, %cst, low = [1, -1], high = [0, 2], interior = [1, 0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<8x4xf32>
    %c_4 = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %c_5 = stablehlo.constant dense<[4, 3]> : tensor<2xi32>
    %c_6 = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
    %4 = stablehlo.slice %0 [1:4:2, 0:3] : (tensor<4x3xf32>) -> tensor<2x3xf32>
    %c_7 = stablehlo.constant dense<1> : tensor<2xi32>
    %c_8 = stablehlo.constant dense<2> : tensor<2xi32>
    %5 = stablehlo.add %c_8, %arg1 : tensor<2xi32>
    %6 = stablehlo.slice %arg1 [0:1] : (tensor<2xi32>) -> tensor<1xi32>
    %7 = stablehlo.reshape %6 : (tensor<1xi32>) -> tensor<i32>
    %8 = stablehlo.slice %arg1 [1:2] : (tensor<2xi32>) -> tensor<1xi32>
    %9 = stablehlo.reshape %8 : (tensor<1xi32>) -> tensor<i32>
    %10 = stablehlo.dynamic_slice %0, %7, %9, sizes = [2, 2] : (tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    %c_9 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %11 = "stablehlo.gather"(%0, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x2xf32>
    %c_10 = stablehlo.constant dense<[[1, 1], [0, 2]]> : tensor<2x2xi32>
    %12 = stablehlo.convolution(%arg3, %arg4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [0, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x4x8x5xf32>
    %c_11 = stablehlo.constant dense<3> : tensor<i32>
    %13 = stablehlo.slice %arg0 [0:3, 0:3] : (tensor<4x3xf32>) -> tensor<3x3xf32>
    return %0, %1, %2, %3, %4, %10, %11, %12, %13 : tensor<4x3xf32>, tensor<4x3xi32>, tensor<12xf32>, tensor<8x4xf32>, tensor<2x3xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<1x4x8x5xf32>, tensor<3x3xf32>
  }
}
// -----
// weft opt --stablehlo-canonicalize-dynamism
// A shape that is not a constant stays.
module {
  func.func @main(%arg0: tensor<2x3xi32>, %arg1: tensor<1xi32>) -> tensor<?xi32> {
    %0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<2x3xi32>, tensor<1xi32>) -> tensor<?xi32>
    return %0 : tensor<?xi32>
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<2x3xi32>, %arg1: tensor<1xi32>) -> tensor<?xi32> {
    %0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<2x3xi32>, tensor<1xi32>) -> tensor<?xi32>
    return %0 : tensor<?xi32>
  }
}
// -----
// weft opt --weft-prepare
module {
  func.func @main(%arg0: tensor<2x3xi32>, %arg1: tensor<1xi32>) -> tensor<?xi32> {
    %0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<2x3xi32>, tensor<1xi32>) -> tensor<?xi32>
    return %0 : tensor<?xi32>
  }
}
// ==>
// error: in.mlir:3:10: error: 'stablehlo.dynamic_reshape': the shape of its result is not a constant
// -----
// weft opt --weft-prepare
module {
  func.func @main(%arg0: tensor<?x3xi32>) -> tensor<?x3xi32> {
    return %arg0 : tensor<?x3xi32>
  }
}
// ==>
// error: argument 0 of '@main' has a shape with '?'
// -----
// weft opt --stablehlo-canonicalize-dynamism
// A constant that a constraint stands behind is one.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<3xf32>, %z: tensor<f32>) -> tensor<6xf32> {
    %one = stablehlo.constant dense<1> : tensor<1xi32>
    %two = stablehlo.constant dense<2> : tensor<1xi32>
    %none = stablehlo.constant dense<0> : tensor<1xi32>
    %high = sdy.sharding_constraint %two <@mesh, [{?}]> : tensor<1xi32>
    %0 = stablehlo.dynamic_pad %x, %z, %one, %high, %none : (tensor<3xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<f32>) -> tensor<6xf32> {
    %c = stablehlo.constant dense<1> : tensor<1xi32>
    %c_0 = stablehlo.constant dense<2> : tensor<1xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<1xi32>
    %0 = sdy.sharding_constraint %c_0 <@mesh, [{?}]> : tensor<1xi32>
    %1 = stablehlo.pad %arg0, %arg1, low = [1], high = [2], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
    return %1 : tensor<6xf32>
  }
}
