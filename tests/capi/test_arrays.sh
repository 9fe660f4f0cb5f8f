#!/bin/sh
# Arrays and programs on several processes, some with several devices: arrays.c says what is tried.
. "${top_srcdir:-.}/tests/support/cases.sh"
program=$build/tests/capi/arrays
# try PROCESSES WHAT DEVICES: every process finds everything as it should be.
try() {
    timeout -k 10 120 mpirun -n "$1" "$program" "$2" "$3" >out 2>err </dev/null
    status=$?
    [ $status -eq 0 ] && [ "$(grep -c '^fine$' out)" -eq "$1" ] && ! grep -q 'not so' err
    result "$2 with $3 devices on $1 processes" $?
}
if command -v mpirun >/dev/null && [ -x "$program" ]; then
    for what in law train; do
        try 1 $what 4
        try 2 $what 4
        try 4 $what 4
        try 2 $what 6
        try 3 $what 3
    done
    WEFT_TRANSPORT=tcp try 2 law 4
    WEFT_TRANSPORT=mpi try 3 law 6
    for what in callback refused other skip null; do
        try 2 $what 2
        try 2 $what 4
    done
else
    skips=22
fi
# At a rendezvous, without MPI.
WEFT_RENDEZVOUS=file:$PWD/meet WEFT_PROCESSES=2 WEFT_PROCESS=1 timeout 60 "$program" train 4 >out1 2>err1 </dev/null &
other=$!
WEFT_RENDEZVOUS=file:$PWD/meet WEFT_PROCESSES=2 WEFT_PROCESS=0 timeout 60 "$program" train 4 >out 2>err </dev/null
first=$?
wait $other && [ $first -eq 0 ] && grep -q fine out && grep -q fine out1
result "train at a rendezvous" $?
finish "no mpirun, or no MPI"
