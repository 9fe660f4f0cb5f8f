#!/bin/sh
# Long chains of ops on a stack of 1 MiB, through all front doors: nothing may nest as deep as the program is long. opt reads, verifies and
# propagates 20,000 ops; what partitions or generates code takes 3,000, on one device and on two.
weft=${WEFT:-./weft}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
checks=0 failures=0
stack=1024
case $(ldd "$(dirname "$weft")/weft-full" 2>/dev/null) in *libasan*) stack=4096 ;; esac # whose frames are larger
ulimit -s $stack || { echo "skipped: 22 (no limit of the stack)"; exit 77; }
# chain OP COUNT: adds; products; rotations, which are two slices and a concatenation; transposes and reshapes
chain() {
    awk -v op="$1" -v n="$2" 'BEGIN {
        m = "tensor<4x4xf32>"
        print "sdy.mesh @mesh = <[\"x\"=2]>\nfunc.func @main(%v0: " m " {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}, %y: " m ") -> " m " {"
        for (i = 0; i < n; i++) {
            a = "%v" i; b = "  %v" i + 1
            if (op == "adds") print b " = stablehlo.add " a ", %y : " m
            if (op == "products") print b " = stablehlo.dot " a ", %y : (" m ", " m ") -> " m
            if (op == "rotations") {
                print "  %s" i " = stablehlo.slice " a " [1:4, 0:4] : (" m ") -> tensor<3x4xf32>\n  %t" i " = stablehlo.slice " a " [0:1, 0:4] : (" m ") -> tensor<1x4xf32>"
                print b " = stablehlo.concatenate %s" i ", %t" i ", dim = 0 : (tensor<3x4xf32>, tensor<1x4xf32>) -> " m
            }
            if (op == "shapes") {
                print "  %t" i " = stablehlo.transpose " a ", dims = [1, 0] : (" m ") -> " m
                print "  %s" i " = stablehlo.reshape %t" i " : (" m ") -> tensor<2x8xf32>\n" b " = stablehlo.reshape %s" i " : (tensor<2x8xf32>) -> " m
            }
        }
        print "  return %v" n " : " m "\n}"
    }'
}
# try OP COUNT COMMAND...
try() {
    op=$1 count=$2
    shift 2
    chain $op $count >"$tmp/chain.mlir"
    checks=$((checks + 1))
    timeout -k 10 300 "$weft" "$@" "$tmp/chain.mlir" >"$tmp/out" 2>&1 </dev/null
    status=$?
    if [ $status -eq 0 ]; then echo "ok $count $op: $*"; else
        failures=$((failures + 1))
        echo "not ok $count $op: $*: status $status"
        tail -3 "$tmp/out"
    fi
}
for op in adds products rotations shapes; do
    try $op 20000 opt --weft-propagate
    try $op 3000 opt --weft-partition
done
for op in adds rotations shapes; do
    try $op 3000 dryrun --mesh x=1
    try $op 3000 run --mesh x=1
    try $op 3000 run --devices 2
    try $op 3000 verify
done
try products 100 run --devices 2
try products 100 verify
echo "Checks: $checks, Failures: $failures, Errors: 0"
[ $failures -eq 0 ]
