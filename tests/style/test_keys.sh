#!/bin/sh
# A program that was compiled with other options is another program: each option of TOOL_BUILD_OPTIONS (tool/build.h) is part of the key under
# which `weft run` keeps compiled programs (tool/program_cache.c), and is refused for a program that is compiled already (option_of_compiling of
# tool/cmd_run.c, which asks tool_build_option of tool/options.c).
cd "${top_srcdir:-$(dirname "$0")/../..}" || exit 1
checks=0 bad=0
refused=$(sed -n '/^static const char \*option_of_compiling/,/^}/p' tool/cmd_run.c)
case $refused in *"tool_build_option(&s->build)"*) refused="$refused $(sed -n '/^const char \*tool_build_option/,/^}/p' tool/options.c)" ;; esac
for field in $(sed -n '/define TOOL_BUILD_OPTIONS/,/no-overlap/s/.*offsetof(settings, field\.\([a-z]*\)).*/\1/p' tool/build.h | sort -u); do
    checks=$((checks + 1))
    grep -q "s->$field\>" tool/program_cache.c || { echo "tool/program_cache.c: error: the key does not have '$field'"; bad=$((bad + 1)); }
    [ "$field" = devices ] || printf '%s\n' "$refused" | grep -q "\(s->\|s->build\.\)$field\>" ||
        { echo "tool/cmd_run.c: error: '$field' is not refused with a compiled program"; bad=$((bad + 1)); }
done
echo "Checks: $checks, Failures: $bad, Errors: 0"
[ "$checks" -gt 7 ] && [ "$bad" -eq 0 ]
