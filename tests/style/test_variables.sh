#!/bin/sh
# Each environment variable that the source reads, and each that CONTRIBUTING.md names, stands in base/variables.c: what is not there is
# neither known nor offered when a name is misspelt.
cd "${top_srcdir:-$(dirname "$0")/../..}" || exit 1
rooms=$(sh tests/style/rooms)
checks=0 bad=0
for name in $({ grep -rhoE '"WEFT_[A-Z_]+"' --include='*.c' $rooms; grep -oE '`WEFT_[A-Z]+=' CONTRIBUTING.md; } | grep -oE 'WEFT_[A-Z_]+' | sort -u); do
    checks=$((checks + 1))
    grep -q "\"${name#WEFT_}\"" base/variables.c || { echo "base/variables.c: error: $name is read, and not listed"; bad=$((bad + 1)); }
done
echo "Checks: $checks, Failures: $bad, Errors: 0"
[ "$checks" -gt 10 ] && [ "$bad" -eq 0 ]
