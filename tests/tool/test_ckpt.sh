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
# reshard: another mesh, other shardings, other files; the same arrays
"$program" save wide 4 7 >out 2>err
"$weft" ckpt reshard wide two --mesh d=2 >out 2>err && [ ! -s err ]
result 'reshard for two devices' $?
prints '^  w  *96x50xf32  model-00001-of-00001.safetensors  "-, d" over "d=2"$' "$weft" ckpt ls two
prints '^  rows  *37x3xf32  *model-00001-of-00001.safetensors  "d, -" over "d=2"$' "$weft" ckpt ls two
prints 'all 6 parts are as they were saved' "$weft" ckpt verify two
"$program" load two 2 >out 2>err && grep -qx 'loaded 7' out
result 'its arrays are the same' $?
"$weft" ckpt reshard two eight --mesh data=4,model=2 --shard 'w=model, data' --shard '*bias=data*model' --shard 'rows=-, -' --files 3 >out 2>err && [ ! -s err ]
result 'reshard for 4 x 2 devices, in files' $?
prints '^  w  *96x50xf32  model-[0-9-]*of-00003.safetensors  "model, data" over "data=4, model=2"$' "$weft" ckpt ls eight
prints '^  blocks/1/bias  128xf32  *model-[0-9-]*of-00003.safetensors  "data\*model" over "data=4, model=2"$' "$weft" ckpt ls eight
prints 'all 18 parts are as they were saved' "$weft" ckpt verify eight
"$program" load eight 3 >out 2>err && grep -qx 'loaded 7' out
result 'its arrays are the same on three devices' $?
"$weft" ckpt reshard eight files --files 1 >out 2>err && [ "$(ls files/step-00000007/*.safetensors | wc -l)" -eq 1 ]
result 'reshard into one file' $?
prints '"model, data" over "data=4, model=2"$' "$weft" ckpt ls files
"$weft" ckpt reshard eight lost --mesh data=2 >out 2>err && grep -q 'warning: array .w. was sharded "model, data", of which the mesh lacks an axis' err
result 'an axis that the new mesh has not is a warning' $?
"$weft" ckpt reshard two thousands --mesh d=1000000000 >out 2>err
result 'more devices than elements' $?
prints 'all 89 parts are as they were saved' "$weft" ckpt verify thousands
"$weft" ckpt reshard eight/step-00000007/model-00001-of-00003.safetensors alone --step 3 --mesh x=2 --shard '*=-' >out 2>err
[ $? -eq 1 ] || [ -d alone/step-00000003 ]
result 'reshard a file alone' $?
refuses 1 "the mesh has no axis 'z'" "$weft" ckpt reshard two bad --mesh d=2 --shard 'w=z, -'
refuses 1 "1 dimension" "$weft" ckpt reshard two bad --mesh d=2 --shard 'w=d'
refuses 1 "d" "$weft" ckpt reshard two bad --mesh d=2 --shard 'w=d, d'
refuses 1 "a size above 0 is missing" "$weft" ckpt reshard two bad --mesh d=0
refuses 1 "an axis is repeated" "$weft" ckpt reshard two bad --mesh 'd=2, d=2'
refuses 1 "a size above 0 is missing" "$weft" ckpt reshard two bad --mesh d=99999999999999999999
refuses 2 "a sharding 'w=d, -' needs a mesh" "$weft" ckpt reshard two bad --shard 'w=d, -'
refuses 2 "'w' is not PATTERN=SHARDING, as in 'w\*=data, -'" "$weft" ckpt reshard two bad --mesh d=2 --shard w
refuses 2 "the checkpoint has no array 'v\*'" "$weft" ckpt reshard two bad --mesh d=2 --shard 'v*=d'
refuses 2 "5 files, but an array is in one file, and there are 4" "$weft" ckpt reshard two bad --files 5
refuses 2 "reshard takes a checkpoint and where its copy goes" "$weft" ckpt reshard two
refuses 2 "are for reshard" "$weft" ckpt convert two bad --mesh d=2
refuses 1 "there is no checkpoint in 'nowhere'" "$weft" ckpt reshard nowhere bad --mesh d=2
truncate -s -100 two/step-00000007/model-00001-of-00001.safetensors
refuses 1 "two/step-00000007" "$weft" ckpt reshard two bad --mesh d=2
[ ! -e bad ]
result 'nothing is written of what is refused' $?
printf 'X' | dd of=run/step-00000012/model-00001-of-00002.safetensors bs=1 seek=5000 conv=notrunc 2>err
refuses 1 "is damaged: array 'w' is not what was saved" "$weft" ckpt verify run
refuses 1 "is damaged: array 'w' is not what was saved" "$weft" ckpt convert run other
[ ! -e other ]
result 'nothing is converted of what is damaged' $?
refuses 1 "there is no checkpoint in 'nowhere'" "$weft" ckpt ls nowhere
refuses 2 "'list' is none of ls, verify, convert, reshard" "$weft" ckpt list run
refuses 2 "convert takes a checkpoint and where its copy goes" "$weft" ckpt convert run
refuses 2 "ls takes a checkpoint" "$weft" ckpt ls run copy
refuses 1 "'/proc/nowhere' cannot be made: " "$weft" ckpt convert copy /proc/nowhere --npy
finish
