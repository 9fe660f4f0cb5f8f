// weft opt --stablehlo-legalize-composite-to-call
// No results, several results; attributes of the composite say nothing of what it computes.
module {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0:2 = stablehlo.composite "a.pair" %arg0 {composite_attributes = {k = 1 : i32}, decomposition = @pair, version = 2 : i32} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    "stablehlo.composite"(%0#0) {name = "a.nothing", decomposition = @nothing} : (tensor<4xf32>) -> ()
    return %0#1 : tensor<4xf32>
  }
  func.func private @pair(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<4xf32>
    return %0, %arg0 : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @nothing(%arg0: tensor<4xf32>) {
    return
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0:2 = call @pair(%arg0) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    call @nothing(%0#0) : (tensor<4xf32>) -> ()
    return %0#1 : tensor<4xf32>
  }
  func.func private @pair(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<4xf32>
    return %0, %arg0 : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @nothing(%arg0: tensor<4xf32>) {
    return
  }
}
