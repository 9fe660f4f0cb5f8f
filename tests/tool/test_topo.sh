#!/bin/sh
# weft topo, machines that are not there, device orders: what is printed, drawn and refused.
. "${top_srcdir:-.}/tests/support/cases.sh"
pids=


cat >prog.mlir <<'END'
sdy.mesh @mesh = <["data"=2, "model"=8]>
func.func @main(%x: tensor<16x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {"data"}]>},
                %y: tensor<1024x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
    -> (tensor<16x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<16x1024xf32>, tensor<1024x1024xf32>) -> tensor<16x1024xf32>
  return %0 : tensor<16x1024xf32>
}
END
echo 'nodes 2 { gpu 8 nvlink 450GB/s 2us } fabric 50GB/s 5us' >two.machine
echo 'nodes 2 { gpu 8 nvlink 450GB/s 2us } fabric' >bad.machine

# This machine, and hwloc's other sources.
prints 'rank 0' "$weft" topo
prints 'core 3  rank 3' "$weft" topo --synthetic 'package:2 core:2 pu:1'
prints 'machine.*(6GB/s 800ns)' "$weft" topo --synthetic 'package:2 numa:1 core:2 pu:1'
prints 'that may be used' "$weft" topo --why
prints '^<svg ' "$weft" topo --svg - --synthetic 'package:2 core:2 pu:1'
"$weft" topo --svg drawing.svg >out 2>err && [ ! -s out ] && tail -n 1 drawing.svg | grep -q '</svg>'
result "topo --svg writes a file" $?
refuses 1 'cannot be written' "$weft" topo --svg nowhere/drawing.svg
refuses 2 'exclude each other' "$weft" topo --xml a --synthetic b
refuses 2 'ranks is at most 1048576' "$weft" topo --ranks 5000000 --synthetic 'core:2 pu:1'
refuses 2 'svg draws' "$weft" topo --svg drawn.svg --list
refuses 2 'svg draws' "$weft" topo --svg drawn.svg --why
refuses 1 'not a machine description' "$weft" topo --xml prog.mlir
refuses 1 "'nowhere.xml' cannot be read: No such file" "$weft" topo --xml nowhere.xml
refuses 1 "'/' cannot be read: Is a directory" "$weft" topo --xml /
# What joins the cores of a group or a die is drawn as well as of packages and caches.
prints 'package 0  (9GB/s 400ns)' "$weft" topo --synthetic 'package:2 die:2 [numa] l2:2 core:2 pu:2'
prints 'die 3  (10GB/s 300ns)' "$weft" topo --synthetic 'package:2 die:2 [numa] l2:2 core:2 pu:2'
prints 'group0 1  (10GB/s 300ns)' "$weft" topo --synthetic 'package:2 numa:2 core:4 pu:1'

# Under mpirun: each rank where it is bound, once per node.
if mpirun -n 2 true 2>/dev/null; then
    mpirun -n 3 "$weft" topo >out 2>err && grep -q '3 ranks' out && [ "$(grep -c '^  node' out)" -eq 1 ] && grep -q 'rank.*2' out
    result "topo under mpirun shows all ranks on their node" $?
fi
# The same where processes find each other without MPI.
mkdir meet
for i in 0 1; do WEFT_RENDEZVOUS=file:$PWD/meet WEFT_PROCESS=$i WEFT_PROCESSES=2 "$weft" topo >met$i 2>err$i & pids="$pids $!"; done
for p in $pids; do wait "$p"; done
grep -q '2 ranks' met0 && [ "$(grep -c '^  node' met0)" -eq 1 ] && [ ! -s met1 ]
result "topo of processes that meet shows all ranks" $?
# Nodes are those of the world, not hosts: two on this one.
mkdir apart
pids=
for i in 0 1; do WEFT_NODE=n$i WEFT_RENDEZVOUS=file:$PWD/apart WEFT_PROCESS=$i WEFT_PROCESSES=2 "$weft" topo >met$i 2>err$i & pids="$pids $!"; done
for p in $pids; do wait "$p"; done
grep -q '^2 nodes, 2 ranks  (' met0 && grep -q '^  node 0 n0 on ' met0 && grep -q '^  node 1 n1 on ' met0 && [ ! -s met1 ]
result "topo shows the nodes that WEFT_NODE makes" $?

# A node's ranks need not follow each other.
mkdir mixed
pids=
for i in 0 1 2; do WEFT_NODE=n$((i % 2)) WEFT_RENDEZVOUS=file:$PWD/mixed WEFT_PROCESS=$i WEFT_PROCESSES=3 "$weft" topo >met$i 2>err$i & pids="$pids $!"; done
for p in $pids; do wait "$p"; done
grep -q '^2 nodes, 3 ranks  (' met0 && sed -n '/node 0/,/node 1/p' met0 | grep -q 'rank.*2' && sed -n '/node 1/,$p' met0 | grep -q 'rank 1$' && ! sed -n '/node 1/,$p' met0 | grep -q 'rank.*[02]$'
result "topo shows each rank on its node" $?
# Bindings of any length: of 512 cores to every second one, as a system would tell it.
cat >every_second.c <<'END'
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>
int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *set) {
    (void)process;
    memset(set, 0, bytes);
    for (size_t i = 0; i < bytes && i < 64; i++) ((unsigned char *)set)[i] = 0x55;
    return 0;
}
END
if ${CC:-cc} -shared -fPIC -o every_second.so every_second.c 2>/dev/null; then
    mkdir long
    pids=
    for i in 0 1; do
        env -u HWLOC_COMPONENTS LD_PRELOAD=$PWD/every_second.so ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0 HWLOC_SYNTHETIC='core:512 pu:1' HWLOC_THISSYSTEM=1 \
            WEFT_RENDEZVOUS=file:$PWD/long WEFT_PROCESS=$i WEFT_PROCESSES=2 "$weft" topo >met$i 2>err$i & pids="$pids $!"
    done
    for p in $pids; do wait "$p"; done
    grep -q 'core 510  ranks 0-1$' met0 && [ "$(grep -c 'core .*  ranks 0-1$' met0)" -eq 256 ]
    result "topo shows the cores of a binding, however many" $?
else
    skips=1
fi
# A drawing is UTF-8, whatever nodes are called.
mkdir odd
pids=
for i in 0 1; do WEFT_NODE=$(printf 'n\351') WEFT_RENDEZVOUS=file:$PWD/odd WEFT_PROCESS=$i WEFT_PROCESSES=2 "$weft" topo --svg - >met$i 2>err$i & pids="$pids $!"; done
for p in $pids; do wait "$p"; done
grep -q '>node 0 n? on ' met0
result "topo --svg has no bytes that are no characters" $?

# Machines that are not there.
prints '^dgx-h100 ' "$weft" topo --list
for m in archer2 dgx-h100 tpu-v4 tpu-v5e trn1 trn2 cpu-node; do prints "machine $m" "$weft" topo --topology $m; done
prints 'node.* 1  (nvlink 450GB/s 2us)  ranks 8-15' "$weft" topo --topology ./two.machine
prints 'machine dgx-h100, 16 devices' "$weft" topo --topology dgx-h100:2
prints '^<svg ' "$weft" topo --topology tpu-v5e --svg -
# A level that is drawn whole has no box for the rest; one that is not says how much more there is.
"$weft" topo --topology 'nodes 2 { gpu 4 nvlink 450GB/s 2us } fabric 50GB/s 5us' --svg - >out 2>err && ! grep -q ' more' out
result "topo --svg of a machine that is drawn whole" $?
"$weft" topo --topology 'nodes 2 { gpu 64 nvlink 450GB/s 2us } fabric 50GB/s 5us' --svg - >out 2>err && grep -q '[1-9][0-9]* more' out
result "topo --svg of a machine of which a part is drawn" $?
refuses 1 '^./bad.machine:1:44: error: expected the bandwidth of the link that joins the nodes' "$weft" topo --topology ./bad.machine
refuses 1 '^nodes 2 {' "$weft" topo --topology ./bad.machine
printf 'device 1Tflop/s bandwidth 1TB/s colour 80\nnodes 4 1GB/s\n' >colour.machine
refuses 1 "^./colour.machine:1:33: note: 'colour' is no property of a device, so that levels begin here" "$weft" topo --topology ./colour.machine
refuses 2 "no machine 'abacus'" "$weft" topo --topology abacus
refuses 2 'not the size' "$weft" topo --topology dgx-h100:many
refuses 2 'at most 16777216 devices' "$weft" topo --topology dgx-h100 --ranks 9223372036854775807
# A description that stands in the arguments is a wrong argument, and is shown; not a file that happens to have its name.
echo 'a decoy' >machine && cp machine '<machine>'
inline='nodes 2 { gpu 8 nvlink 450GB/s 2us } fabric'
refuses 2 '^<machine>:1:44: error: expected the bandwidth of the link that joins the nodes' "$weft" topo --topology "$inline"
for command in topo 'dryrun prog.mlir' 'run prog.mlir'; do refuses 2 "^$inline$" "$weft" $command --topology "$inline"; done
prints '^machine machine, 16 devices' "$weft" topo --topology "$inline 50GB/s"
# What cannot be read is named, and the others are listed.
mkdir -p broken/dir.machine && cp two.machine broken/zebra.machine && cp bad.machine broken/bad.machine
WEFT_MACHINES=broken "$weft" topo --list >out 2>err
[ $? -eq 1 ] && grep -q '^dgx-h100 ' out && grep -q '^zebra ' out && grep -q "broken/dir.machine' cannot be read: Is a directory" err && grep -q 'broken/bad.machine:1:44: error' err
result "topo --list goes on behind a machine that cannot be read" $?
mkdir own && cp two.machine own/mine.machine
WEFT_MACHINES=none:own "$weft" topo --topology mine >out 2>err && grep -q '16 devices' out
result "WEFT_MACHINES is searched" $?

# Names that an order or JSON cannot hold as they are.
sed 's/"data"/"da:ta"/g; s/"model"/"mo,del"/g' prog.mlir >odd.mlir
prints "contiguous: \"da:ta\",\"mo,del\"; --order='\"mo,del\",\"da:ta\"' would save" "$weft" dryrun --topology ./two.machine odd.mlir
prints '"mo,del","da:ta", by cost' "$weft" dryrun --topology ./two.machine --order auto odd.mlir
odd=$(printf 'n\351')
sed "s/\"data\"/\"$odd\"/g" prog.mlir >"$odd.mlir"
"$weft" dryrun --json --topology ./two.machine "$odd.mlir" >out 2>err && grep -q '"kind": "all_reduce"' out && [ "$(grep -c '"axes": "n?"' out)" -eq 2 ] && grep -q '"location": "n?.mlir:6:' out &&
    grep -q '"cheapest_order": "model,n?"' out
result "dryrun --json keeps collectives whose names are no UTF-8" $?

# Estimates and orders.
prints 'on dgx-h100)' "$weft" dryrun --topology dgx-h100 prog.mlir
prints "device order .*contiguous: data,model; --order='model,data' would save" "$weft" dryrun --topology ./two.machine prog.mlir
prints 'device order .*model,data, by cost' "$weft" dryrun --topology ./two.machine --order auto prog.mlir
prints 'device order .*model,data, as asked' "$weft" dryrun --topology ./two.machine --order model,data prog.mlir
prints "has no arithmetic rate for a device" "$weft" dryrun --topology ./two.machine prog.mlir
prints 'model,data, as asked: collectives take .* ms, in contiguous order .* ms$' "$weft" dryrun --topology ./two.machine --order model,data prog.mlir
prints "data,model, as asked: .*; --order='model,data' would save" "$weft" dryrun --topology ./two.machine --order data,model prog.mlir
prints 'data  *8192 B  over nvlink 450GB/s 2us, .* ms; contiguous: fabric 50GB/s 5us, [0-9.]* ms$' "$weft" dryrun --topology ./two.machine --order model,data prog.mlir
prints '"asked_link": "nvlink 450GB/s 2us"' "$weft" dryrun --json --topology ./two.machine --order model,data prog.mlir
refuses 2 "'nothing' is not an order of the mesh's axes" "$weft" dryrun --order nothing prog.mlir
prints '"cheapest_order": "model,data"' "$weft" dryrun --json --topology ./two.machine prog.mlir
refuses 2 '16 devices are asked for; machine .* has 8' "$weft" dryrun --topology dgx-h100:1 prog.mlir
prints 'data  *8192 B  over nvlink 450GB/s 2us, .* ms; contiguous: fabric 50GB/s 5us' "$weft" dryrun --topology ./two.machine --order auto prog.mlir
prints 'data  *8192 B  over fabric 50GB/s 5us, .* ms; in the cheapest order: nvlink' "$weft" dryrun --topology ./two.machine prog.mlir
echo 'torus 4x4 ici 100GB/s 1us' >torus.machine
prints 'over ici 100GB/s' "$weft" dryrun --topology ./torus.machine prog.mlir
refuses 1 '^./bad.machine:1:44: error: expected the bandwidth' "$weft" dryrun --topology ./bad.machine prog.mlir
refuses 2 "no machine 'abacus'" "$weft" run --topology abacus prog.mlir
refuses 2 'an order of the mesh' "$weft" dryrun --order rows prog.mlir
# Bytes are the same in every order, and so is what a run computes.
"$weft" dryrun --json prog.mlir | grep -v device_order >a && "$weft" dryrun --json --order model,data prog.mlir | grep '"wire_bytes"' | head -n 1 >b && grep -q -F "$(tail -n 1 b)" a
result "an order does not change the bytes" $?
"$weft" run prog.mlir --devices 1 --outputs one >out 2>err
for order in data,model model,data '"model":(1)2,data,"model":(2)4' auto; do
    "$weft" run prog.mlir --order "$order" --topology ./two.machine --compare one >out 2>err && grep -q 'agree' out && grep -q 'device order' out
    result "run --order $order computes the same" $?
done

finish 'no C compiler'
