#!/bin/sh
# Three programs that share buffers, across processes: donation, a program that one process cannot load, a failure that all
# hear of. Timings are limits against hangs only.
command -v mpirun >/dev/null || { echo "skipped: 10 (no mpirun)"; exit 77; }
. "${top_srcdir:-.}/tests/support/launcher.sh"
clients=${top_builddir:-.}/tests/runtime/clients
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
checks=0 failures=0
# try PROCESSES MODE STATUS(0: fine, 1: any failure but a hang) DIAGNOSTICS(a number, or any) PATTERN
try() {
    checks=$((checks + 1))
    timeout -k 10 60 mpirun -n "$1" "$clients" "$2" >"$tmp/out" 2>&1 </dev/null
    status=$?
    errors=$(grep -c 'clients: error: ' "$tmp/out")
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
for n in 1 2 4; do try $n ok 0 $n '^loss '; done
for n in 1 2 4; do try $n turns 0 $n '^loss '; done
try 2 refuse 0 any "rank 2: .*no_such_kernel"
try 4 refuse 0 any "rank 1: .*no_such_kernel"
try 2 fail 1 any 'device 2.*bad data'
try 4 fail 1 any 'device 2.*bad data'
echo "Checks: $checks, Failures: $failures, Errors: 0"
[ $failures -eq 0 ]
