// weft opt --weft-defer-reductions
// A sum leaves both loops of a nest: the inner one's result is what the outer one adds up.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %o:2 = stablehlo.while(%i0 = %zero, %a = %c) : tensor<i32>, tensor<4xf32>
    cond {
      %end0 = stablehlo.constant dense<3> : tensor<i32>
      %more0 = stablehlo.compare LT, %i0, %end0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more0 : tensor<i1>
    } do {
      %one0 = stablehlo.constant dense<1> : tensor<i32>
      %y = stablehlo.sine %x : tensor<4xf32>
    %r:2 = stablehlo.while(%i1 = %zero, %b = %a) : tensor<i32>, tensor<4xf32>
    cond {
      %end1 = stablehlo.constant dense<4> : tensor<i32>
      %more1 = stablehlo.compare LT, %i1, %end1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more1 : tensor<i1>
    } do {
      %one1 = stablehlo.constant dense<1> : tensor<i32>
      %s = "stablehlo.all_reduce"(%y) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %t = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      %d = stablehlo.add %s, %b : tensor<4xf32>
      %j1 = stablehlo.add %i1, %one1 : tensor<i32>
      stablehlo.return %j1, %d : tensor<i32>, tensor<4xf32>
    }
      %j0 = stablehlo.add %i0, %one0 : tensor<i32>
      stablehlo.return %j0, %r#1 : tensor<i32>, tensor<4xf32>
    }
    return %o#1 : tensor<4xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %cst) : tensor<i32>, tensor<4xf32>
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.sine %arg0 : tensor<4xf32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
      %4:2 = stablehlo.while(%iterArg_3 = %c, %iterArg_4 = %cst_2) : tensor<i32>, tensor<4xf32>
      cond {
        %c_5 = stablehlo.constant dense<4> : tensor<i32>
        %7 = stablehlo.compare LT, %iterArg_3, %c_5 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %7 : tensor<i1>
      } do {
        %c_5 = stablehlo.constant dense<1> : tensor<i32>
        %7 = stablehlo.add %3, %iterArg_4 : tensor<4xf32>
        %8 = stablehlo.add %iterArg_3, %c_5 : tensor<i32>
        stablehlo.return %8, %7 : tensor<i32>, tensor<4xf32>
      }
      %5 = stablehlo.add %iterArg_0, %4#1 : tensor<4xf32>
      %6 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      stablehlo.return %6, %5 : tensor<i32>, tensor<4xf32>
    }
    %1 = "stablehlo.all_reduce"(%0#1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %3 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.add %arg1, %1 : tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}
// -----
// weft opt --weft-defer-reductions
// The sum so far is read in the loop: it stays.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %o:2 = stablehlo.while(%i0 = %zero, %a = %c) : tensor<i32>, tensor<4xf32>
    cond {
      %end0 = stablehlo.constant dense<3> : tensor<i32>
      %more0 = stablehlo.compare LT, %i0, %end0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more0 : tensor<i1>
    } do {
      %one0 = stablehlo.constant dense<1> : tensor<i32>
      %y = stablehlo.multiply %x, %a : tensor<4xf32>
      %s = "stablehlo.all_reduce"(%y) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %t = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      %d = stablehlo.add %a, %s : tensor<4xf32>
      %j0 = stablehlo.add %i0, %one0 : tensor<i32>
      stablehlo.return %j0, %d : tensor<i32>, tensor<4xf32>
    }
    return %o#1 : tensor<4xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1) : tensor<i32>, tensor<4xf32>
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.multiply %arg0, %iterArg_0 : tensor<4xf32>
      %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %5 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %5 : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      %3 = stablehlo.add %iterArg_0, %2 : tensor<4xf32>
      %4 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      stablehlo.return %4, %3 : tensor<i32>, tensor<4xf32>
    }
    return %0#1 : tensor<4xf32>
  }
}
// -----
// weft opt --weft-defer-reductions
// Not a sum over the devices, or the sum of a turn is used besides: it stays.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %o:2 = stablehlo.while(%i0 = %zero, %a = %c) : tensor<i32>, tensor<4xf32>
    cond {
      %end0 = stablehlo.constant dense<3> : tensor<i32>
      %more0 = stablehlo.compare LT, %i0, %end0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more0 : tensor<i1>
    } do {
      %one0 = stablehlo.constant dense<1> : tensor<i32>
      %s = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %t = stablehlo.maximum %p, %q : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      %d = stablehlo.add %a, %s : tensor<4xf32>
      %j0 = stablehlo.add %i0, %one0 : tensor<i32>
      stablehlo.return %j0, %d : tensor<i32>, tensor<4xf32>
    }
    %o2:2 = stablehlo.while(%i1 = %zero, %a2 = %c) : tensor<i32>, tensor<4xf32>
    cond {
      %end1 = stablehlo.constant dense<4> : tensor<i32>
      %more1 = stablehlo.compare LT, %i1, %end1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more1 : tensor<i1>
    } do {
      %one1 = stablehlo.constant dense<1> : tensor<i32>
      %s2 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %t = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      %s3 = stablehlo.sine %s2 : tensor<4xf32>
      %d1 = stablehlo.add %a2, %s2 : tensor<4xf32>
      %d2 = stablehlo.add %s3, %s3 : tensor<4xf32>
      %j1 = stablehlo.add %i1, %one1 : tensor<i32>
      stablehlo.return %j1, %d1 : tensor<i32>, tensor<4xf32>
    }
    %e = stablehlo.add %o#1, %o2#1 : tensor<4xf32>
    return %e : tensor<4xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1) : tensor<i32>, tensor<4xf32>
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %3 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %6 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
        stablehlo.return %6 : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      %4 = stablehlo.add %iterArg_0, %3 : tensor<4xf32>
      %5 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      stablehlo.return %5, %4 : tensor<i32>, tensor<4xf32>
    }
    %1:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1) : tensor<i32>, tensor<4xf32>
    cond {
      %c_1 = stablehlo.constant dense<4> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %3 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %8 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %8 : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      %4 = stablehlo.sine %3 : tensor<4xf32>
      %5 = stablehlo.add %iterArg_0, %3 : tensor<4xf32>
      %6 = stablehlo.add %4, %4 : tensor<4xf32>
      %7 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      stablehlo.return %7, %5 : tensor<i32>, tensor<4xf32>
    }
    %2 = stablehlo.add %0#1, %1#1 : tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}
// -----
// weft opt --weft-defer-reductions
// An all_reduce that converts: the loop adds f32, the devices have bf16.
module {
func.func @main(%x: tensor<4xbf16>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %z, %a = %c) : tensor<i32>, tensor<4xf32> cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %o = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %o : tensor<i32>
    %s = "stablehlo.all_reduce"(%x) ({ ^bb0(%u: tensor<f32>, %v: tensor<f32>): 
         %t = stablehlo.add %u, %v : tensor<f32>
         stablehlo.return %t : tensor<f32> }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xbf16>) -> tensor<4xf32>
    %b = stablehlo.add %a, %s : tensor<4xf32>
    stablehlo.return %j, %b : tensor<i32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}
}
// ==>
module {
  func.func @main(%arg0: tensor<4xbf16>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1) : tensor<i32>, tensor<4xf32>
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %2 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %4 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %4 : tensor<f32>
      }) : (tensor<4xbf16>) -> tensor<4xf32>
      %3 = stablehlo.add %iterArg_0, %2 : tensor<4xf32>
      stablehlo.return %1, %3 : tensor<i32>, tensor<4xf32>
    }
    return %0#1 : tensor<4xf32>
  }
}
// -----
// weft opt --weft-defer-reductions
// Terms of f16 may cancel in each turn where the sums of one device leave its range.
module {
func.func @main(%x: tensor<4xf16>, %c: tensor<4xf16>) -> tensor<4xf16> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %z, %a = %c) : tensor<i32>, tensor<4xf16> cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %o = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %o : tensor<i32>
    %s = "stablehlo.all_reduce"(%x) ({ ^bb0(%u: tensor<f16>, %v: tensor<f16>): 
         %t = stablehlo.add %u, %v : tensor<f16>
         stablehlo.return %t : tensor<f16> }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf16>) -> tensor<4xf16>
    %b = stablehlo.add %a, %s : tensor<4xf16>
    stablehlo.return %j, %b : tensor<i32>, tensor<4xf16>
  }
  return %r#1 : tensor<4xf16>
}
}
// ==>
module {
  func.func @main(%arg0: tensor<4xf16>, %arg1: tensor<4xf16>) -> tensor<4xf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1) : tensor<i32>, tensor<4xf16>
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %2 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
      ^bb0(%arg2: tensor<f16>, %arg3: tensor<f16>):
        %4 = stablehlo.add %arg2, %arg3 : tensor<f16>
        stablehlo.return %4 : tensor<f16>
      }) : (tensor<4xf16>) -> tensor<4xf16>
      %3 = stablehlo.add %iterArg_0, %2 : tensor<4xf16>
      stablehlo.return %1, %3 : tensor<i32>, tensor<4xf16>
    }
    return %0#1 : tensor<4xf16>
  }
}
// -----
// weft opt --weft-defer-reductions
// bf16 has the range of f32.
module {
func.func @main(%x: tensor<4xbf16>, %c: tensor<4xbf16>) -> tensor<4xbf16> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %z, %a = %c) : tensor<i32>, tensor<4xbf16> cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %o = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %o : tensor<i32>
    %s = "stablehlo.all_reduce"(%x) ({ ^bb0(%u: tensor<bf16>, %v: tensor<bf16>): 
         %t = stablehlo.add %u, %v : tensor<bf16>
         stablehlo.return %t : tensor<bf16> }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xbf16>) -> tensor<4xbf16>
    %b = stablehlo.add %a, %s : tensor<4xbf16>
    stablehlo.return %j, %b : tensor<i32>, tensor<4xbf16>
  }
  return %r#1 : tensor<4xbf16>
}
}
// ==>
module {
  func.func @main(%arg0: tensor<4xbf16>, %arg1: tensor<4xbf16>) -> tensor<4xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4xbf16>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %cst) : tensor<i32>, tensor<4xbf16>
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %4 = stablehlo.add %iterArg_0, %arg0 : tensor<4xbf16>
      stablehlo.return %3, %4 : tensor<i32>, tensor<4xbf16>
    }
    %1 = "stablehlo.all_reduce"(%0#1) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%arg2: tensor<bf16>, %arg3: tensor<bf16>):
      %3 = stablehlo.add %arg2, %arg3 : tensor<bf16>
      stablehlo.return %3 : tensor<bf16>
    }) : (tensor<4xbf16>) -> tensor<4xbf16>
    %2 = stablehlo.add %arg1, %1 : tensor<4xbf16>
    return %2 : tensor<4xbf16>
  }
}
