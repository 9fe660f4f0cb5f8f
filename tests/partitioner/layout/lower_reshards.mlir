// weft opt --weft-lower-reshards
// Slices first, gathers last; one dimension to another by all_to_all.
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x16xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {"x"}]> : tensor<8x16xf32>
    %1 = sdy.reshard %0 <@mesh, [{"y"}, {}]> : tensor<8x16xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {}]> : tensor<8x16xf32>
    return %2 : tensor<8x16xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x16xf32> {
    %0 = sdy.all_to_all [{"x"}: 0->1] %arg0 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x16xf32>
    %1 = sdy.all_slice [{"y"}, {}] %0 out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<8x16xf32>
    %2 = sdy.all_gather [{}, {"x"}] %1 out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x16xf32>
    %3 = sdy.all_gather [{"y"}, {}] %2 out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
    return %3 : tensor<8x16xf32>
  }
}
// -----
// weft opt --weft-lower-reshards
// Axes in another order, or an axis for another of its size: one permute.
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) -> tensor<8xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"y", "x"}]> : tensor<8xf32>
    %1 = sdy.reshard %0 <@mesh, [{"y"}]> : tensor<8xf32>
    %2 = sdy.reshard %1 <@mesh, [{"x"}]> : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) -> tensor<8xf32> {
    %0 = sdy.collective_permute %arg0 out_sharding=<@mesh, [{"y", "x"}]> : tensor<8xf32>
    %1 = sdy.all_gather [{"x"}] %0 out_sharding=<@mesh, [{"y"}]> : tensor<8xf32>
    %2 = sdy.collective_permute %1 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
// -----
// weft opt --weft-lower-reshards
// A partial sum is scattered when its reader wants it cut by the same axis; parts of an axis move alone.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    %2 = sdy.reshard %0 <@mesh, [{}, {}]> : tensor<8x8xf32>
    %3 = sdy.reshard %1 <@mesh, [{"x":(1)2}, {"x":(2)2}]> : tensor<8x8xf32>
    return %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %1 = sdy.reduce_scatter [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    %2 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %3 = sdy.all_to_all [{"x":(2)2}: 0->1] %1 out_sharding=<@mesh, [{"x":(1)2}, {"x":(2)2}]> : tensor<8x8xf32>
    return %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// -----
// weft opt --weft-lower-reshards
// Moves are planned along one order of the devices: from parts to the whole value
module {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @other = <["x"=4], device_ids=[3, 2, 1, 0]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ==>
// error: a reshard between meshes whose devices are in different orders
// -----
// weft opt --weft-lower-reshards
// and from a partial sum; a value that is whole on both is on all devices.
module {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @other = <["x"=4], device_ids=[3, 2, 1, 0]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{}], unreduced={"x"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ==>
// error: a reshard between meshes whose devices are in different orders
// -----
// weft opt --weft-lower-reshards
module {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @other = <["x"=4], device_ids=[3, 2, 1, 0]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @other = <["x"=4], device_ids=[3, 2, 1, 0]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    return %arg0 : tensor<8xf32>
  }
}
// -----
// weft opt --weft-lower-reshards
// whole on one mesh, in parts on a mesh with other device ids: the operand's mesh changes first
module {
  sdy.mesh @a = <["x"=4]>
  sdy.mesh @b = <["x"=4], device_ids=[3, 2, 1, 0]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}]>}) {
    %0 = sdy.reshard %arg0 <@b, [{"x"}]> : tensor<8xf32>
    %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@b, [{"x"}]>]>} : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ==>
module {
  sdy.mesh @a = <["x"=4]>
  sdy.mesh @b = <["x"=4], device_ids=[3, 2, 1, 0]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}]>}) {
    %0 = sdy.collective_permute %arg0 out_sharding=<@b, [{}]> : tensor<8xf32>
    %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@b, [{"x"}]> : tensor<8xf32>
    %2 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@b, [{"x"}]>]>} : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
// -----
}
// -----
// weft opt --weft-lower-reshards
// From whole on one mesh to parts on the other: a permute writes the value by the mesh that the slice goes by, also where
// the reshard before it moved nothing.
module {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @other = <["x"=4], device_ids=[3, 2, 1, 0]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.reshard %arg0 <@other, [{"x"}]> : tensor<8xf32>
    %1 = sdy.reshard %arg0 <@other, [{}]> : tensor<8xf32>
    %2 = sdy.reshard %1 <@other, [{"x"}]> : tensor<8xf32>
    return %0, %2 : tensor<8xf32>, tensor<8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @other = <["x"=4], device_ids=[3, 2, 1, 0]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.collective_permute %arg0 out_sharding=<@other, [{}]> : tensor<8xf32>
    %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@other, [{"x"}]> : tensor<8xf32>
    %2 = sdy.collective_permute %arg0 out_sharding=<@other, [{}]> : tensor<8xf32>
    %3 = sdy.all_slice [{"x"}] %2 out_sharding=<@other, [{"x"}]> : tensor<8xf32>
    return %1, %3 : tensor<8xf32>, tensor<8xf32>
  }
}
