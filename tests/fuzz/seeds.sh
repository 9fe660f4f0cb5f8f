#!/bin/sh
# seeds.sh DIR: cuts the programs of tests/ir/*.mlir (one per op, and those of the verifier's rules) into files of DIR, as seeds of the
# fuzzers, and copies the bytecode of tests/mlir. Each begins with an empty line: fuzz_read takes its first byte as options, and a newline asks for
# verification.
set -e
top=${top_srcdir:-.}
mkdir -p "$1"
for f in "$top"/tests/ir/*.mlir; do
    awk -v to="$1/$(basename "$f" .mlir)" '/^\/\/ -----/ { if (out) close(out); out = to "." ++n ".mlir"; print "" > out; next } out { print > out }' "$f"
done
for f in "$top"/tests/mlir/bytecode/*.mlirbc; do
    { echo; cat "$f"; } > "$1/$(basename "$f")"
done
