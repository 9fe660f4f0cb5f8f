// What the verifier says of StableHLO's collectives. Each case is a module that is read alone; "error" gives line, column and message.

// -----
// error 3:8 'stablehlo.all_gather': all_gather_dim is 2, expected 0 to 1
func.func @f(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}

// -----
// error 3:8 'stablehlo.all_gather': result 0 has type 'tensor<4x2xf32>', expected 'tensor<8x2xf32>'
func.func @f(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// error 3:8 'stablehlo.all_gather': replica_groups names id 0 twice
func.func @f(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}

// -----
// error 3:8 'stablehlo.all_gather': replica_groups has id -1
func.func @f(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}

// -----
// error 3:8 'stablehlo.all_gather': replica_groups leaves out id 1
func.func @f(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}

// -----
// error 3:8 'stablehlo.all_gather': replica_groups has type 'tensor<2xi64>', expected rank 2
func.func @f(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[0, 1]> : tensor<2xi64>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}

// -----
// error 3:8 'stablehlo.all_gather': use_global_device_ids needs a channel_handle over 0
func.func @f(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}

// -----
// error 3:8 'stablehlo.all_gather': replica_groups has id 99999999
func.func @f(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 99999999]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}

// -----
// error 3:8 'stablehlo.all_gather': replica_groups is neither dense nor #stablehlo.replica_group_mesh_axes
func.func @f(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = "all"}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}

// -----
// error 3:8 'stablehlo.all_reduce': region 0 argument 0 has type 'tensor<i32>', expected 'tensor<f32>'
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%s) : (tensor<i32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
// error 3:8 'stablehlo.all_reduce': result 0 has type 'tensor<5xf32>', expected 'tensor<4xf32>'
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----
// error 3:8 'stablehlo.all_reduce': region 0 argument 0 has type 'tensor<4xf32>', expected 'tensor<f32>'
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    "stablehlo.return"(%s) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
// error 3:8 'stablehlo.reduce_scatter': scatter_dimension is 1, expected 0 to 0
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.reduce_scatter': result 0 has type 'tensor<4xf32>', expected 'tensor<2xf32>'
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
// error 3:8 'stablehlo.reduce_scatter': dimension 0 of operand 0 of type 'tensor<5xf32>' does not divide among 2 devices
func.func @f(%a: tensor<5xf32>) {
  %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<5xf32>) -> tensor<2xf32>
  return
}

// -----
// error 3:8 'stablehlo.all_to_all': split_dimension is 2, expected 0 to 1
func.func @f(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 2 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// error 3:8 'stablehlo.all_to_all': concat_dimension is 2, expected 0 to 1
func.func @f(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 2 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// error 3:8 'stablehlo.all_to_all': split_count is 0, expected at least 1
func.func @f(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// error 3:8 'stablehlo.all_to_all': split_count is 4, but a group has 2 devices
func.func @f(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 4 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// error 3:8 'stablehlo.all_to_all': result 0 has type 'tensor<4x2xf32>', expected 'tensor<2x4xf32>'
func.func @f(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----
// error 3:8 'stablehlo.all_to_all': dimension 0 of operand 0 of type 'tensor<5x2xf32>' does not divide into 2 parts
func.func @f(%a: tensor<5x2xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<5x2xf32>) -> tensor<2x4xf32>
  return
}

// -----
// error 3:8 'stablehlo.collective_permute': source_target_pairs has type 'tensor<1x3xi64>', expected 'tensor<Nx2xi64>'
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
// error 3:8 'stablehlo.collective_permute': sources of source_target_pairs names id 0 twice
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
// error 3:8 'stablehlo.collective_permute': targets of source_target_pairs names id 1 twice
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
// error 3:8 'stablehlo.collective_permute': sources of source_target_pairs has id -1
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[-1, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
// error 3:8 'stablehlo.partition_id': result 0 has type 'tensor<i32>', expected 'tensor<ui32>'
func.func @f() {
  %0 = "stablehlo.partition_id"() : () -> tensor<i32>
  return
}

// -----
// error 3:8 'stablehlo.collective_broadcast': result 0 has type 'tensor<5xf32>', expected 'tensor<4xf32>'
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----
// error 3:8 'stablehlo.all_reduce': replica_groups has 1000000000000 ids, more than there are devices
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<0> : tensor<1000000x1000000xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----
// error 3:8 'stablehlo.all_gather': replica_groups has 1000000000000 ids, more than there are devices
func.func @f(%a: tensor<4x2xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<-1> : tensor<1000000x1000000xi64>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}

// -----
// error 3:8 'stablehlo.collective_permute': sources of source_target_pairs has 2000000000000 ids, more than there are devices
func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<0> : tensor<1000000000000x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}
