#!/bin/sh
# No source file over 900 lines; every one opens with a comment that says what it is; every header is read alone.
# By hand it runs from anywhere; the build folder is then the current one, or build/.
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$(if [ -f config.status ]; then pwd; else echo "$top_srcdir/build"; fi)}
WEFT_TEST_CPPFLAGS=${WEFT_TEST_CPPFLAGS:-$(sed -n 's/^\(HWLOC_CFLAGS\|MPI_CFLAGS\|UCX_CFLAGS\|LLVM_CPPFLAGS\) = //p' "$top_builddir/Makefile" | tr '\n' ' ')}
complaints=$(mktemp) || exit 99
trap 'rm -f "$complaints"' EXIT
cd "$top_srcdir" || exit 1
checks=0 bad=0
complain() { echo "$1: error: $2"; bad=$((bad + 1)); }
for f in $(find $(sh tests/style/rooms include tests bench) -name '*.[ch]' -o -name '*.def' | sort); do
    checks=$((checks + 1))
    lines=$(wc -l <"$f")
    [ "$lines" -le 900 ] || complain "$f" "$lines lines: more than 900; split it by concept"
    case $(head -n 1 "$f") in '/*'*) ;; *) complain "$f" "does not open with a comment" ;; esac
done
for f in $(find $(sh tests/style/rooms include) -name '*.h' | sort); do
    checks=$((checks + 1))
    ${CC:-cc} -std=c17 -D_GNU_SOURCE -fsyntax-only -I. -Iinclude -I"$top_builddir" $WEFT_TEST_CPPFLAGS -x c "$f" 2>"$complaints" ||
        { complain "$f" "cannot be read alone"; head -n 5 "$complaints"; }
done
echo "Checks: $checks, Failures: $bad, Errors: 0"
[ "$bad" -eq 0 ]
