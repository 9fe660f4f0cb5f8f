#!/bin/sh
# weft ckpt: files of others, whose names are no words, or are one as files.
. "${top_srcdir:-.}/tests/support/cases.sh"
# file NAME HEADER: of four bytes of data
file() {
    length=$(printf '\\%03o\\0\\0\\0\\0\\0\\0\\0' ${#2})
    { printf "$length" && printf '%s1234' "$2"; } >"$1"
}
two='"dtype":"U8","shape":[2],"data_offsets":[0,2]' more='"dtype":"I8","shape":[2],"data_offsets":[2,4]'
file odd.safetensors '{"a\nb\u001b[31m":{'"$two"'},"t\tb":{'"$more"'}}'
prints '^  a\\nb\\x1b\[31m  2xui8  odd.safetensors$' "$weft" ckpt ls odd.safetensors
prints '^  t\\tb          *2xi8   odd.safetensors$' "$weft" ckpt ls odd.safetensors
file twice.safetensors '{"a/b":{'"$two"'},"a.b":{'"$more"'}}'
refuses 1 "arrays 'a/b' and 'a.b' would be the same .npy file" "$weft" ckpt convert twice.safetensors same --npy
finish
