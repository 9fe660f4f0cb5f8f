#!/bin/sh
# The blocks of docs/training.md are a program that compiles and learns, on threads and under mpirun.
. "${top_srcdir:-.}/tests/support/cases.sh"
lib=$build/.libs
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$src/docs/training.md" >training.c
sanitize=$(sed -n 's/^WEFT_SANITIZE = //p' "$build/Makefile")
${CC:-cc} -std=c17 -Wall -Wextra -pedantic -Werror $sanitize -I"$src/include" training.c -L"$lib" -lweft -lm -Wl,-rpath,"$lib" -o training >out 2>err
result 'the program compiles' $?
learns() { [ ! -s err ] && awk '/^loss / { n++; last = $2 } END { exit !(n == 1 && last < 0.03) }' out; }
./training >out 2>err && learns
result 'it learns' $?
[ -s run/latest ]
result 'and leaves a checkpoint' $?
if command -v mpirun >/dev/null && grep -q '^#define HAVE_MPI 1' "$build/config.h"; then
    timeout -k 10 120 mpirun -n 4 ./training >out 2>err </dev/null && learns
    result 'and under mpirun' $?
else
    skips=1
fi
finish 'no MPI'
