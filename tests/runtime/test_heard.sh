#!/bin/sh
# A device of one process fails: the user of every process is told who failed, where and why, on its node and on another, before the others' last
# collective or after it.
weft=${WEFT:-./weft}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
checks=0 failures=0
# Device 3 finds its number too high; then all gather, or have gathered.
program() { # FAILS_LAST
    gather='%g = "stablehlo.all_gather"(%b) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<8xf32>'
    test='stablehlo.custom_call @shape_assertion(%ok) {error_message = "a number over the limit", has_side_effect = true, api_version = 2 : i32} : (tensor<i1>) -> ()'
    cat <<END
sdy.mesh @m = <["x"=4]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{}]>] manual_axes={"x"} (%b: tensor<2xf32>) {
    %id = stablehlo.partition_id : tensor<ui32>
    %most = stablehlo.constant dense<2> : tensor<ui32>
    %ok = stablehlo.compare LE, %id, %most : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    $([ "$1" = 1 ] && echo "$gather" || echo "$test")
    $([ "$1" = 1 ] && echo "$test" || echo "$gather")
    sdy.return %g : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
END
}
# told PROCESS STATUS WANTED TEXT...
told() {
    checks=$((checks + 1))
    p=$1 status=$2 wanted=$3
    shift 3
    good=1
    for text in "$@"; do grep -q "$text" "$tmp/out.$p" || good=0; done
    if [ $good = 1 ] && [ "$status" -eq "$wanted" ] && ! grep -q '^ran ' "$tmp/out.$p"; then echo "ok process $p: $1"; else
        failures=$((failures + 1))
        echo "not ok process $p: status $status, not $wanted, or no '$*'"
        cat "$tmp/out.$p"
    fi
}
# begin PROGRAM: four processes, two on each of two nodes; pid_0 to pid_3
begin() {
    rm -rf "$tmp/meet"
    for p in 0 1 2 3; do
        WEFT_NODE=node$((p / 2)) WEFT_RENDEZVOUS=file:$tmp/meet WEFT_PROCESS=$p WEFT_PROCESSES=4 timeout -k 10 90 "$weft" run --timeout 60 "$1" >"$tmp/out.$p" 2>&1 </dev/null &
        eval pid_$p=$!
    done
}
for last in 0 1; do
    program $last >"$tmp/fails.mlir"
    begin "$tmp/fails.mlir"
    for p in 0 1 2 3; do
        eval wait \$pid_$p
        status=$?
        [ $p = 3 ] && told $p $status 1 'device 3: a number over the limit' || told $p $status 1 "device $p: " "device 3 failed at .*fails.mlir:[78]:5: a number over the limit"
    done
done
echo "Checks: $checks, Failures: $failures, Errors: 0"
[ $failures -eq 0 ]
