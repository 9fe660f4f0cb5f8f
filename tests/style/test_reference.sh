#!/bin/sh
# The reference that Doxygen makes of the public headers: no warning, a page for each header, and in it each of its functions, with what is said of it.
. "${top_srcdir:-.}/tests/support/cases.sh"
command -v doxygen >/dev/null || { skips=1; finish 'no doxygen'; }
{ cat "$src/docs/reference.doxy"; echo "OUTPUT_DIRECTORY=$PWD"; echo "WARN_AS_ERROR=FAIL_ON_WARNINGS"; echo GENERATE_XML=YES; } >config
(cd "$src" && doxygen -) <config >out 2>err && [ ! -s err ]
result 'there are no warnings' $?
for header in "$src"/include/weft/*.h; do
    name=$(basename "$header" .h)
    grep -v '^#define' "$header" | tr '\n' ' ' | grep -oE 'WEFT_API [^;{(]*\(' | sed -E 's/.*[ *]([a-z_0-9]+)\($/\1/' | sort -u >functions
    sed -n 's/.*<memberdef kind="function".*//; s/^ *<name>\(weft_[a-z_0-9]*\)<\/name>/\1/p' "xml/${name}_8h.xml" 2>err | sort -u >there
    [ -z "$(comm -23 functions there | tee out)" ]
    result "weft/$name.h: all functions" $?
done
grep -q 'arrays in a folder of dir, which is made' xml/checkpoint_8h.xml && grep -qr 'the names that are saved, as a pattern' xml
result 'what is said of them' $?
finish
