// ===== a reader each: constants, trees of them, broadcasts of scalars
// --sdy-constant-or-scalar-splitter
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%x: tensor<8xf32>, %s: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<f32>) {
    %c = stablehlo.constant dense<1.0> : tensor<8xf32>
    %k = stablehlo.constant dense<2.0> : tensor<f32>
    %b = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %d = stablehlo.add %c, %b : tensor<8xf32>
    %e = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %0 = stablehlo.multiply %x, %d : tensor<8xf32>
    %1 = stablehlo.multiply %0, %e : tensor<8xf32>
    %2 = stablehlo.subtract %d, %e : tensor<8xf32>
    %i = stablehlo.iota dim = 0 : tensor<8xf32>
    %3 = stablehlo.add %2, %i : tensor<8xf32>
    %u = stablehlo.constant dense<5.0> : tensor<8xf32>
    return %1, %3, %k : tensor<8xf32>, tensor<8xf32>, tensor<f32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<f32>) {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %1 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %2 = sdy.constant dense<2.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %5 = stablehlo.add %0, %3 : tensor<8xf32>
    %6 = stablehlo.add %1, %4 : tensor<8xf32>
    %7 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %8 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %9 = stablehlo.multiply %arg0, %5 : tensor<8xf32>
    %10 = stablehlo.multiply %9, %7 : tensor<8xf32>
    %11 = stablehlo.subtract %6, %8 : tensor<8xf32>
    %12 = stablehlo.iota dim = 0 : tensor<8xf32>
    %13 = stablehlo.add %11, %12 : tensor<8xf32>
    return %10, %13, %2 : tensor<8xf32>, tensor<8xf32>, tensor<f32>
  }
}
// ===== readers inside a loop
// --sdy-constant-or-scalar-splitter
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %n: tensor<i32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %y = stablehlo.tanh %x : tensor<8x4xf32>
    %0:3 = stablehlo.while(%i = %c, %s = %x, %t = %y) : tensor<i32>, tensor<8x4xf32>, tensor<8x4xf32> cond {
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %i, %one : tensor<i32>
      %2 = stablehlo.add %s, %t : tensor<8x4xf32>
      stablehlo.return %1, %2, %t : tensor<i32>, tensor<8x4xf32>, tensor<8x4xf32>
    }
    return %0#1, %0#2 : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %arg1: tensor<i32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
    %0 = sdy.constant dense<0> : tensor<i32>
    %1 = stablehlo.tanh %arg0 : tensor<8x4xf32>
    %2:3 = stablehlo.while(%iterArg = %0, %iterArg_0 = %arg0, %iterArg_1 = %1) : tensor<i32>, tensor<8x4xf32>, tensor<8x4xf32>
    cond {
      %3 = stablehlo.compare LT, %iterArg, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = sdy.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg, %3 : tensor<i32>
      %5 = stablehlo.add %iterArg_0, %iterArg_1 : tensor<8x4xf32>
      stablehlo.return %4, %5, %iterArg_1 : tensor<i32>, tensor<8x4xf32>, tensor<8x4xf32>
    }
    return %2#1, %2#2 : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
// ===== a named computation of constants is a constant, one with a sort is not
// --sdy-constant-or-scalar-splitter
module {
  func.func @main(%x: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
    %0 = stablehlo.constant dense<1.0> : tensor<8x16xf32>
    %1:2 = sdy.named_computation<"both">(%0) (%a: tensor<8x16xf32>) {
      %6 = stablehlo.constant dense<2.0> : tensor<8x16xf32>
      %7 = stablehlo.add %a, %6 : tensor<8x16xf32>
      sdy.return %7, %6 : tensor<8x16xf32>, tensor<8x16xf32>
    } : (tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>)
    %2 = stablehlo.add %1#0, %x : tensor<8x16xf32>
    %3 = stablehlo.multiply %1#1, %x : tensor<8x16xf32>
    %4 = sdy.named_computation<"sorted">(%0) (%a: tensor<8x16xf32>) {
      %6 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
      ^bb0(%l: tensor<f32>, %r: tensor<f32>):
        %7 = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %7 : tensor<i1>
      }) : (tensor<8x16xf32>) -> tensor<8x16xf32>
      sdy.return %6 : tensor<8x16xf32>
    } : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %5 = stablehlo.add %4, %4 : tensor<8x16xf32>
    return %2, %3, %5 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
  }
}
// ->
module {
  func.func @main(%arg0: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8x16xf32>
    %1 = sdy.constant dense<1.000000e+00> : tensor<8x16xf32>
    %2 = sdy.constant dense<1.000000e+00> : tensor<8x16xf32>
    %3:2 = sdy.named_computation<"both">(%0) (%arg1: tensor<8x16xf32>) {
      %9 = sdy.constant dense<2.000000e+00> : tensor<8x16xf32>
      %10 = sdy.constant dense<2.000000e+00> : tensor<8x16xf32>
      %11 = stablehlo.add %arg1, %9 : tensor<8x16xf32>
      sdy.return %11, %10 : tensor<8x16xf32>, tensor<8x16xf32>
    } : (tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>)
    %4:2 = sdy.named_computation<"both">(%1) (%arg1: tensor<8x16xf32>) {
      %9 = sdy.constant dense<2.000000e+00> : tensor<8x16xf32>
      %10 = sdy.constant dense<2.000000e+00> : tensor<8x16xf32>
      %11 = stablehlo.add %arg1, %9 : tensor<8x16xf32>
      sdy.return %11, %10 : tensor<8x16xf32>, tensor<8x16xf32>
    } : (tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>)
    %5 = stablehlo.add %3#0, %arg0 : tensor<8x16xf32>
    %6 = stablehlo.multiply %4#1, %arg0 : tensor<8x16xf32>
    %7 = sdy.named_computation<"sorted">(%2) (%arg1: tensor<8x16xf32>) {
      %9 = "stablehlo.sort"(%arg1) <{dimension = 1 : i64}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %10 = stablehlo.compare LT, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %10 : tensor<i1>
      }) : (tensor<8x16xf32>) -> tensor<8x16xf32>
      sdy.return %9 : tensor<8x16xf32>
    } : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %8 = stablehlo.add %7, %7 : tensor<8x16xf32>
    return %5, %6, %8 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
  }
}
// ===== a call of a function of constants is a constant: the function and what it calls are copied for each reader; a scalar stays shared
// --sdy-constant-or-scalar-splitter
module {
  func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>) {
    %0:2 = call @outer() : () -> (tensor<8xf32>, tensor<f32>)
    %1 = stablehlo.abs %0#0 : tensor<8xf32>
    %2 = stablehlo.add %x, %1 : tensor<8xf32>
    %3 = stablehlo.multiply %2, %0#0 : tensor<8xf32>
    %4 = call @both(%x, %1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return %2, %3, %4, %0#1 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>
  }
  func.func private @outer() -> (tensor<8xf32>, tensor<f32>) {
    %c = stablehlo.constant dense<1.0> : tensor<8xf32>
    %k = stablehlo.constant dense<2.0> : tensor<f32>
    %0 = call @both(%c, %c) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return %0, %k : tensor<8xf32>, tensor<f32>
  }
  func.func private @both(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    %1 = stablehlo.add %a, %0 : tensor<8xf32>
    %2 = stablehlo.multiply %1, %b : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
// ->
module {
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>) {
    %0:2 = call @outer_2() : () -> (tensor<8xf32>, tensor<f32>)
    %1:2 = call @outer_4() : () -> (tensor<8xf32>, tensor<f32>)
    %2:2 = call @outer_6() : () -> (tensor<8xf32>, tensor<f32>)
    %3:2 = call @outer() : () -> (tensor<8xf32>, tensor<f32>)
    %4 = stablehlo.abs %0#0 : tensor<8xf32>
    %5 = stablehlo.abs %2#0 : tensor<8xf32>
    %6 = stablehlo.add %arg0, %4 : tensor<8xf32>
    %7 = stablehlo.multiply %6, %1#0 : tensor<8xf32>
    %8 = call @both(%arg0, %5) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return %6, %7, %8, %3#1 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>
  }
  func.func private @outer() -> (tensor<8xf32>, tensor<f32>) {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %1 = sdy.constant dense<2.000000e+00> : tensor<f32>
    %2 = call @both_0(%0, %0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return %2, %1 : tensor<8xf32>, tensor<f32>
  }
  func.func private @both(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
    %2 = stablehlo.multiply %1, %arg1 : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
  func.func private @both_0(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "both"} {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
    %2 = stablehlo.multiply %1, %arg1 : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
  func.func private @both_0_1(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "both"} {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
    %2 = stablehlo.multiply %1, %arg1 : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
  func.func private @outer_2() -> (tensor<8xf32>, tensor<f32>) attributes {sdy.original_func_name = "outer"} {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %1 = sdy.constant dense<2.000000e+00> : tensor<f32>
    %2 = call @both_0_1(%0, %0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return %2, %1 : tensor<8xf32>, tensor<f32>
  }
  func.func private @both_0_3(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "both"} {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
    %2 = stablehlo.multiply %1, %arg1 : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
  func.func private @outer_4() -> (tensor<8xf32>, tensor<f32>) attributes {sdy.original_func_name = "outer"} {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %1 = sdy.constant dense<2.000000e+00> : tensor<f32>
    %2 = call @both_0_3(%0, %0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return %2, %1 : tensor<8xf32>, tensor<f32>
  }
  func.func private @both_0_5(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "both"} {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
    %2 = stablehlo.multiply %1, %arg1 : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
  func.func private @outer_6() -> (tensor<8xf32>, tensor<f32>) attributes {sdy.original_func_name = "outer"} {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %1 = sdy.constant dense<2.000000e+00> : tensor<f32>
    %2 = call @both_0_5(%0, %0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return %2, %1 : tensor<8xf32>, tensor<f32>
  }
}
// ===== a function with a sort is none of constants, nor is one that calls it
// --sdy-constant-or-scalar-splitter
module {
  func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = call @sorts() : () -> tensor<8xf32>
    %1 = stablehlo.add %x, %0 : tensor<8xf32>
    %2 = stablehlo.multiply %x, %0 : tensor<8xf32>
    %3 = call @calls_sorts() : () -> tensor<8xf32>
    %4 = stablehlo.add %1, %3 : tensor<8xf32>
    %5 = stablehlo.add %2, %3 : tensor<8xf32>
    return %4, %5 : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @calls_sorts() -> tensor<8xf32> {
    %0 = call @sorts() : () -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @sorts() -> tensor<8xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    %1 = sdy.named_computation<"sorted">(%0) (%a: tensor<8xf32>) {
      %2 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
      ^bb0(%l: tensor<f32>, %r: tensor<f32>):
        %3 = stablehlo.compare GT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %3 : tensor<i1>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      sdy.return %2 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ->
module {
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = call @sorts() : () -> tensor<8xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
    %2 = stablehlo.multiply %arg0, %0 : tensor<8xf32>
    %3 = call @calls_sorts() : () -> tensor<8xf32>
    %4 = stablehlo.add %1, %3 : tensor<8xf32>
    %5 = stablehlo.add %2, %3 : tensor<8xf32>
    return %4, %5 : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @calls_sorts() -> tensor<8xf32> {
    %0 = call @sorts() : () -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @sorts() -> tensor<8xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<8xf32>
    %1 = sdy.named_computation<"sorted">(%0) (%arg0: tensor<8xf32>) {
      %2 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64}> ({
      ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
        %3 = stablehlo.compare GT, %arg1, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %3 : tensor<i1>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      sdy.return %2 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ===== a named computation that calls is copied with one function; copies of copies, names that are taken, groups
// --sdy-constant-or-scalar-splitter
module {
  func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.named_computation<"calling">() () {
      %4 = func.call @ones() : () -> tensor<8xf32>
      sdy.return %4 : tensor<8xf32>
    } : () -> tensor<8xf32>
    %1 = stablehlo.add %x, %0 : tensor<8xf32>
    %2 = call @ones_7() : () -> tensor<8xf32>
    sdy.sharding_group %2 group_id=3 : tensor<8xf32>
    %3 = stablehlo.multiply %2, %0 : tensor<8xf32>
    return %1, %3 : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @ones() -> tensor<8xf32> {
    %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @ones_7() -> tensor<8xf32> attributes {sdy.original_func_name = "ones"} {
    %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @ones_0() -> tensor<8xf32> {
    %0 = stablehlo.constant dense<0.0> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ->
module {
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.named_computation<"calling">() () {
      %5 = func.call @ones_1() : () -> tensor<8xf32>
      sdy.return %5 : tensor<8xf32>
    } : () -> tensor<8xf32>
    %1 = sdy.named_computation<"calling">() () {
      %5 = func.call @ones_1() : () -> tensor<8xf32>
      sdy.return %5 : tensor<8xf32>
    } : () -> tensor<8xf32>
    %2 = stablehlo.add %arg0, %0 : tensor<8xf32>
    %3 = call @ones_7_2() : () -> tensor<8xf32>
    sdy.sharding_group %3 group_id=3 : tensor<8xf32>
    %4 = stablehlo.multiply %3, %1 : tensor<8xf32>
    return %2, %4 : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @ones() -> tensor<8xf32> {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @ones_7() -> tensor<8xf32> attributes {sdy.original_func_name = "ones"} {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @ones_0() -> tensor<8xf32> {
    %0 = sdy.constant dense<0.000000e+00> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @ones_1() -> tensor<8xf32> attributes {sdy.original_func_name = "ones"} {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @ones_7_2() -> tensor<8xf32> attributes {sdy.original_func_name = "ones"} {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ===== clones are made operand by operand: one made before its constant's call reads the call that was there
// --sdy-constant-or-scalar-splitter
module {
  func.func @main() -> (tensor<4x2xi1>, tensor<4x2xf32>) {
    %0:2 = call @pair() : () -> (tensor<f32>, tensor<4x2xf32>)
    %1 = stablehlo.broadcast_in_dim %0#0, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
    %2 = stablehlo.compare GT, %1, %0#1 : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xi1>
    %3 = stablehlo.broadcast_in_dim %0#0, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
    %4 = stablehlo.maximum %0#1, %3 : tensor<4x2xf32>
    return %2, %4 : tensor<4x2xi1>, tensor<4x2xf32>
  }
  func.func private @pair() -> (tensor<f32>, tensor<4x2xf32>) {
    %0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.constant dense<2.000000e+00> : tensor<4x2xf32>
    return %0, %1 : tensor<f32>, tensor<4x2xf32>
  }
}
// ->
module {
  func.func @main() -> (tensor<4x2xi1>, tensor<4x2xf32>) {
    %0:2 = call @pair_0() : () -> (tensor<f32>, tensor<4x2xf32>)
    %1:2 = call @pair_1() : () -> (tensor<f32>, tensor<4x2xf32>)
    %2:2 = call @pair() : () -> (tensor<f32>, tensor<4x2xf32>)
    %3 = stablehlo.broadcast_in_dim %2#0, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
    %4 = stablehlo.compare GT, %3, %0#1 : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xi1>
    %5 = stablehlo.broadcast_in_dim %1#0, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
    %6 = stablehlo.maximum %1#1, %5 : tensor<4x2xf32>
    return %4, %6 : tensor<4x2xi1>, tensor<4x2xf32>
  }
  func.func private @pair() -> (tensor<f32>, tensor<4x2xf32>) {
    %0 = sdy.constant dense<1.000000e+00> : tensor<f32>
    %1 = sdy.constant dense<2.000000e+00> : tensor<4x2xf32>
    return %0, %1 : tensor<f32>, tensor<4x2xf32>
  }
  func.func private @pair_0() -> (tensor<f32>, tensor<4x2xf32>) attributes {sdy.original_func_name = "pair"} {
    %0 = sdy.constant dense<1.000000e+00> : tensor<f32>
    %1 = sdy.constant dense<2.000000e+00> : tensor<4x2xf32>
    return %0, %1 : tensor<f32>, tensor<4x2xf32>
  }
  func.func private @pair_1() -> (tensor<f32>, tensor<4x2xf32>) attributes {sdy.original_func_name = "pair"} {
    %0 = sdy.constant dense<1.000000e+00> : tensor<f32>
    %1 = sdy.constant dense<2.000000e+00> : tensor<4x2xf32>
    return %0, %1 : tensor<f32>, tensor<4x2xf32>
  }
}
