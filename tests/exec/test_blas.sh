#!/bin/sh
# Devices that are threads call LAPACK at the same time: under every OpenBLAS of this machine, among them one built without threads, whose own
# memory two callers may be given, all of many equal systems have equal solutions.
. "${top_srcdir:-.}/tests/support/cases.sh"
found=0
for library in /usr/lib/*/openblas-*/libopenblas.so.0 /usr/lib64/libopenblas*.so.0; do
    [ -f "$library" ] || continue
    found=1
    mkdir -p one && ln -sf "$library" one/libopenblas.so.0
    LD_LIBRARY_PATH=$PWD/one${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$weft" run $src/tests/exec/blas.mlir >out 2>err
    result "4 devices with $library" $?
done
skips=$((1 - found))
finish "no OpenBLAS is in the folders where Debian and Fedora have it"
