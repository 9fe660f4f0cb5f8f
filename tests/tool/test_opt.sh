#!/bin/sh
# weft opt as MLIR's opt tools are: foretold diagnostics, parts of a file, pipelines as text, unregistered ops.
. "${top_srcdir:-.}/tests/support/cases.sh"


# NAME 0|1 TEXT-ON-STDERR PROGRAM: --verify-diagnostics accepts or refuses it, and says so
verify() {
    printf '%s\n' "$4" >case.mlir
    "$weft" opt -verify-diagnostics -split-input-file case.mlir >out 2>err
    [ $? -eq "$2" ] && { [ -z "$3" ] && [ ! -s err ] || grep -qF "$3" err; }
    result "$1" $?
}
bad='func.func @f(%a: tensor<2xf32>) -> tensor<3xf32> { return %a : tensor<2xf32> }'

verify "nothing foretold, nothing wrong" 0 "" 'func.func private @f()'
verify "on the same line" 0 "" "$bad // expected-error {{tensor<3xf32>}}"
verify "@+1" 0 "" "// expected-error@+1 {{tensor<3xf32>}}
$bad"
for distance in 9 10; do
    verify "@+$distance" 0 "" "// expected-error@+$distance {{tensor<3xf32>}}
$(yes // | head -n $((distance - 1)))
$bad"
done
verify "@-2 with blanks" 0 "" "$bad

// expected-error  @-2  {{tensor<3xf32>}}"
verify "@below, over a comment of its own kind" 0 "" "// expected-error @below {{already defined}}
// expected-note @+1 {{defined here}}
func.func private @f() func.func private @f()"
verify "@above" 0 "" "$bad
// expected-error @above {{tensor<3xf32>}}"
verify "-re" 0 "" "// expected-error-re @+1 {{return operand 0 ('tensor<{{[0-9]+}}xf32>')}}
$bad"
verify "-re escapes what stands outside of patterns" 1 "was not produced" "// expected-error-re @+1 {{t.nsor<{{[0-9]}}}}
$bad"
verify "-re that is none" 1 "invalid regex" "// expected-error-re @+1 {{a{{(}}}}
$bad"
verify "unexpected" 1 "case.mlir:1:" "$bad"
verify "another line" 1 "unexpected error" "// expected-error {{tensor<3xf32>}}
$bad"
verify "another text" 1 'case.mlir:1: error: expected error "tensor<4xf32>" was not produced' "$bad // expected-error {{tensor<4xf32>}}"
verify "another severity" 1 "'error' diagnostic emitted when expecting a 'warning'" "$bad // expected-warning {{tensor<3xf32>}}"
verify "a remark is no error" 1 "when expecting a 'remark'" "$bad // expected-remark {{tensor<3xf32>}}"
verify "a note that nobody foretold" 1 "unexpected note" 'func.func private @f() 
func.func private @f() // expected-error {{@f}}'
verify "a note" 0 "" 'func.func private @f() // expected-note {{defined here}}
func.func private @f() // expected-error {{@f}}'
verify "each part by itself" 0 "" "$bad // expected-error {{tensor<3xf32>}}
// -----
func.func private @g()
// -----
$bad // expected-error {{tensor<3xf32>}}"
verify "a line of more dashes is a comment" 1 "case.mlir:3:" "// expected-error @+1 {{tensor<3xf32>}}
// ------
$bad"

cat >add.mlir <<'END'
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "foo.bar"(%a) {x = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
END
"$weft" opt add.mlir >out 2>err
[ $? -eq 1 ] && grep -q 'add.mlir:2:8: error:' err && [ ! -s out ]
result "unregistered ops are refused" $?
"$weft" opt --allow-unregistered-dialect add.mlir >out 2>err && grep -qF '%0 = "foo.bar"(%arg0) {x = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>' out
result "unregistered ops are kept" $?

cat >const.mlir <<'END'
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = sdy.propagation_barrier %a allowed_direction=NONE : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @g()
END
for list in 'builtin.module(symbol-dce)' ' builtin.module( symbol-dce ) ' 'symbol-dce,sdy-sink-data-flow-edges' \
            'builtin.module(symbol-dce,func.func(sdy-sink-data-flow-edges))' 'builtin.module(symbol-dce,sdy-propagation-pipeline{keep-sharding-rules=true})'; do
    "$weft" opt "--pass-pipeline=$list" const.mlir >out 2>err && ! grep -q '@g' out
    result "--pass-pipeline='$list'" $?
done
for list in 'builtin.module(symbol-dce' 'builtin.module(symbol-dce))' 'no-such-pass' 'symbol-dce symbol-dce' 'symbol-dce{x=1}' '(symbol-dce)'; do
    "$weft" opt "--pass-pipeline=$list" const.mlir >out 2>err
    [ $? -eq 2 ] && [ ! -s out ] && [ -s err ]
    result "--pass-pipeline='$list' is refused" $?
done
"$weft" opt --symbol-dce --pass-pipeline=symbol-dce const.mlir >out 2>err
[ $? -eq 2 ] && grep -q 'cannot be mixed' err
result "--pass-pipeline with passes" $?
"$weft" opt --symbol-dce -mlir-print-ir-after-all const.mlir >out 2>err && grep -qF 'IR Dump After symbol-dce' err && grep -q '@f' err
result "-mlir-print-ir-after-all" $?

# A rule given on the command line is propagated by and partitioned by: along i nothing is exchanged, along j the results are added up.
cat >call.mlir <<'END'
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func public @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.custom_call @my_matmul(%a, %b) : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
END
"$weft" opt --rule 'my_matmul=ij,jk->ik' --sdy-propagation-pipeline call.mlir >out 2>err &&
    grep -qF '%arg1: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}' out && [ ! -s err ]
result "--rule: shardings pass by it" $?
"$weft" opt --rule 'my_matmul=ij,jk->ik' --weft-partition call.mlir >out 2>err && grep -qF '@my_matmul(%arg0, %arg1) : (tensor<4x8xf32>, tensor<8x4xf32>)' out &&
    grep -q 'stablehlo.all_reduce' out && ! grep -q all_gather out
result "--rule: the call is cut by it" $?
"$weft" opt --rule 'my_matmul=ij,jk->ik; replicated j' --weft-partition call.mlir >out 2>err && grep -q '@my_matmul.*(tensor<[24]x16xf32>, tensor<16x4xf32>)' out && ! grep -q all_reduce out
result "--rule: a replicated letter is gathered" $?
"$weft" opt --rule 'my_matmul=ij,jk->ik; blocked k' --rule other=i- call.mlir >out 2>err
[ $? -eq 1 ] && [ ! -s out ] && grep -qF "the rule for 'other': expected a letter, ',' or '->' at column 2 of \"i-\"" err
result "--rule: what is none" $?
"$weft" opt --rule my_matmul call.mlir >out 2>err
[ $? -eq 2 ] && grep -qF "takes TARGET=RULE, not 'my_matmul'" err
result "--rule: without a rule" $?

# Bytecode, in a file of its own and in one of jax.export, from a path and from standard input.
for f in sharded.1.17.0.mlirbc exported_sharded.jaxexport; do
    "$weft" opt "$src/tests/mlir/bytecode/${f%%.*}.mlir" >want
    "$weft" opt "$src/tests/mlir/bytecode/$f" >out 2>err && cmp -s out want
    result "$f is printed as text" $?
    "$weft" opt - <"$src/tests/mlir/bytecode/$f" >out 2>err && cmp -s out want
    result "$f from standard input" $?
done
head -c 500 "$src/tests/mlir/bytecode/sharded.1.17.0.mlirbc" >cut.mlirbc
"$weft" opt cut.mlirbc >out 2>err
[ $? -eq 1 ] && [ ! -s out ] && grep -q "'cut.mlirbc', byte [0-9]* of the bytecode: [0-9]* bytes expected, [0-9]* are left" err && grep -q "StableHLO_v1.17.0" err
result "bytecode that ends early" $?
finish
