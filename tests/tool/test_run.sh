#!/bin/sh
# weft run on good programs: the same data and results for every device count and launch, feeding back, donation, uneven
# shards, loops; what it counts is what the dry run says.
. "${top_srcdir:-.}/tests/support/cases.sh"

run() { timeout 120 "$@" >out 2>err </dev/null; }
number() { sed -n "s/^ *\"$2\": *\([0-9]*\),*$/\1/p" "$1" | head -n 1; }
counted_as_predicted() {
    run "$weft" dryrun --json "$1" && cp out dry && run "$weft" run --count "$1" &&
        grep -q "wire_bytes $(number dry wire_bytes), peak_memory_bytes $(number dry peak_memory_bytes)," out
}

# A matrix product with every dimension cut, 7 rows over 4, and a sum; then three rounds of a loop with a reduction inside.
cat >even.mlir <<'END'
module @even {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%a: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                         %b: tensor<12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>},
                         %k: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})
      -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, tensor<i32>) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x12xf32>, tensor<12x16xf32>) -> tensor<8x16xf32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.reduce(%k init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xi32>, tensor<i32>) -> tensor<i32>
    return %0, %1 : tensor<8x16xf32>, tensor<i32>
  }
}
END
cat >loop.mlir <<'END'
module @loop {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4xf32> {
    %n = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %start = stablehlo.constant dense<1.0> : tensor<4xf32>
    %0:2 = stablehlo.while(%i = %n, %v = %start) : tensor<i32>, tensor<4xf32>
    cond {
      %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %w = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
      %p = stablehlo.multiply %a, %w : tensor<8x4xf32>
      %s = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
      stablehlo.return %j, %s : tensor<i32>, tensor<4xf32>
    }
    return %0#1 : tensor<4xf32>
  }
}
END
# What the devices do not divide: 13 rows over 4, of which the argument is donated to the result, and 5 numbers, of which the last device has none.
cat >ragged.mlir <<'END'
module @ragged {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<13x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>, tf.aliasing_output = 0 : i32},
                         %k: tensor<5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<13x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.slice %a [12:13, 0:3] : (tensor<13x3xf32>) -> tensor<1x3xf32>
    %1 = stablehlo.slice %a [0:12, 0:3] : (tensor<13x3xf32>) -> tensor<12x3xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x3xf32>, tensor<12x3xf32>) -> tensor<13x3xf32>
    %3 = stablehlo.add %a, %2 : tensor<13x3xf32>
    %4 = stablehlo.reverse %k, dims = [0] : tensor<5xi32>
    return %3, %4 : tensor<13x3xf32>, tensor<5xi32>
  }
}
END
# Sizes left open come from --types, or from the files of --inputs.
cat >open.mlir <<'END'
func.func @main(%a: tensor<?x3xf32>, %b: tensor<2xi32>) -> (tensor<?x3xf32>, tensor<i32>) {
  %0 = stablehlo.abs %a : tensor<?x3xf32>
  %1 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  return %0, %1 : tensor<?x3xf32>, tensor<i32>
}
END
run "$weft" run open.mlir
[ $? -eq 1 ] && grep -q "argument 0 of '@main' has a shape with '?'" err && grep -q -- '--types' err
result "a shape with '?'" $?
run "$weft" run open.mlir --types 'tensor<5x3xf32>,tensor<2xi32>' --print 1 --outputs open && grep -q 'output 1 = 5' out
result "--types" $?
run "$weft" run open.mlir --types 'tensor<5x4xf32>,tensor<2xi32>'
[ $? -eq 1 ] && grep -q 'dimension sizes must match for static dimensions' err
result "--types that do not fit" $?
run "$weft" run open.mlir --types 'tensor<5x3xf32>,tensor<-2xi32>'
[ $? -eq 1 ] && grep -q "in the type of argument 1, 'tensor<-2xi32>', of the option types" err
result "a type in --types that is none" $?
# 1 + 2^-10 is 1 in bf16. The run and the compiled program are other ones with the option.
cat >rounded.mlir <<'END'
func.func @main(%a: tensor<8x8xf32>) -> (tensor<f32>, tensor<f32>) {
  %one = stablehlo.constant dense<1.0009765625> : tensor<8x8xf32>
  %0 = stablehlo.dot_general %a, %one, contracting_dims = [0, 1] x [0, 1] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<f32>
  %1 = stablehlo.dot_general %a, %one, contracting_dims = [0, 1] x [0, 1], precision = [HIGHEST, HIGHEST] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}
END
for precision in f32 bf16 f32 bf16; do
    [ $precision = f32 ] && want='output 0 = 64.0625' || want='output 0 = 64$'
    run "$weft" run rounded.mlir --fill 0=ones --precision $precision --print 0 && grep -q "$want" out &&
        run "$weft" run rounded.mlir --fill 0=ones --precision $precision --print 1 && grep -q 'output 1 = 64.0625' out
    result "--precision $precision" $?
done
"$weft" compile rounded.mlir --precision=bf16 -o rounded.weft >out 2>err && run "$weft" run rounded.weft --fill 0=ones --print 0 && grep -q 'output 0 = 64$' out
result "compile --precision" $?
run "$weft" run rounded.weft --precision bf16
[ $? -eq 2 ] && grep -q -- '--precision' err
result "--precision of a compiled program" $?
run "$weft" run rounded.mlir --precision tf32
[ $? -eq 2 ] && grep -q "precision is f32 or bf16, not 'tf32'" err
result "a precision that is none" $?
cat >pair.mlir <<'END'
func.func @main(%a: tensor<5x3xf32>, %b: tensor<2xi32>) -> (tensor<5x3xf32>, tensor<2xi32>) {
  return %a, %b : tensor<5x3xf32>, tensor<2xi32>
}
END
run "$weft" run pair.mlir --outputs pair && mv pair/out0.npy pair/in0.npy && mv pair/out1.npy pair/in1.npy && run "$weft" run open.mlir --inputs pair --print 1 && grep -q 'output 1 = 5' out
result "sizes from files" $?

# Micro-batches whose gradients are added up, with weights that are gathered.
cat >batches.mlir <<'END'
module @batches {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%xs: tensor<6x128x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>},
                         %w: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x16xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %start = stablehlo.constant dense<1.0> : tensor<16x16xf32>
    %0:3 = stablehlo.while(%i = %zero, %v = %w, %g = %start) : tensor<i32>, tensor<16x16xf32>, tensor<16x16xf32>
    cond {
      %n = stablehlo.constant dense<6> : tensor<i32>
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %s = stablehlo.dynamic_slice %xs, %i, %zero, %zero, sizes = [1, 128, 16] : (tensor<6x128x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x128x16xf32>
      %x = stablehlo.reshape %s : (tensor<1x128x16xf32>) -> tensor<128x16xf32>
      %p = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<128x16xf32>, tensor<16x16xf32>) -> tensor<128x16xf32>
      %q = stablehlo.tanh %p : tensor<128x16xf32>
      %d = stablehlo.dot_general %x, %q, contracting_dims = [0] x [0] : (tensor<128x16xf32>, tensor<128x16xf32>) -> tensor<16x16xf32>
      %e = stablehlo.add %g, %d : tensor<16x16xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %v, %e : tensor<i32>, tensor<16x16xf32>, tensor<16x16xf32>
    }
    return %0#2 : tensor<16x16xf32>
  }
}
END
for p in even loop batches ragged; do
    run "$weft" dryrun $p.mlir
    if grep -q 'no code can be made' err; then # an op whose kernel is not there yet
        skips=$((skips + 9))
        continue
    fi
    run "$weft" run $p.mlir --devices 1 --outputs one_$p --fill 0=normal
    result "$p on one device" $?
    [ "$(grep -c . out)" -eq 1 ] && grep -q '^ran 1 step on 1 device of 1 process: compiled in [0-9.]* s, ran in [0-9.]* ms$' out && [ ! -s err ]
    result "$p says that it ran" $?
    run "$weft" run $p.mlir --compare one_$p --fill 0=normal
    result "$p on its mesh" $?
    run "$weft" run $p.mlir --compare one_$p --fill 0=normal --seed 1
    [ $? -eq 1 ] && grep -q 'output 0 differs' err
    result "$p with another seed" $?
    run "$weft" opt --weft-partition $p.mlir && cp out $p.local.mlir && run "$weft" opt $p.local.mlir && cmp -s out $p.local.mlir
    result "$p partitioned is read again" $?
    counted_as_predicted $p.mlir
    result "$p counted as predicted" $?
    if command -v mpirun >/dev/null; then
        for n in 1 2 4; do
            run mpirun -n $n "$weft" run $p.mlir --compare one_$p --outputs many_$p --fill 0=normal
            result "$p under mpirun -n $n" $?
        done
        run "$weft" run $p.mlir --outputs threads_$p --fill 0=normal && cmp threads_$p/out0.npy many_$p/out0.npy
        result "$p is the same bit for bit in threads and processes" $?
    else
        skips=$((skips + 4))
    fi
done
# Parts of uneven length come to the files whole, and a donated argument is the result of the step before.
grep -q -- '-> (tensor<4x3xf32> .*"x".*, tensor<2xi32> .*"x"' ragged.local.mlir
result "results that the devices do not divide stay in parts" $?
same() { cmp "$1/out0.npy" one_ragged3/out0.npy && cmp "$1/out1.npy" one_ragged3/out1.npy; }
run "$weft" run ragged.mlir --devices 1 --repeat 3 --outputs one_ragged3 && run "$weft" run ragged.mlir --repeat 3 --outputs many_ragged3 && same many_ragged3
result "ragged, three steps of a donated argument" $?
if command -v mpirun >/dev/null; then
    run mpirun -n 2 "$weft" run ragged.mlir --repeat 3 --outputs two_ragged3 && same two_ragged3
    result "ragged, three steps under mpirun -n 2" $?
else
    skips=$((skips + 1))
fi
run "$weft" dryrun --list batches.mlir && ! grep -q ' 6 ' out
result "batches talk outside of their loop" $?
run "$weft" run even.mlir --mesh x=4,y=2 --compare one_even --fill 0=normal
result "even on another mesh" $?

# A counter: fed back by --feed, or by donation.
cat >count.mlir <<'END'
func.func public @main(%a: tensor<f32>, %b: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.add %a, %one : tensor<f32>
  return %0, %b : tensor<f32>, tensor<4xf32>
}
END
sed 's/%a: tensor<f32>/%a: tensor<f32> {tf.aliasing_output = 0 : i32}/' count.mlir >donated.mlir
run "$weft" run count.mlir --fill 0=5 --repeat 3 --print 0 --feed 0:0 && [ "$(sed -n 's/^step .*output 0 = //p' out | tr '\n' ' ')" = "6 7 8 " ]
result "--feed" $?
run "$weft" run donated.mlir --fill 0=5 --repeat 3 --print 0 && [ "$(sed -n 's/^step .*output 0 = //p' out | tr '\n' ' ')" = "6 7 8 " ]
result "donated arguments" $?
counted_as_predicted donated.mlir
result "donated memory is counted as predicted" $?
# The attribute says what is fed back, also where the memory cannot be shared; a donor takes the first result of its type that is left.
cat >held.mlir <<'END'
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<f32> {ONE}, %b: tensor<f32> {OTHER}, %c: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, jax.buffer_donor = true})
    -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.add %b, %b : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reverse %c, dims = [0] : tensor<4xf32>
  %2 = stablehlo.add %1, %c : tensor<4xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0, %a, %3, %2 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>
}
END
sed 's/ONE/tf.aliasing_output = 0 : i32/; s/OTHER/tf.aliasing_output = 1 : i32/' held.mlir >swapped.mlir
sed 's/ONE/jax.buffer_donor = true/; s/OTHER/jax.buffer_donor = true/' held.mlir >donors.mlir
printed() { sed -n 's/^step .*output 0 = \(.*\)  output 1 = \(.*\)  output 2 = \(.*\)/\1 \2 \3/p' out | tr '\n' ' '; }
for program in swapped donors; do
    for launch in "" "mpirun -n 2"; do
        run $launch "$weft" run $program.mlir --fill 0=1 --fill 1=3 --fill 2=1 --repeat 4 --print 0 --print 1 --print 2 &&
            [ "$(printed)" = "6 1 8 2 6 16 12 2 32 4 12 64 " ]
        result "$program, ${launch:-alone}" $?
    done
    counted_as_predicted $program.mlir
    result "$program: memory is counted as predicted" $?
done
sed 's/ONE/tf.aliasing_output = 4 : i32/' held.mlir >beyond.mlir
sed 's/ONE/tf.aliasing_output = 1 : i32/; s/OTHER/tf.aliasing_output = 1 : i32/' held.mlir >twice.mlir
run "$weft" run beyond.mlir
grep -q 'beyond.mlir:2:17: error: tf.aliasing_output of argument 0 names no result: @main has 4' err
result "an alias of no result" $?
run "$weft" run twice.mlir
grep -q 'argument 1 is donated to result 1, and so is another argument' err
result "two arguments donated to one result" $?
run "$weft" run count.mlir --fill 0=5 --repeat 3 --print 0 && [ "$(sed -n 's/^step .*output 0 = //p' out | tr '\n' ' ')" = "6 6 6 " ]
result "nothing is fed unasked" $?
timeout 120 "$weft" run - --fill 0=2 --print 0 <count.mlir >out 2>err && grep -q 'output 0 = 3' out
result "a program from standard input" $?

# weft opt: parts of a file, foretold diagnostics, output files
cat >parts.mlir <<'END'
func.func @a(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
// -----
func.func @b(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{unknown op}}
  %0 = stablehlo.frobnicate %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
END
run "$weft" opt --split-input-file parts.mlir
[ $? -eq 1 ] && grep -q '@a' out && grep -q 'parts.mlir:7:8: error: ' err && [ "$(grep -c 'error: ' err)" -eq 1 ]
result "--split-input-file" $?
run "$weft" opt --split-input-file --verify-diagnostics parts.mlir && [ ! -s err ]
result "--verify-diagnostics" $?
sed 's/{{unknown op}}/{{another}}/' parts.mlir >wrong.mlir
run "$weft" opt --split-input-file --verify-diagnostics wrong.mlir
[ $? -eq 1 ] && grep -q 'wrong.mlir:6: error: expected error "another" was not produced' err
result "--verify-diagnostics refuses" $?
printf 'func.func @main() { return }\n// expected-error@unknown {{never said}}\n' >unsaid.mlir
cat >large.mlir <<'END'
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4398046511104xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, tf.aliasing_output = 0 : i32}) -> tensor<4398046511104xf32> {
  %0 = stablehlo.negate %a : tensor<4398046511104xf32>
  return %0 : tensor<4398046511104xf32>
}
END
run "$weft" run large.mlir
[ $? -eq 77 ] || grep -q 'error: the program does not fit: [0-9].* of memory may be used here, and 2 devices together need 16.0 TiB$' err
result "more memory than there is" $?
sed 's/4398046511104/64/g' large.mlir >small.mlir
run env SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4 "$weft" run small.mlir
[ $? -eq 0 ] && grep -q "warning: srun has started 4 processes without MPI, and each runs the whole program alone: 'srun --mpi=pmix' or WEFT_RENDEZVOUS makes them one job \[environment\]" err && [ "$(wc -l <err)" -eq 1 ]
result "processes that srun leaves alone" $?
for alone in 'SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=4' 'SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 SLURM_NTASKS=4' 'SLURM_PROCID=x SLURM_STEP_NUM_TASKS=4'; do
    run env $alone "$weft" run small.mlir && [ ! -s err ] || break
done && [ ! -s err ]
result "are told of by the first of them only" $?
cat >threads.mlir <<'END'
func.func @main(%x: tensor<700x513xf32>, %a: tensor<130x300xf64>, %b: tensor<300x257xf64>, %i: tensor<400xi32>) -> (tensor<700x513xf32>, tensor<513x700xf32>, tensor<513xf32>, tensor<130x257xf64>, tensor<700x513xf32>, tensor<300x257xf64>, tensor<300x257xf64>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.exponential %x : tensor<700x513xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<700x513xf32>, tensor<f32>) -> tensor<700xf32>
  %w = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<700xf32>) -> tensor<700x513xf32>
  %0 = stablehlo.divide %e, %w : tensor<700x513xf32>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<700x513xf32>) -> tensor<513x700xf32>
  %1 = stablehlo.tanh %t : tensor<513x700xf32>
  %2 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<700x513xf32>, tensor<f32>) -> tensor<513xf32>
  %3 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<130x300xf64>, tensor<300x257xf64>) -> tensor<130x257xf64>
  %4 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<700x513xf32>) -> tensor<700x513xf32>
  %r = stablehlo.slice %b [0:300, 0:257] : (tensor<300x257xf64>) -> tensor<300x257xf64>
  %n = stablehlo.constant dense<0> : tensor<i32>
  %5:2 = stablehlo.while(%k = %n, %v = %r) : tensor<i32>, tensor<300x257xf64>
  cond {
    %m = stablehlo.constant dense<7> : tensor<i32>
    %more = stablehlo.compare LT, %k, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %k, %one : tensor<i32>
    %back = stablehlo.reverse %v, dims = [0] : tensor<300x257xf64>
    %sum = stablehlo.add %back, %b : tensor<300x257xf64>
    stablehlo.return %next, %sum : tensor<i32>, tensor<300x257xf64>
  }
  %u = "stablehlo.gather"(%b, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 257>, indices_are_sorted = false}> : (tensor<300x257xf64>, tensor<400xi32>) -> tensor<400x257xf64>
  %6 = "stablehlo.scatter"(%b, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%p: tensor<f64>, %q: tensor<f64>):
    %c = stablehlo.add %p, %q : tensor<f64>
    stablehlo.return %c : tensor<f64>
  }) : (tensor<300x257xf64>, tensor<400xi32>, tensor<400x257xf64>) -> tensor<300x257xf64>
  return %0, %1, %2, %3, %4, %5#1, %6 : tensor<700x513xf32>, tensor<513x700xf32>, tensor<513xf32>, tensor<130x257xf64>, tensor<700x513xf32>, tensor<300x257xf64>, tensor<300x257xf64>
}
END
run "$weft" run threads.mlir --threads 1 --outputs with_1
for n in 2 3 5; do
    run "$weft" run threads.mlir --threads $n --repeat 3 --outputs with_$n && diff -r with_1 with_$n >out
    result "the same numbers with $n threads" $?
done
run env WEFT_THREADS=two "$weft" run threads.mlir
[ $? -eq 2 ] && grep -q "WEFT_THREADS is 'two', not a number of threads from 1 to 1024" err
result "WEFT_THREADS that is no number" $?
run "$weft" run even.mlir --devices 1 --outputs even_one --fill 0-1=normal
sed 's/^    %zero = /    %2 = sdy.sharding_constraint %0 <@mesh, [{}, {}]> : tensor<8x16xf32>\n    %zero = /; s/return %0, %1/return %2, %1/' even.mlir >even_whole.mlir
run "$weft" run even_whole.mlir --obey-constraints --count --compare even_one --fill 0-1=normal --rtol 1e-5 --silence replicate && grep -q 'collectives 4' out
result "constraints that are obeyed" $?
run "$weft" opt --verify-diagnostics unsaid.mlir
[ $? -eq 1 ] && grep -q 'expected error "never said" was not produced' err
result "--verify-diagnostics refuses what is expected at no place and never said" $?
run "$weft" opt even.mlir -o new.mlir && [ ! -s out ] && run "$weft" opt new.mlir && cmp -s out new.mlir
result "-o" $?
run "$weft" opt --weft-partition --time --verify-each even.mlir && grep -q '^sdy-convert-global-to-local .* ms$' err && grep -q '^(read) .* ms$' err
result "--time" $?
run "$weft" opt --generic even.mlir && grep -q '"stablehlo.dot_general"' out
result "--generic" $?
finish "no mpirun, or no kernel yet"
