#!/bin/sh
# Programs under srun: a Slurm of one node (Debian's slurm-wlm) of this test's own, which starts them by PMIx, without MPI, and by a rendezvous. Only ./check long
# runs it, as root. Slurm's and munge's daemons are ended with the test.
. "${top_srcdir:-.}/tests/support/cases.sh"
for program in srun slurmctld slurmd munged; do
    command -v $program >/dev/null || { echo "skipped: 1 (no $program)" && exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "skipped: 1 (needs root)" && exit 77; }
grep -q '^#define HAVE_MPI' "$build/config.h" || { echo "skipped: 1 (no MPI)" && exit 77; }

stop() {
    for daemon in slurmd slurmctld munge/munged; do [ ! -s "$tmp/$daemon.pid" ] || kill "$(cat "$tmp/$daemon.pid")"; done 2>/dev/null
    sleep 1
    rm -rf "$tmp"
}
trap stop EXIT
unset OMPI_MCA_rmaps_base_oversubscribe

host=$(hostname -s) port=$((20000 + $$ % 10000))
mkdir state spool munge && chmod 711 "$tmp" && chmod 700 munge
(umask 077 && head -c 64 /dev/urandom >munge/key)
cat >slurm.conf <<END
ClusterName=weft
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$tmp/munge/socket
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/spool
SlurmctldPidFile=$tmp/slurmctld.pid
SlurmdPidFile=$tmp/slurmd.pid
SlurmctldLogFile=$tmp/slurmctld.log
SlurmdLogFile=$tmp/slurmd.log
SlurmctldPort=$port
SlurmdPort=$((port + 1))
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=pmix
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$tmp/slurm.conf
munged --force --key-file="$tmp/munge/key" --socket="$tmp/munge/socket" --pid-file="$tmp/munge/munged.pid" --log-file="$tmp/munge/log" \
    --seed-file="$tmp/munge/seed" >out 2>err && slurmctld >>out 2>>err && slurmd >>out 2>>err
result "Slurm starts" $?
n=0
while [ $n -lt 30 ] && ! sinfo -h -o %T 2>/dev/null | grep -q idle; do sleep 1; n=$((n + 1)); done
timeout 60 srun -n 2 true >out 2>err
result "srun runs a program" $?

cat >sum.mlir <<'END'
sdy.mesh @mesh = <["x"=4]>
func.func public @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
END
# One job of all processes, of which one speaks.
one_job() { # NAME PROCESSES COMMAND...
    name=$1 processes=$2
    shift 2
    timeout 120 "$@" >out 2>err </dev/null && [ "$(grep -c 'ran 1 step' out)" -eq 1 ] && grep -q "on 4 devices of $processes process" out
    result "$name" $?
}
run="$weft run sum.mlir"
one_job "four processes by PMIx" 4 srun -n 4 $run
one_job "two processes by PMIx" 2 srun -n 2 $run
timeout 120 srun -n 4 $run --fill 0=ones --print 0 >out 2>err </dev/null && [ "$(cat out)" = 'output 0 = 4' ]
result "and their sum is printed once" $?
one_job "one process" 1 srun -n 1 $run
timeout 120 srun --mpi=none -n 4 $run >out 2>err </dev/null && [ "$(grep -c 'ran 1 step' out)" -eq 4 ] && [ "$(grep -c 'srun has started 4 processes without MPI' err)" -eq 1 ]
result "four processes without MPI: the first one says that each is alone" $?
one_job "two processes that meet at a file, without MPI" 2 env WEFT_RENDEZVOUS=file:"$tmp/meet" sh -c "mkdir meet && srun --mpi=none -n 2 $run"

gpt="$build/examples/gpt/gpt $src/examples/gpt/text.txt --steps 12 --every 3 --dim 32 --tokens 16 --batch 8 --mesh data=2,model=2 --strategy dp,tp"
losses() { sed -n 's/^step *\([0-9]*\)  loss \([0-9.]*\) .*/\1 \2/p' out; }
timeout 300 $gpt >out 2>err </dev/null && losses >threads && timeout 300 srun -n 4 $gpt >out 2>err </dev/null && losses >processes && [ -s threads ] && cmp -s threads processes
result "a GPT trains under srun with the losses that it has on threads" $?

# A process that dies ends the job.
timeout 300 srun -n 4 sh -c "[ \$SLURM_PROCID -ne 3 ] || (sleep 3; kill -KILL \$\$) & exec $gpt --steps 1000000" >out 2>err </dev/null
status=$?
[ $status -ne 0 ] && [ $status -ne 124 ]
result "a job of which a process dies ends" $?
finish
