"""Propagation against Shardy's own: JAX's programs and random ones, line by line.

WEFT_SEED chooses the random programs; a failing one can be had again with compare_programs.py KIND SEED.
"""
import os
import re

import pytest

import call_programs
import compare_programs
import op_programs
import shardy

SHARED = os.path.join(os.environ.get('WEFT_SHARED', os.path.join(os.path.dirname(__file__), '../../../shared')), 'propagation')
PROGRAMS = sorted(os.listdir(SHARED)) if os.path.isdir(SHARED) else []
SEED = int(os.environ.get('WEFT_SEED', '1'))


@pytest.mark.skipif(not PROGRAMS, reason='no shared/propagation')
@pytest.mark.parametrize('name', PROGRAMS or ['none'])
def test_program(name):
    with open(os.path.join(SHARED, name, 'before.mlir')) as f:
        got, said = shardy.weft(f.read(), *compare_programs.PIPELINE)
    assert got is not None, said
    with open(os.path.join(SHARED, name, 'after.mlir')) as f:
        assert shardy.normal(got).strip().split('\n') == f.read().strip().split('\n')


def same(seed, text, options, passes):
    want, said = shardy.run(text, passes)
    got, why = shardy.weft(text, *options)
    assert (got is None) == (want is None), (seed, why, said)
    if want is not None:
        assert shardy.normal(got).split('\n') == want.split('\n'), 'seed %s' % seed


# How many of each kind of random program; the differences go to the output.
COUNTS = {'ops': 120, 'recipes': 80, 'control': 120, 'mixed': 80, 'calls': 80, 'mixed-calls': 60, 'strange': 60, 'strange-calls': 40, 'jax': 60, 'texts': 60}


@pytest.mark.parametrize('kind', COUNTS)
def test_random(kind):
    found, what = compare_programs.compare(kind, 10000 * SEED, COUNTS[kind] * int(os.environ.get('WEFT_LONG', '1')))
    print(what)
    assert not found, '\n'.join('compare_programs.py %s %d\n%s' % (kind, seed, difference) for seed, difference in found)


# Passes about functions, alone and one after the other. Shardy crashes where a function that is called twice is imported, and
# prints modules that it does not read itself; both are left out.
CALL_PASSES = [
    (0.2, ['sdy-flatten-call-graph']), (0.2, ['sdy-unflatten-call-graph']), (0.2, ['sdy-export-named-computations']),
    (0.2, ['sdy-pre-order-funcs']), (0.2, ['sdy-propagate-to-func-results']), (0.2, ['sdy-propagate-sharding-from-func-to-call']),
    (0.2, ['sdy-insert-func-call-reshards']), (0.2, ['sdy-unflatten-call-graph{dedup-functions-fully=true}', 'sdy-insert-func-call-reshards']),
    (0.0, ['sdy-add-func-data-flow-edges', 'func.func(sdy-sink-func-data-flow-edges)']),
    (0.2, ['sdy-flatten-call-graph', 'symbol-dce', 'sdy-import-func-calls', 'sdy-pre-order-funcs', 'sdy-export-named-computations',
           'sdy-propagate-to-func-results', 'sdy-unflatten-call-graph', 'symbol-dce', 'sdy-insert-func-call-reshards']),
]


# Notes of how shardings came to be. Shardy keeps them in hash tables: axes of one name in a step come in no order, and entries of ops
# that propagation drops point to freed memory. Programs with such ops are left out, as are those with sharding groups, whose members
# have shardings that nobody asked for: it looks up where they come from all the same. Its verifier would refuse its own notes at edges of several sources.
DEBUG = ['debug-sharding-origins=true', 'debug-propagation-edge-sharding=true', 'debug-sharding-origins=true debug-propagation-edge-sharding=true']


def sorted_steps(text):
    return re.sub(r'(step-\d+ = )\[((?:\{"[^{}]*\}(?:, )?)*)\]',
                  lambda m: m.group(1) + ' '.join(sorted(re.findall(r'\{"[^{}]*\}', m.group(2)))), text)


@pytest.mark.parametrize('debug', DEBUG)
def test_debug_info(debug):
    apart, compared = shardy.Apart(), 0
    sink = ' '.join('sink-' + d for d in debug.split())
    passes = shardy.BEFORE[:1] + ['sdy-apply-sharding-constraints{%s}' % debug, 'sdy-sharding-group-import',
                                  'sdy-user-priority-propagate{%s}' % debug, 'func.func(sdy-sink-data-flow-edges{%s})' % sink]
    for seed in range(100 * SEED, 100 * SEED + 40):
        text, why = shardy.weft(op_programs.program(seed), '--cse')
        before, after = [shardy.weft(text, *compare_programs.options(passes[:n]))[0] for n in (3, 4)] if text else (None, None)
        if not before or not after or before.count('\n') != after.count('\n') or 'sharding_group' in text:
            continue
        want, said = apart.run(text, passes, verify=False)
        got, why = shardy.weft(text, '--verify-each', *compare_programs.options(passes))
        assert (got is None) == (want is None), (seed, why, said)
        compared += want is not None
        if want is not None:
            assert sorted_steps(shardy.normal(got)).split('\n') == sorted_steps(want).split('\n'), 'seed %s' % seed
    apart.close()
    assert compared > 5


def test_groups():
    for seed in range(SEED, SEED + 10):
        same(seed, call_programs.program(seed, groups=True), ['--sdy-sharding-group-import'], ['sdy-sharding-group-import'])


@pytest.mark.parametrize('strange,passes', CALL_PASSES)
def test_calls(strange, passes):
    apart, compared = shardy.Apart(), 0
    for seed in range(SEED, SEED + 15):
        text = call_programs.program(seed, strange)
        want, said = apart.run(text, passes)
        if want is None and said in (['crashed'], ['did not end']):
            continue
        got, why = shardy.weft(text, '--verify-each', *compare_programs.options(passes))
        assert (got is None) == (want is None), (seed, why, said)
        compared += 1
        if want is not None:
            assert shardy.normal(got).split('\n') == want.split('\n'), 'seed %s' % seed
    apart.close()
    assert compared > 5
