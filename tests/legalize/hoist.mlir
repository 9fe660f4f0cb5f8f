// weft opt --weft-hoist-loop-invariants
// A value carried unchanged is not carried: condition, body and what comes behind use the one outside. What is computed from such
// values is computed once; constants it needs are copied, views stay where they are used.
func.func @main(%n: tensor<i32>, %w: tensor<8x8xf32>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8x8xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:4 = stablehlo.while(%i = %zero, %a = %w, %m = %n, %v = %x) : tensor<i32>, tensor<8x8xf32>, tensor<i32>, tensor<8xf32>
  cond {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %end = stablehlo.multiply %m, %two : tensor<i32>
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2.0> : tensor<f32>
    %twos = stablehlo.broadcast_in_dim %two, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %b = stablehlo.multiply %a, %twos : tensor<8x8xf32>
    %t = stablehlo.transpose %b, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %p = stablehlo.dot_general %t, %v, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %row = stablehlo.broadcast_in_dim %two, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %q = stablehlo.divide %p, %row : tensor<8xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %a, %m, %q : tensor<i32>, tensor<8x8xf32>, tensor<i32>, tensor<8xf32>
  }
  return %r#3, %r#1, %r#0 : tensor<8xf32>, tensor<8x8xf32>, tensor<i32>
}
// ==>
module {
  func.func @main(%arg0: tensor<i32>, %arg1: tensor<8x8xf32>, %arg2: tensor<8xf32>) -> (tensor<8xf32>, tensor<8x8xf32>, tensor<i32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %0 = stablehlo.multiply %arg0, %c_0 : tensor<i32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %2 = stablehlo.multiply %arg1, %1 : tensor<8x8xf32>
    %3:2 = stablehlo.while(%iterArg = %c, %iterArg_1 = %arg2) : tensor<i32>, tensor<8xf32>
    cond {
      %4 = stablehlo.compare LT, %iterArg, %0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %4 = stablehlo.transpose %2, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
      %5 = stablehlo.dot_general %4, %iterArg_1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>
      %6 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %7 = stablehlo.divide %5, %6 : tensor<8xf32>
      %8 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      stablehlo.return %8, %7 : tensor<i32>, tensor<8xf32>
    }
    return %3#1, %arg1, %3#0 : tensor<8xf32>, tensor<8x8xf32>, tensor<i32>
  }
}
// -----
// weft opt --weft-hoist-loop-invariants
// Out of all loops of a nest, through loops that hand a value on.
func.func @main(%n: tensor<i32>, %w: tensor<8xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:3 = stablehlo.while(%i = %zero, %a = %w, %v = %x) : tensor<i32>, tensor<8xf32>, tensor<8xf32>
  cond {
    %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %s:3 = stablehlo.while(%k = %z, %c = %a, %u = %v) : tensor<i32>, tensor<8xf32>, tensor<8xf32>
    cond {
      %more = stablehlo.compare LT, %k, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %e = stablehlo.exponential %c : tensor<8xf32>
      %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
      %g = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %h = stablehlo.multiply %u, %g : tensor<8xf32>
      %y = stablehlo.add %h, %e : tensor<8xf32>
      %l = stablehlo.add %k, %one : tensor<i32>
      stablehlo.return %l, %c, %y : tensor<i32>, tensor<8xf32>, tensor<8xf32>
    }
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %s#1, %s#2 : tensor<i32>, tensor<8xf32>, tensor<8xf32>
  }
  return %r#2 : tensor<8xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<i32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) -> tensor<8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.exponential %arg1 : tensor<8xf32>
    %1:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg2) : tensor<i32>, tensor<8xf32>
    cond {
      %2 = stablehlo.compare LT, %iterArg, %arg0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %2 = stablehlo.convert %iterArg : (tensor<i32>) -> tensor<f32>
      %3:2 = stablehlo.while(%iterArg_3 = %c_1, %iterArg_4 = %iterArg_0) : tensor<i32>, tensor<8xf32>
      cond {
        %5 = stablehlo.compare LT, %iterArg_3, %iterArg : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %5 : tensor<i1>
      } do {
        %c_5 = stablehlo.constant dense<1> : tensor<i32>
        %5 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8xf32>
        %6 = stablehlo.multiply %iterArg_4, %5 : tensor<8xf32>
        %7 = stablehlo.add %6, %0 : tensor<8xf32>
        %8 = stablehlo.add %iterArg_3, %c_5 : tensor<i32>
        stablehlo.return %8, %7 : tensor<i32>, tensor<8xf32>
      }
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      stablehlo.return %4, %3#1 : tensor<i32>, tensor<8xf32>
    }
    return %1#1 : tensor<8xf32>
  }
}
// -----
// weft opt --weft-hoist-loop-invariants
// What would need far more memory than what it is made of stays; what is small again behind it moves, with a copy of it.
func.func @main(%n: tensor<i32>, %x: tensor<1024xf32>, %y: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %r:3 = stablehlo.while(%i = %zero, %v = %y, %u = %x) : tensor<i32>, tensor<1024x1024xf32>, tensor<1024xf32>
  cond {
    %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %a = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<1024xf32>) -> tensor<1024x1024xf32>
    %b = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<1024xf32>) -> tensor<1024x1024xf32>
    %o = stablehlo.multiply %a, %b : tensor<1024x1024xf32>
    %w = stablehlo.add %v, %o : tensor<1024x1024xf32>
    %s = stablehlo.reduce(%o init: %none) applies stablehlo.add across dimensions = [0] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
    %t = stablehlo.add %u, %s : tensor<1024xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %w, %t : tensor<i32>, tensor<1024x1024xf32>, tensor<1024xf32>
  }
  return %r#1, %r#2 : tensor<1024x1024xf32>, tensor<1024xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<i32>, %arg1: tensor<1024xf32>, %arg2: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<1024xf32>) -> tensor<1024x1024xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<1024xf32>) -> tensor<1024x1024xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<1024x1024xf32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
    %4:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg2, %iterArg_1 = %arg1) : tensor<i32>, tensor<1024x1024xf32>, tensor<1024xf32>
    cond {
      %5 = stablehlo.compare LT, %iterArg, %arg0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<1024xf32>) -> tensor<1024x1024xf32>
      %6 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<1024xf32>) -> tensor<1024x1024xf32>
      %7 = stablehlo.multiply %5, %6 : tensor<1024x1024xf32>
      %8 = stablehlo.add %iterArg_0, %7 : tensor<1024x1024xf32>
      %9 = stablehlo.add %iterArg_1, %3 : tensor<1024xf32>
      %10 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      stablehlo.return %10, %8, %9 : tensor<i32>, tensor<1024x1024xf32>, tensor<1024xf32>
    }
    return %4#1, %4#2 : tensor<1024x1024xf32>, tensor<1024xf32>
  }
}
// -----
// weft opt --weft-hoist-loop-invariants
// Effects, collectives, calls that may fail, loops and what stands in a branch stay; a branch without effects moves whole.
func.func @main(%n: tensor<i32>, %p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    stablehlo.custom_call @check.expect_eq(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> ()
    %all = "stablehlo.all_reduce"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %w = stablehlo.while(%q = %p) : tensor<i1>
    cond {
      stablehlo.return %q : tensor<i1>
    } do {
      %m = stablehlo.not %q : tensor<i1>
      stablehlo.return %m : tensor<i1>
    }
    %odd = stablehlo.compare EQ, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %eq = stablehlo.custom_call @check.eq(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<i1>
    %and = stablehlo.and %odd, %w : tensor<i1>
    %both = stablehlo.and %and, %eq : tensor<i1>
    %c = "stablehlo.if"(%both) ({
      %e = stablehlo.exponential %x : tensor<4xf32>
      stablehlo.return %e : tensor<4xf32>
    }, {
      stablehlo.return %v : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    %d = "stablehlo.if"(%p) ({
      %e = stablehlo.exponential %x : tensor<4xf32>
      stablehlo.return %e : tensor<4xf32>
    }, {
      stablehlo.return %x : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    %f = stablehlo.add %c, %all : tensor<4xf32>
    %g = stablehlo.add %f, %d : tensor<4xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %g : tensor<i32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}
// ==>
module {
  func.func @main(%arg0: tensor<i32>, %arg1: tensor<i1>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = "stablehlo.if"(%arg1) ({
      %2 = stablehlo.exponential %arg2 : tensor<4xf32>
      stablehlo.return %2 : tensor<4xf32>
    }, {
      stablehlo.return %arg2 : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    %1:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg2) : tensor<i32>, tensor<4xf32>
    cond {
      %2 = stablehlo.compare LT, %iterArg, %arg0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      stablehlo.custom_call @check.expect_eq(%arg2, %arg2) : (tensor<4xf32>, tensor<4xf32>) -> ()
      %2 = "stablehlo.all_reduce"(%arg2) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
      ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
        %12 = stablehlo.add %arg3, %arg4 : tensor<f32>
        stablehlo.return %12 : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      %3 = stablehlo.while(%iterArg_2 = %arg1) : tensor<i1>
      cond {
        stablehlo.return %iterArg_2 : tensor<i1>
      } do {
        %12 = stablehlo.not %iterArg_2 : tensor<i1>
        stablehlo.return %12 : tensor<i1>
      }
      %4 = stablehlo.compare EQ, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %5 = stablehlo.custom_call @check.eq(%arg2, %arg2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<i1>
      %6 = stablehlo.and %4, %3 : tensor<i1>
      %7 = stablehlo.and %6, %5 : tensor<i1>
      %8 = "stablehlo.if"(%7) ({
        %12 = stablehlo.exponential %arg2 : tensor<4xf32>
        stablehlo.return %12 : tensor<4xf32>
      }, {
        stablehlo.return %iterArg_0 : tensor<4xf32>
      }) : (tensor<i1>) -> tensor<4xf32>
      %9 = stablehlo.add %8, %2 : tensor<4xf32>
      %10 = stablehlo.add %9, %0 : tensor<4xf32>
      %11 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      stablehlo.return %11, %10 : tensor<i32>, tensor<4xf32>
    }
    return %1#1 : tensor<4xf32>
  }
}
// -----
// weft opt --weft-hoist-loop-invariants
// Two values that change places are carried; one that becomes what it was given is not, one that becomes another is. Shardings follow.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %r:5 = stablehlo.while(%q = %p, %a = %x, %b = %x, %c = %y, %d = %y) : tensor<i1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
      attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{}]>, <@mesh, [{}]>, <@mesh, [{}]>, <@mesh, [{"x"}]>]>}
    cond {
      stablehlo.return %q : tensor<i1>
    } do {
      %m = stablehlo.not %q : tensor<i1>
      stablehlo.return %m, %b, %a, %y, %x : tensor<i1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    }
    return %r#2, %r#3, %r#4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<i1>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %0:4 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1, %iterArg_1 = %arg1, %iterArg_2 = %arg2) : tensor<i1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{}]>, <@mesh, [{}]>, <@mesh, [{"x"}]>]>}
    cond {
      stablehlo.return %iterArg : tensor<i1>
    } do {
      %1 = stablehlo.not %iterArg : tensor<i1>
      stablehlo.return %1, %iterArg_1, %iterArg_0, %arg1 : tensor<i1>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    }
    return %0#2, %arg2, %0#3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
// -----
// weft opt --weft-hoist-loop-invariants=collectives=true
// Collectives of what does not change, when asked for. The larger gather moves; the other would hold more memory than the loop needs anyway.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%w: tensor<100000xf32>, %v: tensor<150000xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %o:2 = stablehlo.while(%i0 = %zero, %a = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %end0 = stablehlo.constant dense<3> : tensor<i32>
      %more0 = stablehlo.compare LT, %i0, %end0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more0 : tensor<i1>
    } do {
      %one0 = stablehlo.constant dense<1> : tensor<i32>
      %g = "stablehlo.all_gather"(%w) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<100000xf32>) -> tensor<200000xf32>
      %h = "stablehlo.all_gather"(%v) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<150000xf32>) -> tensor<300000xf32>
      %s = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %t = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      %g4 = stablehlo.dynamic_slice %g, %i0, sizes = [4] : (tensor<200000xf32>, tensor<i32>) -> tensor<4xf32>
      %h4 = stablehlo.dynamic_slice %h, %i0, sizes = [4] : (tensor<300000xf32>, tensor<i32>) -> tensor<4xf32>
      %k = stablehlo.multiply %g4, %h4 : tensor<4xf32>
      %l = stablehlo.multiply %k, %s : tensor<4xf32>
      %d = stablehlo.add %a, %l : tensor<4xf32>
      %j0 = stablehlo.add %i0, %one0 : tensor<i32>
      stablehlo.return %j0, %d : tensor<i32>, tensor<4xf32>
    }
    return %o#1 : tensor<4xf32>
  }
}
// ==>
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<100000xf32>, %arg1: tensor<150000xf32>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<150000xf32>) -> tensor<300000xf32>
    %1 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %3 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %2:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg2) : tensor<i32>, tensor<4xf32>
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %3 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<100000xf32>) -> tensor<200000xf32>
      %4 = stablehlo.dynamic_slice %3, %iterArg, sizes = [4] : (tensor<200000xf32>, tensor<i32>) -> tensor<4xf32>
      %5 = stablehlo.dynamic_slice %0, %iterArg, sizes = [4] : (tensor<300000xf32>, tensor<i32>) -> tensor<4xf32>
      %6 = stablehlo.multiply %4, %5 : tensor<4xf32>
      %7 = stablehlo.multiply %6, %1 : tensor<4xf32>
      %8 = stablehlo.add %iterArg_0, %7 : tensor<4xf32>
      %9 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      stablehlo.return %9, %8 : tensor<i32>, tensor<4xf32>
    }
    return %2#1 : tensor<4xf32>
  }
}
