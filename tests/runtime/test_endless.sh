#!/bin/sh
# A loop without an end and without collectives in it can be stopped: by a signal, and by the failure of another device, of this process or of
# another one. Times are limits against hangs only: who does not stop is killed, and that is a failure.
weft=${WEFT:-./weft}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
checks=0 failures=0
# expect NAME STATUS WANTED [TEXT]: of the command whose output is in $tmp/out
expect() {
    checks=$((checks + 1))
    if [ "$2" -eq "$3" ] && { [ -z "$4" ] || grep -q "$4" "$tmp/out"; }; then echo "ok $1"; else
        failures=$((failures + 1))
        echo "not ok $1: status $2, not $3, or no '$4'"
        cat "$tmp/out"
    fi
}
squares='%w = stablehlo.while(%v = %x) : tensor<f32> cond {
    %z = stablehlo.constant dense<-1.0> : tensor<f32>
    %c = stablehlo.compare GE, %v, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %n = stablehlo.multiply %v, %v : tensor<f32>
    stablehlo.return %n : tensor<f32>
  }'
cat >"$tmp/endless.mlir" <<EOF
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  $squares
  return %w : tensor<f32>
}
EOF
cat >"$tmp/one_fails.mlir" <<EOF
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %p = stablehlo.replica_id : tensor<ui32>
  %one = stablehlo.constant dense<1> : tensor<ui32>
  %zero = stablehlo.constant dense<0> : tensor<ui32>
  %is = stablehlo.compare EQ, %p, %one : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
  %r = "stablehlo.if"(%is) ({
    stablehlo.custom_call @check.expect_eq(%p, %zero) {has_side_effect = true} : (tensor<ui32>, tensor<ui32>) -> ()
    stablehlo.return %x : tensor<f32>
  }, {
  $squares
    stablehlo.return %w : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %r : tensor<f32>
}
EOF
for devices in 1 2; do
    timeout --preserve-status -s INT -k 60 1 "$weft" run --devices $devices "$tmp/endless.mlir" >"$tmp/out" 2>&1 </dev/null
    expect "interrupted, $devices devices" $? 130
done
timeout -k 10 60 "$weft" run --devices 3 "$tmp/one_fails.mlir" >"$tmp/out" 2>&1 </dev/null
expect "a device of the process fails" $? 1 "device 1: element .. is 1, expected 0"
# Two processes: the second is killed, or interrupted, a second after both have begun, or while they still begin.
for signal in KILL INT; do
    rm -rf "$tmp/meet"
    WEFT_RENDEZVOUS=file:$tmp/meet WEFT_PROCESS=1 WEFT_PROCESSES=2 timeout -s $signal 1 "$weft" run --devices 2 --timeout 20 "$tmp/endless.mlir" >/dev/null 2>&1 </dev/null &
    WEFT_RENDEZVOUS=file:$tmp/meet WEFT_PROCESS=0 WEFT_PROCESSES=2 timeout -k 10 90 "$weft" run --devices 2 --timeout 20 "$tmp/endless.mlir" >"$tmp/out" 2>&1 </dev/null
    expect "another process ends by SIG$signal" $? 1 "error"
    wait
done
echo "Checks: $checks, Failures: $failures, Errors: 0"
[ $failures -eq 0 ]
