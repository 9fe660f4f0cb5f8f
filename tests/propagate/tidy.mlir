// ===== constants gather at the front, of equal ones the first is left; what nobody reads goes, unless it does something
// --canonicalize
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<4xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
    %same = stablehlo.constant dense<0.0> : tensor<4xf32>
    %one = stablehlo.constant dense<1.0> : tensor<4xf32>
    %0 = stablehlo.add %x, %zero : tensor<4xf32>
    %two = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<2.0> : tensor<4xf32>
    %1 = stablehlo.add %0, %same : tensor<4xf32>
    %2 = "stablehlo.case"(%i) ({
      %deep = stablehlo.constant dense<3.0> : tensor<4xf32>
      %again = stablehlo.constant dense<2.0> : tensor<4xf32>
      %a = stablehlo.add %deep, %again : tensor<4xf32>
      stablehlo.return %a : tensor<4xf32>
    }, {
      stablehlo.return %one : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    %3 = stablehlo.multiply %1, %two : tensor<4xf32>
    %kept = sdy.constant dense<2.0> : tensor<4xf32>
    %4 = stablehlo.multiply %3, %kept : tensor<4xf32>
    %5 = sdy.manual_computation(%4) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%y: tensor<2xf32>) {
      %6 = stablehlo.negate %y : tensor<2xf32>
      %inner = stablehlo.constant dense<2.0> : tensor<2xf32>
      %7 = stablehlo.add %6, %inner : tensor<2xf32>
      sdy.return %7 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    %8 = stablehlo.add %5, %2 : tensor<4xf32>
    return %8 : tensor<4xf32>
  }
  func.func @unread(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<4xf32> {
    %0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%j = %i, %v = %x) : tensor<i32>, tensor<4xf32> cond {
      %2 = stablehlo.compare LT, %j, %0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      stablehlo.return %j, %v : tensor<i32>, tensor<4xf32>
    }
    %3 = stablehlo.custom_call @unheard_of(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %4 = stablehlo.custom_call @heard_of(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
    %5 = "stablehlo.case"(%i) ({
      %6 = stablehlo.custom_call @heard_of(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %6 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    return %x : tensor<4xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<i32>) -> tensor<4xf32> {
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<4xf32>
    %cst_0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<2.000000e+00> : tensor<4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
    %0 = stablehlo.add %arg0, %cst_1 : tensor<4xf32>
    %1 = stablehlo.add %0, %cst_1 : tensor<4xf32>
    %2 = "stablehlo.case"(%arg1) ({
      %8 = stablehlo.add %cst, %cst_0 : tensor<4xf32>
      stablehlo.return %8 : tensor<4xf32>
    }, {
      stablehlo.return %cst_2 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    %3 = stablehlo.multiply %1, %cst_0 : tensor<4xf32>
    %4 = sdy.constant dense<2.000000e+00> : tensor<4xf32>
    %5 = stablehlo.multiply %3, %4 : tensor<4xf32>
    %6 = sdy.manual_computation(%5) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg2: tensor<2xf32>) {
      %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<2xf32>
      %8 = stablehlo.negate %arg2 : tensor<2xf32>
      %9 = stablehlo.add %8, %cst_3 : tensor<2xf32>
      sdy.return %9 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    %7 = stablehlo.add %6, %2 : tensor<4xf32>
    return %7 : tensor<4xf32>
  }
  func.func @unread(%arg0: tensor<4xf32>, %arg1: tensor<i32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @heard_of(%arg0) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "stablehlo.case"(%arg1) ({
      %2 = stablehlo.custom_call @heard_of(%arg0) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %2 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    return %arg0 : tensor<4xf32>
  }
}
// ===== the same where no gather counts batches
// --sdy-explicit-gather-scatter-batching
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<4xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
    %same = stablehlo.constant dense<0.0> : tensor<4xf32>
    %one = stablehlo.constant dense<1.0> : tensor<4xf32>
    %0 = stablehlo.add %x, %zero : tensor<4xf32>
    %two = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<2.0> : tensor<4xf32>
    %1 = stablehlo.add %0, %same : tensor<4xf32>
    %2 = "stablehlo.case"(%i) ({
      %deep = stablehlo.constant dense<3.0> : tensor<4xf32>
      %again = stablehlo.constant dense<2.0> : tensor<4xf32>
      %a = stablehlo.add %deep, %again : tensor<4xf32>
      stablehlo.return %a : tensor<4xf32>
    }, {
      stablehlo.return %one : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    %3 = stablehlo.multiply %1, %two : tensor<4xf32>
    %kept = sdy.constant dense<2.0> : tensor<4xf32>
    %4 = stablehlo.multiply %3, %kept : tensor<4xf32>
    %5 = sdy.manual_computation(%4) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%y: tensor<2xf32>) {
      %6 = stablehlo.negate %y : tensor<2xf32>
      %inner = stablehlo.constant dense<2.0> : tensor<2xf32>
      %7 = stablehlo.add %6, %inner : tensor<2xf32>
      sdy.return %7 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    %8 = stablehlo.add %5, %2 : tensor<4xf32>
    return %8 : tensor<4xf32>
  }
  func.func @unread(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<4xf32> {
    %0 = stablehlo.constant dense<1> : tensor<i32>
    %1:2 = stablehlo.while(%j = %i, %v = %x) : tensor<i32>, tensor<4xf32> cond {
      %2 = stablehlo.compare LT, %j, %0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      stablehlo.return %j, %v : tensor<i32>, tensor<4xf32>
    }
    %3 = stablehlo.custom_call @unheard_of(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %4 = stablehlo.custom_call @heard_of(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
    %5 = "stablehlo.case"(%i) ({
      %6 = stablehlo.custom_call @heard_of(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %6 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    return %x : tensor<4xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<i32>) -> tensor<4xf32> {
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<4xf32>
    %cst_0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<2.000000e+00> : tensor<4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
    %0 = stablehlo.add %arg0, %cst_1 : tensor<4xf32>
    %1 = stablehlo.add %0, %cst_1 : tensor<4xf32>
    %2 = "stablehlo.case"(%arg1) ({
      %8 = stablehlo.add %cst, %cst_0 : tensor<4xf32>
      stablehlo.return %8 : tensor<4xf32>
    }, {
      stablehlo.return %cst_2 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    %3 = stablehlo.multiply %1, %cst_0 : tensor<4xf32>
    %4 = sdy.constant dense<2.000000e+00> : tensor<4xf32>
    %5 = stablehlo.multiply %3, %4 : tensor<4xf32>
    %6 = sdy.manual_computation(%5) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg2: tensor<2xf32>) {
      %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<2xf32>
      %8 = stablehlo.negate %arg2 : tensor<2xf32>
      %9 = stablehlo.add %8, %cst_3 : tensor<2xf32>
      sdy.return %9 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    %7 = stablehlo.add %6, %2 : tensor<4xf32>
    return %7 : tensor<4xf32>
  }
  func.func @unread(%arg0: tensor<4xf32>, %arg1: tensor<i32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @heard_of(%arg0) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "stablehlo.case"(%arg1) ({
      %2 = stablehlo.custom_call @heard_of(%arg0) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %2 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    return %arg0 : tensor<4xf32>
  }
}
// ===== a case of a constant is its branch, if there is one
// --canonicalize
module {
  func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %i = stablehlo.constant dense<1> : tensor<i32>
    %far = stablehlo.constant dense<7> : tensor<i32>
    %0:2 = "stablehlo.case"(%i) ({
      stablehlo.return %x, %y : tensor<4xf32>, tensor<4xf32>
    }, {
      %a = stablehlo.add %x, %y : tensor<4xf32>
      stablehlo.return %a, %x : tensor<4xf32>, tensor<4xf32>
    }) : (tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>)
    %1 = "stablehlo.case"(%far) ({
      stablehlo.return %0#0 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    return %1, %0#1 : tensor<4xf32>, tensor<4xf32>
  }
}
// ->
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %c = stablehlo.constant dense<7> : tensor<i32>
    %0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>
    %1 = "stablehlo.case"(%c) ({
      stablehlo.return %0 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    return %1, %arg0 : tensor<4xf32>, tensor<4xf32>
  }
}
