#!/bin/sh
# sdy-constant-or-scalar-merger over more constants than its table has room for at first: of 300 values, each twice, 300 are left.
. "${top_srcdir:-.}/tests/support/cases.sh"
awk 'BEGIN {
    print "func.func @main() -> tensor<i32> {\n  %s0 = sdy.constant dense<-1> : tensor<i32>"
    for (i = 0; i < 600; i++) printf "  %%c%d = sdy.constant dense<%d> : tensor<i32>\n  %%s%d = stablehlo.add %%s%d, %%c%d : tensor<i32>\n", i, i % 300, i + 1, i, i
    print "  return %s600 : tensor<i32>\n}"
}' >many.mlir
timeout 60 "$weft" opt --sdy-constant-or-scalar-merger many.mlir >out 2>err && [ "$(grep -c 'sdy.constant dense' out)" -eq 301 ]
result "300 constants, each twice" $?
finish
