#!/bin/sh
# weft ckpt: what it lists is there, damage is found, and converted checkpoints have the same arrays.
. "${top_srcdir:-.}/tests/support/cases.sh"
program=$build/tests/capi/checkpoints
"$program" save run 4 12 >out 2>err
result 'a checkpoint of four devices' $?
prints 'run/step-00000012: step 12, 4 arrays, 19.7 KiB, sealed' "$weft" ckpt ls run
prints '^  w  *96x50xf32  model-00001-of-00002.safetensors  "-, d" over "d=4"$' "$weft" ckpt ls run/step-00000012
prints '^  blocks/1/bias  128xf32 ' "$weft" ckpt ls run
prints 'all 10 parts are as they were saved' "$weft" ckpt verify run
"$weft" ckpt convert run copy --file-bytes 100000 >out 2>err && [ -f copy/step-00000012/model-00001-of-00001.safetensors ]
result 'convert into one file' $?
prints 'all 4 parts are as they were saved' "$weft" ckpt verify copy
"$program" load copy 2 >out 2>err && grep -qx 'loaded 12' out
result 'its arrays are the same' $?
"$weft" ckpt convert copy/step-00000012/model-00001-of-00001.safetensors again --step 12 >out 2>err && "$program" load again 3 >out 2>err &&
    grep -qx 'loaded 12' out
result 'convert a file alone' $?
refuses 1 "has no sums to compare its data with" "$weft" ckpt verify copy/step-00000012/model-00001-of-00001.safetensors
"$weft" ckpt convert run arrays --npy >out 2>err && [ "$(ls arrays | tr '\n' ' ')" = 'blocks.1.bias.npy rows.npy scale.npy w.npy ' ] &&
    [ "$(wc -c <arrays/w.npy)" -eq $((128 + 19200)) ]
result 'convert into .npy files' $?
printf 'X' | dd of=run/step-00000012/model-00001-of-00002.safetensors bs=1 seek=5000 conv=notrunc 2>err
refuses 1 "is damaged: array 'w' is not what was saved" "$weft" ckpt verify run
refuses 1 "is damaged: array 'w' is not what was saved" "$weft" ckpt convert run other
[ ! -e other ]
result 'nothing is converted of what is damaged' $?
refuses 1 "there is no checkpoint in 'nowhere'" "$weft" ckpt ls nowhere
refuses 2 "'list' is none of ls, verify, convert" "$weft" ckpt list run
refuses 2 "convert takes a checkpoint and where its copy goes" "$weft" ckpt convert run
refuses 2 "ls takes a checkpoint" "$weft" ckpt ls run copy
refuses 1 "'/proc/nowhere' cannot be made: " "$weft" ckpt convert copy /proc/nowhere --npy
finish
