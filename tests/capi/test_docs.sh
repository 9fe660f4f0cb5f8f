#!/bin/sh
# What docs/man/weft.3 and docs/capi.md show compiles, and the manual's program prints what the manual says.
. "${top_srcdir:-.}/tests/support/cases.sh"
lib=$build/.libs
sed -n '/^\.EX$/,/^\.EE$/p' "$src/docs/man/weft.3" | sed -e '/^\.E[XE]$/d' -e 's/\\-/-/g' -e 's/\\e/\\/g' >squares.c
sanitize=$(sed -n 's/^WEFT_SANITIZE = //p' "$build/Makefile")
${CC:-cc} -std=c11 -Wall -Wextra -pedantic -Werror $sanitize -I"$src/include" squares.c -L"$lib" -lweft -Wl,-rpath,"$lib" -o squares >out 2>err
result 'the program of weft.3 compiles' $?
./squares >out 2>err && [ "$(cat out)" = 204 ] && [ ! -s err ]
result 'it prints 204' $?
if command -v mpirun >/dev/null && grep -q '^#define HAVE_MPI 1' "$build/config.h"; then
    timeout -k 10 120 mpirun -n 2 ./squares >out 2>err </dev/null && [ "$(cat out)" = 204 ]
    result 'and under mpirun' $?
else
    skips=1
fi
# Each block of docs/capi.md, in a function that has what it speaks of.
awk '/^```c$/ { n++; in_it = 1; printf "void block_%d(void);\nvoid block_%d(void) {\n", n, n; next } /^```$/ && in_it { in_it = 0; print "}" } in_it' "$src/docs/capi.md" >blocks
{
    echo '#include <stdio.h>'
    echo '#include <weft/parameters.h>'
    echo '#include <weft/checkpoint.h>'
    echo '#include <weft/dryrun.h>'
    echo '#include <weft/random.h>'
    echo '#include <weft/coll.h>'
    [ $skips -gt 0 ] || echo '#include <weft/mpi.h>'
    echo 'extern weft_body layer; extern weft_context *cx; extern weft_graph *graph; extern weft_tensor *activations, *stacked; extern weft_job *job; extern weft_world *world; extern int rank; extern int64_t device; extern void *data; extern size_t bytes; extern weft_client *client; extern weft_state *state;'
    cat blocks
} >blocks.c
system=
for flag in $WEFT_TEST_CPPFLAGS; do system="$system $flag"; done
if [ $skips -gt 0 ]; then skips=2; else
    ${CC:-cc} -std=c17 -Wall -Wextra -Werror -Wno-unused-result -Wno-unused-variable -fsyntax-only -I"$src/include" $system blocks.c >out 2>err
    result 'the blocks of capi.md compile' $?
fi
[ "$(grep -c '^void block_.* {' blocks)" -ge 3 ]
result 'there are blocks' $?
# Every function that the manual names is there, and every public header is named.
for name in $(sed 's/\\-/-/g' "$src/docs/man/weft.3" | grep -oE '\bweft_[a-z_]+[a-z]\b' | sort -u); do
    case $name in weft_world_create) continue ;; esac # "weft_world_create_..."
    grep -qE "\b$name\b" "$src"/include/weft/*.h || echo "$name"
done >out
[ ! -s out ]
result 'weft.3 names what there is' $?
finish 'no MPI'
