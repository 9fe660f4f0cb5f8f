#!/bin/sh
# Sessions across processes: sums, refusals agreed on by all, failures and deaths that nobody waits for, nothing left in
# shared memory. Timings are limits against hangs only.
command -v mpirun >/dev/null || { echo "skipped: 8 (no mpirun)"; exit 77; }
. "${top_srcdir:-.}/tests/support/launcher.sh"
ranks=${top_builddir:-.}/tests/runtime/ranks
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
checks=0 failures=0
# try PROCESSES MODE STATUS(0: fine, 1: any failure but a hang) DIAGNOSTICS(a number, or any) PATTERN
try() {
    checks=$((checks + 1))
    timeout -k 10 60 mpirun -n "$1" "$ranks" "$2" >"$tmp/out" 2>&1 </dev/null
    status=$?
    errors=$(grep -c 'ranks: error: ' "$tmp/out")
    bad=
    [ $status -ne 124 ] || bad=hang
    if [ "$3" -eq 0 ]; then [ $status -eq 0 ] || bad=status; else [ $status -ne 0 ] || bad=status; fi
    [ "$4" = any ] || [ "$errors" -eq "$4" ] || bad="$errors diagnostics"
    grep -q "$5" "$tmp/out" || bad="no '$5'"
    if [ -z "$bad" ]; then echo "ok $2 on $1 processes"; else
        failures=$((failures + 1))
        echo "not ok $2 on $1 processes: $bad (status $status)"
        cat "$tmp/out"
    fi
}
try 1 ok 0 0 '^sum 10$'
try 2 ok 0 0 '^sum 10$'
try 4 ok 0 0 '^sum 10$'
try 4 refuse 1 1 'process 1 has no file'
try 4 differ 1 1 'rank 1 compiled another program than rank 0'
try 4 fail 1 any 'device 3: a kernel failed'
try 4 die 1 any '.'
WEFT_TRANSPORT=mpi try 4 stop 1 any 'waited 5 s for rank 3'
echo "Checks: $checks, Failures: $failures, Errors: 0"
[ $failures -eq 0 ]
