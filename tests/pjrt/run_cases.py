"""Runs the cases of tests/jax on the platform weft and on JAX's cpu, in one process, and prints a line of JSON for each.

    run_cases.py FIRST EACH     every EACH-th case from the case of this number on; one that ends the process is the caller's
                                to skip
"""
import importlib
import json
import os
import pathlib
import pkgutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'jax'), str(HERE.parents[1] / 'python')]

import jax  # noqa: E402
import numpy as np  # noqa: E402

import cases  # noqa: E402
import tables  # noqa: E402

# The reference compiles fast and rounds where the program says, as in tests/jax/harness.py.
XLA = {'xla_backend_optimization_level': 0, 'xla_cpu_parallel_codegen_split_count': 1,
       'xla_cpu_use_fusion_emitters': False, 'xla_allow_excess_precision': False}


def every_case():
    return [c for m in pkgutil.iter_modules(tables.__path__) for c in importlib.import_module('tables.' + m.name).CASES]


def results(c, device, arrays, options=None):
    with jax.enable_x64(c.x64), jax.default_device(device):
        f = jax.jit(c.f, **({'keep_unused': True} | c.jit))
        out = f.lower(*arrays).compile(compiler_options=options)(*arrays)
        return [np.asarray(r) for r in jax.tree.leaves(out)]


def run(c):
    """What is wrong with a case, or None."""
    arrays = c.arrays()
    want = results(c, jax.devices('cpu')[0], arrays, XLA)
    got = results(c, jax.devices('weft')[0], arrays)
    if len(got) != len(want):
        return '%d results, not %d' % (len(got), len(want))
    found = [cases.differences(c, g, w) for g, w in zip(got, want)]
    return '\n'.join('result %d %s' % (i, d) for i, d in enumerate(found) if d) or None


def main():
    jax.config.update('jax_platforms', 'weft,cpu')
    for i, c in list(enumerate(every_case()))[int(sys.argv[1])::int(sys.argv[2])]:
        print(json.dumps({'begins': i}), flush=True)
        try:
            wrong = run(c)
        except Exception as e:
            wrong = '%s: %s' % (type(e).__name__, str(e)[:2000])
        print(json.dumps({'case': i, 'wrong': wrong}), flush=True)


if __name__ == '__main__':
    os.environ.setdefault('WEFT_PJRT_LIBRARY', '')
    main()
