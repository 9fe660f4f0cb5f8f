# ranks.sh: processes that meet in a folder; for shell tests, after cases.sh.
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
