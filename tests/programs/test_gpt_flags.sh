#!/bin/sh
# examples/gpt.c: what is wrong with a flag is one line, before anything starts; strategies that need no axis "data";
# the likeliest tokens.
. "${top_srcdir:-.}/tests/support/cases.sh"
gpt="$build/examples/gpt/gpt $src/examples/gpt/text.txt --steps 4 --every 3 --dim 32 --tokens 16 --batch 8 --peak 1e9"

# flags WHAT IS SAID, FLAGS...
flags() {
    said=$1
    shift
    $gpt "$@" >out 2>err
    [ $? -eq 1 ] && [ ! -s out ] && [ "$(cat err)" = "gpt: $said; gpt --help lists the flags" ]
    result "$* is refused: $said" $?
}
flags '--rate is followed by a number' --rate abc
flags '--layers is followed by a number' --layers 2x
flags '--tokens is followed by a number' --tokens 99999999999999999999
flags '--seed is followed by a number' --seed ''
flags '--layers, --heads and --dim are at least 1, and heads divide dim' --layers 0
flags '--layers, --heads and --dim are at least 1, and heads divide dim' --heads 5
flags '--kv-heads and --hidden are at least 1' --hidden -5
flags '--tokens, --batch, --micro and --every are at least 1' --micro 0
flags '--tokens or --batch is too large' --batch 1000000000000000000
flags '--steps is at least 1, and more than --warmup' --warmup 1e9
flags '--evaluate and --sample are not negative' --evaluate -2
flags '--temperature is not negative' --temperature nan
flags '--strategy is dp, fsdp, tp, sp or several of them, as dp,tp' --mesh data=2 --strategy dp,zero
flags '--resume needs --save, the directory to go on from' --resume

$gpt >one 2>err && $gpt --mesh model=2 --strategy tp >out 2>err &&
    awk 'NR == FNR { want[FNR] = $4; next } { d = $4 - want[FNR]; if (d * d > 4e-12 * want[FNR] ^ 2) bad = 1; n++ }
         END { exit bad || n != 2 }' one out
result 'tensor parallel alone, without an axis "data"' $?
$gpt --sample 40 --temperature 0 >out 2>err && $gpt --sample 40 --temperature 1e-6 >cold 2>err &&
    [ "$(sed 1,2d out | wc -c)" -eq 41 ] && [ "$(sed 1,2d out)" = "$(sed 1,2d cold)" ]
result 'the likeliest tokens' $?
finish
