"""Functions that JAX's shard_map runs on parts, against JAX's own run on as many CPU devices.

Each case is lowered by JAX for its mesh, which makes an sdy.manual_computation with StableHLO's collectives inside, and run by
`weft run` on devices of one process. The same programs come in the forms that weft-import reads: annotated GSPMD's way, and with Shardy's
attributes as texts.
"""
import functools
import os
import random
import subprocess
import sys

import numpy as np
import pytest

jax = pytest.importorskip('jax')
import jax.numpy as jnp  # noqa: E402
from jax import lax  # noqa: E402
from jax._src.interpreters import mlir  # noqa: E402
from jax._src.lib import _jax  # noqa: E402
from jax._src.lib.mlir.dialects import hlo  # noqa: E402
from jax.sharding import NamedSharding, PartitionSpec as P  # noqa: E402

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import fuzz  # noqa: E402

MESHES = {'8': {'x': 8}, '2x2': {'x': 2, 'y': 2}, '2x4': {'x': 2, 'y': 4}, '2x2x2': {'x': 2, 'y': 2, 'z': 2}, '3': {'x': 3}}
CASES = []


def make_mesh(sizes):
    n = int(np.prod(list(sizes.values())))
    return jax.sharding.Mesh(np.array(jax.devices()[:n]).reshape(tuple(sizes.values())), tuple(sizes))


def mapped(name, mesh, shapes, specs, out, f, axis_names=None, **how):
    m = make_mesh(MESHES[mesh])
    more = {'axis_names': set(axis_names)} if axis_names else {}
    inner = jax.shard_map(f, mesh=m, in_specs=specs, out_specs=out, check_vma=how.pop('check_vma', False), **more)
    CASES.append((name, m, shapes, inner, specs, how))


f32 = 'float32'

# ---- one collective each ----
for m in MESHES:
    ax = tuple(MESHES[m])
    n = int(np.prod(list(MESHES[m].values())))
    rows = (2 * n, 6)
    mapped('psum %s' % m, m, [rows], (P(ax),), P(), lambda x, ax=ax: lax.psum(x, ax))
    mapped('pmax of the first axis %s' % m, m, [rows], (P(ax),), P(ax[1:]), lambda x, ax=ax: lax.pmax(x, ax[0]))
    mapped('pmin of the last axis %s' % m, m, [rows], (P(ax),), P(ax[:-1]), lambda x, ax=ax: lax.pmin(x, ax[-1]))
    mapped('pmean %s' % m, m, [rows], (P(ax),), P(ax[1:]), lambda x, ax=ax: lax.pmean(x, ax[0]))
    mapped('all_gather tiled %s' % m, m, [rows], (P(ax),), P(), lambda x, ax=ax: lax.all_gather(x, ax, tiled=True))
    mapped('all_gather new dimension %s' % m, m, [rows], (P(ax),), P(None, ax[:-1]), lambda x, ax=ax: lax.all_gather(x, ax[-1], axis=0))
    mapped('all_gather of columns %s' % m, m, [(4, 2 * n)], (P(None, ax),), P(), lambda x, ax=ax: lax.all_gather(x, ax, axis=1, tiled=True))
    mapped('psum_scatter tiled %s' % m, m, [(n * n, 3)], (P(ax),), P(ax), lambda x, ax=ax: lax.psum_scatter(x, ax, tiled=True))
    mapped('psum_scatter over the last %s' % m, m, [(n * n, 3)], (P(ax),), P(ax), lambda x, ax=ax: lax.psum_scatter(x, ax[-1], tiled=True))
    mapped('all_to_all %s' % m, m, [(n, 2 * n)], (P(ax),), P(None, ax), lambda x, ax=ax: lax.all_to_all(x, ax, 1, 0, tiled=True))
    mapped('all_to_all back %s' % m, m, [(2 * n, n, 3)], (P(None, ax),), P(ax), lambda x, ax=ax: lax.all_to_all(x, ax, 0, 1, tiled=True))
    mapped('all_to_all over the last, not tiled %s' % m, m, [(n, MESHES[m][ax[-1]], 2)], (P(ax),), P(ax),
           lambda x, ax=ax: lax.all_to_all(x, ax[-1], 1, 0))
    mapped('ring %s' % m, m, [rows], (P(ax),), P(ax),
           lambda x, ax=ax, k=MESHES[m][ax[0]]: lax.ppermute(x, ax[0], [(i, (i + 1) % k) for i in range(k)]))
    mapped('shift with an end %s' % m, m, [rows], (P(ax),), P(ax),
           lambda x, ax=ax, k=MESHES[m][ax[-1]]: lax.ppermute(x, ax[-1], [(i, i + 1) for i in range(k - 1)]))
    mapped('axis_index %s' % m, m, [rows], (P(ax),), P(ax), lambda x, ax=ax: x + 10 * lax.axis_index(ax[0]) + lax.axis_index(ax[-1]))
    mapped('no operands %s' % m, m, [], (), P(ax), lambda ax=ax: jnp.full((2, 3), lax.axis_index(ax), 'int32'))

# ---- what it is used for ----
mapped('matmul, contraction in parts', '8', [(6, 16), (16, 5)], (P(None, 'x'), P('x', None)), P(), lambda a, b: lax.psum(a @ b, 'x'))
mapped('matmul in two directions', '2x4', [(8, 16), (16, 5)], (P('x', 'y'), P('y', None)), P('x'), lambda a, b: lax.psum(a @ b, 'y'))
mapped('matmul and scatter', '2x4', [(8, 16), (16, 5)], (P('x', 'y'), P('y', None)), P(('x', 'y')),
       lambda a, b: lax.psum_scatter(a @ b, 'y', tiled=True))
mapped('softmax over parts', '8', [(4, 32)], (P(None, 'x'),), P(None, 'x'),
       lambda x: jnp.exp(x - lax.pmax(x.max(1, keepdims=True), 'x')) / lax.psum(jnp.exp(x - lax.pmax(x.max(1, keepdims=True), 'x')).sum(1, keepdims=True), 'x'))


def ring_sum(x, axis='x', n=8):
    def step(i, c):
        y, total = c
        y = lax.ppermute(y, axis, [(k, (k + 1) % n) for k in range(n)])
        return y, total + y * (i + 1)
    return lax.fori_loop(0, n, step, (x, jnp.zeros_like(x)))[1]


mapped('a ring in a loop', '8', [(16, 3)], (P('x'),), P('x'), ring_sum)
mapped('a ring in a scan', '2x4', [(16, 3)], (P(('x', 'y')),), P(('x', 'y')),
       lambda x: lax.scan(lambda c, _: (lax.ppermute(c, 'y', [(0, 1), (1, 2), (2, 3), (3, 0)]) * 1.5, c.sum()), x, None, length=3)[0])
mapped('a branch on the device', '8', [(16, 3)], (P('x'),), P('x'), lambda x: lax.cond(lax.axis_index('x') % 2 == 0, jnp.sin, lambda v: v * 3, x))
mapped('gradient through collectives', '8', [(16, 4), (4, 4)], (P('x'), P()), P(),
       lambda x, w: lax.psum(jax.grad(lambda w: jnp.sum(jnp.tanh(x @ w) ** 2))(w), 'x'))
mapped('integers and booleans', '8', [(16, 3)], (P('x'),), (P(), P(), P()),
       lambda x: (lax.psum((x * 100).astype('int32'), 'x'), lax.pmax((x > 0.9), 'x'), lax.psum((x > 0.5).astype('int8'), 'x')))
mapped('half types', '8', [(16, 3)], (P('x'),), (P(), P('x')),
       lambda x: (lax.pmax(x.astype('bfloat16'), 'x').astype('float32'), lax.ppermute(x.astype('float16'), 'x', [(0, 7), (7, 0)]).astype('float32')))
mapped('complex', '2x4', [(16, 4)], (P(('x', 'y')),), (P(), P(('x', 'y'))),
       lambda x: (lax.psum(x + 1j * x * x, ('x', 'y')).real, lax.all_to_all(x + 1j * x, 'y', 1, 0, tiled=True).imag.reshape(-1, 4)))
mapped('several at once', '2x2', [(8, 3), (4, 5)], (P(('x', 'y')), P('y')), (P(), P('x')),
       lambda a, b: (lax.psum((a, a * 2), ('x', 'y'))[1], lax.psum(b, 'y')[:2]))
mapped('groups within an axis', '8', [(16, 3)], (P('x'),), P('x'), lambda x: lax.psum(x, 'x', axis_index_groups=[[0, 1, 2, 3], [4, 5, 6, 7]]))
mapped('gather in groups', '8', [(16, 3)], (P('x'),), P('x'), lambda x: lax.all_gather(x, 'x', axis_index_groups=[[0, 2, 4, 6], [1, 3, 5, 7]], tiled=True))

# ---- partly manual ----
mapped('free y: psum over x', '2x4', [(8, 12)], (P('x'),), P(), lambda x: lax.psum(jnp.sin(x), 'x'), axis_names='x')
mapped('free y: matmul inside', '2x4', [(8, 16), (16, 12)], (P('x'), P()), P('x'), lambda a, b: jnp.tanh(a @ b) + lax.axis_index('x'), axis_names='x',
       free=[(None, 'y'), ('y', None)])
mapped('free x: gather over y', '2x4', [(8, 16)], (P(None, 'y'),), P(), lambda x: lax.all_gather(x * 2, 'y', axis=1, tiled=True), axis_names='y', free=[('x', None)])
mapped('free x: scatter over y', '2x4', [(8, 16)], (P(None, 'y'),), P(None, 'y'),
       lambda x: lax.psum_scatter(jnp.concatenate([x] * 4, 1), 'y', scatter_dimension=1, tiled=True), axis_names='y', free=[('x', None)])
mapped('free x: exchange over y', '2x4', [(8, 16)], (P('y'),), P(None, 'y'), lambda x: lax.all_to_all(x, 'y', 1, 0, tiled=True), axis_names='y', free=[(None, 'x')])
mapped('free x: ring over y', '2x4', [(8, 16)], (P(None, 'y'),), P(None, 'y'), lambda x: ring_sum(x, 'y', 4), axis_names='y', free=[('x', None)])
mapped('free y z: reduction inside', '2x2x2', [(8, 8, 8)], (P('x'),), P(), lambda x: lax.psum(x.sum((0, 2)), 'x'), axis_names='x', free=[(None, 'y', 'z')])
mapped('free y z: sorted inside', '2x2x2', [(8, 8, 8)], (P('x'),), P('x'), lambda x: jnp.sort(x, 1), axis_names='x', free=[(None, 'y', 'z')])
mapped('free y: constraint inside', '2x4', [(8, 16)], (P('x'),), P('x'),
       lambda x: lax.with_sharding_constraint(x * 2, P(None, 'y')) @ jnp.ones((16, 4), 'float32'), axis_names='x')


def nested(name, mesh, shape, outer, inner):
    m = make_mesh(MESHES[mesh])

    def f(x):
        def g(y):
            h = jax.shard_map(lambda z: inner(z), in_specs=P(None, 'y'), out_specs=P(None, 'y'), axis_names={'y'}, check_vma=False)
            return outer(h(y * 2))
        return jax.shard_map(g, mesh=m, in_specs=P('x'), out_specs=P('x'), axis_names={'x'}, check_vma=False)(x)
    CASES.append((name, m, [shape], f, (P('x'),), {}))


nested('nested', '2x4', (8, 16), lambda y: y + lax.axis_index('x'), lambda z: lax.ppermute(z, 'y', [(0, 1), (1, 2), (2, 3), (3, 0)]))
nested('nested, both talk', '2x4', (8, 16), lambda y: lax.psum(y, 'x'), lambda z: z / lax.psum(z, 'y'))
nested('nested over 2x2x2', '2x2x2', (8, 16), lambda y: lax.pmax(y, 'x') * lax.axis_index('x'), lambda z: z + lax.all_gather(z, 'y', axis=1, tiled=True).sum())


def around(name, mesh, shapes, placed, f):
    CASES.append((name, make_mesh(MESHES[mesh]), shapes, f, placed, {'inner_mesh': True}))


def two_in_a_row(mesh, x, w):
    sm = functools.partial(jax.shard_map, mesh=mesh, check_vma=False)
    y = sm(lambda x: lax.psum(x, 'y'), in_specs=P('x', 'y'), out_specs=P('x'))(x)
    y = jnp.tanh(y @ w)
    return sm(lambda y: lax.all_gather(y, 'x', tiled=True), in_specs=P('x'), out_specs=P())(y).sum(1), y


def in_a_loop(mesh, x, w):
    sm = jax.shard_map(lambda x, w: lax.psum(x @ w, 'y'), mesh=mesh, in_specs=(P('x', 'y'), P('y')), out_specs=P('x'), check_vma=False)
    return lax.fori_loop(0, 3, lambda i, x: jnp.tanh(sm(x, w)), x)


around('two computations and what is between', '2x4', [(8, 16), (4, 5)], (P('x', 'y'), P()), two_in_a_row)
around('a computation in a loop', '2x4', [(8, 16), (16, 16)], (P('x', 'y'), P('y')), in_a_loop)
around('operands that lie elsewhere', '2x4', [(8, 16), (16, 16)], (P(None, ('y', 'x')), P(None, 'x')), in_a_loop)


def arrays(name, shapes):
    rng = np.random.default_rng(len(name) * 31 + sum(map(ord, name)))
    return [rng.uniform(0.25, 1, s).astype(f32) for s in shapes]


def turned(text, mesh, seed):
    """The program beside a larger argument over a mesh of the same devices in another order: all else is that mesh's."""
    r = random.Random(seed)
    axes = list(mesh.shape.items())
    r.shuffle(axes)
    ids = r.sample(range(mesh.size), mesh.size)
    line = '  sdy.mesh @turned = <[%s], device_ids=%s>\n' % (', '.join('"%s"=%d' % a for a in axes), ids)
    large = '%%large: tensor<240x24xf32> {sdy.sharding = #sdy.sharding<@turned, [{%s}, {}]>}' % ', '.join('"%s"' % a for a, _ in axes)
    at = text.index('\n', text.index('sdy.mesh @mesh')) + 1
    text = text[:at] + line + text[at:]
    return text.replace('@main()', '@main(%s)' % large).replace('@main(%arg0', '@main(%s, %%arg0' % large)


def lowered(way, f, placed, args):
    """The program as text. jit anew: JAX keeps what it lowered."""
    with jax._src.config.use_shardy_partitioner(way != "GSPMD's form"):
        how = {'in_shardings': tuple(placed)} if args else {}
        low = jax.jit(lambda *a: f(*a), **how).lower(*args)
        if way != 'texts for XLA':
            return low.as_text()
    module = low.compiler_ir()
    with module.context:
        artifact = _jax.mlir.serialize_portable_artifact(module, hlo.get_current_version(), False)
    with mlir.make_ir_context():
        return str(_jax.mlir.deserialize_portable_artifact(artifact))


WAYS = {'alone': 'sdy.', 'beside another mesh': '@turned', "GSPMD's form": 'mhlo.sharding', 'texts for XLA': 'xla.sdy.'}


# ./check takes the imported forms for a third of the cases each.
LONG = int(os.environ.get('WEFT_LONG', '1')) > 1
RUNS = [(i, way) for i in range(len(CASES)) for k, way in enumerate(WAYS) if k < 2 or i % 3 == k - 2 or LONG]


@pytest.mark.parametrize('index, way', RUNS, ids=['%s-%s' % (way, CASES[i][0]) for i, way in RUNS])
def test_shard_map(index, way, tmp_path):
    name, mesh, shapes, f, specs, how = CASES[index]
    args = arrays(name, shapes)
    free = how.get('free')
    specs = [P(*s) for s in free] if free else specs
    placed = [NamedSharding(mesh, s) for s in (specs if isinstance(specs, (tuple, list)) else [specs])]
    if how.get('inner_mesh'):
        f = functools.partial(f, mesh)
    with jax.set_mesh(mesh):
        step = jax.jit(f, in_shardings=tuple(placed)) if args else jax.jit(f)
        want = jax.tree.leaves(step(*args))
        text = lowered(way, f, placed, args)
    if way == 'beside another mesh':
        text = turned(text, mesh, index)
        args = [np.zeros((240, 24), f32)] + args
    (tmp_path / 'p.mlir').write_text(text)
    for i, a in enumerate(args):
        np.save(tmp_path / ('in%d.npy' % i), a)
    for i, a in enumerate(want):
        np.save(tmp_path / ('out%d.npy' % i), np.asarray(a))
    assert WAYS[way] in text and ('@turned' in text) == (way == 'beside another mesh')
    p = subprocess.run([fuzz.WEFT, 'run', str(tmp_path / 'p.mlir'), '--inputs', str(tmp_path), '--compare', str(tmp_path)], capture_output=True, text=True)
    assert p.returncode == 0, (p.stdout + p.stderr)[-1500:] + text[:3000]
