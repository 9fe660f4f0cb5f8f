// weft opt --weft-match-donors
// Donors take results of their type in order; a result that is named by an alias is taken, and a donor may find none.
// An attribute that is not a boolean makes no donor.
module {
  func.func @main(%a: tensor<4xf32> {jax.buffer_donor = true}, %b: tensor<4xf32> {jax.buffer_donor = true, my.note = "b"}, %c: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %d: tensor<2xi32> {jax.buffer_donor = true}, %e: tensor<4xf32> {jax.buffer_donor = true}, %f: tensor<4xf32> {jax.buffer_donor = false}, %g: tensor<f32> {jax.buffer_donor}) -> (tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>) {
    %s = stablehlo.constant dense<1.0> : tensor<f32>
    return %a, %s, %c, %b : tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<4xf32> {tf.aliasing_output = 2 : i32}, %arg1: tensor<4xf32> {my.note = "b", tf.aliasing_output = 3 : i32}, %arg2: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %arg3: tensor<2xi32>, %arg4: tensor<4xf32>, %arg5: tensor<4xf32>, %arg6: tensor<f32>) -> (tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    return %arg0, %cst, %arg2, %arg1 : tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>
  }
}
// -----
// weft opt --weft-match-donors
// Without donors nothing changes.
module {
  func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
}
