#!/bin/bash
# Checkpoints of several processes: from any number of processes and devices to any other; processes that are killed at random
# points; disks that are full for all or for one. Timings choose where a kill hits, and never what is expected.
. "${top_srcdir:-.}/tests/support/cases.sh"
program=$build/tests/capi/checkpoints
# ranks N COMMAND...: N processes that meet in a folder, in the background; their numbers are in $pids, their output in out and err.
meetings=0
ranks() {
    n=$1 pids=
    shift
    meetings=$((meetings + 1))
    : >out; : >err
    for p in $(seq 0 $((n - 1))); do
        if [ "$n" -eq 1 ]; then "$@" >>out 2>>err </dev/null &
        else WEFT_RENDEZVOUS=file:$PWD/meet$meetings WEFT_PROCESSES=$n WEFT_PROCESS=$p "$@" >>out 2>>err </dev/null &
        fi
        pids="$pids $!"
    done
}
# all: waits for them; fails if one has failed.
all() { ok=0; for pid in $pids; do wait $pid || ok=1; done; return $ok; }

for from in '1 1' '1 4' '2 2' '3 6' '4 4'; do
    rm -rf there
    ranks ${from% *} timeout 60 "$program" save there ${from#* } 7
    all && grep -qx 'saved 7' out
    result "$from: saved" $?
    (cd there/step-00000007 && cat model-*.safetensors | cksum) >sum
    [ -f sums ] || cp sum sums
    cmp -s sum sums
    result "$from: the files are the same" $?
    for to in '1 2' '2 4' '3 3'; do
        ranks ${to% *} timeout 60 "$program" load there ${to#* }
        all && grep -qx 'loaded 7' out
        result "$from: loaded on $to" $?
    done
done

# Killed at a random point, the last checkpoint that was told of loads, or a newer one.
RANDOM=${WEFT_SEED:-1}
seed=$RANDOM
kills=$((6 * ${WEFT_LONG:-1}))
last=0
rm -rf killed
for k in $(seq $kills); do
    n=$((1 + k % 2))
    ranks $n "$program" loop killed 2 $((last + 1))
    sleep 0.$(printf %03d $((RANDOM % 900)))
    kill -9 $pids 2>/dev/null
    for pid in $pids; do wait $pid 2>/dev/null; done
    told=$(sed -n 's/^saved //p' out | tail -1)
    [ -z "$told" ] || last=$told
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

# A disk that takes no more than some bytes of a file: for all, for process 1 alone. The last checkpoint stays.
ranks 2 timeout 60 "$program" save there 2 8 8192 -1
! all && [ "$(grep -c 'error: ' err)" -eq 2 ] && grep -q "process 0: error: '.*' cannot be written: File too large" err &&
    grep -q "process 1: error: rank 0: .*cannot be written" err
result 'a full disk: both say so' $?
ranks 2 timeout 60 "$program" save there 2 8 1024 1
! all && [ "$(grep -c 'error: ' err)" -eq 2 ] && grep -q 'process 1: error: the checkpoint was not saved: .*File too large' err &&
    grep -q 'process 0: error: rank 1: the checkpoint was not saved' err
result 'a disk that is full for one: both say so' $?
[ ! -e there/saving-step-00000008 ] && [ "$(cat there/latest)" = step-00000007 ]
result 'nothing of it is left' $?
ranks 1 timeout 60 "$program" load there 2
all && grep -qx 'loaded 7' out
result 'the last one loads' $?
# Damage that one process finds, all report.
printf 'X' | dd of="$(ls there/step-00000007/model-00001-of-*)" bs=1 seek=9000 conv=notrunc 2>list
ranks 2 timeout 60 "$program" load there 2
! all && [ "$(grep -c 'is damaged: array' err)" -eq 2 ]
result 'damage: both say so' $?
finish
