"""Programs as JAX writes them, in Shardy's form and in GSPMD's: opt, explain and dryrun take each, and weft run has the values of JAX's own run on as
many CPU devices. test_shard_map.py has more of what shard_map runs.
"""
import os
import subprocess
import sys

import numpy as np
import pytest

jax = pytest.importorskip('jax')
import jax.numpy as jnp  # noqa: E402
from jax import lax  # noqa: E402
from jax.experimental import shard_alike  # noqa: E402
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P  # noqa: E402

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import fuzz  # noqa: E402

MESH = Mesh(np.array(jax.devices()[:8]).reshape(2, 4), ('x', 'y'))
OTHER = Mesh(np.array(jax.devices()[:8])[[3, 1, 2, 0, 7, 5, 6, 4]].reshape(2, 4), ('x', 'y'))
CUBE = Mesh(np.array(jax.devices()[:8]).reshape(2, 2, 2), ('a', 'b', 'c'))
EXPLICIT = Mesh(np.array(jax.devices()[:8]).reshape(2, 4), ('x', 'y'), axis_types=(AxisType.Explicit,) * 2)
BOTH, CASES = (True, False), {}  # Shardy's form, GSPMD's
rng = np.random.default_rng(5)


def f(*shape):
    return rng.uniform(-1, 1, shape).astype('float32')


def at(*spec, mesh=MESH):
    return NamedSharding(mesh, P(*spec))


def case(name, fun, *args, forms=BOTH, mesh=None, **how):
    for shardy in forms:
        CASES[name + ('' if shardy else ', GSPMD')] = fun, args, shardy, mesh, how


keep = lax.with_sharding_constraint


@jax.custom_vjp
def product(x, w):
    return keep(x @ w, at('x', None))


product.defvjp(lambda x, w: (product(x, w), (x, w)), lambda r, g: (keep(g @ r[1].T, at('x', 'y')), keep(r[0].T @ g, at('y', None))))


def layers(ws, x):
    def body(c, w):
        c = keep(jnp.tanh(c @ w), at('x', 'y'))
        return c, keep(c.sum(0), at('y'))
    return lax.scan(body, x, ws)


def nested(x):
    def inner(z):
        return lax.all_gather(z, 'y', axis=1, tiled=True).sum(1, keepdims=True)
    within = jax.shard_map(inner, in_specs=P(None, 'y'), out_specs=P(None, None), axis_names={'y'}, check_vma=False)
    return jax.shard_map(lambda a: within(a) * 2, mesh=MESH, in_specs=P('x'), out_specs=P('x'), axis_names={'x'}, check_vma=False)(x)


def inspected(x):
    jax.debug.inspect_array_sharding(x * 2, callback=lambda s: None)
    return x * 2


def partial(x, w):
    return jnp.einsum('bi,io->bo', x, w, out_sharding=P('x', None, unreduced={'y'}))


case('in and out shardings', lambda a, b: jax.nn.gelu(a @ b), f(8, 16), f(16, 8), in_shardings=(at('x'), at(None, 'y')), out_shardings=at('y', 'x'))
case('vmap with a mesh axis', lambda x, w: jax.vmap(lambda a: keep(jnp.sin(a) @ w, at('y', None)), spmd_axis_name='x')(x), f(4, 8, 16), f(16, 8),
     in_shardings=(at('x'), at()))
case('scan', layers, f(3, 16, 16), f(8, 16), in_shardings=(at(None, None, 'y'), at('x')))
case('gradient of a scan', jax.grad(lambda ws, x: (layers(ws, x)[0] ** 2).sum()), f(3, 16, 16), f(8, 16), in_shardings=(at(None, 'y'), at('x')))
case('switch', lambda i, x: lax.switch(i, [lambda a: jnp.sort(a, 0), lambda a: keep(jnp.cumsum(a, 0), at('x')), lambda a: a[::-1]], x), np.int32(1), f(8, 16),
     in_shardings=(None, at('x', 'y')))
case('custom_vjp', jax.grad(lambda x, w: product(x, w).sum() * 2, (0, 1)), f(8, 16), f(16, 4))
case('an order of devices of its own', lambda x: keep(x @ x.T, at('y', 'x', mesh=OTHER)), f(8, 16), in_shardings=at('x', 'y', mesh=OTHER))
case('several axes', lambda x: keep(x.reshape(4, 4, 8) + 1, at(('a', 'b'), None, 'c', mesh=CUBE)).sum(1), f(8, 16), in_shardings=at(('c', 'a'), 'b', mesh=CUBE))
case('donation', lambda a, b: (a + b, b * 2), f(8, 16), f(8, 16), donate_argnums=(0, 1), in_shardings=at('x', 'y'), out_shardings=at('x', 'y'))
case('shard_alike', lambda x: shard_alike.shard_alike(x * 2, keep(x + 1, at('x', 'y'))), f(8, 16))
case('a batch of LAPACK calls', lambda x, b: jnp.linalg.solve(x + 4 * jnp.eye(4), b), f(8, 4, 4), f(8, 4, 2), in_shardings=(at('x'), at('x')))
case('inspected', inspected, f(8, 16), forms=(True,), in_shardings=at('x'))
case('shard_map in shard_map', nested, f(8, 16), forms=(True,))
case('explicit axes', lambda x, w: jnp.einsum('bi,io->bo', x, w, out_sharding=P('x', 'y')), f(8, 16), f(16, 4), forms=(True,), mesh=EXPLICIT)
case('partial sums', lambda x, w: jax.reshard(partial(x, w), P('x', None)), f(8, 16), f(16, 4), forms=(True,), mesh=EXPLICIT)
case('partial sums as a result', partial, f(8, 16), f(16, 4), forms=(True,), mesh=EXPLICIT, expect=lambda x, w: x @ w)


@pytest.mark.parametrize('name', CASES)
def test_front_door(name, tmp_path):
    fun, args, shardy, mesh, how = CASES[name]
    how = dict(how)
    expect = how.pop('expect', None)
    given = [jax.device_put(a, at(*(('x', 'y') if i == 0 else ('y', None)), mesh=mesh)) for i, a in enumerate(args)] if mesh else [jnp.array(a) for a in args]
    jax.config.update('jax_use_shardy_partitioner', shardy)
    try:
        with jax.set_mesh(mesh or MESH) if mesh else jax.named_scope('plain'):
            made = jax.jit(fun, keep_unused=True, **how)
            (tmp_path / 'p.mlir').write_text(made.lower(*given).as_text(debug_info=True))
            outs = jax.tree.leaves(expect(*args) if expect else made(*given))
    finally:
        jax.config.update('jax_use_shardy_partitioner', True)
    for i, a in enumerate(args):
        np.save(tmp_path / ('in%d.npy' % i), a)
    for i, a in enumerate(outs):
        np.save(tmp_path / ('out%d.npy' % i), np.asarray(a))
    for command in ('opt', 'explain', 'dryrun', 'run --inputs . --compare .'):
        p = subprocess.run([fuzz.WEFT, *command.split(), 'p.mlir'], capture_output=True, text=True, cwd=tmp_path, timeout=60)
        said = [line for line in p.stderr.split('\n') if 'warning' in line and not ('left unreduced' in line and expect)]
        assert p.returncode == 0 and not said, command + p.stdout[-500:] + p.stderr
        if command == 'dryrun':
            assert p.stdout.startswith('8 devices'), p.stdout
