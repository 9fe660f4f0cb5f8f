// weft opt --stablehlo-refine-arguments='types=tensor<4x3xf32>,tensor<2xi32>'
// Uses see the old type until shapes are refined.
module {
  func.func @main(%arg0: tensor<?x3xf32>, %arg1: tensor<2xi32>) -> tensor<?x3xf32> {
    %0 = stablehlo.abs %arg0 : tensor<?x3xf32>
    return %0 : tensor<?x3xf32>
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<4x3xf32>, %arg1: tensor<2xi32>) -> tensor<?x3xf32> {
    %c = stablehlo.constant dense<[4, 3]> : tensor<2xi64>
    %0 = stablehlo.custom_call @stablehlo.shape_refinement_operand_wrapper(%arg0, %c) {indices_of_shape_operands = dense<1> : tensor<1xi64>} : (tensor<4x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
    %1 = stablehlo.abs %0 : tensor<?x3xf32>
    return %1 : tensor<?x3xf32>
  }
}
// -----
// weft opt --stablehlo-refine-arguments='types=tensor<4x3xf32>' --stablehlo-refine-shapes
module {
  func.func @main(%arg0: tensor<?x?xf32>) -> tensor<?x?xf32> {
    %0 = stablehlo.abs %arg0 : tensor<?x?xf32>
    return %0 : tensor<?x?xf32>
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %c = stablehlo.constant dense<[4, 3]> : tensor<2xi64>
    %0 = stablehlo.abs %arg0 : tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
// -----
// Types end at the comma after their last bracket.
// weft opt --stablehlo-refine-arguments='types=tensor<2x3x!quant.uniform<i8:f32:0, {0.5,0.25}>>,tensor<4xf32>' --stablehlo-refine-shapes
module {
  func.func @main(%arg0: tensor<2x?x!quant.uniform<i8:f32:0, {0.5,0.25}>>, %arg1: tensor<?xf32>) -> tensor<?xf32> {
    return %arg1 : tensor<?xf32>
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<2x3x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    return %arg1 : tensor<4xf32>
  }
}
// -----
// weft opt --stablehlo-refine-arguments='types=tensor<4xf32>,tensor<4xf32>'
module {
  func.func @main(%arg0: tensor<?xf32>) -> tensor<?xf32> {
    return %arg0 : tensor<?xf32>
  }
}
// ==>
// error: number of refinements must match number of op operands 2 vs 1
// -----
// weft opt --stablehlo-refine-arguments='types=tensor<4xf64>'
module {
  func.func @main(%arg0: tensor<?xf32>) -> tensor<?xf32> {
    return %arg0 : tensor<?xf32>
  }
}
// ==>
// error: invalid refinement for argument 0, refinement element types must match in 'tensor<?xf32>' -> 'tensor<4xf64>'
// -----
// weft opt --stablehlo-refine-arguments='types=tensor<4x4xf32>'
module {
  func.func @main(%arg0: tensor<?xf32>) -> tensor<?xf32> {
    return %arg0 : tensor<?xf32>
  }
}
// ==>
// error: rank must match operand rank
// -----
// weft opt --stablehlo-refine-arguments='types=tensor<4x2xf32>'
module {
  func.func @main(%arg0: tensor<?x3xf32>) -> tensor<?x3xf32> {
    return %arg0 : tensor<?x3xf32>
  }
}
// ==>
// error: dimension sizes must match for static dimensions
// -----
// weft opt --stablehlo-refine-arguments='types=tensor<4x'
module {
  func.func @main(%arg0: tensor<?x3xf32>) -> tensor<?x3xf32> {
    return %arg0 : tensor<?x3xf32>
  }
}
// ==>
// error: expected a type
