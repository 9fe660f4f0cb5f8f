#!/bin/sh
# The libraries may be loaded, used and unloaded many times, alone, at a rendezvous and under mpirun; unload.c says how.
. "${top_srcdir:-.}/tests/support/cases.sh"
if grep -qE -- '^WEFT_(CFLAGS|SANITIZE) = .*(-fsanitize|--coverage)' "$build/Makefile"; then
    echo "skipped: 1 (instrumented build)"
    exit 77
fi
lib=$build/.libs
${CC:-cc} -std=c17 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$src/include" "$src/tests/capi/unload.c" -o unload -ldl -lpthread >out 2>err
result "unload.c is built with nothing of Weft" $?
prints '^worked 10 times, 1 threads left$' ./unload "$lib/libweft-coll.so.0" world
prints '^worked 10 times, 1 threads left$' ./unload "$lib/libweft.so.0" world
prints '^worked 10 times, 1 threads left$' ./unload "$lib/libweft.so.0" job
prints '^worked 2 times, ' ./unload "$lib/libweft.so.0" left 2
transport=tcp
! grep -q '^#define HAVE_UCX 1' "$build/config.h" || transport=ucx
for p in 0 1; do
    WEFT_TRANSPORT=$transport WEFT_RENDEZVOUS=file:$tmp/meet WEFT_PROCESS=$p WEFT_PROCESSES=2 timeout -k 10 120 ./unload "$lib/libweft.so.0" job 3 >out.$p 2>err.$p </dev/null &
    eval pid_$p=$!
done
for p in 0 1; do
    eval wait \$pid_$p && grep -q '^worked 3 times, 1 threads left$' out.$p
    result "process $p at a rendezvous, by $transport" $?
done
if command -v mpirun >/dev/null && grep -q '^#define HAVE_MPI 1' "$build/config.h"; then
    WEFT_TRANSPORT=mpi timeout -k 10 120 mpirun -n 2 ./unload "$lib/libweft.so.0" job 3 >out 2>err </dev/null && [ "$(grep -c '^worked 3 times' out)" -eq 2 ]
    result "two processes of mpirun" $?
else
    skips=1
fi
finish "no mpirun, or no MPI"
