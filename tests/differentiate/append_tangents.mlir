// weft opt --weft-differentiate-along
sdy.mesh @mesh = <["x"=2]>
func.func public @main(%a: tensor<4xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<4xf64>) -> (tensor<4xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<f64>) {
  %s = stablehlo.sine %a : tensor<4xf64>
  %r = stablehlo.multiply %s, %b : tensor<4xf64>
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %q = stablehlo.reduce(%r init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
  return %r, %q : tensor<4xf64>, tensor<f64>
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<4xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<4xf64>, %arg2: tensor<4xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg3: tensor<4xf64>) -> (tensor<4xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<f64>, tensor<4xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<f64>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.sine %arg0 : tensor<4xf64>
    %1 = stablehlo.multiply %0, %arg1 : tensor<4xf64>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
    %3 = stablehlo.cosine %arg0 : tensor<4xf64>
    %4 = stablehlo.multiply %arg2, %3 : tensor<4xf64>
    %5 = stablehlo.multiply %arg3, %0 : tensor<4xf64>
    %6 = stablehlo.multiply %4, %arg1 : tensor<4xf64>
    %7 = stablehlo.add %5, %6 : tensor<4xf64>
    %8 = stablehlo.reduce(%7 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
    return %1, %2, %7, %8 : tensor<4xf64>, tensor<f64>, tensor<4xf64>, tensor<f64>
  }
}
// -----
// weft opt --weft-differentiate-along='of=1 wrt=1'
func.func public @main(%k: tensor<i32>, %b: tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>, tensor<4xf32>) {
  %s = stablehlo.tanh %b : tensor<4xf32>
  return %k, %s, %b : tensor<i32>, tensor<4xf32>, tensor<4xf32>
}
// ==>
module {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
    %0 = stablehlo.tanh %arg1 : tensor<4xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<4xf32>
    %2 = stablehlo.subtract %cst, %1 : tensor<4xf32>
    %3 = stablehlo.multiply %arg2, %2 : tensor<4xf32>
    return %arg0, %0, %arg1, %3 : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
// -----
// weft opt --weft-differentiate-along=of=1,1
func.func public @main(%a: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  return %a, %a : tensor<f32>, tensor<f32>
}
// ==>
// error: 1:1: error: of: result 1 is named twice
// -----
// weft opt --weft-differentiate-along=of=0
func.func public @main(%a: tensor<f32>, %k: tensor<i32>) -> (tensor<i32>) {
  return %k : tensor<i32>
}
// ==>
// error: 2:3: error: of: result 0 of @main has no derivative: its elements are not floats
// -----
// weft opt --weft-differentiate-along=of=0,
func.func public @main(%a: tensor<f32>) -> (tensor<f32>) {
  return %a : tensor<f32>
}
// ==>
// error: 1:1: error: of: '0,' is not a list of numbers, as in 1,2
