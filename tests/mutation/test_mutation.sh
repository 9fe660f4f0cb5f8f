#!/bin/sh
# Do the suites notice changes of the code? A hundred of them, drawn by WEFT_SEED (1): see mutate.py. Only ./check long runs this.
python=${WEFT_PYTHON:-python3} src=${top_srcdir:-.}
"$python" -c 'import clang.cindex' 2>/dev/null || { echo "skipped: 1 (this Python has no libclang: pip install libclang)"; exit 77; }
exec "$python" "$src/tests/mutation/mutate.py" --count 100 --seed "${WEFT_SEED:-1}" --work "${top_builddir:-.}/mutation"
