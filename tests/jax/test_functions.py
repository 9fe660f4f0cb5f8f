"""JAX's functions on Weft: each case is lowered by JAX, run by Weft and compared with what XLA makes of the same module."""
import importlib
import pkgutil

import pytest

import harness
import tables

CASES = [c for m in pkgutil.iter_modules(tables.__path__) for c in importlib.import_module('tables.' + m.name).CASES]
NAMES = [c.name for c in CASES]
assert len(set(NAMES)) == len(NAMES), [n for n in NAMES if NAMES.count(n) > 1]


@pytest.mark.parametrize('c', CASES, ids=NAMES)
def test_function(c):
    harness.check(c)
