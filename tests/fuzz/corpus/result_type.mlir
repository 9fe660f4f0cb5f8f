
// error 3:8 'stablehlo.all_to_all': split_count is 4, but a group has 2 devices
func.func @f(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 4 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> ui16tensor<2x4xf32>
  return
}

