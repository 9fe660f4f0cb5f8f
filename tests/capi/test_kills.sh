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

# Whether a checkpoint was told of.
told() { grep -q '^saved ' out; }
# until_is CONDITION: waits for it while the last process lives, up to a minute.
until_is() {
    for wait in $(seq 12000); do
        if "$1" || ! kill -0 ${pids##* } 2>list; then break; fi
        sleep 0.005
    done
}

# A checkpoint takes some ten milliseconds. Of three kills one comes up to 20 ms after a folder for one is there, one up to half a second
# after the first was told of, and one within half a second of the start.
kills=6
[ "${WEFT_LONG:-1}" -le 1 ] || kills=$((100 * WEFT_LONG))
last=0 hit=0
for k in $(seq $kills); do
    n=$((1 + k % 2))
    : >mark
    ranks $n "$program" loop killed 2 $((last + 1))
    case $((k % 3)) in
    0) until_is new; below 20 ;;
    1) until_is told; below 500 ;;
    2) below 500 ;;
    esac
    sleep 0.$(printf %03d $drawn)
    kill -9 $pids 2>list
    for pid in $pids; do wait $pid 2>list; done
    said=$(sed -n 's/^saved //p' out | tail -1)
    [ -z "$said" ] || last=$said
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
