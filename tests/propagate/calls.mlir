// ===== from its second call on a function is copied, with what it calls
// --sdy-flatten-call-graph
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @outer(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @outer(%0) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = call @inner(%1) : (tensor<8xf32>) -> tensor<8xf32>
    return %2 : tensor<8xf32>
  }
  func.func private @outer(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @inner(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @inner(%0) {mhlo.frontend_attributes = {inlineable = "false"}} : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func private @inner(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.sine %x : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @inner_0(%x: tensor<8xf32>) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @outer(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @outer_4(%0) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = call @inner_5(%1) : (tensor<8xf32>) -> tensor<8xf32>
    return %2 : tensor<8xf32>
  }
  func.func private @outer(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @inner(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @inner_1(%0) {mhlo.frontend_attributes = {inlineable = "false"}} : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func private @inner(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.sine %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @inner_0(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @inner_1(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "inner"} {
    %0 = stablehlo.sine %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @inner_2(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "inner"} {
    %0 = stablehlo.sine %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @inner_1_3(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "inner"} {
    %0 = stablehlo.sine %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @outer_4(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "outer"} {
    %0 = call @inner_2(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @inner_1_3(%0) {mhlo.frontend_attributes = {inlineable = "false"}} : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func private @inner_5(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "inner"} {
    %0 = stablehlo.sine %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ===== copies sharded alike are one again
// --sdy-unflatten-call-graph --symbol-dce
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @f_0(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = call @f_1(%1) : (tensor<8xf32>) -> tensor<8xf32>
    %3 = call @f_2(%2) : (tensor<8xf32>) -> tensor<8xf32>
    return %3 : tensor<8xf32>
  }
  func.func private @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
  func.func private @f_0(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
    return %x : tensor<8xf32>
  }
  func.func private @f_1(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
    return %x : tensor<8xf32>
  }
  func.func private @f_2(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> attributes {sdy.func_manual_axes = #sdy<manual_axes{"b"}>, sdy.original_func_name = "f"} {
    return %x : tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @f_0(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = call @f(%1) : (tensor<8xf32>) -> tensor<8xf32>
    %3 = call @f_2(%2) : (tensor<8xf32>) -> tensor<8xf32>
    return %3 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @f_0(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @f_2(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
// ===== or all of them, sharded like most
// --sdy-unflatten-call-graph=dedup-functions-fully=true --symbol-dce
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @f_0(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = call @f_1(%1) : (tensor<8xf32>) -> tensor<8xf32>
    return %2 : tensor<8xf32>
  }
  func.func private @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
  func.func private @f_0(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
    return %x : tensor<8xf32>
  }
  func.func private @f_1(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
    return %x : tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @f_1(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @f_1(%0) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = call @f_1(%1) : (tensor<8xf32>) -> tensor<8xf32>
    return %2 : tensor<8xf32>
  }
  func.func private @f_1(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
// ===== bodies stand where they are called
// --sdy-import-func-calls
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0:2 = call @outer(%x, %x) {other = 1 : i32, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>, <@mesh, [{?}]>]>} : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %1 = stablehlo.add %0#0, %0#1 : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func private @outer(%x: tensor<8xf32>, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) -> (tensor<8xf32>, tensor<8xf32>) attributes {execution_thread = "other", sdy.original_func_name = "first"} {
    %0 = call @inner(%y) : (tensor<8xf32>) -> tensor<8xf32>
    return %x, %0 : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @inner(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) {
    %0 = stablehlo.sine %x : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0:2 = sdy.named_computation<"first">(%arg0, %arg0) in_shardings=[<@mesh, [{?}]>, <@mesh, [{"a", ?}]>] out_shardings=[<@mesh, [{"b"}]>, <@mesh, [{?}]>] (%arg1: tensor<8xf32>, %arg2: tensor<8xf32>) {
      %4 = sdy.data_flow_edge %arg1 sharding=<@mesh, [{?}]> : tensor<8xf32>
      %5 = sdy.data_flow_edge %arg2 sharding=<@mesh, [{"a", ?}]> : tensor<8xf32>
      %6 = sdy.named_computation<"inner">(%5) (%arg3: tensor<8xf32>) {
        %8 = sdy.data_flow_edge %arg3 : tensor<8xf32>
        %9 = stablehlo.sine %8 : tensor<8xf32>
        sdy.return %9 : tensor<8xf32>
      } : (tensor<8xf32>) -> tensor<8xf32>
      %7 = sdy.data_flow_edge %6 : tensor<8xf32>
      sdy.return %4, %7 : tensor<8xf32>, tensor<8xf32>
    } {execution_thread = "other", other = 1 : i32} : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"b"}]> : tensor<8xf32>
    %2 = sdy.data_flow_edge %0#1 sharding=<@mesh, [{?}]> : tensor<8xf32>
    %3 = stablehlo.add %1, %2 : tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}
// ===== without edges when these are not wanted
// --sdy-import-func-calls=add-data-flow-edges-on-named-computations=false
module {
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.sine %x : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ->
module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.named_computation<"f">(%arg0) (%arg1: tensor<8xf32>) {
      %1 = stablehlo.sine %arg1 : tensor<8xf32>
      sdy.return %1 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ===== computations become functions, inner ones first
// --sdy-export-named-computations
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.named_computation<"outer">(%x) out_shardings=[<@mesh, [{"b"}]>] (%y: tensor<8xf32>) {
      %2 = sdy.data_flow_edge %y sharding=<@mesh, [{"a", ?}]> : tensor<8xf32>
      %3:2 = sdy.named_computation<"main">(%2) in_shardings=[<@mesh, [{"a"}]>] (%z: tensor<8xf32>) {
        sdy.return %z, %z : tensor<8xf32>, tensor<8xf32>
      } {execution_thread = "other"} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
      %4 = sdy.data_flow_edge %3#1 sharding=<@mesh, [{"a", "b"}]> : tensor<8xf32>
      sdy.return %4 : tensor<8xf32>
    } {other = 1 : i32} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.data_flow_edge %0 : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @outer(%arg0) {other = 1 : i32, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @main_0(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32>, tensor<8xf32>) attributes {execution_thread = "other", sdy.original_func_name = "main"} {
    return %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @outer(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) -> tensor<8xf32> attributes {sdy.original_func_name = "outer"} {
    %0:2 = call @main_0(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>, <@mesh, [{"a", "b"}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    return %0#1 : tensor<8xf32>
  }
}
// ===== callers come first
// --sdy-pre-order-funcs
module {
  func.func private @c(%x: tensor<8xf32>) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
  func.func private @b(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @c(%x) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @b(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @a(%0) : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func private @a(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @c(%x) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  sdy.mesh @mesh = <["a"=2]>
}
// ->
module {
  sdy.mesh @mesh = <["a"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @b(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @a(%0) : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func private @a(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @c(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @b(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @c(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @c(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
// ===== edges behind arguments and calls
// --sdy-add-func-data-flow-edges
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
    %0:2 = call @f(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>, <@mesh, [{?}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %1 = stablehlo.add %0#0, %0#1 : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func private @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
    return %x, %x : tensor<8xf32>, tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
    %0:2 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>, <@mesh, [{?}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %1 = sdy.func_data_flow_edge %0#0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<8xf32>
    %2 = sdy.func_data_flow_edge %0#1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>} : tensor<8xf32>
    %3 = stablehlo.add %1, %2 : tensor<8xf32>
    return %3 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.func_data_flow_edge %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", ?}]>]>} : tensor<8xf32>
    return %0, %0 : tensor<8xf32>, tensor<8xf32>
  }
}
// ===== and what they hold goes back
// --sdy-sink-func-data-flow-edges
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0:2 = call @f(%x, %x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>, <@mesh, [{?}]>]>} : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %1 = sdy.func_data_flow_edge %0#0 : tensor<8xf32>
    %2 = sdy.func_data_flow_edge %0#1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : tensor<8xf32>
    %3 = stablehlo.add %1, %2 : tensor<8xf32>
    return %3 : tensor<8xf32>
  }
  func.func private @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}]>}, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.func_data_flow_edge %x : tensor<8xf32>
    %1 = sdy.func_data_flow_edge %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<8xf32>
    return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0:2 = call @f(%arg0, %arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>, <@mesh, [{"a", ?}]>]>} : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %1 = stablehlo.add %0#0, %0#1 : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
    return %arg0, %arg1 : tensor<8xf32>, tensor<8xf32>
  }
}
// ===== results of functions are sharded like what they return
// --sdy-propagate-to-func-results
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
  func.func private @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}]>}, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {jax.result_info = "r", sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    return %x, %y : tensor<8xf32>, tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}]>}, %arg1: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}]>}, tensor<8xf32> {jax.result_info = "r"}) {
    return %arg0, %arg1 : tensor<8xf32>, tensor<8xf32>
  }
}
// ===== calls that say nothing take their function's word
// --sdy-propagate-sharding-from-func-to-call
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0:2 = call @f(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %1:2 = call @f(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>, <@mesh, [{?}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %2 = stablehlo.add %0#0, %1#1 : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
  func.func private @f(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    return %x, %x : tensor<8xf32>, tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0:2 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>, <@mesh, [{"a"}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %1:2 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>, <@mesh, [{?}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %2 = stablehlo.add %0#0, %1#1 : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    return %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
  }
}
// ===== results come as the function gives them
// --sdy-insert-func-call-reshards
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0:2 = call @f(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{"b"}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %1:2 = call @f(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %2 = call @g(%0#0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %3 = stablehlo.add %0#1, %1#1 : tensor<8xf32>
    %4 = stablehlo.add %2, %3 : tensor<8xf32>
    return %4 : tensor<8xf32>
  }
  func.func private @f(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    return %x, %x : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @g(%x: tensor<8xf32>) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0:2 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>, <@mesh, [{"a"}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %1 = sdy.reshard %0#1 <@mesh, [{"b"}]> : tensor<8xf32>
    %2 = sdy.reshard %0#0 <@mesh, [{"a"}]> : tensor<8xf32>
    %3:2 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>, <@mesh, [{"a"}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %4 = sdy.reshard %3#1 <@mesh, [{}]> : tensor<8xf32>
    %5 = call @g(%2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %6 = sdy.reshard %5 <@mesh, [{"b"}]> : tensor<8xf32>
    %7 = stablehlo.add %1, %4 : tensor<8xf32>
    %8 = stablehlo.add %6, %7 : tensor<8xf32>
    return %8 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    return %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @g(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
// ===== of callers alike the first in the order of uses, calls in regions come last
// --sdy-user-priority-propagate
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func public @main(%x: tensor<16x16x4xf32>, %y: tensor<16x16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}, {}, {?}]>}, %i: tensor<i32>) -> tensor<16x16x4xf32> {
    %0 = "stablehlo.case"(%i) ({
      %1 = func.call @f(%x) : (tensor<16x16x4xf32>) -> tensor<16x16x4xf32>
      %2 = sdy.func_data_flow_edge %1 : tensor<16x16x4xf32>
      %3 = func.call @f(%2) : (tensor<16x16x4xf32>) -> tensor<16x16x4xf32>
      %4 = sdy.func_data_flow_edge %3 : tensor<16x16x4xf32>
      stablehlo.return %4 : tensor<16x16x4xf32>
    }) : (tensor<i32>) -> tensor<16x16x4xf32>
    %5 = call @f(%y) : (tensor<16x16x4xf32>) -> tensor<16x16x4xf32>
    %6 = sdy.func_data_flow_edge %5 : tensor<16x16x4xf32>
    return %6 : tensor<16x16x4xf32>
  }
  func.func private @f(%x: tensor<16x16x4xf32>) -> tensor<16x16x4xf32> {
    %0 = sdy.func_data_flow_edge %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}, {"a"}]>]>} : tensor<16x16x4xf32>
    return %0 : tensor<16x16x4xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func public @main(%arg0: tensor<16x16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}, {?}, {?}]>}, %arg1: tensor<16x16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}, {}, {?}]>}, %arg2: tensor<i32>) -> (tensor<16x16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}, {"a", ?}]>}) {
    %0 = "stablehlo.case"(%arg2) ({
      %3 = func.call @f(%arg0) : (tensor<16x16x4xf32>) -> tensor<16x16x4xf32>
      %4 = sdy.func_data_flow_edge %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}, {"a", ?}]>]>} : tensor<16x16x4xf32>
      %5 = func.call @f(%4) : (tensor<16x16x4xf32>) -> tensor<16x16x4xf32>
      %6 = sdy.func_data_flow_edge %5 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}, {"a", ?}]>]>} : tensor<16x16x4xf32>
      stablehlo.return %6 : tensor<16x16x4xf32>
    }) : (tensor<i32>) -> tensor<16x16x4xf32>
    %1 = call @f(%arg1) : (tensor<16x16x4xf32>) -> tensor<16x16x4xf32>
    %2 = sdy.func_data_flow_edge %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}, {"a", ?}]>]>} : tensor<16x16x4xf32>
    return %2 : tensor<16x16x4xf32>
  }
  func.func private @f(%arg0: tensor<16x16x4xf32>) -> tensor<16x16x4xf32> {
    %0 = sdy.func_data_flow_edge %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}, {"a"}]>]>} : tensor<16x16x4xf32>
    return %0 : tensor<16x16x4xf32>
  }
}
// ===== dedup-functions-fully means the pipeline, not its sdy-unflatten-call-graph: shardings of functions do matter there
// --sdy-propagation-pipeline=dedup-functions-fully=true
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = call @twos() : () -> tensor<8x8xf32>
    %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = stablehlo.dot_general %y, %0, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
  }
  func.func private @twos() -> tensor<8x8xf32> {
    %0 = stablehlo.constant dense<2.000000e+00> : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
// ->
module {
  sdy.mesh @mesh = <["a"=2, "b"=2]> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 2 : i64}]}}
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, tensor<8x8xf32>) {
    %0 = call @twos_0() : () -> tensor<8x8xf32>
    %1 = call @twos_1() {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : () -> tensor<8x8xf32>
    %2 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = stablehlo.dot_general %arg1, %1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    return %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>
  }
  func.func private @twos_1() -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) {
    %0 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} dense<2.000000e+00> : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
  func.func private @twos_0() -> tensor<8x8xf32> {
    %0 = sdy.constant dense<2.000000e+00> : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
