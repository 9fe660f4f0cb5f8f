// says: 4:8: error: .sdy.manual_computation. op operand shape
// says: 3:17: help: operand 0 comes sharded as <@mesh, \[{"x"}, {}\]>, and the region takes it as <@mesh, \[{"x"}, {}\]>
// says: help: operand 0 is 'tensor<16x8xf32>' outside; .* is 'tensor<4x8xf32>': make the region's argument that, or change the sharding
sdy.mesh @mesh = <["x"=4, "y"=2]>

func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%l: tensor<16x8xf32>) {
    %1 = stablehlo.tanh %l : tensor<16x8xf32>
    sdy.return %1 : tensor<16x8xf32>
  } : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
// -----
// says: 4:8: error: .sdy.manual_computation. op result shape
// says: under out_shardings <@mesh, \[{}, {"x"}\]> along manual_axes={"x"} is 'tensor<16x2xf32>': return that, or change the sharding
sdy.mesh @mesh = <["x"=4, "y"=2]>

func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {"x"}]>] manual_axes={"x"} (%l: tensor<4x8xf32>) {
    %1 = stablehlo.tanh %l : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
// -----
// says: 4:8: error: .* dimension size 10 is not divisible by the manual axes size 4
// says: help: dimension 0 of .tensor<10x8xf32>. sharded as <@mesh, \[{"x"}, {}\]> has no even parts: shard another dimension, or pad this one to 12 first
sdy.mesh @mesh = <["x"=4, "y"=2]>

func.func @main(%a: tensor<10x8xf32>) -> tensor<10x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%l: tensor<3x8xf32>) {
    %1 = stablehlo.tanh %l : tensor<3x8xf32>
    sdy.return %1 : tensor<3x8xf32>
  } : (tensor<10x8xf32>) -> tensor<10x8xf32>
  return %0 : tensor<10x8xf32>
}
// -----
// says: 5:10: error: .sdy.sharding_constraint. op operates on axis "x" which is already bound
// says: 4:8: note: parent
// says: help: inside, values are one device.s part along "x" already: leave it out
sdy.mesh @mesh = <["x"=4, "y"=2]>

func.func @main(%a: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%l: tensor<4x8xf32>) {
    %1 = sdy.sharding_constraint %l <@mesh, [{}, {"x"}]> : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
// -----
// says: 4:8: error: .sdy.manual_computation. op result shape
// says: under out_shardings <@mesh, \[{}, {}\]>
sdy.mesh @mesh = <["x"=4, "y"=2]>

func.func @main(%a: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%l: tensor<4x8xf32>) {
    %1 = stablehlo.tanh %l : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
// -----
// says: 5:8: error: a manual computation over @m2, whose manual axes are parts of axes of @m1
sdy.mesh @m1 = <["x"=8]>
sdy.mesh @m2 = <["x"=4, "y"=2]>

func.func @main(%a: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@m1, [{"x"}, {}]>}) -> tensor<24x24xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m2, [{"x"}, {}]>] out_shardings=[<@m2, [{"x"}, {}]>] manual_axes={"x"} (%l: tensor<6x24xf32>) {
    %1 = stablehlo.tanh %l : tensor<6x24xf32>
    sdy.return %1 : tensor<6x24xf32>
  } : (tensor<24x24xf32>) -> tensor<24x24xf32>
  return %0 : tensor<24x24xf32>
}
// -----
// says: 4:89: error: shardings over two meshes of different devices in one program: @m2 with 8 and @m1 with 4
// says: note: here something is sharded as <@m2, \[{}, {"x"}\]>
// says: 4:17: note: and here as <@m1, \[{"x"}, {}\]>
// says: help: write all shardings over one mesh
sdy.mesh @m1 = <["x"=4]>
sdy.mesh @m2 = <["x"=8]>

func.func @main(%a: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@m1, [{"x"}, {}]>}, %b: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@m2, [{}, {"x"}]>}) -> tensor<24x24xf32> {
  %0 = stablehlo.add %a, %b : tensor<24x24xf32>
  return %0 : tensor<24x24xf32>
}
// -----
// says: error: values left unreduced by max or min cannot be partitioned; only sums can: <@mesh, \[{}\], unreduced=max{"x"}>
// says: help: take unreduced=
sdy.mesh @mesh = <["x"=4, "y"=2]>

func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8xf32> {
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %m = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced=max{"x"}>]>} : (tensor<16x8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// -----
// says: 4:8: error: .stablehlo.all_reduce.: replica_groups leaves out id 1
sdy.mesh @mesh = <["x"=4, "y"=2]>

func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x8xf32> {
  %0 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 9]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %r = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %r : tensor<f32>
  }) : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
// -----
// says: 4:8: error: .sdy.all_gather. op can.t apply gathering axis "y"
// says: 3:17: help: the operand has <@mesh, \[{"x"}, {}\]>
// says: help: out_sharding is <@mesh, \[{}, {}\]>, but has to be the operand.s without the gathered axes
sdy.mesh @mesh = <["x"=4, "y"=2]>

func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_gather [{"y"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
// -----
// says: 5:3: error: ShardingGroupOps values must have the same shape
// says: help: .tensor<16x8xf32>. here
sdy.mesh @mesh = <["x"=4, "y"=2]>

func.func @main(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>) -> tensor<16x8xf32> {
  sdy.sharding_group %a group_id=0 : tensor<16x8xf32>
  sdy.sharding_group %b group_id=0 : tensor<8x16xf32>
  return %a : tensor<16x8xf32>
}
// -----
// says: 5:10: error: .stablehlo.while. op result shardings don.t match number of values: 1 shardings vs 2 values
sdy.mesh @mesh = <["x"=4, "y"=2]>

func.func @main(%a: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c, %v = %a) : tensor<i32>, tensor<16x8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %o = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %o : tensor<i32>
    %w = stablehlo.tanh %v : tensor<16x8xf32>
    stablehlo.return %j, %w : tensor<i32>, tensor<16x8xf32>
  }
  return %0#1 : tensor<16x8xf32>
}
// -----
// says: 4:8: error: .sdy.reduce_scatter. op result sharding doesn.t match
// says: 3:17: help: the operand has <@mesh, \[{"x"}, {}\]>
// says: help: out_sharding is <@mesh, \[{"x"}, {}\]>, but has to be
sdy.mesh @mesh = <["x"=4, "y"=2]>

func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.reduce_scatter [{"x"}, {}] %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
// -----
// says: 5:10: error: .sdy.manual_computation. op operand shape
// says: help: operand 0 comes sharded as <@mesh, \[{}, {}\]>, and the region takes it as <@mesh, \[{"y"}, {}\]>
// says: is 'tensor<2x8xf32>': make the region's argument that
sdy.mesh @mesh = <["x"=4, "y"=2]>

func.func @main(%a: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%l: tensor<4x8xf32>) {
    %1 = sdy.manual_computation(%l) in_shardings=[<@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{"y"}, {}]>] manual_axes={"y"} (%k: tensor<4x8xf32>) {
      %2 = stablehlo.tanh %k : tensor<4x8xf32>
      sdy.return %2 : tensor<4x8xf32>
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
// -----
// says: 5:8: error: .stablehlo.tanh. cannot leave a partial sum, but result 0 is to be <@mesh, \[{}, {}\], unreduced={"x"}>
// says: 4:8: note: operand 0 is <@mesh, \[{}, {}\], unreduced={"x"}>
// says: help: only what is linear
sdy.mesh @mesh = <["x"=4, "y"=2]>

func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x8xf32> {
  %s = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %0 = stablehlo.tanh %s {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
// -----
// says: 4:8: error: .sdy.all_to_all. op can.t apply all-to-all axis "x" to operand sharding on dimension 1
// says: help: the operand has <@mesh, \[{"x"}, {}\]>
// says: help: out_sharding is <@mesh, \[{"x"}, {}\]>, but here axes leave the end of the source dimension
sdy.mesh @mesh = <["x"=4, "y"=2]>

func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_to_all [{"x"}: 1->0] %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
// -----
// says: 5:10: error: .stablehlo.all_gather.: result 0 has type .tensor<16x8xf32>., expected .tensor<32x8xf32>.
sdy.mesh @mesh = <["x"=4, "y"=2]>

func.func @main(%a: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%l: tensor<4x8xf32>) {
    %1 = "stablehlo.all_gather"(%l) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<16x8xf32>
    %2 = stablehlo.slice %1 [0:4, 0:8] : (tensor<16x8xf32>) -> tensor<4x8xf32>
    sdy.return %2 : tensor<4x8xf32>
  } : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
// -----
// says: 4:8: error: .*unknown axis name: "z"
// says: help: the sharding: <@mesh, \[{"x"}, {"z"}\]>; its mesh: #sdy.mesh<\["x"=4, "y"=2\]>
sdy.mesh @mesh = <["x"=4, "y"=2]>

func.func @main(%a: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"z"}]>]>} : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
// -----
// says: error: .*duplicate axis ref: "x"
// says: help: the sharding: <@mesh, \[{"x"}, {"x", ?}\]>; its mesh
sdy.mesh @mesh = <["x"=4, "y"=2]>

func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"x", ?}]>}) -> tensor<16x8xf32> {
  return %a : tensor<16x8xf32>
}
// -----
// says: 2:8: error: 'stablehlo.transpose': result 0 has type .* (at "transpose.3")
func.func @main(%a: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<16x8xf32> loc("transpose.3")
  return %0 : tensor<16x8xf32>
}
// -----
// says: 2:8: error: 'stablehlo.transpose': result 0 has type .*, expected 'tensor<8x16xf32>'$
func.func @main(%a: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<16x8xf32> loc(#loc)
  return %0 : tensor<16x8xf32>
}
#loc = loc(unknown)
