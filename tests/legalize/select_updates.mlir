// weft opt --weft-select-updates
// An update that is kept or not: its part is chosen. The predicate is one for all, or has the operand's shape.
func.func @main(%p: tensor<i1>, %q: tensor<8x4xi1>, %x: tensor<8x4xf32>, %u: tensor<2x4xf32>, %i: tensor<i32>, %j: tensor<i32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %j : (tensor<8x4xf32>, tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  %1 = stablehlo.select %p, %0, %x : tensor<i1>, tensor<8x4xf32>
  %2 = stablehlo.dynamic_update_slice %1, %u, %j, %i : (tensor<8x4xf32>, tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  %3 = stablehlo.select %q, %1, %2 : tensor<8x4xi1>, tensor<8x4xf32>
  return %1, %3 : tensor<8x4xf32>, tensor<8x4xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<i1>, %arg1: tensor<8x4xi1>, %arg2: tensor<8x4xf32>, %arg3: tensor<2x4xf32>, %arg4: tensor<i32>, %arg5: tensor<i32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
    %0 = stablehlo.dynamic_slice %arg2, %arg4, %arg5, sizes = [2, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
    %1 = stablehlo.select %arg0, %arg3, %0 : tensor<i1>, tensor<2x4xf32>
    %2 = stablehlo.dynamic_update_slice %arg2, %1, %arg4, %arg5 : (tensor<8x4xf32>, tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
    %3 = stablehlo.dynamic_slice %arg1, %arg5, %arg4, sizes = [2, 4] : (tensor<8x4xi1>, tensor<i32>, tensor<i32>) -> tensor<2x4xi1>
    %4 = stablehlo.dynamic_slice %2, %arg5, %arg4, sizes = [2, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
    %5 = stablehlo.select %3, %4, %arg3 : tensor<2x4xi1>, tensor<2x4xf32>
    %6 = stablehlo.dynamic_update_slice %2, %5, %arg5, %arg4 : (tensor<8x4xf32>, tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
    return %2, %6 : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
// -----
// weft opt --weft-select-updates
// Not where the update is read by others too, is the whole, or is of something else.
func.func @main(%p: tensor<i1>, %x: tensor<8xf32>, %y: tensor<8xf32>, %u: tensor<2xf32>, %i: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
  %1 = stablehlo.select %p, %0, %x : tensor<i1>, tensor<8xf32>
  %2 = stablehlo.dynamic_update_slice %x, %y, %i : (tensor<8xf32>, tensor<8xf32>, tensor<i32>) -> tensor<8xf32>
  %3 = stablehlo.select %p, %2, %x : tensor<i1>, tensor<8xf32>
  %4 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
  %5 = stablehlo.select %p, %4, %y : tensor<i1>, tensor<8xf32>
  return %0, %1, %3, %5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<i1>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<2xf32>, %arg4: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.dynamic_update_slice %arg1, %arg3, %arg4 : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
    %1 = stablehlo.select %arg0, %0, %arg1 : tensor<i1>, tensor<8xf32>
    %2 = stablehlo.dynamic_update_slice %arg1, %arg2, %arg4 : (tensor<8xf32>, tensor<8xf32>, tensor<i32>) -> tensor<8xf32>
    %3 = stablehlo.select %arg0, %2, %arg1 : tensor<i1>, tensor<8xf32>
    %4 = stablehlo.dynamic_update_slice %arg1, %arg3, %arg4 : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
    %5 = stablehlo.select %arg0, %4, %arg2 : tensor<i1>, tensor<8xf32>
    return %0, %1, %3, %5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
