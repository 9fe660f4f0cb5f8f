#!/bin/sh
# weft topo and machines that are not there: what is printed, drawn and refused.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1
weft=$(cd "${top_builddir:-.}" && pwd)/weft
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
checks=0 failures=0

result() {
    checks=$((checks + 1))
    [ "$2" -eq 0 ] && return
    echo "failed: $1"
    failures=$((failures + 1))
}
# says PATTERN COMMAND...: it succeeds and prints that.
says() {
    pattern=$1
    shift
    "$@" >out 2>err && grep -q -e "$pattern" out
    result "'$*' prints '$pattern'" $?
}
# refuses STATUS PATTERN COMMAND...: it ends with that status and says that.
refuses() {
    want=$1 pattern=$2
    shift 2
    "$@" >out 2>err
    [ $? -eq "$want" ] && grep -q -e "$pattern" err
    result "'$*' ends with $want and says '$pattern'" $?
}

echo 'module {}' >prog.mlir
echo 'nodes 2 { gpu 8 nvlink 450GB/s 2us } fabric 50GB/s 5us' >two.machine
echo 'nodes 2 { gpu 8 nvlink 450GB/s 2us } fabric' >bad.machine

# This machine, and hwloc's other sources.
says 'rank 0' "$weft" topo
says 'core 3  rank 3' "$weft" topo --synthetic 'package:2 core:2 pu:1'
says 'machine.*(6GB/s 800ns)' "$weft" topo --synthetic 'package:2 numa:1 core:2 pu:1'
says 'that may be used' "$weft" topo --why
says '^<svg ' "$weft" topo --svg - --synthetic 'package:2 core:2 pu:1'
"$weft" topo --svg drawing.svg >out 2>err && [ ! -s out ] && tail -n 1 drawing.svg | grep -q '</svg>'
result "topo --svg writes a file" $?
refuses 1 'cannot be written' "$weft" topo --svg nowhere/drawing.svg
refuses 2 'exclude each other' "$weft" topo --xml a --synthetic b
refuses 1 'no machine description' "$weft" topo --xml prog.mlir

# Under mpirun: each rank where it is bound, once per node.
if mpirun -n 2 true 2>/dev/null; then
    mpirun -n 3 "$weft" topo >out 2>err && grep -q '3 ranks' out && [ "$(grep -c '^  node' out)" -eq 1 ] && grep -q 'rank.*2' out
    result "topo under mpirun shows all ranks on their node" $?
fi

# Machines that are not there.
says '^dgx-h100 ' "$weft" topo --list
for m in archer2 dgx-h100 tpu-v4 tpu-v5e trn1 trn2 cpu-node; do says "machine $m" "$weft" topo --topology $m; done
says 'node.* 1  (nvlink 450GB/s 2us)  ranks 8-15' "$weft" topo --topology ./two.machine
says 'machine dgx-h100, 16 devices' "$weft" topo --topology dgx-h100:2
says '^<svg ' "$weft" topo --topology tpu-v5e --svg -
refuses 1 '^./bad.machine:1:44: error: expected the bandwidth of what joins the nodes' "$weft" topo --topology ./bad.machine
refuses 1 '^nodes 2 {' "$weft" topo --topology ./bad.machine
refuses 2 "no machine 'abacus'" "$weft" topo --topology abacus
refuses 2 'no size' "$weft" topo --topology dgx-h100:many
mkdir own && cp two.machine own/mine.machine
WEFT_MACHINES=none:own "$weft" topo --topology mine >out 2>err && grep -q '16 devices' out
result "WEFT_MACHINES is searched" $?

echo "Checks: $checks, Failures: $failures, Errors: 0"
[ $failures -eq 0 ]
