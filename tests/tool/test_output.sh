#!/bin/sh
# -o: a plain file appears whole; a device, pipe or link is written to and never replaced.
. "${top_srcdir:-.}/tests/support/cases.sh"
printf 'func.func public @main() {\n  return\n}\n' >in.mlir
"$weft" opt in.mlir >want || exit 1

"$weft" opt in.mlir -o new.mlir && cmp -s want new.mlir
result "a new file" $?
"$weft" opt in.mlir -o new.mlir && cmp -s want new.mlir && [ "$(ls | wc -l)" -eq 3 ]
result "a file that is there, and nothing beside it" $?
ln -s target link && : >target
"$weft" opt in.mlir -o link && [ -L link ] && cmp -s want target
result "a link's target" $?
mkfifo pipe
cat pipe >got &
"$weft" opt in.mlir -o pipe && wait && [ -p pipe ] && cmp -s want got
result "a pipe" $?
"$weft" opt in.mlir -o missing/file 2>err
[ $? -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && [ ! -e missing ]
result "a folder that is not there" $?
for command in opt convert; do
    [ -c /dev/full ] || { skips=1; break; }
    "$weft" $command in.mlir >/dev/full 2>err
    [ $? -eq 1 ] && [ "$(grep -c 'standard output cannot be written' err)" -eq 1 ] && [ "$(wc -l <err)" -eq 1 ]
    result "$command says once that standard output is full" $?
done
finish "no /dev/full"
