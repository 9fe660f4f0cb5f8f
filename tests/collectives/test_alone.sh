#!/bin/sh
# libweft-coll by itself: a program that uses coll.h and topo.h links with it alone, runs, and loads no LLVM, oneDNN, BLAS or libweft.
. "${top_srcdir:-.}/tests/support/cases.sh"
if grep -qE -- '^WEFT_(CFLAGS|SANITIZE) = .*(-fsanitize|--coverage)' "$build/Makefile"; then
    echo "skipped: 1 (instrumented build)"
    exit 77
fi
lib=$build/.libs
${CC:-cc} -std=c17 -Wall -Wextra -Werror -I"$src/include" "$src/tests/collectives/alone.c" -L"$lib" -lweft-coll -lpthread -Wl,-rpath,"$lib" -o alone >out 2>err
result "alone.c is built with libweft-coll only" $?
prints '^3 3$' ./alone
ldd ./alone >out 2>err && grep -q libweft-coll out && ! grep -E 'LLVM|dnnl|blas|lapack|libweft\.' out >err
result "it loads libweft-coll, and no LLVM, oneDNN, BLAS, LAPACK or libweft" $?
ldd "$lib/libweft.so" >out 2>err && grep -q LLVM out
result "libweft loads LLVM, so the question means something" $?
finish
