module @sharded {
  sdy.mesh @mesh = <["a"=2, "b"=4, "c"=8]>
  sdy.mesh @empty = <[]>
  sdy.mesh @maximal = <[], device_ids=[3]>
  sdy.mesh @order = <["x"=2, "y"=2], device_ids=[3, 1, 2, 0]> {note}
  sdy.mesh @plain = <["x"=2, "y"=2]>
  func.func @shardings(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}p1, {"b":(1)2, "c"}p0]>}, %arg1: tensor<f32>) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<mesh<["q"=2]>, [{"q"}, {?}]>}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}, {}], replicated={"b":(2)2}> : tensor<8x16xf32>
    %1 = sdy.reshard %0 <@mesh, [{?}, {"c", "b", ?}], replicated={"a"}> {k = 1 : i32} : tensor<8x16xf32>
    %2 = sdy.sharding_constraint %arg0 <@mesh, [{}, {}], unreduced={"a", "c":(1)4}> : tensor<8x16xf32>
    %3 = stablehlo.add %1, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=16}>} : tensor<8x16xf32>
    %4 = stablehlo.custom_call @rule(%3, %arg1) {sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k], [])->([k, jl]) {i=2, j=4, k=16, l=4} reduction={i} need_replication={l} permutation={k} blocked_propagation={j}, custom>} : (tensor<8x16xf32>, tensor<f32>) -> tensor<16x16xf32>
    sdy.sharding_group %3 group_id=21 : tensor<8x16xf32>
    %5 = sdy.propagation_barrier %3 allowed_direction=NONE : tensor<8x16xf32>
    %6 = sdy.propagation_barrier %5 allowed_direction=BACKWARD {p} : tensor<8x16xf32>
    %7 = stablehlo.negate %6 : tensor<8x16xf32>
    %8 = stablehlo.abs %6 : tensor<8x16xf32>
    %9 = sdy.data_flow_edge %8 : tensor<8x16xf32>
    %10 = sdy.data_flow_edge %7 sharding=<@mesh, [{"a"}, {"b", ?}]> : tensor<8x16xf32>
    %11 = sdy.constant dense<1.000000e+00> : tensor<8x16xf32>
    %12 = sdy.constant {d} dense<2> : tensor<2xi32>
    return %10 : tensor<8x16xf32>
  }
  func.func @regions(%arg0: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}, {"b"}]>] out_shardings=[<@mesh, [{"a"}, {"b"}]>] manual_axes={"a", "b"} (%arg1: tensor<4x4xf32>) {
      %2 = stablehlo.negate %arg1 : tensor<4x4xf32>
      sdy.return %2 : tensor<4x4xf32>
    } : (tensor<8x16xf32>) -> tensor<8x16xf32>
    sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
      sdy.return
    } : () -> ()
    %1 = sdy.named_computation<"block">(%0) in_shardings=[<@mesh, [{}, {}]>] out_shardings=[<@mesh, [{}, {}]>] (%arg1: tensor<8x16xf32>) {
      %2 = sdy.named_computation<"inner">(%arg1) (%arg2: tensor<8x16xf32>) {
        sdy.return %arg2 : tensor<8x16xf32>
      } : (tensor<8x16xf32>) -> tensor<8x16xf32>
      sdy.return %2 : tensor<8x16xf32>
    } {mark = 1 : i64} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    return %1 : tensor<8x16xf32>
  }
  func.func @collectives(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> tensor<8x16xf32> {
    %0 = sdy.all_gather [{"a"}, {}] %arg0 out_sharding=<@mesh, [{}, {"b"}]> : tensor<8x16xf32>
    %1 = sdy.all_slice [{}, {"c"}] %0 out_sharding=<@mesh, [{}, {"b", "c"}]> : tensor<8x16xf32>
    %2 = sdy.all_to_all [{"c"}: 1->0] %1 out_sharding=<@mesh, [{"c"}, {"b"}]> : tensor<8x16xf32>
    %3 = sdy.collective_permute %2 out_sharding=<@mesh, [{"a", "b"}, {"c":(1)4}]> : tensor<8x16xf32>
    %4 = sdy.all_reduce {"c":(4)2} %3 out_sharding=<@mesh, [{"a", "b"}, {"c":(1)4}]> : tensor<8x16xf32>
    return %4 : tensor<8x16xf32>
  }
  func.func @manual(%arg0: tensor<8x16xf32>) attributes {sdy.func_manual_axes = #sdy<manual_axes{"a"}>} {
    return
  }
}
