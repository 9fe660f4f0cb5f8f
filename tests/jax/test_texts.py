"""Random StableHLO programs, op by op and in graphs: Weft against NumPy where it knows, else XLA. Each seed a case; texts.py has the long runs.

WEFT_SEED is the first seed and WEFT_TEXTS how many.
"""
import os

import pytest

import texts

FIRST = int(os.environ.get('WEFT_SEED', '1'))
COUNT = int(os.environ.get('WEFT_TEXTS', 250 * int(os.environ.get('WEFT_LONG', '1'))))


@pytest.fixture(scope='module')
def pair():
    both = texts.Pair()
    yield both
    both.end()


@pytest.mark.parametrize('seed', range(FIRST, FIRST + COUNT))
def test_text(seed, pair):
    name, p = texts.draw_program(seed)
    why = pair.check(p)
    if why and why.startswith('refused'):
        pytest.skip('seed %d %s: XLA %s' % (seed, name, why))
    if why:
        pytest.fail('seed %d %s: %s\n%s' % (seed, name, why, p.text[:4000]), pytrace=False)
