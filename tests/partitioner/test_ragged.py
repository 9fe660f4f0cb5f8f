"""lax.ragged_all_to_all inside of shard_map, and its gradient, against the same rows moved one by one here: XLA has no code for it on CPUs.

Sizes are drawn, zeros among them, so that a device's blocks neither overlap nor fill what they lie in, in any order. What a run counts on
the wire is what the tables say, and no more than the dry run. WEFT_SEED runs a case again; WEFT_LONG runs more of them.
"""
import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

jax = pytest.importorskip('jax')
import jax.numpy as jnp  # noqa: E402
from jax import lax  # noqa: E402
from jax.sharding import NamedSharding, PartitionSpec as P  # noqa: E402

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import fuzz  # noqa: E402

f32, i32 = 'float32', 'int32'
# mesh, the axis, groups within it or None, rows of the operand and of the output, what a row is, type of the tables, of the rows, updates
# for each device, how much is sent, the axis that the last dimension of a row is cut along
CASES = {
    'one row of devices': ({'x': 4}, 'x', None, 9, 11, (3,), i32, f32, 1, 'some', None),
    'rows of one element': ({'x': 8}, 'x', None, 20, 20, (), 'int64', f32, 1, 'some', None),
    'the minor axis': ({'x': 2, 'y': 4}, 'y', None, 8, 10, (2, 4), i32, f32, 1, 'some', None),
    'the major axis': ({'x': 4, 'y': 2}, 'x', None, 12, 8, (6,), i32, f32, 1, 'some', None),
    'groups': ({'x': 8}, 'x', [[0, 3, 5, 6], [7, 1, 2, 4]], 10, 13, (2,), i32, f32, 1, 'some', None),
    'nobody sends': ({'x': 3}, 'x', None, 4, 5, (2,), i32, f32, 1, 'none', None),
    'all to one': ({'x': 4}, 'x', None, 5, 20, (3,), i32, f32, 1, 'to one', None),
    'all rows': ({'x': 4}, 'x', None, 8, 8, (3,), i32, f32, 1, 'all', None),
    'three updates each': ({'x': 4}, 'x', None, 30, 31, (2,), i32, f32, 3, 'some', None),
    'two updates, two axes': ({'x': 2, 'y': 3}, 'y', None, 17, 16, (5,), 'int64', f32, 2, 'some', None),
    'cut rows': ({'x': 4, 'y': 2}, 'x', None, 9, 11, (3, 4), i32, f32, 1, 'some', 'y'),
    'a byte': ({'x': 4}, 'x', None, 9, 11, (3,), i32, 'int8', 1, 'some', None),
    'truth': ({'x': 4}, 'x', None, 9, 11, (3,), i32, 'bool', 1, 'some', None),
    'half': ({'x': 8}, 'x', None, 9, 11, (3,), i32, 'float16', 1, 'some', None),
    'complex': ({'x': 2}, 'x', None, 9, 11, (3,), i32, 'complex64', 1, 'some', None),
    'long': ({'x': 4}, 'x', None, 9, 11, (3,), 'uint32', 'int64', 1, 'some', None),
}
LONG = int(os.environ.get('WEFT_LONG', 1))


def draw(rng, peers, k, rows, out_rows, much):
    """Tables of a group: [sender][receiver k + update] first row sent, rows, first row there."""
    size = np.zeros((peers, peers * k), 'int64')
    begin, to = np.zeros_like(size), np.zeros_like(size)
    received = lambda b: size[:, b * k:(b + 1) * k].sum()
    for i in range(0 if much != 'some' else peers * peers * k):
        a, e = rng.integers(peers), rng.integers(peers * k)
        if size[a].sum() < rows and received(e // k) < out_rows and rng.random() < 0.8:
            size[a, e] += rng.integers(1, 1 + min(rows - size[a].sum(), out_rows - received(e // k), 4))
    if much == 'to one':
        size[:, rng.integers(peers) * k] = min(rows, out_rows // peers)
    if much == 'all':
        for a in range(peers):
            size[a, (a + 1) % peers * k] = min(rows, out_rows)
    for a in range(peers):
        at = rng.integers(0, rows - size[a].sum() + 1)
        for e in rng.permutation(peers * k):
            begin[a, e] = at
            at += size[a, e]
    for b in range(peers):
        at = rng.integers(0, out_rows - received(b) + 1)
        for a, j in rng.permutation([(a, j) for a in range(peers) for j in range(k)]):
            to[a, b * k + j] = at
            at += size[a, b * k + j]
    return begin, size, to


def reference(x, out, weight, members, tables, k):
    """What each device of the groups has then, and the gradient of sum(weight * it) to x."""
    got, dx = out.copy(), np.zeros_like(x)
    for group, (begin, size, to) in zip(members, tables):
        for i, a in enumerate(group):
            for e, n in enumerate(size[i]):
                b, first, there = group[e // k], begin[i, e], to[i, e]
                got[b, there:there + n] = x[a, first:first + n]
                if x.dtype == f32:
                    dx[a, first:first + n] += weight[b, there:there + n]
    return got, dx


def values(rng, dtype, shape):
    if dtype == 'complex64':
        return (rng.uniform(-1, 1, shape) + 1j * rng.uniform(-1, 1, shape)).astype(dtype)
    return rng.integers(-99, 99, shape).astype(dtype) if np.dtype(dtype).kind == 'i' else (rng.uniform(-1, 1, shape) * 9).astype(dtype)


def run(folder, *more):
    command = [fuzz.WEFT, 'run', str(folder / 'p.mlir'), '--inputs', str(folder), *more]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize('turn', range(LONG))
@pytest.mark.parametrize('name', CASES)
def test_ragged(name, turn, tmp_path):
    sizes, axis, groups, rows, out_rows, row, table, dtype, k, much, inner = CASES[name]
    seed = int(os.environ.get('WEFT_SEED', sorted(CASES).index(name) + 100 * turn))
    rng = np.random.default_rng(seed)
    print('WEFT_SEED=%d' % seed)
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:int(np.prod(list(sizes.values())))]).reshape(tuple(sizes.values())), tuple(sizes))
    n = sizes[axis]
    members = groups or [list(range(n))]
    peers = len(members[0])
    tables = [draw(rng, peers, k, rows, out_rows, much) for g in members]
    begin, size, to, received = (np.zeros((n, peers * k), table) for _ in range(4))
    for g, (b, s, t) in zip(members, tables):
        begin[g], size[g], to[g] = b, s, t
        received[g] = s.reshape(peers, peers, k).transpose(1, 0, 2).reshape(peers, peers * k)
    x, out, weight = (values(rng, dtype, (n, r) + row) for r in (rows, out_rows, out_rows))
    grows = dtype == f32 and not groups and k == 1  # JAX has no gradient of groups, nor of several updates for a device

    def move(x, out, begin, size, to, received):
        return lax.ragged_all_to_all(x[0], out[0], begin[0], size[0], to[0], received[0], axis_name=axis, axis_index_groups=groups)[None]

    mapped = jax.shard_map(move, mesh=mesh, in_specs=P(axis), out_specs=P(axis), axis_names={axis}, check_vma=False)

    def step(x, out, weight, *tables):
        value, pull = jax.vjp(lambda x: mapped(x, out, *tables), x) if grows else (mapped(x, out, *tables), None)
        return (value, *pull(weight)) if grows else value

    args = [x, out, weight, begin, size, to, received]
    cut = [P(axis, *[None] * len(row), inner) if inner and a.ndim > 2 else P(axis) for a in args]
    with jax.enable_x64(True), jax.set_mesh(mesh):
        text = jax.jit(step, in_shardings=[NamedSharding(mesh, c) for c in cut], keep_unused=True).lower(*args).as_text()
    assert text.count('@ragged_all_to_all(') == (2 if grows else 1)
    if inner:
        text = text.replace('}, {}, {}]>', '}, {?}, {?}]>').replace('{}, {}, {}]>', '{?}, {?}, {?}]>')
    (tmp_path / 'p.mlir').write_text(text)
    for i, a in enumerate(args):
        np.save(tmp_path / ('in%d.npy' % i), a)
    for i, a in enumerate(reference(x, out, weight, members, tables, k)[:2 if grows else 1]):
        np.save(tmp_path / ('out%d.npy' % i), a)
    p = run(tmp_path, '--compare', str(tmp_path), '--count')
    assert p.returncode == 0, (p.stdout + p.stderr)[-1500:] + text[:3000]

    dry = json.loads(subprocess.run([fuzz.WEFT, 'dryrun', '--json', str(tmp_path / 'p.mlir')], capture_output=True, text=True).stdout)
    counted = int(re.search(r'wire_bytes ([0-9]+)', p.stdout)[1])
    assert dry['least_wire_bytes'] <= counted <= dry['wire_bytes']
    bounded = [c for c in dry['collectives'] if c.get('at_most')]
    assert len(bounded) == (2 if grows else 1) and 'all_gather' not in [c['kind'] for c in dry['collectives']]
    assert bounded[0]['wire_bytes'] == x[0].nbytes // sizes.get(inner, 1)
    if not grows:  # the busiest device's rows for others, and where they go: 8 bytes for each update
        sent = max(s[i].sum() - s[i, i * k:i * k + k].sum() for b, s, t in tables for i in range(peers))
        assert counted == sent * x[0, 0].nbytes // sizes.get(inner, 1) + 8 * k * (peers - 1)


WRONG = {  # where in the tables of two devices with one update each, what, and what is said
    'rows before the operand': ('begin', -1, 'update 0 sends 2 rows from row -1 on, of 4'),
    'rows after the operand': ('begin', 3, 'update 0 sends 2 rows from row 3 on, of 4'),
    'less than none': ('size', -2, 'update 0 sends -2 rows from row 0 on, of 4'),
    'too many': ('size', 2**40, 'update 0 sends 1099511627776 rows from row 0 on, of 4'),
    'rows after the output': ('to', 5, 'update 0 receives 2 rows from row 5 on, of 6'),
    'less than none come': ('received', -1, 'update 0 receives -1 rows from row 0 on, of 6'),
    'two at one place': ('to', 3, 'two updates come to row 3 of the output'),
    'fewer than are sent': ('received', 1, 'update 0 sends this device 2 rows where it expects 1'),
}


@pytest.mark.parametrize('devices', [1, 2])
@pytest.mark.parametrize('name', WRONG)
def test_wrong(name, devices, tmp_path):
    """Device 0 sends two rows to each, the first of them to itself: its tables are put wrong at update 0, or where both land is."""
    where, what, said = WRONG[name]
    if devices == 1 and name == 'two at one place':
        pytest.skip('one update does not meet another')
    n = devices
    tables = {'begin': [[0, 2]] * 2, 'size': [[2, 2]] * 2, 'to': [[0, 0], [2, 2]], 'received': [[2, 2]] * 2}
    tables = {k: np.array(v, 'int64')[:n, :n].copy() for k, v in tables.items()}
    tables[where][0, 0] = what
    types = 'tensor<4x3xf32>, tensor<6x3xf32>, ' + ', '.join(['tensor<%dxi64>' % n] * 4)
    names = ['%x', '%y', '%a', '%b', '%c', '%d']
    (tmp_path / 'p.mlir').write_text('''module attributes {mhlo.num_replicas = 1 : i32, mhlo.num_partitions = %d : i32} {
  func.func @main(%s) -> tensor<6x3xf32> {
    %%id = stablehlo.partition_id : tensor<ui32>
    %%zero = stablehlo.constant dense<0> : tensor<ui32>
%s
    %%0 = stablehlo.custom_call @ragged_all_to_all(%s) {api_version = 4 : i32, backend_config = {channel_id = 1 : i64, replica_groups = dense<[%s]> : tensor<1x%dxi64>}} : (%s) -> tensor<6x3xf32>
    return %%0 : tensor<6x3xf32>
  }
}
''' % (n, ', '.join('%s: %s' % (a, t) for a, t in zip(names, ['tensor<4x3xf32>', 'tensor<6x3xf32>'] + ['tensor<%dx%dxi64>' % (n, n)] * 4)),
       '\n'.join('''    %%s%d = stablehlo.dynamic_slice %s, %%id, %%zero, sizes = [1, %d] : (tensor<%dx%dxi64>, tensor<ui32>, tensor<ui32>) -> tensor<1x%dxi64>
    %%t%d = stablehlo.reshape %%s%d : (tensor<1x%dxi64>) -> tensor<%dxi64>''' % (i, v, n, n, n, n, i, i, n, n) for i, v in enumerate(names[2:])),
       ', '.join(['%x', '%y', '%t0', '%t1', '%t2', '%t3']), list(range(n)), n, types))
    for i, a in enumerate([np.ones((4, 3), f32), np.zeros((6, 3), f32)] + [tables[k] for k in ('begin', 'size', 'to', 'received')]):
        np.save(tmp_path / ('in%d.npy' % i), a)
    p = run(tmp_path)
    assert p.returncode == 1 and said in p.stderr and 'ragged_all_to_all' in p.stderr, p.stdout + p.stderr
