// What the verifier lets pass: the corners of the rules. Each case is a module that is read alone.

// -----
// ok: dynamic dimensions agree with anything
func.func @f(%a: tensor<?x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "stablehlo.transpose"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<?x3xf32>) -> tensor<3x2xf32>
  %2 = "stablehlo.reshape"(%a) : (tensor<?x3xf32>) -> tensor<6xf32>
  return %0 : tensor<2x3xf32>
}

// -----
// ok: empty tensors, and scalars
func.func @f(%a: tensor<0x3xf32>, %s: tensor<f32>, %z: tensor<f32>) {
  %0 = "stablehlo.reshape"(%a) : (tensor<0x3xf32>) -> tensor<3x0xf32>
  %1 = "stablehlo.slice"(%a) <{start_indices = array<i64: 0, 3>, limit_indices = array<i64: 0, 3>, strides = array<i64: 1, 5>}> : (tensor<0x3xf32>) -> tensor<0x0xf32>
  %2 = "stablehlo.pad"(%a, %z) <{edge_padding_low = array<i64: 2, -1>, edge_padding_high = array<i64: 0, -2>, interior_padding = array<i64: 7, 0>}> : (tensor<0x3xf32>, tensor<f32>) -> tensor<2x0xf32>
  %3 = "stablehlo.broadcast_in_dim"(%s) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
  %4 = "stablehlo.dot_general"(%s, %z) <{dot_dimension_numbers = #stablehlo.dot<>}> : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %5 = "stablehlo.transpose"(%s) <{permutation = array<i64>}> : (tensor<f32>) -> tensor<f32>
  return
}

// -----
// ok: a predicate may be a scalar; so may the limits of a clamp
func.func @f(%p: tensor<i1>, %a: tensor<4xf32>, %l: tensor<f32>) {
  %0 = "stablehlo.select"(%p, %a, %a) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.clamp"(%l, %a, %l) : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----
// ok: bits of wide elements in narrow ones and back
func.func @f(%a: tensor<2xf32>, %b: tensor<2x4xi8>) {
  %0 = "stablehlo.bitcast_convert"(%a) : (tensor<2xf32>) -> tensor<2xi32>
  %1 = "stablehlo.bitcast_convert"(%a) : (tensor<2xf32>) -> tensor<2x2xf16>
  %2 = "stablehlo.bitcast_convert"(%b) : (tensor<2x4xi8>) -> tensor<2xf32>
  return
}

// -----
// ok: sums in a wider type than the operands
func.func @f(%a: tensor<2x3xbf16>, %b: tensor<3x5xbf16>, %z: tensor<bf16>) {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xbf16>, tensor<3x5xbf16>) -> tensor<2x5xf32>
  %1 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<2xf32>
  return
}

// -----
// ok: several inputs are reduced together
func.func @f(%a: tensor<4x5xf32>, %i: tensor<4x5xi32>, %z: tensor<f32>, %k: tensor<i32>) {
  %0:2 = "stablehlo.reduce"(%a, %i, %z, %k) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>, %u: tensor<i32>, %y: tensor<f32>, %v: tensor<i32>):
    "stablehlo.return"(%y, %u) : (tensor<f32>, tensor<i32>) -> ()
  }) : (tensor<4x5xf32>, tensor<4x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
  return
}

// -----
// ok: a loop's regions see what is outside
func.func @f(%a: tensor<i32>, %n: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<i32>):
    %c = "stablehlo.compare"(%x, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<i32>):
    %s = "stablehlo.add"(%x, %n) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%s) : (tensor<i32>) -> ()
  }) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----
// ok: functions call what comes later; declarations have no body; a call need not return
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @g(%a) : (tensor<2xf32>) -> tensor<2xf32>
  call @h() : () -> ()
  return %0 : tensor<2xf32>
}
func.func private @g(%a: tensor<2xf32>) -> tensor<2xf32> {
  call @h() : () -> ()
  return %a : tensor<2xf32>
}
func.func private @h()

// -----
// ok: shardings need not divide, may split axes, and may be of a mesh in another order
sdy.mesh @mesh = <["x"=2, "y"=4, "z"=1]>
sdy.mesh @turned = <["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>
sdy.mesh @one = <[], device_ids=[5]>
func.func @f(%a: tensor<7x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)2, "x", ?}p2, {"y":(1)2}p0], replicated={"z"}>},
             %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@turned, [{?}], unreduced={"x", "y"}>},
             %t: !stablehlo.token {sdy.sharding = #sdy.sharding<@one, []>}) -> (tensor<7x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}) {
  %0 = stablehlo.custom_call @g(%a) {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<7x3xf32>) -> tensor<7x3xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"z", "x"}, {?}]> : tensor<7x3xf32>
  return %1 : tensor<7x3xf32>
}

// -----
// ok: collectives of sdy that turn one sharding into the next
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.all_gather [{"y":(2)2}, {}] %a out_sharding=<@mesh, [{"x", "y":(1)2}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_to_all [{"y":(1)2}: 0->1] %0 out_sharding=<@mesh, [{"x"}, {"y":(1)2}]> : tensor<8x8xf32>
  %2 = sdy.all_slice [{}, {"y":(2)2}] %1 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
  %3 = sdy.all_gather [{"x"}, {"y"}] %2 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %4 = sdy.all_reduce {"x", "y"} %3 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}

// -----
// ok: manual axes divide the body's shapes, free axes do not
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x", "y"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
    %1 = sdy.sharding_constraint %b <@mesh, [{"y"}, {}]> : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----
// ok: what axes of a mesh come to is asked where the program is compiled
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">]>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids}> : (tensor<8x8xf32>) -> tensor<8x16xf32>
  %1 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">]>}> : (tensor<8x8xf32>) -> tensor<4x16xf32>
  return
}

// -----
// ok: groups by mesh axes, and groups of different sizes for a sum
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">]>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids}> : (tensor<8x8xf32>) -> tensor<8x32xf32>
  %1 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----
// ok: windows with padding, strides and dilations
func.func @f(%a: tensor<1x8x8x4xf32>, %k: tensor<3x3x2x6xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.convolution"(%a, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, feature_group_count = 2 : i64, batch_group_count = 1 : i64}> : (tensor<1x8x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<1x8x6x6xf32>
  %1 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>, base_dilations = array<i64: 1, 2, 1, 1>, window_dilations = array<i64: 1, 1, 3, 1>, padding = dense<[[0, 0], [1, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.maximum"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<1x8x8x4xf32>, tensor<f32>) -> tensor<1x8x3x4xf32>
  return
}

// -----
// ok: transforms between real and complex
func.func @f(%a: tensor<3x8xf32>, %b: tensor<3x5xcomplex<f64>>, %c: tensor<4x0xf32>) {
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>}> : (tensor<3x8xf32>) -> tensor<3x5xcomplex<f32>>
  %1 = "stablehlo.fft"(%b) <{fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 9>}> : (tensor<3x5xcomplex<f64>>) -> tensor<3x9xf64>
  %2 = "stablehlo.fft"(%c) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 0>}> : (tensor<4x0xf32>) -> tensor<4x0xcomplex<f32>>
  return
}

// -----
// ok: CHLO broadcasts as NumPy does, or by the dimensions given
func.func @f(%a: tensor<2x1x3xf32>, %b: tensor<4x1xf32>, %c: tensor<2xf32>, %d: tensor<2x3xf32>) {
  %0 = "chlo.broadcast_add"(%a, %b) : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  %1 = "chlo.broadcast_multiply"(%c, %d) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2:2 = "chlo.top_k"(%d) <{k = 2 : i64}> : (tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  return
}

// -----
// ok: an operand without a sharding is replicated for a slice, a sum and a sum that is scattered
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%a: tensor<8x8xf32>) {
  %0 = sdy.all_slice [{"x"}, {}] %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_reduce {"x"} %a out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %2 = sdy.reduce_scatter [{}, {"y"}] %a out_sharding=<@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  return
}

// -----
// ok: groups have any number before sdy-sharding-group-import gives them theirs
func.func @f(%a: tensor<8xf32>) {
  sdy.sharding_group %a group_id=-1 : tensor<8xf32>
  return
}
