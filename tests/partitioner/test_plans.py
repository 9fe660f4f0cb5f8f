"""Reshards as Shardy writes them, against Shardy's own; and Weft's plans against those, by what they cost.

WEFT_SEED chooses the random programs and reshards; plans.py lists what a plan costs.
"""
import os
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../propagate'))
import plans  # noqa: E402
import shardy  # noqa: E402

SEED = int(os.environ.get('WEFT_SEED', '1'))
RANDOM = os.path.join(shardy.TOP, 'tests/propagate/random_programs')
apart = shardy.Apart()


@pytest.mark.skipif(not os.path.exists(plans.COUNT), reason='tests/partitioner/plan_bytes is not built')
def test_none_is_dearer():
    assert plans.compare('random reshards', plans.random_reshards(1000 * SEED, 40), plans.LOWER) == []


def same(seed, module, option, passes):
    """Shardy's answer, where Weft's is the same; None where it has none to compare."""
    want, said = apart.run(module, ['func.func(%s)' % passes])
    if said in (['crashed'], ['did not end']):
        return None
    assert want is not None, (seed, said)
    got, why = shardy.weft(module, option)
    assert got is not None, (seed, why)
    if 'all_reduce max' in got or 'all_reduce min' in got:
        return None  # Shardy sums maxima (docs/shardy-differences.md), and this one cannot read others
    assert shardy.normal(got).split('\n') == want.split('\n'), 'seed %s' % seed
    return want


@pytest.mark.skipif(not os.path.exists(RANDOM), reason='tests/propagate/random_programs is not built')
@pytest.mark.parametrize('flags', ['', 'sub-axes', 'sub-axes uneven 60'])
def test_as_shardy(flags):
    out = subprocess.run([RANDOM, str(SEED), '10', *flags.split()], capture_output=True, text=True, check=True).stdout
    compared = 0
    for seed, text in [p.split('\n', 1) for p in out.split('// ----- ')[1:]]:
        module, said = shardy.run(text, shardy.PIPELINE)
        assert module is not None, (seed, said)
        same(seed, module, '--sdy-insert-explicit-reshards', 'sdy-insert-explicit-reshards')
        full = 'sdy-insert-explicit-reshards%senable-full-version=true%s'
        inserted = same(seed, module, '--' + full % ('=', ''), full % ('{', '}'))
        if inserted:
            compared += 1
            same(seed, inserted, '--sdy-reshard-to-collectives', 'sdy-reshard-to-collectives')
    apart.close()
    assert compared > 3
