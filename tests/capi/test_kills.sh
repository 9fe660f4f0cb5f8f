#!/bin/bash
# Processes that save checkpoints and are killed at random points: six, and a thousand in ./check long. The last checkpoint that was told
# of loads, or a newer one. Timings choose where a kill hits, and never what is expected.
. "${top_srcdir:-.}/tests/support/cases.sh"
. "$src/tests/capi/ranks.sh"
program=$build/tests/capi/checkpoints

# A number below $1, from the seed.
RANDOM=${WEFT_SEED:-1}
below() { drawn=$((RANDOM % $1)); }

# Whether a folder for a checkpoint is there that was not there before this start: an earlier kill may have left one.
new() { [ -n "$(find killed -maxdepth 1 -name 'saving-step-*' -newer mark 2>list)" ]; }

# A checkpoint takes some ten milliseconds. Half of the kills come up to 20 ms after a folder for one is there, the others within half
# a second of the start.
kills=6
[ "${WEFT_LONG:-1}" -le 1 ] || kills=$((100 * WEFT_LONG))
last=0 hit=0
for k in $(seq $kills); do
    n=$((1 + k % 2))
    : >mark
    ranks $n "$program" loop killed 2 $((last + 1))
    if [ $((k / 2 % 2)) -eq 0 ]; then
        for wait in $(seq 400); do
            if new; then break; fi
            sleep 0.005
        done
        below 20
    else
        below 500
    fi
    sleep 0.$(printf %03d $drawn)
    kill -9 $pids 2>list
    for pid in $pids; do wait $pid 2>list; done
    told=$(sed -n 's/^saved //p' out | tail -1)
    [ -z "$told" ] || last=$told
    ! new || hit=$((hit + 1))
    if [ ! -e killed ] || { [ "$last" -eq 0 ] && ! ls killed/step-*/seal.json >list 2>&1; }; then continue; fi
    ranks 1 timeout 60 "$program" load killed 2
    all
    loaded=$(sed -n 's/^loaded //p' out)
    [ "${loaded:-0}" -ge "$last" ] && [ "${loaded:-0}" -gt 0 ]
    result "kill $k (WEFT_SEED=${WEFT_SEED:-1}): told of $last, loaded ${loaded:-none}" $?
    last=${loaded:-$last}
done
[ "$last" -gt 0 ]
result 'some were saved' $?
[ "$(ls -d killed/step-* | wc -l)" -le 4 ]
result 'old ones are removed' $?
echo "of $kills kills $hit left a checkpoint half written"
finish
