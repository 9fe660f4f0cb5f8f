#!/bin/sh
# The blocks of docs/tutorial.md and docs/mpi-guide.md are programs, each from the block that begins with its name to the next; they compile and
# do what is said of them, on threads and under mpirun.
. "${top_srcdir:-.}/tests/support/cases.sh"
lib=$build/.libs
sanitize=$(sed -n 's/^WEFT_SANITIZE = //p' "$build/Makefile")
for page in tutorial mpi-guide; do
    awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on { if (/^\/\* [a-z]+\.c/) name = substr($2, 1, index($2, ".c") + 1); print >name }' "$src/docs/$page.md"
done
for program in product gpt guide; do
    ${CC:-cc} -std=c17 -Wall -Wextra -pedantic -Werror $sanitize -I"$src/include" $program.c -L"$lib" -lweft -lm -Wl,-rpath,"$lib" -o $program >out 2>err
    result "$program.c compiles" $?
done
has_mpi() { command -v mpirun >/dev/null && grep -q '^#define HAVE_MPI 1' "$build/config.h"; }
mpi() { n=$1; shift; timeout -k 10 200 mpirun -n "$n" "$@" >out 2>err </dev/null; }
multiplies() { printf 'y lies "data, -"\n4 5\n10 11\n16 17\n22 23\n' | cmp -s - out && [ ! -s err ]; }
solves() { [ "$(cat out)" = 'A x - b is 0; 0 numbers out of order; device 1 has 250 to 499' ] && [ ! -s err ]; }
./product >out 2>err && multiplies
result 'product' $?
./guide >out 2>err && solves
result 'guide' $?
# loss STEP BOUND: that step is printed, with a loss below the bound, and a sample
loss() { [ ! -s err ] && awk -v step="step $1:" -v most="$2" 'index($0, step) == 1 && $4 < most { n++ } END { exit n != 1 }' out && [ "$(tail -n 1 out | wc -c)" -ge 61 ]; }
./gpt alone >out 2>err && loss 100 1
result 'gpt, 100 steps on one device' $?
if has_mpi; then
    mpi 4 ./gpt && loss 200 0.2
    result 'gpt, the next 100 on four processes' $?
    mpi 2 ./product && multiplies
    result 'product under mpirun' $?
    mpi 4 ./guide && solves
    result 'guide under mpirun' $?
else
    skips=3
    ./gpt >out 2>err
fi
./gpt >out 2>err && [ ! -s err ] && tail -n 1 out | grep -q 'she\|sea\|the'
result 'gpt, a sample by four threads' $?
finish 'no MPI'
