#!/bin/sh
# `weft` starts without the libraries that only running needs, and passes on to `weft-full` what it has not itself.
. "${top_srcdir:-.}/tests/support/cases.sh"
needs() { ldd "$1" | awk '{ print $1 }' | grep -E 'libLLVM|libmpi|libucp|libdnnl|libopenblas|liblapack'; }
[ -z "$(needs "$weft")" ]
result "weft needs none of LLVM, MPI, UCX, oneDNN and LAPACK" $?
needs "$weft-full" | grep -q libLLVM
result "weft-full needs LLVM" $?
for c in $("$weft" help | awk '{ print $1 }'); do
    "$weft" "$c" --help >"$tmp/front" 2>&1 && "$weft-full" "$c" --help | cmp -s - "$tmp/front"
    result "$c is the same by both" $?
done
cp "$weft" "$tmp/weft" && "$tmp/weft" opt --help >/dev/null
result "weft does opt alone" $?
"$tmp/weft" run x.mlir 2>"$tmp/err"
[ $? -eq 1 ] && grep -q "weft-full' cannot be started: No such file or directory" "$tmp/err"
result "weft says that weft-full is not there" $?
finish
