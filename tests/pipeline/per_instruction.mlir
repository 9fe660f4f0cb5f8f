// weft opt --sdy-per-instruction-partitioning=filter=dot
// Only the product: its reduction is finished in the computation.
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}], unreduced={"y"}>]>} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
    %1 = stablehlo.tanh %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x16xf32>
    return %1 : tensor<8x16xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%arg2: tensor<4x16xf32>, %arg3: tensor<16x16xf32>) {
      %2 = stablehlo.dot %arg2, %arg3 : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
      %3 = "stablehlo.all_reduce"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %4 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %4 : tensor<f32>
      }) : (tensor<4x16xf32>) -> tensor<4x16xf32>
      sdy.return %3 : tensor<4x16xf32>
    } : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
    %1 = stablehlo.tanh %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x16xf32>
    return %1 : tensor<8x16xf32>
  }
}
// -----
// weft opt --sdy-per-instruction-partitioning='filter="selectLow=1, selectHigh=2"'
// By number: what is nowhere cut does not count.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.negate %arg1 : tensor<8xf32>
    %1 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x8xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8xf32>) -> tensor<4x8xf32>
    %3 = stablehlo.add %1, %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x8xf32>
    %4 = stablehlo.abs %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x8xf32>
    return %4 : tensor<4x8xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.negate %arg1 : tensor<8xf32>
    %1 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x8xf32>
    %2 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg2: tensor<8xf32>) {
      %5 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<8xf32>) -> tensor<2x8xf32>
      sdy.return %5 : tensor<2x8xf32>
    } : (tensor<8xf32>) -> tensor<4x8xf32>
    %3 = sdy.manual_computation(%1, %2) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg2: tensor<2x8xf32>, %arg3: tensor<2x8xf32>) {
      %5 = stablehlo.add %arg2, %arg3 : tensor<2x8xf32>
      sdy.return %5 : tensor<2x8xf32>
    } : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %4 = stablehlo.abs %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x8xf32>
    return %4 : tensor<4x8xf32>
  }
}
// -----
// weft opt --sdy-per-instruction-partitioning=filter=reshard
// 7 over 3 and over 2 devices: 12 elements divide by both.
module {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func @main(%arg0: tensor<7x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<7x4xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"y"}, {}]> : tensor<7x4xf32>
    return %0 : tensor<7x4xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func @main(%arg0: tensor<7x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<7x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [5, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<7x4xf32>, tensor<f32>) -> tensor<12x4xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"y"}, {}]>] manual_axes={"x", "y"} (%arg1: tensor<4x4xf32>) {
      %3 = stablehlo.partition_id : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i64>
      %c = stablehlo.constant dense<[0, 2, 0, 2, 0, 2]> : tensor<6xi64>
      %5 = stablehlo.dynamic_slice %c, %4, sizes = [1] : (tensor<6xi64>, tensor<i64>) -> tensor<1xi64>
      %6 = stablehlo.reshape %5 : (tensor<1xi64>) -> tensor<i64>
      %c_0 = stablehlo.constant dense<0> : tensor<i64>
      %7 = stablehlo.dynamic_slice %arg1, %6, %c_0, sizes = [2, 4] : (tensor<4x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x4xf32>
      %8 = "stablehlo.collective_permute"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 0], [1, 2], [2, 4], [3, 1], [4, 3], [5, 5]]> : tensor<6x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
      %9 = "stablehlo.all_gather"(%8) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 2, 4], [1, 3, 5]]> : tensor<2x3xi64>, use_global_device_ids}> : (tensor<2x4xf32>) -> tensor<6x4xf32>
      sdy.return %9 : tensor<6x4xf32>
    } : (tensor<12x4xf32>) -> tensor<12x4xf32>
    %2 = stablehlo.slice %1 [0:7, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<12x4xf32>) -> tensor<7x4xf32>
    return %2 : tensor<7x4xf32>
  }
}
// -----
// weft opt --sdy-per-instruction-partitioning
// Slices and pads say with other limits what they mean; collectives are numbered on.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<f32>) -> tensor<7xf32> {
    %0 = stablehlo.slice %arg0 [0:9:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<9xf32>) -> tensor<3xf32>
    %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<3xf32>
    %2 = sdy.reshard %1 <@mesh, [{"x"}]> : tensor<3xf32>
    %3 = sdy.reshard %2 <@mesh, [{}]> : tensor<3xf32>
    %4 = stablehlo.pad %3, %arg1, low = [1], high = [3], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<3xf32>, tensor<f32>) -> tensor<7xf32>
    return %4 : tensor<7xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<f32>) -> tensor<7xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg2: tensor<9xf32>) {
      %13 = stablehlo.slice %arg2 [0:9:3] : (tensor<9xf32>) -> tensor<3xf32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %14 = stablehlo.pad %13, %cst_2, low = [0], high = [1], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
      %15 = stablehlo.partition_id : tensor<ui32>
      %16 = stablehlo.convert %15 : (tensor<ui32>) -> tensor<i64>
      %c = stablehlo.constant dense<[0, 2]> : tensor<2xi64>
      %17 = stablehlo.dynamic_slice %c, %16, sizes = [1] : (tensor<2xi64>, tensor<i64>) -> tensor<1xi64>
      %18 = stablehlo.reshape %17 : (tensor<1xi64>) -> tensor<i64>
      %19 = stablehlo.dynamic_slice %14, %18, sizes = [2] : (tensor<4xf32>, tensor<i64>) -> tensor<2xf32>
      sdy.return %19 : tensor<2xf32>
    } : (tensor<9xf32>) -> tensor<4xf32>
    %1 = stablehlo.slice %0 [0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4xf32>) -> tensor<3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.pad %1, %cst, low = [0], high = [1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
    %3 = sdy.manual_computation(%2) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg2: tensor<2xf32>) {
      %13 = "stablehlo.all_gather"(%arg2) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
      sdy.return %13 : tensor<4xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    %4 = stablehlo.slice %3 [0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<4xf32>) -> tensor<3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.pad %4, %cst_0, low = [0], high = [1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
    %6 = sdy.manual_computation(%5) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg2: tensor<4xf32>) {
      %13 = stablehlo.partition_id : tensor<ui32>
      %14 = stablehlo.convert %13 : (tensor<ui32>) -> tensor<i64>
      %c = stablehlo.constant dense<[0, 2]> : tensor<2xi64>
      %15 = stablehlo.dynamic_slice %c, %14, sizes = [1] : (tensor<2xi64>, tensor<i64>) -> tensor<1xi64>
      %16 = stablehlo.reshape %15 : (tensor<1xi64>) -> tensor<i64>
      %17 = stablehlo.dynamic_slice %arg2, %16, sizes = [2] : (tensor<4xf32>, tensor<i64>) -> tensor<2xf32>
      sdy.return %17 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    %7 = stablehlo.slice %6 [0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4xf32>) -> tensor<3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.pad %7, %cst_1, low = [0], high = [1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
    %9 = sdy.manual_computation(%8) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg2: tensor<2xf32>) {
      %13 = "stablehlo.all_gather"(%arg2) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
      sdy.return %13 : tensor<4xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    %10 = stablehlo.slice %9 [0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<4xf32>) -> tensor<3xf32>
    %11 = sdy.manual_computation(%10, %arg1) in_shardings=[<@mesh, [{}]>, <@mesh, []>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg2: tensor<3xf32>, %arg3: tensor<f32>) {
      %13 = stablehlo.pad %arg2, %arg3, low = [1], high = [3], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<7xf32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %14 = stablehlo.pad %13, %cst_2, low = [0], high = [1], interior = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<8xf32>
      %15 = stablehlo.partition_id : tensor<ui32>
      %16 = stablehlo.convert %15 : (tensor<ui32>) -> tensor<i64>
      %c = stablehlo.constant dense<[0, 4]> : tensor<2xi64>
      %17 = stablehlo.dynamic_slice %c, %16, sizes = [1] : (tensor<2xi64>, tensor<i64>) -> tensor<1xi64>
      %18 = stablehlo.reshape %17 : (tensor<1xi64>) -> tensor<i64>
      %19 = stablehlo.dynamic_slice %14, %18, sizes = [4] : (tensor<8xf32>, tensor<i64>) -> tensor<4xf32>
      sdy.return %19 : tensor<4xf32>
    } : (tensor<3xf32>, tensor<f32>) -> tensor<8xf32>
    %12 = stablehlo.slice %11 [0:7] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<7xf32>
    return %12 : tensor<7xf32>
  }
}
// -----
// weft opt --sdy-per-instruction-partitioning
// A mesh written inside a sharding gets a name; what a branch reads from outside becomes an operand.
module {
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}, %arg1: tensor<i1>) -> tensor<4xf32> {
    %0 = "stablehlo.if"(%arg1) ({
      stablehlo.return %arg0 : tensor<4xf32>
    }, {
      %1 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2]>, [{"x"}]>]>} : tensor<4xf32>
      stablehlo.return %1 : tensor<4xf32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2]>, [{"x"}]>]>} : (tensor<i1>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<i1>) -> tensor<4xf32> {
    %0 = sdy.manual_computation(%arg1, %arg0) in_shardings=[<@mesh, []>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg2: tensor<i1>, %arg3: tensor<2xf32>) {
      %1 = "stablehlo.if"(%arg2) ({
        stablehlo.return %arg3 : tensor<2xf32>
      }, {
        %2 = stablehlo.negate %arg3 : tensor<2xf32>
        stablehlo.return %2 : tensor<2xf32>
      }) : (tensor<i1>) -> tensor<2xf32>
      sdy.return %1 : tensor<2xf32>
    } : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// -----
// weft opt --sdy-per-instruction-partitioning
// What is padded is no part of the maximum.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.maximum across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<f32>) -> tensor<f32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0], high = [1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<5xf32>, tensor<f32>) -> tensor<6xf32>
    %1 = sdy.manual_computation(%0, %arg1) in_shardings=[<@mesh, [{"x"}]>, <@mesh, []>] out_shardings=[<@mesh, []>] manual_axes={"x"} (%arg2: tensor<3xf32>, %arg3: tensor<f32>) {
      %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %2 = stablehlo.iota dim = 0 : tensor<3xi32>
      %3 = stablehlo.partition_id : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i64>
      %c = stablehlo.constant dense<[0, 3]> : tensor<2xi64>
      %5 = stablehlo.dynamic_slice %c, %4, sizes = [1] : (tensor<2xi64>, tensor<i64>) -> tensor<1xi64>
      %6 = stablehlo.reshape %5 : (tensor<1xi64>) -> tensor<i64>
      %7 = stablehlo.convert %6 : (tensor<i64>) -> tensor<i32>
      %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %9 = stablehlo.add %2, %8 : tensor<3xi32>
      %c_1 = stablehlo.constant dense<5> : tensor<i32>
      %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %11 = stablehlo.compare LT, %9, %10 : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %12 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %13 = stablehlo.select %11, %arg2, %12 : tensor<3xi1>, tensor<3xf32>
      %14 = stablehlo.reduce(%13 init: %arg3) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
      %15 = "stablehlo.all_reduce"(%14) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %16 = stablehlo.maximum %arg4, %arg5 : tensor<f32>
        stablehlo.return %16 : tensor<f32>
      }) : (tensor<f32>) -> tensor<f32>
      sdy.return %15 : tensor<f32>
    } : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
}
// -----
// weft opt --sdy-per-instruction-partitioning
module {
  sdy.mesh @a = <["x"=2]>
  sdy.mesh @b = <["x"=4]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>}, %arg1: tensor<4xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}]>}) -> tensor<4xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// ==>
// error: its operands and results are over meshes of different devices
// -----
// weft opt --sdy-per-instruction-partitioning=filter=selectLow=x
module {
}
// ==>
// error: 'selectLow=x' in a filter of ops is not selectLow=NUMBER
