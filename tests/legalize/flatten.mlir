// weft opt --weft-flatten
// Tuples of tuples as arguments, results and what a loop carries; tokens; a call, a composite and an asynchronous body.
module {
  func.func private @dec(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.add %a, %b : tensor<4xf32>
    return %0, %a : tensor<4xf32>, tensor<4xf32>
  }
  func.func @main(%x: tensor<4xf32>, %t: !stablehlo.token, %p: tuple<tensor<4xf32>, tuple<tensor<i32>, tensor<4xf32>>>) -> (tuple<tensor<4xf32>, tensor<i32>>, !stablehlo.token, tensor<4xf32>) {
    %0 = stablehlo.get_tuple_element %p[1] : (tuple<tensor<4xf32>, tuple<tensor<i32>, tensor<4xf32>>>) -> tuple<tensor<i32>, tensor<4xf32>>
    %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<i32>, tensor<4xf32>>) -> tensor<4xf32>
    %2 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<i32>, tensor<4xf32>>) -> tensor<i32>
    %tok = stablehlo.create_token : !stablehlo.token
    %tk = stablehlo.after_all %tok, %t : !stablehlo.token
    %c:2 = stablehlo.composite "foo.bar" %x, %1 {decomposition = @dec} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %w:3 = stablehlo.while(%i = %2, %s = %c#0, %k = %tk) : tensor<i32>, tensor<4xf32>, !stablehlo.token
    cond {
      %n = stablehlo.constant dense<5> : tensor<i32>
      %q = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %q : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %ss = stablehlo.add %s, %x : tensor<4xf32>
      %kk = stablehlo.after_all %k : !stablehlo.token
      stablehlo.return %j, %ss, %kk : tensor<i32>, tensor<4xf32>, !stablehlo.token
    }
    %f = "stablehlo.async_start"(%w#1) ({
    ^bb0(%u: tensor<4xf32>):
      %v = stablehlo.slice %u [0:4] : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %v : tensor<4xf32>
    }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
    %g = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
    %r = stablehlo.tuple %g, %w#0 : tuple<tensor<4xf32>, tensor<i32>>
    return %r, %w#2, %c#1 : tuple<tensor<4xf32>, tensor<i32>>, !stablehlo.token, tensor<4xf32>
  }
}
// ==>
module {
  func.func private @dec(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>
    return %0, %arg0 : tensor<4xf32>, tensor<4xf32>
  }
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<i1>, %arg2: tensor<4xf32>, %arg3: tensor<i32>, %arg4: tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>, tensor<i1>, tensor<4xf32>) {
    %c = stablehlo.constant dense<false> : tensor<i1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %0:2 = stablehlo.composite "foo.bar" %arg0, %arg4 {decomposition = @dec} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %1:3 = stablehlo.while(%iterArg = %arg3, %iterArg_1 = %0#0, %iterArg_2 = %c_0) : tensor<i32>, tensor<4xf32>, tensor<i1>
    cond {
      %c_3 = stablehlo.constant dense<5> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg, %c_3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      %4 = stablehlo.add %iterArg_1, %arg0 : tensor<4xf32>
      %c_4 = stablehlo.constant dense<false> : tensor<i1>
      stablehlo.return %3, %4, %c_4 : tensor<i32>, tensor<4xf32>, tensor<i1>
    }
    %2 = stablehlo.slice %1#1 [0:4] : (tensor<4xf32>) -> tensor<4xf32>
    return %2, %1#0, %1#2, %0#1 : tensor<4xf32>, tensor<i32>, tensor<i1>, tensor<4xf32>
  }
}
// -----
// weft opt --weft-flatten
module {
  func.func @main(%t: !stablehlo.token, %x: tensor<f32>) {
    %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
    return
  }
}
// ==>
// error: in.mlir:3:12: error: 'stablehlo.infeed' exchanges data with a host program
// -----
// weft opt --weft-flatten
module {
  func.func @main(%t: !stablehlo.token, %x: tensor<f32>) {
    %0 = "stablehlo.outfeed"(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
    return
  }
}
// ==>
// error: in.mlir:3:10: error: 'stablehlo.outfeed' exchanges data with a host program
// -----
// weft opt --weft-flatten
module {
  func.func @main(%t: !stablehlo.token, %x: tensor<f32>) {
    %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
    return
  }
}
// ==>
// error: in.mlir:3:10: error: 'stablehlo.send' exchanges data with a host program
// -----
// weft opt --weft-flatten
module {
  func.func @main(%t: !stablehlo.token, %x: tensor<f32>) {
    %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
    return
  }
}
// ==>
// error: in.mlir:3:12: error: 'stablehlo.recv' exchanges data with a host program
// -----
// weft opt --weft-flatten
// Annotations of single values stay, layouts of a flat tuple too.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tuple<tensor<4xf32>, tensor<i32>> {jax.buffer_donor = true}, %arg2: tensor<i32> {tf.aliasing_output = 1 : i32}) -> (tuple<tensor<4xf32>, tensor<4xf32>>, tensor<i32> {jax.result_info = "a"}) {
    %0 = stablehlo.add %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
    %1 = stablehlo.custom_call @f(%0) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<i32>>
    %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<4xf32>
    %3 = stablehlo.get_tuple_element %arg1[1] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32>
    %4 = stablehlo.optimization_barrier %3 : tensor<i32>
    %5 = stablehlo.tuple %2, %0 : tuple<tensor<4xf32>, tensor<4xf32>>
    return %5, %4 : tuple<tensor<4xf32>, tensor<4xf32>>, tensor<i32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<4xf32>, %arg2: tensor<i32>, %arg3: tensor<i32> {tf.aliasing_output = 2 : i32}) -> (tensor<4xf32>, tensor<4xf32>, tensor<i32> {jax.result_info = "a"}) {
    %0 = stablehlo.add %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
    %1:2 = stablehlo.custom_call @f(%0) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>)
    %2 = stablehlo.optimization_barrier %arg2 : tensor<i32>
    return %1#0, %0, %2 : tensor<4xf32>, tensor<4xf32>, tensor<i32>
  }
}
// -----
// weft opt --weft-flatten
// A future that a function gives, or @main, or that is in a tuple, is what it holds.
func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, !stablehlo.future<tensor<4xf32>>, tuple<!stablehlo.future<tensor<4xf32>>, tensor<4xf32>>) {
  %0 = call @start(%a) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
  %2 = call @start(%1) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  %3 = stablehlo.tuple %2, %1 : tuple<!stablehlo.future<tensor<4xf32>>, tensor<4xf32>>
  return %1, %2, %3 : tensor<4xf32>, !stablehlo.future<tensor<4xf32>>, tuple<!stablehlo.future<tensor<4xf32>>, tensor<4xf32>>
}
func.func private @start(%a: tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>> {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<4xf32>):
    %1 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  return %0 : !stablehlo.future<tensor<4xf32>>
}
// ==>
module {
  func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %0 = call @start(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = call @start(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %0, %1, %1, %0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func private @start(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
