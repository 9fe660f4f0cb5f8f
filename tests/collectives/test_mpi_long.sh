#!/bin/sh
# More than 2 GiB in one call between the processes of mpirun, by each transport: MPI itself counts with int. Only ./check long runs it.
. "${top_srcdir:-.}/tests/support/cases.sh"
ranks=$build/tests/collectives/ranks
if command -v mpirun >/dev/null && [ -x "$ranks" ]; then
    for transport in mpi tcp shm; do
        WEFT_TRANSPORT=$transport timeout -k 10 600 mpirun -n 2 "$ranks" 1 long >out 2>err </dev/null && [ "$(grep -c ': moved\|: has too few addresses' out)" -eq 2 ]
        result "2 GiB by $transport" $?
        ! grep -q 'too few addresses' out || skips=$((skips + 1))
    done
else
    skips=3
fi
finish "no mpirun, or no MPI, or too few addresses"
