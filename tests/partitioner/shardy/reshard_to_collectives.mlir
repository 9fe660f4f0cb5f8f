// weft opt --sdy-reshard-to-collectives
// Slices first, gathers last; axes change their dimension by all_to_all, or their place by a permute.
module {
  sdy.mesh @mesh = <["x"=2, "y"=4, "z"=4]>
  func.func @main(%arg0: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>) {
    %0 = sdy.reshard %arg0 <@mesh, [{"x", "z"}, {}]> : tensor<16x32xf32>
    %1 = sdy.reshard %arg0 <@mesh, [{"x", "y"}, {}]> : tensor<16x32xf32>
    %2 = sdy.reshard %arg0 <@mesh, [{}, {"y", "x"}]> : tensor<16x32xf32>
    %3 = sdy.reshard %arg0 <@mesh, [{"z"}, {"x"}]> : tensor<16x32xf32>
    return %0, %1, %2, %3 : tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2, "y"=4, "z"=4]>
  func.func @main(%arg0: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>) {
    %0 = sdy.all_slice [{"z"}, {}] %arg0 out_sharding=<@mesh, [{"x", "z"}, {"y"}]> : tensor<16x32xf32>
    %1 = sdy.all_gather [{}, {"y"}] %0 out_sharding=<@mesh, [{"x", "z"}, {}]> : tensor<16x32xf32>
    %2 = sdy.all_to_all [{"y"}: 1->0] %arg0 out_sharding=<@mesh, [{"x", "y"}, {}]> : tensor<16x32xf32>
    %3 = sdy.all_to_all [{"x"}: 0->1] %arg0 out_sharding=<@mesh, [{}, {"y", "x"}]> : tensor<16x32xf32>
    %4 = sdy.all_slice [{"z":(1)2}, {}] %arg0 out_sharding=<@mesh, [{"x", "z":(1)2}, {"y"}]> : tensor<16x32xf32>
    %5 = sdy.collective_permute %4 out_sharding=<@mesh, [{"z"}, {"x", "y":(2)2}]> : tensor<16x32xf32>
    %6 = sdy.all_gather [{}, {"y":(2)2}] %5 out_sharding=<@mesh, [{"z"}, {"x"}]> : tensor<16x32xf32>
    return %1, %2, %3, %6 : tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>
  }
}
// -----
// weft opt --sdy-reshard-to-collectives
// Parts of axes: cut where the other sharding cuts.
module {
  sdy.mesh @mesh = <["x"=8, "y"=2]>
  func.func @main(%arg0: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>) {
    %0 = sdy.reshard %arg0 <@mesh, [{"x":(1)2}, {"x":(2)4}]> : tensor<16x32xf32>
    %1 = sdy.reshard %arg0 <@mesh, [{"x":(2)2}, {"y"}]> : tensor<16x32xf32>
    %2 = sdy.reshard %arg0 <@mesh, [{"y", "x":(1)4}, {}]> : tensor<16x32xf32>
    return %0, %1, %2 : tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=8, "y"=2]>
  func.func @main(%arg0: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>) {
    %0 = sdy.all_to_all [{"x":(2)4}: 0->1] %arg0 out_sharding=<@mesh, [{"x":(1)2}, {"x":(2)4}]> : tensor<16x32xf32>
    %1 = sdy.all_slice [{}, {"y"}] %arg0 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<16x32xf32>
    %2 = sdy.collective_permute %1 out_sharding=<@mesh, [{"x":(2)4, "x":(1)2}, {"y"}]> : tensor<16x32xf32>
    %3 = sdy.all_gather [{"x":(4)2, "x":(1)2}, {}] %2 out_sharding=<@mesh, [{"x":(2)2}, {"y"}]> : tensor<16x32xf32>
    %4 = sdy.collective_permute %arg0 out_sharding=<@mesh, [{"y", "x":(1)4}, {}]> : tensor<16x32xf32>
    return %0, %3, %4 : tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>
  }
}
// -----
// weft opt --sdy-reshard-to-collectives
// Sizes without a common divisor: cut by both for a while.
module {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func @main(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<12x12xf32>, tensor<12x12xf32>) {
    %0 = sdy.reshard %arg0 <@mesh, [{"y"}, {}]> : tensor<12x12xf32>
    %1 = sdy.reshard %arg0 <@mesh, [{"y", "x"}, {}]> : tensor<12x12xf32>
    return %0, %1 : tensor<12x12xf32>, tensor<12x12xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func @main(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<12x12xf32>, tensor<12x12xf32>) {
    %0 = sdy.all_slice [{"y"}, {}] %arg0 out_sharding=<@mesh, [{"x", "y"}, {}]> : tensor<12x12xf32>
    %1 = sdy.collective_permute %0 out_sharding=<@mesh, [{"y", "x"}, {}]> : tensor<12x12xf32>
    %2 = sdy.all_gather [{"x"}, {}] %1 out_sharding=<@mesh, [{"y"}, {}]> : tensor<12x12xf32>
    %3 = sdy.all_slice [{"y"}, {}] %arg0 out_sharding=<@mesh, [{"x", "y"}, {}]> : tensor<12x12xf32>
    %4 = sdy.collective_permute %3 out_sharding=<@mesh, [{"y", "x"}, {}]> : tensor<12x12xf32>
    return %2, %4 : tensor<12x12xf32>, tensor<12x12xf32>
  }
}
// -----
// weft opt --sdy-reshard-to-collectives
// Devices in another order are a permute; meshes of other axes and single devices keep their reshard; nothing to do is nothing.
module {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @turned = <["x"=4], device_ids=[3, 2, 1, 0]>
  sdy.mesh @other = <["a"=2, "b"=2]>
  sdy.mesh @one = <[], device_ids=[1]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.reshard %arg0 <@turned, [{"x"}]> : tensor<8xf32>
    %1 = sdy.reshard %arg0 <@other, [{"a", "b"}]> : tensor<8xf32>
    %2 = sdy.reshard %arg1 <@one, []> : tensor<8xf32>
    %3 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
    %4 = sdy.reshard %arg0 <@other, [{}]> : tensor<8xf32>
    return %0, %1, %2, %3, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @turned = <["x"=4], device_ids=[3, 2, 1, 0]>
  sdy.mesh @other = <["a"=2, "b"=2]>
  sdy.mesh @one = <[], device_ids=[1]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = sdy.collective_permute %arg0 out_sharding=<@turned, [{"x"}]> : tensor<8xf32>
    %1 = sdy.reshard %arg0 <@other, [{"a", "b"}]> : tensor<8xf32>
    %2 = sdy.reshard %arg1 <@one, []> : tensor<8xf32>
    %3 = sdy.all_gather [{"x"}] %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
    return %0, %1, %2, %arg0, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
// -----
// weft opt --sdy-reshard-to-collectives
// A partial value that shall be whole is added up.
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}], unreduced=max{"x"}>}) -> tensor<8x8xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {"x"}]> : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}], unreduced=max{"x"}>}) -> tensor<8x8xf32> {
    %0 = sdy.all_reduce max {"x"} %arg0 out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x8xf32>
    %1 = sdy.all_slice [{}, {"x"}] %0 out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<8x8xf32>
    %2 = sdy.all_gather [{"y"}, {}] %1 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
}
// -----
// weft opt --sdy-reshard-to-collectives=keep-redundant-reshards=true
// A reshard that changes nothing may stay.
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
