#!/bin/bash
# Checkpoints of several processes: from any number of processes and devices to any other; disks that are full for
# all or for one. Processes that are killed: test_kills.sh.
. "${top_srcdir:-.}/tests/support/cases.sh"
program=$build/tests/capi/checkpoints
. "$src/tests/capi/ranks.sh"

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

# A disk that takes no more than some bytes of a file: for all, for process 1 alone. The last checkpoint stays.
ranks 2 timeout 60 "$program" save there 2 8 8192 -1
! all && [ "$(grep -c 'error: ' err)" -eq 2 ] && grep -q "process 0: error: '.*' cannot be written: File too large" err &&
    grep -q "process 1: error: rank 0: .*cannot be written" err
result 'a full disk: both say so' $?
ranks 2 timeout 60 "$program" save there 2 8 1024 1
! all && [ "$(grep -c 'error: ' err)" -eq 2 ] && grep -q 'process 1: error: the checkpoint was not saved: .*File too large' err &&
    grep -q 'process 0: error: rank 1: .*checkpoints.c:[0-9]*: the checkpoint was not saved' err
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
