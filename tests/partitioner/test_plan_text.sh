#!/bin/sh
# Plans as texts: what is printed, that a text which is read back gives the program that it was printed for, that the
# runner-up of an op can be forced and costs what was said, that plans are compared, and what is refused where.
. "${top_srcdir:-.}/tests/support/cases.sh"

# printed NAME FILE: the plan in out is that of FILE.
printed() { cmp -s out "$2" || { diff "$2" out; false; }; result "$1" $?; }

cat >sum.mlir <<'END'
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.tanh %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
END
cat >sum.plan <<'END'
weft plan 1
mesh <["x"=4]>
total 57.60230124 ns, sent 44.93631423 ns
func @main
%0 = stablehlo.dot_general at sum.mlir:3:8
  operands <@mesh, [{}, {"x"}]>, <@mesh, [{"x"}, {}]>
  results <@mesh, [{}, {}], unreduced={"x"}>
  cost 11.92092896 ns, readers 44.93631423 ns
  runner-up cost 124.1452992 ns, readers 0 ns
  runner-up operands <@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>
  runner-up results <@mesh, [{"x"}, {}]>
%1 = stablehlo.tanh at sum.mlir:4:8
  operands <@mesh, [{"x"}, {}]>
  results <@mesh, [{"x"}, {}]>
  cost 45.68137228 ns, readers 0 ns
  runner-up cost 92.62003005 ns, readers 0.2328306437 ns
  runner-up operands <@mesh, [{}, {}]>
  runner-up results <@mesh, [{}, {}]>
func.return at sum.mlir:5:3
  operands <@mesh, [{"x"}, {}]>
  cost 0 ns
END
"$weft" explain --plan sum.mlir >out 2>err
printed "the plan of a product whose sum is scattered" sum.plan
"$weft" opt --weft-propagate --weft-print-plan=file=out sum.mlir >module 2>err && "$weft" opt --weft-propagate sum.mlir | cmp -s - module
result "pass weft-print-plan leaves the module as it is" $?
printed "pass weft-print-plan prints the same" sum.plan
"$weft" opt --weft-propagate --weft-print-plan sum.mlir 2>out >module
printed "to standard error where there is no file" sum.plan
"$weft" opt --weft-partition=print-plan=out sum.mlir >module 2>err
printed "in the middle of the pipeline" sum.plan

cat >loop.mlir <<'END'
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<64x64xf32> cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %y = stablehlo.dot_general %x, %b, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    stablehlo.return %j, %y : tensor<i32>, tensor<64x64xf32>
  }
  return %r#1 : tensor<64x64xf32>
}
END
cat >loop.plan <<'END'
weft plan 1
mesh <["x"=2]>
total 18310.82627 ns, sent 0 ns
func @main
%3#0 = stablehlo.while at loop.mlir:6:10
  operands <@mesh, []>, <@mesh, [{"x"}, {}]>
  results <@mesh, []>, <@mesh, [{"x"}, {}]>
  cost 0 ns
%4 = stablehlo.compare at loop.mlir:7:10
  operands <@mesh, []>, <@mesh, []>
  results <@mesh, []>
  cost 0.1396983862 ns
stablehlo.return at loop.mlir:8:5
  operands <@mesh, []>
  cost 0 ns
%4 = stablehlo.add at loop.mlir:10:10
  operands <@mesh, []>, <@mesh, []>
  results <@mesh, []>
  cost 0.1396983862 ns
%5 = stablehlo.dot_general at loop.mlir:11:10
  operands <@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>
  results <@mesh, [{"x"}, {}]>
  cost 18310.54688 ns, readers 0 ns
  runner-up cost 42343.83814 ns, readers 0.698491931 ns
  runner-up operands <@mesh, [{}, {}]>, <@mesh, [{}, {}]>
  runner-up results <@mesh, [{}, {}]>
stablehlo.return at loop.mlir:12:5
  operands <@mesh, []>, <@mesh, [{"x"}, {}]>
  cost 0 ns
func.return at loop.mlir:14:3
  operands <@mesh, [{"x"}, {}]>
  cost 0 ns
END
"$weft" explain --plan loop.mlir >out 2>err
printed "the plan of a loop" loop.plan

# --- read back -----------------------------------------------------------------------------------------------------

# same FILE: its plan, printed and forced, gives the same text.
same() {
    "$weft" explain --plan -o same.plan "$1" 2>err && "$weft" opt --weft-partition "$1" >free 2>>err &&
        "$weft" opt --weft-partition=plan=same.plan "$1" >forced 2>>err && cmp -s free forced
    result "the plan of ${1##*/}, forced" $?
}
same sum.mlir
same loop.mlir
# more devices than elements: the second axis has nothing left to cut
cat >few.mlir <<'END'
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main() -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}) {
  %0 = stablehlo.constant dense<0.0> : tensor<1x2xf32>
  %1 = stablehlo.reshape %0 : (tensor<1x2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
END
same few.mlir
# no mesh: placements are 'none'
cat >whole.mlir <<'END'
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
END
same whole.mlir
grep -q '^  operands none$' same.plan
result "the plan of a program without a mesh" $?
for program in mlp_dp mlp_tp mlp_zero3 moe decode embed uneven conv_dp ring_attention pipeline gpt_s_fsdp gpt_s_tp_sp gpt_s_scan_tp_sp; do
    [ ! -e "$shared/programs/$program.mlir" ] || same "$shared/programs/$program.mlir"
done
grep -q '^spread anew' same.plan || [ ! -d "$shared/programs" ]
result "a plan that spreads anew is among them" $?

# Under random shardings, uneven ones among them: WEFT_SEED=N begins with another one.
seed=${WEFT_SEED:-1}
echo "seed $seed"
for text in sum loop small; do
    [ $text != small ] || cat >small.mlir <<'END'
func.func @main(%a: tensor<1x2xf32>, %b: tensor<6x5xf32>) -> (tensor<2xf32>, tensor<3x2x5xf32>) {
  %0 = stablehlo.reshape %a : (tensor<1x2xf32>) -> tensor<2xf32>
  %1 = stablehlo.reshape %b : (tensor<6x5xf32>) -> tensor<3x2x5xf32>
  return %0, %1 : tensor<2xf32>, tensor<3x2x5xf32>
}
END
    for k in 0 1 2 3; do
        "$weft" opt --weft-draw-shardings="seed=$((seed + k)) devices=8" $text.mlir -o drawn.mlir 2>err || continue
        "$weft" opt --weft-partition drawn.mlir >free 2>err || continue # a draw may ask for what cannot be
        same drawn.mlir
    done
done

# --- runners-up ----------------------------------------------------------------------------------------------------

# The ops of a plan up to number N of those that have a runner-up, which is forced: into rival.plan, and what it is to cost.
rival() { # PLAN N
    awk -v n="$2" '
        function put() { if (k == n) { print head; printf "%s%s", operands, results } else if (k < n) printf "%s", entry }
        /^[^ ]/ { put(); if (k == n) exit; head = $0; entry = $0 "\n"; operands = results = ""; next }
        / runner-up cost/ { k++; cost = $3 }
        /^  runner-up operands/ { operands = $0 "\n"; sub("runner-up ", "", operands) }
        /^  runner-up results/ { results = $0 "\n"; sub("runner-up ", "", results) }
        { entry = entry $0 "\n" }
        END { sub(",", "", cost); print cost >"said" }' "$1" >rival.plan
}

# follows FILE: each op forced to its runner-up costs what the plan says; with a folder of results, those are computed.
follows() { # FILE [RESULTS]
    "$weft" explain --plan -o whole.plan "$1" 2>err || return 1
    n=0 ops=$(grep -c '^  runner-up cost' whole.plan)
    [ "$ops" -gt 0 ] || return 1
    while [ $n -lt "$ops" ]; do
        n=$((n + 1))
        rival whole.plan $n
        "$weft" opt --verify-each --weft-partition='plan=rival.plan print-plan=followed.plan' -o module "$1" 2>err || return 1
        want=$(cat said) last=$(grep '^[^ ]' rival.plan | tail -n 1)
        got=$(awk -v head="$last" -v want="$(grep -c '^[^ ]' rival.plan)" '/^[^ ]/ { k++ } k == want && $1 == "cost" { sub(",", "", $2); print $2 }' followed.plan)
        awk -v a="$got" -v b="$want" 'BEGIN { d = a - b; exit !(a != "" && d * d <= 1e-18 * (1 + b * b)) }' || { echo "$last costs $got, not $want" >err; return 1; }
        [ -z "$2" ] || "$weft" run "$1" --plan rival.plan --compare "$2" >out 2>err || return 1
    done
}
follows sum.mlir
result "runners-up of sum.mlir cost what is said" $?
follows loop.mlir
result "runners-up of loop.mlir cost what is said" $?
for program in mlp_dp_tp decode embed moe; do
    [ ! -e "$shared/programs/$program.mlir" ] || { follows "$shared/programs/$program.mlir"; result "runners-up of $program cost what is said" $?; }
done
if "$weft" run sum.mlir --devices 1 --outputs one >out 2>err; then
    follows sum.mlir one
    result "runners-up of sum.mlir compute the same" $?
    "$weft" run loop.mlir --devices 1 --outputs one >out 2>err && follows loop.mlir one
    result "runners-up of loop.mlir compute the same" $?
elif [ $? -ne 77 ]; then
    result "a run without a plan" 1
fi

# --- compared ------------------------------------------------------------------------------------------------------

"$weft" explain --plan --against sum.plan sum.mlir >out 2>err
cat >want <<'END'
plan: total 57.60230124 ns, sent 44.93631423 ns
stored plan: total 57.60230124 ns, sent 44.93631423 ns
no op differs
END
printed "a plan against itself" want
rival sum.plan 2
"$weft" explain --plan --against rival.plan sum.mlir >out 2>err
cat >want <<'END'
plan: total 57.60230124 ns, sent 44.93631423 ns
stored plan: total 104.7737896 ns, sent 89.87262845 ns
the plan has
%1 = stablehlo.tanh at sum.mlir:4:8
  operands <@mesh, [{"x"}, {}]>
  results <@mesh, [{"x"}, {}]>
  cost 45.68137228 ns
the stored one has
%1 = stablehlo.tanh at sum.mlir:4:8
  operands <@mesh, [{}, {}]>
  results <@mesh, [{}, {}]>
  cost 92.62003005 ns
the plan has
func.return at sum.mlir:5:3
  operands <@mesh, [{"x"}, {}]>
  cost 0 ns
the stored one has
func.return at sum.mlir:5:3
  operands <@mesh, [{"x"}, {}]>
  cost 0.2328306437 ns
END
printed "a plan against one with a runner-up" want
"$weft" dryrun sum.mlir --json >free 2>err && "$weft" dryrun sum.mlir --json --plan sum.plan >forced 2>err && cmp -s free forced
result "a dry run by the plan that it has anyway" $?
"$weft" dryrun sum.mlir --json --plan rival.plan >forced 2>err && ! cmp -s free forced
result "a dry run by another plan" $?
cp rival.plan "a \"rival\" {of it.plan"
"$weft" dryrun sum.mlir --json --plan "a \"rival\" {of it.plan" >quoted 2>err && cmp -s forced quoted
result "a plan whose file's name has quotes, blanks and a brace in it" $?

# --- prices of a machine -------------------------------------------------------------------------------------------

cat >repeat.mlir <<'END'
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<512x8xf32>, %b: tensor<8x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> (tensor<512x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<512x8xf32>, tensor<8x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
END
cat >turn.mlir <<'END'
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> (tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
  return %a : tensor<32x32xf32>
}
END
# gathered COSTS TYPE: on a machine with these costs repeat.mlir gathers this.
gathered() {
    "$weft" opt "--weft-partition=machine={$1 gpu 8 1GB/s}" repeat.mlir >out 2>err && grep -q "all_gather.*-> $2" out
    result "${1:-the default costs}: what is gathered is $2" $?
}
gathered "" 'tensor<8x512xf32>' # each device then multiplies all columns
gathered "costs { step 1ns }" 'tensor<512x512xf32>'
gathered "costs { step 1ns wire 1MB/s }" 'tensor<8x512xf32>'
"$weft" explain --plan --topology 'costs { step 1ns } gpu 8 1GB/s' repeat.mlir >out 2>err && grep -q '^  operands <@mesh, \[{}, {}\]>, <@mesh, \[{}, {"x"}\]>' out
result "explain --plan --topology plans by the machine's costs" $?
"$weft" dryrun --json --topology 'costs { step 1ns } gpu 8 1GB/s' repeat.mlir >out 2>err && grep -q '"wire_bytes": 786432' out
result "so does a dry run" $?
# calls COSTS N: the same of turn.mlir, and how many calls it makes.
calls() {
    "$weft" opt "--weft-partition=machine={$1 gpu 8 1GB/s}" turn.mlir >out 2>err &&
        [ "$(grep -cE 'stablehlo.(collective_permute|all_to_all|all_gather)' out)" -eq "$2" ]
    result "${1:-the default costs}: $2 calls" $?
}
calls "" 2 # a permute and an all_to_all, for the fewest bytes
calls "costs { call 1ms }" 1
calls "costs { call 1ms slice 1ms }" 2
"$weft" explain --topology cpu-node repeat.mlir >out 2>err
[ $? -eq 2 ] && grep -q -- '--topology goes with --plan' err
result "--topology without --plan" $?

# --- refused -------------------------------------------------------------------------------------------------------

# bad PLACE PATTERN SED: sum.plan changed so is refused at that place.
bad() {
    sed "$3" sum.plan >bad.plan
    "$weft" opt --weft-partition=plan=bad.plan sum.mlir >out 2>err
    [ $? -eq 1 ] && grep -q "^bad.plan:$1: error: $2" err
    result "refused at $1: $2" $?
}
bad 1:1 "not a plan: one begins with 'weft plan 1'" 1d
bad 4:6 "expected a function's name" 's/func @main/func main/'
bad '[0-9]*:1' 'a second entry of %0' '5,7H;$G'
bad 2:1 'a plan for mesh <\["x"=8\]>, but the program has mesh <\["x"=4\]>' 's/"x"=4/"x"=8/'
bad 4:6 'the program has no function @other' 's/@main/@other/'
bad 5:1 'the program has no such op %7 in @main' 's/^%0/%7/'
bad 5:1 'the program has no such op %0 in @main' 's/sum.mlir:3:8/sum.mlir:9:8/'
bad 5:1 'the program has no such op %0 in @main' '5s/dot_general/add/'
bad 6:12 '' '6s/<@mesh, \[{}, {"x"}\]>/<@mesh, [{}, {"y"}]>/'
bad 6:12 "expected a sharding" '6s/<@mesh, \[{}, {"x"}\]>/whole/'
bad 6:12 "expected a sharding" '6s/<@mesh, \[{}, {"x"}\]>/none/'
bad 6:22 "expected string, found '5'" '6s/{}/{5}/'
bad 6:32 "expected '>', found" '6s/\[{}, {"x"}\]/& &/'
[ "$(grep -c error: err)" -eq 1 ]
result "one error for a sharding that cannot be read" $?
bad 4:1 "expected a line 'func @NAME' before the first op" 4d
bad 6:1 "'stablehlo.dot_general' has 2 operands, one sharding for each" '6s/, <@mesh, \[{"x"}, {}\]>//'
bad 5:1 "'stablehlo.dot_general' cannot have its operands and results so" '7s/<.*/<@mesh, [{}, {"x"}]>/'
bad 8:11 'a second line of results' 7p
bad 5:1 "this entry has no line 'results'" 7d
bad 7:3 'not a property of an op in a plan' '7s/results/outcome/'
"$weft" opt --weft-partition=plan=absent.plan sum.mlir >out 2>err
[ $? -ne 0 ] && grep -q "error: cannot open 'absent.plan'" err
result "a plan that is not there" $?
"$weft" explain --plan --line 3 sum.mlir >out 2>err
[ $? -eq 2 ] && grep -q 'exclude each other' err
result "--plan and --line" $?
finish
