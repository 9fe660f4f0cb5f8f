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
# The tool, by name: the dry run says as many bytes on every host, and a processor without products of bf16 needs more.
for isa in AVX2 DEFAULT; do
    for cpu in x86-64-v3 znver4; do
        ONEDNN_MAX_CPU_ISA=$isa "$weft" dryrun --json --cpu $cpu $src/tests/exec/hosts.mlir >"said.$cpu.$isa" 2>err
        result "a dry run for $cpu where oneDNN has $isa" $?
    done
done
cmp said.znver4.AVX2 said.znver4.DEFAULT >out 2>err && cmp said.x86-64-v3.AVX2 said.x86-64-v3.DEFAULT >>out 2>>err
result "a dry run depends on --cpu, not on the host" $?
! cmp -s said.znver4.DEFAULT said.x86-64-v3.DEFAULT
result "and it differs from processor to processor" $?
"$weft" dryrun --cpu znvr4 $src/tests/exec/hosts.mlir >out 2>err
[ $? -eq 2 ] && grep -q "there is no processor 'znvr4'; did you mean 'znver4'?" err
result "an unknown processor is refused, with the nearest name" $?
"$weft" run --cpu znver4 $src/tests/exec/hosts.mlir >out 2>err
[ $? -eq 2 ] && grep -q -- "--cpu is for --dump" err
result "a program is not run for another processor" $?
if grep -q avx512bw /proc/cpuinfo 2>/dev/null; then
    ! cmp -s taken.AVX2 taken.AVX512_CORE
    result "oneDNN takes other sizes where it has AVX-512, so the question means something" $?
else
    skips=1
fi
finish "this host has no AVX-512, so that oneDNN is the same throughout"
