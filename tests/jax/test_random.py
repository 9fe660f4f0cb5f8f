"""Random JAX programs: Weft against XLA, each seed a case.

WEFT_SEED is the first seed and WEFT_PROGRAMS how many; what a seed stands for is shown with
    python -c 'import programs; print(programs.Program(SEED).source)'

Results must agree as in test_functions.py, a little wider since errors add up over a program. Where they do not, the program itself is
asked how well determined the element is: it is evaluated once more in the next wider type and once with every argument moved by an ulp,
and what these move XLA's own result by, times four, is allowed. So a comparison that tips over excuses an element, and nothing else does.
"""
import os

import jax
import numpy as np
import pytest

import cases
import harness
import programs

FIRST = int(os.environ.get('WEFT_SEED', '1'))
COUNT = int(os.environ.get('WEFT_PROGRAMS', 200 * int(os.environ.get('WEFT_LONG', '1'))))
RTOL = {'float64': 1e-12, 'float32': 5e-5, 'float16': 1e-2, 'bfloat16': 6e-2}
WIDER = {'float64': 'float64', 'float32': 'float64', 'float16': 'float32', 'bfloat16': 'float32'}


def moved(a):
    """Each float of a by its smallest step upwards; integers as they are."""
    if not cases.is_float(a.dtype):
        return a
    bits = a.view(np.dtype('i%d' % a.dtype.itemsize))
    return (bits + 1).view(a.dtype)


def evaluate(p, args, float=None, x64=None):
    with jax.enable_x64(p.x64 if x64 is None else x64):
        f = jax.jit(p.function(float))
        return [cases.wide(np.asarray(r)) for r in f(*[a.astype(float) if float and cases.is_float(a.dtype) else a for a in args])]


def undetermined(p, want):
    """How far each element of each result moves under a wider type and moved arguments."""
    want = [cases.wide(w) for w in want]
    wider = evaluate(p, p.args, WIDER[p.float], True if p.float == 'float32' else None)
    nudged = evaluate(p, [moved(a) for a in p.args])
    with np.errstate(all='ignore'):
        return [np.maximum(np.abs(w - a), np.abs(w - b)) for w, a, b in zip(want, wider, nudged)]


@pytest.mark.parametrize('seed', range(FIRST, FIRST + COUNT))
def test_program(seed):
    p = programs.Program(seed)
    c = cases.Case('seed %d' % seed, p.function(), p.args, rtol=RTOL[p.float], x64=p.x64)
    harness.check(c, excuse=lambda want: undetermined(p, want), source=p.source)
