#!/bin/sh
# A compiled program's file is read and run by a program that is linked without LLVM, with the results of the process that compiled it.
. "${top_srcdir:-.}/tests/support/cases.sh"
"$build/tests/exec/writer" "$src/tests/exec/reader.mlir" program.weft want >said 2>err
result "the program is compiled and written" $?
prints "$(cat said), 0 bytes differ" "$build/tests/exec/reader" program.weft want
for kernel in cholesky convolution fft gemm product sort; do
    grep -q -a "$kernel" program.weft
    result "the file names the kernel $kernel" $?
done
head -c 5000 program.weft >cut.weft
refuses 1 'cut.weft' "$build/tests/exec/reader" cut.weft want
readelf -d "$build/tests/exec/writer" >out 2>err && grep -q 'NEEDED.*LLVM' out
result "the writer needs LLVM, so the question means something" $?
reader=$build/tests/exec/.libs/reader
[ -f "$reader" ] || reader=$build/tests/exec/reader
readelf -d "$reader" >out 2>err && grep -q 'NEEDED.*libc' out && ! grep 'NEEDED.*LLVM' out >err
result "the reader needs no LLVM" $?
ldd "$reader" >out 2>err && ! grep LLVM out >err
result "nor does a library that it loads" $?
finish
