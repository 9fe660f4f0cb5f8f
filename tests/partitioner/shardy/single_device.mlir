// weft opt --sdy-resolve-single-device-sharding='replica-count=6'
// The device does the op, the others have zeros, and the sum tells all. Replicated readers are the sum; a reshard that others read stays.
module {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  sdy.mesh @one = <[], device_ids=[4]>
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = sdy.reshard %arg0 <@one, []> : tensor<4xf32>
    %1 = stablehlo.add %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : tensor<4xf32>
    %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<4xf32>
    %3 = sdy.reshard %1 <@mesh, [{"x"}]> : tensor<4xf32>
    return %2, %3 : tensor<4xf32>, tensor<4xf32>
  }
  func.func @kept(%arg0: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<i64>) {
    %0 = sdy.reshard %arg0 <@one, []> : tensor<2xi32>
    %1:2 = "stablehlo.custom_call"(%0) {call_target_name = "two", sdy.sharding = #sdy.sharding_per_value<[<@one, []>, <@mesh, []>]>} : (tensor<2xi32>) -> (tensor<2xi32>, tensor<i64>)
    return %0, %1#0, %1#1 : tensor<2xi32>, tensor<2xi32>, tensor<i64>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  sdy.mesh @one = <[], device_ids=[4]>
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.replica_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<4> : tensor<i64>
    %2 = stablehlo.compare EQ, %1, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %3 = "stablehlo.if"(%2) ({
      %6 = stablehlo.add %arg0, %arg1 : tensor<4xf32>
      stablehlo.return %6 : tensor<4xf32>
    }, {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
      stablehlo.return %cst : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    %4 = sdy.all_reduce {"x", "y"} %3 out_sharding=<@mesh, [{}]> : tensor<4xf32>
    %5 = sdy.reshard %4 <@mesh, [{"x"}]> : tensor<4xf32>
    return %4, %5 : tensor<4xf32>, tensor<4xf32>
  }
  func.func @kept(%arg0: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<i64>) {
    %0 = sdy.reshard %arg0 <@one, []> : tensor<2xi32>
    %1 = stablehlo.replica_id : tensor<ui32>
    %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<4> : tensor<i64>
    %3 = stablehlo.compare EQ, %2, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %4:2 = "stablehlo.if"(%3) ({
      %7:2 = stablehlo.custom_call @two(%arg0) : (tensor<2xi32>) -> (tensor<2xi32>, tensor<i64>)
      stablehlo.return %7#0, %7#1 : tensor<2xi32>, tensor<i64>
    }, {
      %c_0 = stablehlo.constant dense<0> : tensor<2xi32>
      %c_1 = stablehlo.constant dense<0> : tensor<i64>
      stablehlo.return %c_0, %c_1 : tensor<2xi32>, tensor<i64>
    }) : (tensor<i1>) -> (tensor<2xi32>, tensor<i64>)
    %5 = sdy.all_reduce {"x", "y"} %4#0 out_sharding=<@mesh, [{}]> : tensor<2xi32>
    %6 = sdy.all_reduce {"x", "y"} %4#1 out_sharding=<@mesh, []> : tensor<i64>
    return %0, %5, %6 : tensor<2xi32>, tensor<2xi32>, tensor<i64>
  }
}
// -----
// weft opt --sdy-resolve-single-device-sharding
// By partition, tokens too; an op inside a region is resolved where it stands.
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @one = <[], device_ids=[1]>
  func.func @main(%arg0: tensor<i1>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.if"(%arg0) ({
      %1:2 = "stablehlo.custom_call"(%arg1) {call_target_name = "one", sdy.sharding = #sdy.sharding_per_value<[<@one, []>, <@one, []>]>} : (tensor<3xf32>) -> (tensor<3xf32>, !stablehlo.token)
      stablehlo.return %1#0 : tensor<3xf32>
    }, {
      stablehlo.return %arg1 : tensor<3xf32>
    }) : (tensor<i1>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @one = <[], device_ids=[1]>
  func.func @main(%arg0: tensor<i1>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.if"(%arg0) ({
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i64>
      %c = stablehlo.constant dense<1> : tensor<i64>
      %3 = stablehlo.compare EQ, %2, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %4:2 = "stablehlo.if"(%3) ({
        %6:2 = stablehlo.custom_call @one(%arg1) : (tensor<3xf32>) -> (tensor<3xf32>, !stablehlo.token)
        stablehlo.return %6#0, %6#1 : tensor<3xf32>, !stablehlo.token
      }, {
        %cst = stablehlo.constant dense<0.000000e+00> : tensor<3xf32>
        %6 = stablehlo.create_token : !stablehlo.token
        stablehlo.return %cst, %6 : tensor<3xf32>, !stablehlo.token
      }) : (tensor<i1>) -> (tensor<3xf32>, !stablehlo.token)
      %5 = sdy.all_reduce {"x"} %4#0 out_sharding=<@mesh, [{}]> : tensor<3xf32>
      stablehlo.return %5 : tensor<3xf32>
    }, {
      stablehlo.return %arg1 : tensor<3xf32>
    }) : (tensor<i1>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
// weft opt --sdy-resolve-single-device-sharding
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @one = <[], device_ids=[1]>
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0:2 = "stablehlo.custom_call"(%arg0) {call_target_name = "one", sdy.sharding = #sdy.sharding_per_value<[<@one, []>, <@mesh, [{"x"}]>]>} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    return %0#0 : tensor<4xf32>
  }
}
// ==>
// error: an op on device 1 with a result that is split over the mesh
// -----
// weft opt --sdy-resolve-single-device-sharding
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @zero = <[], device_ids=[0]>
  sdy.mesh @one = <[], device_ids=[1]>
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0:2 = "stablehlo.custom_call"(%arg0) {call_target_name = "one", sdy.sharding = #sdy.sharding_per_value<[<@one, []>, <@zero, []>]>} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    return %0#0 : tensor<4xf32>
  }
}
// ==>
// error: results of one op on devices 1 and 0
// -----
// weft opt --sdy-resolve-single-device-sharding='replica-count=2 partition-count=2'
module {
  func.func @main() {
    return
  }
}
// ==>
// error: does not support both replica_count > 1 and partition_count > 1 yet.
