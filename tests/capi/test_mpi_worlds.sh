#!/bin/sh
# Worlds on communicators, jobs on given worlds, and one job after another, under mpirun: mpi_worlds.c says what is tried.
. "${top_srcdir:-.}/tests/support/cases.sh"
program=$build/tests/capi/mpi_worlds
if command -v mpirun >/dev/null && [ -x "$program" ]; then
    # try PROCESSES WHAT [MORE]: all processes find everything as it should be, and MPI finalised at the end, once for each.
    try() {
        timeout -k 10 300 mpirun -n "$1" "$program" "$2" $3 >out 2>err </dev/null
        status=$?
        [ $status -eq 0 ] && [ "$(grep -c '^finalised$' out)" -eq "$1" ] && ! grep -q 'not so' err
        result "$2 $3 on $1 processes" $?
    }
    for what in worlds refusals jobs theirs apart failing differing skipping; do try 2 $what; done
    try 4 worlds
    try 4 jobs
    WEFT_TRANSPORT=mpi try 2 worlds
    try 1 theirs
    for transport in shm mpi; do
        export WEFT_TRANSPORT=$transport
        try 2 level 0 # MPI_THREAD_SINGLE
        try 2 at_exit
        try 2 forks
    done
    for n in 1 2 3; do try 2 level $n; done # to MPI_THREAD_MULTIPLE
    try 2 finalised
    unset WEFT_TRANSPORT
    try 2 early && grep -q 'MPI has been finalised' err
    result "why there is no further world is said" $?
    timeout -k 10 60 mpirun -n 3 "$program" missing >out 2>err </dev/null
    [ "$(grep -c '^so$' out)" -eq 3 ] && ! grep -q 'not so' err
    result "missing: each process says who has not come" $?
    # Another MPI's launcher says how many there are, and this MPI knows of one.
    env -u OMPI_COMM_WORLD_RANK PMI_RANK=1 PMI_SIZE=2 timeout 60 "$program" early >out 2>err </dev/null
    grep -q 'the launcher started process 1 of 2, but in MPI this is process 0 of 1' err
    result "another MPI's launcher is found out" $?
else
    skips=26
fi
finish "no mpirun, or no MPI"
