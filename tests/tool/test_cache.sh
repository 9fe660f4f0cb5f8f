#!/bin/sh
# The cache of compiled code as users see it: the second run finds what the first one kept and has its results and warnings; entries that are
# damaged, folders that are bad and disks that are full cost time and one line, never a result; writers may be killed and may be many.
. "${top_srcdir:-.}/tests/support/cases.sh"
WEFT_CACHE_DIR=$tmp/cache
export WEFT_CACHE_DIR
unset WEFT_CACHE_SIZE
dir=$WEFT_CACHE_DIR

cat >even.mlir <<'END'
module @even {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                         %b: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<8x12xf32>, tensor<f32>, tensor<8x12xf32>) {
    %0 = stablehlo.add %a, %b : tensor<8x12xf32>
    %1 = stablehlo.tanh %0 : tensor<8x12xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x12xf32>, tensor<f32>) -> tensor<f32>
    %3 = "stablehlo.sort"(%1) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) : (tensor<8x12xf32>) -> tensor<8x12xf32>
    return %1, %2, %3 : tensor<8x12xf32>, tensor<f32>, tensor<8x12xf32>
  }
}
END
# A loop of one function, with what it computes.
cat >loop.mlir <<'END'
func.func @main(%a: tensor<16xf32>, %n: tensor<i32>) -> tensor<16xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %w:2 = stablehlo.while(%i = %zero, %v = %a) : tensor<i32>, tensor<16xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %s = stablehlo.sine %v : tensor<16xf32>
    %m = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %m, %s : tensor<i32>, tensor<16xf32>
  }
  return %w#1 : tensor<16xf32>
}
END
WEFT_CACHE_DIR=none "$weft" run even.mlir --outputs want >out 2>err && WEFT_CACHE_DIR=none "$weft" run loop.mlir --fill 1=5 --outputs want_loop >out 2>err && [ ! -e "$dir" ]
result "none: nothing is kept" $?

# right OUT: the results of even.mlir lie there, and err is empty.
right() { cmp want/out0.npy "$1/out0.npy" && cmp want/out1.npy "$1/out1.npy" && cmp want/out2.npy "$1/out2.npy" && [ ! -s err ]; }
kernels() { ls "$dir" | grep -c '^kernel-'; }

"$weft" run even.mlir --outputs first >out 2>err && right first && grep -q ': compiled in' out && [ "$(ls "$dir" | grep -c '^program-')" -eq 1 ] && [ "$(kernels)" -ge 1 ]
result "the first run compiles and keeps the program and its functions" $?
[ "$(ls -ld "$dir" | cut -c 1-10)" = drwx------ ]
result "the folder is the user's alone" $?
"$weft" run even.mlir --outputs second >out 2>err && right second && grep -q 'found compiled' out
result "the second run finds the program" $?
"$weft" run even.mlir --repeat 3 >out 2>err && grep -q 'found compiled' out
result "whatever it is run for" $?
before=$(kernels)
"$weft" run even.mlir --no-overlap --outputs third >out 2>err && right third && grep -q ': compiled in' out && [ "$(kernels)" -eq "$before" ] && [ "$(ls "$dir" | grep -c '^program-')" -eq 2 ]
result "with other options it is compiled, of the same functions" $?
before=$(kernels)
"$weft" compile even.mlir --cpu x86-64 -o old.weft >out 2>err && [ "$(kernels)" -gt "$before" ] && before=$(kernels) && "$weft" compile even.mlir --cpu x86-64 -o old.weft >out 2>err && [ "$(kernels)" -eq "$before" ]
result "functions for another processor are others" $?
for n in 1 2 3; do
    "$weft" run loop.mlir --fill 1=5 --outputs "loop$n" >out 2>err && cmp want_loop/out0.npy "loop$n/out0.npy"
    result "a loop, run $n" $?
    [ $n -ne 2 ] || rm -f "$dir"/program-* # then of functions
done

# ---- the command ----
prints 'of at most 1.0 GiB' "$weft" cache ls
grep -q " functions" out
result "ls has the functions" $?
"$weft" cache clear >out 2>err && grep -q "removed [0-9]* entries of $dir" out && [ -z "$(ls -A "$dir")" ]
result "clear removes all" $?
prints '0 programs' "$weft" cache ls
prints 'is not there: the cache has no program' "$weft" cache why-miss even.mlir
"$weft" cache warm even.mlir loop.mlir >out 2>err && grep -q '^even.mlir: compiled in .* s, 0 functions found and [0-9]* compiled' out && grep -q '^loop.mlir: compiled' out
result "warm compiles" $?
prints 'found compiled' "$weft" run loop.mlir
prints '^even.mlir: was there' "$weft" cache warm even.mlir
prints '^even.mlir is there' "$weft" cache why-miss even.mlir
"$weft" cache why-miss even.mlir --mesh x=1 >out 2>err && grep -q '^even.mlir is not there; the nearest entry (even.mlir, 4 devices) differs:' out && grep -q 'here:  mesh x=1' out && grep -q 'there: mesh -' out && [ "$(wc -l <out)" -eq 3 ]
result "why-miss says which option differs" $?
sed 's/tanh/sine/' even.mlir >changed.mlir && mkdir -p other && cp changed.mlir other/even.mlir && cd other && "$weft" cache why-miss even.mlir >../out 2>../err && cd .. && [ "$(grep -c text out)" -eq 2 ] && [ "$(wc -l <out)" -eq 3 ]
result "why-miss says that the text differs" $?
refuses 2 "'list' is none of ls, warm, clear, why-miss" "$weft" cache list
refuses 2 'warm takes programs' "$weft" cache warm
refuses 1 "absent.mlir' cannot be opened" "$weft" cache warm absent.mlir
refuses 2 'there is no cache' env WEFT_CACHE_DIR=none "$weft" cache ls
refuses 2 "WEFT_CACHE_SIZE is a size such as 512MiB, not 'much'" env WEFT_CACHE_SIZE=much "$weft" run even.mlir
prints 'of at most 2.0 MiB' env WEFT_CACHE_SIZE=2MiB "$weft" cache ls
prints "in $tmp/xdg/weft/compiled" env WEFT_CACHE_DIR= XDG_CACHE_HOME="$tmp/xdg" "$weft" cache ls

# ---- what depends on more than the text ----
"$weft" explain --plan even.mlir >plan.txt 2>err
"$weft" run even.mlir --plan plan.txt >out 2>err && "$weft" run even.mlir --plan plan.txt >out 2>err && grep -q 'found compiled' out && echo >>plan.txt && "$weft" run even.mlir --plan plan.txt >out 2>err && grep -q ': compiled in' out
result "a plan counts by its text" $?
"$weft" run even.mlir --topology dgx-h100 >out 2>err && "$weft" run even.mlir --topology dgx-h100 >out 2>err && grep -q 'found compiled' out
result "a machine counts by its description" $?
cp even.mlir same.mlir && "$weft" run same.mlir >out 2>err && grep -q ': compiled in' out
result "a copy under another name is another program: its messages name it" $?
cat >open.mlir <<'END'
func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.sine %a : tensor<?xf32>
  return %0 : tensor<?xf32>
}
END
"$weft" run open.mlir --types 'tensor<4xf32>' --outputs data >out 2>err && mv data/out0.npy data/in0.npy && "$weft" run open.mlir --inputs data >out 2>err && "$weft" run open.mlir --inputs data >out 2>err && grep -q ': compiled in' out
result "a program whose sizes come from files is not kept as a whole" $?
# Warnings are said again, and count: a result that is summed because it was left unreduced.
cat >warns.mlir <<'END'
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  %0 = stablehlo.sine %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
END
"$weft" run warns.mlir >out 2>first.err && "$weft" run warns.mlir >out 2>err && grep -q 'found compiled' out && grep -q 'warning:.*\[' err && cmp first.err err
result "a kept program's warnings are said again" $?
"$weft" run warns.mlir --werror constraint >out 2>err
[ $? -eq 1 ] && grep -q error: err && "$weft" run warns.mlir --silence constraint >out 2>err && [ ! -s err ]
result "and --werror and --silence go by them" $?
# So do warnings of the run itself, which the program that is found did not have.
for turn in kept found; do
    WEFT_TUNE=$PWD/mistyped "$weft" run even.mlir --werror fallback >out 2>err
    [ $? -eq 1 ] && grep -q "error: the table of measurements '.*mistyped' does not exist" err
    result "a run's own warning is an error with a program that is $turn" $?
done
WEFT_TUNE=$PWD/mistyped "$weft" run even.mlir --silence fallback >out 2>err && WEFT_TUNE=$PWD/mistyped "$weft" run even.mlir --silence fallback >out 2>err && [ ! -s err ]
result "and is silenced with it" $?

# ---- damage ----
damage() { # damage HOW: each entry's file
    for f in "$dir"/*; do
        n=$(wc -c <"$f")
        case $1 in
        empty) : >"$f" ;;
        cut) head -c $((n - 1)) "$f" >f && cat f >"$f" ;;
        byte) { head -c $((n - 40)) "$f"; printf X; tail -c 39 "$f"; } >f && cat f >"$f" ;;
        junk) head -c "$n" /dev/urandom >"$f" ;;
        esac
    done
}
for how in empty cut byte junk; do
    "$weft" cache clear >out 2>err
    "$weft" run even.mlir >out 2>err
    damage $how
    "$weft" cache ls >out 2>err && grep -q ' damaged' out
    result "$how: ls says that entries are damaged" $?
    "$weft" run even.mlir --outputs "$how" >out 2>err && right "$how" && grep -q ': compiled in' out
    result "$how: damaged entries are compiled anew" $?
    "$weft" run even.mlir --outputs "$how" >out 2>err && right "$how" && grep -q 'found compiled' out
    result "$how: and kept anew" $?
done

# ---- folders ----
# once PATTERN: the run is right, and says one line.
once() {
    rm -rf got
    "$weft" run even.mlir --outputs got >out 2>err
    status=$?
    [ $status -eq 0 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "warning: .*$1.*\[cache\]" err && grep -qE "the cache folder '[^']*' is not used: |what is compiled is not kept: " err && : >err && right got
}
"$weft" cache clear >out 2>err
chmod 777 "$dir" && once 'others may write to it' && [ -z "$(ls -A "$dir")" ]
result "a folder that others may write to is not used" $?
refuses 2 'there is no cache' "$weft" cache ls
chmod 700 "$dir"
"$weft" run even.mlir --silence cache >out 2>err
: >file && WEFT_CACHE_DIR=$tmp/file && once 'Not a directory' && WEFT_CACHE_DIR=$dir
result "a file is no folder" $?
if [ "$(id -u)" -eq 0 ]; then
    mkdir -m 700 theirs && chown 12345 theirs && WEFT_CACHE_DIR=$tmp/theirs && once 'it belongs to another user' && [ -z "$(ls -A theirs)" ] && WEFT_CACHE_DIR=$dir
    result "a folder of another user is not used" $?
    if mkdir -m 700 small && mount -t tmpfs -o size=8k,mode=700 weft small 2>err; then
        WEFT_CACHE_DIR=$tmp/small && once 'cannot be written: No space left' && WEFT_CACHE_DIR=$dir
        result "a full disk is said in one line" $?
        umount small
    else skips=$((skips + 1)); fi
else skips=$((skips + 2)); fi
WEFT_CACHE_DIR=$dir
prints 'compiled' env WEFT_CACHE_DIR= XDG_CACHE_HOME= HOME= "$weft" run even.mlir

# ---- many at one time ----
"$weft" cache clear >out 2>err
for n in 1 2 3 4; do "$weft" run even.mlir --outputs "many$n" >"out$n" 2>"err$n" & done
wait
many=0
for n in 1 2 3 4; do cp "err$n" err; right "many$n" || many=1; done
result "four runs at one time are right" $many
"$weft" cache ls >out 2>err && ! grep -q damaged out && grep -q ' 1 programs' out
result "and leave whole entries" $?
seed=${WEFT_SEED:-11}
echo "killed: seed $seed"
killed=0
for round in 1 2 3 4 5 6; do
    "$weft" cache clear >out 2>err
    seed=$((seed * 1103515245 + 12345 & 2147483647))
    pids=
    for n in 1 2; do
        "$weft-full" run even.mlir >out 2>err &
        pids="$pids $!"
    done
    sleep "0.$(printf %03d $((20 + seed / 65536 % 150)))"
    kill -9 $pids 2>/dev/null
    wait 2>/dev/null
    "$weft" run even.mlir --outputs "killed$round" >out 2>err && right "killed$round" || killed=1
    "$weft" cache ls >out 2>err && ! grep -q damaged out || killed=1
done
result "two writers killed at once leave nothing that is wrong" $killed
if command -v mpirun >/dev/null && grep -q '^#define HAVE_MPI 1' "$build/config.h"; then
    "$weft" cache clear >out 2>err
    mpirun -n 4 "$weft" run even.mlir --outputs job >out 2>err && right job && mpirun -n 4 "$weft" run even.mlir --outputs job >out 2>err && right job && grep -q 'found compiled' out
    result "the processes of a job share it" $?
    sed 's/tanh/sine/' even.mlir >rank1.mlir && cp even.mlir rank0.mlir && "$weft" cache warm rank0.mlir rank1.mlir >out 2>err
    mpirun -n 2 sh -c '"$0" run rank${OMPI_COMM_WORLD_RANK:-$PMI_RANK}.mlir' "$weft" >out 2>err
    [ $? -ne 0 ] && grep -q "rank 0 has '.*tanh.*rank0.mlir.*rank 2 has '.*sine" err
    result "where kept programs of ranks differ, the first op that does is named" $?
fi
# Functions are compiled on several threads, but on no more than cgroups grant the time of: here of one core.
mkdir groups && echo '100000 100000' >groups/cpu.max
limited() { unshare -rm sh -c 'mount --bind groups /sys/fs/cgroup && exec "$@"' sh "$@"; }
if [ "$(nproc)" -gt 1 ] && command -v strace >/dev/null && limited true 2>/dev/null && ! grep -q '^WEFT_SANITIZE = .*fsanitize' "$build/Makefile"; then
    { # nine loops, each a function
        echo 'func.func @main(%a: tensor<64xf32>) -> tensor<8xf32> {'
        echo '  %z = stablehlo.constant dense<0.0> : tensor<f32>'
        for n in 8 7 6 5 4 3 2 1; do printf '  %%s%d = stablehlo.slice %%a [0:%d] : (tensor<64xf32>) -> tensor<%dxf32>\n  %%v%d = "stablehlo.sort"(%%s%d) <{dimension = 0 : i64}> ({\n  ^bb0(%%x: tensor<f32>, %%y: tensor<f32>):\n    %%c = stablehlo.compare LT, %%x, %%y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    stablehlo.return %%c : tensor<i1>\n  }) : (tensor<%dxf32>) -> tensor<%dxf32>\n  %%t%d = stablehlo.tanh %%v%d : tensor<%dxf32>\n  %%p%d = stablehlo.pad %%t%d, %%z, low = [0], high = [%d], interior = [0] : (tensor<%dxf32>, tensor<f32>) -> tensor<8xf32>\n' $n $n $n $n $n $n $n $n $n $n $n $n $((8 - n)) $n; done
        echo '  %r8 = stablehlo.add %p8, %p8 : tensor<8xf32>'
        for n in 7 6 5 4 3 2 1; do printf '  %%r%d = stablehlo.add %%r%d, %%p%d : tensor<8xf32>\n' $n $((n + 1)) $n; done
        printf '  return %%r1 : tensor<8xf32>\n}\n'
    } >many.mlir
    threads() { "$weft" cache clear >out 2>err; strace -f -qq -o trace -e trace=clone,clone3 "$@" >out 2>err && grep -c CLONE_THREAD trace; }
    free=$(threads "$weft-full" compile many.mlir) bound=$(threads unshare -rm sh -c 'mount --bind groups /sys/fs/cgroup && exec "$@"' sh "$weft-full" compile many.mlir)
    [ "${free:-0}" -gt "${bound:-0}" ]
    result "functions are compiled on as many threads as a cgroup grants time ($free, $bound)" $?
fi
# The limit: the folder does not grow past it, and what is used stays.
"$weft" cache clear >out 2>err
for n in 4 6 8 10 12 14 16; do sed "s/16xf32/${n}xf32/g" loop.mlir >sized.mlir; WEFT_CACHE_SIZE=40KiB "$weft" run sized.mlir >out 2>err; done
[ "$(cat "$dir"/* | wc -c)" -le 40960 ] && [ -n "$(ls "$dir")" ]
result "the folder keeps to its limit" $?
finish "folders of others and full disks need root"
