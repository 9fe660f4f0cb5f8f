#!/bin/sh
# Files that call each other in a circle cannot be read, tested or moved one by one: no circle of the library and the tool has more
# than three files, but the reader and the printer of MLIR, whose grammar is recursive, and code generation's nested blocks, which are
# to go (the circle may shrink, not grow). Circles are found in what the objects define and what they leave to others.
# By hand it runs from anywhere; the build folder is then the current one, or build/.
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=${top_builddir:-$(if [ -f config.status ]; then pwd; else echo "$top_srcdir/build"; fi)}
cd "$top_builddir" || exit 1
# "./mlir/.libs/libweftbase_la-print.o: weft_module_print T ..." gives "mlir/print weft_module_print T"
find . \( -path ./tests -o -path ./bench -o -path ./examples \) -prune -o -name '*.o' -print | sort | xargs nm -AP |
    sed -E 's,^\./,,; s,\.libs/,,; s,^(([^ :]*/)?)[^/ :-]*-([^/ :]*)\.o: ,\1\3 ,; s,\.o: , ,' |
    awk '
        $3 ~ /^[TDRBVW]$/ { of[$2] = $1 }
        # names of MPI belong to MPI, though libweft_mpi has them too
        $3 == "U" && $2 !~ /^MPI_/ { uses[++n] = $1 " " $2 }
        { if (!($1 in seen)) { seen[$1] = 1; file[++files] = $1 } }
        # all that f reaches, into reach[f, .]
        function walk(f,    top, at, i, k, list) {
            top = 0; stack[++top] = f
            while (top) {
                at = stack[top--]; k = split(next_of[at], list, " ")
                for (i = 1; i <= k; i++) if (!((f, list[i]) in reach)) { reach[f, list[i]] = 1; stack[++top] = list[i] }
            }
        }
        END {
            for (i = 1; i <= n; i++) {
                split(uses[i], u, " ")
                if (u[2] in of && of[u[2]] != u[1] && !((u[1], of[u[2]]) in edge)) {
                    edge[u[1], of[u[2]]] = 1; next_of[u[1]] = next_of[u[1]] " " of[u[2]]
                }
            }
            for (i = 1; i <= files; i++) walk(file[i])
            for (i = 1; i <= files; i++) {
                if (file[i] in told) continue
                size = 0; names = ""; mlir = codegen = 1
                for (j = 1; j <= files; j++)
                    if ((file[i], file[j]) in reach && (file[j], file[i]) in reach) {
                        size++; names = names " " file[j]; told[file[j]] = 1
                        mlir = mlir && file[j] ~ /^mlir\//
                        codegen = codegen && file[j] ~ /^codegen\//
                    }
                if (size > 3 && !mlir && !(codegen && size <= 12)) { print "error: a circle of " size " files:" names; bad++ }
            }
            if (files < 100) { print "error: only " files " objects, built elsewhere?"; bad++ }
            print "Checks: " files ", Failures: " bad + 0 ", Errors: 0"
            exit (bad > 0)
        }'
