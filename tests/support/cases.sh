# cases.sh: what shell tests begin with,
#     . "${top_srcdir:-.}/tests/support/cases.sh"
# and what they end with, `finish`. They work in a folder of their own, which goes with them; $src, $build and $weft are whole paths.
src=$(cd "${top_srcdir:-.}" && pwd) build=$(cd "${top_builddir:-.}" && pwd)
weft=$build/weft
shared=${WEFT_SHARED:-$src/../shared}
. "$src/tests/support/launcher.sh"
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
checks=0 failures=0 skips=0

# result NAME STATUS: counts a check; of one that failed, what the command left in out and err is shown.
result() {
    checks=$((checks + 1))
    if [ "$2" -eq 0 ]; then echo "ok $1"; return; fi
    failures=$((failures + 1))
    echo "not ok $1"
    for file in out err; do [ ! -s $file ] || tail -n 30 $file | sed "s/^/    $file: /"; done
}

# prints PATTERN COMMAND...: it succeeds and prints that.
prints() {
    pattern=$1
    shift
    "$@" >out 2>err && grep -q -e "$pattern" out
    result "'$*' prints '$pattern'" $?
}

# refuses STATUS PATTERN COMMAND...: it ends with that status and says that.
refuses() {
    want=$1 pattern=$2
    shift 2
    "$@" >out 2>err
    [ $? -eq "$want" ] && grep -q -e "$pattern" err
    result "'$*' ends with $want and says '$pattern'" $?
}

# finish [WHY]: the counts, as tests/run reads them; WHY some were skipped.
finish() {
    [ $skips -eq 0 ] || echo "skipped: $skips ($1)"
    echo "Checks: $checks, Failures: $failures, Errors: 0"
    [ $failures -eq 0 ]
    exit
}
