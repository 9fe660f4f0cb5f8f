#!/bin/sh
# examples/gpt.c: the losses of every strategy are those of one device, on threads and under mpirun; a run that stops and goes on, also on another mesh, has the losses of
# one that did not; it evaluates and samples; mistakes are at their lines.
. "${top_srcdir:-.}/tests/support/cases.sh"
gpt="$build/examples/gpt/gpt $src/examples/gpt/text.txt"

# losses FILE: the losses in it
losses() { sed -n 's/^step *\([0-9]*\)  loss \([0-9.]*\) .*/\1 \2/p' "$1"; }

# agree WANT GOT TOLERANCE: the same steps, and losses within that part of each other and half a unit of the last digit printed
agree() {
    awk -v t="$3" 'NR == FNR { want[FNR] = $2; step[FNR] = $1; n = FNR; next }
        { d = $2 - want[FNR]; if (d < 0) d = -d; if ($1 != step[FNR] || d > t * want[FNR] + 1.5e-6) bad = 1; m = FNR } END { exit bad || n != m || n < 3 }' "$1" "$2"
}

# like NAME WANT TOLERANCE COMMAND...: a run whose losses are those
like() {
    name=$1 want=$2 tolerance=$3
    shift 3
    "$@" >out 2>err </dev/null && losses out >got && agree "$want" got "$tolerance"
    result "$name" $?
}

short='--steps 30 --every 3 --dim 32 --tokens 16 --batch 8'
for kind in "" "--llama --kv-heads 2"; do
    $gpt $short $kind >out 2>err && losses out >one && [ "$(wc -l <one)" -eq 11 ] && [ ! -s err ]
    result "one device $kind" $?
    for run in "data=2 dp" "data=2 dp,fsdp" "model=2 tp" "data=2,model=2 dp,tp" "data=2,model=2 dp,tp,sp" "data=2,model=2 dp,fsdp,tp,sp" "data=4 dp,fsdp"; do
        case $run in model=2*) mesh=data=1,$run ;; *) mesh=$run ;; esac
        like "$run $kind" one 1e-5 $gpt $short $kind --mesh "${mesh% *}" --strategy "${mesh#* }"
    done
done
like 'four micro-batches' one 1 $gpt $short --micro 4
cp got micro
like 'that keep products' micro 1e-5 $gpt $short --micro 4 --keep products
like 'that keep nothing' micro 1e-5 $gpt $short --micro 4 --keep nothing
refuses 1 'gpt: --keep is all, products or nothing; gpt --help lists the flags' $gpt $short --keep some
$gpt $short >out 2>err && losses out >one
like 'four micro-batches on two devices' one 1e-5 $gpt $short --micro 4 --mesh data=2 --strategy dp,fsdp

# A run that stops after 15 steps, and goes on.
$gpt $short --stop 15 --save run >out 2>err && losses out >first
result 'a run stops' $?
cp -r run again
{ losses out; $gpt $short --save run --resume >out 2>err && losses out; } | awk '!seen[$1]++' | grep -v '^14 ' >whole && cmp -s whole one
result 'and goes on with the same losses' $?
{ cat first; $gpt $short --save again --resume --mesh data=2,model=2 --strategy dp,fsdp,tp >out 2>err && losses out; } | awk '!seen[$1]++' | grep -v '^14 ' >other && agree one other 1e-5
result 'or on four devices' $?

$gpt $short --evaluate 2 --sample 40 >out 2>err && grep -q 'held-out loss [0-9.]*$' out && [ "$(tail -n +13 out | wc -c)" -ge 41 ]
result 'it evaluates and samples' $?
$gpt $short --bf16 >out 2>err && losses out | awk 'NR == 1 { first = $2 } { last = $2 } END { exit !(NR == 11 && last < 0.7 * first) }'
result 'it learns in bf16' $?
# The share of the devices' rate of products: 2 flop per weight and token forward and 4 backward, by hand for this shape
$gpt $short --peak 1e9 >out 2>err && awk '/^step/ { each = 128 / $5; flop = 3 * (2 * (2 * 12 * 32 * 32 + 32 * 256) + 2 * 2 * 32 * 16) * 128
    want = 100 * flop / each / 1e9; d = $8 - want; if (d * d > (0.06 + 0.02 * want) ^ 2) bad = 1; n++ } END { exit bad || n != 11 }' out
result 'MFU by the nominal rate' $?
$gpt $short >out 2>err && awk '/^step/ { if (!($8 > 0 && $8 + 0 < 100)) bad = 1; n++ } END { exit bad || n != 11 }' out
result 'MFU by the rate of a product' $?

# Files of tokens: those of the text, as numbers of two bytes. Batches are others than the text's.
od -An -v -tu1 -w1 "$src/examples/gpt/text.txt" | awk '{ printf "\\%03o\\000", $1 }' | xargs -0 printf '%b' >train.bin
head -c 20000 train.bin >held.bin
bin="$build/examples/gpt/gpt train.bin"
$bin $short --vocabulary 300 --held-out held.bin --evaluate 2 --sample 5 >out 2>err && losses out >tokens && [ "$(wc -l <tokens)" -eq 11 ] && [ ! -s err ] &&
    grep -q 'held-out loss [0-9.]*$' out && tail -n 1 out | grep -qE '^([0-9]+ ){5}$'
result 'a file of tokens: it learns, evaluates and samples' $?
like 'a file of tokens on four devices' tokens 1e-5 $bin $short --vocabulary 300 --mesh data=2,model=2 --strategy dp,fsdp,tp
# A text in tokens of a byte pair encoding: those of the characters that print, a blank and a line's end, and two pairs.
LC_ALL=C awk 'BEGIN { printf "{"; for (c = 33; c < 127; c++) printf "\"%s%c\": %d, ", c == 34 || c == 92 ? "\\" : "", c, c - 33
    printf "\"\\u0120\": 94, \"\\u010a\": 95, \"th\": 96, \"\\u0120th\": 97, \"<|endoftext|>\": 98}" }' >vocab.json
printf '#version: 0.2\nt h\n\304\240 th\n' >merges.txt
$gpt $short --bpe . --evaluate 2 --sample 40 >out 2>err && losses out >tokens && [ "$(wc -l <tokens)" -eq 11 ] && [ ! -s err ] &&
    grep -q 'held-out loss [0-9.]*$' out && [ "$(tail -n +13 out | wc -c)" -ge 41 ]
result 'a text with a tokenizer: it learns, evaluates and samples' $?
like 'a text with a tokenizer on two devices' tokens 1e-5 $gpt $short --bpe vocab.json --mesh data=2 --strategy dp,fsdp
$bin $short --vocabulary 300 --bpe . --steps 9 --sample 5 >out 2>err && [ ! -s err ] && ! tail -n 1 out | grep -qE '^([0-9]+ ){5}$'
result 'a sample of a file of tokens is a text where there is a tokenizer' $?
refuses 1 'gpt: the tokenizer has 99 tokens' $gpt $short --bpe . --vocabulary 98
refuses 1 "nowhere' cannot be" $gpt $short --bpe nowhere
echo '{"a": 0}' >vocab.json
refuses 1 "merges.txt' joins token 't', which the vocabulary lacks" $gpt $short --bpe .
refuses 1 'gpt: --vocabulary is missing: how many tokens there are' $bin $short
refuses 1 'gpt: --vocabulary is for tokens: bytes have 256 values' $gpt $short --vocabulary 300
refuses 1 'held-out' $bin $short --vocabulary 300 --evaluate 1
refuses 1 'but the vocabulary has 100' $bin $short --vocabulary 100
printf '\0' >>train.bin
refuses 1 'which are not whole tokens of 2' $bin $short --vocabulary 300
refuses 1 'gpt.c:[0-9]*: error: the mesh has no axis .model.' $gpt $short --mesh data=2 --strategy tp
refuses 1 'gpt: --layer is not a flag, or lacks its value' $gpt --layer 3
refuses 1 'gpt: TEXT or TOKENS is missing' "$build/examples/gpt/gpt" --layers 3
refuses 1 'not a text of more than' "$build/examples/gpt/gpt" no-such-file
if command -v mpirun >/dev/null; then
    like 'mpirun -n 2' one 1e-5 timeout -k 10 200 mpirun -n 2 $gpt $short --mesh data=2 --strategy dp,fsdp
    like 'mpirun -n 4' one 1e-5 timeout -k 10 200 mpirun -n 4 $gpt $short --mesh data=2,model=2 --strategy dp,tp,sp
else
    skips=2
fi
finish 'no mpirun'
