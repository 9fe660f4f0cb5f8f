#!/bin/sh
# weft convert: text, bytecode and portable artifacts, there and back; what it refuses.
. "${top_srcdir:-.}/tests/support/cases.sh"

cat >step.mlir <<'END'
func.func @main(%a: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.add %a, %a : tensor<4x2xf32>
  %1 = stablehlo.tan %0 : tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}
END
"$weft" opt step.mlir >step.txt

# NAME FORM: the text of what it writes is the text of the module
back() {
    "$weft" convert step.mlir --to "$2" -o step.bc >out 2>err && "$weft" convert step.bc -o back.txt >>out 2>>err &&
        cmp step.txt back.txt >>out 2>>err
    result "$1" $?
}
back "text" text
back "bytecode" bytecode
back "the newest portable artifact" vhlo
back "a portable artifact of a version" vhlo=1.13.0
back "of the version with the op" vhlo=1.4.0
"$weft" convert - --to bytecode <step.mlir >piped.bc 2>err && "$weft" convert - <piped.bc >back.txt 2>>err &&
    cmp step.txt back.txt >out 2>>err && [ "$(head -c 2 piped.bc)" = ML ]
result "from standard input to standard output" $?
prints 'loc("step.mlir":3:' "$weft" convert step.bc --locs
prints '"stablehlo.tan"(%0)' "$weft" convert step.bc --generic
head -c 30 step.bc | grep -q 'StableHLO_v1.4.0'
result "the producer names the version" $?

refuses 1 "step.mlir:3:.*op 'stablehlo.tan' came with StableHLO 1.4.0; version 1.3.0" "$weft" convert step.mlir --to vhlo=1.3.0 -o none.bc
[ ! -e none.bc ]
result "nothing is written then" $?
refuses 2 "'1.x' is no version of StableHLO" "$weft" convert step.mlir --to vhlo=1.x
refuses 2 "Weft writes StableHLO 0.9.0 to 1.20.0, not 0.8.0" "$weft" convert step.mlir --to vhlo=0.8.0
refuses 2 "text, bytecode or vhlo=VERSION, not 'json'" "$weft" convert step.mlir --to json
refuses 2 "are for text" "$weft" convert step.mlir --to bytecode --locs
refuses 1 "there-is-none.mlir" "$weft" convert there-is-none.mlir

for file in "$shared"/programs/*.mlir; do
    [ -e "$file" ] || { skips=1; break; }
    "$weft" convert "$file" --locs -o whole.txt 2>err && "$weft" convert "$file" --to bytecode -o whole.bc 2>>err &&
        "$weft" convert whole.bc --locs -o back.txt 2>>err && cmp whole.txt back.txt >out 2>>err
    result "${file##*/} there and back" $?
done
finish "no shared programs"
