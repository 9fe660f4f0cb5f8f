"""lax.ragged_all_to_all inside of shard_map, and its gradient, against the same rows moved one by one here: XLA has no code for it on CPUs.

Sizes are drawn, zeros among them, so that a device's blocks neither overlap nor fill what they lie in, in any order. WEFT_SEED runs a
case again.
"""
import os
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

f32 = 'float32'
CASES = {  # mesh, the axis, groups within it or None, rows of the operand and of the output, what a row is, type of the tables
    'one row of devices': ({'x': 4}, 'x', None, 9, 11, (3,), 'int32'),
    'rows of one element': ({'x': 8}, 'x', None, 20, 20, (), 'int64'),
    'the minor axis': ({'x': 2, 'y': 4}, 'y', None, 8, 10, (2, 4), 'int32'),
    'the major axis': ({'x': 4, 'y': 2}, 'x', None, 12, 8, (6,), 'int32'),
    'groups': ({'x': 8}, 'x', [[0, 3, 5, 6], [7, 1, 2, 4]], 10, 13, (2,), 'int32'),
    'nobody sends': ({'x': 3}, 'x', None, 4, 5, (2,), 'int32'),
}


def draw(rng, peers, rows, out_rows, silent):
    """Tables of a group: [sender][receiver] first row sent, rows, first row there."""
    size = np.zeros((peers, peers), 'int64')
    begin, to = np.zeros_like(size), np.zeros_like(size)
    for i in range(peers * peers * (not silent)):
        a, b = rng.integers(peers, size=2)
        if size[a].sum() < rows and size[:, b].sum() < out_rows and rng.random() < 0.8:
            size[a, b] += rng.integers(1, 1 + min(rows - size[a].sum(), out_rows - size[:, b].sum(), 4))
    for first, sizes, room in (begin, size, rows), (to.T, size.T, out_rows):
        for a in range(peers):
            at = rng.integers(0, room - sizes[a].sum() + 1)
            for b in rng.permutation(peers):
                first[a, b] = at
                at += sizes[a, b]
    return begin, size, to


def reference(x, out, weight, members, tables):
    """What each device of the groups has then, and the gradient of sum(weight * it) to x."""
    got, dx = out.copy(), np.zeros_like(x)
    for group, (begin, size, to) in zip(members, tables):
        for i, a in enumerate(group):
            for k, b in enumerate(group):
                for row in range(size[i, k]):
                    got[b, to[i, k] + row] = x[a, begin[i, k] + row]
                    dx[a, begin[i, k] + row] += weight[b, to[i, k] + row]
    return got, dx


@pytest.mark.parametrize('name', CASES)
def test_ragged(name, tmp_path):
    sizes, axis, groups, rows, out_rows, row, table = CASES[name]
    seed = int(os.environ.get('WEFT_SEED', sorted(CASES).index(name)))
    rng = np.random.default_rng(seed)
    print('WEFT_SEED=%d' % seed)
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:int(np.prod(list(sizes.values())))]).reshape(tuple(sizes.values())), tuple(sizes))
    n = sizes[axis]
    members = groups or [list(range(n))]
    tables = [draw(rng, len(g), rows, out_rows, name == 'nobody sends') for g in members]
    begin, size, to, received = (np.zeros((n, len(members[0])), table) for _ in range(4))
    for g, (b, s, t) in zip(members, tables):
        begin[g], size[g], to[g], received[g] = b, s, t, s.T
    x, out, weight = (rng.uniform(-1, 1, (n, r) + row).astype(f32) for r in (rows, out_rows, out_rows))

    def move(x, out, begin, size, to, received):
        return lax.ragged_all_to_all(x[0], out[0], begin[0], size[0], to[0], received[0], axis_name=axis, axis_index_groups=groups)[None]

    mapped = jax.shard_map(move, mesh=mesh, in_specs=P(axis), out_specs=P(axis), axis_names={axis}, check_vma=False)

    def step(x, out, weight, *tables):
        value, pull = jax.vjp(lambda x: mapped(x, out, *tables), x)
        return value if groups else (value, *pull(weight))  # JAX has no gradient of groups

    args = [x, out, weight, begin, size, to, received]
    with jax.enable_x64(table == 'int64'), jax.set_mesh(mesh):
        text = jax.jit(step, in_shardings=NamedSharding(mesh, P(axis)), keep_unused=True).lower(*args).as_text()
    assert text.count('@ragged_all_to_all(') == (1 if groups else 2)
    (tmp_path / 'p.mlir').write_text(text)
    for i, a in enumerate(args):
        np.save(tmp_path / ('in%d.npy' % i), a)
    for i, a in enumerate(reference(x, out, weight, members, tables)[:1 if groups else 2]):
        np.save(tmp_path / ('out%d.npy' % i), a)
    p = subprocess.run([fuzz.WEFT, 'run', str(tmp_path / 'p.mlir'), '--inputs', str(tmp_path), '--compare', str(tmp_path)], capture_output=True, text=True)
    assert p.returncode == 0, (p.stdout + p.stderr)[-1500:] + text[:3000]
