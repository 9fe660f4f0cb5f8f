#!/bin/sh
# The library has no mutable global state: its own objects put nothing into .data and .bss but once-flags (*_once).
# Instrumented builds add variables of their own and are skipped.
cd "${top_builddir:-.}" || exit 1
if grep -qE -- '^WEFT_CFLAGS = .*(-fsanitize|--coverage)' Makefile; then
    echo "skipped: 1 (instrumented build)"
    exit 77
fi
lib=.libs/libweft.so
[ -f $lib ] || { echo "$lib: error: not built"; exit 1; }
objdump -t $lib | awk '
    $0 ~ /^[0-9a-f]+ .{7} (\.data|\.bss|\.tdata|\.tbss)\t/ {
        name = $NF; size = $(NF - 1)
        if (name ~ /^\./ || size ~ /^0+$/ || name ~ /^(completed\.[0-9]+|__dso_handle|__TMC_END__|_edata|_end|__bss_start)$/) next
        if (name ~ /_once(\.[0-9]+)?$/) next
        print "libweft: error: mutable global \"" name "\""; bad++
    }
    END { printf "Checks: 1, Failures: %d, Errors: 0\n", bad > 0; exit bad > 0 }'
