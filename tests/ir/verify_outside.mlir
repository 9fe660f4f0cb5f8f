// What the verifier says of ops that reach outside of a program: tokens, channels, futures, custom calls. Each case is a module that is
// read alone; "error" gives line, column and message.

// -----
// error 3:10 'stablehlo.infeed': layout has 1 entries for 2 values
func.func @f(%t: !stablehlo.token) {
  %0:3 = "stablehlo.infeed"(%t) <{layout = [[0, 1]]}> : (!stablehlo.token) -> (tensor<3x3xi32>, tensor<i1>, !stablehlo.token)
  return
}

// -----
// error 3:10 'stablehlo.infeed': layout entry 0 is not a list
func.func @f(%t: !stablehlo.token) {
  %0:2 = "stablehlo.infeed"(%t) <{layout = [7]}> : (!stablehlo.token) -> (tensor<3x3xi32>, !stablehlo.token)
  return
}

// -----
// error 3:10 'stablehlo.infeed': layout entry 0 holds something else than integers
func.func @f(%t: !stablehlo.token) {
  %0:2 = "stablehlo.infeed"(%t) <{layout = [["x"]]}> : (!stablehlo.token) -> (tensor<3x3xi32>, !stablehlo.token)
  return
}

// -----
// error 3:10 'stablehlo.infeed': result 0 has type '!stablehlo.token', expected a tensor
func.func @f(%t: !stablehlo.token) {
  %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}

// -----
// error 3:10 'stablehlo.infeed': result 0 has type 'tensor<?xi32>', expected a static shape
func.func @f(%t: !stablehlo.token) {
  %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<?xi32>, !stablehlo.token)
  return
}

// -----
// error 3:10 'stablehlo.infeed': result 1 has type 'tensor<2xi32>', expected '!stablehlo.token'
func.func @f(%t: !stablehlo.token) {
  %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2xi32>, tensor<2xi32>)
  return
}

// -----
// error 3:8 'stablehlo.outfeed': operand 0 has type '!stablehlo.token', expected a tensor
func.func @f(%t: !stablehlo.token) {
  %0 = "stablehlo.outfeed"(%t, %t) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
  return
}

// -----
// error 3:8 'stablehlo.send': channel_handle has type 2, expected 1, DEVICE_TO_DEVICE, where is_host_transfer is false
func.func @f(%a: tensor<2xf32>, %t: !stablehlo.token) {
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----
// error 3:8 'stablehlo.send': channel_handle has type 1, expected 2, DEVICE_TO_HOST, where is_host_transfer is true
func.func @f(%a: tensor<2xf32>, %t: !stablehlo.token) {
  %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = true}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----
// error 3:10 'stablehlo.recv': channel_handle has type 2, expected 3, HOST_TO_DEVICE, where is_host_transfer is true
func.func @f(%t: !stablehlo.token) {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----
// error 3:10 'stablehlo.recv': result 0 has type '!stablehlo.token', expected a tensor
func.func @f(%t: !stablehlo.token) {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}

// -----
// error 2:40 a future is one of ranked tensors
func.func private @f(!stablehlo.future<f32>)

// -----
// error 2:22 unknown type '!stablehlo.promise'
func.func private @f(!stablehlo.promise)

// -----
// error 3:8 'stablehlo.async_start': region 0 has 'stablehlo.negate', expected a collective or a slice
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<4xf32>):
    %1 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  return
}

// -----
// error 3:8 'stablehlo.async_start': region 0 has not exactly one op before its return
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<4xf32>):
    %1 = stablehlo.slice %x [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    %2 = stablehlo.slice %1 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    stablehlo.return %2 : tensor<1xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<1xf32>>
  return
}

// -----
// error 3:8 'stablehlo.async_start': region 0 argument 0 has type 'tensor<4xi32>', expected 'tensor<4xf32>'
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<4xi32>):
    %1 = stablehlo.slice %x [0:2] : (tensor<4xi32>) -> tensor<2xi32>
    stablehlo.return %1 : tensor<2xi32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xi32>>
  return
}

// -----
// error 3:8 'stablehlo.async_start': result 0 has type '!stablehlo.future<tensor<4xf32>>', expected '!stablehlo.future<tensor<2xf32>>'
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<4xf32>):
    %1 = stablehlo.slice %x [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  return
}

// -----
// error 3:8 'stablehlo.async_done': result 0 has type 'tensor<4xi32>', expected 'tensor<4xf32>'
func.func @f(%a: !stablehlo.future<tensor<4xf32>>) {
  %0 = "stablehlo.async_done"(%a) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xi32>
  return
}

// -----
// error 3:8 'stablehlo.async_done': operand 0 has type 'tensor<4xf32>', expected a future of one tensor
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.async_done"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
// error 3:8 'stablehlo.optimization_barrier': operand 0 has type 'tuple<tensor<4xf32>>', expected a tensor
func.func @f(%a: tuple<tensor<4xf32>>) {
  %0 = "stablehlo.optimization_barrier"(%a) : (tuple<tensor<4xf32>>) -> tuple<tensor<4xf32>>
  return
}

// -----
// error 3:8 'stablehlo.custom_call': operand_layouts and result_layouts are given only together
func.func @f(%a: tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @t(%a) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.custom_call': result_layouts has 0 entries for 1 results
func.func @f(%a: tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @t(%a) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = []} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.custom_call': operand_layouts entry 0 does not list the dimensions of 'tensor<2x3xf32>'
func.func @f(%a: tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @t(%a) {operand_layouts = [dense<[1, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.custom_call': result_layouts entry 0 does not list the dimensions of 'tensor<2x3xf32>'
func.func @f(%a: tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @t(%a) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[0]> : tensor<1xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.custom_call': operand_layouts entry 0 has 1 dimensions, but '!stablehlo.token' has no layout
func.func @f(%t: !stablehlo.token) {
  %0 = stablehlo.custom_call @t(%t) {operand_layouts = [dense<[0]> : tensor<1xindex>], result_layouts = [dense<> : tensor<0xindex>]} : (!stablehlo.token) -> !stablehlo.token
  return
}

// -----
// error 3:8 'stablehlo.custom_call': operand_layouts entry 0 is of a tuple, which has no layout
func.func @f(%a: tuple<tensor<2xf32>>) {
  %0 = stablehlo.custom_call @t(%a) {operand_layouts = [dense<[0]> : tensor<1xindex>], result_layouts = [dense<[0]> : tensor<1xindex>]} : (tuple<tensor<2xf32>>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.custom_call': output_operand_aliases entry 0 has operand_index 1, but there are 1 operands
func.func @f(%a: tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @t(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.custom_call': output_operand_aliases entry 0: output_tuple_indices [0] lead nowhere
func.func @f(%a: tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @t(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:8 'stablehlo.custom_call': output_operand_aliases entry 0: operand_tuple_indices [2] lead nowhere
func.func @f(%a: tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @t(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = [2]>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
// error 3:10 'stablehlo.custom_call': output_operand_aliases entry 0: the operand's part is 'tensor<2x3xf32>', the output's 'tensor<3x2xf32>'
func.func @f(%a: tensor<2x3xf32>) {
  %0:2 = stablehlo.custom_call @t(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3x2xf32>)
  return
}

// -----
// error 3:8 'stablehlo.custom_call': backend_config is not a dictionary, which API_VERSION_TYPED_FFI takes
func.func @f(%a: tensor<2xf32>) {
  %0 = stablehlo.custom_call @t(%a) {api_version = 4 : i32, backend_config = "text"} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.custom_call': backend_config is not a string, which API_VERSION_STATUS_RETURNING takes
func.func @f(%a: tensor<2xf32>) {
  %0 = stablehlo.custom_call @t(%a) {api_version = 2 : i32, backend_config = {k = 1 : i64}} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.all_reduce': replica_groups is empty, which use_global_device_ids does not allow
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<> : tensor<0x0xi64>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
// error 3:8 'stablehlo.all_gather': result 0 has type 'tensor<4x6xf32>', expected a multiple of 4 in dimension 1
func.func @f(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x6xf32>
  return
}

// -----
// ok: groups of two replicas, each with two partitions
func.func @f(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x8xf32>
  return
}
