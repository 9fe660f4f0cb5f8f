"""Writes the module of every case as a file and its arguments beside it, for tools that take programs as text:

    python tests/jax/export.py DIR [PART]       PART: only cases with this in their names

    WEFT_PROGRAMS=DIR build/tests/pipeline/test_random_shardings
"""
import importlib
import os
import pkgutil
import sys

os.environ.setdefault('JAX_PLATFORMS', 'cpu')
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import jax  # noqa: E402
import numpy as np  # noqa: E402
import tables  # noqa: E402


def main(folder, part=''):
    os.makedirs(folder, exist_ok=True)
    for m in pkgutil.iter_modules(tables.__path__):
        for c in importlib.import_module('tables.' + m.name).CASES:
            if part not in c.name:
                continue
            arrays = c.arrays()
            with jax.enable_x64(c.x64):
                text = jax.jit(c.f, **({'keep_unused': True} | c.jit)).lower(*arrays).as_text()
            name = os.path.join(folder, ''.join(x if x.isalnum() else '_' for x in c.name))
            with open(name + '.mlir', 'w') as f:
                f.write(text)
            for i, a in enumerate(jax.tree.leaves(arrays)):
                np.save('%s.in%d.npy' % (name, i), np.asarray(a))


main(*sys.argv[1:])
