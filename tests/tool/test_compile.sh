#!/bin/sh
# weft compile, and weft run of what it wrote: the same results as of the text, in any launch, without LLVM; files that are damaged, of another
# build or processor are refused in one line.
. "${top_srcdir:-.}/tests/support/cases.sh"

cat >even.mlir <<'END'
module @even {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>, tf.aliasing_output = 0 : i32},
                         %b: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>})
      -> (tensor<8x12xf32>, tensor<f32>) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x12xf32>, tensor<12x12xf32>) -> tensor<8x12xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x12xf32>, tensor<f32>) -> tensor<f32>
    return %0, %1 : tensor<8x12xf32>, tensor<f32>
  }
}
END
"$weft" compile even.mlir >out 2>err && [ ! -s out ] && [ ! -s err ] && [ -s even.weft ]
result "compile writes even.weft and says nothing" $?
mkdir -p folder && "$weft" compile even.mlir -o folder/other >out 2>err && cmp -s even.weft folder/other
result "-o names the file; two compilations are equal" $?
"$weft" compile - -o folder/stdin <even.mlir >out 2>err && [ -s folder/stdin ]
result "standard input is compiled" $?
"$weft" run even.mlir --outputs want >out 2>err && "$weft" run even.weft --outputs got >out 2>err && cmp want/out0.npy got/out0.npy && cmp want/out1.npy got/out1.npy
result "text and compiled program have equal results" $?
prints '2 outputs agree' "$weft" run even.weft --compare want
prints 'ran 1 step on 4 devices of 1 process: ran in' "$weft" run even.weft
prints 'step 3: .* output 1 =' "$weft" run even.weft --repeat 3 --print 1
prints 'profile of device 0' "$weft" run even.weft --profile
"$weft" run even.weft --repeat 3 --outputs third >out 2>err && "$weft" run even.mlir --repeat 3 --outputs thirds >out 2>err && cmp third/out0.npy thirds/out0.npy
result "donated arguments are fed back" $?
"$weft" run even.weft --count >out 2>err && mv out counted && "$weft" run even.mlir --count >out 2>err && cmp out counted
result "--count counts the same" $?
"$weft" run even.weft --trace step.json >out 2>err && grep -q 'even.mlir:6' step.json
result "--trace names the lines of the text" $?
cat even.weft | "$weft" run - >out 2>err && grep -q 'ran 1 step' out
result "a compiled program comes by standard input" $?
if command -v mpirun >/dev/null && grep -q '^#define HAVE_MPI 1' "$build/config.h"; then
    mpirun -n 4 "$weft" run even.weft --outputs mpi >out 2>err && cmp want/out0.npy mpi/out0.npy
    result "four processes run it" $?
    mpirun -n 3 "$weft" run even.weft >out 2>err
    [ $? -ne 0 ] && [ "$(grep -c 'error:' err)" -eq 1 ]
    result "three processes do not, and say so once" $?
fi

# Without LLVM: weft-load has none, and weft starts it for compiled programs only.
ldd "$build/weft-load" >out 2>err && ! grep -q LLVM out
result "weft-load needs no LLVM" $?
mkdir bin && cp "$weft" bin/weft && printf '#!/bin/sh\necho load "$@"\n' >bin/weft-load && printf '#!/bin/sh\necho full "$@"\n' >bin/weft-full && chmod +x bin/*
[ "$(bin/weft run --repeat 2 even.weft)" = "load run --repeat 2 even.weft" ] && [ "$(bin/weft run even.mlir)" = "full run even.mlir" ] &&
    [ "$(bin/weft verify even.weft)" = "full verify even.weft" ]
result "weft starts weft-load for compiled programs only" $?
"$build/weft-load" run even.mlir >out 2>err && grep -q 'compiled in' out
result "weft-load passes on what is to be compiled" $?
"$build/weft-load" run --outputs even.weft - <even.mlir >out 2>err
[ $? -eq 1 ] && grep -q "'even.weft/out0.npy' cannot be written" err
result "weft-load leaves standard input to the program that it passes on to" $?

# ---- options that are for compilation, commands that want the text ----
for option in --mesh=x=1 --topology=dgx-h100 --order=x,y --obey-constraints --plan=none --types=f32 --no-overlap --dump=steps "--rule=f=i->i"; do
    name=${option%%=*}
    refuses 2 "'even.weft' is compiled already: $name is for 'weft compile'" "$weft" run even.weft "$option"
done
refuses 2 "devices 2, but 'even.weft' is compiled for 4" "$weft" run even.weft --devices 2
prints 'ran 1 step on 4 devices' "$weft" run even.weft --devices 4
for command in compile verify dryrun opt explain; do
    [ $command = compile ] && more='-o x.weft' || more=
    refuses 2 "'even.weft' is a compiled program, for 'weft run' only" "$weft" $command even.weft $more
done
refuses 2 'standard input has no name' "$weft" compile - </dev/null
refuses 2 "there is no processor 'znvr4'; did you mean 'znver4'" "$weft" compile even.mlir --cpu znvr4
refuses 2 "takes a name such as x86-64-v3, not 'haswell,+avx2'" "$weft" compile even.mlir --cpu haswell,+avx2
refuses 1 "'no/such/x.weft' cannot be written: No such file" "$weft" compile even.mlir -o no/such/x.weft
refuses 1 "absent.mlir' cannot be opened" "$weft" compile absent.mlir
prints 'devices of 1 process' "$weft" run --devices 4 even.mlir
"$weft" compile even.mlir --mesh x=1,y=1 --cpu x86-64 -o one.weft >out 2>err && "$weft" run one.weft >out 2>err && grep -q '1 device of' out
result "--mesh and --cpu are options of compile" $?

# ---- bad files: one line, and nothing runs ----
size=$(wc -c <even.weft)
for n in 8 12 19 20 100 $((size / 2)) $((size - 1)); do
    head -c "$n" even.weft >cut.weft
    "$weft" run cut.weft >out 2>err
    [ $? -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "'cut.weft' is" err && [ ! -s out ]
    result "a program of $n bytes is refused in one line" $?
done
{ head -c $((size / 2)) even.weft; printf 'x'; tail -c +$((size / 2 + 2)) even.weft; } >changed.weft
refuses 1 "'changed.weft' is damaged or cut off" "$weft" run changed.weft
sed "s/0\.1\.0+/0.0.9+/" even.weft >older.weft
"$weft" run older.weft >out 2>err
[ $? -eq 1 ] && grep -qE "damaged|was compiled by Weft" err
result "a program of another version is refused" $?
: >empty.weft
"$weft" run empty.weft >out 2>err
[ $? -eq 1 ]
result "an empty file is refused" $?
finish
