// On each device a system of its own, 50000 times: a triangular one by LAPACK's trsm, and one of which a factor is LAPACK's potrf. The last of a
// device's solutions is the measure of the others: the check fails unless all are equal.
module {
  sdy.mesh @mesh = <["d"=4]>
  func.func @main() {
    %row = stablehlo.iota dim = 2 : tensor<4x1x4x4xf32>
    %column = stablehlo.iota dim = 3 : tensor<4x1x4x4xf32>
    %device = stablehlo.iota dim = 0 : tensor<4x1x4x4xf32>
    %sum = stablehlo.add %row, %column : tensor<4x1x4x4xf32>
    %three = stablehlo.constant dense<3.0> : tensor<4x1x4x4xf32>
    %seven = stablehlo.constant dense<7.0> : tensor<4x1x4x4xf32>
    %odd = stablehlo.remainder %sum, %three : tensor<4x1x4x4xf32>
    %large = stablehlo.add %device, %seven : tensor<4x1x4x4xf32>
    %same = stablehlo.compare EQ, %row, %column : (tensor<4x1x4x4xf32>, tensor<4x1x4x4xf32>) -> tensor<4x1x4x4xi1>
    %a = stablehlo.select %same, %large, %odd : tensor<4x1x4x4xi1>, tensor<4x1x4x4xf32>
    %many = stablehlo.broadcast_in_dim %a, dims = [0, 1, 2, 3] : (tensor<4x1x4x4xf32>) -> tensor<4x50000x4x4xf32>
    %as = sdy.sharding_constraint %many <@mesh, [{"d"}, {}, {}, {}]> : tensor<4x50000x4x4xf32>
    %x = stablehlo.custom_call @lapack_strsm_ffi(%as, %as) {
      mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8},
      operand_layouts = [dense<[2, 3, 1, 0]> : tensor<4xindex>, dense<[2, 3, 1, 0]> : tensor<4xindex>],
      result_layouts = [dense<[2, 3, 1, 0]> : tensor<4xindex>],
      sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l], [i, j, k, m])->([i, j, k, m]) {i=4, j=50000, k=4, l=4, m=4} need_replication={k, l, m}>
    } : (tensor<4x50000x4x4xf32>, tensor<4x50000x4x4xf32>) -> tensor<4x50000x4x4xf32>
    %l = stablehlo.cholesky %as, lower = true : tensor<4x50000x4x4xf32>
    %y = stablehlo.add %x, %l : tensor<4x50000x4x4xf32>
    %last = stablehlo.slice %y [0:4, 49999:50000, 0:4, 0:4] : (tensor<4x50000x4x4xf32>) -> tensor<4x1x4x4xf32>
    %expected = stablehlo.broadcast_in_dim %last, dims = [0, 1, 2, 3] : (tensor<4x1x4x4xf32>) -> tensor<4x50000x4x4xf32>
    %equal = stablehlo.compare EQ, %y, %expected : (tensor<4x50000x4x4xf32>, tensor<4x50000x4x4xf32>) -> tensor<4x50000x4x4xi1>
    %true = stablehlo.constant dense<true> : tensor<i1>
    %all = stablehlo.reduce(%equal init: %true) applies stablehlo.and across dimensions = [0, 1, 2, 3] : (tensor<4x50000x4x4xi1>, tensor<i1>) -> tensor<i1>
    stablehlo.custom_call @check.expect_eq(%all, %true) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()
    return
  }
}
