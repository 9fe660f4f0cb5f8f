#!/bin/sh
# What ranks of a node do in the memory that they share, in every order and with every value that C's memory model allows: the code of collectives/ itself, compiled
# for an explorer (weak.h). First small programs whose behaviours are known, then the code, then the code with each atomic access weaker than it is written.
# WEFT_LONG: more ranks and naps, in minutes.
. "${top_srcdir:-.}/tests/support/cases.sh"
# Builds with sanitizers have nothing else to show.
! grep -q '^WEFT_SANITIZE = .*fsanitize' "$build/Makefile" || finish
skips=1
command -v gcc >/dev/null && [ "$(uname -m)" = x86_64 ] || finish "gcc for this machine is not installed"
skips=0

compile() { gcc -std=gnu17 -Wall -Wextra -Werror -Wno-tsan -DHAVE_CONFIG_H -I"$src" -I"$src/include" -I"$build" "$@"; }
(
    compile -O2 -c "$src/tests/model/weak.c" "$src/tests/model/weak_main.c" "$src/cost/link.c" &&
        for file in collectives/clock collectives/meet collectives/turn collectives/run collectives/node collectives/flight tests/model/weak_litmus tests/model/weak_node; do
            compile -O1 -fsanitize=thread -include "$src/tests/model/weak_sites.h" -c "$src/$file.c" -o "explored_${file##*/}.o" || exit 1
        done &&
        gcc -o weak ./*.o -lm
) >out 2>err
result "the code compiles for the explorer" $?
[ "${WEFT_LONG:-1}" -le 1 ] && much= || much=long
./weak $much >lines 2>err
result "the explorer runs" $?

while read -r line; do
    case $line in
        ok\ *) : >out; result "${line#ok }" 0 ;;
        *) : >out; result "${line#not ok }" 1 ;;
    esac
done <lines
finish
