#!/bin/sh
# The shared programs, each on its own mesh: where there is data, results against the expected ones, on devices in one process and
# under mpirun with a process per device; for all, the wire bytes that the dry run says against XLA's.
shared=${WEFT_SHARED:-${top_srcdir:-.}/../shared}
weft=${top_builddir:-.}/weft
if [ ! -d "$shared/programs" ]; then
    echo "skipped: 1 ($shared/programs is not there)"
    exit 77
fi
. "${top_srcdir:-.}/tests/support/launcher.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
checks=0 failures=0 skips=0 left=0 with_data=0

# WEFT_EVERY=N: only every Nth program with what takes longest, eight processes.
is_taken() { [ $((with_data % ${WEFT_EVERY:-1})) -eq 0 ]; }

# try WHAT COMMAND...
try() {
    what=$1
    shift
    checks=$((checks + 1))
    if "$@" >"$tmp/out" 2>&1 </dev/null; then
        echo "ok $what"
    else
        failures=$((failures + 1))
        echo "not ok $what: $*"
        tail -n 5 "$tmp/out"
    fi
}

# number JSON KEY: a number at the top of a JSON object.
number() { sed -n "s/^ *\"$2\": *\([0-9.e+]*\),*$/\1/p" "$1" | head -n 1; }

bytes_at_most_xla() {
    "$weft" dryrun --json "$1" >"$tmp/dry.json" || return 1
    awk -v ours="$(number "$tmp/dry.json" wire_bytes)" -v xla="$(number "${1%.mlir}.json" wire_bytes)" \
        'BEGIN { print "wire bytes per device:", ours, "ours,", xla, "of XLA"; exit !(ours != "" && ours <= xla) }'
}

same_blocking() {
    "$weft" run "$@" --no-overlap --outputs "$tmp/blocking" && diff -r "$tmp/beside" "$tmp/blocking" && rm -r "$tmp/beside" "$tmp/blocking"
}

for f in "$shared"/programs/*.mlir; do
    n=$(basename "$f" .mlir) dir=${f%.mlir}
    if [ -f "$dir/in0.npy" ]; then
        data="--inputs $dir --compare $dir --rtol 2e-4 --atol 2e-5"
        try "$n in one process" "$weft" run "$f" $data --outputs "$tmp/beside"
        try "$n, every collective done before the next step: the same bits" same_blocking "$f" --inputs "$dir"
        if ! command -v mpirun >/dev/null; then
            skips=$((skips + 1))
        elif is_taken; then
            try "$n under mpirun -n 8" timeout -k 10 120 mpirun -n 8 "$weft" run "$f" $data
        else
            left=$((left + 1))
        fi
        with_data=$((with_data + 1))
    fi
    try "$n wire bytes" bytes_at_most_xla "$f"
done
[ $left -eq 0 ] || echo "left out: $left programs under mpirun"
[ $skips -eq 0 ] || echo "skipped: $skips (mpirun is not there)"
echo "Checks: $checks, Failures: $failures, Errors: 0"
[ $failures -eq 0 ]
