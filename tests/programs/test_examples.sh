#!/bin/sh
# The examples do what they say: README's commands work, the perceptron and the GPT learn, stencil and solver have the numbers of plain loops, as threads and under mpirun, on
# several meshes, and the losses of one mesh are those of another.
. "${top_srcdir:-.}/tests/support/cases.sh"
bin=$build/examples

# Losses of two runs agree within a part in a hundred: sums in another order drift apart over the steps.
agree() {
    awk 'NR == FNR { want[FNR] = $4; n = FNR; next } { d = $4 - want[FNR]; if (d < 0) d = -d; if (d > 0.01 * want[FNR]) bad = 1; m = FNR }
         END { exit bad || n != m || n < 2 }' "$1" "$2"
}

# fell FILE: the last loss is under half of the first (GPT; the perceptron checks itself).
fell() { awk 'NR == 1 { first = $4 } { last = $4 } END { exit !(NR > 1 && last < first / 2) }' "$1"; }

run() { "$@" >"$tmp/out" 2>"$tmp/err" </dev/null; }

run "$bin/mlp" && cp "$tmp/out" "$tmp/mlp"
result "mlp on data=2, model=2" $?
for mesh in "data=1, model=1" "data=1, model=4" "data=4, model=1" "data=2, model=4"; do
    run "$bin/mlp" "$mesh" && agree "$tmp/mlp" "$tmp/out"
    result "mlp on $mesh" $?
done
run "$bin/mlp" "data=2, modle=2"
[ $? -eq 1 ] && grep -q "mlp.c:[0-9]*: error: the mesh has no axis 'model'" "$tmp/err" && [ "$(grep -c error "$tmp/err")" -eq 1 ]
result "mlp names the line of a wrong axis" $?
for mesh in "rows=4" "rows=1" "rows=5" "rows=2, columns=2"; do
    for program in heat cg; do
        run "$bin/$program" "$mesh" && grep -q '^[1-9][0-9]* iterations' "$tmp/out"
        result "$program on $mesh: a plain loop's numbers" $?
    done
done
# The first losses of two runs agree: those after many steps are of other sums.
begins_alike() { head -n 1 "$1" >one && head -n 1 "$2" >two && awk 'NR == FNR { a = $4; next } { exit !(a > 0 && (a - $4) ^ 2 < (1e-4 * a) ^ 2) }' one two; }
learns() {
    program=$1
    shift
    for mesh; do
        run "$bin/$program" "$mesh" && [ ! -s "$tmp/err" ] && { [ "$mesh" = "$1" ] && cp "$tmp/out" "$tmp/$program"; begins_alike "$tmp/$program" "$tmp/out"; }
        result "$program on $mesh learns, and begins as on $1" $?
    done
}
learns conv "data=2, rows=2" "data=1, rows=1" "data=1, rows=4" "data=4, rows=1"
learns moe "expert=4" "expert=1" "data=2, expert=2" "expert=2"
run "$bin/conv" "data=2"
[ $? -eq 1 ] && grep -q "conv.c:[0-9]*: error: the mesh has no axis 'rows'" "$tmp/err" && [ "$(grep -c error "$tmp/err")" -eq 1 ]
result "conv names the line of a wrong axis" $?
run "$bin/moe" "data=2"
[ $? -eq 1 ] && grep -q "moe.c:[0-9]*: error: the mesh has no axis 'expert'" "$tmp/err" && [ "$(grep -c error "$tmp/err")" -eq 1 ]
result "moe names the line of a wrong axis" $?
for stages in 4 2 3; do
    run "$bin/pipeline" $stages && [ ! -s "$tmp/err" ] && grep -q '^loss [0-9.]*, after 60 steps' "$tmp/out"
    result "pipeline of $stages stages: GPipe and 1F1B have the losses of no pipeline" $?
done
run "$bin/pipeline" 1
[ $? -eq 2 ] && grep -q 'usage: pipeline' "$tmp/err"
result "pipeline of one stage is refused" $?
for mesh in "part=4" "part=1" "part=3" "part=8"; do
    run "$bin/sort" "$mesh" 20011 && [ ! -s "$tmp/err" ] && grep -q '^20011 numbers sorted' "$tmp/out"
    result "sort on $mesh: qsort's order, the median and the largest" $?
done
run "$bin/sort" "part=4" 9 && grep -q '^9 numbers sorted' "$tmp/out"
result "sort of 9 numbers on 4 devices" $?
run "$bin/sort" "parts=4"
[ $? -eq 1 ] && grep -q "sort.c:[0-9]*: error: the mesh has no axis 'part'" "$tmp/err" && [ "$(grep -c error "$tmp/err")" -eq 1 ]
result "sort names the line of a wrong axis" $?
run "$bin/gpt/train" "$src/examples/gpt/gpt.mlir" "$src/examples/gpt/text.txt" 100 && fell "$tmp/out" && cp "$tmp/out" "$tmp/gpt"
result "gpt learns" $?
for program in cg conv gpt/gpt gpt/train heat mlp moe pipeline sort; do
    name=${program#gpt/}
    run "$bin/$program" --help && [ ! -s "$tmp/err" ] && grep -q "^usage: $name " "$tmp/out" && grep -q "^  mpirun -n [24] $name" "$tmp/out"
    result "$name --help has an example" $?
    run "$bin/$program" --nothing
    [ $? -ne 0 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q "^$name: .*$name --help" "$tmp/err"
    result "$name says what is wrong with a flag in one line" $?
done
# README's program, and the commands that it names.
awk '/^    module @mlp/ { on = 1 } on { print substr($0, 5) } /^    }$/ && on { exit }' "$src/README.md" >"$tmp/mlp.mlir"
for command in "opt --sdy-propagation-pipeline" "opt --weft-partition" "run --repeat 5" "dryrun --mesh data=4,model=8"; do
    run "$bin/../weft" $command "$tmp/mlp.mlir" && [ -s "$tmp/out" ]
    result "README: weft $command mlp.mlir" $?
done
if command -v mpirun >/dev/null; then
    for n in 2 4; do
        run timeout -k 10 120 mpirun -n $n "$bin/mlp" && agree "$tmp/mlp" "$tmp/out"
        result "mlp under mpirun -n $n" $?
    done
    run timeout -k 10 120 mpirun -n 3 "$bin/mlp"
    status=$?
    [ $status -ne 0 ] && [ $status -ne 124 ]
    result "mlp under mpirun -n 3 is refused" $?
    for n in 2 4; do
        for program in heat cg; do
            run timeout -k 10 120 mpirun -n $n "$bin/$program" "rows=4" && grep -q '^[1-9][0-9]* iterations' "$tmp/out"
            result "$program under mpirun -n $n" $?
        done
    done
    for program in heat cg; do # iterations may differ by one of cg: sums are in another order
        run timeout -k 10 120 mpirun -n 2 "$bin/mpi/$program" && cp "$tmp/out" "$tmp/by_hand" && run "$bin/$program" "rows=2" &&
            awk '/^[1-9][0-9]* iterations/ { n[FNR == NR] = $1 } END { d = n[0] - n[1]; exit !(n[0] > 9 && d * d <= 1) }' "$tmp/by_hand" "$tmp/out"
        result "$program by hand for MPI takes as many iterations" $?
    done
    run timeout -k 10 120 mpirun -n 2 "$bin/heat" "rows=2" 50 30 7 && grep -q '^7 iterations' "$tmp/out"
    result "heat of another size, stopped" $?
    for n in 2 3; do
        run timeout -k 10 120 mpirun -n $n "$bin/sort" "part=$n" 20011 && cp "$tmp/out" "$tmp/sort" && run timeout -k 10 120 mpirun -n $n "$bin/mpi/sort" 20011 &&
            [ "$(sed 's/in .* ms//' "$tmp/sort")" = "$(sed 's/in .* ms//' "$tmp/out")" ]
        result "sort under mpirun -n $n, and by hand for MPI" $?
    done
    for n in 2 4; do
        run timeout -k 10 120 mpirun -n $n "$bin/pipeline" && grep -q '^loss [0-9.]*, after 60 steps' "$tmp/out"
        result "pipeline under mpirun -n $n" $?
    done
    for program in conv moe; do
        run timeout -k 10 120 mpirun -n 4 "$bin/$program" && begins_alike "$tmp/$program" "$tmp/out"
        result "$program under mpirun -n 4" $?
    done
    run timeout -k 10 120 mpirun -n 2 "$bin/gpt/train" "$src/examples/gpt/gpt.mlir" "$src/examples/gpt/text.txt" 100 && agree "$tmp/gpt" "$tmp/out"
    result "gpt under mpirun -n 2" $?
else
    skips=17
fi
finish "no mpirun"
