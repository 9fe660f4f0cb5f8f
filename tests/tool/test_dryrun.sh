#!/bin/sh
# The dry run's figures where they do not follow from counting whole tensors.
weft=${top_builddir:-.}/weft
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
checks=0 failures=0
ok() { checks=$((checks + 1)); echo "ok $1"; }
not_ok() { checks=$((checks + 1)); failures=$((failures + 1)); echo "not ok $1"; }
# --- bytes as touched -----------------------------------------------------------------------------------------------
# A part of something of N rows costs what the part is, whatever N.
program() { # arguments result ops
    cat >"$tmp/part" <<END
module @m {
  func.func public @main(%x: tensor<64x512xf32>, %i: tensor<i32>, %z: tensor<i32>, %v: tensor<64x1xi32>$1) -> tensor<$2xf32> {
    $3
    return %r : tensor<$2xf32>
  }
}
END
}
step_s() { # N TURNS
    sed -e "s/NN/$1/g" -e "s/TURNS/$2/g" "$tmp/part" >"$tmp/part.mlir"
    "$weft" dryrun --json "$tmp/part.mlir" 2>"$tmp/err" | sed -n 's/^ *"step_time_s": *\([^,]*\),*$/\1/p'
}
# name: what one execution costs, less what a loop costs around it, is the same for 64 and 4096 rows.
same() {
    set -- "$1" "$(step_s 64 8)" "$(step_s 64 4)" "$(step_s 4096 8)" "$(step_s 4096 4)"
    if awk -v a="$2" -v b="$3" -v c="$4" -v d="$5" -v loop="$(grep -c while "$tmp/part")" 'BEGIN {
            few = loop ? a - b : a; many = loop ? c - d : c
            exit !(a != "" && c != "" && few > 0 && many < 1.0001 * few && few < 1.0001 * many) }'; then ok "$1"; else
        not_ok "$1: $2 less $3, $4 less $5 $(cat "$tmp/err")"
    fi
}
program ', %w: tensor<NNx512xf32>' 8x512 '%r = stablehlo.dynamic_slice %w, %i, %z, sizes = [8, 512] : (tensor<NNx512xf32>, tensor<i32>, tensor<i32>) -> tensor<8x512xf32>'
same 'a dynamic slice'
program ', %w: tensor<NNx512xf32>' 64x512 '%s = stablehlo.dynamic_slice %w, %i, %z, sizes = [64, 512] : (tensor<NNx512xf32>, tensor<i32>, tensor<i32>) -> tensor<64x512xf32>
    %t = stablehlo.tanh %s : tensor<64x512xf32>
    %r = stablehlo.add %t, %x : tensor<64x512xf32>'
same 'a dynamic slice in a kernel'
program ', %w: tensor<NNx512xf32>' 8x512 '%r = stablehlo.slice %w [8:16, 0:512] : (tensor<NNx512xf32>) -> tensor<8x512xf32>'
same 'a slice'
program ', %w: tensor<NNx512xf32>' 8x64 '%s = stablehlo.slice %w [8:16, 0:512] : (tensor<NNx512xf32>) -> tensor<8x512xf32>
    %r = stablehlo.dot_general %s, %x, contracting_dims = [1] x [1] : (tensor<8x512xf32>, tensor<64x512xf32>) -> tensor<8x64xf32>'
same 'a product of a slice'
program ', %w: tensor<NNx512xf32>' 72x512 '%s = stablehlo.slice %w [8:16, 0:512] : (tensor<NNx512xf32>) -> tensor<8x512xf32>
    %r = stablehlo.concatenate %x, %s, dim = 0 : (tensor<64x512xf32>, tensor<8x512xf32>) -> tensor<72x512xf32>'
same 'a slice that is joined to something'
program ', %w: tensor<NNx512xf32>, %p: tensor<f32>' 10x512 '%s = stablehlo.slice %w [8:16, 0:512] : (tensor<NNx512xf32>) -> tensor<8x512xf32>
    %r = stablehlo.pad %s, %p, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<8x512xf32>, tensor<f32>) -> tensor<10x512xf32>'
same 'a slice with padding'
program ', %w: tensor<NNx512xf32>' 64x512 '%r = "stablehlo.gather"(%w, %v) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 512>}> : (tensor<NNx512xf32>, tensor<64x1xi32>) -> tensor<64x512xf32>'
same 'a gather'
turns() { # what one turn does: %w to %u, and %y to %t
    program ', %w0: tensor<NNx512xf32>' 64x512 "%one = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.constant dense<TURNS> : tensor<i32>
    %c0 = stablehlo.constant dense<0> : tensor<i32>
    %l:3 = stablehlo.while(%k = %c0, %w = %w0, %y = %x) : tensor<i32>, tensor<NNx512xf32>, tensor<64x512xf32>
    cond {
      %p = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      $1
      %j = stablehlo.add %k, %one : tensor<i32>
      stablehlo.return %j, %u, %t : tensor<i32>, tensor<NNx512xf32>, tensor<64x512xf32>
    }
    %last = stablehlo.dynamic_slice %l#1, %i, %z, sizes = [64, 512] : (tensor<NNx512xf32>, tensor<i32>, tensor<i32>) -> tensor<64x512xf32>
    %r = stablehlo.add %last, %l#2 : tensor<64x512xf32>"
}
turns '%t = stablehlo.tanh %y : tensor<64x512xf32>
      %s = stablehlo.slice %t [0:8, 0:512] : (tensor<64x512xf32>) -> tensor<8x512xf32>
      %u = stablehlo.dynamic_update_slice %w, %s, %k, %z : (tensor<NNx512xf32>, tensor<8x512xf32>, tensor<i32>, tensor<i32>) -> tensor<NNx512xf32>'
same 'an update of a slice in a loop'
turns '%t = stablehlo.tanh %y : tensor<64x512xf32>
      %u = "stablehlo.scatter"(%w, %v, %t) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %s = stablehlo.add %a, %b : tensor<f32>
          stablehlo.return %s : tensor<f32>
      }) : (tensor<NNx512xf32>, tensor<64x1xi32>, tensor<64x512xf32>) -> tensor<NNx512xf32>'
same 'a scatter in a loop'
turns '%s = stablehlo.dynamic_slice %w, %k, %z, sizes = [64, 512] : (tensor<NNx512xf32>, tensor<i32>, tensor<i32>) -> tensor<64x512xf32>
      %t = stablehlo.add %s, %y : tensor<64x512xf32>
      %u = stablehlo.reshape %w : (tensor<NNx512xf32>) -> tensor<NNx512xf32>'
same 'a slice of what a loop carries'
# --- custom calls without code --------------------------------------------------------------------------------------
cat >"$tmp/call.mlir" <<'END'
module @m {
  sdy.mesh @mesh = <["d"=2]>
  func.func public @main(%x: tensor<64x32xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>}, %w: tensor<32x16xbf16>) -> (tensor<64x16xbf16>, tensor<64x16xbf16>) {
    %0 = stablehlo.custom_call @my_matmul(%x, %w) {backend_config = "one"} : (tensor<64x32xbf16>, tensor<32x16xbf16>) -> tensor<64x16xbf16>
    %1 = stablehlo.custom_call @my_matmul(%x, %w) {backend_config = "two"} : (tensor<64x32xbf16>, tensor<32x16xbf16>) -> tensor<64x16xbf16>
    %2 = stablehlo.custom_call @my_matmul(%x, %w) {backend_config = "unused"} : (tensor<64x32xbf16>, tensor<32x16xbf16>) -> tensor<64x16xbf16>
    return %0, %1 : tensor<64x16xbf16>, tensor<64x16xbf16>
  }
}
END
number() { sed -n "s/^ *\"$1\": *\([^,]*\),*$/\1/p" "$tmp/out" | head -n 1; }
# what arguments status wire-bytes flops text-on-stderr
call() {
    what=$1
    eval "\"$weft\" dryrun --json $2 \"$tmp/call.mlir\"" >"$tmp/out" 2>"$tmp/err"
    got="$? $(number wire_bytes) $(number flops)"
    if [ "$got" = "$3 $4 $5" ] && { [ -z "$6" ] || grep -q -e "$6" "$tmp/err"; }; then ok "custom call $what"; else not_ok "custom call $what: $got, not $3 $4 $5; $(cat "$tmp/err")"; fi
}
rule="--rule 'my_matmul=ij,jk->ik'"
call 'without a rule and a cost' '' 0 2048 0.0 "4:10: warning: the arithmetic of custom call target 'my_matmul' (2 calls) is not known"
call 'names its lines' "$rule" 0 0 0.0 '5:10: note: and here'
call 'with a cost' "$rule --custom-call my_matmul=flops:2*i0.0*i0.1*o0.1,bytes:1e3" 0 0 65536.0 ''
call 'with a cost in two products' "$rule --custom-call my_matmul=flops:i0.1+2*i1.0" 0 0 192.0 ''
call 'of which only the bytes are known' "$rule --custom-call my_matmul=bytes:1e9" 0 0 0.0 'is not known and not counted'
call 'with a cost for another' '--custom-call other=flops:1' 2 '' '' "no custom call without code has the target 'other'"
call 'with a dimension that is not there' '--custom-call my_matmul=flops:i0.2' 2 '' '' "no such dimension at 'i0.2'"
call 'with half a product' "--custom-call 'my_matmul=flops:2*'" 2 '' '' 'is missing at'
call 'with an unknown figure' '--custom-call my_matmul=flop:2' 2 '' '' "not 'flop:2'"
call 'without a figure' '--custom-call my_matmul' 2 '' '' 'TARGET=flops:N,bytes:N'
call 'in an error' '--werror cost' 1 '' '' 'error: the arithmetic of custom call target'
"$weft" run "$tmp/call.mlir" >"$tmp/out" 2>"$tmp/err" && not_ok 'a run needs code' || ok 'a run needs code'
# Kernels of one target, by the names that Pallas and Triton give them; what Pallas estimates, unless the user says otherwise.
cat >"$tmp/call.mlir" <<'END'
func.func public @main(%x: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>) {
  %0 = stablehlo.custom_call @tpu_custom_call(%x) {backend_config = "{\22custom_call_config\22: {\22body\22: \22flops\22, \22cost_estimate\22: {\0A\22bytes_accessed\22:4096,\0A\22flops\22: 5e3,\0A\22transcendentals\22:7\0A}, \22flops\22: 9}}", kernel_name = "flash"} : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = stablehlo.custom_call @tpu_custom_call(%x) {backend_config = "{}", kernel_name = "flash_bwd"} : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %2 = stablehlo.custom_call @__gpu$xla.gpu.triton(%x) {mhlo.backend_config = {name = "softmax", grid_x = 4 : i32}, api_version = 4 : i32} : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %3 = stablehlo.custom_call @__gpu$xla.gpu.triton(%x) {mhlo.backend_config = {name = "norm", grid_x = 4 : i32}, api_version = 4 : i32} : (tensor<64x32xf32>) -> tensor<64x32xf32>
  return %0, %1, %2, %3 : tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>
}
END
attention() { # name, layout of queries and keys, batch dimensions, mask, target, flop
    cat >"$tmp/fmha.mlir" <<END
func.func @main(%q: tensor<$2xbf16>, %k: tensor<$3xbf16>) -> tensor<$2xbf16> {
  %0 = stablehlo.custom_call @__cudnn\$$6(%q, %k, %k) {backend_config = "{\22cudnn_fmha_backend_config\22: {\22mask_type\22: \22$5\22, \22bmm1_dot_dimension_numbers\22: {\22lhs_batch_dimensions\22: [$4]}}}"} : (tensor<$2xbf16>, tensor<$3xbf16>, tensor<$3xbf16>) -> tensor<$2xbf16>
  return %0 : tensor<$2xbf16>
}
END
    got="$("$weft" dryrun --json --topology dgx-h100 "$tmp/fmha.mlir" 2>"$tmp/err" | sed -n 's/^ *"product_flops": \([0-9.e+]*\),*$/\1/p')"
    if [ "$got" = "$7" ] && ! grep -q 'is not known' "$tmp/err"; then ok "attention: $1"; else not_ok "attention: $1: $got, not $7; $(cat "$tmp/err")"; fi
}
attention 'forward' 2x64x8x32 2x128x4x32 '\220\22, \222\22' NO_MASK fmhaSoftmax 16777216.0
attention 'causal, heads first' 2x8x64x32 2x4x128x32 '\220\22, \221\22' CAUSAL fmhaScaleBiasSoftmaxDropout 8388608.0
attention 'backward' 2x64x8x32 2x128x4x32 '\220\22, \222\22' PADDING_CAUSAL fmhaSoftmaxBackward 20971520.0
call 'with an estimate of its own' '' 0 0 5000.0 "3:8: warning: the arithmetic of custom call target 'tpu_custom_call', kernel 'flash_bwd' (1 call) is not known"
call 'of a kernel of Triton' '' 0 0 5000.0 "target '__gpu\$xla.gpu.triton', kernel 'norm' (1 call) is not known"
call 'with a cost for one kernel' '--custom-call tpu_custom_call/flash_bwd=flops:i0.0' 0 0 5064.0 "kernel 'softmax'"
if grep -q flash "$tmp/err"; then not_ok 'custom call: what is known is not said to be unknown'; else ok 'custom call: what is known is not said to be unknown'; fi
call 'with costs for a target and a kernel' "--custom-call '__gpu\$xla.gpu.triton=flops:1000' --custom-call '__gpu\$xla.gpu.triton/norm=flops:300'" 0 0 6300.0 "kernel 'flash_bwd'"
call 'with a cost in place of the estimate' '--custom-call tpu_custom_call=flops:10' 0 0 20.0 "kernel 'norm'"
call 'with a cost for another kernel' '--custom-call tpu_custom_call/flush=flops:1' 2 '' '' "has the target 'tpu_custom_call/flush'"
# --- loops ----------------------------------------------------------------------------------------------------------
# A sum over devices in each turn: how many are counted, and whether that is known.
loop() { # condition step calls unknown text-on-stderr [options]
    cat >"$tmp/loop.mlir" <<END
module @m {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %n: tensor<i32>) -> tensor<8x4xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %six = stablehlo.constant dense<6> : tensor<i32>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %r:2 = stablehlo.while(%i = %six, %x = %a) : tensor<i32>, tensor<8x4xf32>
    cond {
      %p = stablehlo.compare $1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
      %w = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
      %y = stablehlo.subtract %x, %w : tensor<8x4xf32>
      %j = stablehlo.$2 : tensor<i32>
      stablehlo.return %j, %y : tensor<i32>, tensor<8x4xf32>
    }
    return %r#1 : tensor<8x4xf32>
  }
}
END
    "$weft" dryrun --json $6 "$tmp/loop.mlir" >"$tmp/out" 2>"$tmp/err"
    got="$(number collective_calls) $(number unknown_loops)"
    if [ "$got" = "$3 $4" ] && if [ -n "$5" ]; then grep -q -e "$5" "$tmp/err"; else ! [ -s "$tmp/err" ]; fi; then ok "loop while $1, $2 $6"; else
        not_ok "loop while $1, $2 $6: $got, not $3 $4; $(cat "$tmp/err")"
    fi
}
loop 'GT, %i, %none' 'subtract %i, %one' 6 0 ''
loop 'LT, %none, %i' 'subtract %i, %one' 6 0 ''
loop 'NE, %i, %none' 'subtract %i, %one' 6 0 ''
loop 'LT, %i, %n' 'add %i, %one' 1 1 'loop.mlir:8:12: warning: the number of iterations of this loop is not known: its body is counted once \[cost\]'
loop 'LT, %i, %n' 'add %i, %one' 40 1 '' '--trips 40'
loop 'LT, %i, %n' 'add %i, %one' 1 1 '' '--silence cost'
# --- memory ---------------------------------------------------------------------------------------------------------
cat >"$tmp/held.mlir" <<'END'
module @m {
  sdy.mesh @mesh = <["d"=2]>
  func.func public @main(%arg0: tensor<1024x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>, tf.aliasing_output = 0 : i32} loc("params['wq']"),
                         %arg1: tensor<1024x1024xf32> {tf.aliasing_output = 1 : i32} loc("opt['wq']"),
                         %arg2: tensor<1024x1024xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<8xf32>)
      -> (tensor<1024x1024xf32> {jax.result_info = "result[0]"}, tensor<1024x1024xf32> {jax.result_info = "result[1]"}, tensor<1024x1024xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<1024x1024xf32>
    %1 = stablehlo.negate %arg1 : tensor<1024x1024xf32>
    %2 = stablehlo.tanh %arg2 : tensor<1024x1024xf32>
    return %0, %1, %2 : tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>
  }
}
END
# what file machine fits margin text-on-stderr
memory() {
    "$weft" dryrun --json --topology "$3" "$tmp/$2.mlir" >"$tmp/out" 2>"$tmp/err"
    got="$(number fits) $(number memory_margin_bytes)"
    if [ "$got" = "$4 $5" ] && grep -q -F -e "$6" "$tmp/err"; then ok "memory: $1"; else not_ok "memory: $1: $got, not $4 $5; $(cat "$tmp/err")"; fi
}
small='device 1Tflop/s bandwidth 1TB/s memory 8MiB nodes 1 { gpu 2 nvlink 10GB/s 1us } fabric 10GB/s 1us'
large='device 1Tflop/s bandwidth 1TB/s memory 16MiB nodes 1 { gpu 2 nvlink 10GB/s 1us } fabric 10GB/s 1us'
memory 'too little' held "$small" false -2097184 "the program does not fit: each device needs 10.0 MiB"
memory 'enough' held "$large" true 6291424 "each of 2 devices holds 2 large arguments and results of together 8.0 MiB whole"
memory 'an argument by its name' held "$large" true 6291424 "note: argument 1 (opt['wq']): 'tensor<1024x1024xf32>', 4.0 MiB"
memory 'an argument by its result'"'"'s name' held "$large" true 6291424 "note: argument 2 (donated to result[2]): 'tensor<1024x1024xf32>', 4.0 MiB"
memory 'not known' held cpu-node null null 'whole: no axis'
if grep -q -F -e 'params' -e 'argument 3' "$tmp/err"; then not_ok "memory: what is sharded or small is not named"; else ok "memory: what is sharded or small is not named"; fi
"$weft" dryrun --topology "$small" --silence memory "$tmp/held.mlir" >"$tmp/out" 2>"$tmp/err"
if grep -q 'memory missing  *2097184 B  (2.0 MiB; does not fit' "$tmp/out" && ! [ -s "$tmp/err" ]; then ok 'memory: in the table'; else not_ok "memory: in the table: $(cat "$tmp/out" "$tmp/err")"; fi
"$weft" dryrun --topology "$small" --werror memory "$tmp/held.mlir" >"$tmp/out" 2>"$tmp/err" && not_ok 'memory: an error where asked' || ok 'memory: an error where asked'
if "$weft" explain --value "opt['wq']" "$tmp/held.mlir" 2>&1 | grep -q "^%arg1 (opt\['wq'\])"; then ok 'explain by name'; else not_ok "explain by name: $("$weft" explain --value "opt['wq']" "$tmp/held.mlir" 2>&1)"; fi
# Values in between that no axis shards: by their lines, where the plan holds them. Not partial sums of what is sharded, nor what is small.
cat >"$tmp/between.mlir" <<'END'
module @m {
  sdy.mesh @mesh = <["d"=4]>
  func.func public @main(%x: tensor<512x64xf32>, %e: tensor<64x2048xf32>, %a: tensor<4096x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>}, %b: tensor<4096x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>})
      -> (tensor<512xf32>, tensor<512x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>}) {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %e, contracting_dims = [1] x [0] : (tensor<512x64xf32>, tensor<64x2048xf32>) -> tensor<512x2048xf32>
    %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<512x2048xf32>, tensor<f32>) -> tensor<512xf32>
    %2 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<4096x512xf32>, tensor<4096x512xf32>) -> tensor<512x512xf32>
    return %1, %2 : tensor<512xf32>, tensor<512x512xf32>
  }
}
END
memory 'a value in between' between cpu-node null null 'between.mlir:6:10: warning: each of 4 devices holds a large value in between of 4.0 MiB whole: no axis of the mesh shards it'
memory 'a value in between by its type' between cpu-node null null "6:10: note: 'stablehlo.dot_general': 'tensor<512x2048xf32>', 4.0 MiB"
if grep -q '8:10' "$tmp/err" || ! grep -q "'stablehlo.dot_general' at .*between.mlir:6:10" "$tmp/out"; then not_ok "memory: only that value: $(cat "$tmp/err" "$tmp/out")"; else ok 'memory: only that value, in JSON too'; fi
sed -e 's/%e: tensor<64x2048xf32>/& {sdy.sharding = #sdy.sharding<@mesh, [{}, {"d"}]>}/' "$tmp/between.mlir" >"$tmp/sharded.mlir"
"$weft" dryrun "$tmp/sharded.mlir" >"$tmp/out" 2>"$tmp/err"
if grep -q 'in between' "$tmp/err"; then not_ok "memory: a value in between that is sharded: $(cat "$tmp/err")"; else ok 'memory: a value in between that is sharded'; fi
# --- axes of groups that are lists of devices -----------------------------------------------------------------------
cat >"$tmp/listed" <<'END'
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<GROUPS> : tensor<NUMBERSxi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
END
listed() { # groups numbers axes other
    sed -e "s/GROUPS/$1/" -e "s/NUMBERS/$2/" -e "$4" "$tmp/listed" >"$tmp/listed.mlir"
    if "$weft" dryrun "$tmp/listed.mlir" 2>"$tmp/err" | grep -q "^all_reduce  *$3  *1 "; then ok "groups $1 lie along $3"; else not_ok "groups $1 lie along $3: $("$weft" dryrun "$tmp/listed.mlir" 2>&1 | grep all_reduce)"; fi
}
listed '[[0, 2], [1, 3]]' 2x2 x ''
listed '[[0, 1], [2, 3]]' 2x2 y ''
listed '[[0, 1, 2, 3]]' 1x4 x,y ''
listed '[[0, 3], [1, 2]]' 2x2 x,y ''
listed '[[0, 1], [2, 3]]' 2x2 x 's/"y"=2\]/"y"=2], device_ids=[0, 2, 1, 3]/'
listed '[[0, 2], [1, 3]]' 2x2 'listed devices' /sdy.mesh/d
cat >"$tmp/roll.mlir" <<'END'
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.slice %a [15:16] : (tensor<16xf32>) -> tensor<1xf32>
  %1 = stablehlo.slice %a [0:15] : (tensor<16xf32>) -> tensor<15xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xf32>, tensor<15xf32>) -> tensor<16xf32>
  return %2 : tensor<16xf32>
}
END
if "$weft" dryrun "$tmp/roll.mlir" 2>"$tmp/err" | grep -q '^collective_permute  *x  *1 '; then ok 'axes of a permute'; else not_ok "axes of a permute: $(cat "$tmp/err")"; fi
# --- constraints ----------------------------------------------------------------------------------------------------
cat >"$tmp/constraint.mlir" <<'END'
module @m {
  sdy.mesh @mesh = <["d"=2, "m"=2]>
  func.func public @main(%x: tensor<1024x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>}, %v: tensor<256x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"m"}]>},
                         %w: tensor<1024x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"m"}, {}]>}) -> (tensor<1024x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {}]>}) {
    %0 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<1024x256xf32>, tensor<256x1024xf32>) -> tensor<1024x1024xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}]> : tensor<1024x1024xf32>
    %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x256xf32>) -> tensor<1024x256xf32>
    return %2 : tensor<1024x256xf32>
  }
}
END
first() { "$weft" dryrun --json "$@" 2>"$tmp/err" | sed -n "s/^ $what//p" | tr -d ', '; }
what='"wire_bytes": '
free=$(first "$tmp/constraint.mlir")
if grep -q 'constraint.mlir:6:10: warning: the plan does not follow this sharding constraint.*saves each device 3.0 MiB on the wire and 3.0 MiB of memory \[constraint\]$' "$tmp/err"; then
    ok 'a constraint that is not followed'; else not_ok "a constraint that is not followed: $(cat "$tmp/err")"; fi
obeyed=$(first --obey-constraints "$tmp/constraint.mlir")
if [ "$obeyed" -eq $((free + (3 << 20))) ] && ! grep -q '\[constraint\]' "$tmp/err"; then ok 'a constraint that is obeyed'; else not_ok "a constraint that is obeyed: $free, $obeyed"; fi
what=' "wire_bytes": '
if [ "$(first --obey-constraints "$tmp/constraint.mlir")" = "$free" ]; then ok 'both figures'; else not_ok "both figures: $free"; fi
if "$weft" dryrun --silence constraint "$tmp/constraint.mlir" >"$tmp/out" 2>"$tmp/err" && ! [ -s "$tmp/err" ]; then ok 'constraints silenced'; else not_ok "constraints silenced: $(cat "$tmp/err")"; fi
"$weft" opt --weft-partition --werror constraint "$tmp/constraint.mlir" >"$tmp/out" 2>"$tmp/err" && not_ok 'constraints as errors' || ok 'constraints as errors'
echo "Checks: $checks, Failures: $failures, Errors: 0"
[ $failures -eq 0 ]
