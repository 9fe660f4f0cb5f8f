// weft opt --canonicalize
// Reshards of reshards and alike ones, collectives over no axes or back and forth, slices of sums, exchanges in two steps, manual computations over one device or with unused arguments.
module {
  sdy.mesh @mesh = <["x"=2, "y"=4, "one"=1]>
  func.func @reshards(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<64xf32>, tensor<8x8xf32>) {
    %0 = sdy.reshard %arg0 <@mesh, [{"y"}, {}]> : tensor<8x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    %2 = sdy.reshard %1 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    %3 = stablehlo.negate %2 : tensor<8x8xf32>
    %4 = stablehlo.reshape %arg0 : (tensor<8x8xf32>) -> tensor<64xf32>
    %5 = sdy.reshard %4 <@mesh, [{"x"}]> : tensor<64xf32>
    %6 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %7 = sdy.reshard %6 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    %8 = sdy.reshard %arg0 <@mesh, [{"y"}, {"x"}]> : tensor<8x8xf32>
    return %3, %5, %7 : tensor<8x8xf32>, tensor<64xf32>, tensor<8x8xf32>
  }
  func.func @idle(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
    %0 = sdy.all_gather [{}, {}] %arg0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    %1 = sdy.all_reduce {} %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    %2 = sdy.collective_permute %1 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    %3 = sdy.all_to_all [{"x"}: 0->1] %2 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
  func.func @scattered(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"y"}>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = sdy.all_reduce max {"y"} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %1 = sdy.all_slice [{}, {"y", "x"}] %0 out_sharding=<@mesh, [{}, {"y", "x"}]> : tensor<8x8xf32>
    %2 = sdy.all_slice [{}, {"y", "x"}] %0 out_sharding=<@mesh, [{}, {"y", "x"}]> : tensor<8x8xf32>
    return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
  }
  func.func @not_scattered(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = sdy.all_reduce {"y"} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %1 = sdy.all_slice [{"y"}, {}] %0 out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x8xf32>
    return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
  }
  func.func @to_unreduced_and_back(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = sdy.sharded_to_unreduced [{}, {"y"}] %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"y"}> : tensor<8x8xf32>
    %1 = sdy.all_reduce {"y"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %2 = sdy.all_slice [{}, {"y"}] %1 out_sharding=<@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    %3 = sdy.replicated_to_unreduced {"y"} %arg1 out_sharding=<@mesh, [{}, {}], unreduced={"y"}> : tensor<8x8xf32>
    %4 = sdy.all_reduce {"y"} %3 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %5 = sdy.all_slice [{"y"}, {}] %4 out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x8xf32>
    return %2, %5 : tensor<8x8xf32>, tensor<8x8xf32>
  }
  func.func @exchanged(%arg0: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}, {}]>}) -> tensor<8x8x8x8xf32> {
    %0 = sdy.all_to_all [{"y"}: 1->3] %arg0 out_sharding=<@mesh, [{"x"}, {}, {}, {"y"}]> : tensor<8x8x8x8xf32>
    %1 = sdy.all_to_all [{"x"}: 0->2] %0 out_sharding=<@mesh, [{}, {}, {"x"}, {"y"}]> : tensor<8x8x8x8xf32>
    return %1 : tensor<8x8x8x8xf32>
  }
  func.func @manual(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"one"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"one"}, {}]>] manual_axes={"one"} (%arg2: tensor<8x8xf32>, %arg3: tensor<8x8xf32>) {
      %1 = sdy.manual_computation(%arg2, %arg3) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg4: tensor<4x8xf32>, %arg5: tensor<4x8xf32>) {
        %2 = stablehlo.add %arg5, %arg5 : tensor<4x8xf32>
        %3 = sdy.all_reduce {"y"} %2 out_sharding=<@mesh, [{}, {}]> : tensor<4x8xf32>
        %4 = sdy.all_slice [{"y"}, {}] %3 out_sharding=<@mesh, [{"y"}, {}]> : tensor<4x8xf32>
        sdy.return %4 : tensor<4x8xf32>
      } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      sdy.return %1 : tensor<8x8xf32>
    } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2, "y"=4, "one"=1]>
  func.func @reshards(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<64xf32>, tensor<8x8xf32>) {
    %0 = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    %1 = stablehlo.negate %0 : tensor<8x8xf32>
    %2 = stablehlo.reshape %0 : (tensor<8x8xf32>) -> tensor<64xf32>
    %3 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %4 = sdy.reshard %3 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    return %1, %2, %4 : tensor<8x8xf32>, tensor<64xf32>, tensor<8x8xf32>
  }
  func.func @idle(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
    return %arg0 : tensor<8x8xf32>
  }
  func.func @scattered(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"y"}>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = sdy.reduce_scatter max [{}, {"y"}] %arg0 out_sharding=<@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    %1 = sdy.all_slice [{}, {"x"}] %0 out_sharding=<@mesh, [{}, {"y", "x"}]> : tensor<8x8xf32>
    return %1, %1 : tensor<8x8xf32>, tensor<8x8xf32>
  }
  func.func @not_scattered(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = sdy.all_reduce {"y"} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %1 = sdy.all_slice [{"y"}, {}] %0 out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x8xf32>
    return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
  }
  func.func @to_unreduced_and_back(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = sdy.sharded_to_unreduced [{}, {"y"}] %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"y"}> : tensor<8x8xf32>
    %1 = sdy.all_gather [{}, {"y"}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %2 = sdy.replicated_to_unreduced {"y"} %arg1 out_sharding=<@mesh, [{}, {}], unreduced={"y"}> : tensor<8x8xf32>
    %3 = sdy.all_slice [{"y"}, {}] %arg1 out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x8xf32>
    return %arg0, %3 : tensor<8x8xf32>, tensor<8x8xf32>
  }
  func.func @exchanged(%arg0: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}, {}]>}) -> tensor<8x8x8x8xf32> {
    %0 = sdy.all_to_all [{"x"}: 0->2, {"y"}: 1->3] %arg0 out_sharding=<@mesh, [{}, {}, {"x"}, {"y"}]> : tensor<8x8x8x8xf32>
    return %0 : tensor<8x8x8x8xf32>
  }
  func.func @manual(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg2: tensor<4x8xf32>) {
      %1 = stablehlo.add %arg2, %arg2 : tensor<4x8xf32>
      %2 = sdy.reduce_scatter [{"y"}, {}] %1 out_sharding=<@mesh, [{"y"}, {}]> : tensor<4x8xf32>
      sdy.return %2 : tensor<4x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
// -----
// weft opt --canonicalize='enable-patterns=sdy-reshard'
// Of reshards and collectives those that are asked for, and what nobody reads goes anyhow.
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = sdy.reshard %arg0 <@mesh, [{"y"}, {}]> : tensor<8x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    %2 = sdy.all_gather [{}, {}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %3 = stablehlo.negate %arg0 : tensor<8x8xf32>
    return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    %1 = sdy.all_gather [{}, {}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// -----
// weft opt --canonicalize='enable-patterns=sdy-collective'
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = sdy.reshard %arg0 <@mesh, [{"y"}, {}]> : tensor<8x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    %2 = sdy.all_gather [{}, {}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = sdy.reshard %arg0 <@mesh, [{"y"}, {}]> : tensor<8x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    return %1, %arg0 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// -----
// weft opt --canonicalize='enable-patterns=sdy-collective,sdy-no-such'
module {
}
// ==>
// error: has no patterns 'sdy-no-such'
