#!/bin/sh
# Several hosts: network namespaces on a bridge, two processes in each, which find each other by TCP; memory is shared within a host, and
# between hosts messages go over TCP, by Weft's own transport and by UCX. Links that are slow (tc) and that are cut, processes that are killed and
# stopped: the others say whom they miss, in time, and none stays. Needs root and namespaces; skipped elsewhere.
total=12
grep -q '^#define HAVE_UCX 1' "${top_builddir:-.}/config.h" 2>/dev/null && ucx=shm,ucx total=19 || ucx=
ranks=${top_builddir:-.}/tests/collectives/ranks
weft=${WEFT:-${top_builddir:-.}/weft}
skip() { echo "skipped: $total ($1)"; exit 77; }
[ "$(id -u)" -eq 0 ] && command -v ip >/dev/null && command -v tc >/dev/null || skip "needs root, ip and tc"
id=weft$$
tmp=$(mktemp -d)
hosts="a b c"
clean() {
    for p in $pids; do kill -9 "$p" 2>/dev/null; done
    for h in $hosts net; do ip netns del $id$h 2>/dev/null; done
    rm -rf "$tmp"
}
trap clean EXIT
pids=
# The bridge is in a namespace of its own; each host has one link to it.
{ ip netns add ${id}net && ip -n ${id}net link add br0 type bridge && ip -n ${id}net link set br0 up; } 2>"$tmp/why" || skip "no network namespaces here: $(head -n 1 "$tmp/why")"
i=0
for h in $hosts; do
    i=$((i + 1))
    { ip netns add $id$h && ip -n $id$h link set lo up && ip link add eth0 netns $id$h type veth peer name to$h netns ${id}net &&
        ip -n ${id}net link set to$h master br0 up && ip -n $id$h addr add 10.77.0.$i/24 dev eth0 && ip -n $id$h link set eth0 up; } 2>"$tmp/why" ||
        skip "no network namespaces here: $(head -n 1 "$tmp/why")"
done
checks=0 failures=0 skips=0 port=7000
export WEFT_TRANSPORT

# begin PROCESSES PROGRAM...: two processes on each host, their output in $tmp/NUMBER.
begin() {
    port=$((port + 1)) n=$1 pids=
    shift
    p=0
    for h in $hosts; do
        for k in 1 2; do
            [ $p -lt "$n" ] || continue
            UCX_TLS=tcp,self WEFT_RENDEZVOUS=tcp:10.77.0.1:$port WEFT_PROCESS=$p WEFT_PROCESSES=$n exec_in $h "$@" >"$tmp/$p" 2>&1 </dev/null &
            eval "pid$p=$!"
            pids="$pids $!"
            p=$((p + 1))
        done
    done
}
# ip becomes the program, so that its number is the program's.
exec_in() {
    h=$1
    shift
    exec ip netns exec $id$h "$@"
}
# await SECONDS PROCESS...: until these have ended; then their statuses are in $statuses.
await() {
    end=$(($(date +%s) + $1)) statuses=
    shift
    for q in "$@"; do
        eval "pid=\$pid$q"
        while kill -0 "$pid" 2>/dev/null && [ "$(date +%s)" -lt $end ]; do sleep 0.05; done
        if kill -0 "$pid" 2>/dev/null && [ "$(sed 's/.*) //; s/ .*//' /proc/"$pid"/stat)" != Z ]; then statuses="$statuses stuck"; else
            wait "$pid"
            statuses="$statuses $?"
        fi
    done
}
# works N: until that many ranks work.
works() {
    tries=0
    while [ "$(cat "$tmp"/[0-9] | grep -c works)" -lt "$1" ] && [ $tries -lt 300 ]; do sleep 0.1; tries=$((tries + 1)); done
}
result() { # WHAT BAD
    checks=$((checks + 1))
    if [ -z "$2" ]; then echo "ok $1"; else
        failures=$((failures + 1))
        echo "not ok $1: $2"
        tail -n 5 "$tmp"/[0-9]
    fi
    for p in $pids; do kill -9 "$p" 2>/dev/null; wait "$p" 2>/dev/null; done
    rm -f "$tmp"/[0-9]
    pids=
}
# all_fine SECONDS WHAT: every process has ended well.
all_fine() {
    await "$1" $(seq 0 $((n - 1)))
    case $statuses in *[1-9]* | *stuck*) result "$2" "statuses$statuses" ;; *) result "$2" ;; esac
}
# named PROCESSES PATTERN WHAT: these have ended, and heard of it.
named() {
    await 30 $1
    bad=
    case $statuses in *[1-9]* | *stuck*) bad="statuses$statuses" ;; esac
    for q in $1; do
        grep -q "heard: .*$2" "$tmp/$q" || bad="$bad process $q does not say '$2'"
        ! grep -q UCX "$tmp/$q" || bad="$bad process $q says more than that"
    done
    result "$3" "$bad"
}

# FIRST STEP LARGE RANDOM SECONDS: ranks.c
laws() {
    begin 6 "$ranks" 1 law 0 29 10 100
    all_fine 120 "laws on three hosts by $WEFT_TRANSPORT"
    begin 4 "$ranks" 2 law 1 29 0 60
    all_fine 120 "laws on two hosts, two ranks a process, by $WEFT_TRANSPORT"
}

# Algorithms whose messages go between any two ranks, of one host and of two.
algorithms() {
    export WEFT_ALGORITHMS
    for WEFT_ALGORITHMS; do
        begin 6 "$ranks" 1 law 2 53 0 50
        all_fine 120 "laws on three hosts by $WEFT_TRANSPORT and $WEFT_ALGORITHMS"
    done
    unset WEFT_ALGORITHMS
}

bench() {
    begin 4 "$weft" bench coll --op all_reduce --sizes 256K
    await 120 0 1 2 3
    case $statuses in *[1-9]* | *stuck*) bad="statuses$statuses" ;; *) bad= ;; esac
    grep -q '^all_reduce  *P=4  *262144 B ' "$tmp/0" || bad="$bad no line"
    result "bench between hosts" "$bad"
}

# Kernels without netem have a bucket that makes packets wait and drops what overflows it.
slow_link() {
    if { tc -n ${id}b qdisc add dev eth0 root netem delay 2ms 1ms loss 1% || tc -n ${id}b qdisc add dev eth0 root tbf rate 20mbit burst 16k latency 20ms; } 2>"$tmp/why"; then
        begin 6 "$ranks" 1 law 3 211 0 20
        all_fine 120 "a slow link that loses packets, by $WEFT_TRANSPORT"
        tc -n ${id}b qdisc del dev eth0 root
    else
        skips=$((skips + 1))
    fi
}

trouble() {
    # The cable to host c: its own end of it stays up, so that nobody is told.
    begin 6 "$ranks" 1 until 8
    works 6
    ip -n ${id}net link set toc down
    named "0 1 2 3" "rank [45]" "a link is cut, by $WEFT_TRANSPORT"
    ip -n ${id}net link set toc up
    tries=0
    until ip -n ${id}c link show eth0 | grep -q LOWER_UP || [ $tries -ge 100 ]; do sleep 0.1; tries=$((tries + 1)); done
    for h in $hosts; do ip -n $id$h neigh flush all; done # who has asked for another in vain would have no route to it for a while yet

    begin 6 "$ranks" 1 until 20
    works 6
    kill -9 $pid2
    named "0 1 3 4 5" "rank 2" "a process is killed, by $WEFT_TRANSPORT"

    begin 6 "$ranks" 1 until 8
    works 6
    kill -STOP $pid5
    named "0 1 2 3 4" "rank 5" "a process is stopped, by $WEFT_TRANSPORT"
}

WEFT_TRANSPORT=shm,tcp
laws
algorithms '*=hierarchical' '*=neighbour,*=ring,*=pairwise' '*=doubling,*=halving,*=bruck,*=binomial,*=dissemination' '*=rabenseifner,*=segmented_ring,*=double_tree'
slow_link
trouble
if [ -n "$ucx" ]; then
    WEFT_TRANSPORT=$ucx
    laws
    algorithms '*=hierarchical'
    slow_link
    trouble
fi
WEFT_TRANSPORT=shm
bench

# mpirun across the hosts: its daemons are started by an agent that enters the host instead of asking for a shell there.
if command -v mpirun >/dev/null; then
    cat >"$tmp/agent" <<AGENT
#!/bin/sh
h=\$1
shift
exec ip netns exec $id\$h unshare --uts sh -c "hostname \$h; \$*"
AGENT
    chmod +x "$tmp/agent"
    printf '127.0.0.1 localhost\n10.77.0.1 a\n10.77.0.2 b\n10.77.0.3 c\n' >"$tmp/hosts"
    n=0
    timeout 100 ip netns exec ${id}a unshare --uts --mount sh -c "hostname a; mount --bind '$tmp/hosts' /etc/hosts
        UCX_TLS=tcp,self OMPI_MCA_btl=tcp,self OMPI_MCA_pml=ob1 exec mpirun --allow-run-as-root --oversubscribe --host a:2,b:2,c:2 --mca plm_rsh_agent '$tmp/agent' \
        -x UCX_TLS -n 6 '$ranks' 1 law 4 53 0 50" >"$tmp/0" 2>&1 </dev/null
    status=$?
    if [ $status -eq 0 ]; then result "laws under mpirun on three hosts"; else result "laws under mpirun on three hosts" "status $status"; fi
else
    skips=$((skips + 1))
fi
[ $skips -eq 0 ] || echo "skipped: $skips (no tc qdisc, or no mpirun)"
echo "Checks: $checks, Failures: $failures, Errors: 0"
[ $failures -eq 0 ]
