#!/bin/sh
# weft explain: the words for each way in which an axis comes to a value, and for each reason why one does not.
. "${top_srcdir:-.}/tests/support/cases.sh"

cat >conflict.mlir <<'END'
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %b: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>},
                %w: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}p1]>}) -> tensor<8x32xf32> {
  %0 = stablehlo.add %a, %b : tensor<8x16xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{?}, {"z", ?}]> : tensor<8x16xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %3 = stablehlo.tanh %2 : tensor<8x32xf32>
  return %3 : tensor<8x32xf32>
}
END
cat >loop.mlir <<'END'
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %n: tensor<i32>) -> tensor<8x16xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c, %v = %a) : tensor<i32>, tensor<8x16xf32>
   cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %u = sdy.sharding_constraint %v <@mesh, [{?}, {"y", ?}]> : tensor<8x16xf32>
    sdy.sharding_group %u group_id = 3 : tensor<8x16xf32>
    stablehlo.return %j, %u : tensor<i32>, tensor<8x16xf32>
  }
  %1 = stablehlo.negate %0#1 : tensor<8x16xf32>
  %2 = stablehlo.constant dense<1.0> : tensor<8x16xf32>
  sdy.sharding_group %2 group_id = 3 : tensor<8x16xf32>
  %3 = stablehlo.add %1, %2 : tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}
END

# NAME OPTIONS FILE LINE...: each LINE is among the lines printed
says() {
    name=$1 options=$2 file=$3
    shift 3
    # shellcheck disable=SC2086
    "$weft" explain $options "$file" >out 2>err
    status=$?
    for line; do grep -qxF -- "$line" out || status=1; done
    result "$name" $status
}
says "what is written, and with a priority" "--arg 2" conflict.mlir '%w <@mesh, [{"z", ?}, {"x", ?}]> (line 4)' '  dim 1 "x"' \
    '      annotated on %w with priority 1 (line 4)' '      through stablehlo.dot_general (line 7) from %1 dim 1' \
    '      asked for by sdy.sharding_constraint (line 6)'
says "a result of @main" "" conflict.mlir '      as the returned value, from %3' '      through stablehlo.tanh (line 8) from %2'
says "refused: closed, and elsewhere as written" "--value %a" conflict.mlir \
    '  dim 0 not "y", which %b has beyond stablehlo.add (line 5): the dimension is closed' \
    '  dim 1 not "x", which %b has beyond stablehlo.add (line 5): it shards dim 0, annotated on %a (line 2)'
says "refused: neighbours, other axes" "--line 5" conflict.mlir \
    '  dim 0 not "y", which %b has beyond stablehlo.add (line 5): %a has "x" there' \
    '  dim 1 not "z", which %1 has beyond sdy.sharding_constraint (line 6): "x" is there, which came through stablehlo.add (line 5) before'
says "round a loop" "--value 0#1" loop.mlir '%0#1 <@mesh, [{"x", ?}, {"y", ?}]> (line 4)' '      carried along with %a' '      annotated on %a (line 2)'
says "by a group" "--value %2" loop.mlir '      by its sharding group, from %u' '      asked for by sdy.sharding_constraint (line 11)'
says "comments in the text" "--annotate" loop.mlir '    // %u <@mesh, [{"x", ?}, {"y", ?}]>: "x" from %a (line 2), "y" written here (line 11)' \
    '// %a <@mesh, [{"x"}, {"y", ?}]>: "x" written here, "y" from %u (line 11)'

"$weft" explain --annotate conflict.mlir -o annotated.mlir 2>err && "$weft" opt annotated.mlir >one 2>>err && "$weft" opt conflict.mlir >two && cmp one two >>err
result "the text with comments is the same program" $?

{
    echo 'sdy.mesh @mesh = <["x"=2]>'
    echo 'func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {'
    for i in $(seq 0 29); do echo "  %$i = stablehlo.negate $([ "$i" -eq 0 ] && echo %a || echo %$((i - 1))) : tensor<8xf32> loc(\"model.py\":$i:1)"; done
    echo '  return %29 : tensor<8xf32>'
    echo '}'
} >long.mlir
says "long ways are cut, lines are those of the text" "--value %29" long.mlir '      ... 23 more (--full shows them)' '      through stablehlo.negate (line 3) from %a'
says "--full" "--full --value %29" long.mlir '      through stablehlo.negate (line 17) from %13'

cat >larger.mlir <<'END'
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%a: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>},
                %w: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}]>},
                %b: tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}]>}) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  %1 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  %2 = stablehlo.add %1, %b : tensor<16x64xf32>
  return %0, %2 : tensor<16x64xf32>, tensor<16x64xf32>
}
END
says "refused: the larger tensor was first" "--value %0" larger.mlir \
    '  dim 0 not "x", which %a has beyond stablehlo.dot_general (line 5): it shards dim 1, which came through stablehlo.dot_general (line 5) from %w: the larger tensor goes first'
says "refused: what came first, not what is the axis now" "--value %1" larger.mlir \
    '  dim 1 not "x", which %w has beyond stablehlo.dot_general (line 6): "y" is there, which came through stablehlo.add (line 7) at op priority 0 (elementwise ops whose operands have no other reader), this one waits for priority 2'

cat >meshes.mlir <<'END'
sdy.mesh @a = <["x"=2, "y"=2]>
sdy.mesh @b = <["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>
func.func @main(%u: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}, {?}]>}, %v: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@b, [{?}, {"y"}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.add %u, %v : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
END
says "refused: other devices" "--value %0" meshes.mlir '%0 has no sharding (line 4)' \
    '  dim 0 not "x", which %u has beyond stablehlo.add (line 4): %v is over a mesh of other devices, which blocks propagation' \
    '  dim 1 not "y", which %v has beyond stablehlo.add (line 4): %u is over a mesh of other devices, which blocks propagation'
cat >numbers.mlir <<'END'
sdy.mesh @a = <["x"=2]>
func.func @main(%7: tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>}, %12: tensor<8xf32>) -> tensor<8xf32> {
  %13 = stablehlo.add %7, %12 : tensor<8xf32>
  return %13 : tensor<8xf32>
}
END
says "names that are numbers" "--arg 1" numbers.mlir '%12 <@a, [{"x", ?}]> (line 2)' '      annotated on %7 (line 2)'
says "comments on a value without a sharding" "--annotate" meshes.mlir '  // %0 has no sharding'

cat >round.mlir <<'END'
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %n: tensor<i32>) -> tensor<8x16xf32> {
  %0:2 = stablehlo.while(%i = %n, %v = %a) : tensor<i32>, tensor<8x16xf32> cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %u = stablehlo.tanh %a : tensor<8x16xf32>
    %w = sdy.sharding_constraint %u <@mesh, [{"y"}, {}]> : tensor<8x16xf32>
    stablehlo.return %i, %w : tensor<i32>, tensor<8x16xf32>
  }
  return %0#1 : tensor<8x16xf32>
}
END
says "refused: round a loop" "--value %0#1" round.mlir '%0#1 has no sharding (line 3)' \
    '  dim 0 not "x", which %a has beyond stablehlo.while (line 3): %w has "y" there'

cat >written.mlir <<'END'
sdy.mesh @m = <["x"=2]>
func.func @main(%a: tensor<4x9xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<?x?xf32>, tensor<?x?xi32>) {
  %k = stablehlo.constant dense<2> : tensor<i32>
  %best:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%a, %k) : (tensor<4x9xf32>, tensor<i32>) -> (tensor<?x?xf32>, tensor<?x?xi32>)
  return %best#0, %best#1 : tensor<?x?xf32>, tensor<?x?xi32>
}
END
says "a call that is written as another op keeps its names" "" written.mlir '      as the returned value, from %best#0' '      as the returned value, from %best#1'

cat >calls.mlir <<'END'
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %u: tensor<8xf32>) -> tensor<8xf32> {
  %b = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %b : tensor<8xf32>
}
func.func private @f(%c: tensor<8xf32>) -> tensor<8xf32> {
  %d = stablehlo.negate %c : tensor<8xf32>
  return %d : tensor<8xf32>
}
func.func private @g(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = stablehlo.negate %x : tensor<8xf32>
  return %e : tensor<8xf32>
}
END
says "a call's result" "--value %b" calls.mlir '%b is %d where calls are inlined' '%d <@mesh, [{"x", ?}]> (line 7)' '      annotated on %a (line 2)'
says "a comment on a call" "--annotate" calls.mlir '  // %b <@mesh, [{"x", ?}]>: "x" from %a (line 2)' '  // %d <@mesh, [{"x", ?}]>: "x" from %a (line 2)'
cat >pair.mlir <<'END'
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %u: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %b:2 = call @f(%u, %a) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %b#0, %b#1 : tensor<8xf32>, tensor<8xf32>
}
func.func private @f(%c: tensor<8xf32>, %d: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e:2 = call @g(%d, %c) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %e#1, %e#0 : tensor<8xf32>, tensor<8xf32>
}
func.func private @g(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %g = stablehlo.negate %x : tensor<8xf32>
  %h = stablehlo.negate %y : tensor<8xf32>
  return %g, %h : tensor<8xf32>, tensor<8xf32>
}
END
says "a comment on one of a call's results, through another call" "--annotate" pair.mlir '  // %b#1 <@mesh, [{"x", ?}]>: "x" from %a (line 2)' \
    '  // %e#0 <@mesh, [{"x", ?}]>: "x" from %a (line 2)'
says "an argument of a function" "--line 6" calls.mlir '%c is %a where calls are inlined' '%a <@mesh, [{"x"}]> (line 2)'

# NAME EXIT MESSAGE ARGUMENTS...
fails() {
    name=$1 want=$2 message=$3
    shift 3
    "$weft" explain "$@" >out 2>err
    [ $? -eq "$want" ] && [ ! -s out ] && grep -qF -- "$message" err
    result "$name" $?
}
fails "a name that is not there" 2 "there is no value '%77'" --value %77 loop.mlir
fails "a value of a function that nobody calls" 2 "has no part in propagation" --value %e calls.mlir
fails "an argument that is not there" 2 "@main has no argument 9" --arg 9 loop.mlir
fails "a line that makes nothing" 2 "makes no value" --line 1 loop.mlir
fails "two questions at once" 2 "exclude each other" --line 1 --arg 0 loop.mlir
fails "no file" 1 "nowhere.mlir" nowhere.mlir
fails "not a program" 1 "error" "$weft"

# Bytecode: names and lines are those of the text that weft opt prints.
exported=$src/tests/mlir/bytecode/exported_sharded.jaxexport
"$weft" opt "$exported" >exported.mlir && "$weft" explain --annotate exported.mlir >want && "$weft" explain --annotate "$exported" >out 2>err && cmp -s out want
result "--annotate of bytecode" $?
"$weft" explain --value %0 exported.mlir >want && "$weft" explain --value %0 "$exported" >out 2>err && cmp -s out want
result "--value of bytecode" $?
finish
