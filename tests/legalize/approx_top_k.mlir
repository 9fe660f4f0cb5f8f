// weft opt --weft-expand-approx-top-k
// The function that compares becomes the sort's body; the results are its first elements.
module {
  func.func @gt(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<i32>, %arg3: tensor<i32>) -> tensor<i1> {
    %0 = stablehlo.compare GT, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }
  func.func @main(%arg0: tensor<4x20xf32>, %arg1: tensor<4x20xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>) -> (tensor<4x3xf32>, tensor<4x3xi32>) {
    %0:2 = stablehlo.custom_call @ApproxTopK(%arg0, %arg1, %arg2, %arg3) {called_computations = [@gt], mhlo.backend_config = {aggregate_to_topk = true, is_fallback = true, recall_target = 0.949999988 : f32, reduction_dim = 1 : i64, top_k = 3 : i64}} : (tensor<4x20xf32>, tensor<4x20xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)
    return %0#0, %0#1 : tensor<4x3xf32>, tensor<4x3xi32>
  }
}
// ==>
module {
  func.func @gt(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<i32>, %arg3: tensor<i32>) -> tensor<i1> {
    %0 = stablehlo.compare GT, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }
  func.func @main(%arg0: tensor<4x20xf32>, %arg1: tensor<4x20xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>) -> (tensor<4x3xf32>, tensor<4x3xi32>) {
    %0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>, %arg6: tensor<i32>, %arg7: tensor<i32>):
      %3 = stablehlo.compare GT, %arg4, %arg5 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    }) : (tensor<4x20xf32>, tensor<4x20xi32>) -> (tensor<4x20xf32>, tensor<4x20xi32>)
    %1 = stablehlo.slice %0#0 [0:4, 0:3] : (tensor<4x20xf32>) -> tensor<4x3xf32>
    %2 = stablehlo.slice %0#1 [0:4, 0:3] : (tensor<4x20xi32>) -> tensor<4x3xi32>
    return %1, %2 : tensor<4x3xf32>, tensor<4x3xi32>
  }
}
// -----
// weft opt --weft-expand-approx-top-k
// Without a dimension to sort along the call is none that is known, and stays.
module {
  func.func @gt(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<i1> {
    %0 = stablehlo.compare GT, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    return %0 : tensor<i1>
  }
  func.func @main(%arg0: tensor<4x20xf32>, %arg1: tensor<f32>) -> tensor<4x3xf32> {
    %0 = stablehlo.custom_call @ApproxTopK(%arg0, %arg1) {called_computations = [@gt]} : (tensor<4x20xf32>, tensor<f32>) -> tensor<4x3xf32>
    %1 = stablehlo.custom_call @ApproxTopK(%arg0, %arg1) {called_computations = [@gt], mhlo.backend_config = {reduction_dim = 0 : i64}} : (tensor<4x20xf32>, tensor<f32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
// ==>
module {
  func.func @gt(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<i1> {
    %0 = stablehlo.compare GT, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    return %0 : tensor<i1>
  }
  func.func @main(%arg0: tensor<4x20xf32>, %arg1: tensor<f32>) -> tensor<4x3xf32> {
    %0 = stablehlo.custom_call @ApproxTopK(%arg0, %arg1) {called_computations = [@gt]} : (tensor<4x20xf32>, tensor<f32>) -> tensor<4x3xf32>
    %1 = stablehlo.custom_call @ApproxTopK(%arg0, %arg1) {called_computations = [@gt], mhlo.backend_config = {reduction_dim = 0 : i64}} : (tensor<4x20xf32>, tensor<f32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
