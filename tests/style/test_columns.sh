#!/bin/sh
# Lines of C and of text have at most 120 columns. Wider may be a row of a table, and a line with a string of over 60 columns, such as a
# message or a test's program.
cd "${top_srcdir:-$(dirname "$0")/../..}" || exit 1
rooms=$(sh tests/style/rooms include tests bench)
# Tables whose rows take several lines.
tables="partitioner/local_table.c tests/codegen/test_convolution.c"
files=$(find $rooms -name '*.[ch]' | grep -vxF "$(echo $tables | tr ' ' '\n')")
texts=$(ls README.md CONTRIBUTING.md SECURITY.md NEWS.md docs/*.md | grep -v op-table) # which make writes
out=$(mktemp) || exit 99
trap 'rm -f "$out"' EXIT
awk 'length($0) <= 120 { next }
    /^[ \t]*(\[[A-Za-z_0-9]+\] *= *)?\{.*\},?( *\/\*.*\*\/)?$/ { next }
    /^[ \t]*[A-Z_0-9]+\(.*\)[;,]?( \\)?$/ { next }
    {
        rest = $0
        longest = 0
        while (match(rest, /"([^"\\]|\\.)*"/)) {
            if (RLENGTH > longest) longest = RLENGTH
            rest = substr(rest, RSTART + RLENGTH)
        }
        if (longest <= 60) print FILENAME ":" FNR ": error: " length($0) " columns"
    }' $files >"$out"
# Of text, all but tables and what is indented: commands and their output.
awk 'FNR == 1 { fenced = 0 } /^```/ { fenced = !fenced } length($0) > 120 && !fenced && !/^(\||    )/ { print FILENAME ":" FNR ": error: " length($0) " columns" }' \
    $texts >>"$out"
cat "$out"
bad=$(wc -l <"$out")
echo "Checks: $(echo $files $texts | wc -w), Failures: $bad, Errors: 0"
[ "$bad" -eq 0 ]
