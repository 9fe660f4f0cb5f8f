#!/bin/sh
# A program that was compiled with other options is another program: each option of TOOL_BUILD_OPTIONS (tool/build.h) is part of the key under
# which `weft run` keeps compiled programs (tool/program_cache.c), and is refused for a program that is compiled already (tool/cmd_run.c).
cd "${top_srcdir:-$(dirname "$0")/../..}" || exit 1
checks=0 bad=0
for field in $(sed -n '/define TOOL_BUILD_OPTIONS/,/no-overlap/s/.*offsetof(settings, field\.\([a-z]*\)).*/\1/p' tool/build.h | sort -u); do
    checks=$((checks + 1))
    grep -q "s->$field\>" tool/program_cache.c || { echo "tool/program_cache.c: error: the key does not have '$field'"; bad=$((bad + 1)); }
    [ "$field" = devices ] || grep -q "b->$field\>" tool/cmd_run.c ||
        { echo "tool/cmd_run.c: error: '$field' is not refused with a compiled program"; bad=$((bad + 1)); }
done
echo "Checks: $checks, Failures: $bad, Errors: 0"
[ "$checks" -gt 7 ] && [ "$bad" -eq 0 ]
