// weft opt --weft-import-gspmd
// Arguments, results and ops. One mesh has the common factors of all grids, whatever order their digits have; other attributes stay.
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,2,2]<=[8] last_tile_dim_replicate}"}, %b: tensor<8x8xf32> {jax.buffer_donor = true, mhlo.sharding = "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dims={replicated}}"}, %c: tensor<4xf32> {mhlo.sharding = "{replicated}"}, %d: tensor<8xf32> {mhlo.sharding = "{devices=[8]0,4,1,5,2,6,3,7}"}) -> (tensor<8x8xf32> {mhlo.sharding = "{devices=[1,8]<=[8] metadata={op_name=\22a{b}\22}}"}, tensor<8xf32> {mhlo.sharding = "{unreduced}"}, tensor<4xf32> {mhlo.sharding = "{unknown}"}, tensor<8xf32> {mhlo.sharding = "{devices=[4,2]<=[8] last_tile_dims={unreduced}}"}) {
    %0 = stablehlo.add %a, %b {mhlo.sharding = "{devices=[4,2]<=[8]}"} : tensor<8x8xf32>
    %1 = stablehlo.negate %d {mhlo.sharding = "{maximal device=3}"} : tensor<8xf32>
    return %0, %1, %c, %d : tensor<8x8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<8xf32>
  }
}
// ==>
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["axis_0"=2, "axis_1"=2, "axis_2"=2]>
  sdy.mesh @maximal_mesh_3 = <[], device_ids=[3]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_0"}, {"axis_1"}]>}, %arg1: tensor<8x8xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"axis_2"}, {}]>}, %arg2: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg3: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_1", "axis_2", "axis_0"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"axis_0", "axis_1", "axis_2"}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"axis_0", "axis_1", "axis_2"}>}, tensor<4xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_0", "axis_1"}], unreduced={"axis_2"}>}) {
    %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"axis_0", "axis_1"}, {"axis_2"}]>]>} : tensor<8x8xf32>
    %1 = stablehlo.negate %arg3 {sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_3, []>]>} : tensor<8xf32>
    return %0, %1, %arg2, %arg3 : tensor<8x8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<8xf32>
  }
}
// -----
// weft opt --weft-import-gspmd
// Cuts that do not divide each other need two meshes. An order of devices that no digits say is a mesh's own, over which others are digits again.
func.func @main(%a: tensor<6x12xf32> {mhlo.sharding = "{devices=[2,3]<=[6]}"}, %b: tensor<6x12xf32> {mhlo.sharding = "{devices=[3,2]<=[6]}"}, %c: tensor<6x12xf32> {mhlo.sharding = "{devices=[6,1]5,0,4,1,3,2}"}, %d: tensor<6x12xf32> {mhlo.sharding = "{devices=[1,3,2]5,0,4,1,3,2 last_tile_dim_replicate}"}) -> tensor<6x12xf32> {
  return %a : tensor<6x12xf32>
}
// ==>
module {
  sdy.mesh @mesh = <["axis_0"=2, "axis_1"=3]>
  sdy.mesh @mesh_0 = <["axis_0"=3, "axis_1"=2]>
  sdy.mesh @mesh_1 = <["axis_0"=3, "axis_1"=2], device_ids=[5, 0, 4, 1, 3, 2]>
  func.func @main(%arg0: tensor<6x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_0"}, {"axis_1"}]>}, %arg1: tensor<6x12xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"axis_0"}, {"axis_1"}]>}, %arg2: tensor<6x12xf32> {sdy.sharding = #sdy.sharding<@mesh_1, [{"axis_0", "axis_1"}, {}]>}, %arg3: tensor<6x12xf32> {sdy.sharding = #sdy.sharding<@mesh_1, [{}, {"axis_0"}]>}) -> tensor<6x12xf32> {
    return %arg0 : tensor<6x12xf32>
  }
}
// -----
// weft opt --weft-import-gspmd
// Results of one op: a tuple of shardings. A sharding of sdy's stays, and the name of its mesh is taken.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4x4xf32> {mhlo.sharding = "{devices=[4,1]<=[4]}", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %s: tensor<2xui64>) -> tensor<8xui32> {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY {mhlo.sharding = "{{replicated}, {devices=[2]<=[2]}}"} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
  return %1 : tensor<8xui32>
}
// ==>
module {
  sdy.mesh @mesh_0 = <["axis_0"=2]>
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<2xui64>) -> tensor<8xui32> {
    %output_state, %output = stablehlo.rng_bit_generator %arg1, algorithm = THREE_FRY {sdy.sharding = #sdy.sharding_per_value<[<@mesh_0, [{}]>, <@mesh_0, [{"axis_0"}]>]>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
    return %output : tensor<8xui32>
  }
}
// -----
// weft opt --weft-import-gspmd
// Constraints: closed, open where the call leaves dimensions to others, left out where nothing is said; and groups.
func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.custom_call @Sharding(%a) {backend_config = "", mhlo.sharding = "{devices=[2,2]<=[4]}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.custom_call @Sharding(%0) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.custom_call @Sharding(%1) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{replicated}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{replicated}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = stablehlo.custom_call @Sharding(%3) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{replicated shard_as 5}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = stablehlo.custom_call @Sharding(%b) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{replicated shard_like 5}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %4, %5 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
// ==>
module {
  sdy.mesh @mesh = <["axis_0"=2, "axis_1"=2]>
  func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"axis_0"}, {"axis_1"}]> : tensor<8x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"axis_0"}, {?}]> : tensor<8x8xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}, {}]> : tensor<8x8xf32>
    sdy.sharding_group %2 group_id=5 : tensor<8x8xf32>
    sdy.sharding_group %arg1 group_id=5 : tensor<8x8xf32>
    return %0, %2, %arg1 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// -----
// weft opt --weft-import-gspmd
// A manual computation over all axes, with a constant that is read inside and outside, and the device's number, read inside only.
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<8x4xf32> {mhlo.sharding = "{devices=[2,2]<=[4]}"}) -> (tensor<8x4xf32>, tensor<8xf32>) {
    %c = stablehlo.constant dense<2.0> : tensor<f32>
    %id = stablehlo.partition_id : tensor<ui32>
    %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[2,2]<=[4]}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8x4xf32>) -> tensor<4x2xf32>
    %2 = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>
    %3 = stablehlo.multiply %2, %c : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
    %5 = stablehlo.add %1, %4 : tensor<4x2xf32>
    %6 = stablehlo.custom_call @Sharding(%5) {mhlo.sharding = "{manual}"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %7 = stablehlo.custom_call @SPMDShardToFullShape(%6) {mhlo.sharding = "{devices=[2,2]<=[4]}"} : (tensor<4x2xf32>) -> tensor<8x4xf32>
    %8 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<8xf32>
    return %7, %8 : tensor<8x4xf32>, tensor<8xf32>
  }
}
// ==>
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["axis_0"=2, "axis_1"=2]>
  func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_0"}, {"axis_1"}]>}) -> (tensor<8x4xf32>, tensor<8xf32>) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"axis_0"}, {"axis_1"}]>] out_shardings=[<@mesh, [{"axis_0"}, {"axis_1"}]>] manual_axes={"axis_0", "axis_1"} (%arg1: tensor<4x2xf32>) {
      %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %2 = stablehlo.partition_id : tensor<ui32>
      %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<f32>
      %4 = stablehlo.multiply %3, %cst_0 : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
      %6 = stablehlo.add %arg1, %5 : tensor<4x2xf32>
      sdy.return %6 : tensor<4x2xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    return %0, %1 : tensor<8x4xf32>, tensor<8xf32>
  }
}
// -----
// weft opt --weft-import-gspmd
// One over some axes, in a loop, its body a function; what the others do is open. A constraint inside is over the others.
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(%a: tensor<8x8xf32>, %n: tensor<i32>) -> tensor<8x8xf32> {
    %0:2 = stablehlo.while(%x = %a, %i = %n) : tensor<8x8xf32>, tensor<i32>
    cond {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %1 = stablehlo.compare GT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c = stablehlo.constant dense<-1> : tensor<i32>
      %1 = stablehlo.custom_call @Sharding(%x) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
      %2 = stablehlo.custom_call @SPMDFullToShardShape(%1) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<8x8xf32>) -> tensor<2x8xf32>
      %3 = func.call @body(%2) : (tensor<2x8xf32>) -> tensor<2x8xf32>
      %4 = stablehlo.custom_call @Sharding(%3) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
      %5 = stablehlo.custom_call @SPMDShardToFullShape(%4) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"} : (tensor<2x8xf32>) -> tensor<8x8xf32>
      %6 = stablehlo.add %i, %c : tensor<i32>
      stablehlo.return %5, %6 : tensor<8x8xf32>, tensor<i32>
    }
    return %0#0 : tensor<8x8xf32>
  }
  func.func private @body(%a: tensor<2x8xf32>) -> tensor<2x8xf32> {
    %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dims={manual}}"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    return %0 : tensor<2x8xf32>
  }
}
// ==>
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["axis_0"=4, "axis_1"=2]>
  func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<i32>) -> tensor<8x8xf32> {
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<8x8xf32>, tensor<i32>
    cond {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %1 = stablehlo.compare GT, %iterArg_0, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c = stablehlo.constant dense<-1> : tensor<i32>
      %1 = sdy.manual_computation(%iterArg) in_shardings=[<@mesh, [{"axis_0"}, {?}]>] out_shardings=[<@mesh, [{"axis_0"}, {?}]>] manual_axes={"axis_0"} (%arg2: tensor<2x8xf32>) {
        %3 = func.call @body(%arg2) : (tensor<2x8xf32>) -> tensor<2x8xf32>
        %4 = sdy.sharding_constraint %3 <@mesh, [{}, {?}]> : tensor<2x8xf32>
        sdy.return %4 : tensor<2x8xf32>
      } : (tensor<8x8xf32>) -> tensor<8x8xf32>
      %2 = stablehlo.add %iterArg_0, %c : tensor<i32>
      stablehlo.return %1, %2 : tensor<8x8xf32>, tensor<i32>
    }
    return %0#0 : tensor<8x8xf32>
  }
  func.func private @body(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {"axis_1"}]> : tensor<2x8xf32>
    return %0 : tensor<2x8xf32>
  }
}
// -----
// weft opt --weft-import-gspmd
// One that takes nothing and gives two results of one call, and one after it that takes these.
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main() -> tensor<4xi32> {
    %0:2 = call @body() : () -> (tensor<2xi32>, tensor<2xi32>)
    %1 = stablehlo.custom_call @Sharding(%0#0) {mhlo.sharding = "{manual}"} : (tensor<2xi32>) -> tensor<2xi32>
    %2 = stablehlo.custom_call @SPMDShardToFullShape(%1) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<2xi32>) -> tensor<4xi32>
    %3 = stablehlo.custom_call @SPMDShardToFullShape(%0#1) {mhlo.sharding = "{replicated}"} : (tensor<2xi32>) -> tensor<2xi32>
    %4 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xi32>) -> tensor<4xi32>
    %5 = stablehlo.custom_call @SPMDFullToShardShape(%4) {mhlo.sharding = "{manual}"} : (tensor<4xi32>) -> tensor<2xi32>
    %6 = stablehlo.custom_call @SPMDFullToShardShape(%3) {mhlo.sharding = "{manual}"} : (tensor<2xi32>) -> tensor<2xi32>
    %7 = stablehlo.add %5, %6 : tensor<2xi32>
    %8 = stablehlo.custom_call @SPMDShardToFullShape(%7) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<2xi32>) -> tensor<4xi32>
    return %8 : tensor<4xi32>
  }
  func.func private @body() -> (tensor<2xi32>, tensor<2xi32>) {
    %0 = stablehlo.iota dim = 0 : tensor<2xi32>
    return %0, %0 : tensor<2xi32>, tensor<2xi32>
  }
}
// ==>
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["axis_0"=2]>
  func.func @main() -> tensor<4xi32> {
    %0:2 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{"axis_0"}]>, <@mesh, [{}]>] manual_axes={"axis_0"} () {
      %2:2 = func.call @body() : () -> (tensor<2xi32>, tensor<2xi32>)
      sdy.return %2#0, %2#1 : tensor<2xi32>, tensor<2xi32>
    } : () -> (tensor<4xi32>, tensor<2xi32>)
    %1 = sdy.manual_computation(%0#0, %0#1) in_shardings=[<@mesh, [{"axis_0"}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"axis_0"}]>] manual_axes={"axis_0"} (%arg0: tensor<2xi32>, %arg1: tensor<2xi32>) {
      %2 = stablehlo.add %arg0, %arg1 : tensor<2xi32>
      sdy.return %2 : tensor<2xi32>
    } : (tensor<4xi32>, tensor<2xi32>) -> tensor<4xi32>
    return %1 : tensor<4xi32>
  }
  func.func private @body() -> (tensor<2xi32>, tensor<2xi32>) {
    %0 = stablehlo.iota dim = 0 : tensor<2xi32>
    return %0, %0 : tensor<2xi32>, tensor<2xi32>
  }
}
// -----
// weft opt --weft-import-gspmd
// What names no device stays as it is.
func.func @main(%a: tensor<4xf32> {mhlo.sharding = "{replicated}"}) -> (tensor<4xf32> {mhlo.sharding = "{devices=[1]<=[1]}"}) {
  return %a : tensor<4xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<4xf32> {mhlo.sharding = "{replicated}"}) -> (tensor<4xf32> {mhlo.sharding = "{devices=[1]<=[1]}"}) {
    return %arg0 : tensor<4xf32>
  }
}
// -----
// weft opt --weft-import-gspmd
// Texts that name the axes of their mesh: as XLA writes them today, as it did first without quotes, and beside grids, which are parts of these axes. A mesh of all its devices is named where nothing is split.
func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=4], [{'y':(1)2}, {'x', ?}], replicated={'y':(2)2}}"}, %b: tensor<8x8xf32> {mhlo.sharding = "{mesh[x=2,y=4], replicated}"}, %c: tensor<8xf32> {mhlo.sharding = "{mesh[\22x\22=2,\22y\22=4], device_ids=([4,2]T(1,0)), [{\22x\22}], unreduced={\22y\22}, metadata={op_name=\22a\22}}"}, %d: tensor<f32> {mhlo.sharding = "{mesh[], replicated}"}) -> (tensor<8x8xf32> {mhlo.sharding = "{maximal_mesh[device_id=3]}"}, tensor<8x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=4], unreduced}"}) {
  %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[2,2,2]<=[8] last_tile_dim_replicate}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.add %0, %b {mhlo.sharding = "{{mesh['x'=2,'y'=4], [{'y':(2)2}, {'y':(1)2}]}}"} : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  sdy.mesh @mesh_0 = <["x"=2, "y"=4], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]>
  sdy.mesh @maximal_mesh_3 = <[], device_ids=[3]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2}, {"x", ?}], replicated={"y":(2)2}>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"x"}], unreduced={"y"}>}, %arg3: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@maximal_mesh_3, []>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {"y":(1)2}]> : tensor<8x8xf32>
    %1 = stablehlo.add %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y":(2)2}, {"y":(1)2}]>]>} : tensor<8x8xf32>
    return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// -----
// weft opt --weft-import-gspmd
// Manual computations whose axes the texts name.
func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=4], [{'x'}, {}]}"}) -> tensor<8x8xf32> {
  %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{mesh['x'=2,'y'=4], [{'x'}, {}]}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{mesh['x'=2,'y'=4], [{?}, {?}], manual={'x'}}"} : (tensor<8x8xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.add %1, %1 : tensor<4x8xf32>
  %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{mesh['x'=2,'y'=4], [{?}, {?}], manual={'x'}}"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {mhlo.sharding = "{mesh['x'=2,'y'=4], [{'x'}, {}]}"} : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
      %1 = stablehlo.add %arg1, %arg1 : tensor<4x8xf32>
      sdy.return %1 : tensor<4x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
// -----
// weft opt --weft-import-gspmd
// Partial sums and replicated axes are said in the order of the mesh, in whatever order the text has them.
func.func @main(%c: tensor<8xf32> {mhlo.sharding = "{mesh[x=2,y=4,z=2], [{z}], unreduced={y,x}}"}, %d: tensor<8xf32> {mhlo.sharding = "{mesh[x=2,y=4,z=2], [{z}], replicated={y:(2)2,y:(1)2}}"}, %e: tensor<8xf32> {mhlo.sharding = "{devices=[2,2,4]<=[4,2,2]T(2,1,0) last_tile_dims={unreduced,unreduced}}"}) -> (tensor<8xf32> ) {
  return %c : tensor<8xf32>
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}], unreduced={"x", "y"}>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}], replicated={"y"}>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}], unreduced={"x", "y"}>}) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
// -----
// weft opt --weft-import-gspmd
// A custom call that says of how many dimensions it is a batch has the rule that JAX writes for Shardy; one whose sizes are not alike has none.
func.func @main(%a: tensor<8x4x4xf32> {mhlo.sharding = "{devices=[2,1,1]<=[2]}"}, %b: tensor<8x4x2xf32>) -> (tensor<8x4x2xf32>, tensor<4xf32>) {
  %0 = stablehlo.custom_call @lapack_strsm_ffi(%a, %b) {mhlo.frontend_attributes = {num_batch_dims = "1"}} : (tensor<8x4x4xf32>, tensor<8x4x2xf32>) -> tensor<8x4x2xf32>
  %1 = stablehlo.custom_call @other(%a) {mhlo.frontend_attributes = {num_batch_dims = "1"}, mhlo.sharding = "{replicated}"} : (tensor<8x4x4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<8x4x2xf32>, tensor<4xf32>
}
// ==>
module {
  sdy.mesh @mesh = <["axis_0"=2]>
  func.func @main(%arg0: tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_0"}, {}, {}]>}, %arg1: tensor<8x4x2xf32>) -> (tensor<8x4x2xf32>, tensor<4xf32>) {
    %0 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %arg1) {mhlo.frontend_attributes = {num_batch_dims = "1"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=8, j=4, k=4, l=4, m=2, n=4, o=2}, custom>} : (tensor<8x4x4xf32>, tensor<8x4x2xf32>) -> tensor<8x4x2xf32>
    %1 = stablehlo.custom_call @other(%arg0) {mhlo.frontend_attributes = {num_batch_dims = "1"}, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8x4x4xf32>) -> tensor<4xf32>
    return %0, %1 : tensor<8x4x2xf32>, tensor<4xf32>
  }
}
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<4xf32> {mhlo.sharding = 3 : i32}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
// ==>
// error: :1:17: error: mhlo.sharding is not a string: it has no effect
// -----
// weft opt --weft-import-gspmd
// What is no text is gone the second time.
func.func @main(%a: tensor<4xf32> {mhlo.sharding = 3 : i32, my.note}) -> tensor<4xf32> {
  %0 = stablehlo.negate %a {mhlo.sharding = ["{replicated}"]} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<4xf32> {my.note}) -> tensor<4xf32> {
    %0 = stablehlo.negate %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=4], [{'z'}, {}]}"}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}
// ==>
// error: :1:17: error: the sharding .* cannot be read: it names an axis that its mesh does not have
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=4], [{'x'}, {'x'}]}"}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}
// ==>
// error: :1:17: error: the sharding .* cannot be read: it uses an axis twice
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=8], [{'y':(1)4}, {'y':(2)2}]}"}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}
// ==>
// error: :1:17: error: the sharding .* cannot be read: it uses an axis twice
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=4], [{'y':(3)2}, {}]}"}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}
// ==>
// error: :1:17: error: the sharding .* cannot be read: it has a part of an axis that is none
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=4], [{'y':(1)4}, {}]}"}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}
// ==>
// error: :1:17: error: the sharding .* cannot be read: it has a part of an axis that is none
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{mesh['x'=2,'x'=4], [{'x'}, {}]}"}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}
// ==>
// error: :1:17: error: the sharding .* cannot be read: its mesh has two axes of one name
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=0], [{'x'}, {}]}"}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}
// ==>
// error: :1:17: error: the sharding .* cannot be read: its number of devices is out of range
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=4], device_ids=(0,1,2,3,4,5,6,6), [{'x'}, {}]}"}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}
// ==>
// error: :1:17: error: the sharding .* cannot be read: it does not name every device from 0 once
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=4], [{'x'}]}"}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}
// ==>
// error: :1:17: error: the sharding .* cannot be read: it has another number of dimensions than the value
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2] last_tile_dims={replicated, manual}}"}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
// ==>
// error: :1:17: error: the sharding .* cannot be read: it gives uses for more dimensions than it has
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=4]}"}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}
// ==>
// error: :1:17: error: the sharding .* cannot be read: it is not written as
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=4], [{?, 'x'}, {}]}"}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}
// ==>
// error: :1:17: error: the sharding .* cannot be read: it is not written as
// -----
// weft opt --weft-import-gspmd --werror annotation
// Part of an axis cannot be manual.
func.func @main(%a: tensor<8xf32> {mhlo.sharding = "{mesh['x'=4], [{'x':(1)2}]}"}) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%a) {mhlo.sharding = "{mesh['x'=4], [{}], manual={'x':(1)2}}"} : (tensor<8xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @SPMDShardToFullShape(%0) {mhlo.sharding = "{mesh['x'=4], [{'x':(1)2}]}"} : (tensor<4xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ==>
// error: :4:8: error: the manual computation around this place cannot be read: part of an axis is manual
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<4x4xf32> {mhlo.sharding = "{devices=[2,2]<=[2]}"}) -> tensor<4x4xf32> {
  return %a : tensor<4x4xf32>
}
// ==>
// error: :1:17: error: the sharding .* cannot be read: its grid has another number of devices than its list
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<4x4xf32> {mhlo.sharding = "{devices=[2,2]0,1,2,2}"}) -> tensor<4x4xf32> {
  return %a : tensor<4x4xf32>
}
// ==>
// error: :1:17: error: the sharding .* cannot be read: it does not name every device from 0 once
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<4x4xf32> {mhlo.sharding = "{devices=[2,2]<=[2,2]T(0,0)}"}) -> tensor<4x4xf32> {
  return %a : tensor<4x4xf32>
}
// ==>
// error: :1:17: error: the sharding .* cannot be read: its transposition is none
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<4x4xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) -> tensor<4x4xf32> {
  return %a : tensor<4x4xf32>
}
// ==>
// error: :1:17: error: the sharding .* cannot be read: it has another number of dimensions than the value
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<4x4xf32> {mhlo.sharding = "{devices=[100000,100000]<=[10000000000]}"}) -> tensor<4x4xf32> {
  return %a : tensor<4x4xf32>
}
// ==>
// error: :1:17: error: the sharding .* cannot be read: its number of devices is out of range
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<4x4xf32> {mhlo.sharding = "{devices=[0,2]<=[2]}"}) -> tensor<4x4xf32> {
  return %a : tensor<4x4xf32>
}
// ==>
// error: :1:17: error: the sharding .* cannot be read: its number of devices is out of range
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<4x4xf32> {mhlo.sharding = "{devices=[2,2,1]<=[4] last_tile_dims={subgroup}}"}) -> tensor<4x4xf32> {
  return %a : tensor<4x4xf32>
}
// ==>
// error: :1:17: error: the sharding .* cannot be read: a dimension of its grid is for something that Weft does not know
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<4x4xf32> {mhlo.sharding = "{mesh}"}) -> tensor<4x4xf32> {
  return %a : tensor<4x4xf32>
}
// ==>
// error: :1:17: error: the sharding .* cannot be read: it begins with a word that Weft does not know
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<4x4xf32> {mhlo.sharding = "{devices=[2,2]<=[4]"}) -> tensor<4x4xf32> {
  return %a : tensor<4x4xf32>
}
// ==>
// error: :1:17: error: the sharding .* cannot be read: it is not written as
// -----
// weft opt --weft-import-gspmd --werror annotation
func.func @main(%a: tensor<4x4xf32> {mhlo.sharding = "{devices=[2,2]<=[4]} x"}) -> tensor<4x4xf32> {
  return %a : tensor<4x4xf32>
}
// ==>
// error: :1:17: error: the sharding .* cannot be read: something follows its last brace
// -----
// weft opt --weft-import-gspmd --werror annotation
// A manual computation that no sharding explains.
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%a) {mhlo.sharding = "{manual}"} : (tensor<4xf32>) -> tensor<2xf32>
  %1 = stablehlo.custom_call @SPMDShardToFullShape(%0) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<2xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
// ==>
// error: :4:8: error: the manual computation around this place cannot be read: an operand or result has no sharding
// -----
// weft opt --weft-import-gspmd --werror annotation
// One whose inside is read outside.
func.func @main(%a: tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%a) {mhlo.sharding = "{manual}"} : (tensor<4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ==>
// error: :3:8: error: the manual computation around this place cannot be read: a device's part of a value is read outside of it
// -----
// weft opt --weft-import-gspmd --werror annotation
// One that reads a value that nothing brings in.
func.func @main(%a: tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}, %b: tensor<2xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%a) {mhlo.sharding = "{manual}"} : (tensor<4xf32>) -> tensor<2xf32>
  %1 = stablehlo.add %0, %b : tensor<2xf32>
  %2 = stablehlo.custom_call @SPMDShardToFullShape(%1) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<2xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
// ==>
// error: :5:8: error: the manual computation around this place cannot be read: it reads a value that no SPMDFullToShardShape gives it
// -----
// weft opt --weft-import-gspmd --werror annotation
// One whose parts are not those of its sharding.
func.func @main(%a: tensor<4xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%a) {mhlo.sharding = "{manual}"} : (tensor<4xf32>) -> tensor<2xf32>
  %1 = stablehlo.custom_call @SPMDShardToFullShape(%0) {mhlo.sharding = "{devices=[4]<=[4]}"} : (tensor<2xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
// ==>
// error: :4:8: error: the manual computation around this place cannot be read: a value's local shape is not its sharding's
// -----
// weft opt --weft-import-gspmd
// What cannot be read says nothing, also of a tuple in which the rest can.
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<4x4xf32> {mhlo.sharding = "{devices=[4,1]<=[4]}"}, %s: tensor<2xui64>) -> (tensor<4x4xf32>, tensor<8xui32>) {
    %0 = stablehlo.negate %a {mhlo.sharding = "{devices=[4,1]<=[4] later}"} : tensor<4x4xf32>
    %1, %2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY {mhlo.sharding = "{{replicated}, {devices=[4]<=[4] later}}"} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
    return %0, %2 : tensor<4x4xf32>, tensor<8xui32>
  }
}
// ==>
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["axis_0"=4]>
  func.func @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"axis_0"}, {}]>}, %arg1: tensor<2xui64>) -> (tensor<4x4xf32>, tensor<8xui32>) {
    %0 = stablehlo.negate %arg0 : tensor<4x4xf32>
    %output_state, %output = stablehlo.rng_bit_generator %arg1, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
    return %0, %output : tensor<4x4xf32>, tensor<8xui32>
  }
}
// -----
// weft opt --weft-import-gspmd --werror annotation
// What XLA notes on a program that it has partitioned is not taken for shardings, and not passed over.
module attributes {mhlo.num_partitions = 2 : i32, mhlo.spmd_parameters_shardings = ["{devices=[2]<=[2]}"]} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
}
// ==>
// error: :2:1: error: 'mhlo.spmd_parameters_shardings' has no effect: XLA has partitioned this program already
// -----
// weft opt --weft-import-gspmd --silence annotation
// It is removed.
module attributes {mhlo.num_partitions = 2 : i32, mhlo.spmd_output_sharding = "{{devices=[2]<=[2]}, {replicated}}", mhlo.spmd_parameters_shardings = ["{replicated}"]} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
}
// ==>
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
}
// -----
// weft opt --weft-import-gspmd --werror annotation
// Where it names no devices it says nothing.
module attributes {mhlo.spmd_output_sharding = "{replicated}"} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
}
// ==>
module attributes {mhlo.spmd_output_sharding = "{replicated}"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
}
// -----
// weft opt --weft-import-gspmd
// A tuple of two for one value, of one for two; and partial sums over devices that nothing names.
func.func @main(%arg0: tensor<8x4xf32> {mhlo.sharding = "{{devices=[4,1]<=[4]}, {replicated}}"}, %arg1: tensor<i32>) -> tensor<8x4xf32> {
  %0:2 = "stablehlo.case"(%arg1) ({
    stablehlo.return %arg0, %arg0 : tensor<8x4xf32>, tensor<8x4xf32>
  }) {mhlo.sharding = "{{devices=[1,4]<=[4]}}"} : (tensor<i32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
  return %0#0 : tensor<8x4xf32>
}
// ==>
// warning: the sharding '{{devices=.4,1.<=.4.}, {replicated}}' cannot be read: it is a tuple of more or fewer shardings than there
// warning: the sharding '{{devices=.1,4.<=.4.}}' cannot be read: it is a tuple of more or fewer shardings than there are values
module {
  sdy.mesh @mesh = <["axis_0"=4]>
  func.func @main(%arg0: tensor<8x4xf32>, %arg1: tensor<i32>) -> tensor<8x4xf32> {
    %0:2 = "stablehlo.case"(%arg1) ({
      stablehlo.return %arg0, %arg0 : tensor<8x4xf32>, tensor<8x4xf32>
    }) : (tensor<i32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
    return %0#0 : tensor<8x4xf32>
  }
}
// -----
// weft opt --weft-import-gspmd --werror=annotation
func.func @main(%arg0: tensor<8x4xf32> {mhlo.sharding = "{unreduced}"}) -> tensor<8x4xf32> {
  return %arg0 : tensor<8x4xf32>
}
// ==>
// error: error: the sharding '{unreduced}' cannot be read: no sharding of the program says over which devices
