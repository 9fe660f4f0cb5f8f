#!/bin/sh
# The libraries have no mutable global state: their own objects put nothing into .data and .bss but once-flags (*_once), what they
# know of the one MPI that a process has (mpi_of_process in collectives/start_mpi.c), and the variable that gdb reads, with its lock
# (exec/symbols.c).
# Instrumented builds add variables of their own and are skipped.
# By hand it runs from anywhere; the build folder is then the current one, or build/.
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$(if [ -f config.status ]; then pwd; else echo "$top_srcdir/build"; fi)}
cd "$top_builddir" || exit 1
if grep -qE -- '^WEFT_CFLAGS = .*(-fsanitize|--coverage)' Makefile; then
    echo "skipped: 1 (instrumented build)"
    exit 77
fi
bad=0
for lib in libweft libweft-coll; do
    [ -f .libs/$lib.so ] || { echo ".libs/$lib.so: error: not built"; exit 1; }
    objdump -t .libs/$lib.so | awk -v lib=$lib '
        $0 ~ /^[0-9a-f]+ .{7} (\.data|\.bss|\.tdata|\.tbss)\t/ {
            name = $NF; size = $(NF - 1)
            if (name ~ /^\./ || size ~ /^0+$/ || name ~ /^(completed\.[0-9]+|__dso_handle|__TMC_END__|_edata|_end|__bss_start)$/) next
            if (name ~ /(_once|^mpi_of_process|^__jit_debug_descriptor|^gdb_lock)(\.[0-9]+)?$/) next
            print lib ": error: mutable global \"" name "\""; bad++
        }
        END { exit (bad > 0) }' || bad=$((bad + 1))
done
echo "Checks: 2, Failures: $bad, Errors: 0"
[ $bad -eq 0 ]
