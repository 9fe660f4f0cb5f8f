#!/bin/sh
# columns.sh SOURCE: writes, for each line of the list below, one column of a table (.def) as a file of its own in the build folder, NAME(entry) for each
# entry once, in the table's order. Headers expand these where they need a column, so that a change of the other columns reaches no object but those
# that expand the table itself: a file whose text stays the same is not written. CPP is the C preprocessor ("gcc -E").
#
# FILE is TABLE-COLUMN.def; then the table's macro, and which of its arguments make an entry.
columns='
base/diags-name.def            base/diags.def            DIAG      1
base/dtypes-name.def           base/dtypes.def           DTYPE     1
codegen/scalar-name.def        codegen/scalar.def        SCALAR    1
collectives/schedules-run.def  collectives/schedules.def SCHEDULE  7
cost/algorithms-name.def       cost/algorithms.def       ALG       1,2
cost/algorithms-run.def        cost/algorithms.def       ALG       3
ir/attrs-name.def              ir/attrs.def              ATTR      1
ir/ops-cost.def                ir/ops.def                OP        13
ir/ops-gen.def                 ir/ops.def                OP        12
ir/ops-grad.def                ir/ops.def                OP        14
ir/ops-infer.def               ir/ops.def                OP        9
ir/ops-name.def                ir/ops.def                OP        1
ir/ops-syntax.def              ir/ops.def                OP        8
topology/links-name.def        topology/links.def        LINK      1
'
source=$1
trap 'rm -f columns.tmp' EXIT
echo "$columns" | while read -r file table macro which; do
    [ -n "$file" ] || continue
    mkdir -p "${file%/*}"
    {
        echo "/* $file: from $table, by base/columns.sh. */"
        # The arguments by number: an argument may have commas within parentheses or a text, which the preprocessor knows.
        printf '#define PICK(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, ...) NAME(%s)\n#define %s(...) PICK(__VA_ARGS__,,,,,,,,,,,,,,)\n#include "%s"\n' \
            "$(echo "$which" | sed 's/\([0-9][0-9]*\)/a\1/g; s/,/, /g')" "$macro" "$table" |
            $CPP -undef -P -I"$source" -x c - | sed '/^$/d; s/) *NAME(/)\nNAME(/g' | awk '!seen[$0]++'
        echo '#undef NAME'
    } >columns.tmp || exit 1
    grep -q '^NAME(' columns.tmp || { echo "columns.sh: $table has no lines $macro(...)" >&2; exit 1; }
    cmp -s columns.tmp "$file" || mv columns.tmp "$file"
done
