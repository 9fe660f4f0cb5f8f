"""Propagation against Shardy's own: JAX's programs and random ones, line by line.

WEFT_SEED chooses the random programs; a failing one can be had again with
    tests/propagate/random_programs SEED 1 FLAGS
"""
import os
import re
import subprocess

import pytest

import call_programs
import control_programs
import op_programs
import shardy

SHARED = os.path.join(os.environ.get('WEFT_SHARED', os.path.join(os.path.dirname(__file__), '../../../shared')), 'propagation')
PROGRAMS = sorted(os.listdir(SHARED)) if os.path.isdir(SHARED) else []
SEED = int(os.environ.get('WEFT_SEED', '1'))
RANDOM = os.path.join(shardy.TOP, 'tests/propagate/random_programs')
STRATEGIES = ['sdy-basic-propagate', 'sdy-aggressive-propagate', 'sdy-aggressive-propagate{propagation-strategy=basic-then-aggressive}',
              'sdy-aggressive-propagate{conservative-propagation=true}', 'sdy-op-priority-propagate',
              'sdy-op-priority-propagate{propagation-strategy=basic}']


@pytest.mark.skipif(not PROGRAMS, reason='no shared/propagation')
@pytest.mark.parametrize('name', PROGRAMS or ['none'])
def test_program(name):
    with open(os.path.join(SHARED, name, 'before.mlir')) as f:
        got, said = shardy.weft(f.read(), '--sdy-propagation-pipeline=keep-sharding-rules=true')
    assert got is not None, said
    with open(os.path.join(SHARED, name, 'after.mlir')) as f:
        assert shardy.normal(got).strip().split('\n') == f.read().strip().split('\n')


def programs(flags, count):
    out = subprocess.run([RANDOM, str(SEED), str(count), *flags.split()], capture_output=True, text=True, check=True).stdout
    return [p.split('\n', 1) for p in out.split('// ----- ')[1:]]


def same(seed, text, options, passes):
    want, said = shardy.run(text, passes)
    got, why = shardy.weft(text, *options)
    assert (got is None) == (want is None), (seed, why, said)
    if want is not None:
        assert shardy.normal(got).split('\n') == want.split('\n'), 'seed %s' % seed


@pytest.mark.skipif(not os.path.exists(RANDOM), reason='tests/propagate/random_programs is not built')
@pytest.mark.parametrize('flags', ['', 'sub-axes', 'priorities', 'uneven', 'sub-axes priorities uneven 60'])
def test_random(flags):
    for seed, text in programs(flags, 40):
        same(seed, text, ['--sdy-propagation-pipeline=keep-sharding-rules=true'], shardy.PIPELINE)


@pytest.mark.skipif(not os.path.exists(RANDOM), reason='tests/propagate/random_programs is not built')
@pytest.mark.parametrize('strategy', STRATEGIES)
def test_strategy(strategy):
    name, _, option = strategy.rstrip('}').partition('{')
    options = ['--sdy-import-pipeline', '--sdy-apply-sharding-constraints', '--' + name + ('=' + option if option else '')]
    for seed, text in programs('sub-axes uneven', 25):
        same(seed, text, options, shardy.BEFORE[:2] + [strategy])


# Many ops, shapes and meshes, after each way of propagation.
@pytest.mark.parametrize('strategy', ['sdy-basic-propagate', 'sdy-aggressive-propagate', 'sdy-op-priority-propagate', 'sdy-user-priority-propagate'])
def test_ops(strategy):
    for seed in range(1000 * SEED, 1000 * SEED + 60):
        same(seed, op_programs.program(seed), ['--sdy-import-pipeline', '--sdy-apply-sharding-constraints', '--' + strategy], shardy.BEFORE[:2] + [strategy])


# Loops, branches, barriers, manual computations, groups. Where a constraint moved up to an edge, readers that it took over come in
# another order in MLIR than here, which can decide a conflict otherwise: about one program in a thousand.
@pytest.mark.parametrize('first', range(0, 150, 50))
def test_control(first):
    for seed in range(first, first + 50):
        same(seed, control_programs.program(seed), ['--sdy-propagation-pipeline=keep-sharding-rules=true'], shardy.PIPELINE)


# Passes about functions, alone and one behind the other. Shardy crashes where a function that is called twice is imported, and
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


@pytest.mark.parametrize('programs_of', [op_programs])
@pytest.mark.parametrize('debug', DEBUG)
def test_debug_info(programs_of, debug):
    compared = 0
    sink = ' '.join('sink-' + d for d in debug.split())
    passes = shardy.BEFORE[:1] + ['sdy-apply-sharding-constraints{%s}' % debug, 'sdy-sharding-group-import',
                                  'sdy-user-priority-propagate{%s}' % debug, 'func.func(sdy-sink-data-flow-edges{%s})' % sink]
    for seed in range(100 * SEED, 100 * SEED + 40):
        text, why = shardy.weft(programs_of.program(seed), '--cse')
        before, after = [shardy.weft(text, *[option(p) for p in passes[:n]])[0] for n in (3, 4)] if text else (None, None)
        if not before or not after or before.count('\n') != after.count('\n') or 'sharding_group' in text:
            continue
        want, said = shardy.run_apart(text, passes, verify=False)
        got, why = shardy.weft(text, '--verify-each', *[option(p) for p in passes])
        assert (got is None) == (want is None), (seed, why, said)
        compared += want is not None
        if want is not None:
            assert sorted_steps(shardy.normal(got)).split('\n') == sorted_steps(want).split('\n'), 'seed %s' % seed
    assert compared > 5


def test_groups():
    for seed in range(SEED, SEED + 10):
        same(seed, call_programs.program(seed, groups=True), ['--sdy-sharding-group-import'], ['sdy-sharding-group-import'])


# Named computations of the program itself get a second data-flow edge in Shardy, which its verifier then refuses.
def test_calls_pipeline():
    for seed in range(SEED, SEED + 20):
        same(seed, call_programs.program(seed, computations=False), ['--verify-each', '--sdy-propagation-pipeline=keep-sharding-rules=true'],
             shardy.CALLS_PIPELINE)


def option(name):
    name = name.removeprefix('func.func(').removesuffix(')')
    first, _, rest = name.rstrip('}').partition('{')
    return '--' + first + ('=' + rest if rest else '')


@pytest.mark.parametrize('strange,passes', CALL_PASSES)
def test_calls(strange, passes):
    compared = 0
    for seed in range(SEED, SEED + 15):
        text = call_programs.program(seed, strange)
        want, said = shardy.run_apart(text, passes)
        if want is None and said in (['crashed'], ['did not end']):
            continue
        got, why = shardy.weft(text, '--verify-each', *[option(p) for p in passes])
        assert (got is None) == (want is None), (seed, why, said)
        compared += 1
        if want is not None:
            assert shardy.normal(got).split('\n') == want.split('\n'), 'seed %s' % seed
    assert compared > 5
