#!/bin/sh
# build_id.sh SOURCE FILE...: writes exec/build-id.h, which has a hash of the library's sources and of the version of LLVM, in $LLVM. What a process
# has compiled is used by another only where both have one hash (exec/build.h). A file whose text stays the same is not written.
source=$1
shift
for file; do
    case $file in *.c | *.h | *.def) [ -f "$source/$file" ] && echo "$source/$file" ;; esac
done | LC_ALL=C sort | xargs cat >build-id.tmp || exit 1
echo "$LLVM" >>build-id.tmp
hash=$({ sha256sum <build-id.tmp || shasum -a 256 <build-id.tmp || cksum <build-id.tmp; } 2>/dev/null | tr -d ' -' | cut -c 1-16)
rm -f build-id.tmp
[ -n "$hash" ] || { echo "build_id.sh: there is neither sha256sum nor cksum" >&2; exit 1; }
mkdir -p exec
{
    echo "/* build-id.h: by exec/build_id.sh. */"
    echo "#define WEFT_BUILD_ID \"$hash\""
} >build-id.new
cmp -s build-id.new exec/build-id.h || mv build-id.new exec/build-id.h
rm -f build-id.new
