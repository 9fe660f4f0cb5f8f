#!/bin/sh
# A plan depends on the processor that a program is compiled for, not on the host that compiles it: under oneDNN of an AVX2 host, of an AVX-512
# host and of this one, fingerprint, memory and steps are the same for each of several processors.
. "${top_srcdir:-.}/tests/support/cases.sh"
programs="$src/tests/exec/hosts.mlir $src/tests/exec/reader.mlir"
haswell=haswell,+avx,+avx2,+fma,+f16c
skylake=skylake-avx512,+avx,+avx2,+fma,+f16c,+avx512f,+avx512cd,+avx512bw,+avx512dq,+avx512vl
cooperlake=cooperlake,+avx,+avx2,+fma,+f16c,+avx512f,+avx512cd,+avx512bw,+avx512dq,+avx512vl,+avx512vnni,+avx512bf16
for isa in AVX2 AVX512_CORE DEFAULT; do
    for cpu in haswell skylake cooperlake; do
        eval "target=\$$cpu"
        ONEDNN_MAX_CPU_ISA=$isa "$build/tests/exec/plans" "$target" $programs >"$cpu.$isa" 2>"taken.$isa"
        status=$?
        cp "taken.$isa" err
        result "programs are compiled for $cpu where oneDNN has $isa" $status
        cmp "$cpu.AVX2" "$cpu.$isa" >out 2>err
        result "their plans are those of an AVX2 host" $?
    done
done
grep -q 'fingerprint [0-9a-f]*, peak [1-9]' haswell.AVX2 && [ "$(wc -l <haswell.AVX2)" -gt 30 ]
result "the plans are there" $?
! cmp -s haswell.AVX2 cooperlake.AVX2
result "a processor that multiplies bf16 has another plan" $?
if grep -q avx512bw /proc/cpuinfo 2>/dev/null; then
    ! cmp -s taken.AVX2 taken.AVX512_CORE
    result "oneDNN takes other sizes where it has AVX-512, so the question means something" $?
else
    skips=1
fi
finish "this host has no AVX-512, so that oneDNN is the same throughout"
