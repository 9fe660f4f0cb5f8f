#!/bin/sh
# Flight records of ranks that fail, and what weft doctor makes of them.
command -v mpirun >/dev/null || { echo "skipped: 17 (no mpirun)"; exit 77; }
. "${top_srcdir:-.}/tests/support/launcher.sh"
weft=${top_builddir:-.}/weft ranks=${top_builddir:-.}/tests/collectives/ranks
[ -x "$ranks" ] || { echo "skipped: 17 (no MPI)"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
checks=0 failures=0
# told WHAT TRANSPORT PATTERN: what the doctor says of ranks that do WHAT
told() {
    checks=$((checks + 1))
    WEFT_FLIGHT=$tmp/$1.$2 WEFT_TRANSPORT=$2 timeout -k 10 60 mpirun -n 3 "$ranks" 1 "$1" >/dev/null 2>&1
    [ $? -eq 124 ] && echo "mpirun did not end within 60 s: $1 over $2" # met once, after all ranks had written their records
    "$weft" doctor "$tmp/$1.$2".? >"$tmp/out" 2>&1
    if grep -q "$3" "$tmp/out"; then echo "ok $1 over $2"; else failures=$((failures + 1)); echo "not ok $1 over $2"; cat "$tmp/out"; fi
}
# Who is told of the failure late has chosen its algorithm by then, which stands after the op.
told differs shm 'rank 2 calls all_gather[^"]* over "data" of 12 bytes of f32 at step.mlir:50:2 where rank 0 calls all_reduce[^"]* over "model" of 4 bytes'
told differs mpi 'rank 2 calls all_gather[^"]* over "data" of 12 bytes of f32 at step.mlir:50:2 where rank 0 calls all_reduce[^"]* over "model" of 4 bytes'
told late shm 'rank 2 did not reach call 2 of its group, all_reduce[^"]* over "model" of 4 bytes of f32 by sum at step.mlir:41:10'
# refused PATTERN FILE...: one line that says so, and 1
refused() {
    checks=$((checks + 1)) pattern=$1
    shift
    timeout 20 "$weft" doctor "$@" >"$tmp/out" 2>&1
    if [ $? -eq 1 ] && [ "$(wc -l <"$tmp/out")" -eq 1 ] && grep -q "$pattern" "$tmp/out"; then echo "ok $pattern"; else failures=$((failures + 1)); echo "not ok $*"; head "$tmp/out"; fi
}
# record FILE LINE...: a flight record of two ranks, with these lines after its head
record() {
    to=$tmp/$1
    shift
    printf '%s\n' '{"weft_flight": 1, "process": 0, "ranks": 2, "reason": ""}' "$@" >"$to"
}
echo '{"something": "else"}' >"$tmp/odd"
refused 'is not a flight record: line 1' "$tmp/odd"
record seventh '{"group": "1", "members": [0, 7]}'
refused 'is not a flight record: line 2' "$tmp/seventh"
record named '{"group": "1", "members": ["a", {}]}'
refused 'is not a flight record: line 2' "$tmp/named"
record nobody '{"group": "1", "members": []}'
refused 'is not a flight record: line 2' "$tmp/nobody"
printf '{"weft_flight": 2, "process": 0, "ranks": 2, "reason": ""}\n' >"$tmp/later"
refused 'is not a flight record: line 1' "$tmp/later"
printf '{"weft_flight": 1, "process": 0, "ranks": 3, "reason": ""}\n' >"$tmp/three"
record two
refused 'three is of another run' "$tmp/two" "$tmp/three"
# What an earlier run left at the same place, when not all processes of this one could write theirs.
for run in 1 2; do printf '{"weft_flight": 1, "run": "000000000000000%d", "process": 0, "ranks": 2, "reason": ""}\n' $run >"$tmp/run$run"; done
refused 'run2 is of another run' "$tmp/run1" "$tmp/run2"
: >"$tmp/empty"
refused 'is empty' "$tmp/empty"
refused 'cannot be read: Is a directory' "$tmp"
refused 'cannot be opened: No such file' "$tmp/none"
refused 'is not a flight record: line 1' /dev/zero
# Two ranks, of which one takes the greatest: `1` and `2` differ in nothing else.
call='"call": 1, "op": "all_reduce", "type": "f32", "bytes": 8, "in_group": "1", "group_call": 1, "state": "failed", "place": "a.mlir:1:2"'
record sums '{"group": "1", "members": [0, 1]}' '{"rank": 0, "state": "here", "calls": 1}' "{\"rank\": 0, $call, \"reduction\": \"sum\"}" \
    '{"rank": 1, "state": "here", "calls": 1}' "{\"rank\": 1, $call, \"reduction\": \"max\"}"
checks=$((checks + 1))
"$weft" doctor "$tmp/sums" | grep -q 'rank 1 calls all_reduce of 8 bytes of f32 by max at a.mlir:1:2 where rank 0 calls all_reduce of 8 bytes of f32 by sum' ||
    { failures=$((failures + 1)); echo "not ok another reduction"; }
# Which algorithm a call went by, where it was chosen before the trouble.
checks=$((checks + 1))
"$weft" doctor "$tmp/late.shm".? | grep -q 'after its call 1, barrier (flags)' || { failures=$((failures + 1)); echo "not ok the algorithm of a call that is done"; }
record chosen '{"group": "1", "members": [0, 1]}' '{"rank": 0, "state": "here", "calls": 1}' "{\"rank\": 0, $call, \"reduction\": \"sum\", \"algorithm\": \"two_shot\"}" \
    '{"rank": 1, "state": "process ended", "calls": 0}'
checks=$((checks + 1))
"$weft" doctor "$tmp/chosen" | grep -q 'rank 1 did not reach call 1 of its group, all_reduce (two_shot) of 8 bytes of f32 by sum at a.mlir:1:2' ||
    { failures=$((failures + 1)); echo "not ok the algorithm of a call"; }
echo "Checks: $checks, Failures: $failures, Errors: 0"
[ $failures -eq 0 ]
