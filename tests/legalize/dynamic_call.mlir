// weft opt --stablehlo-refine-shapes --stablehlo-canonicalize-dynamism
// Calls that stand for ops with computed shapes, as jax.export writes them.
module {
  func.func private @sum(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @main(%arg0: tensor<9x4xf32>, %arg1: tensor<2xui64>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xi32>, tensor<?x3xui64>, tensor<?x?xf32>) {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %w = stablehlo.constant dense<[3, 1]> : tensor<2xi32>
    %s = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
    %d = stablehlo.constant dense<1> : tensor<2xi32>
    %p = stablehlo.constant dense<[[1, 0], [0, 0]]> : tensor<2x2xi32>
    %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%arg0, %z, %w, %s, %d, %d, %p) {called_computations = [@sum]} : (tensor<9x4xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x?xf32>
    %k = stablehlo.constant dense<2> : tensor<i32>
    %1:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%0, %k) : (tensor<?x?xf32>, tensor<i32>) -> (tensor<?x?xf32>, tensor<?x?xi32>)
    %shape = stablehlo.constant dense<[5, 3]> : tensor<2xi32>
    %2:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%arg1, %shape) {rng_algorithm = #stablehlo<rng_algorithm DEFAULT>} : (tensor<2xui64>, tensor<2xi32>) -> (tensor<2xui64>, tensor<?x3xui64>)
    %own = stablehlo.constant dense<[9, 4]> : tensor<2xi64>
    %3 = stablehlo.custom_call @elsewhere(%arg0, %own) {indices_of_shape_operands = dense<1> : tensor<1xi64>, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<9x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    return %0, %1#0, %1#1, %2#1, %3 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xi32>, tensor<?x3xui64>, tensor<?x?xf32>
  }
}
// ==>
module {
  func.func private @sum(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @main(%arg0: tensor<9x4xf32>, %arg1: tensor<2xui64>) -> (tensor<4x4xf32>, tensor<4x2xf32>, tensor<4x2xi32>, tensor<5x3xui64>, tensor<9x4xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<[3, 1]> : tensor<2xi32>
    %c_0 = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
    %c_1 = stablehlo.constant dense<1> : tensor<2xi32>
    %c_2 = stablehlo.constant dense<[[1, 0], [0, 0]]> : tensor<2x2xi32>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<9x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %c_3 = stablehlo.constant dense<2> : tensor<i32>
    %values, %indices = chlo.top_k(%0, k = 2) : tensor<4x4xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
    %c_4 = stablehlo.constant dense<[5, 3]> : tensor<2xi32>
    %output_state, %output = stablehlo.rng_bit_generator %arg1, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5x3xui64>)
    %c_5 = stablehlo.constant dense<[9, 4]> : tensor<2xi64>
    %1 = stablehlo.custom_call @elsewhere(%arg0) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<9x4xf32>) -> tensor<9x4xf32>
    return %0, %values, %indices, %output, %1 : tensor<4x4xf32>, tensor<4x2xf32>, tensor<4x2xi32>, tensor<5x3xui64>, tensor<9x4xf32>
  }
}
// -----
// weft opt --stablehlo-refine-shapes --stablehlo-canonicalize-dynamism
// A size that is not a constant: the call stays as it is.
module {
  func.func @main(%arg0: tensor<9xf32>, %arg1: tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>) {
    %0:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%arg0, %arg1) : (tensor<9xf32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>)
    return %0#0, %0#1 : tensor<?xf32>, tensor<?xi32>
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<9xf32>, %arg1: tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>) {
    %0:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%arg0, %arg1) : (tensor<9xf32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>)
    return %0#0, %0#1 : tensor<?xf32>, tensor<?xi32>
  }
}
