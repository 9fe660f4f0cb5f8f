#!/bin/sh
# The public headers by themselves, as users compile them: each alone and all together, in C and C++, by every compiler that there is, with warnings that
# a user may have on. No generated file and no option of the build is needed. A C program that uses them (examples/mlp.c) in C11 and C17.
. "${top_srcdir:-.}/tests/support/cases.sh"
warnings='-Wall -Wextra -Wshadow -Wundef -Wconversion -pedantic -Werror'
system=
headers=$(cd "$src/include" && ls weft/*.h)
for flag in $WEFT_TEST_CPPFLAGS; do # MPI's own header is not to be warned of
    case $flag in -I*) system="$system -isystem ${flag#-I}" ;; *) system="$system $flag" ;; esac
done
try() { # what compiler language standard file [options]
    what=$1 compiler=$2 language=$3 standard=$4 file=$5
    shift 5
    $compiler -x "$language" -std="$standard" $warnings "$@" -fsyntax-only -I"$src/include" $system "$file" >out 2>err </dev/null
    result "$what, $standard, by $compiler" $?
}
with_mpi() { echo '#include <mpi.h>' >mpi.c && ${CC:-cc} -fsyntax-only $system mpi.c 2>/dev/null; }
with_mpi || headers=$(echo "$headers" | grep -v '/mpi\.h$')
for header in $headers; do
    name=$(basename "$header" .h)
    printf '#include <%s>\n#include <%s>\nextern int %s_is_included;\nint %s_is_included;\n' "$header" "$header" "$name" "$name" >"$name.c"
done
for header in $headers; do echo "#include <$header>"; done >all.c
for header in $headers; do printf '%s\n' "$header"; done | sort -r | sed 's/.*/#include <&>/' >backwards.c
echo 'extern int all_are_included; int all_are_included;' | tee -a all.c >>backwards.c
# Structs of options have a size, so that they can grow.
for struct in $(sed -n 's/^} \(weft_[a-z_]*_options\);.*/\1/p' "$src"/include/weft/*.h); do
    sed -n "/^typedef struct $struct {/,/^}/p" "$src"/include/weft/*.h | grep -q '^    size_t size;'
    result "$struct has a size" $?
done
compilers=0
for compiler in gcc clang-19; do
    command -v $compiler >/dev/null || continue
    compilers=$((compilers + 1))
    for header in $headers; do try "$header alone" $compiler c c11 "$(basename "$header" .h).c" -Wstrict-prototypes; done
    for standard in c11 c17 c2x; do try 'all headers' $compiler c $standard all.c -Wstrict-prototypes; done
    try 'all headers, the last first' $compiler c c17 backwards.c
    for standard in c11 c17; do
        $compiler -std=$standard -Wall -Wextra -pedantic -Werror -fsyntax-only -I"$src/include" "$src/examples/mlp.c" >out 2>err
        result "examples/mlp.c, $standard, by $compiler" $?
    done
done
mpi='-DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX' # MPI's own interface for C++
for compiler in g++ clang++-19; do
    command -v $compiler >/dev/null || continue
    compilers=$((compilers + 1))
    for header in $headers; do try "$header alone" $compiler c++ c++11 "$(basename "$header" .h).c" $mpi -Wold-style-cast; done
    for standard in c++11 c++17 c++20; do try 'all headers' $compiler c++ $standard all.c $mpi -Wold-style-cast -Wzero-as-null-pointer-constant; done
done
[ $compilers -gt 0 ] || result 'a compiler is there' 1
finish
