#!/bin/sh
# libweft_mpi: programs that load it get the results that MPI has without it (differ.c says how that is compared), and what it cannot have goes to
# MPI with a word: a rank without the library, switched off, of another MPI.
. "${top_srcdir:-.}/tests/support/cases.sh"
if grep -qE -- '^WEFT_(CFLAGS|SANITIZE) = .*(-fsanitize|--coverage)' "$build/Makefile"; then
    echo "skipped: 1 (instrumented build)"
    exit 77
fi
ls -d /dev/shm/weft-mpi-* >there 2>/dev/null
lib=$build/.libs/libweft_mpi.so
differ=$build/tests/collectives/mpi/differ
requests=$build/tests/collectives/mpi/requests
# The MPI that this Weft was built with: its launcher, which stands beside a library that is none of the system's, and how it hands on a variable.
case $(ldd "$lib" 2>/dev/null) in
*libmpich*|*libmpi.so.12*|*libmpi_abi*) run=mpiexec.mpich processes="2 3" set="-env" mpi=mpich other=openmpi ;;
*libmpi.so*) run=mpirun processes="2 4 7" set="-x" mpi=openmpi other=mpich ;;
*) echo "skipped: 1 (no MPI)" && exit 77 ;;
esac
libmpi=$(ldd "$lib" | sed -n 's|.*=> *\(/.*/libmpi[^ ]*\).*|\1|p' | head -n 1) fortran=mpifort.$mpi
bin=${libmpi%/lib/*}/bin
case $bin in
/bin|/usr/bin) ;;
*) [ -x "$bin/mpiexec" ] && run=$bin/mpiexec fortran=$bin/mpifort ;;
esac
command -v $run >/dev/null || { echo "skipped: 1 (no $run)" && exit 77; }
# MPICH's ranks never sleep while they wait: seven of them on two cores take two minutes, which Open MPI's do in seconds.
# given NAME VALUE: as the launcher wants it
given() { [ "$set" = -x ] && echo "-x $1=$2" || echo "-env $1 $2"; }
with=$(given LD_PRELOAD "$lib")

# same NAME COMMAND...: it says that all is the same, and calls went to Weft
same() {
    name=$1
    shift
    timeout 60 "$@" >out 2>err && grep -q '^all the same' out && grep -q 'libweft_mpi: Weft ' err
    result "$name" $?
}
# asked NAME COMMAND...: without a report, for which every 32nd call goes to MPI
asked() {
    name=$1
    shift
    timeout 60 "$@" >out 2>err && grep -q '^all the same' out
    result "$name" $?
}
# An MPI that was built without checks of arguments ends at a mistake, whatever is loaded.
timeout 60 $run -n 2 "$requests" mistakes >out 2>err || { export MISTAKES=none; echo "# this MPI reports no mistakes"; }
report=$(given WEFT_MPI_REPORT 1)
all=$(given WEFT_MPI all)
for p in $processes; do same "$p processes" $run -n $p $with $report $all "$differ" 300 $p; done
# All calls that it takes are in the last report, and Weft had some of each: also of the nonblocking and the persistent ones, with Open MPI; with MPICH
# from 4.3 on of the nonblocking ones, for differ.c leaves its persistent ones out.
forms=3
[ $mpi = mpich ] && { nm -D "$libmpi" 2>/dev/null | grep -q 'MPIX_Async_start' && forms=2 || forms=1; }
awk -v kinds=$((forms * 12)) '/^MPI_/ && $2 > 0 { n++ } END { exit n != kinds }' err
result "Weft had calls of each of the twelve kinds, in $forms forms" $?
for p in $processes; do asked "requests, $p processes" $run -n $p $with $all "$requests"; done
asked "requests of four threads" $run -n 3 $with $all "$requests" threads
asked "requests on two nodes" $run -n 2 $with env WEFT_MPI=all WEFT_NODE=a "$requests" : -n 1 $with env WEFT_MPI=all WEFT_NODE=b "$requests"
asked "MPI_Finalize while calls are under way" $run -n 3 $with $all "$requests" leave
asked "MPI_Finalize while one rank has a call under way" $run -n 3 $with $all "$requests" leave-one
asked "and there is a report" $run -n 3 $with $all $report "$requests" leave-one
timeout 30 $run -n 3 $with $all "$requests" die >out 2>err
rc=$?
[ $rc -ne 0 ] && [ $rc -ne 124 ] && ! grep -q '^all the same' out
result "a rank that dies ends the others" $?
[ $mpi = mpich ] && [ -n "${WEFT_LONG:-}" ] && asked "more than 2^31 bytes" $run -n 2 $with $all "$requests" wide
same "where Weft is faster" $run -n 4 $with $report "$differ" 150 11
same "three threads of three processes" $run -n 3 $with $report $all "$differ" 120 9 threads
same "two nodes" $run -n 2 $with $report env WEFT_NODE=a "$differ" 120 3 : -n 2 $with $report env WEFT_NODE=b "$differ" 120 3

# plain NAME MESSAGE COMMAND...: it says that all is the same, that message, and no report
plain() {
    name=$1 pattern=$2
    shift 2
    timeout 60 "$@" >out 2>err && grep -q '^all the same' out && ! grep -q 'libweft_mpi: Weft ' err && { [ -z "$pattern" ] || grep -q -e "$pattern" err; }
    result "$name" $?
}
plain "switched off" 'WEFT_MPI is off: calls go to MPI' $run -n 2 $with $report $(given WEFT_MPI off) "$differ" 40 1
plain "one process" 'one process: calls go to MPI' $run -n 1 $with $report "$differ" 10 1
plain "switched off for a rank" 'WEFT_MPI is off for rank 1: calls go to MPI' $run -n 1 $with $report "$differ" 40 1 : -n 1 $with env WEFT_MPI=off "$differ" 40 1
plain "neither on nor off" "WEFT_MPI is on, off or all, not 'sideways'" $run -n 2 $with $report $(given WEFT_MPI sideways) "$differ" 40 1
plain "a rank without the library" 'of 2 processes 1 have it on this machine, rank 1 has not' $run -n 1 env LD_PRELOAD="$lib" WEFT_MPI_REPORT=1 "$differ" 40 1 : -n 1 "$differ" 40 1
# Another version: the same code, which says another number.
version=$(sed -n 's/^PACKAGE_VERSION = //p' "$build/Makefile" | sed 's/\./\\./g') coll=$build/.libs/libweft-coll.so.0
mkdir newer
LC_ALL=C sed "s/$version/9.9.9/g" "$coll" >newer/libweft-coll.so.0
if [ "$(wc -c <newer/libweft-coll.so.0)" -eq "$(wc -c <"$coll")" ]; then
    plain "a rank with another version" 'in another version than rank' $run -n 1 $with $report "$differ" 40 1 : \
        -n 1 $with env LD_LIBRARY_PATH="$tmp/newer:${LD_LIBRARY_PATH:-}" "$differ" 40 1
else
    skips=$((skips + 1))
fi
# Other jobs of this machine have files there, too: those that were there before, and those that a process has mapped.
for f in /dev/shm/weft-mpi-*; do
    [ ! -e "$f" ] || grep -qxF "$f" there || grep -qsF "$f" /proc/[0-9]*/maps || [ ! -e "$f" ] || echo "$f"
done >out
[ ! -s out ]
result "no file is left in /dev/shm" $?

# Two MPIs that each bring a library of the same name, UCX for example, cannot be in one process, whoever loads them.
if command -v mpicc.$other >/dev/null && command -v mpiexec.$other >/dev/null && mpicc.$other -O1 -o other "$src/tests/collectives/mpi/differ.c" -lm &&
    LD_PRELOAD=$lib ldd -r ./other 2>&1 | awk '/undefined symbol/ && !/weft/ { rc = 1 } END { exit rc }'; then
    timeout 60 mpiexec.$other -n 2 env LD_PRELOAD="$lib" ./other 40 1 >out 2>err && grep -q '^all the same' out && grep -q 'it was built for .*: calls go to MPI' err
    result "a program of another MPI runs without it" $?
else
    skips=$((skips + 1))
fi
# MPICH's handles and those of MPI's ABI: two libraries of one MPI.
[ "${libmpi##*/}" = libmpi_abi.so.1 ] && cc=$bin/mpicc || cc=$bin/mpicc_abi
if [ "$fortran" = $bin/mpifort ] && [ -x "$cc" ] && "$cc" -O1 -o handles "$src/tests/collectives/mpi/differ.c" -lm; then
    timeout 60 $run -n 2 $with ./handles 40 1 >out 2>err && grep -q '^all the same' out && grep -q 'it was built for .*: calls go to MPI' err
    result "a program with other handles of the same MPI runs without it" $?
fi
if command -v $fortran >/dev/null && $fortran -o fortran "$src/tests/collectives/mpi/fortran.f90" >/dev/null 2>&1; then
    same "a Fortran program" $run -n 3 $with $report $all ./fortran
    [ $forms -gt 1 ] && calls=6 || calls=3
    awk -v calls=$calls '$1 ~ /^MPI_(Allreduce|Allgather|Bcast|Iallreduce|Ibcast|Ibarrier)$/ && $2 > 0 { n++ } END { exit n != calls }' err
    result "Weft had its calls" $?
    # MPI_Init of mpi_f08 is another function than that of mpi.
    $fortran -o fortran08 "$src/tests/collectives/mpi/fortran08.f90" >/dev/null 2>&1
    same "a program with mpi_f08" $run -n 3 $with $report $all ./fortran08
    awk '$1 ~ /^MPI_(Allreduce|Allgather|Bcast|Barrier)$/ && $2 > 0 { n++ } END { exit n != 4 }' err
    result "Weft had its calls, too" $?
else
    skips=$((skips + 1))
fi
finish "no compiler of another MPI, or of Fortran, or a version of more than five characters"
