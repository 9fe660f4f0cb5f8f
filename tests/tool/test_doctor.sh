#!/bin/sh
# Flight records of ranks that fail, and what weft doctor makes of them.
command -v mpirun >/dev/null || { echo "skipped: 6 (no mpirun)"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
weft=${top_builddir:-.}/weft ranks=${top_builddir:-.}/tests/collectives/ranks
[ -x "$ranks" ] || { echo "skipped: 6 (no MPI)"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
checks=0 failures=0
# told WHAT TRANSPORT PATTERN: what the doctor says of ranks that do WHAT
told() {
    checks=$((checks + 1))
    WEFT_FLIGHT=$tmp/$1.$2 WEFT_TRANSPORT=$2 timeout 60 mpirun -n 3 "$ranks" 1 "$1" >/dev/null 2>&1
    "$weft" doctor "$tmp/$1.$2".? >"$tmp/out" 2>&1
    if grep -q "$3" "$tmp/out"; then echo "ok $1 over $2"; else failures=$((failures + 1)); echo "not ok $1 over $2"; cat "$tmp/out"; fi
}
told differs shm 'rank 2 calls all_gather over "data" of 12 bytes of f32 at step.mlir:50:2 where rank 0 calls all_reduce over "model" of 4 bytes'
told differs mpi 'rank 2 calls all_gather over "data" of 12 bytes of f32 at step.mlir:50:2 where rank 0 calls all_reduce over "model" of 4 bytes'
told late shm 'rank 2 did not come to call 2 of its group, all_reduce over "model" of 4 bytes of f32 at step.mlir:41:10'
checks=$((checks + 3))
echo '{"something": "else"}' >"$tmp/odd"
"$weft" doctor "$tmp/odd" 2>&1 | grep -q 'is no flight record: line 1' || { failures=$((failures + 1)); echo "not ok odd file"; }
printf '%s\n' '{"weft_flight": 1, "process": 0, "ranks": 2, "reason": ""}' '{"group": "1", "members": [0, 7]}' >"$tmp/seventh"
"$weft" doctor "$tmp/seventh" 2>&1 | grep -q 'is no flight record: line 2' || { failures=$((failures + 1)); echo "not ok a member that is no rank"; }
"$weft" doctor "$tmp/none" 2>&1 | grep -q 'cannot be opened' || { failures=$((failures + 1)); echo "not ok no file"; }
echo "Checks: $checks, Failures: $failures, Errors: 0"
[ $failures -eq 0 ]
