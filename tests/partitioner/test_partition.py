"""Partitioned programs run by XLA on CPU devices, without its partitioner, against what they should give."""
import json
import math
import os
import re
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
pytest.importorskip('jax')
import fuzz  # noqa: E402
import spmd  # noqa: E402

SHARED = os.environ.get('WEFT_SHARED', os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'shared'))
PROGRAMS = ['mlp_dp', 'mlp_tp', 'mlp_dp_tp', 'mlp_zero3', 'gpt_s_dp', 'gpt_s_tp', 'gpt_s_fsdp', 'gpt_s_fsdp_tp', 'gpt_s_tp_sp']
MORE = ['conv_dp', 'decode', 'dropout_rng', 'embed', 'fft_linalg', 'moe', 'shapes', 'uneven',
        'gpt_s_scan_fsdp', 'gpt_s_scan_fsdp_tp', 'gpt_s_scan_tp_sp']
HERE = os.path.abspath(__file__)


def partition(path, options=''):
    p = subprocess.run([fuzz.WEFT, 'opt', '--weft-partition=' + options, path], capture_output=True, text=True)
    assert p.returncode == 0, p.stderr
    return p.stdout


def shared(name, what):
    path = os.path.join(SHARED, 'programs', name + what)
    if not os.path.exists(path):
        pytest.skip('no ' + path)
    return path


def in_a_process(args):
    """Devices are counted once per process, so each program has its own."""
    p = subprocess.run([sys.executable] + args, capture_output=True, text=True, env=dict(os.environ, WEFT=fuzz.WEFT))
    assert p.returncode == 0, (p.stdout + p.stderr)[-2000:]


@pytest.mark.parametrize('name', PROGRAMS + MORE)
def test_shared_program(name, tmp_path):
    text = partition(shared(name, '.mlir'))
    (tmp_path / 'p.mlir').write_text(text)
    in_a_process([os.path.join(os.path.dirname(HERE), 'spmd.py'), str(tmp_path / 'p.mlir'), shared(name, '')])


# On which products and transfers take about as long, and pass beside each other.
SLOW = 'machine={device 10Gflop/s bandwidth 100GB/s engine nodes * { gpu 8 nvlink 1GB/s 1us } infiniband 1GB/s 5us}'


@pytest.mark.parametrize('name, order', [('mlp_zero3', ''), ('gpt_s_tp_sp', ''), ('gpt_s_scan_tp_sp', ' any-order=true')])
def test_collective_matmul(name, order, tmp_path):
    """Products in rings, forwards and, where sums are cut, those too."""
    text = partition(shared(name, '.mlir'), SLOW + order)
    plain = partition(shared(name, '.mlir'), SLOW + ' collective-matmul=false')
    assert text.count('collective_permute') > plain.count('collective_permute')
    assert (text.count('reduce_scatter') < plain.count('reduce_scatter')) == bool(order)
    (tmp_path / 'p.mlir').write_text(text)
    in_a_process([os.path.join(os.path.dirname(HERE), 'spmd.py'), str(tmp_path / 'p.mlir'), shared(name, '')])


def tensor_bytes(text):
    size = {'f64': 8, 'i64': 8, 'ui64': 8, 'f32': 4, 'i32': 4, 'ui32': 4, 'bf16': 2, 'f16': 2, 'i16': 2, 'i8': 1, 'ui8': 1, 'i1': 1}
    *dims, dtype = text.split('x')
    return math.prod(int(d) for d in dims) * size[dtype]


def wire_bytes(text):
    """Bytes that one device sends under the bandwidth-optimal algorithms; no loops."""
    sizes = {a: s for axes in spmd.meshes(text).values() for a, s in axes}
    total = 0
    for m in re.finditer(r'"stablehlo\.(all_reduce|all_gather|reduce_scatter|all_to_all|collective_permute)"\((?:.|\n)*? : \(([^()]*)\) -> (.*)', text):
        group = 1
        for name, part in re.findall(r'axis_ref<name = "(\w+)"(?:, sub_axis_info = \(\d+\)(\d+))?', m.group(0)):
            group *= int(part or sizes[name])
        ins, outs = [sum(tensor_bytes(t) for t in re.findall(r'tensor<([^>]*)>', m.group(k))) for k in (2, 3)]
        share = (group - 1) / group
        total += {'all_reduce': 2 * share * ins, 'all_gather': share * outs, 'reduce_scatter': share * ins,
                  'all_to_all': share * ins, 'collective_permute': ins}[m.group(1)]
    return total


@pytest.mark.parametrize('name', PROGRAMS)
def test_sends_no_more_than_xla(name):
    expected = json.load(open(shared(name, '.json')))['wire_bytes']
    assert wire_bytes(partition(shared(name, '.mlir'))) <= expected


@pytest.mark.parametrize('options', [[], ['sub-axes', '40'], ['uneven', 'sub-axes'], ['mixed'], ['mixed', 'uneven']], ids=lambda o: ' '.join(o) or 'plain')
def test_random_programs(options):
    if not os.path.exists(fuzz.RANDOM):
        pytest.skip('no ' + fuzz.RANDOM)
    in_a_process([os.path.join(os.path.dirname(HERE), 'fuzz.py'), os.environ.get('WEFT_SEED', '1'), '12'] + options)


def test_survey():
    """Programs of one op of every family under random shardings."""
    in_a_process([os.path.join(os.path.dirname(HERE), 'survey.py'), os.environ.get('WEFT_SEED', '1'), '1'])


def reshard_module(shape, mesh, there):
    """An argument under one sharding, returned under another, and back again."""
    t = 'tensor<%sf32>' % ''.join('%dx' % n for n in shape)
    a, b = ['#sdy.sharding<@mesh, [%s]>' % ', '.join('{%s}' % ', '.join('"%s"' % x for x in d) for d in s) for s in there]
    inner = b[len('#sdy.sharding'):]
    return ('module {\n  sdy.mesh @mesh = <[%s]>\n  func.func public @main(%%arg0: %s {sdy.sharding = %s}) -> (%s {sdy.sharding = %s}, %s {sdy.sharding = %s}) {\n'
            '    %%0 = sdy.reshard %%arg0 %s : %s\n    return %%0, %%0 : %s, %s\n  }\n}\n') % (
        ', '.join('"%s"=%d' % x for x in mesh), t, a, t, b, t, a, inner, t, t, t)


def test_there_and_back(tmp_path):
    """Random reshards leave the whole tensor as it was, under both shardings."""
    import numpy as np
    rng = np.random.default_rng(int(os.environ.get('WEFT_SEED', '1')))
    mesh = [('x', 2), ('y', 2), ('z', 2)]
    x = np.arange(16 * 8 * 4, dtype='float32').reshape(16, 8, 4)
    np.save(tmp_path / 'in0.npy', x)
    np.save(tmp_path / 'out0.npy', x)
    np.save(tmp_path / 'out1.npy', x)
    for i in range(12):
        there = []
        for _ in range(2):
            dims = [[], [], []]
            for a in rng.permutation(3):
                d = rng.integers(0, 4)
                if d < 3:
                    dims[d].append(mesh[a][0])
            there.append(dims)
        text = reshard_module(x.shape, mesh, there)
        (tmp_path / 'g.mlir').write_text(text)
        (tmp_path / 'p.mlir').write_text(partition(str(tmp_path / 'g.mlir')))
        in_a_process([os.path.join(os.path.dirname(HERE), 'spmd.py'), str(tmp_path / 'p.mlir'), str(tmp_path)])
