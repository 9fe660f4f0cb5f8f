#!/bin/sh
# weft tune: a table is written where it is looked for, read again, printed, obeyed as edited, and told where it is wrong. No times are compared.
. "${top_srcdir:-.}/tests/support/cases.sh"
unset WEFT_TUNE WEFT_ALGORITHMS WEFT_FAST
pids=
export XDG_CACHE_HOME="$tmp/cache" HOME="$tmp"

quick="--ranks 2 --most 1024"

# Measured, printed, stored, read again.
prints 'nothing is stored for this machine; these are estimates' "$weft" tune --show
prints '^algorithms for 2 ranks on 1 node' "$weft" tune $quick --dry
[ ! -e cache ]
result "tune --dry stores nothing" $?
prints "stored in $tmp/cache/weft/tune-[0-9a-f]* after" "$weft" tune $quick
table=$(ls cache/weft/tune-* 2>/dev/null)
[ -f "$table" ] && grep -q '^weft-tune 1$' "$table" && grep -q '^machine .*core' "$table" && grep -q '^link [A-Z]* .*B/s .*s$' "$table" && grep -q '^copy .*B/s$' "$table"
result "the table has machine, links and rates" $?
[ "$(grep -c '^product [a-z0-9]* [1-9][0-9.]*[GT]flop/s$' "$table")" -eq 3 ] && grep -Eq '^memory [1-9][0-9.]*GB/s( [1-9][0-9.]*GB/s)?$' "$table" && grep -q '^a core multiplies matrices of f64 at [0-9.]* Gflop/s$' out && grep -q '^memory gives one core [0-9.]* GB/s' out && [ ! -s err ]
result "what a core multiplies, and what memory gives" $?
for kind in all_reduce all_gather reduce_scatter all_to_all collective_permute collective_broadcast reduce gather scatter; do
    grep -q "^ranks 2 nodes 1 $kind[:=]" "$table"
    result "the table has an algorithm for $kind" $?
done
! grep -q 'stream=' "$table"
result "so small --most times no stores that bypass the caches" $?
prints 'of 2 ranks on 1 node, one that writes more than [0-9.]* MiB in a call bypasses the caches' "$weft" tune --ranks 2 --most 131072
grep -q '^ranks 2 nodes 1 stream=[1-9][0-9]*[KM]$' "$table"
result "the table has from which size on stores bypass the caches" $?
prints 'bypasses the caches' "$weft" tune --show
prints stored "$weft" tune $quick
cp "$table" first
prints "^$tmp/$table$" "$weft" tune --show
prints '^  all_reduce[:=]' "$weft" tune --show

refuses 2 'ranks is at most 1024' "$weft" tune --ranks 2000

# As many ranks as there are cores that the process may use, not those of the machine.
if command -v taskset >/dev/null && taskset -c 0 true 2>/dev/null; then
    prints '^algorithms for 2 ranks on 1 node' env -u HWLOC_COMPONENTS HWLOC_SYNTHETIC='core:4 pu:1' HWLOC_THISSYSTEM=1 taskset -c 0 "$weft" tune --most 256 --dry
else
    skips=1
fi
# What has an element for each rank is not timed where there are more ranks than elements.
"$weft" tune --ranks 65 --most 256 --dry >out 2>err && grep -q '^  all_reduce=' out && ! grep -q '^  all_gather=\|^  reduce_scatter=\|^  all_to_all=\|^  gather=\|^  scatter=' out
result "tune makes no rules of calls that move nothing" $?

# Another number of ranks is added; the same number is replaced.
prints 'algorithms for 3 ranks' "$weft" tune --ranks 3 --most 256
grep -q '^ranks 2 ' "$table" && grep -q '^ranks 3 nodes 1 all_reduce=' "$table"
result "what is known of other numbers of ranks stays" $?
prints stored "$weft" tune --ranks 3 --most 256
[ "$(grep -c '^ranks 3 nodes 1 all_reduce' "$table")" -eq 1 ]
result "what was known of the same number is replaced" $?

# As edited: per size, and after what is forced.
bench="$weft bench coll --op all_reduce --sizes"
printf 'weft-tune 1\nranks 2 nodes 1 all_reduce:-2K=windows\nranks 2 nodes 1 all_reduce=one_shot\n' >"$table"
prints ' 1024 B .*windows$' $bench 1K:1K:8
prints ' 4096 B .*one_shot$' $bench 4K:4K:8
prints ' 1024 B .*two_shot$' env WEFT_ALGORITHMS=all_reduce=two_shot $bench 1K:1K:8
WEFT_TUNE=none $bench 1K:1K:8 >out 2>err && ! grep -q windows out
result "WEFT_TUNE=none leaves the table alone" $?
printf 'weft-tune 1\nranks 2 nodes 1 all_reduce=two_shot\n' >mine
prints ' 1024 B .*two_shot$' env WEFT_TUNE=mine $bench 1K:1K:8
prints '^mine$' env WEFT_TUNE=mine "$weft" tune --show

# A file that is not there: who names it has mistyped it, but for who is about to make it.
for command in "$bench 1K:1K:8" "$weft topo"; do
    WEFT_TUNE=mime $command >out 2>err && [ "$(grep -c "warning: the table of measurements 'mime' does not exist: links and algorithms are estimated" err)" -eq 1 ]
    result "$command says that the table is not there" $?
done
WEFT_TUNE=mime "$weft" tune --show >out 2>err && [ ! -s err ]
result "tune --show finds that there is no table yet" $?
$bench 1K:1K:8 >out 2>err && [ ! -s err ]
result "without WEFT_TUNE nobody expects a table" $?

# What was measured is drawn.
{ echo 'weft-tune 1'; for level in CORE CACHE NUMA PACKAGE MACHINE NETWORK; do echo "link $level 7.25GB/s 3us"; done; } >drawn
WEFT_TUNE=none "$weft" topo >before 2>err && WEFT_TUNE=drawn "$weft" topo >out 2>err && [ "$(grep -c '(.*B/s' before)" -eq "$(grep -c '(7.25GB/s 3us)' out)" ]
result "topo draws the links of the table" $?
WEFT_TUNE=drawn "$weft" topo --synthetic 'package:2 numa:1 core:2 pu:1' >out 2>err && grep -q '(6GB/s 800ns)' out
result "but not into another machine" $?

# Wrong tables: a warning with line and column, and the estimates do; one's own edits are not written over.
printf 'weft-tune 1\nlink CACHE 10GB/s\nranks 2 nodes 1 all_reduce=windows\n' >"$table"
$bench 1K:1K:8 >out 2>err && grep -q "tune-[0-9a-f]*:2:18: warning: expected a time, as 2us, but the line ends here: links and algorithms are estimated" err && ! grep -q windows out
result "a wrong table is a warning with its line" $?
"$weft" topo >out 2>err && grep -q "tune-[0-9a-f]*:2:18: warning: expected a time, as 2us, but the line ends here: links and algorithms are estimated" err && grep -q 'rank 0' out
result "topo draws with the estimates then" $?
refuses 1 'tune-[0-9a-f]*:2:18: error: expected a time' "$weft" tune --show
cp "$table" kept
refuses 1 'tune-[0-9a-f]*:2:18: error: expected a time' "$weft" tune $quick
[ ! -s out ]
result "tune says so before it measures" $?
prints '^algorithms for 2 ranks' "$weft" tune $quick --dry
cmp -s "$table" kept
result "tune does not write over a table that it cannot read" $?
printf 'weft-tune 1\nranks 2 nodes 1 all_reduce=magic\n' >"$table"
refuses 1 ":2:17: error: expected an algorithm, as all_reduce:64K-1M=windows, or stream=4M, not 'all_reduce=magic'" "$weft" tune --show
rm -f "$table"

refuses 2 'most is from 256' "$weft" tune --most 10
refuses 2 'no cache directory' env -u XDG_CACHE_HOME -u HOME "$weft" tune --show
refuses 2 'there is no table' env WEFT_TUNE=none "$weft" tune --show
refuses 1 'cannot be written' env WEFT_TUNE=/proc/nowhere/table "$weft" tune $quick

# Several processes: one table for all of them, process 0's.
if mpirun -n 2 true 2>/dev/null; then
    mpirun -n 2 "$weft" tune --most 256 >out 2>err && grep -q '^ranks 2 nodes 1 all_reduce' "$table"
    result "tune under mpirun" $?
    WEFT_TRANSPORT=mpi mpirun -n 2 "$weft" tune --most 256 >out 2>err && grep -q '^ranks 2 nodes 2 all_reduce' "$table" && grep -q '^ranks 2 nodes 1 ' "$table" && grep -q '^link NETWORK ' "$table"
    result "tune of two nodes measures the network, and keeps the rest" $?
    printf 'weft-tune 1\nranks 2 nodes 1 all_reduce=windows\n' >"$table"
    mpirun -n 2 "$weft" bench coll --op all_reduce --sizes 1K:1K:8 >out 2>err && grep -q 'windows$' out
    result "the table is obeyed under mpirun" $?
fi
mkdir meet
for i in 0 1; do WEFT_RENDEZVOUS=file:$PWD/meet WEFT_PROCESS=$i WEFT_PROCESSES=2 WEFT_TUNE=met "$weft" tune --most 256 >met$i 2>err$i & pids="$pids $!"; done
for p in $pids; do wait "$p"; done
grep -q '^ranks 2 nodes 1 all_reduce' met && grep -q stored met0 && [ ! -s met1 ]
result "tune of processes that meet" $?
# Nobody waits for a process that cannot store what they would find.
mkdir meet2
echo 'no table' >met
pids=
for i in 0 1; do WEFT_RENDEZVOUS=file:$PWD/meet2 WEFT_PROCESS=$i WEFT_PROCESSES=2 WEFT_TUNE=met "$weft" tune --most 256 >met$i 2>err$i & pids="$pids $!"; done
for p in $pids; do wait "$p" && touch went_well; done
[ ! -e went_well ] && [ ! -s met0 ] && grep -q "met:1:1: error: expected 'weft-tune 1'" err0 && grep -q 'rank 1: .*a process cannot take part in measuring' err1
result "tune ends for all where process 0 cannot store" $?

# Rules that only fast worlds follow stand in front.
"$weft" tune $quick --fast --dry >out 2>err && [ "$(grep -c '^  all_reduce' out)" -ge 2 ]
result "tune --fast" $?

# weft tune FILE: what is tried is told, what is kept can be given to run, compile and cache, and to any process by WEFT_COSTS.
cat >program.mlir <<'EOF'
func.func @main(%a: tensor<24x24xf32>, %b: tensor<24x24xf32>) -> tensor<24x24xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
  %1 = stablehlo.tanh %0 : tensor<24x24xf32>
  return %1 : tensor<24x24xf32>
}
EOF
"$weft" tune program.mlir --dry >out 2>err && grep -q '^program.mlir on 1 device;' out && grep -q '^  .*products of up to 65536 multiplications as loops .*loop-product 65536' out &&
    grep -q '^32 of 32 alternatives tried in [0-9]* s: [0-9]* are other programs$' out && grep -q '^a step takes .* ms' out && [ ! -s err ] && [ ! -e program.costs ]
result "tune FILE --dry tells what it tried, and keeps nothing" $?
prints '^0 of 32 alternatives' "$weft" tune program.mlir --seconds 0
prints '^a step takes .* and with no alternative surely less: nothing is kept$' "$weft" tune program.mlir --seconds 0 -o none.costs
[ ! -e none.costs ]
result "nothing is kept where nothing is faster" $?
"$weft" run program.mlir --dump=steps >library && printf 'loop-product 65536  # as weft tune has it\n' >loops.costs && "$weft" run program.mlir --dump=steps --costs loops.costs >loop &&
    grep -q dot library && ! grep -q dot loop
result "costs of a file decide" $?
"$weft" run program.mlir --dump=steps --costs 'loop-product 65536 keep 20' >out 2>err && cmp -s out loop
result "a list of costs decides alike" $?
WEFT_COSTS=loops.costs "$weft" run program.mlir --dump=steps >out 2>err && cmp -s out loop && WEFT_COSTS=loops.costs "$weft" run program.mlir --dump=steps --costs 'keep 20' >out 2>err && cmp -s out library
result "WEFT_COSTS decides where --costs does not" $?
# verify compiles by them, too, as the sizes of its kernels say, and explain plans by them.
{ echo 'sdy.mesh @mesh = <["x"=2]>'; sed 's/%a: tensor<24x24xf32>/& {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}/' program.mlir; } >two.mlir
kernels() { WEFT_SYMBOLS=perf "$weft" verify two.mlir "$@" >out 2>err & wait $! && cut -d' ' -f2- "/tmp/perf-$!.map" && rm "/tmp/perf-$!.map" && grep -q '^equal on 2' out; }
kernels >library && kernels --costs loops.costs >loop && WEFT_COSTS=loops.costs kernels >own && ! cmp -s library loop && cmp -s loop own && grep -q fusion loop
result "verify --costs" $?
refuses 2 "there is no cost 'loops'" "$weft" verify two.mlir --costs 'loops 3'
"$weft" explain --plan two.mlir >usual 2>err && "$weft" explain --plan two.mlir --costs 'call 1ms' >dear 2>err && WEFT_COSTS='call 1ms' "$weft" explain --plan two.mlir >own 2>err && cmp -s dear own && ! cmp -s dear usual
result "explain --plan --costs" $?
refuses 2 "--costs goes with --plan" "$weft" explain two.mlir --costs 'call 1ms'
cp program.mlir program.costs
refuses 2 "'program.costs' is the program: give another output with -o" "$weft" tune program.costs --dry
refuses 2 "is the program" "$weft" tune program.mlir -o ./program.mlir
rm program.costs
refuses 1 "'/proc/nowhere/x' cannot be written" "$weft" tune program.mlir -o /proc/nowhere/x
[ ! -s out ]
result "tune FILE says so before it measures" $?
# A program of the C API goes by them, too: what is not there is an error, and another decision the same results.
refuses 1 "'missing.costs'" env WEFT_COSTS=missing.costs "$build/examples/mlp"
# A compiled program and the cache know them: the same text with other costs is another program.
export WEFT_CACHE_DIR="$tmp/keep"
"$weft" run program.mlir --outputs plain >out 2>err && "$weft" run program.mlir --costs loops.costs --compare plain >out 2>err && "$weft" cache why-miss program.mlir --costs 'loop-product 65536' >out 2>err && grep -q 'is there' out &&
    "$weft" cache why-miss program.mlir --costs 'loop-product 65537' >out 2>err && grep -q 'here:  machine' out &&
    "$weft" cache why-miss program.mlir --costs 'loop-product 65536.0001' >out 2>err && ! grep -q 'is there' out
result "the cache tells costs apart" $?
"$weft" compile program.mlir --costs loops.costs >out 2>err && "$weft" run program.weft --compare plain >out 2>err
result "a program is compiled with costs" $?
for c in 4096 65536; do "$weft" dryrun --json --costs "loop-product $c" program.mlir >dry$c 2>err || break; done
[ -s dry65536 ] && ! cmp -s dry4096 dry65536 && WEFT_COSTS=loops.costs "$weft" dryrun --json program.mlir >out 2>err && cmp -s out dry65536
result "a dry run is of the same costs" $?
refuses 2 "program.weft' is compiled already: --costs is for 'weft compile'" "$weft" run program.weft --costs loops.costs
refuses 2 "^<costs>:1:1: error: there is no cost 'loops-product'; did you mean 'loop-product'?" "$weft" run program.mlir --costs 'loops-product 3'
echo 'row 3' >wrong.costs
refuses 1 "^wrong.costs:1:5: error: expected a size" "$weft" compile program.mlir --costs wrong.costs
refuses 1 "'missing.costs'" env WEFT_COSTS=missing.costs "$weft" run program.mlir
refuses 2 '--ranks is for measuring the machine, without FILE' "$weft" tune --ranks 2 program.mlir
refuses 2 '--mesh is for tuning a program: FILE is missing' "$weft" tune --mesh x=2
refuses 2 'give the output.s with -o' "$weft" tune - <program.mlir
refuses 2 'is a compiled program' "$weft" tune program.weft
refuses 1 'program.mlir:2:8: error' sh -c "sed -i 's/stablehlo.dot_general/stablehlo.dot_generals/' program.mlir; '$weft' tune program.mlir"
refuses 1 "'missing.mlir'" "$weft" tune missing.mlir
! mpirun -n 2 true 2>/dev/null || refuses 2 'threads of this process; start it without mpirun' mpirun -n 2 "$weft" tune program.mlir

finish 'no taskset'
