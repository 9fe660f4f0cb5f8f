// weft opt --inline --stablehlo-refine-shapes
// A function called with two shapes, as jax.export writes them: sizes from get_dimension_size, arithmetic on them, an assertion.
module {
  func.func private @double(%arg0: tensor<i32>, %arg1: tensor<?x3xf32>) -> tensor<?xf32> {
    %c = stablehlo.constant dense<3> : tensor<i32>
    %0 = stablehlo.multiply %arg0, %c : tensor<i32>
    %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
    %2 = stablehlo.dynamic_reshape %arg1, %1 : (tensor<?x3xf32>, tensor<1xi32>) -> tensor<?xf32>
    %3 = stablehlo.convert %2 : (tensor<?xf32>) -> tensor<?xf64>
    %4 = stablehlo.convert %3 : (tensor<?xf64>) -> tensor<?xf32>
    %5 = stablehlo.add %4, %2 : tensor<?xf32>
    return %5 : tensor<?xf32>
  }
  func.func private @outer(%arg0: tensor<?x3xf32>) -> tensor<?xf32> {
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.compare GE, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%1, %0) {api_version = 2 : i32, error_message = "the size is {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
    %2 = call @double(%0, %arg0) : (tensor<i32>, tensor<?x3xf32>) -> tensor<?xf32>
    return %2 : tensor<?xf32>
  }
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<5x3xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
    %0 = call @outer(%arg0) : (tensor<2x3xf32>) -> tensor<?xf32>
    %1 = call @outer(%arg1) : (tensor<5x3xf32>) -> tensor<?xf32>
    return %0, %1 : tensor<?xf32>, tensor<?xf32>
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<5x3xf32>) -> (tensor<6xf32>, tensor<15xf32>) {
    %c = stablehlo.constant dense<2> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %c_1 = stablehlo.constant dense<true> : tensor<i1>
    %c_2 = stablehlo.constant dense<3> : tensor<i32>
    %c_3 = stablehlo.constant dense<6> : tensor<i32>
    %c_4 = stablehlo.constant dense<6> : tensor<1xi32>
    %0 = stablehlo.dynamic_reshape %arg0, %c_4 : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<6xf32>
    %1 = stablehlo.convert %0 : (tensor<6xf32>) -> tensor<6xf64>
    %2 = stablehlo.convert %1 : (tensor<6xf64>) -> tensor<6xf32>
    %3 = stablehlo.add %2, %0 : tensor<6xf32>
    %c_5 = stablehlo.constant dense<5> : tensor<i32>
    %c_6 = stablehlo.constant dense<1> : tensor<i32>
    %c_7 = stablehlo.constant dense<true> : tensor<i1>
    %c_8 = stablehlo.constant dense<3> : tensor<i32>
    %c_9 = stablehlo.constant dense<15> : tensor<i32>
    %c_10 = stablehlo.constant dense<15> : tensor<1xi32>
    %4 = stablehlo.dynamic_reshape %arg1, %c_10 : (tensor<5x3xf32>, tensor<1xi32>) -> tensor<15xf32>
    %5 = stablehlo.convert %4 : (tensor<15xf32>) -> tensor<15xf64>
    %6 = stablehlo.convert %5 : (tensor<15xf64>) -> tensor<15xf32>
    %7 = stablehlo.add %6, %4 : tensor<15xf32>
    return %3, %7 : tensor<6xf32>, tensor<15xf32>
  }
}
// -----
// weft opt --stablehlo-refine-shapes
// Loops and branches pass shapes on; what they compute with is refined inside.
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<i1>) -> tensor<?xf32> {
    %c = stablehlo.constant dense<4> : tensor<1xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<7> : tensor<i32>
    %0 = stablehlo.dynamic_reshape %arg0, %c : (tensor<4xf32>, tensor<1xi32>) -> tensor<?xf32>
    %1:2 = stablehlo.while(%i = %c_0, %x = %0) : tensor<i32>, tensor<?xf32>
    cond {
      %p = stablehlo.compare LT, %i, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
      %j = stablehlo.add %i, %s : tensor<i32>
      %y = stablehlo.multiply %x, %x : tensor<?xf32>
      stablehlo.return %j, %y : tensor<i32>, tensor<?xf32>
    }
    %2 = "stablehlo.if"(%arg1) ({
      %n = stablehlo.negate %1#1 : tensor<?xf32>
      stablehlo.return %n : tensor<?xf32>
    }, {
      stablehlo.return %1#1 : tensor<?xf32>
    }) : (tensor<i1>) -> tensor<?xf32>
    return %2 : tensor<?xf32>
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<i1>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<4> : tensor<1xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<7> : tensor<i32>
    %0 = stablehlo.dynamic_reshape %arg0, %c : (tensor<4xf32>, tensor<1xi32>) -> tensor<4xf32>
    %1:2 = stablehlo.while(%iterArg = %c_0, %iterArg_2 = %0) : tensor<i32>, tensor<4xf32>
    cond {
      %3 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<4> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      %4 = stablehlo.multiply %iterArg_2, %iterArg_2 : tensor<4xf32>
      stablehlo.return %3, %4 : tensor<i32>, tensor<4xf32>
    }
    %2 = "stablehlo.if"(%arg1) ({
      %3 = stablehlo.negate %1#1 : tensor<4xf32>
      stablehlo.return %3 : tensor<4xf32>
    }, {
      stablehlo.return %1#1 : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}
// -----
// weft opt --stablehlo-refine-shapes
module {
  func.func @main(%arg0: tensor<2xf32>) -> tensor<?xf32> {
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<2xf32>) -> tensor<i32>
    %c = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%1, %0, %c) {api_version = 2 : i32, error_message = "the size is {0}, not {1} {2}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
    %2 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
    %3 = stablehlo.dynamic_reshape %arg0, %2 : (tensor<2xf32>, tensor<1xi32>) -> tensor<?xf32>
    return %3 : tensor<?xf32>
  }
}
// ==>
// error: in.mlir:6:5: error: the size is 2, not 3 {2}
// -----
// weft opt --stablehlo-refine-shapes
module {
  func.func @main(%arg0: tensor<2x3xf32>) -> tensor<?x?xf32> {
    %c = stablehlo.constant dense<[4, 4]> : tensor<2xi32>
    %low = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %high = stablehlo.constant dense<[0, 2]> : tensor<2xi32>
    %none = stablehlo.constant dense<0> : tensor<2xi32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dynamic_pad %arg0, %z, %low, %high, %none : (tensor<2x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4x?xf32>
    %1 = stablehlo.dynamic_broadcast_in_dim %0, %c, dims = [0, 1] : (tensor<4x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
    return %1 : tensor<?x?xf32>
  }
}
// ==>
// error: in.mlir:8:10: error: 'stablehlo.dynamic_pad': dimension 0
// -----
// weft opt --stablehlo-refine-shapes
module {
  func.func private @f(%arg0: tensor<?xf32>) -> tensor<?xf32> {
    return %arg0 : tensor<?xf32>
  }
  func.func @main(%arg0: tensor<2xf32>) -> tensor<?xf32> {
    %0 = call @f(%arg0) : (tensor<2xf32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
}
// ==>
// error: run 'inline' before
// -----
// weft opt --stablehlo-refine-shapes
// A mesh after the function that names it.
module {
  func.func @main(%x: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>}) -> tensor<?x4xf32> {
    %0 = stablehlo.convert %x : (tensor<4x4xf32>) -> tensor<?x4xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"d"}]> : tensor<?x4xf32>
    return %1 : tensor<?x4xf32>
  }
  sdy.mesh @mesh = <["d"=2]>
}
// ==>
module {
  func.func @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>}) -> tensor<4x4xf32> {
    %0 = stablehlo.convert %arg0 : tensor<4x4xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"d"}]> : tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
  sdy.mesh @mesh = <["d"=2]>
}
// -----
// weft opt --stablehlo-refine-shapes
// Shapes that are joined, along a vector and along the second dimension of a table.
module {
  func.func @main(%arg0: tensor<6xf32>, %arg1: tensor<?x3xf32>, %arg2: tensor<2x3xf32>) -> (tensor<?x?x?xf32>, tensor<?x?xf32>) {
    %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %c_0 = stablehlo.constant dense<3> : tensor<1xi32>
    %0 = stablehlo.concatenate %c, %c_0, dim = 0 : (tensor<2xi32>, tensor<1xi32>) -> tensor<3xi32>
    %1 = stablehlo.dynamic_reshape %arg0, %0 : (tensor<6xf32>, tensor<3xi32>) -> tensor<?x?x?xf32>
    %c_1 = stablehlo.constant dense<[[3], [2]]> : tensor<2x1xi32>
    %c_2 = stablehlo.constant dense<[[0], [0]]> : tensor<2x1xi32>
    %2 = stablehlo.concatenate %c_1, %c_2, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
    %3 = stablehlo.slice %2 [0:2, 0:1] : (tensor<2x2xi32>) -> tensor<2x1xi32>
    %4 = stablehlo.reshape %2 : (tensor<2x2xi32>) -> tensor<4xi32>
    %5 = stablehlo.slice %4 [0:3:2] : (tensor<4xi32>) -> tensor<2xi32>
    %6 = stablehlo.dynamic_reshape %arg0, %5 : (tensor<6xf32>, tensor<2xi32>) -> tensor<?x?xf32>
    return %1, %6 : tensor<?x?x?xf32>, tensor<?x?xf32>
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<6xf32>, %arg1: tensor<?x3xf32>, %arg2: tensor<2x3xf32>) -> (tensor<1x2x3xf32>, tensor<3x2xf32>) {
    %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %c_0 = stablehlo.constant dense<3> : tensor<1xi32>
    %c_1 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
    %0 = stablehlo.dynamic_reshape %arg0, %c_1 : (tensor<6xf32>, tensor<3xi32>) -> tensor<1x2x3xf32>
    %c_2 = stablehlo.constant dense<[[3], [2]]> : tensor<2x1xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<2x1xi32>
    %c_4 = stablehlo.constant dense<[[3, 0], [2, 0]]> : tensor<2x2xi32>
    %1 = stablehlo.slice %c_4 [0:2, 0:1] : (tensor<2x2xi32>) -> tensor<2x1xi32>
    %c_5 = stablehlo.constant dense<[3, 0, 2, 0]> : tensor<4xi32>
    %c_6 = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
    %2 = stablehlo.dynamic_reshape %arg0, %c_6 : (tensor<6xf32>, tensor<2xi32>) -> tensor<3x2xf32>
    return %0, %2 : tensor<1x2x3xf32>, tensor<3x2xf32>
  }
}
// -----
// weft opt --stablehlo-refine-shapes
// Bits keep the shape; of wider elements the leading dimensions, of narrower ones too.
module {
  func.func @main(%arg0: tensor<2x3xf32>) -> (tensor<?x3xi32>, tensor<?x?x4xui8>, tensor<?x?xf32>) {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<2x3xf32>) -> tensor<?x3xi32>
    %1 = stablehlo.bitcast_convert %arg0 : (tensor<2x3xf32>) -> tensor<?x?x4xui8>
    %2 = stablehlo.bitcast_convert %1 : (tensor<?x?x4xui8>) -> tensor<?x?xf32>
    return %0, %1, %2 : tensor<?x3xi32>, tensor<?x?x4xui8>, tensor<?x?xf32>
  }
}
// ==>
module {
  func.func @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xi32>, tensor<2x3x4xui8>, tensor<2x3xf32>) {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<2x3xf32>) -> tensor<2x3xi32>
    %1 = stablehlo.bitcast_convert %arg0 : (tensor<2x3xf32>) -> tensor<2x3x4xui8>
    %2 = stablehlo.bitcast_convert %1 : (tensor<2x3x4xui8>) -> tensor<2x3xf32>
    return %0, %1, %2 : tensor<2x3xi32>, tensor<2x3x4xui8>, tensor<2x3xf32>
  }
}
